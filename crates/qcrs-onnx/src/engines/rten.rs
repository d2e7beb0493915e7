//! How does rten (pure Rust) run it?

use super::{EngineRequest, Refused, Started};
use crate::inspect::{File, Graph};
use crate::network::Engine;
use crate::slots::Slots;
use rten::{Model, ModelOptions, RunOptions, ThreadPool, ValueView};
use std::sync::Arc;

/// The engine's name and version, for the record.
const NAME: &str = "rten 0.27.0";

pub(super) fn start(request: &EngineRequest<'_>) -> Result<Started, Refused> {
    let engine = Rten::load(request.file, request.any_batch, request.threads)?;
    Ok(Started { engine: Box::new(engine), name: NAME.to_owned(), slow: None })
}

struct Rten {
    model: Model,
    pools: Slots<Arc<ThreadPool>>,
    /// Whether the model takes batches of any size.
    any_batch: bool,
}

impl Rten {
    fn load(file: &File, any_batch: bool, threads: usize) -> Result<Self, String> {
        if let Some(what) = misread(&file.graph) {
            return Err(format!("rten does not know {what} that this model asks for"));
        }
        let mut options = ModelOptions::with_all_ops();
        options.prepack_weights(true);
        for (name, content) in &file.external {
            options.external_data(name, content.clone());
        }
        let model = options
            .load(file.bytes.clone())
            .map_err(|error| format!("rten cannot run this model: {error}"))?;
        let pools = (0..threads).map(|_| Arc::new(ThreadPool::with_num_threads(1)));
        Ok(Self { model, pools: Slots::new(pools.collect()), any_batch })
    }

    /// Runs the batch as it is.
    fn run_batch(&self, shape: [usize; 4], batch: &[f32]) -> Result<([usize; 2], Vec<f32>), String> {
        let input = ValueView::from_shape(shape, batch).map_err(|error| error.to_string())?;
        let pool = self.pools.take();
        let options = RunOptions::default().with_thread_pool(Some(Arc::clone(&pool)));
        // A rayon thread that waits for another pool steals work from its own meanwhile: it would start
        // the next batch inside this one, and wait for a pool that it holds itself. A plain thread waits.
        let result = std::thread::scope(|scope| {
            scope.spawn(|| self.model.run_one(input.into(), Some(options))).join()
        });
        let value =
            result.map_err(|_| "rten panicked on a batch".to_owned())?.map_err(|error| error.to_string())?;
        value.into_shape_vec::<f32, 2>().map_err(|error| {
            format!("output: {error}; qcrs needs one row of class scores per image, [N, classes]")
        })
    }
}

/// What rten misreads: it would give plausible scores of another network.
fn misread(graph: &Graph) -> Option<String> {
    let Graph { words, opset, softmax_below, .. } = graph;
    if words.contains("SAME_LOWER") {
        return Some("the padding SAME_LOWER".into()); // padded as for SAME_UPPER
    }
    if words.contains("cubic") {
        return Some("the cubic interpolation".into()); // made linear
    }
    // until opset 12 the sum is over all axes from this one on, by default the second; rten sums over the
    // last one only
    (*opset < 13 && *softmax_below).then(|| format!("the Softmax of opset {opset} before the last axis"))
}

impl Engine for Rten {
    fn run(&self, shape: [usize; 4], batch: &[f32]) -> Result<([usize; 2], Vec<f32>), String> {
        let [rows, c, h, w] = shape;
        if rows != 1 || !self.any_batch {
            return self.run_batch(shape, batch);
        }
        // rten multiplies a single row in another order than several, which changes the last bits: with a
        // second image, a lone one scores as it does in any other batch
        let padded = [batch, &vec![0.0; batch.len()]].concat();
        let ([rows, classes], mut scores) = self.run_batch([2, c, h, w], &padded)?;
        if rows != 2 {
            return Err(format!("two images gave {rows} rows of scores"));
        }
        scores.truncate(classes);
        Ok(([1, classes], scores))
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_version_is_the_one_built_in() {
        let lock = include_str!("../../../../Cargo.lock");
        let version = lock.split("name = \"rten\"\nversion = \"").nth(1).unwrap().split('"').next().unwrap();
        assert_eq!(super::NAME, format!("rten {version}"));
    }
}

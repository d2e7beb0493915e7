//! Which engine is the fastest here, and do they agree?

use super::{Bench, address, median, pool};
use crate::args::ModelArgs;
use crate::output::{self, Format, say};
use anyhow::Context;
use qcrs::noise::Draws;
use qcrs::sample::{Classifier, noisy_copies};
use qcrs_onnx::{EngineChoice, Instructions, LoadOptions, Model};
use serde_json::json;
use std::time::Duration;

/// What is measured.
pub(super) struct Compare<'a> {
    pub(super) args: &'a ModelArgs,
    pub(super) shape: [usize; 3],
    pub(super) time: Duration,
    pub(super) rounds: u32,
    /// Noisy images on which the answers are compared.
    pub(super) images: u32,
}

/// Images of one comparison step.
const STEP: u32 = 64;

struct Entry {
    name: String,
    model: Model,
    rates: [Vec<f64>; 2],
}

impl Compare<'_> {
    pub(super) fn run(&self, format: Format) -> anyhow::Result<()> {
        let mut entries = self.entries();
        anyhow::ensure!(!entries.is_empty(), "no engine of this machine runs this model");
        let threads = self.args.threads();
        let pools = [pool(threads)?, pool(1)?];
        let image: Vec<f32> = (0..self.shape.iter().product()).map(|i| (i % 255) as f32 / 255.0).collect();
        for round in 0..self.rounds {
            say!("round {} of {}", round + 1, self.rounds);
            for Entry { model, rates, .. } in &mut entries {
                let bench = Bench {
                    classifier: &*model.classifier,
                    batch: self.args.batch,
                    image: image.clone(),
                    time: self.time,
                };
                for (rates, pool) in rates.iter_mut().zip(&pools) {
                    rates.push(pool.install(|| bench.engine())?);
                }
            }
        }
        // the reference is onnxruntime where it is, else the last engine of the list
        let (reference, others) = entries.split_last_mut().context("no engine")?;
        let [base, base_one] = [0, 1].map(|at| median(reference.rates[at].clone()));
        let mut lines = Vec::new();
        for entry in others {
            let agreement = self.agreement(&*entry.model.classifier, &*reference.model.classifier, &image)?;
            lines.push((
                entry.name.clone(),
                [0, 1].map(|at| median(entry.rates[at].clone())),
                Some(agreement),
            ));
        }
        lines.push((reference.name.clone(), [base, base_one], None));
        if format == Format::Json {
            let line = |(name, [all, one], agreement): &(String, [f64; 2], Option<Agreement>)| {
                json!({ "engine": name, "images_per_second": all, "one_thread": one, "ratio": all / base,
                        "same_answer": agreement.as_ref().map(|a| a.same), "compared": agreement.as_ref().map(|a| a.of),
                        "largest_difference": agreement.as_ref().map(|a| a.largest) })
            };
            return output::print_json(&json!({ "threads": threads, "batch": self.args.batch,
                "rounds": self.rounds, "engines": lines.iter().map(line).collect::<Vec<_>>() }));
        }
        let head = format!(
            "images/s with {threads} threads and with one, batches of {}, medians of {} rounds in turn\n",
            self.args.batch, self.rounds
        );
        let line = |(name, [all, one], agreement): &(String, [f64; 2], Option<Agreement>)| {
            let agrees = agreement.as_ref().map_or(String::new(), |Agreement { same, of, largest }| {
                format!("   same answer for {same} of {of}, scores within {largest:.1e}")
            });
            format!("{name:<26} {all:>8.0} {one:>8.0}   {:>5.2}×{agrees}", all / base)
        };
        output::print(&(head + &lines.iter().map(line).collect::<Vec<_>>().join("\n")))
    }

    /// Every engine that takes the model, the one that others are compared with last.
    fn entries(&self) -> Vec<Entry> {
        let own = Instructions::here().into_iter().filter(|set| set.name() != "portable");
        let own = own.map(|set| (EngineChoice::Cnn, Some(set)));
        let cases = own.chain([(EngineChoice::Rten, None), (EngineChoice::Ort, None)]);
        let load = |(engine, instructions): (EngineChoice, Option<Instructions>)| {
            let (output, threads) = (self.args.output, self.args.threads());
            let options = LoadOptions { engine, output, instructions, threads, ..LoadOptions::default() };
            match qcrs_onnx::load(&self.args.model, self.shape, &options) {
                Ok(model) => {
                    let set = instructions.map_or(String::new(), |set| format!(" {}", set.name()));
                    let name = format!("{}{set}", model.engine);
                    Some(Entry { name, model, rates: [Vec::new(), Vec::new()] })
                }
                Err(error) => {
                    say!("without {engine}: {error}");
                    None
                }
            }
        };
        cases.filter_map(load).collect()
    }

    /// How often two engines give the same answer under noise.
    fn agreement(
        &self,
        one: &dyn Classifier,
        other: &dyn Classifier,
        image: &[f32],
    ) -> anyhow::Result<Agreement> {
        let (noise, stream) = address();
        let classes = one.num_classes();
        let mut agreement = Agreement { same: 0, of: self.images, largest: 0.0 };
        let mut batch = Vec::new();
        for start in (0..self.images).step_by(STEP as usize) {
            let range = start..self.images.min(start + STEP);
            let mut scores = [vec![f32::NAN; range.len() * classes], vec![f32::NAN; range.len() * classes]];
            noisy_copies(image, noise, &Draws { stream, range }, &mut batch);
            one.logits(&batch, &mut scores[0])?;
            other.logits(&batch, &mut scores[1])?;
            for (a, b) in scores[0].chunks_exact(classes).zip(scores[1].chunks_exact(classes)) {
                agreement.same += u32::from(largest(a) == largest(b));
                let differences = a.iter().zip(b).map(|(a, b)| (a - b).abs());
                agreement.largest = differences.fold(agreement.largest, f32::max);
            }
        }
        Ok(agreement)
    }
}

struct Agreement {
    same: u32,
    of: u32,
    largest: f32,
}

fn largest(row: &[f32]) -> usize {
    (1..row.len()).fold(0, |best, at| if row[at] > row[best] { at } else { best })
}

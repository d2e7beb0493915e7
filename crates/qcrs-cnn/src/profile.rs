//! Where does the time go?

use crate::engine::Cnn;
use crate::kernel::{self, Buffer, Place, Step};
use crate::plan::TOGETHER;
use std::time::{Duration, Instant};

/// One step of the plan, measured.
#[derive(Clone, Debug)]
pub struct Layer {
    /// The name in the file of what it computes first.
    pub name: String,
    /// How it is computed.
    pub kind: &'static str,
    /// Channels, height and width of what goes in.
    pub from: [usize; 3],
    /// Channels, height and width of what comes out.
    pub to: [usize; 3],
    /// Multiplications and additions per image, by the definition of the layer.
    pub macs: u64,
    /// Bytes of weights as they are read.
    pub weights: usize,
    /// Whether several images go through together.
    pub together: bool,
    /// Per image: the median of the rounds.
    pub time: Duration,
}

impl Cnn {
    /// Multiplications, additions and comparisons per image, by the definition of the layers.
    pub fn work(&self) -> u64 {
        let work = |(_, step): &(String, Step)| {
            let Described { to, taps, .. } = describe(step);
            let taps = if let Step::Pooling(step) = step { step.window.size.iter().product() } else { taps };
            (taps as u64).saturating_mul(to.shape.iter().product::<usize>() as u64)
        };
        self.plan.steps.iter().map(work).fold(0, u64::saturating_add)
    }

    /// Times every step on one thread, on made-up images.
    pub fn profile(&self, rounds: usize) -> Vec<Layer> {
        let plan = &self.plan;
        let mut memory = Buffer::new(plan.len);
        let pixels: Vec<f32> = (0..self.shape.iter().product()).map(|at| (at % 255) as f32 / 255.0).collect();
        let mut times = vec![Vec::new(); plan.steps.len()];
        for _ in 0..rounds.max(1) {
            for image in 0..TOGETHER {
                plan.pack.run(self.instructions, &pixels, &mut memory, image);
                for (at, (_, step)) in plan.steps[..plan.alone].iter().enumerate() {
                    times[at].push(self.time(step, &mut memory, image..image + 1));
                }
            }
            for (at, (_, step)) in plan.steps.iter().enumerate().skip(plan.alone) {
                times[at].push(self.time(step, &mut memory, 0..TOGETHER) / TOGETHER as u32);
            }
        }
        let layer = |(at, ((name, step), times)): (usize, (&(String, Step), &mut Vec<Duration>))| {
            times.sort_unstable();
            let Described { kind, from, to, taps, weights } = describe(step);
            let macs = taps * to.shape.iter().product::<usize>();
            let time = times[times.len() / 2];
            let together = at >= plan.alone;
            let (name, macs) = (name.clone(), macs as u64);
            Layer { name, kind, from: from.shape, to: to.shape, macs, weights, together, time }
        };
        plan.steps.iter().zip(&mut times).enumerate().map(layer).collect()
    }

    fn time(&self, step: &Step, memory: &mut [f32], images: std::ops::Range<usize>) -> Duration {
        let start = Instant::now();
        // a value that overflows takes as long as any other
        let _ = kernel::run(self.instructions, step, memory, images);
        start.elapsed()
    }
}

struct Described<'a> {
    kind: &'static str,
    from: &'a Place,
    to: &'a Place,
    /// Multiplications per output.
    taps: usize,
    weights: usize,
}

fn describe(step: &Step) -> Described<'_> {
    let (kind, from, to, taps, weights) = match step {
        Step::Direct(step) => ("direct", &step.from, &step.to, step.taps(), step.weight_bytes()),
        Step::Winograd(step) => {
            ("winograd", &step.from, &step.to, 9 * step.from.shape[0], step.weight_bytes())
        }
        Step::Pooling(step) => ("pooling", &step.from, &step.to, 0, 0),
        Step::Map(step) => ("map", &step.from, &step.to, 1, 8 * step.scale.len()),
    };
    Described { kind, from, to, taps, weights }
}

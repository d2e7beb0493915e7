//! Where does the time go?

use super::Runner;
use crate::kernel::{self, Buffer, Convolution, Place, Step, ValueFormat};
use crate::plan::TOGETHER;
use std::time::{Duration, Instant};

/// One step of the plan, measured.
#[derive(Clone, Debug)]
pub struct LayerTime {
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

impl<N: ValueFormat> Runner<N> {
    pub(super) fn work(&self) -> u64 {
        let work = |(_, step): &(String, Step<N>)| {
            let Described { to, taps, .. } = describe(step);
            let taps = if let Step::Pooling(step) = step { step.window.size.iter().product() } else { taps };
            (taps as u64).saturating_mul(to.shape.iter().product::<usize>() as u64)
        };
        self.plan.steps.iter().map(work).fold(0, u64::saturating_add)
    }

    pub(super) fn layers(&self, pixels: &[f32], rounds: usize) -> Vec<LayerTime> {
        let plan = &self.plan;
        let mut memory = Buffer::new(plan.len);
        let mut times = vec![Vec::new(); plan.steps.len()];
        for _ in 0..rounds.max(1) {
            for image in 0..TOGETHER {
                plan.pack.run(self.instructions, pixels, &mut memory, image);
                for (at, (_, step)) in plan.steps[..plan.alone].iter().enumerate() {
                    times[at].push(self.time(step, &mut memory, image..image + 1));
                }
            }
            for (at, (_, step)) in plan.steps.iter().enumerate().skip(plan.alone) {
                times[at].push(self.time(step, &mut memory, 0..TOGETHER) / TOGETHER as u32);
            }
        }
        let steps = plan.steps.iter().zip(&mut times).enumerate();
        steps
            .map(|(at, ((name, step), times))| {
                times.sort_unstable();
                let Described { kind, from, to, taps, weights } = describe(step);
                LayerTime {
                    name: name.clone(),
                    kind,
                    from: from.shape,
                    to: to.shape,
                    macs: (taps * to.shape.iter().product::<usize>()) as u64,
                    weights,
                    together: at >= plan.alone,
                    time: times[times.len() / 2],
                }
            })
            .collect()
    }

    fn time(&self, step: &Step<N>, memory: &mut [N], images: std::ops::Range<usize>) -> Duration {
        let start = Instant::now();
        // a value that overflows takes as long as any other
        let _ = kernel::run(self.instructions, step, memory, images);
        start.elapsed()
    }
}

struct Described {
    kind: &'static str,
    from: Place,
    to: Place,
    /// Multiplications per output.
    taps: usize,
    weights: usize,
}

fn describe<N: ValueFormat>(step: &Step<N>) -> Described {
    let (kind, [from, to], taps, weights) = match step {
        Step::Conv(conv) => (conv.kind(), conv.places(), conv.taps(), conv.weight_bytes()),
        Step::Pooling(step) => ("pooling", [step.from, step.to], 0, 0),
        Step::Map(step) => ("map", [step.from, step.to], 1, 8 * step.scale.len()),
    };
    Described { kind, from, to, taps, weights }
}

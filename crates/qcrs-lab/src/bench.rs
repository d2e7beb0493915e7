//! `qcrs bench`: where does the time go?

mod answer;
mod certificates;
mod compare;
mod figure;
mod growth;
mod peer;
mod plan;

use crate::args::{ModelArgs, count};
use crate::output::{self, Format, say};
use crate::settings::ModelSettings;
use anyhow::{Context, ensure};
use qcrs::noise::{Draws, Noise, NoiseKind, Phase, Stream};
use qcrs::sample::{Classifier, MonteCarlo, SampleUnderNoise};
use qcrs::types::{Error, Sigma};
use qcrs_onnx::LoadOptions;
use rayon::prelude::*;
use serde_json::json;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// What was typed after `qcrs bench`.
#[allow(clippy::struct_excessive_bools)] // flags, as they are typed
#[derive(clap::Args)]
pub struct BenchArgs {
    #[command(flatten)]
    model: ModelArgs,
    /// Channels, height and width of the images to make up
    #[arg(long, default_value = "3,32,32", value_delimiter = ',', value_name = "C,H,W")]
    shape: Vec<usize>,
    /// Seconds per measurement
    #[arg(long, default_value_t = 1.0)]
    seconds: f64,
    /// How often each measurement is repeated, in turn with the others
    #[arg(long, default_value_t = 5, value_parser = count(1..))]
    rounds: u32,
    /// Every engine of this machine in turn, and whether they agree
    #[arg(long, conflicts_with = "plan")]
    compare: bool,
    /// With --compare, how many noisy images they must agree on
    #[arg(long, default_value_t = 10_000, value_name = "N", requires = "compare", value_parser = count(..))]
    images: u32,
    /// With --compare and --certificates, PyTorch as well, as the published programs run it; needs torch and
    /// onnx in a Python
    #[arg(long, conflicts_with_all = ["plan", "growth"])]
    peer: bool,
    /// The Python of --peer
    #[arg(long, default_value = "python3", value_name = "PATH", requires = "peer")]
    python: PathBuf,
    /// With --compare and --growth, draw what was measured
    #[arg(long, conflicts_with = "plan", value_name = "FILE.svg")]
    figure: Option<PathBuf>,
    /// What our own engine does, layer by layer
    #[arg(long)]
    plan: bool,
    /// What more draws, images, classes, pixels and threads cost
    #[arg(long, conflicts_with_all = ["plan", "compare"])]
    growth: bool,
    /// Whole certificates of real images: QCRS as published and PROBE, with every engine of this machine or
    /// that of --engine
    #[arg(long, conflicts_with_all = ["plan", "compare", "growth"], requires_all = ["data", "preset"])]
    certificates: bool,
    /// The images of --certificates, in any format that needs no options
    #[arg(long, value_name = "PATH", requires = "certificates")]
    data: Option<PathBuf>,
    /// The published settings of --certificates, such as cifar10-0.50
    #[arg(long, value_name = "NAME", requires = "certificates")]
    preset: Option<String>,
    /// With --certificates, how many images, spread evenly
    #[arg(long, default_value_t = 4, value_name = "K", requires = "certificates", value_parser = count(1..))]
    inputs: u32,
    /// With --certificates, draws per certificate
    #[arg(long, default_value_t = 100_000, requires = "certificates", value_parser = count(1..))]
    n: u32,
    /// The format of the output
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

/// Measures what was asked for.
pub fn run(args: &BenchArgs) -> anyhow::Result<()> {
    let shape: [usize; 3] =
        args.shape.clone().try_into().ok().context("--shape takes three numbers: C,H,W")?;
    ensure!(args.seconds > 0.0, "--seconds must be positive, got {}", args.seconds);
    let time = Duration::try_from_secs_f64(args.seconds).context("--seconds")?;
    let model = &args.model.settings();
    if args.plan {
        let cnn = qcrs_onnx::look_into(&model.path, shape, model.options.precision)?;
        return plan::print(&cnn, args.format);
    }
    let (python, figure) = (args.peer.then_some(args.python.as_path()), args.figure.as_deref());
    if let (true, Some(data), Some(preset)) = (args.certificates, &args.data, &args.preset) {
        ensure!(figure.is_none(), "--certificates has a table only; leave --figure out");
        let (inputs, n, format) = (args.inputs, args.n, args.format);
        return certificates::Certificates { model, data, preset, inputs, n, python }.run(format);
    }
    if args.compare {
        let (rounds, images) = (args.rounds, args.images);
        let compare = compare::Compare { model, shape, time, rounds, images, python, figure };
        return compare.run(args.format);
    }
    if args.growth {
        return growth::Growth { model, shape, rounds: args.rounds, figure }.run(args.format);
    }
    ensure!(figure.is_none(), "--figure needs --compare or --growth");
    ensure!(python.is_none(), "--peer needs --compare or --certificates");
    measure(args, model, shape, time)
}

/// Measures engine, certifier and noise in turn, and one thread against all.
fn measure(
    args: &BenchArgs,
    settings: &ModelSettings,
    shape: [usize; 3],
    time: Duration,
) -> anyhow::Result<()> {
    settings.is_file()?;
    let model = settings.load(shape, None).context("images of --shape")?;
    let &LoadOptions { threads, batch, .. } = &settings.options;
    let bench = Bench { classifier: &*model.classifier, batch, image: image(shape.iter().product()), time };
    let pools = [pool(threads)?, pool(1)?];
    let mut rates = [const { Vec::new() }; 5];
    for round in 0..args.rounds {
        say!("round {} of {}", round + 1, args.rounds);
        rates[0].push(pools[0].install(|| bench.engine())?);
        rates[1].push(pools[0].install(|| bench.certifier())?);
        rates[2].push(pools[0].install(|| bench.noise()));
        rates[3].push(pools[1].install(|| bench.engine())?);
        rates[4].push(pools[1].install(|| bench.certifier())?);
    }
    let [engine, certifier, noise, engine_one, certifier_one] = rates.map(median);
    let (reached, scaling) = (certifier / engine, certifier / certifier_one);
    if args.format == Format::Json {
        return output::print_json(&json!({
            "engine": model.engine, "threads": threads, "batch": batch, "rounds": args.rounds,
            "engine_images_per_second": engine, "certifier_images_per_second": certifier,
            "noise_images_per_second": noise, "certifier_share_of_engine": reached,
            "noise_share_of_time": certifier / noise,
            "one_thread": { "engine_images_per_second": engine_one, "certifier_images_per_second": certifier_one },
            "scaling": scaling,
        }));
    }
    let name = &model.engine;
    let percent = 100.0 * reached;
    let noise_percent = 100.0 * certifier / noise;
    output::print(&format!(
        "{name}, {threads} threads, batches of {batch}; images/s, medians of {} rounds\n\
         bare engine           {engine:>10.0}\n\
         whole certifier       {certifier:>10.0}   {percent:.1} % of the bare engine\n\
         noise alone           {noise:>10.0}   {noise_percent:.1} % of the certifier's time\n\
         certifier, 1 thread   {certifier_one:>10.0}   {threads} threads are {scaling:.2} times as fast",
        args.rounds
    ))
}

struct Bench<'a> {
    classifier: &'a dyn Classifier,
    batch: u32,
    image: Vec<f32>,
    time: Duration,
}

impl Bench<'_> {
    /// Images per second of every thread of the pool calling the engine with the same batch.
    fn engine(&self) -> Result<f64, Error> {
        let batch = self.image.repeat(self.batch as usize);
        self.per_thread(|| {
            let mut scores = vec![0.0; self.batch as usize * self.classifier.num_classes()];
            self.classifier.logits(&batch, &mut scores)
        })
    }

    /// Images per second of drawing noise alone.
    fn noise(&self) -> f64 {
        let (noise, stream) = address(self.image.len());
        let rate = self.per_thread(|| {
            let copies = noise.copies_of(&self.image)?;
            let mut out = vec![0.0; self.image.len()];
            for draw in 0..self.batch {
                copies.write(&stream, draw, &mut out);
            }
            Ok(())
        });
        rate.unwrap_or_default()
    }

    /// Images per second of SAMPLEUNDERNOISE, as a certificate asks for them.
    fn certifier(&self) -> Result<f64, Error> {
        let sampler = MonteCarlo::new(self.classifier, self.batch);
        let (noise, stream) = address(self.image.len());
        // one call that is long enough, because threads wait for each other at its end
        let mut range = 0..8 * self.batch;
        loop {
            let (draws, begin) = (Draws { stream, range: range.clone() }, Instant::now());
            sampler.sample_under_noise(&self.image, noise.into(), &draws)?;
            let passed = begin.elapsed();
            if passed >= self.time {
                return Ok(range.len() as f64 / passed.as_secs_f64());
            }
            range = 0..2 * range.end;
        }
    }

    fn per_thread(&self, call: impl Fn() -> Result<(), Error> + Sync) -> Result<f64, Error> {
        let begin = Instant::now();
        let threads = rayon::current_num_threads();
        let calls = (0..threads).into_par_iter().with_max_len(1).map(|_| {
            let mut calls = 0_u64;
            while begin.elapsed() < self.time {
                call()?;
                calls += 1;
            }
            Ok::<_, Error>(calls)
        });
        let calls: u64 = calls.try_reduce(|| 0, |a, b| Ok(a + b))?;
        Ok((calls * u64::from(self.batch)) as f64 / begin.elapsed().as_secs_f64())
    }
}

/// An image to measure with.
fn image(pixels: usize) -> Vec<f32> {
    (0..pixels).map(|i| (i % 255) as f32 / 255.0).collect()
}

/// The noise of the measurements.
const SIGMA: f64 = 0.25;

fn address(values: usize) -> (Noise, Stream) {
    let sigma = Sigma::new(SIGMA).unwrap_or_else(|_| unreachable!("it is positive"));
    (NoiseKind::default().at(sigma, values), Stream { seed: 0, input: 0, phase: Phase::Measure })
}

fn pool(threads: usize) -> anyhow::Result<rayon::ThreadPool> {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().context("threads")
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

//! How long does a certificate take, from the image to the radius?

use super::peer::{PUBLISHED_BATCH, Peer};
use super::pool;
use crate::output::{self, Format, say};
use crate::settings::ModelSettings;
use anyhow::ensure;
use qcrs::certify::{Budget, Verdict, certify};
use qcrs::data::{self, Example, OpenOptions};
use qcrs::method::{AnyMethod, Probe, Qcrs};
use qcrs::noise::{Draws, Noise, NoiseKind};
use qcrs::report::format::down;
use qcrs::sample::{Input, MonteCarlo, SampleUnderNoise, Smoothed, Votes};
use qcrs::types::{Alpha, Error};
use qcrs_onnx::{EngineChoice, LoadOptions, Model};
use serde_json::json;
use std::fmt::Write;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// What is measured.
pub(super) struct Certificates<'a> {
    pub(super) model: &'a ModelSettings,
    pub(super) data: &'a Path,
    pub(super) preset: &'a str,
    pub(super) inputs: u32,
    pub(super) n: u32,
    /// The Python that runs PyTorch, if it is to be compared.
    pub(super) python: Option<&'a Path>,
}

/// The prices of a draw that PROBE is given.
const LAMBDAS: [f64; 3] = [1e-6, 3e-6, 1e-5];

/// A way to certify, with its cost and its result so far.
struct TimedMethod<'a> {
    name: String,
    search: AnyMethod,
    sampler: &'a dyn SampleUnderNoise,
    passes: u64,
    seconds: f64,
    /// The radii of right answers.
    radius: f64,
}

impl Certificates<'_> {
    pub(super) fn run(&self, format: Format) -> anyhow::Result<()> {
        let opened = data::open(self.data, &OpenOptions::default())?;
        let noise = NoiseKind::Lattice(opened.dataset.lattice());
        let opened = opened.under(noise)?;
        let (shape, threads) = (opened.dataset.shape(), self.model.options.threads);
        let transform = self.model.transform(shape[0])?;
        ensure!(transform.is_none(), "--certificates takes models that normalise their inputs themselves");
        let published = Qcrs::preset(self.preset)?;
        let budget = Budget::new(100, self.n, Alpha::new(0.001)?)?;

        let models = self.models(shape)?;
        ensure!(!models.is_empty(), "no engine of this machine runs this model");
        let samplers: Vec<MonteCarlo<'_>> = models
            .iter()
            .map(|model| MonteCarlo::new(&*model.classifier, self.model.options.batch).under(noise))
            .collect();
        let start = |python| Peer::start(python, &self.model.path, shape, threads);
        let peer = self.python.map(start).transpose()?.map(PeerSampler::new);
        let qcrs = AnyMethod::Qcrs(published.clone());
        let mut cases = Vec::new();
        if let Some(peer) = &peer {
            cases.push(TimedMethod::new(format!("QCRS, {}", peer.name), qcrs.clone(), peer));
        }
        for (model, sampler) in models.iter().zip(&samplers) {
            cases.push(TimedMethod::new(format!("QCRS, {}", model.engine), qcrs.clone(), sampler));
            for lambda in LAMBDAS {
                let search = Probe::new(published.sigma, [published.low, published.high], lambda);
                let name = format!("PROBE, λ = {lambda:e}, {}", model.engine);
                cases.push(TimedMethod::new(name, AnyMethod::Probe(search), sampler));
            }
        }

        let of = u32::try_from(opened.dataset.len())?;
        let inputs = self.inputs.min(of);
        let pool = pool(threads)?;
        for number in 0..inputs {
            let input = number * (of / inputs);
            let example = opened.dataset.get(input as usize)?;
            for case in &mut cases {
                say!("image {} of {inputs}: {}", number + 1, case.name);
                pool.install(|| case.certify(&budget, &example, input))?;
            }
        }
        match format {
            Format::Json => output::print_json(&json(&cases, inputs)),
            Format::Text => output::print(&text(&cases, inputs, self.n, threads)),
        }
    }

    /// The model with every engine that takes it, or with the one that was asked for.
    fn models(&self, shape: [usize; 3]) -> anyhow::Result<Vec<Model>> {
        let load = |engine: EngineChoice| {
            let options = LoadOptions { engine, ..self.model.options.clone() };
            ModelSettings { options, ..self.model.clone() }.load(shape, None)
        };
        let engines = match self.model.options.engine {
            EngineChoice::Auto => EngineChoice::in_turn(),
            engine => return Ok(vec![load(engine)?]),
        };
        let loaded = |engine| load(engine).map_err(|error| say!("without {engine}: {error:#}")).ok();
        Ok(engines.into_iter().filter_map(loaded).collect())
    }
}

impl<'a> TimedMethod<'a> {
    fn new(name: String, search: AnyMethod, sampler: &'a dyn SampleUnderNoise) -> Self {
        Self { name, search, sampler, passes: 0, seconds: 0.0, radius: 0.0 }
    }

    fn certify(&mut self, budget: &Budget, example: &Example, index: u32) -> Result<(), Error> {
        let begin = Instant::now();
        let input = Input { pixels: &example.pixels, seed: 0, index };
        let outcome = certify(&self.search, budget, self.sampler, &input)?;
        self.seconds += begin.elapsed().as_secs_f64();
        self.passes += outcome.passes();
        if let Verdict::Certified { class, radius, .. } = outcome.verdict {
            self.radius += if example.label == Some(class) { radius } else { 0.0 };
        }
        Ok(())
    }
}

/// PyTorch counts the votes; its noise is its own, whatever the address of the draws.
struct PeerSampler {
    name: String,
    /// PyTorch, and the image that it was shown last.
    peer: Mutex<(Peer, Vec<f32>)>,
}

impl PeerSampler {
    fn new(peer: Peer) -> Self {
        let name = format!("{} in batches of {PUBLISHED_BATCH}", peer.name);
        Self { name, peer: Mutex::new((peer, Vec::new())) }
    }
}

impl SampleUnderNoise for PeerSampler {
    fn sample_under_noise(&self, x: &[f32], g: Smoothed, draws: &Draws) -> Result<Votes, Error> {
        let Noise::Gaussian(sigma) = g.noise else {
            return Err(Error::Invalid("PyTorch is asked under Gaussian noise only".into()));
        };
        let mut guard = self.peer.lock().unwrap_or_else(PoisonError::into_inner);
        let (peer, shown) = &mut *guard;
        let mut ask = || {
            if shown != x {
                peer.show(x)?;
                *shown = x.to_vec();
            }
            peer.votes(sigma, draws.range.len())
        };
        ask().map_err(|error: anyhow::Error| Error::Engine(format!("{error:#}")))
    }
}

fn json(cases: &[TimedMethod<'_>], inputs: u32) -> serde_json::Value {
    let per_input = |value: f64| value / f64::from(inputs);
    let row = |case: &TimedMethod<'_>| {
        json!({ "name": case.name, "passes_per_input": per_input(case.passes as f64),
                "seconds_per_input": per_input(case.seconds), "acr": per_input(case.radius) })
    };
    json!({ "inputs": inputs, "cases": cases.iter().map(row).collect::<Vec<_>>() })
}

fn text(cases: &[TimedMethod<'_>], inputs: u32, n: u32, threads: usize) -> String {
    let first = cases.first().map_or(0.0, |case| case.seconds);
    let mut out = format!(
        "{inputs} images in turn, n = {n}, {threads} threads; per image passes and seconds, how many times as fast as the first, ACR\n"
    );
    for TimedMethod { name, passes, seconds, radius, .. } in cases {
        let [passes, each, acr] = [*passes as f64, *seconds, *radius].map(|value| value / f64::from(inputs));
        let (times, acr) = (first / seconds, down(acr, 3));
        let _ = writeln!(out, "{name:<48} {passes:>8.0} {each:>9.2} s {times:>7.1}× {acr:>7}");
    }
    out.trim_end().to_owned()
}

//! Which engine is the fastest here, and do they agree?

use super::answer::{Agreement, Answer, AnswerLine, MeasuredRate, Whole};
use super::peer::Peer;
use super::{Bench, address, figure, image, median, pool};
use crate::output::{Format, say};
use crate::settings::ModelSettings;
use anyhow::Context;
use qcrs::noise::Draws;
use qcrs::sample::engine::noisy_copies;
use qcrs::sample::{Classifier, argmax};
use qcrs_onnx::{Cnn, EngineChoice, Instructions, LoadOptions, Model, Precision};
use std::path::Path;
use std::time::Duration;

/// What is measured.
pub(super) struct Compare<'a> {
    pub(super) model: &'a ModelSettings,
    pub(super) shape: [usize; 3],
    pub(super) time: Duration,
    pub(super) rounds: u32,
    /// Noisy images on which the answers are compared.
    pub(super) images: u32,
    /// The Python that runs PyTorch, if it is to be compared.
    pub(super) python: Option<&'a Path>,
    /// Where a figure goes.
    pub(super) figure: Option<&'a Path>,
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
        let threads = self.model.options.threads;
        let start = |python| Peer::start(python, &self.model.path, self.shape, threads);
        let mut peer = self.python.map(start).transpose()?;
        let mut entries = self.entries();
        anyhow::ensure!(!entries.is_empty(), "no engine of this machine runs this model");
        let pools = [pool(threads)?, pool(1)?];
        let image = image(self.shape.iter().product());
        let mut certifier = Vec::new();
        for round in 0..self.rounds {
            say!("round {} of {}", round + 1, self.rounds);
            for (at, Entry { model, rates, .. }) in entries.iter_mut().enumerate() {
                let bench = Bench {
                    classifier: &*model.classifier,
                    batch: self.model.options.batch,
                    image: image.clone(),
                    time: self.time,
                };
                for (rates, pool) in rates.iter_mut().zip(&pools) {
                    rates.push(pool.install(|| bench.engine())?);
                }
                if let (0, Some(peer)) = (at, &mut peer) {
                    certifier.push(pools[0].install(|| bench.certifier())?);
                    peer.round(self.time)?;
                }
            }
        }
        let engines = self.engines(&entries, &image)?;
        let whole = peer
            .map(|mut peer| {
                Whole::new(&mut peer, &entries[0].name, &*entries[0].model.classifier, median(certifier))
            })
            .transpose()?;
        if let Some(figure) = self.figure {
            let note = format!("{threads} threads; medians of {} rounds that took turns", self.rounds);
            let bare: Vec<AnswerLine> = engines.iter().map(|(line, ..)| line.clone()).collect();
            let mut groups = vec![("The engine alone", bare.as_slice())];
            groups.extend(whole.as_ref().map(|whole| ("Noise, engine and votes", whole.lines.as_slice())));
            figure::write(figure, &note, &groups)?;
        }
        let (batch, rounds) = (self.model.options.batch, self.rounds);
        Answer { threads, batch, rounds, engines, whole }.print(format)
    }

    /// Medians and agreement; the last is the one that others are compared with.
    fn engines(&self, entries: &[Entry], image: &[f32]) -> anyhow::Result<Vec<MeasuredRate>> {
        let (reference, others) = entries.split_last().context("no engine")?;
        let [base, base_one] = [0, 1].map(|at| median(reference.rates[at].clone()));
        let mut measured = Vec::new();
        for entry in others {
            let agreement = self.agreement(&*entry.model.classifier, &*reference.model.classifier, image)?;
            let [rate, one] = [0, 1].map(|at| median(entry.rates[at].clone()));
            measured.push((
                AnswerLine { name: entry.name.clone(), rate, ratio: rate / base },
                one,
                Some(agreement),
            ));
        }
        let line = AnswerLine { name: reference.name.clone(), rate: base, ratio: 1.0 };
        measured.push((line, base_one, None));
        Ok(measured)
    }

    /// Every engine that takes the model, the one that others are compared with last.
    fn entries(&self) -> Vec<Entry> {
        let own = Instructions::here().into_iter().filter(|set| set.name() != "portable");
        let own = own.map(|set| (EngineChoice::Cnn, Some(set), Precision::F32));
        let best = Instructions::best();
        let bf16 = self.model.options.precision == Precision::Bf16 || Cnn::is_fast(best, Precision::Bf16);
        let bf16 = bf16.then_some((EngineChoice::Cnn, Some(best), Precision::Bf16));
        let others = EngineChoice::ALL.iter().filter(|engine| **engine != EngineChoice::Cnn);
        let others = others.map(|engine| (*engine, None, Precision::F32));
        let cases = own.chain(bf16).chain(others);
        let load = |(engine, instructions, precision): (EngineChoice, Option<Instructions>, Precision)| {
            let LoadOptions { output, threads, trial, .. } = self.model.options.clone();
            let base = LoadOptions { output, threads, trial, ..LoadOptions::default() };
            let options = LoadOptions { engine, precision, instructions, ..base };
            match qcrs_onnx::load(&self.model.path, self.shape, &options) {
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
        let (noise, stream) = address(image.len());
        let classes = one.num_classes();
        let mut agreement = Agreement { same: 0, of: self.images, largest: 0.0 };
        let mut batch = Vec::new();
        for start in (0..self.images).step_by(STEP as usize) {
            let range = start..self.images.min(start + STEP);
            let mut scores = [vec![f32::NAN; range.len() * classes], vec![f32::NAN; range.len() * classes]];
            noisy_copies(image, &[(noise, Draws { stream, range })], &mut batch)?;
            one.logits(&batch, &mut scores[0])?;
            other.logits(&batch, &mut scores[1])?;
            for (a, b) in scores[0].chunks_exact(classes).zip(scores[1].chunks_exact(classes)) {
                agreement.same += u32::from(argmax(a) == argmax(b));
                let differences = a.iter().zip(b).map(|(a, b)| (a - b).abs());
                agreement.largest = differences.fold(agreement.largest, f32::max);
            }
        }
        Ok(agreement)
    }
}

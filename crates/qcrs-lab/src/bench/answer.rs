//! What was measured, and how is it shown?

use super::peer::Peer;
use crate::output::{self, Format};
use qcrs::sample::Classifier;
use serde_json::json;
use std::fmt::Write;

/// A rate with its name, and its ratio to another rate.
#[derive(Clone, Debug)]
pub(super) struct AnswerLine {
    pub(super) name: String,
    pub(super) rate: f64,
    pub(super) ratio: f64,
}

/// An engine with all threads, with one, and how far it agrees with the last one of the list.
pub(super) type MeasuredRate = (AnswerLine, f64, Option<Agreement>);

/// On how many noisy images two engines give the same class, and how far apart their scores are at most.
pub(super) struct Agreement {
    pub(super) same: u32,
    pub(super) of: u32,
    pub(super) largest: f32,
}

/// Our whole certifier beside PyTorch doing the same; ratios are to PyTorch in its best batches.
pub(super) struct Whole {
    pub(super) lines: Vec<AnswerLine>,
    same: usize,
    of: usize,
}

impl Whole {
    pub(super) fn new(peer: &mut Peer, name: &str, ours: &dyn Classifier, rate: f64) -> anyhow::Result<Self> {
        let medians = peer.medians();
        let best = medians.iter().map(|(_, rate)| *rate).fold(0.0, f64::max);
        let mut lines = vec![AnswerLine { name: name.to_owned(), rate, ratio: rate / best }];
        lines.extend(medians.into_iter().map(|(batch, rate)| {
            let name = format!("{} eager, batches of {batch}", peer.name);
            AnswerLine { name, rate, ratio: rate / best }
        }));
        let (same, of) = peer.agreement(ours)?;
        Ok(Self { lines, same, of })
    }
}

/// Everything that was measured.
pub(super) struct Answer {
    pub(super) threads: usize,
    pub(super) batch: u32,
    pub(super) rounds: u32,
    pub(super) engines: Vec<MeasuredRate>,
    pub(super) whole: Option<Whole>,
}

impl Answer {
    pub(super) fn print(&self, format: Format) -> anyhow::Result<()> {
        match format {
            Format::Json => output::print_json(&self.json()),
            Format::Text => output::print(&self.text()),
        }
    }

    fn json(&self) -> serde_json::Value {
        let engine = |(line, one, agreement): &MeasuredRate| {
            let agreement = agreement.as_ref();
            json!({ "engine": line.name, "images_per_second": line.rate, "one_thread": one, "ratio": line.ratio,
                    "same_answer": agreement.map(|a| a.same), "compared": agreement.map(|a| a.of),
                    "largest_difference": agreement.map(|a| a.largest) })
        };
        let line = |line: &AnswerLine| json!({ "name": line.name, "images_per_second": line.rate, "ratio": line.ratio });
        let whole = self.whole.as_ref().map(|whole| {
            json!({ "lines": whole.lines.iter().map(line).collect::<Vec<_>>(),
                    "same_answer": whole.same, "compared": whole.of })
        });
        json!({ "threads": self.threads, "batch": self.batch, "rounds": self.rounds,
                "engines": self.engines.iter().map(engine).collect::<Vec<_>>(), "with_noise_and_votes": whole })
    }

    fn text(&self) -> String {
        let Self { threads, batch, rounds, engines, whole } = self;
        let mut text = format!(
            "images/s with {threads} threads and with one, batches of {batch}, medians of {rounds} rounds in turn\n"
        );
        for (AnswerLine { name, rate, ratio }, one, agreement) in engines {
            let agrees = agreement.as_ref().map_or(String::new(), |Agreement { same, of, largest }| {
                format!("   same answer for {same} of {of}, scores within {largest:.1e}")
            });
            let _ = writeln!(text, "{name:<40} {rate:>8.0} {one:>8.0}   {ratio:>5.2}×{agrees}");
        }
        if let Some(Whole { lines, same, of }) = whole {
            text += "with noise and votes, as a certificate needs them\n";
            for AnswerLine { name, rate, ratio } in lines {
                let _ = writeln!(text, "{name:<40} {rate:>8.0}            {ratio:>5.2}×");
            }
            let _ = write!(text, "PyTorch and ours: same answer for {same} of {of} images without noise");
        }
        text
    }
}

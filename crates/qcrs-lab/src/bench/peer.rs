//! How fast is PyTorch on the same model?
//!
//! A Python program of ours answers one line with one line, so that its rounds take turns with those of
//! our engines.

use super::{SIGMA, address, median};
use anyhow::{Context, bail, ensure};
use qcrs::noise::Lattice;
use qcrs::sample::{Classifier, Votes, argmax};
use qcrs::types::Sigma;
use serde::Deserialize;
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

const SCRIPT: &str = include_str!("peer.py");
/// The published programs use 400 or 1000; the others serve to find its best batch size.
const BATCHES: [u32; 7] = [8, 16, 32, 64, 128, 400, PUBLISHED_BATCH];
/// The batch of QCRS's program.
pub(super) const PUBLISHED_BATCH: u32 = 1000;
/// Images without noise on which both should give the same class.
const IMAGES: usize = 512;

/// PyTorch, ready to answer.
pub(super) struct Peer {
    child: Child,
    asks: ChildStdin,
    answers: BufReader<ChildStdout>,
    /// Its name and version.
    pub(super) name: String,
    rates: [Vec<f64>; BATCHES.len()],
}

impl Peer {
    /// Starts it with `threads` threads and waits until it has read the model.
    pub(super) fn start(
        python: &Path,
        model: &Path,
        shape: [usize; 3],
        threads: usize,
    ) -> anyhow::Result<Self> {
        let [c, h, w] = shape;
        let mut child = Command::new(python)
            .args(["-c", SCRIPT])
            .arg(model)
            .args([format!("{c},{h},{w}"), SIGMA.to_string()])
            .env("OMP_NUM_THREADS", threads.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| {
                format!("{}: cannot start it; --python takes the path of a Python", python.display())
            })?;
        let asks = child.stdin.take().context("no stdin")?;
        let answers = BufReader::new(child.stdout.take().context("no stdout")?);
        let mut peer = Self { child, asks, answers, name: String::new(), rates: Default::default() };
        let hello = peer.answer()?;
        if let Some(missing) = hello["missing"].as_str() {
            bail!(
                "{} has no module {missing}; the comparison needs torch, onnx and numpy there, or another --python",
                python.display()
            );
        }
        if let Some(unknown) = hello["unknown"].as_str() {
            bail!("the comparison with PyTorch does not do {unknown}");
        }
        hello["name"].as_str().context("it gave no name")?.clone_into(&mut peer.name);
        Ok(peer)
    }

    fn ask(&mut self, line: &str) -> anyhow::Result<Value> {
        writeln!(self.asks, "{line}").and_then(|()| self.asks.flush()).context("PyTorch has ended")?;
        self.answer()
    }

    fn answer(&mut self) -> anyhow::Result<Value> {
        let mut line = String::new();
        self.answers.read_line(&mut line).context("PyTorch")?;
        ensure!(!line.is_empty(), "PyTorch ended without an answer; see what it wrote above");
        serde_json::from_str(&line).with_context(|| format!("PyTorch answered {line:?}"))
    }

    fn ask_about(&mut self, command: &str, images: &[f32]) -> anyhow::Result<Value> {
        let mut file = tempfile::NamedTempFile::new().context("a temporary file")?;
        let bytes: Vec<u8> = images.iter().flat_map(|pixel| pixel.to_le_bytes()).collect();
        file.write_all(&bytes).and_then(|()| file.flush()).context("a temporary file")?;
        self.ask(&format!("{command} {}", file.path().display()))
    }

    /// Takes `image` for the votes that are asked for next.
    pub(super) fn show(&mut self, image: &[f32]) -> anyhow::Result<()> {
        let answer = self.ask_about("image", image)?;
        ensure!(answer["images"] == 1, "PyTorch answered {answer}");
        Ok(())
    }

    /// How many of `count` noisy copies of the image each class wins, in batches as published.
    pub(super) fn votes(&mut self, sigma: Sigma, count: usize) -> anyhow::Result<Votes> {
        let answer = self.ask(&format!("votes {} {count} {PUBLISHED_BATCH}", sigma.get()))?;
        let votes = Votes::deserialize(&answer["votes"]).ok().filter(|votes| votes.total() == count as u64);
        votes.with_context(|| format!("PyTorch answered {answer}"))
    }

    /// One round over all batch sizes.
    pub(super) fn round(&mut self, time: Duration) -> anyhow::Result<()> {
        for (at, batch) in BATCHES.iter().enumerate() {
            let answer = self.ask(&format!("rate {batch} {}", time.as_secs_f64()))?;
            let rate = answer["rate"].as_f64().filter(|rate| *rate > 0.0);
            self.rates[at].push(rate.with_context(|| format!("PyTorch answered {answer}"))?);
        }
        Ok(())
    }

    /// Images per second in batches of 400, of 1000, and of its best size: the batch, and the median.
    pub(super) fn medians(&self) -> Vec<(u32, f64)> {
        let all: Vec<(u32, f64)> = BATCHES
            .into_iter()
            .zip(&self.rates)
            .map(|(batch, rates)| (batch, median(rates.clone())))
            .collect();
        let best = all.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1));
        let mut shown: Vec<(u32, f64)> = all.iter().copied().filter(|(batch, _)| *batch >= 400).collect();
        shown.extend(best.filter(|best| !shown.contains(best)));
        shown
    }

    /// On how many of some images without noise it gives our class: (same, of).
    pub(super) fn agreement(&mut self, ours: &dyn Classifier) -> anyhow::Result<(usize, usize)> {
        let (noise, stream) = address(ours.input_len());
        let grey = vec![Lattice::Bytes.pixel(128); ours.input_len()];
        let copies = noise.copies_of(&grey)?;
        let mut images = vec![0.0; IMAGES * grey.len()];
        for (draw, image) in images.chunks_exact_mut(grey.len()).enumerate() {
            copies.write(&stream, draw as u32, image);
            for pixel in image {
                *pixel = pixel.clamp(0.0, 1.0);
            }
        }
        let mut scores = vec![f32::NAN; IMAGES * ours.num_classes()];
        ours.logits(&images, &mut scores)?;
        let answer = self.ask_about("classes", &images)?;
        let theirs = answer["classes"].as_array().filter(|classes| classes.len() == IMAGES);
        let theirs = theirs.with_context(|| format!("PyTorch answered {answer}"))?;
        let ours = scores.chunks_exact(ours.num_classes()).map(|row| argmax(row) as u64);
        let same = ours.zip(theirs).filter(|(ours, theirs)| theirs.as_u64() == Some(*ours)).count();
        Ok((same, IMAGES))
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

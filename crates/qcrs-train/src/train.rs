//! All of it, over the epochs.

use crate::card::{self, Data};
pub use crate::checkpoint::weights as read_weights;
use crate::checkpoint::{self, TrainingState};
use crate::curve::Course;
use crate::evaluate::{self, CorrectCount, Under};
use crate::images::{Images, Parts};
use crate::log::{self, Epoch};
use crate::network::Network;
use crate::random::{Purpose, Random};
use crate::recipe::{TrainingMethod, TrainingSettings};
use crate::sgd::Sgd;
use qcrs::files;
use qcrs::run::{Difference, differences};
use qcrs::types::Error;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tch::{Device, Tensor};

/// A training: what, on what, and where its files go.
pub struct Training<'a> {
    /// Everything the weights depend on, besides the images.
    pub settings: TrainingSettings,
    /// The training set.
    pub images: &'a Images,
    /// Holds `spec.json`, `checkpoint.safetensors`, `log.jsonl` and the curve; a training that is there already
    /// and has the same spec is continued.
    pub folder: PathBuf,
    /// Where to compute.
    pub device: Device,
    /// Weights to start from, instead of random ones.
    pub start: Option<BTreeMap<String, Tensor>>,
    /// How often to save within an epoch; the end of an epoch is always saved.
    pub save_every: Duration,
}

/// What happens during a training.
#[derive(Clone, Debug)]
pub enum Event {
    /// A training that was stopped after this step is resumed.
    Resumed {
        /// Steps behind us.
        step: usize,
        /// Steps in all.
        of: usize,
        /// Epochs behind us that the log does not tell of.
        missing: usize,
    },
    /// A step was made.
    Step {
        /// Steps behind us.
        step: usize,
        /// Steps in all.
        of: usize,
        /// The loss of this step.
        loss: f64,
    },
    /// An epoch has ended.
    Epoch(Epoch),
}

/// What a run of [`Training::run`] depends on; stands in its folder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainingSpec {
    /// The program and its version.
    pub program: String,
    /// The images.
    pub data: Data,
    /// The number of classes.
    pub classes: usize,
    /// The rest.
    pub settings: TrainingSettings,
}

/// The checkpoint's name in a training's folder.
pub const CHECKPOINT: &str = "checkpoint.safetensors";
/// The log's name in a training's folder.
pub const LOG: &str = "log.jsonl";
/// The spec's name in a training's folder.
pub const SPEC: &str = "spec.json";

impl Training<'_> {
    /// Trains to the end and gives the network; `watch` sees what happens and may stop it, which
    /// saves and gives [`Error::Interrupted`]. A loss or weight that is NaN or infinite is an error, and
    /// leaves the last checkpoint as it was.
    pub fn run(&self, watch: &mut dyn FnMut(&Event) -> ControlFlow<()>) -> Result<Network, Error> {
        let settings = &self.settings;
        settings.check(self.images.len())?;
        self.images.check_shape(settings.architecture.input())?;
        let parts = self.images.part(settings.held_out, settings.seed)?;
        let mut network =
            Network::new(settings.architecture, self.images.classes, settings.seed, self.device);
        if let Some(weights) = &self.start {
            network.set(weights)?;
        }
        let mut sgd = Sgd::new(&network, settings);
        let _ours = self.claim_folder()?;
        let steps = parts.training.len() / settings.batch;
        let of = steps * settings.epochs;
        let mut state = TrainingState::default();
        let resumed = self.checkpoint().exists();
        if resumed {
            state = checkpoint::load(&self.checkpoint(), &mut network, &mut sgd)?;
        }
        let missing = state.epoch.saturating_sub(log::cut(&self.folder.join(LOG), state.epoch)?);
        if resumed {
            let _ = watch(&Event::Resumed { step: state.epoch * steps + state.step, of, missing });
        }
        let mut loop_ = Loop { training: self, parts: &parts, steps, network: &network, sgd, state };
        while loop_.state.epoch < settings.epochs {
            loop_.epoch(watch)?;
        }
        Ok(network)
    }

    fn checkpoint(&self) -> PathBuf {
        self.folder.join(CHECKPOINT)
    }

    /// Writes the spec, or makes sure that the existing one is the same. No other process can claim the folder as
    /// long as the returned file is open.
    fn claim_folder(&self) -> Result<File, Error> {
        let spec = TrainingSpec {
            program: card::program(),
            data: Data::of(self.images),
            classes: self.images.classes,
            settings: self.settings.clone(),
        };
        let path = self.folder.join(SPEC);
        fs::create_dir_all(&self.folder).map_err(Error::io(&self.folder))?;
        let lock = File::open(&self.folder).map_err(Error::io(&self.folder))?;
        lock.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => Error::format(
                &self.folder,
                "another qcrs-train is training here; wait for it, or use another folder",
            ),
            TryLockError::Error(source) => Error::io(&self.folder)(source),
        })?;
        let broken = |error: serde_json::Error| Error::format(&path, error.to_string());
        let asked = serde_json::to_value(&spec).map_err(broken)?;
        match fs::read_to_string(&path) {
            Ok(text) => {
                let found: Value = serde_json::from_str(&text).map_err(broken)?;
                let differences = differences(&found, &asked)?;
                let Some(Difference { place, used, wanted }) = differences.first() else { return Ok(lock) };
                let problem = format!(
                    "the training here has {place} {used}, you asked for {wanted}; use another folder"
                );
                Err(Error::format(&path, problem))
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                let text = serde_json::to_string_pretty(&spec).map_err(broken)?;
                files::write(&path, (text + "\n").as_bytes()).map(|()| lock)
            }
            Err(error) => Err(Error::io(&path)(error)),
        }
    }
}

struct Loop<'a> {
    training: &'a Training<'a>,
    parts: &'a Parts,
    /// Per epoch; images that do not fill a batch wait for another epoch's order.
    steps: usize,
    network: &'a Network,
    sgd: Sgd,
    state: TrainingState,
}

impl Loop<'_> {
    fn epoch(&mut self, watch: &mut dyn FnMut(&Event) -> ControlFlow<()>) -> Result<(), Error> {
        let settings = &self.training.settings;
        let epoch = self.state.epoch;
        let order =
            Random::at(settings.seed, Purpose::Order, [epoch as u64, 0]).order(self.parts.training.len());
        let ids: Vec<usize> = order.into_iter().map(|at| self.parts.training[at]).collect();
        let before = self.state.seconds;
        let (begun, mut saved) = (Instant::now(), Instant::now());
        while self.state.step < self.steps {
            let step = self.state.step;
            let loss = self.step(&ids[step * settings.batch..][..settings.batch])?;
            self.state.seconds = before + begun.elapsed().as_secs_f64();
            let (step, of) = (epoch * self.steps + step + 1, self.steps * settings.epochs);
            let ended = watch(&Event::Step { step, of, loss }).is_break();
            if ended || saved.elapsed() > self.training.save_every {
                self.finite()?;
                self.save()?;
                saved = Instant::now();
            }
            if ended {
                self.draw()?;
                return Err(Error::Interrupted);
            }
        }
        self.finite()?;
        let line = self.line()?;
        log::append(&self.training.folder.join(LOG), &line)?;
        self.state = TrainingState { epoch: epoch + 1, ..TrainingState::default() };
        self.save()?;
        self.draw()?;
        let stop = watch(&Event::Epoch(line)).is_break() && self.state.epoch < settings.epochs;
        if stop { Err(Error::Interrupted) } else { Ok(()) }
    }

    fn step(&mut self, ids: &[usize]) -> Result<f64, Error> {
        let Training { settings, images, device, .. } = self.training;
        let TrainingState { epoch, step, .. } = self.state;
        let shape = settings.architecture.input();
        let batch = images.varied(ids, shape, *device, (settings.augment, settings.seed, epoch))?;
        let random = Random::at(settings.seed, Purpose::Noise, [epoch as u64, step as u64]);
        let made = settings.step(self.network, &batch, epoch, random);
        let loss = made.loss.double_value(&[]);
        if !loss.is_finite() {
            return Err(self.diverged(&format!("the loss became {loss}"), step + 1));
        }
        self.sgd.step(self.network, &made.loss, self.rate(step));
        self.state.step += 1;
        self.state.loss += loss;
        self.state.correct += made.correct;
        Ok(loss)
    }

    fn rate(&self, step: usize) -> f64 {
        let settings = &self.training.settings;
        let (epoch, all) = (self.state.epoch, self.steps * settings.epochs);
        settings.learning_rate * settings.schedule.factor(epoch * self.steps + step, all, epoch)
    }

    /// A weight that is NaN or infinite is not worth saving.
    fn finite(&self) -> Result<(), Error> {
        if self.network.is_finite() {
            return Ok(());
        }
        Err(self.diverged("a weight became NaN or infinite", self.state.step))
    }

    fn save(&self) -> Result<(), Error> {
        checkpoint::save(&self.training.checkpoint(), self.network, &self.sgd, &self.state)
    }

    /// Figures and page of what the log tells.
    fn draw(&self) -> Result<(), Error> {
        let Training { settings, images, folder, .. } = self.training;
        let epochs = log::read(&folder.join(LOG))?;
        Course { data: &Data::of(images), settings, epochs: &epochs }.write(folder)
    }

    fn diverged(&self, what: &str, step: usize) -> Error {
        let epoch = self.state.epoch + 1;
        let kept =
            if self.training.checkpoint().exists() { "; the last good checkpoint is kept" } else { "" };
        Error::format(
            self.training.folder.join(CHECKPOINT),
            format!(
                "{what} in epoch {epoch}, step {step}{kept}; try a smaller --learning-rate in another folder"
            ),
        )
    }

    fn line(&self) -> Result<Epoch, Error> {
        let Training { settings, images, .. } = self.training;
        let TrainingSettings { noise, sigma, seed, batch, .. } = *settings;
        let count =
            |sigma| evaluate::count(self.network, images, &self.parts.held_out, Under { noise, sigma, seed });
        let seen = self.steps * batch;
        let copies = if let TrainingMethod::Macer(macer) = settings.method { macer.k } else { 1 };
        Ok(Epoch {
            epoch: self.state.epoch + 1,
            learning_rate: self.rate(self.steps - 1),
            loss: self.state.loss / self.steps as f64,
            training: CorrectCount { correct: self.state.correct.cast_unsigned(), of: seen as u64 },
            held_out_noisy: count(sigma)?,
            held_out_clean: count(0.0)?,
            seconds: self.state.seconds,
            images_per_second: (seen * copies) as f64 / self.state.seconds,
        })
    }
}

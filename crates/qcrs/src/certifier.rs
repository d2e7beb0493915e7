//! Everything needed to certify, in one object that a program can own.

mod pool;

use crate::certify::{Budget, FailSafe, Guarantee, Outcome, Reason, Rounding, Verdict, certify};
use crate::method::{AnyMethod, Method, PlanCertificate};
use crate::noise::{Draws, Lattice, NoiseKind, Phase, Seed};
use crate::predict::{MajorityPrediction, Prediction, predict, predict_majority};
use crate::sample::{
    Classifier, Input, MonteCarlo, SampleUnderNoise, Scores, Smoothed, Voter, Votes, Watched,
    is_function_of_one_image,
};
use crate::settings::Settings;
use crate::types::{Error, Sigma};
use pool::Threads;
use serde::Serialize;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

/// The default number of copies that a classifier scores at a time.
const BATCH: u32 = 256;
/// Progress is reported after about this many batches of each thread.
const BATCHES_PER_REPORT: u32 = 4;
/// How far scores may move with the batch, as a share of the gap between classes. Beyond that, they are not a
/// function of one image.
const TOLERANCE: f64 = 1e-3;

/// Certifies inputs with one or more classifiers, a method and a budget.
///
/// It owns what it needs, so a service can keep it. A clone is cheap: it shares classifiers and threads, and
/// can have its own progress report and cancellation, as a request needs.
///
/// ```
/// use qcrs::{Budget, Certifier, Method, Seed, Sigma, sample::from_fn};
///
/// let classifier = from_fn(2, 2, |batch: &[f32], out: &mut [f32]| {
///     out.copy_from_slice(batch); // the brighter of two pixels wins
///     Ok(())
/// });
/// let certifier = Certifier::new(classifier, Method::cohen(Sigma::new(0.25)?));
/// let certificate = certifier.certify(&[0.2, 0.8], Seed::secret()?)?;
/// println!("{certificate}"); // class 1 within 0.4…
/// assert_eq!(certificate.class(), Some(1));
/// # Ok::<(), qcrs::Error>(())
/// ```
#[derive(Clone)]
pub struct Certifier {
    models: Vec<OwnedVoter>,
    method: Chosen,
    budget: Budget,
    noise: NoiseKind,
    batch: u32,
    pool: Arc<Threads>,
    stop: Arc<AtomicBool>,
    progress: Option<Report>,
    /// Whether each score of each classifier was a function of one image to the last bit, once measured.
    checked: Arc<OnceLock<bool>>,
}

/// What hears of progress.
type Report = Arc<dyn Fn(&Progress<'_>) + Send + Sync>;

/// One of the classifiers, and how its scores become votes.
#[derive(Clone)]
struct OwnedVoter {
    classifier: Arc<dyn Classifier + Send + Sync>,
    scores: Scores,
    told: Option<Sigma>,
    confidence: Option<f64>,
}

/// A method of this library, or one of the caller's own.
#[derive(Clone)]
enum Chosen {
    Ours(Arc<Method>),
    Own(Arc<dyn PlanCertificate>),
}

/// How far the work on a certificate has come.
#[derive(Clone, Debug)]
pub struct Progress<'a> {
    /// What the draws are for.
    pub phase: Phase,
    /// The smoothed classifier that votes.
    pub smoothed: Smoothed,
    /// Its votes so far in this look or certificate.
    pub votes: &'a Votes,
    /// Forward passes so far.
    pub passes: u64,
    /// The most passes that this input may take, if the method says.
    pub most: Option<u64>,
}

/// What is certified about one input, with the evidence.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Certificate {
    /// The verdict and all votes behind it.
    pub outcome: Outcome,
    /// What it promises.
    pub guarantee: Guarantee,
    /// Whether that holds for what a computer computes.
    pub rounding: Rounding,
}

impl Certificate {
    /// The class that holds within [`Self::radius`]; `None` where nothing is claimed.
    pub fn class(&self) -> Option<usize> {
        match self.outcome.verdict {
            Verdict::Certified { class, .. } => Some(class),
            Verdict::Abstain(_) => None,
        }
    }

    /// The l2 radius, rounded down; `None` where nothing is claimed.
    pub fn radius(&self) -> Option<f64> {
        match self.outcome.verdict {
            Verdict::Certified { radius, .. } => Some(radius),
            Verdict::Abstain(_) => None,
        }
    }

    /// Within which radius the majority predictor answers the class or abstains, where the votes show one.
    pub fn fail_safe(&self) -> Option<FailSafe> {
        self.outcome.fail_safe
    }

    /// Why nothing is claimed.
    pub fn reason(&self) -> Option<Reason> {
        match self.outcome.verdict {
            Verdict::Certified { .. } => None,
            Verdict::Abstain(reason) => Some(reason),
        }
    }
}

impl fmt::Display for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.outcome.verdict {
            // never shortened: a longer radius than was proved would be wrong
            Verdict::Certified { class, radius, .. } => write!(f, "class {class} within {radius}"),
            Verdict::Abstain(reason) => write!(f, "abstains: {reason}"),
        }
    }
}

impl Certifier {
    /// Certifies with `method` and the usual budget: 100 draws name the class, 100,000 certify it, and a
    /// certificate may be wrong with probability 0.001.
    pub fn new(classifier: impl Classifier + Send + 'static, method: Method) -> Self {
        Self::with(classifier, Chosen::Ours(Arc::new(method)))
    }

    /// The same with a method of your own. Its certificates are labelled [`Guarantee::FrozenSigma`], because
    /// the library cannot tell whether it gives every input the same σ.
    pub fn planned_by(
        classifier: impl Classifier + Send + 'static,
        method: impl PlanCertificate + 'static,
    ) -> Self {
        Self::with(classifier, Chosen::Own(Arc::new(method)))
    }

    /// Method and budget by the names of their settings, as the command line, files and Python give them.
    pub fn from_settings(
        classifier: impl Classifier + Send + 'static,
        settings: &Settings,
    ) -> Result<Self, Error> {
        let method = settings.method(Some(classifier.input_len()))?;
        if settings.passes()?.is_some() {
            let problem =
                "is judged by several inputs of a run, and a certifier has none yet; give lambda instead";
            return Err(Error::setting("passes", problem));
        }
        let noise = settings.noise()?.on(Lattice::Bytes);
        Ok(Self::new(classifier, method).budget(settings.budget()?).under(noise))
    }

    fn with(classifier: impl Classifier + Send + 'static, method: Chosen) -> Self {
        let classifier = Arc::new(classifier);
        let usual = NoiseKind::default();
        let noise = match &method {
            Chosen::Ours(method) => method.facts().noise(usual),
            Chosen::Own(_) => usual,
        };
        Self {
            models: vec![OwnedVoter { classifier, scores: Scores::default(), told: None, confidence: None }],
            method,
            budget: Budget::default(),
            noise,
            batch: BATCH,
            pool: Arc::default(),
            stop: Arc::default(),
            progress: None,
            checked: Arc::default(),
        }
    }

    /// Sets the numbers of draws and the failure probability.
    #[must_use]
    pub fn budget(self, budget: Budget) -> Self {
        Self { budget, ..self }
    }

    /// Says how Gaussian noise is drawn. The default is the lattice of 8-bit images, whose pixels are k/255;
    /// inputs must lie on the lattice. Methods with a law of their own draw it in floats.
    #[must_use]
    pub fn under(self, noise: NoiseKind) -> Self {
        Self { noise, ..self }
    }

    /// Adds a classifier, which methods refer to by its number; it must have the same inputs and classes.
    #[must_use]
    pub fn and(mut self, classifier: impl Classifier + Send + 'static) -> Self {
        let classifier = Arc::new(classifier);
        self.models.push(OwnedVoter { classifier, scores: Scores::default(), told: None, confidence: None });
        Self { checked: Arc::default(), ..self }
    }

    /// Says what the scores of the classifier added last mean; the default is logits.
    #[must_use]
    pub fn scored_in(self, scores: Scores) -> Self {
        self.last(|model| model.scores = scores)
    }

    /// Says which σ the classifier added last was told: each σ is asked of the classifier that was told the
    /// nearest.
    #[must_use]
    pub fn told(self, sigma: Sigma) -> Self {
        self.last(|model| model.told = Some(sigma))
    }

    /// Lets copies vote only where the classifier added last gives their class at least this probability;
    /// other copies are rejected.
    #[must_use]
    pub fn confident(self, least: f64) -> Self {
        self.last(|model| model.confidence = Some(least))
    }

    fn last(mut self, change: impl FnOnce(&mut OwnedVoter)) -> Self {
        if let Some(model) = self.models.last_mut() {
            change(model);
        }
        self
    }

    /// Sets the number of noisy copies per call of a classifier, at least one.
    #[must_use]
    pub fn batch(self, batch: u32) -> Self {
        Self { batch: batch.max(1), checked: Arc::default(), ..self }
    }

    /// Sets the number of its threads, at least one; the default is one per core of the machine.
    #[must_use]
    pub fn threads(self, threads: usize) -> Self {
        Self { pool: Arc::new(Threads::of(threads)), ..self }
    }

    /// Calls `report` for every look, and piece by piece for long ones, on the thread that certifies.
    #[must_use]
    pub fn on_progress(self, report: impl Fn(&Progress<'_>) + Send + Sync + 'static) -> Self {
        Self { progress: Some(Arc::new(report)), ..self }
    }

    /// Stops with [`Error::Interrupted`] after the current batch, once `stop` is true.
    #[must_use]
    pub fn until(self, stop: Arc<AtomicBool>) -> Self {
        Self { stop, ..self }
    }

    /// What its certificates promise.
    pub fn guarantee(&self) -> Guarantee {
        match &self.method {
            Chosen::Ours(method) => Guarantee::of(method, None),
            Chosen::Own(_) => Guarantee::FrozenSigma,
        }
    }

    /// The most forward passes that one input may take, if the method says.
    pub fn most_passes(&self) -> Option<u64> {
        self.ours().map(|method| method.passes(self.budget.n0(), self.budget.n()))
    }

    /// Certifies one input.
    pub fn certify(&self, pixels: &[f32], seed: Seed) -> Result<Certificate, Error> {
        self.certify_input(&Input { pixels, seed: seed.get(), index: 0 })
    }

    /// The same for an input of a dataset, whose number gives it its own noise.
    pub fn certify_input(&self, input: &Input<'_>) -> Result<Certificate, Error> {
        if let Some(method) = self.ours() {
            self.budget.suits(method, None)?;
        }
        let method: &dyn PlanCertificate = match &self.method {
            Chosen::Ours(method) => &**method,
            Chosen::Own(method) => &**method,
        };
        let outcome = self.ask(input, |sampler| certify(method, &self.budget, sampler, input))?;
        let laws = outcome.estimates.iter().map(|estimate| estimate.smoothed.noise);
        let rounding = Rounding::of_laws(laws, self.checked.get() == Some(&true));
        Ok(Certificate { outcome, guarantee: self.guarantee(), rounding })
    }

    /// The answer of the smoothed classifier, without a radius. The method must have one σ for all inputs:
    /// otherwise the answers to different inputs would come from different classifiers.
    pub fn predict(&self, pixels: &[f32], seed: Seed) -> Result<Prediction, Error> {
        let (sigma, input) = (self.one_sigma()?, Input { pixels, seed: seed.get(), index: 0 });
        let (n, alpha) = (self.budget.n(), self.budget.alpha());
        self.ask(&input, |sampler| predict(sampler, &input, sigma, n, alpha))
    }

    /// The class that more than half of all noisy copies vote for, as [`predict_majority`] shows it, if there
    /// is one: the predictor that fail-safe radii are about. The method must have one σ for all inputs.
    pub fn predict_majority(&self, pixels: &[f32], seed: Seed) -> Result<MajorityPrediction, Error> {
        let (sigma, input) = (self.one_sigma()?, Input { pixels, seed: seed.get(), index: 0 });
        let (n, alpha) = (self.budget.n(), self.budget.alpha());
        self.ask(&input, |sampler| predict_majority(sampler, &input, sigma, n, alpha))
    }

    /// The σ of a method that has one for all inputs.
    fn one_sigma(&self) -> Result<Sigma, Error> {
        let facts = self.ours().map(AnyMethod::facts);
        let facts = facts.filter(|facts| facts.has_one_sigma && facts.other_law.is_none());
        let problem = "prediction needs one sigma of Gaussian noise for all inputs; use the method cohen";
        facts.map(|facts| facts.sigma).ok_or_else(|| Error::Invalid(problem.into()))
    }

    fn ours(&self) -> Option<&AnyMethod> {
        match &self.method {
            Chosen::Ours(method) => Some(method),
            Chosen::Own(_) => None,
        }
    }

    /// Runs `work` with a sampler on its own threads.
    fn ask<T>(
        &self,
        input: &Input<'_>,
        work: impl FnOnce(&dyn SampleUnderNoise) -> Result<T, Error>,
    ) -> Result<T, Error> {
        check_pixels(input.pixels)?;
        let voters = self.models.iter().map(|model| Voter {
            classifier: &*model.classifier,
            scores: model.scores,
            told: model.told,
            confidence: model.confidence,
        });
        let threads = self.pool.threads()?;
        let sampler = MonteCarlo::among(voters.collect(), self.batch)?
            .under(self.noise)
            .on(Arc::clone(&threads))
            .until(Arc::clone(&self.stop));
        self.check_models(input.pixels)?;
        let Some(report) = &self.progress else { return work(&sampler) };
        let (passes, most) = (AtomicU64::new(0), self.most_passes());
        let on = |smoothed, draws: &Draws, votes: &Votes| {
            let more = draws.range.len() as u64;
            let passes = passes.fetch_add(more, Relaxed) + more;
            report(&Progress { phase: draws.stream.phase, smoothed, votes, passes, most });
        };
        let piece = self
            .batch
            .saturating_mul(BATCHES_PER_REPORT)
            .saturating_mul(threads.current_num_threads() as u32);
        work(&Watched { inner: &sampler, piece, on: &on })
    }

    /// Measures once that each classifier is a function of one image; a certificate for any other would mean
    /// nothing.
    fn check_models(&self, pixels: &[f32]) -> Result<(), Error> {
        if self.checked.get().is_some() {
            return Ok(());
        }
        let mut is_exact = true;
        for model in &self.models {
            is_exact &= is_function_of_one_image(&*model.classifier, pixels, self.batch, TOLERANCE)?;
        }
        let _ = self.checked.set(is_exact);
        Ok(())
    }
}

/// Pixels lie in [0, 1]: σ and radius are in that unit.
fn check_pixels(pixels: &[f32]) -> Result<(), Error> {
    match pixels.iter().position(|value| !(0.0..=1.0).contains(value)) {
        None => Ok(()),
        Some(at) => Err(Error::Invalid(format!(
            "value {at} of the input is {}; give pixels in [0, 1], and let the classifier normalise them after the \
             noise",
            pixels[at]
        ))),
    }
}

#[cfg(test)]
mod tests;

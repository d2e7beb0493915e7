//! `qcrs doctor`: which scale, which layout, where is the normalisation, and how much noise?

mod text;
mod words;

use crate::args::{ModelArgs, NoiseArgs, TargetArgs, count};
use crate::output::{self, Format, say};
use crate::setup::Setup;
use qcrs::analysis::{AnsweredInput, Answers, SigmaLevels};
use qcrs::data::Example;
use qcrs::doctor::{self, Findings, MethodCost, NoiseLevel, Patient, Reading, Tolerance, spread};
use qcrs::method::Qcrs;
use qcrs::types::{Error, Sigma};
use qcrs_terminal::settings::ModelSettings;
use rayon::prelude::*;
use serde::Serialize;
use std::time::Instant;

/// What was typed after `qcrs doctor`.
#[derive(clap::Args)]
pub struct DoctorArgs {
    #[command(flatten)]
    target: TargetArgs,
    /// The noise the model was trained with, if known; several others are tried in any case
    #[arg(long)]
    sigma: Option<f64>,
    /// How many images to try
    #[arg(long, default_value_t = 200, value_parser = count(1..))]
    images: u32,
    /// Estimate the time of runs with this n
    #[arg(long, alias = "N", default_value_t = 100_000, value_parser = count(1..))]
    n: u32,
    #[command(flatten)]
    noise: NoiseArgs,
    /// The format of the output
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

/// What was measured, as it is shown.
#[derive(Serialize)]
struct Shown {
    engine: String,
    shape: [usize; 3],
    classes: usize,
    inputs: u32,
    /// The inputs that are selected, which runs would certify.
    selected: usize,
    pixel_range: [f32; 2],
    images_tried: usize,
    labelled: bool,
    /// The noise that was declared, or with which the ways of handing over pixels were tried.
    sigma: f64,
    readings: Vec<ReadingLine>,
    diagnosis: String,
    images_per_second: f64,
    /// For each method, of one input and of all.
    seconds: Vec<Seconds>,
    batch_invariant: bool,
    /// Accuracy, or agreement with the answer without noise, at each noise level; empty where the pixels are
    /// wrong.
    noise: Vec<LevelLine>,
    /// The largest σ that keeps it.
    keeps: Option<f64>,
    /// What to do about the noise; absent where the pixels are wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<String>,
    /// What the network answers at the σ of the search region that were tried; absent where the pixels are wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    answers: Option<Answers>,
}

/// The share of images that are right at one noise level, or are answered as without noise.
#[derive(Serialize)]
struct LevelLine {
    sigma: f64,
    share: f64,
}

/// How long a method would take.
#[derive(Serialize)]
struct Seconds {
    method: &'static str,
    passes: u64,
    per_input: f64,
    for_all: f64,
    /// Whether it may take less.
    at_most: bool,
    deployable: bool,
}

/// Accuracy when the pixels are handed over in one particular way.
#[derive(Serialize)]
struct ReadingLine {
    way: String,
    declared: bool,
    clean_accuracy: f64,
    noisy_accuracy: f64,
}

/// Measures and explains.
pub fn run(args: &DoctorArgs) -> anyhow::Result<()> {
    let sigma = args.sigma.map(Sigma::new).transpose()?;
    // every way is tried on the model itself, without the declared transform
    let bare = ModelArgs { normalize: None, bgr: false, ..args.target.model.clone() };
    let setup = Setup::open(&bare, &args.target.data, args.noise.noise)?;
    for note in &setup.model.notes {
        say!("{note}");
    }
    let shown = setup.pool.install(|| measure(args, &setup, sigma))?;
    if args.format == Format::Json {
        return output::print_json(&shown);
    }
    output::print(&text::text(args, &shown))
}

fn measure(args: &DoctorArgs, setup: &Setup, given: Option<Sigma>) -> anyhow::Result<Shown> {
    let inputs = setup.len()?;
    let selected = setup.ids(&args.target.selection)?;
    let ids = spread(&selected, args.images as usize);
    let examples =
        ids.into_iter().map(|id| Ok((id, setup.example(id)?))).collect::<Result<Vec<_>, Error>>()?;
    let (classifier, shape) = (&*setup.model.classifier, setup.data.dataset.shape());
    let declared = ModelSettings::from(&args.target.model).transform(shape[0])?;
    let noise = setup.noise;
    let patient = Patient { classifier, declared: declared.as_ref(), shape, sigma: given, noise };
    let Findings { readings, diagnosis, tolerance, pixel_range, images } = patient.examine(&examples)?;
    let sigma = patient.noise_of_readings()?;
    // what a run would use
    let meant = given.or(tolerance.as_ref().and_then(|tolerance| tolerance.keeps));
    let answers =
        tolerance.as_ref().map(|tolerance| answers(tolerance, &examples, meant, setup)).transpose()?;
    let images_per_second = speed(setup, &examples[0].1.pixels)?;
    let line = |(at, Reading { way, clean_accuracy, noisy_accuracy })| ReadingLine {
        way: words::way(way),
        declared: at == 0,
        clean_accuracy,
        noisy_accuracy,
    };
    let levels = tolerance.iter().flat_map(|tolerance| &tolerance.levels);
    Ok(Shown {
        engine: setup.model.engine.clone(),
        shape,
        classes: classifier.num_classes(),
        inputs,
        selected: selected.len(),
        pixel_range,
        images_tried: images,
        labelled: !readings.is_empty(),
        sigma: sigma.get(),
        diagnosis: words::diagnosis(diagnosis.as_ref(), declared.is_some()),
        readings: readings.into_iter().enumerate().map(line).collect(),
        images_per_second,
        seconds: doctor::costs(meant.unwrap_or(sigma), args.n, classifier.input_len())?
            .into_iter()
            .map(|cost| seconds(cost, images_per_second, selected.len()))
            .collect(),
        batch_invariant: setup.model.batch_invariant,
        noise: levels.map(level_line).collect(),
        keeps: tolerance.as_ref().and_then(|tolerance| tolerance.keeps).map(Sigma::get),
        advice: tolerance.as_ref().map(|tolerance| words::noise(tolerance, given)),
        answers,
    })
}

fn level_line(level: &NoiseLevel) -> LevelLine {
    LevelLine { sigma: level.sigma.map_or(0.0, Sigma::get), share: level.share }
}

fn seconds(cost: MethodCost, images_per_second: f64, inputs: usize) -> Seconds {
    let MethodCost { method, passes, deployable, searches } = cost;
    let per_input = passes as f64 / images_per_second;
    Seconds { method, passes, per_input, for_all: per_input * inputs as f64, at_most: searches, deployable }
}

/// What the network answers to these images at those σ that a search around `meant` may choose, or at all.
fn answers(
    tolerance: &Tolerance,
    examples: &[(u32, Example)],
    meant: Option<Sigma>,
    setup: &Setup,
) -> Result<Answers, Error> {
    let region = meant.map(Qcrs::scaled_to).transpose()?.map(|Qcrs { low, high, .. }| low..=high);
    let inside = |sigma: &Sigma| region.as_ref().is_none_or(|region| region.contains(sigma));
    let levels =
        tolerance.levels.iter().filter_map(|level| Some((level.sigma.filter(inside)?, &level.answers)));
    let levels: Vec<(Sigma, &Vec<Option<usize>>)> = levels.collect();
    let input = |(at, (_, example)): (usize, &(u32, Example))| {
        let seen = levels.iter().map(|(sigma, answers)| (sigma.get(), answers[at]));
        AnsweredInput::new(example.label, seen)
    };
    let inputs: Vec<AnsweredInput> = examples.iter().enumerate().map(input).collect();
    let each = SigmaLevels::each(levels.iter().map(|(sigma, _)| sigma.get()));
    let classes = setup.model.classifier.num_classes();
    Ok(Answers::new(&inputs, &each, classes, &|class| setup.class_name(class)))
}

/// Images per second on all threads, over at least a second.
fn speed(setup: &Setup, image: &[f32]) -> Result<f64, Error> {
    let classifier = &*setup.model.classifier;
    let (classes, batch) = (classifier.num_classes(), setup.settings.options.batch as usize);
    let images = image.repeat(batch);
    let begin = Instant::now();
    let mut done = 0;
    while begin.elapsed().as_secs_f64() < 1.0 {
        (0..4 * setup.settings.options.threads)
            .into_par_iter()
            .try_for_each(|_| classifier.logits(&images, &mut vec![0.0; batch * classes]))?;
        done += 4 * setup.settings.options.threads * batch;
    }
    Ok(done as f64 / begin.elapsed().as_secs_f64())
}

//! `qcrs doctor`: which scale, which layout, where is the normalisation?

mod words;

use crate::args::{ModelArgs, NoiseArgs, TargetArgs};
use crate::output::{self, Format, say};
use crate::setup::Setup;
use qcrs::analysis::{AnsweredInput, Answers, SigmaLevels};
use qcrs::data::Example;
use qcrs::doctor::{self, Findings, Patient, Reading, Way, spread};
use qcrs::report;
use qcrs::types::{Error, Sigma};
use qcrs_terminal::settings::ModelSettings;
use rayon::prelude::*;
use serde::Serialize;
use std::fmt::Write;
use std::time::Instant;

/// What was typed after `qcrs doctor`.
#[derive(clap::Args)]
pub struct DoctorArgs {
    #[command(flatten)]
    target: TargetArgs,
    /// The noise the model was trained with, if known
    #[arg(long, default_value_t = 0.25)]
    sigma: f64,
    /// How many images to try
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..))]
    images: u32,
    /// Estimate the time of runs with this n
    #[arg(long, alias = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1..))]
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
    pixel_range: [f32; 2],
    images_tried: usize,
    sigma: f64,
    readings: Vec<ReadingLine>,
    diagnosis: String,
    images_per_second: f64,
    /// For each method, of one input and of all.
    seconds: [Seconds; 2],
    batch_invariant: bool,
    /// What the network answers at four σ of the search region; absent where the pixels are wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    answers: Option<Answers>,
}

/// How long a method would take.
#[derive(Serialize)]
struct Seconds {
    method: &'static str,
    per_input: f64,
    for_all: f64,
}

/// Accuracy when the pixels are handed over in one particular way.
#[derive(Serialize)]
struct ReadingLine {
    way: &'static str,
    declared: bool,
    clean_accuracy: f64,
    noisy_accuracy: f64,
}

/// Measures and explains.
pub fn run(args: &DoctorArgs) -> anyhow::Result<()> {
    let sigma = Sigma::new(args.sigma)?;
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
    output::print(&text(args, &shown))
}

fn measure(args: &DoctorArgs, setup: &Setup, sigma: Sigma) -> anyhow::Result<Shown> {
    let inputs = setup.len()?;
    let selected = setup.ids(&args.target.selection)?;
    let ids = spread(&selected, args.images as usize);
    let examples =
        ids.into_iter().map(|id| Ok((id, setup.example(id)?))).collect::<Result<Vec<_>, Error>>()?;
    let (classifier, shape) = (&*setup.model.classifier, setup.data.dataset.shape());
    let declared = ModelSettings::from(&args.target.model).transform(shape[0])?;
    let noise = setup.noise;
    let patient = Patient { classifier, declared: declared.as_ref(), shape, sigma, noise };
    let Findings { readings, diagnosis, pixel_range, images } = patient.examine(&examples)?;
    let answers = diagnosis.pixels_are_right().then(|| answers(&patient, &examples, readings[0].way, setup));
    let images_per_second = speed(setup, &examples[0].1.pixels)?;
    let seconds = doctor::forecast(sigma, args.n)?.map(|(method, passes)| {
        let per_input = passes as f64 / images_per_second;
        Seconds { method, per_input, for_all: per_input * selected.len() as f64 }
    });
    let line = |(at, Reading { way, clean_accuracy, noisy_accuracy })| ReadingLine {
        way: words::way(way),
        declared: at == 0,
        clean_accuracy,
        noisy_accuracy,
    };
    Ok(Shown {
        engine: setup.model.engine.clone(),
        shape,
        classes: classifier.num_classes(),
        inputs,
        pixel_range,
        images_tried: images,
        sigma: sigma.get(),
        diagnosis: words::diagnosis(diagnosis, declared.is_some()),
        readings: readings.into_iter().enumerate().map(line).collect(),
        images_per_second,
        seconds,
        batch_invariant: setup.model.batch_invariant,
        answers: answers.transpose()?,
    })
}

/// What the network answers to these images in the search region.
fn answers(
    patient: &Patient,
    examples: &[(u32, Example)],
    way: Way,
    setup: &Setup,
) -> Result<Answers, Error> {
    let sigmas = doctor::region(patient.sigma)?;
    let seen = patient.answers(examples, way, &sigmas)?;
    let input = |(at, (_, example)): (usize, &(u32, Example))| {
        let classes = seen.iter().map(|level| level[at]);
        AnsweredInput::new(example.label, sigmas.iter().map(|sigma| sigma.get()).zip(classes))
    };
    let inputs: Vec<AnsweredInput> = examples.iter().enumerate().map(input).collect();
    let levels = SigmaLevels::each(sigmas.map(Sigma::get));
    let classes = patient.classifier.num_classes();
    Ok(Answers::new(&inputs, &levels, classes, &|class| setup.class_name(class)))
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

fn text(args: &DoctorArgs, findings: &Shown) -> String {
    let Shown { engine, shape: [c, h, w], classes, inputs, pixel_range: [low, high], sigma, .. } = findings;
    let mut text = format!(
        "model      {}: {classes} classes, {engine}\n\
         data       {}: {inputs} images of {c}x{h}x{w}, pixels {low} to {high}\n\n\
         {:<34} {:>8} {:>8}\n",
        args.target.model.model.display(),
        args.target.data.data.display(),
        format!("accuracy on {} images", findings.images_tried),
        "no noise",
        format!("σ = {sigma}")
    );
    for reading in &findings.readings {
        let mark = if reading.declared { "(as declared)" } else { "" };
        let (clean, noisy) = (100.0 * reading.clean_accuracy, 100.0 * reading.noisy_accuracy);
        let _ = writeln!(text, "{:<34} {clean:>6.1} % {noisy:>6.1} %  {mark}", reading.way);
    }
    let times = findings.seconds.each_ref().map(|Seconds { method, per_input, for_all }| {
        format!("{method} takes about {} per input, {} for all", duration(*per_input), duration(*for_all))
    });
    let _ = write!(
        text,
        "\ndiagnosis  {}\nspeed      {:.0} images/s; with n = {} {}\n",
        findings.diagnosis,
        findings.images_per_second,
        args.n,
        times.join("; ")
    );
    if let Some(answers) = &findings.answers {
        let _ = write!(text, "\n{}\n", report::by_sigma(answers));
    }
    if !findings.batch_invariant {
        text.push_str("note       scores depend on the batch size; it becomes part of a run's spec\n");
    }
    text
}

fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 120.0 => format!("{s:.1} s"),
        s if s < 7200.0 => format!("{:.0} min", s / 60.0),
        s if s < 172_800.0 => format!("{:.1} h", s / 3600.0),
        s => format!("{:.1} days", s / 86_400.0),
    }
}

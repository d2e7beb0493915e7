//! `qcrs doctor`: which scale, which layout, where is the normalisation?

mod variants;

use crate::args::TargetArgs;
use crate::output::{self, Format, say};
use crate::setup::Setup;
use anyhow::bail;
use qcrs::method::{AnyMethod, Cohen, Qcrs};
use qcrs::noise::{Noise, Phase, Stream};
use qcrs::sample::Classifier;
use qcrs::types::{Error, Sigma};
use rayon::prelude::*;
use serde::Serialize;
use std::fmt::Write;
use std::time::Instant;
use variants::Variant;

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
    /// Predict the time of runs of this n
    #[arg(long, alias = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1..))]
    n: u32,
    /// How to write it
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

/// The draws that name the class, as `qcrs certify` has them.
const N0: u32 = 100;

/// What was measured.
#[derive(Serialize)]
struct Findings {
    engine: String,
    shape: [usize; 3],
    classes: usize,
    inputs: u32,
    pixel_range: [f32; 2],
    images_tried: usize,
    sigma: f64,
    readings: Vec<Reading>,
    diagnosis: String,
    images_per_second: f64,
    /// By method, of one input and of all.
    seconds: [Seconds; 2],
    batch_invariant: bool,
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
struct Reading {
    way: &'static str,
    #[serde(skip)]
    advice: String,
    declared: bool,
    clean_accuracy: f64,
    noisy_accuracy: f64,
}

/// Measures and explains.
pub fn run(args: &DoctorArgs) -> anyhow::Result<()> {
    let sigma = Sigma::new(args.sigma)?;
    let setup = Setup::open(&args.target.model, &args.target.data)?;
    for note in &setup.model.notes {
        say!("{note}");
    }
    let findings = setup.pool.install(|| measure(args, &setup, sigma))?;
    if args.format == Format::Json {
        return output::print_json(&findings);
    }
    output::print(&text(args, &findings))
}

fn measure(args: &DoctorArgs, setup: &Setup, sigma: Sigma) -> anyhow::Result<Findings> {
    let inputs = setup.len()?;
    let selected = setup.ids(&args.target.selection)?;
    // spread over the selection: folders and files are often sorted by class
    let step = (selected.len() / args.images as usize).max(1);
    let ids = selected.iter().step_by(step).take(args.images as usize);
    let examples = ids.map(|&id| Ok((id, setup.example(id)?))).collect::<Result<Vec<_>, Error>>()?;
    let labels: Option<Vec<usize>> = examples.iter().map(|(_, example)| example.label).collect();
    let Some(labels) = labels else {
        bail!(
            "the data has no labels, so nothing can be said about accuracy; give --labels, or class folders"
        );
    };
    let clean: Vec<f32> = examples.iter().flat_map(|(_, example)| example.pixels.clone()).collect();
    let mut noisy = clean.clone();
    let len = setup.model.classifier.input_len();
    for ((id, example), out) in examples.iter().zip(noisy.chunks_mut(len)) {
        let stream = Stream { seed: 0, input: *id, phase: Phase::Tune };
        Noise::Gaussian(sigma).add(&stream, 0, &example.pixels, out);
    }
    let readings = readings(setup, &clean, &noisy, &labels)?;
    let images_per_second = speed(setup, &noisy)?;
    let seconds = |method, search: AnyMethod| {
        let per_input = search.passes(N0, args.n) as f64 / images_per_second;
        Seconds { method, per_input, for_all: per_input * selected.len() as f64 }
    };
    let extremes =
        clean.iter().fold([f32::INFINITY, f32::NEG_INFINITY], |[low, high], &p| [low.min(p), high.max(p)]);
    Ok(Findings {
        engine: setup.model.engine.clone(),
        shape: setup.data.dataset.shape(),
        classes: setup.model.classifier.num_classes(),
        inputs,
        pixel_range: extremes,
        images_tried: labels.len(),
        sigma: sigma.get(),
        diagnosis: diagnose(&readings, labels.len(), setup.model.classifier.num_classes()),
        readings,
        images_per_second,
        seconds: [
            seconds("cohen", AnyMethod::Cohen(Cohen { sigma })),
            seconds("qcrs", AnyMethod::Qcrs(Qcrs::scaled_to(sigma)?)),
        ],
        batch_invariant: setup.model.batch_invariant,
    })
}

/// The accuracy of every way to hand over the pixels.
fn readings(setup: &Setup, clean: &[f32], noisy: &[f32], labels: &[usize]) -> anyhow::Result<Vec<Reading>> {
    let shape = setup.data.dataset.shape();
    let mut readings = Vec::new();
    for variant in Variant::all(setup.transform.as_ref(), shape[0])? {
        let accuracy =
            |pixels: &[f32]| accuracy(&*setup.model.classifier, &variant.apply(pixels, shape), labels);
        readings.push(Reading {
            way: variant.way,
            advice: variant.advice.clone(),
            declared: readings.is_empty(),
            clean_accuracy: accuracy(clean)?,
            noisy_accuracy: accuracy(noisy)?,
        });
    }
    Ok(readings)
}

/// The share of images whose label scores highest; scores that are not finite are wrong.
fn accuracy(classifier: &dyn Classifier, pixels: &[f32], labels: &[usize]) -> Result<f64, Error> {
    let (len, classes) = (classifier.input_len(), classifier.num_classes());
    let right = pixels.par_chunks(16 * len).zip(labels.par_chunks(16)).map(|(batch, labels)| {
        let mut scores = vec![f32::NAN; labels.len() * classes];
        classifier.logits(batch, &mut scores)?;
        let wins = |(row, &label): (&[f32], &usize)| {
            row.iter().enumerate().all(|(class, &score)| score < row[label] || class == label)
                && row[label].is_finite()
        };
        Ok(scores.chunks(classes).zip(labels).filter(|&pair| wins(pair)).count())
    });
    let right: usize = right.try_reduce(|| 0, |a, b| Ok::<_, Error>(a + b))?;
    Ok(right as f64 / labels.len() as f64)
}

/// Images per second on all threads, over at least a second.
fn speed(setup: &Setup, pixels: &[f32]) -> Result<f64, Error> {
    let classifier = &*setup.model.classifier;
    let (len, classes, batch) =
        (classifier.input_len(), classifier.num_classes(), setup.settings.options.batch as usize);
    let images: Vec<f32> = pixels.iter().copied().cycle().take(batch * len).collect();
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

/// Says which way is right. A lead counts when it is larger than three standard errors.
fn diagnose(readings: &[Reading], images: usize, classes: usize) -> String {
    let score = |reading: &Reading| reading.clean_accuracy.max(reading.noisy_accuracy);
    let declared = &readings[0];
    let error = 3.0 * (0.25 / images as f64).sqrt();
    // of those that are about as good the first, which is the simplest
    let top = readings.iter().map(score).fold(0.0, f64::max);
    let best = readings.iter().find(|reading| score(reading) + error / 3.0 >= top).unwrap_or(declared);
    if score(best) > score(declared) + error {
        let (now, then) = (100.0 * score(declared), 100.0 * score(best));
        let Reading { way, advice, .. } = best;
        return format!(
            "the model does not expect the pixels as declared ({now:.0} % right) but {way} ({then:.0} %); {advice}"
        );
    }
    let chance = 1.0 / classes as f64;
    if score(declared) < chance + error {
        return "no way of handing over the pixels beats guessing: wrong labels, other classes, or an untrained model?"
            .into();
    }
    if declared.noisy_accuracy < chance + error {
        return "the pixels are right, but under this noise the model only guesses: was it trained with noise of this σ?"
            .into();
    }
    if declared.noisy_accuracy < 0.6 * declared.clean_accuracy {
        return "the pixels are right, but noise of this σ costs much accuracy: try the σ the model was trained with"
            .into();
    }
    "the pixels are right as declared".into()
}

fn text(args: &DoctorArgs, findings: &Findings) -> String {
    let Findings { engine, shape: [c, h, w], classes, inputs, pixel_range: [low, high], sigma, .. } =
        findings;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_equal_ways_the_simplest_is_advised() {
        let reading = |way, advice, accuracy| Reading {
            way,
            advice: String::from(advice),
            declared: way == "declared",
            clean_accuracy: accuracy,
            noisy_accuracy: accuracy,
        };
        let readings = [
            reading("declared", "", 0.1),
            reading("plain", "add nothing", 0.7),
            reading("odd", "add --bgr", 0.71),
        ];
        let words = diagnose(&readings, 100, 10);
        assert!(words.contains("but plain (70 %); add nothing"), "{words}");
    }
}

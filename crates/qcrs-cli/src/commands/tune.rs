//! `qcrs tune`

use crate::args::{NoiseArgs, SeedArg, TargetArgs, count};
use crate::output::{self, RowFormat, terminal};
use crate::progress::PassesBar;
use crate::setup::Setup;
use anyhow::{Context, ensure};
use qcrs::analysis::{AnsweredInput, Answers, SigmaLevels};
use qcrs::report::format::down;
use qcrs::report::{self, SheetTable};
use qcrs::sample::{Input, OneClass};
use qcrs::text::paragraph;
use qcrs::tune::{self, Edge, Predicted, Promise, Tune};
use qcrs::types::{Alpha, Sigma};
use serde_json::json;
use std::fmt::Write;

/// What was typed after `qcrs tune`.
#[derive(clap::Args)]
pub struct TuneArgs {
    #[command(flatten)]
    target: TargetArgs,
    /// The noise the model was trained with, around which σ are tried
    #[arg(long)]
    sigma: f64,
    /// The smallest σ [default: 0.4 σ]
    #[arg(long)]
    left: Option<f64>,
    /// The largest σ [default: 2.5 σ]
    #[arg(long)]
    right: Option<f64>,
    /// The number of σ, evenly spaced in ln σ
    #[arg(long, default_value_t = 16, value_parser = count(2..))]
    points: u32,
    /// Draws per input and σ
    #[arg(long, default_value_t = 400, value_parser = count(2..=1_000_000))]
    draws: u32,
    /// Draws of the certificates that will use this σ
    #[arg(long, alias = "N", default_value_t = 100_000, value_parser = count(1..))]
    n: u32,
    /// Failure probability of these certificates
    #[arg(long, default_value_t = 0.001)]
    alpha: f64,
    /// Ask only whether an input belongs to this class, given by name or number
    #[arg(long, value_name = "CLASS")]
    one_class: Option<String>,
    #[command(flatten)]
    noise: NoiseArgs,
    /// The seed of all noise; `secret` draws one and prints it
    #[arg(long, default_value_t = SeedArg::Chosen(0), value_name = "N|secret")]
    seed: SeedArg,
    /// The format of the output
    #[arg(long, value_enum, default_value = "text")]
    format: RowFormat,
}

/// Finds the best single σ on the selected inputs.
pub fn run(args: &TuneArgs) -> anyhow::Result<()> {
    let (low, high) = (args.left.unwrap_or(0.4 * args.sigma), args.right.unwrap_or(2.5 * args.sigma));
    Sigma::new(args.sigma).context("--sigma")?;
    Sigma::new(low).context("--left")?;
    ensure!(low < high, "--left {low} must be below --right {high}");
    let last = f64::from(args.points - 1);
    let sigma = |at: u32| Sigma::new(low * (high / low).powf(f64::from(at) / last));
    let sigmas = (0..args.points).map(sigma).collect::<Result<_, _>>()?;
    let tune = Tune { sigmas, draws: args.draws, n: args.n, alpha: Alpha::new(args.alpha)? };
    let setup = Setup::open(&args.target.model, &args.target.data, args.noise.noise)?;
    let seed = args.seed.draw_and_say()?;
    let ids = setup.ids(&args.target.selection)?;
    setup.check_images(&ids)?;
    let one_class = args.one_class.as_ref().map(|class| setup.class(class)).transpose()?;
    let sampler = setup.sampler()?;
    let passes = ids.len() as u64 * u64::from(args.points) * u64::from(args.draws);
    let name = |class: usize| answer_name(&setup, one_class, class);
    let predicted: anyhow::Result<Vec<(usize, Vec<Predicted>)>> =
        PassesBar::new(passes).watch(&sampler, || {
            let one = |id: &u32| {
                let example = setup.example(*id)?;
                let label = example.label.with_context(|| {
                    format!("input {id} has no label, so it is unknown which radius counts; give --labels")
                })?;
                let input = Input { pixels: &example.pixels, seed, index: *id };
                Ok(match one_class.map(|class| OneClass { inner: &sampler, class }) {
                    Some(question) => {
                        let label = question.label(label);
                        (label, tune.predict(&question, &input, label)?)
                    }
                    None => (label, tune.predict(&sampler, &input, label)?),
                })
            };
            ids.iter().map(one).collect()
        });
    let (labels, predicted): (Vec<usize>, Vec<Vec<Predicted>>) = predicted?.into_iter().unzip();
    let promises = tune.promises(&predicted);
    let classes = one_class.map_or(setup.model.classifier.num_classes(), |_| 2);
    let answers = answers(&tune, &labels, &predicted, (classes, &name));
    let best = tune::best(&promises)
        .context("no σ certifies any of these inputs; is --sigma that of the training? see qcrs doctor")?;
    if args.format == RowFormat::Tsv {
        return output::print(&tsv(&promises));
    }
    if args.format == RowFormat::Json {
        return output::print_json(&json!({ "inputs": ids.len(), "n": args.n, "alpha": args.alpha,
            "best": best, "edge": Edge::of(&promises, best), "promises": promises, "seen": answers.levels }));
    }
    output::print(&text(&promises, best, &answers, ids.len(), args.one_class.as_deref()))
}

/// What the answers to the question mean.
fn answer_name(setup: &Setup, one_class: Option<usize>, class: usize) -> String {
    match one_class {
        Some(asked) if class == 1 => setup.class_name(asked),
        Some(asked) => format!("not {}", setup.class_name(asked)),
        None => setup.class_name(class),
    }
}

/// What the network answers to the inputs at each σ.
fn answers(
    tune: &Tune,
    labels: &[usize],
    predicted: &[Vec<Predicted>],
    (classes, name): (usize, &dyn Fn(usize) -> String),
) -> Answers {
    let sigmas = || tune.sigmas.iter().map(|sigma| sigma.get());
    let input = |(label, input): (&usize, &Vec<Predicted>)| {
        AnsweredInput::new(Some(*label), sigmas().zip(input.iter().map(|predicted| predicted.answer)))
    };
    let inputs: Vec<AnsweredInput> = labels.iter().zip(predicted).map(input).collect();
    Answers::new(&inputs, &SigmaLevels::each(sigmas()), classes, name)
}

fn text(
    promises: &[Promise],
    best: Promise,
    answers: &Answers,
    inputs: usize,
    one_class: Option<&str>,
) -> String {
    let question = one_class.map_or_else(String::new, |class| format!(" --one-class {class}"));
    let caption = format!("Predicted ACR with one σ for all of {inputs} inputs");
    let mut table = SheetTable::new(caption, &["σ", "predicted ACR", "certified", ""]);
    for promise @ Promise { sigma, acr, certified } in promises {
        let mark = if *promise == best { "<- best" } else { "" };
        table.rows.push(vec![format!("{sigma:.4}"), down(*acr, 4), down(*certified, 3), mark.into()]);
    }
    let mut text = table.text(terminal().width);
    let _ = writeln!(text, "\n{}", report::by_sigma(answers, &terminal()));
    let edge = match Edge::of(promises, best) {
        None => "",
        Some(Edge::Largest) => {
            "; it is the largest that was tried, so a larger one may be better: raise --right"
        }
        Some(Edge::Smallest) => {
            "; it is the smallest that was tried, so a smaller one may be better: lower --left"
        }
    };
    let found = format!("best single σ on these {inputs} inputs: {:.4}{edge}", best.sigma);
    text += &paragraph(&found, terminal().width);
    let certify = format!("qcrs certify --method cohen --sigma {:.4}{question} …", best.sigma);
    text + "judge it on others: " + &certify
}

/// Every digit, for programs.
fn tsv(promises: &[Promise]) -> String {
    let mut text = String::from("sigma\tpredicted_acr\tcertified\n");
    for Promise { sigma, acr, certified } in promises {
        let _ = writeln!(text, "{sigma}\t{acr}\t{certified}");
    }
    text
}

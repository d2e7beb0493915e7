//! `qcrs predict`

use crate::args::{NoiseArgs, SeedArg, TargetArgs, count};
use crate::output::{self, RowFormat, terminal};
use crate::progress::PassesBar;
use crate::setup::Setup;
use anyhow::ensure;
use qcrs::predict::{predict, predict_majority};
use qcrs::report::SheetTable;
use qcrs::report::format::{down, p_value};
use qcrs::sample::{Input, SampleUnderNoise};
use qcrs::text;
use qcrs::types::{Alpha, Sigma};
use serde_json::{Value, json};

/// What was typed after `qcrs predict`.
#[derive(clap::Args)]
pub struct PredictArgs {
    #[command(flatten)]
    target: TargetArgs,
    /// The noise level, one for all inputs and chosen beforehand. There is no search, because a σ per input
    /// would mean a different classifier for every input
    #[arg(long)]
    sigma: f64,
    /// Only cohen: a search would mean a different classifier for every input
    #[arg(long, default_value = "cohen", value_name = "cohen", hide = true)]
    method: String,
    /// Draws per input
    #[arg(long, alias = "N", default_value_t = 1000, value_parser = count(1..))]
    n: u32,
    /// The probability that an answer may not be the smoothed classifier's
    #[arg(long, default_value_t = 0.001)]
    alpha: f64,
    #[command(flatten)]
    noise: NoiseArgs,
    /// Answer only a class that has more than half of all noisy copies, and abstain otherwise: the predictor
    /// that fail-safe radii are about
    #[arg(long)]
    majority: bool,
    /// The seed of all noise; `secret` draws one and prints it
    #[arg(long, default_value_t = SeedArg::Chosen(0), value_name = "N|secret")]
    seed: SeedArg,
    /// The format of the output
    #[arg(long, value_enum, default_value = "text")]
    format: RowFormat,
}

/// Prints one row per input.
pub fn run(args: &PredictArgs) -> anyhow::Result<()> {
    ensure!(
        args.method == "cohen",
        "predict takes one σ for all inputs, not --method {}: a σ per input would mean a different classifier for \
         every input (docs/guarantees.md)",
        args.method
    );
    let (sigma, alpha) = (Sigma::new(args.sigma)?, Alpha::new(args.alpha)?);
    let setup = Setup::open(&args.target.model, &args.target.data, args.noise.noise)?;
    let seed = args.seed.draw_and_say()?;
    let ids = setup.ids(&args.target.selection)?;
    setup.check_images(&ids)?;
    let sampler = setup.sampler()?;
    let progress = PassesBar::new(ids.len() as u64 * u64::from(args.n));
    if args.format == RowFormat::Tsv {
        let number = if args.majority { "p_lower" } else { "p_value" };
        let file = if setup.example(ids[0])?.file.is_some() { "\tfile" } else { "" };
        output::print(&format!("idx\tlabel\tpredict\t{number}{file}"))?;
    }
    let mut all = Vec::new();
    let mut table = args.table();
    let (mut done, mut abstained) = (0, 0);
    let predicted = progress.watch(&sampler, || {
        for &index in &ids {
            let example = setup.example(index)?;
            let input = Input { pixels: &example.pixels, seed, index };
            let PredictedAnswer { class, number, json } = args.answer(&sampler, &input, sigma, alpha)?;
            done += 1;
            abstained += usize::from(class.is_none());
            progress.say(&format!("{done} of {}, {abstained} abstained", text::counted(ids.len(), "input")));
            if args.format == RowFormat::Json {
                let mut object = json!({ "index": index, "label": example.label, "prediction": json });
                if let Some(file) = example.file {
                    object["file"] = file.into();
                }
                all.push(object);
                continue;
            }
            let name = |class: Option<usize>, none: &str| {
                class.map_or(none.into(), |class| text::one_line(&setup.class_name(class)))
            };
            if args.format == RowFormat::Text {
                let (label, class) = (name(example.label, "–"), name(class, "abstained"));
                let file =
                    example.file.map_or_else(|| index.to_string(), |file| text::shortened(&file, NAME));
                table.rows.push(vec![file, label, class, args.shown(number)]);
                continue;
            }
            let (label, class) = (name(example.label, ""), name(class, "abstain"));
            let file = example.file.map_or(String::new(), |file| format!("\t{}", text::one_line(&file)));
            // `:?` for 5e-28 instead of 28 zeros
            progress.aside(|| output::print(&format!("{index}\t{label}\t{class}\t{number:?}{file}")))?;
        }
        anyhow::Ok(())
    });
    // what is known stays known if someone stops the rest
    if !table.rows.is_empty() {
        output::print(&table.text(terminal().width))?;
    }
    predicted?;
    if args.format == RowFormat::Json { output::print_json(&all) } else { Ok(()) }
}

/// Characters of a file's name in a table.
const NAME: usize = 30;

/// What a predictor says of one input.
struct PredictedAnswer {
    class: Option<usize>,
    /// The number that decided.
    number: f64,
    json: Value,
}

impl PredictArgs {
    /// The table of the answers, without rows.
    fn table(&self) -> SheetTable {
        let Self { sigma, n, alpha, .. } = self;
        let caption = format!("Answers of the smoothed classifier: σ {sigma}, n {n}, α {alpha}");
        let number = if self.majority { "lower bound" } else { "p-value" };
        SheetTable::new(caption, &["input", "label", "answer", number])
    }

    /// The number that decided, with few digits.
    fn shown(&self, number: f64) -> String {
        if self.majority { down(number, 4) } else { p_value(number) }
    }

    fn answer(
        &self,
        sampler: &dyn SampleUnderNoise,
        input: &Input<'_>,
        sigma: Sigma,
        alpha: Alpha,
    ) -> anyhow::Result<PredictedAnswer> {
        Ok(if self.majority {
            let said = predict_majority(sampler, input, sigma, self.n, alpha)?;
            PredictedAnswer { class: said.class, number: said.p_lower, json: serde_json::to_value(said)? }
        } else {
            let said = predict(sampler, input, sigma, self.n, alpha)?;
            PredictedAnswer { class: said.class, number: said.p_value, json: serde_json::to_value(said)? }
        })
    }
}

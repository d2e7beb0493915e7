//! `qcrs attack`

use crate::args::{DataArgs, ModelArgs, SeedArg, count};
use crate::output::{self, Format, say};
use crate::progress::{PassesBar, patiently};
use crate::setup::Setup;
use anyhow::{Context, bail, ensure};
use qcrs::attack::{Attack, AttackSummary, Attacks, ClosestCall, Gallery, Target, violation_file};
use qcrs::run::{self, Depth, Stored};
use qcrs::text::counted;
use qcrs::types::{Alpha, Error};
use serde_json::json;
use std::path::{Path, PathBuf};

/// What was typed after `qcrs attack`.
#[derive(clap::Args)]
pub struct AttackArgs {
    /// The run directory
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// The most forward passes for each certificate
    #[arg(long, default_value_t = Attack::PASSES, value_name = "P", value_parser = count(Attack::LEAST..))]
    passes: u32,
    /// A quick look: 10,000 passes for each certificate
    #[arg(long, conflicts_with = "passes")]
    quick: bool,
    /// Attack only the first C certificates
    #[arg(long, value_name = "C", value_parser = count(1..))]
    count: Option<u32>,
    /// The probability with which a certificate that holds is reported, in the whole attack
    #[arg(long, default_value_t = 0.001)]
    alpha: f64,
    /// The seed of the attack; `secret` draws one and prints it
    #[arg(long, default_value_t = SeedArg::Chosen(0), value_name = "N|secret")]
    seed: SeedArg,
    /// Where the attempts and the violations are kept; use the same one to resume [default: RUN/attack]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// The format of the summary
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    #[command(flatten)]
    model: ModelArgs,
    #[command(flatten)]
    data: DataArgs,
}

/// Attacks what was not attacked yet, and prints what was found.
pub fn run(args: &AttackArgs) -> anyhow::Result<()> {
    let alpha = Alpha::new(args.alpha).context("--alpha")?;
    let stored = run::read(&args.run, Depth::Verdicts)?;
    let setup = Setup::open(&args.model, &args.data, stored.spec.noise.into())?;
    ensure_same(&args.run, &setup, &stored)?;
    ensure!(
        stored.records.iter().any(|record| Target::of(record).is_some()),
        "{}: there is no certificate to attack",
        args.run.display()
    );
    let passes = if args.quick { Attack::QUICK } else { args.passes };
    let asked = (passes, alpha, args.seed.draw_and_say()?);
    let dir = args.out.clone().unwrap_or_else(|| args.run.join("attack"));
    let mut attacks = Attacks::open(&dir, &stored, args.count, asked)?;
    attack(&setup, &stored, &mut attacks, (passes, &dir))?;
    let found = attacks.summary()?;
    match args.format {
        Format::Text => output::print(&text(&found, &stored, (&dir, asked.2)))?,
        Format::Json => output::print_json(&found)?,
    }
    if !found.violations.is_empty() {
        bail!("{} of {} certificates do not hold", found.violations.len(), found.attacked);
    }
    Ok(())
}

/// Makes sure that model and data are those of the run.
fn ensure_same(dir: &Path, setup: &Setup, stored: &Stored) -> anyhow::Result<()> {
    let now = json!({ "model": setup.model_spec(), "data": setup.data.about });
    let used = json!({ "model": stored.spec.models, "data": stored.spec.data });
    match run::differences(&used, &now)?.first() {
        None => Ok(()),
        Some(difference) => {
            bail!("{}: {difference}; give the model and the data that qcrs certify used", dir.display())
        }
    }
}

/// Attacks the certificates that have no attempt yet, with progress.
fn attack(
    setup: &Setup,
    stored: &Stored,
    attacks: &mut Attacks<'_>,
    (passes, dir): (u32, &Path),
) -> anyhow::Result<()> {
    let (here, all) = (dir.display(), attacks.targets().len());
    let mut done = attacks.done.len();
    match done {
        0 => say!("{here}: attacking {} with {passes} passes each", counted(all, "certificate")),
        _ if done == all => say!("{here}: all {all} certificates are already attacked"),
        _ => say!("{here}: resuming after {done} of {all} certificates"),
    }
    let inputs = |index| setup.example(index);
    let count = setup.len()?;
    let read = || Gallery::read(&inputs, count, stored.spec.one_class);
    let gallery = patiently("reading the images for directions to other classes", read)?;
    let sampler = setup.sampler()?;
    let progress = PassesBar::new((all - done) as u64 * u64::from(passes));
    let in_flight = 2 * setup.settings.options.threads; // small looks leave gaps that others fill
    let mut violations = attacks.summary()?.violations.len();
    let result = progress.watch(&sampler, || {
        attacks.run(&sampler, &inputs, &gallery, in_flight, |attempt| {
            done += 1;
            violations += usize::from(attempt.violation.is_some());
            progress.say(&format!("{done} of {all} certificates, {violations} violations"));
        })
    });
    match result {
        Err(Error::Interrupted | Error::Io { .. }) => result.with_context(|| {
            format!(
                "{here}: stopped after {done} of {all} certificates; run the same command again to resume"
            )
        }),
        result => Ok(result?),
    }
}

fn text(found: &AttackSummary, stored: &Stored, (dir, seed): (&Path, u64)) -> String {
    let AttackSummary { attacked, points, passes, judged, alpha_of_each, .. } = found;
    let mut lines = vec![format!(
        "{} attacked: {points} points tried with {passes} passes, {judged} judged at α = {} each",
        counted(*attacked as usize, "certificate"),
        three_digits(alpha_of_each.get())
    )];
    if found.too_small > 0 {
        let balls = found.too_small;
        lines
            .push(format!("{balls} balls hold no other image: they are smaller than a step of 8-bit pixels"));
    }
    if found.failed > 0 {
        lines.push(format!("{} could not be attacked: attempts.jsonl gives the reasons", found.failed));
    }
    if let Some(call) = &found.closest {
        lines.push(format!("closest call: {}", words(call, stored)));
    }
    for call in &found.violations {
        lines.push(format!("violation: {}", words(call, stored)));
        lines.push(replay(call, stored, (dir, seed)));
    }
    lines.push(verdict(found, stored));
    lines.join("\n")
}

/// A number with three digits, for people.
fn three_digits(number: f64) -> String {
    let rounded = format!("{number:.2e}").parse().unwrap_or(number);
    format!("{rounded:?}")
}

/// How many wrong certificates were found, and how many α allows for.
fn verdict(found: &AttackSummary, stored: &Stored) -> String {
    let (inputs, alpha) = (stored.records.len(), stored.spec.budget.alpha().get());
    let allowed = format!("α = {alpha} allows for {:.3} among {inputs} inputs", found.expected);
    let chance = if found.chance < 0.001 { "below 0.001".into() } else { format!("{:.3}", found.chance) };
    match found.violations.len() {
        0 => format!("no certificate was shown to be wrong; {allowed}"),
        1 => format!(
            "1 certificate was shown to be wrong; {allowed}, and one or more have probability {chance}"
        ),
        wrong => format!(
            "{wrong} certificates were shown to be wrong; {allowed}, and so many or more have probability {chance}"
        ),
    }
}

fn words(call: &ClosestCall, stored: &Stored) -> String {
    let ClosestCall { index, class, radius, lead, judgement } = call;
    let (n, name) = (judgement.votes.total(), |class: usize| stored.spec.class_name(class));
    let (of, rival) = (judgement.votes.of(*class), judgement.votes.of(judgement.rival));
    format!(
        "input {index}, certified {} within {radius}: at distance {} it has {of} of {n} votes and {} has {rival}, a lead of at \
         most {lead:.4} (found by {})",
        name(*class),
        judgement.distance,
        name(judgement.rival),
        judgement.strategy
    )
}

/// Everything that is needed to see a violation again.
fn replay(call: &ClosestCall, stored: &Stored, (dir, seed): (&Path, u64)) -> String {
    let target = stored.records.iter().filter_map(Target::of).find(|target| target.index == call.index);
    let smoothed = target.map(|target| target.smoothed);
    let model = smoothed.and_then(|g| stored.spec.models.get(g.model));
    let (name, hash) = model.map_or(("?", "?"), |model| (&model.name, &model.blake3));
    let sigma = smoothed.map_or(f64::NAN, |g| g.sigma().get());
    let law = smoothed.map_or("?", |g| g.noise.name());
    let draws = &call.judgement.draws;
    format!(
        "  point {}; model {name} (blake3 {hash}), {law} noise with σ = {sigma}; draws {} to {} of the phase attack with \
         seed {seed}; votes {}",
        violation_file(dir, call.index).display(),
        draws.start,
        draws.end - 1,
        json!(call.judgement.votes)
    )
}

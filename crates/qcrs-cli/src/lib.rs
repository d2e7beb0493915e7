//! The command line of qcrs: what was typed → what it means → do it.
//!
//! Data goes to stdout, messages to stderr. Exit codes: 0 done, 1 failed, 2 usage error,
//! 130 interrupted (and can be resumed).
//!
//! This is a library, so that a Python package can contain the same program: [`main`] is all of it.

mod commands;
mod config;
mod help;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches};
use commands::Command;
use qcrs::types::Error;
use qcrs_onnx::Trial;
use qcrs_terminal::{INTERRUPTED, args, output, process, progress, setup};
use std::ffi::OsString;
use std::process::ExitCode;

/// Proves how far an image may be changed before a classifier can be fooled: randomized smoothing with a
/// noise level per input.
#[derive(clap::Parser)]
#[command(name = "qcrs", version, max_term_width = 100, args_override_self = true, infer_long_args = false)]
#[command(after_help = FIRST_STEPS, after_long_help = format!("{FIRST_STEPS}\n\n{EXIT_CODES}"))]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
    /// Read options from a TOML file with a table per command; the command line takes precedence
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<std::path::PathBuf>,
    /// Print only errors on stderr
    #[arg(long, short, global = true)]
    quiet: bool,
}

const FIRST_STEPS: &str = "\
First steps:
  qcrs data get cifar10
  qcrs doctor  --model model.onnx --data data/cifar10
  qcrs certify --model model.onnx --data data/cifar10 --sigma 0.25 --skip 50
  qcrs report  runs/* --html report.html
Words such as pass, look, σ, α and ACR are explained in docs/glossary.md.";

const EXIT_CODES: &str = "\
Results go to stdout, messages to stderr. Exit codes: 0 done, 1 failed, 2 usage error, 130 interrupted \
(run the same command again to resume).";

/// The exit code for an option that cannot be parsed or cannot work, as in clap.
const WRONG_USAGE: u8 = 2;

/// The whole program: does what `typed` asks for, whose first word is the program's name, and returns its
/// exit code.
///
/// The process must be this program's own: native libraries are tried by starting its executable again.
pub fn main(typed: impl IntoIterator<Item = OsString>) -> ExitCode {
    main_with(std::env::current_exe().ok().map(Trial::new), typed)
}

/// The same in a process whose executable is another program, such as a Python: `trial` starts one that calls
/// [`qcrs_onnx::answer_trial`] first.
pub fn main_with(trial: Option<Trial>, typed: impl IntoIterator<Item = OsString>) -> ExitCode {
    if qcrs_onnx::answer_trial() {
        return ExitCode::SUCCESS;
    }
    process::take_over(trial);
    let Err(error) = run(typed.into_iter().collect()) else { return ExitCode::SUCCESS };
    if let Some(usage) = error.downcast_ref::<clap::Error>() {
        let _ = usage.print(); // a closed pipe is not an error
        return u8::try_from(usage.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from);
    }
    // a closed pipe is not an error
    if is_broken_pipe(&error) {
        return ExitCode::SUCCESS;
    }
    output::complain(format_args!("qcrs: {}", output::story(&error)));
    match error.downcast_ref() {
        Some(Error::Interrupted) => ExitCode::from(INTERRUPTED),
        Some(Error::Setting { .. }) => ExitCode::from(WRONG_USAGE),
        _ => ExitCode::FAILURE,
    }
}

fn run(typed: Vec<OsString>) -> anyhow::Result<()> {
    let args = config::expand(typed)?;
    // a σ of -1 is a wrong number, not an unknown option
    let command = CommandLine::command().mut_subcommands(|command| command.allow_negative_numbers(true));
    let command = help::shorten(command);
    let matches = command.try_get_matches_from(args).map_err(with_tip)?;
    let CommandLine { command, quiet, .. } =
        CommandLine::from_arg_matches(&matches).map_err(|error| error.format(&mut CommandLine::command()))?;
    output::be_quiet(quiet);
    commands::run(command)
}

/// Says where to find σ if it is missing: new users do not know theirs.
fn with_tip(mut error: clap::Error) -> clap::Error {
    let missing = matches!(
        error.get(ContextKind::InvalidArg),
        Some(ContextValue::Strings(names)) if names.iter().any(|name| name.starts_with("--sigma"))
    );
    if missing && error.kind() == ErrorKind::MissingRequiredArgument {
        let tips = [
            "σ is the noise that the model was trained with; 'qcrs doctor' tries several and names one that works",
            "or use the published settings of a --preset, such as cifar10-0.25",
        ];
        let tips = tips.map(StyledStr::from).to_vec();
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
    }
    error
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let io = error.downcast_ref::<std::io::Error>();
    io.is_some_and(|io| io.kind() == std::io::ErrorKind::BrokenPipe)
}

//! The command line of qcrs: what was typed → what it means → do it.
//!
//! Data goes to stdout, messages to stderr. Exit codes: 0 done, 1 failed, 2 wrong usage,
//! 130 interrupted (and can be resumed).

mod args;
mod commands;
mod config;
mod output;
mod progress;
mod setup;

use clap::{CommandFactory, FromArgMatches};
use commands::Command;
use qcrs::types::Error;
use std::process::ExitCode;

/// Proves how far an image may be changed before a classifier can be fooled: randomized smoothing with a noise level
/// per input.
#[derive(clap::Parser)]
#[command(name = "qcrs", version, max_term_width = 100, args_override_self = true, infer_long_args = false)]
#[command(after_help = AFTER_HELP)]
struct Qcrs {
    #[command(subcommand)]
    command: Command,
    /// A TOML file with a table per command that holds its options; what is typed wins
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<std::path::PathBuf>,
    /// Say nothing on stderr but errors
    #[arg(long, short, global = true)]
    quiet: bool,
}

const AFTER_HELP: &str = "\
First steps:
  qcrs data get cifar10
  qcrs doctor  --model model.onnx --data data/cifar10
  qcrs certify --model model.onnx --data data/cifar10 --sigma 0.25 --skip 50 --run runs/first
  qcrs report  runs/first --html report.html

Results go to stdout, messages to stderr. Exit codes: 0 done, 1 failed, 2 options that cannot be read, 130 interrupted \
(run the same command again to resume).";

/// Ended by Ctrl-C, as the shell counts it.
const INTERRUPTED: u8 = 130;

fn main() -> ExitCode {
    if qcrs_onnx::answer_trial() {
        return ExitCode::SUCCESS;
    }
    let typed: Vec<_> = std::env::args_os().collect();
    let outcome = config::expand(typed).and_then(|args| {
        // a σ of -1 is a wrong number, not an unknown option
        let command = Qcrs::command().mut_subcommands(|command| command.allow_negative_numbers(true));
        let matches = command.get_matches_from(args);
        let Qcrs { command, quiet, .. } =
            Qcrs::from_arg_matches(&matches).unwrap_or_else(|e| e.format(&mut Qcrs::command()).exit());
        if quiet {
            output::be_quiet();
        }
        commands::run(command)
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        // whoever reads our output has read enough
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output::complain(format_args!("qcrs: {}", output::story(&error)));
            let interrupted = matches!(error.downcast_ref(), Some(Error::Interrupted));
            if interrupted { ExitCode::from(INTERRUPTED) } else { ExitCode::FAILURE }
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let io = error.downcast_ref::<std::io::Error>();
    io.is_some_and(|io| io.kind() == std::io::ErrorKind::BrokenPipe)
}

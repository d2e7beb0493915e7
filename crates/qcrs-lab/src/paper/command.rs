//! What can be typed after `qcrs paper`: an experiment on a model, or one on files alone.

use super::{PaperArgs, bank, logs};
use clap::{ArgMatches, Args, Command, FromArgMatches, Subcommand};

/// An experiment.
pub enum PaperCommand {
    /// On a model and data, or on the answers that are kept of them.
    OnModel(Box<PaperArgs>),
    /// On published result files.
    OnFiles(PaperFiles),
}

/// An experiment on result files; it needs no model.
#[derive(clap::Subcommand)]
pub enum PaperFiles {
    /// Make the tables that published result files allow; needs no model
    Logs(logs::LogsArgs),
    /// Send certificates through a memory bank; needs no model
    Bank(bank::BankOrderArgs),
}

/// Options that `-h` leaves to `--help`, so that it fits two screens.
const RARE: [&str; 2] = ["names", "format"];

impl Args for PaperCommand {
    fn augment_args(command: Command) -> Command {
        let own = PaperArgs::augment_args(command).mut_args(|arg| {
            if RARE.contains(&arg.get_id().as_str()) { arg.hide_short_help(true) } else { arg }
        });
        PaperFiles::augment_subcommands(own)
            .subcommand_negates_reqs(true)
            .args_conflicts_with_subcommands(true)
            .disable_help_subcommand(true)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for PaperCommand {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(match matches.subcommand() {
            Some(_) => Self::OnFiles(PaperFiles::from_arg_matches(matches)?),
            None => Self::OnModel(Box::new(PaperArgs::from_arg_matches(matches)?)),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Does what was asked.
pub fn run(command: &PaperCommand) -> anyhow::Result<()> {
    match command {
        PaperCommand::OnModel(args) => super::run(args),
        PaperCommand::OnFiles(PaperFiles::Logs(args)) => logs::run(args),
        PaperCommand::OnFiles(PaperFiles::Bank(args)) => bank::run(args),
    }
}

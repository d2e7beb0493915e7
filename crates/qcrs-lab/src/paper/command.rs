//! What can be typed after `qcrs paper`: an experiment on a model, or one on files alone.

use super::{PaperArgs, bank, logs};
use clap::{ArgMatches, Args, Command, FromArgMatches};

/// An experiment.
pub enum PaperCommand {
    /// Needs a model and data.
    OnModel(Box<PaperArgs>),
    /// Needs published result files.
    Logs(logs::LogsArgs),
    /// Needs a result file and its images.
    Bank(bank::BankOrderArgs),
}

impl Args for PaperCommand {
    fn augment_args(command: Command) -> Command {
        PaperArgs::augment_args(command)
            .subcommand(
                logs::LogsArgs::augment_args(Command::new("logs"))
                    .about("Make the tables that published result files allow; needs no model"),
            )
            .subcommand(
                bank::BankOrderArgs::augment_args(Command::new("bank"))
                    .about("Send certificates through a memory bank; needs no model"),
            )
            // -h has to fit two screens
            .mut_args(|arg| {
                let rare = ["names", "format"].contains(&arg.get_id().as_str());
                if rare { arg.hide_short_help(true) } else { arg }
            })
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
        match matches.subcommand() {
            Some(("logs", matches)) => Ok(Self::Logs(logs::LogsArgs::from_arg_matches(matches)?)),
            Some(("bank", matches)) => Ok(Self::Bank(bank::BankOrderArgs::from_arg_matches(matches)?)),
            _ => Ok(Self::OnModel(Box::new(PaperArgs::from_arg_matches(matches)?))),
        }
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
        PaperCommand::Logs(args) => logs::run(args),
        PaperCommand::Bank(args) => bank::run(args),
    }
}

//! `qcrs bank`: what was promised before, and does it still hold?

mod add;
mod check;
mod export;
mod stats;

use crate::output::Format;
use std::path::PathBuf;

/// What was typed after `qcrs bank`.
#[derive(clap::Args)]
pub struct BankArgs {
    #[command(subcommand)]
    command: BankCommand,
}

#[derive(clap::Subcommand)]
enum BankCommand {
    /// Add the certificates of runs to a bank, in order; existing balls stay as they are
    Add(add::AddArgs),
    /// Check that no two balls of different classes overlap
    Check {
        /// The bank
        #[arg(value_name = "BANK")]
        bank: PathBuf,
    },
    /// Print entries, classes, radii, size, and the largest probability that any certificate is wrong
    Stats {
        /// The bank
        #[arg(value_name = "BANK")]
        bank: PathBuf,
        /// The format of the output
        #[arg(long, value_enum, default_value = "text")]
        format: Format,
    },
    /// Print every ball as a line of JSON
    Export {
        /// The bank
        #[arg(value_name = "BANK")]
        bank: PathBuf,
    },
}

/// Does what was asked.
pub fn run(args: &BankArgs) -> anyhow::Result<()> {
    match &args.command {
        BankCommand::Add(args) => add::run(args),
        BankCommand::Check { bank } => check::run(bank),
        BankCommand::Stats { bank, format } => stats::run(bank, *format),
        BankCommand::Export { bank } => export::run(bank),
    }
}

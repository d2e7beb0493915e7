//! The command line of the trainer.

mod cli;

use clap::Parser;
use qcrs_train::Error;

fn main() {
    let Err(error) = cli::run(&cli::TrainCommand::parse()) else { return };
    if matches!(error.downcast_ref(), Some(Error::Interrupted)) {
        eprintln!("qcrs-train: {error}");
        std::process::exit(cli::stop::INTERRUPTED);
    }
    eprintln!("qcrs-train: {error:#}");
    std::process::exit(1);
}

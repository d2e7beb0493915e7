//! The command line of the trainer.

mod cli;

use clap::Parser;

fn main() {
    if let Err(error) = cli::run(&cli::Command::parse()) {
        eprintln!("qcrs-train: {error:#}");
        std::process::exit(1);
    }
}

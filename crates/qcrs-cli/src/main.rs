//! The command line of qcrs.

mod commands {
    pub mod data;
}

use clap::Parser;

#[derive(clap::Parser)]
enum Qcrs {
    /// Data to certify
    Data(commands::data::DataArgs),
}

fn main() -> anyhow::Result<()> {
    let Qcrs::Data(args) = Qcrs::parse();
    commands::data::run(args)
}

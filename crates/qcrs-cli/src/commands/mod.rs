//! One file per command.

mod attack;
mod bank;
mod certify;
mod completions;
mod curve;
mod data;
mod demo;
mod doctor;
mod export;
mod merge;
mod predict;
mod radius;
mod report;
mod train;
mod tune;
mod verify;

use qcrs_lab::bench;
use qcrs_lab::paper::command as paper;

/// What qcrs can do.
#[derive(clap::Subcommand)]
pub enum Command {
    /// Certify built-in images with every method: offline, nothing to install
    Demo(demo::DemoArgs),
    /// Certify images: class and radius for each, in a run that can be stopped and resumed
    Certify(Box<certify::CertifyArgs>),
    /// Predict images with the smoothed classifier, without radii
    Predict(predict::PredictArgs),
    /// Make tables, figures and an HTML page from runs and published result files
    Report(report::ReportArgs),
    /// Check that model, data and noise fit together, and estimate how long a run takes
    Doctor(doctor::DoctorArgs),
    /// Compute the certified radius of chosen images as a function of σ
    Curve(curve::CurveArgs),
    /// Find the best single σ for a model, on inputs that are not used to judge it
    Tune(tune::TuneArgs),
    /// Run the experiments of the QCRS paper and print the paper's numbers beside ours
    Paper(paper::PaperCommand),
    /// Compute bound and radius from votes
    Radius(radius::RadiusArgs),
    /// Recompute the radii of a run from its votes, sample inputs again
    Verify(verify::VerifyArgs),
    /// Search the certified balls of a run for points with another answer
    Attack(Box<attack::AttackArgs>),
    /// Write the answers and settings of a run into one file
    Export(export::ExportArgs),
    /// Join the shards of a run
    Merge(merge::MergeArgs),
    /// Remember certificates, so that balls of different classes never overlap
    Bank(bank::BankArgs),
    /// Download public datasets
    Data(data::DatasetArgs),
    /// Train a classifier: passes all arguments to the program qcrs-train
    Train(train::TrainArgs),
    /// Measure engine, noise and certifier
    Bench(bench::BenchArgs),
    /// Print completions for a shell
    #[command(after_help = completions::INSTALL)]
    Completions(completions::CompletionsArgs),
}

/// Does what was asked.
pub fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Demo(args) => demo::run(&args),
        Command::Certify(args) => certify::run(&args),
        Command::Predict(args) => predict::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Curve(args) => curve::run(&args),
        Command::Tune(args) => tune::run(&args),
        Command::Paper(args) => paper::run(&args),
        Command::Radius(args) => radius::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Attack(args) => attack::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Merge(args) => merge::run(&args),
        Command::Bank(args) => bank::run(&args),
        Command::Data(args) => data::run(args),
        Command::Train(args) => train::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Completions(args) => completions::run(&args),
    }
}

//! `qcrs train`: the trainer is a separate program, because it needs libtorch and nothing else here does.

use crate::output::print;
use anyhow::{Context, bail};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What was typed after `qcrs train`: all of it is the trainer's.
#[derive(clap::Args)]
#[command(disable_help_flag = true)]
pub struct TrainArgs {
    /// The arguments of `qcrs-train`; `qcrs train --help` lists them
    #[arg(value_name = "ARGUMENTS", trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

/// The same as crates/qcrs-train/build.rs says to those who build it without libtorch.
const WHAT_TO_INSTALL: &str = "the program qcrs-train is neither beside this one nor in PATH. Build it from the \
    sources of qcrs; it needs libtorch 2.13.0, which the rest of qcrs does not. Install libtorch with\n\
    \n    python3 -m venv ~/.torch && ~/.torch/bin/pip install torch==2.13.0 numpy\n\
    \nand build with that Python first in PATH:\n\
    \n    PATH=~/.torch/bin:$PATH LIBTORCH_USE_PYTORCH=1 cargo build --release -p qcrs-train\n\
    \nOr unpack a libtorch 2.13.0 from pytorch.org and set LIBTORCH to its folder.";

/// Becomes the trainer.
pub fn run(args: &TrainArgs) -> anyhow::Result<()> {
    let Some(program) = trainer() else {
        if args.arguments.iter().any(|argument| argument == "--help" || argument == "-h") {
            return print(&format!(
                "Trains a classifier by starting the program qcrs-train, but {WHAT_TO_INSTALL}"
            ));
        }
        bail!(WHAT_TO_INSTALL)
    };
    become_program(Command::new(&program).args(&args.arguments), &program)
}

/// The trainer beside this program, or else the first in PATH.
fn trainer() -> Option<PathBuf> {
    let here = std::env::current_exe().ok().and_then(|program| program.parent().map(Path::to_owned));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let name = format!("qcrs-train{}", std::env::consts::EXE_SUFFIX);
    let file = |folder: PathBuf| Some(folder.join(&name)).filter(|file| file.is_file());
    here.into_iter().chain(std::env::split_paths(&path)).find_map(file)
}

/// Its signals, output and exit code are then those of this process.
#[cfg(unix)]
fn become_program(command: &mut Command, program: &Path) -> anyhow::Result<()> {
    use std::os::unix::process::CommandExt;
    Err(command.exec()).with_context(|| format!("{} cannot be started", program.display()))
}

#[cfg(not(unix))]
fn become_program(command: &mut Command, program: &Path) -> anyhow::Result<()> {
    let status = command.status().with_context(|| format!("{} cannot be started", program.display()))?;
    std::process::exit(status.code().unwrap_or(1))
}

//! The program `qcrs`.

use std::process::ExitCode;

fn main() -> ExitCode {
    qcrs_cli::main(std::env::args_os())
}

//! Does the program work as a library, for a process that is not ours?

use qcrs_terminal::output::is_quiet;
use std::process::ExitCode;

#[track_caller]
fn gives(typed: &[&str], code: ExitCode) {
    let typed = ["qcrs"].iter().chain(typed).map(Into::into);
    // an exit code cannot be compared
    assert_eq!(format!("{:?}", qcrs_cli::main(typed)), format!("{code:?}"));
}

/// One test, because what is quiet is the process.
#[test]
fn a_call_gives_an_exit_code_and_leaves_the_process_as_it_was() {
    gives(&["certify", "--nonsense"], ExitCode::from(2));
    gives(&["--help"], ExitCode::SUCCESS);
    gives(&["paper", "--help"], ExitCode::SUCCESS);
    gives(&["report", "no-such-folder", "--quiet"], ExitCode::FAILURE);
    assert!(is_quiet());
    gives(&["report", "no-such-folder"], ExitCode::FAILURE);
    assert!(!is_quiet());
}

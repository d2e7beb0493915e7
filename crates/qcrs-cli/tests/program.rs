//! Does the program work as a library, for a process that is not ours?

use std::process::ExitCode;

#[track_caller]
fn gives(typed: &[&str], code: ExitCode) {
    let typed = ["qcrs"].iter().chain(typed).map(Into::into);
    // an exit code cannot be compared
    assert_eq!(format!("{:?}", qcrs_cli::main(typed)), format!("{code:?}"));
}

#[test]
fn help_and_wrong_options_give_an_exit_code_and_do_not_end_the_process() {
    gives(&["certify", "--nonsense"], ExitCode::from(2));
    gives(&["--help"], ExitCode::SUCCESS);
    gives(&["paper", "--help"], ExitCode::SUCCESS);
    gives(&["report", "no-such-folder"], ExitCode::FAILURE);
}

//! What a bank survives: processes that are killed, and two that want to write.

mod common;
#[path = "../../qcrs/tests/common/suite.rs"]
mod suite;

use common::{alpha, empty, offer, source};
use qcrs_bank::{Bank, BankAnswer, Problem, Why};
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use suite::{Need, Suite, tests};

const FILE: &str = "balls.qcrsbank";
const PLACE: &str = "QCRS_BANK_OF_THE_CHILD";

/// A process that is being started holds copies of all open files for a moment, and with them their locks:
/// tests that start one and tests that open a bank twice must not run at once.
static ALONE: Mutex<()> = Mutex::new(());

fn main() -> ExitCode {
    if let Some(dir) = std::env::var_os(PLACE) {
        return child(Path::new(&dir));
    }
    let mut suite = Suite::from_args();
    suite.all(
        &Need::Met,
        tests![
            a_killed_writer_loses_at_most_what_was_under_way,
            a_second_writer_is_refused_and_readers_are_not,
        ],
    );
    suite.run()
}

/// What a child process does until it is killed.
fn child(dir: &Path) -> ExitCode {
    let mut bank = match Bank::open(dir, [1, 2, 2]) {
        Ok(bank) => bank,
        Err(error) => {
            println!("{error}");
            return ExitCode::FAILURE;
        }
    };
    for n in 0.. {
        let (x, own) = offer(n);
        bank.add_once(source(n), &x, alpha(), Some(own)).unwrap();
        println!("added {n}");
    }
    ExitCode::SUCCESS
}

fn start(dir: &Path) -> std::process::Child {
    Command::new(std::env::current_exe().unwrap()).env(PLACE, dir).stdout(Stdio::piped()).spawn().unwrap()
}

fn a_killed_writer_loses_at_most_what_was_under_way() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    let mut answered = 0;
    for round in 0..40 {
        let mut child = start(dir.path());
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut said = String::new();
        // most are killed while they write, some while they begin
        while round % 5 > 0 && !said.contains("added") {
            assert!(out.read_line(&mut said).unwrap() > 0, "the child ended: {said}");
        }
        std::thread::sleep(Duration::from_millis(round * 7 % 30));
        child.kill().unwrap();
        out.read_to_string(&mut said).unwrap();
        child.wait().unwrap();
        // a line torn by the kill says nothing
        let whole = said.rsplit_once('\n').map_or("", |(whole, _)| whole);
        let last = whole.lines().rev().find_map(|line| line.strip_prefix("added "));
        let last: Option<usize> = last.map(|n| n.parse().unwrap());
        if !dir.path().join(FILE).exists() {
            continue; // killed before it began
        }
        let bank = match Bank::read(dir.path()) {
            Ok(bank) => bank,
            Err(error) if fs::metadata(dir.path().join(FILE)).unwrap().len() == 0 => {
                assert!(matches!(error.problem, Problem::OtherFile));
                continue; // killed between the name and the header
            }
            Err(error) => panic!("round {round}: {error}"),
        };
        let owed = last.map_or(answered, |last| answered.max(last + 1));
        assert!(bank.answered() >= owed, "round {round}: {} of {owed}", bank.answered());
        answered = bank.answered();
        bank.check().unwrap();
    }
    assert!(answered > 50, "the children were killed too early: {answered}");
    // what was added in pieces is what one writer adds
    let (_other, mut whole) = empty([1, 2, 2]);
    for n in 0..answered as u32 {
        let (x, own) = offer(n);
        whole.add_once(source(n), &x, alpha(), Some(own)).unwrap();
    }
    let entries = |bank: &Bank| bank.entries().map(Result::unwrap).collect::<Vec<_>>();
    assert_eq!(entries(&Bank::read(dir.path()).unwrap()), entries(&whole));
}

fn a_second_writer_is_refused_and_readers_are_not() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let dir = tempfile::tempdir().unwrap();
    let mut bank = Bank::open(dir.path(), [1, 2, 2]).unwrap();
    let (x, own) = offer(0);
    bank.add(&x, alpha(), Some(own)).unwrap();
    let error = Bank::open(dir.path(), [1, 2, 2]).err().unwrap();
    assert!(matches!(error.problem, Problem::InUse));
    assert!(error.to_string().starts_with(&format!("{}: another qcrs", dir.path().display())), "{error}");
    let said = start(dir.path()).wait_with_output().unwrap();
    let words = String::from_utf8(said.stdout).unwrap();
    assert!(!said.status.success() && words.contains(": another qcrs is writing to this bank"), "{words}");
    let mut reader = Bank::read(dir.path()).unwrap();
    assert_eq!(reader.len(), 1);
    assert!(matches!(reader.ask(&x, None).unwrap(), BankAnswer::Class { why: Why::Inherited(0), .. }));
    assert!(matches!(reader.add(&[0.9; 4], alpha(), Some(own)).unwrap_err().problem, Problem::Frozen));
    drop(bank);
    assert_eq!(Bank::open(dir.path(), [1, 2, 2]).unwrap().len(), 1);
}

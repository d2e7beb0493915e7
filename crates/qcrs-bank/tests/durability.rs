//! What a bank survives: kills, a second writer, damage, and questions from another time.

mod common;

use common::{certificate, empty};
use qcrs_bank::{Answer, Bank, Problem, Source, Why};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

const FILE: &str = "balls.qcrsbank";
const PLACE: &str = "QCRS_BANK_OF_THE_CHILD";

/// Certificate number `n` of an endless row; neighbours conflict.
fn offer(n: u32) -> ([f32; 4], qcrs_bank::Certificate) {
    let at = |step: u32| (n.wrapping_mul(step) % 997) as f32 / 997.0;
    ([at(7), at(31), at(101), at(499)], certificate((n % 3) as usize, 0.05 + f64::from(n % 11) / 20.0))
}

fn source(input: u32) -> Source {
    Source { run: "child".into(), input }
}

/// Not a test: what a child process does until it is killed.
#[test]
#[ignore = "started by other tests"]
fn child() {
    let Ok(dir) = std::env::var(PLACE) else { return };
    let mut bank = match Bank::open(Path::new(&dir), [1, 2, 2]) {
        Ok(bank) => bank,
        Err(error) => {
            println!("{error}");
            std::process::exit(1);
        }
    };
    for n in 0.. {
        let (x, own) = offer(n);
        bank.add_once(source(n), &x, Some(own)).unwrap();
        println!("added {n}");
    }
}

fn start(dir: &Path) -> std::process::Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child", "--ignored", "--nocapture"])
        .env(PLACE, dir)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
fn a_killed_writer_loses_at_most_what_was_under_way() {
    let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    let mut answered = 0;
    for round in 0..40 {
        let mut child = start(dir.path());
        std::thread::sleep(Duration::from_millis(15 + round * 7 % 30));
        child.kill().unwrap();
        let said = child.wait_with_output().unwrap().stdout;
        let said = String::from_utf8(said).unwrap();
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
        whole.add_once(source(n), &x, Some(own)).unwrap();
    }
    let entries = |bank: &Bank| bank.entries().map(Result::unwrap).collect::<Vec<_>>();
    assert_eq!(entries(&Bank::read(dir.path()).unwrap()), entries(&whole));
}

#[test]
fn a_second_writer_is_refused_and_readers_are_not() {
    let dir = tempfile::tempdir().unwrap();
    let mut bank = Bank::open(dir.path(), [1, 2, 2]).unwrap();
    let (x, own) = offer(0);
    bank.add(&x, Some(own)).unwrap();
    let error = Bank::open(dir.path(), [1, 2, 2]).err().unwrap();
    assert!(matches!(error.problem, Problem::InUse));
    assert!(error.to_string().starts_with(&format!("{}: another qcrs", dir.path().display())), "{error}");
    let said = start(dir.path()).wait_with_output().unwrap();
    let words = String::from_utf8(said.stdout).unwrap();
    assert!(!said.status.success() && words.contains(": another qcrs is writing to this bank"), "{words}");
    let mut reader = Bank::read(dir.path()).unwrap();
    assert_eq!(reader.len(), 1);
    assert!(matches!(reader.ask(&x, None).unwrap(), Answer::Class { why: Why::Inherited(0), .. }));
    assert!(matches!(reader.add(&[0.9; 4], Some(own)).unwrap_err().problem, Problem::Frozen));
    drop(bank);
    assert_eq!(Bank::open(dir.path(), [1, 2, 2]).unwrap().len(), 1);
}

/// A bank of a few entries, and the bytes of its file.
fn filled() -> (tempfile::TempDir, PathBuf, Vec<u8>) {
    let (dir, mut bank) = empty([1, 2, 2]);
    bank.belong_to("the child").unwrap();
    for n in 0..4 {
        let (x, own) = offer(n);
        bank.add_once(source(n), &x, Some(own)).unwrap();
    }
    bank.add_once(source(4), &[1.0; 4], None).unwrap();
    drop(bank);
    let path = dir.path().join(FILE);
    let bytes = fs::read(&path).unwrap();
    (dir, path, bytes)
}

#[test]
fn every_flipped_bit_is_an_error() {
    let (dir, path, good) = filled();
    for bit in 0..8 * good.len() {
        let mut bad = good.clone();
        bad[bit / 8] ^= 1 << (bit % 8);
        fs::write(&path, &bad).unwrap();
        let Err(error) = Bank::read(dir.path()) else { panic!("bit {bit} of {}", 8 * good.len()) };
        assert!(error.to_string().contains(FILE), "{error}");
    }
}

#[test]
fn a_file_cut_short_is_an_error_and_a_torn_entry_is_not() {
    let (dir, path, good) = filled();
    for len in 1..good.len() {
        fs::write(&path, &good[..len]).unwrap();
        assert!(Bank::read(dir.path()).is_err(), "{len} of {} bytes", good.len());
        assert!(Bank::open(dir.path(), [1, 2, 2]).is_err(), "{len} of {} bytes", good.len());
        assert_eq!(fs::read(&path).unwrap(), good[..len], "an error must leave the file alone");
    }
    // what a writer leaves when it is killed: everything that was safe, and a piece of the next entry
    fs::write(&path, &good).unwrap();
    let mut bank = Bank::open(dir.path(), [1, 2, 2]).unwrap();
    bank.sync_by_hand();
    let (x, own) = offer(5);
    bank.add(&[x[0], x[1], 0.123, 0.9], Some(certificate(own.class, 0.001))).unwrap();
    drop(bank);
    let grown = fs::read(&path).unwrap();
    assert!(grown.len() > good.len());
    for len in good.len()..grown.len() {
        fs::write(&path, [&good[..], &grown[good.len()..len]].concat()).unwrap();
        assert_eq!(Bank::read(dir.path()).unwrap().len(), 4);
        assert_eq!(Bank::open(dir.path(), [1, 2, 2]).unwrap().len(), 4);
        assert_eq!(fs::read(&path).unwrap(), good, "{len} of {} bytes", grown.len());
    }
}

#[test]
fn a_bank_of_something_else_is_left_alone() {
    let (dir, path, good) = filled();
    let error = Bank::open(dir.path(), [3, 2, 2]).err().unwrap().to_string();
    assert!(error.contains("holds images of 1x2x2, not of 3x2x2"), "{error}");
    let mut bank = Bank::open(dir.path(), [1, 2, 2]).unwrap();
    bank.belong_to("the child").unwrap();
    let error = bank.belong_to("somebody").unwrap_err().to_string();
    assert!(error.contains("belongs to the child, not to somebody"), "{error}");
    drop(bank);
    let mut newer = good.clone();
    newer[8] = 2;
    for (bytes, words) in [
        (newer, "format 2 was written by a newer qcrs, this one knows 1"),
        (b"something else entirely".to_vec(), "no bank of qcrs"),
        (Vec::new(), "no bank of qcrs"),
    ] {
        fs::write(&path, &bytes).unwrap();
        let error = Bank::read(dir.path()).err().unwrap().to_string();
        assert!(error.contains(words), "{error}");
    }
    let other = tempfile::tempdir().unwrap();
    assert!(matches!(Bank::read(other.path()).err().unwrap().problem, Problem::NoBank));
    fs::write(other.path().join("spec.json"), "{}").unwrap();
    assert!(matches!(Bank::open(other.path(), [1, 2, 2]).err().unwrap().problem, Problem::OtherFolder));
    for shape in [[0, 2, 2], [1 << 10, 1 << 10, 1 << 10], [usize::MAX, 2, 2]] {
        assert!(matches!(Bank::open(other.path(), shape).err().unwrap().problem, Problem::Query(_)));
    }
}

#[test]
fn a_certificate_with_a_name_is_added_once() {
    let (dir, path, good) = filled();
    let mut bank = Bank::open(dir.path(), [1, 2, 2]).unwrap();
    assert_eq!((bank.answered(), bank.len()), (5, 4));
    for n in 0..4 {
        let (x, own) = offer(n);
        let before = bank.said(&source(n)).unwrap();
        assert_eq!(bank.add_once(source(n), &x, Some(own)).unwrap(), before);
    }
    drop(bank);
    assert_eq!(fs::read(&path).unwrap(), good);
}

#[test]
fn numbers_say_what_is_inside() {
    let (dir, _, good) = filled();
    let stats = Bank::read(dir.path()).unwrap().stats();
    assert_eq!((stats.entries, stats.answered, stats.bytes), (4, 5, good.len() as u64));
    assert_eq!(stats.classes.into_iter().collect::<Vec<_>>(), [(0, 2), (1, 1), (2, 1)]);
    assert!(stats.failure_probability >= 0.004 && stats.failure_probability < 0.0040001);
    let [least, .., most] = stats.radii.unwrap();
    assert!(0.0 < least && least <= most && most <= 0.2);
    let error: qcrs::types::Error = Bank::read(Path::new("nowhere")).err().unwrap().into();
    assert_eq!(error.to_string(), "nowhere: there is no bank here; 'qcrs bank add' makes one");
}

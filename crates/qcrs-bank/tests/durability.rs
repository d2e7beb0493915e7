//! What a bank survives: damage, torn entries, and everything that it was not made for.

mod common;

use common::{alpha, certificate, empty, offer, source};
use qcrs_bank::{Bank, Problem};
use std::fs;
use std::path::{Path, PathBuf};

const FILE: &str = "balls.qcrsbank";

/// A bank of a few entries, and the bytes of its file.
fn filled() -> (tempfile::TempDir, PathBuf, Vec<u8>) {
    let (dir, mut bank) = empty([1, 2, 2]);
    bank.belong_to("the child").unwrap();
    for n in 0..4 {
        let (x, own) = offer(n);
        bank.add_once(source(n), &x, alpha(), Some(own)).unwrap();
    }
    bank.add_once(source(4), &[1.0; 4], alpha(), None).unwrap();
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
    bank.add(&[x[0], x[1], 0.123, 0.9], alpha(), Some(certificate(own.class, 0.001))).unwrap();
    drop(bank);
    let grown = fs::read(&path).unwrap();
    assert!(grown.len() > good.len());
    for len in good.len()..grown.len() {
        fs::write(&path, [&good[..], &grown[good.len()..len]].concat()).unwrap();
        assert_eq!(Bank::read(dir.path()).unwrap().len(), 4);
        assert_eq!(Bank::open(dir.path(), [1, 2, 2]).unwrap().len(), 4);
        assert_eq!(fs::read(&path).unwrap(), good, "{len} of {} bytes", grown.len());
    }
    // what a power failure leaves where the length reached the disk and the entry did not, or only a part of it
    for len in good.len()..grown.len() - 1 {
        let mut zeros = [&good[..], &grown[good.len()..len]].concat();
        zeros.resize(grown.len() + 1000, 0);
        fs::write(&path, &zeros).unwrap();
        assert_eq!(Bank::read(dir.path()).unwrap().len(), 4, "{len} of {} bytes", grown.len());
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
    let [mut older, mut newer] = [good.clone(), good.clone()];
    (older[8], newer[8]) = (1, 3);
    for (bytes, words) in [
        (older, "format 1 was written by an older qcrs, this one writes 2"),
        (newer, "format 3 was written by a newer qcrs, this one reads 2"),
        (b"something else entirely".to_vec(), "not a bank of qcrs"),
        (Vec::new(), "not a bank of qcrs"),
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

/// What the disk has is known at once, not only when the bank is closed.
#[test]
fn damage_to_what_a_killed_writer_had_synced_is_an_error() {
    let (dir, path, good) = filled();
    let mut bank = Bank::open(dir.path(), [1, 2, 2]).unwrap();
    bank.add(&[0.5, 0.5, 0.123, 0.9], alpha(), None).unwrap();
    let bytes = fs::read(&path).unwrap(); // as a kill would leave it now
    drop(bank);
    assert!(bytes.len() > good.len());
    let last = bytes.len() - 1;
    let bad = [&bytes[..last], &[bytes[last] ^ 1]].concat();
    fs::write(&path, bad).unwrap();
    let problem = Bank::read(dir.path()).err().map(|error| error.problem);
    assert!(matches!(problem, Some(Problem::Damaged(_))), "{problem:?}");
}

#[test]
fn a_certificate_with_a_name_is_added_once() {
    let (dir, path, good) = filled();
    let mut bank = Bank::open(dir.path(), [1, 2, 2]).unwrap();
    assert_eq!((bank.answered(), bank.len()), (5, 4));
    for n in 0..4 {
        let (x, own) = offer(n);
        let before = bank.said(&source(n)).unwrap();
        assert_eq!(bank.add_once(source(n), &x, alpha(), Some(own)).unwrap(), before);
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
    // four balls, and one that abstained: which of the five became balls hangs on the same votes
    assert!(stats.failure_probability >= 0.005 && stats.failure_probability < 0.0050001);
    let [least, .., most] = stats.radii.unwrap();
    assert!(0.0 < least && least <= most && most <= 0.2);
    let error: qcrs::types::Error = Bank::read(Path::new("nowhere")).err().unwrap().into();
    assert_eq!(error.to_string(), "nowhere: there is no bank here; 'qcrs bank add' makes one");
}

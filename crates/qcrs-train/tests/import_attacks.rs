//! Can a file do harm? It may be wrong, cut, bent or hostile: the answer is an error, and nothing is run.

mod checkpoints;

use qcrs_train::Error;
use qcrs_train::architecture::Architecture;
use qcrs_train::import::{Told, read};
use std::path::Path;

fn attempt(path: &Path) -> Result<usize, Error> {
    let told = Told { architecture: Some(Architecture::CifarResnet(8)), ..Told::default() };
    read(path, &told).map(|(network, _)| network.classes)
}

fn problem(path: &Path) -> String {
    attempt(path).unwrap_err().to_string()
}

/// The most memory this process has had so far, in kB.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse().ok())
}

/// The first occurrence of `old` becomes `new`.
fn replaced(bytes: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    let at = bytes.windows(old.len()).position(|window| window == old).unwrap();
    [&bytes[..at], new, &bytes[at + old.len()..]].concat()
}

/// One test, because the peak of memory is of the whole process. Needs the Python of libtorch.
#[test]
fn hostile_files_are_errors_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    checkpoints::write("bad", folder.path());
    let file = |name: &str| folder.path().join(name);
    let bytes = |name: &str| std::fs::read(file(name)).unwrap();
    let bent = file("bent");
    let problem_of = |bytes: &[u8]| {
        std::fs::write(&bent, bytes).unwrap();
        problem(&bent)
    };
    assert_eq!(attempt(&file("macer")).unwrap(), 10);
    assert_eq!(attempt(&file("macer-zip")).unwrap(), 10);

    for name in ["evil", "evil-zip"] {
        let error = problem(&file(name));
        assert!(error.contains("mentions posix.system, which weights do not need"), "{error}");
    }
    assert!(!file("it-ran").exists());

    for end in ["", "-zip"] {
        for (value, expected) in [
            ("nan", "fc.bias: holds the value NaN"),
            ("inf", "fc.bias: holds the value inf"),
            ("-0.1", "bn1.running_var: holds a negative variance"),
        ] {
            let error = problem(&file(&format!("{value}{end}")));
            assert!(error.contains(expected), "{error}");
        }
    }

    // the shape (10, 64) becomes (11, 64), then the number of batches a name of its own
    let macer = bytes("macer");
    let error = problem_of(&replaced(&macer, b"K\x0aK@\x86", b"K\x0bK@\x86"));
    assert!(error.contains("fc.weight: shape [11, 64] with strides [64, 1]"), "{error}");
    let error = problem_of(&replaced(&macer, b"bn1.num_batches_tracked", b"bn1.num_batches_trackeX"));
    assert!(error.contains("bn1.num_batches_trackeX: holds integers"), "{error}");
    let error = problem_of(&replaced(&macer, b"little_endianq\x02\x88", b"little_endianq\x02\x89"));
    assert!(error.contains("largest byte first"), "{error}");
    let error = problem_of(&replaced(&bytes("evil"), b"posix", b"\x1b[31m"));
    assert!(error.contains("mentions ?[31m.system"), "{error}");
    let error = problem_of(&[&macer[..], b"more"].concat());
    assert!(error.contains("has 4 bytes after its last storage"), "{error}");
    assert!(problem_of(b"<!DOCTYPE html>").contains("is not a checkpoint"));

    let before = peak();
    for end in ["", "-zip"] {
        for (name, expected) in [
            ("shared", "more numbers than the file has bytes"),
            ("endless", "w: shape [8589934592] with strides [0] from number 0 does not fit"),
            ("mixed", "names 1.w and w, which cannot be parts of one network"),
            ("unknown", "'model' is not a tensor, and there is no state_dict and no net"),
        ] {
            let error = problem(&file(&format!("{name}{end}")));
            assert!(error.contains(expected), "{error}");
        }
    }
    assert!(problem(&file("packed")).contains("is compressed, and torch.save compresses nothing"));
    for name in ["small", "small-zip", "macer", "macer-zip"] {
        let whole = bytes(name);
        let step = if name.starts_with("small") { 1 } else { whole.len() / 100 };
        for length in (0..whole.len()).step_by(step) {
            let error = problem_of(&whole[..length]);
            let others = ["download it again", "is not a checkpoint", "damaged"];
            assert!(others.iter().any(|other| error.contains(other)), "{name} cut at {length}: {error}");
        }
    }
    for name in ["small", "small-zip"] {
        let whole = bytes(name);
        let mut random: u64 = 1;
        for _ in 0..4000 {
            let mut bytes = whole.clone();
            for _ in 0..=random % 3 {
                random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let at = (random >> 33) as usize % bytes.len();
                bytes[at] ^= (random >> 20) as u8 | 1;
            }
            // two layers are no network, whatever their bytes
            problem_of(&bytes);
        }
    }
    let more = before.zip(peak()).map(|(before, after)| after - before);
    assert!(more.is_none_or(|more| more < 50_000), "{more:?} kB more than before");
    assert_eq!(more.is_some(), cfg!(target_os = "linux"), "the peak of memory is known on Linux only");
}

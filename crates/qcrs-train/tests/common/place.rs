//! A folder with bars in it, where the program is run.

use super::write_bars;
use qcrs_train::log::{self, Epoch};
use qcrs_train::train::LOG;
use std::fs;
use std::io::Read;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

pub const BARS: &str = "--arch cnn --data data --sigma 0.25 --held-out 20 --learning-rate 0.05 --seed 5";
/// Five steps per epoch.
pub const TRAIN: &str =
    "gaussian --arch cnn --data data --sigma 0.25 --held-out 20 --learning-rate 0.05 --seed 5 --batch 20";

pub struct Place {
    folder: TempDir,
}

/// What the program did.
pub struct Ran {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Place {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("data")).unwrap();
        for part in ["train", "t10k"] {
            write_bars(&folder.path().join("data"), part);
        }
        Self { folder }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The log without its times.
    pub fn curve(&self, out: &str) -> Vec<Epoch> {
        super::curve(&self.path(out))
    }

    fn command(&self, program: &[&str], typed: &str) -> Command {
        let mut command = Command::new(program[0]);
        command.args(&program[1..]).arg(env!("CARGO_BIN_EXE_qcrs-train")).args(typed.split(' '));
        // one thread: the order of additions, and so the last bits, must not depend on the machine's mood
        command.current_dir(self.folder.path()).env("OMP_NUM_THREADS", "1").stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub fn run(&self, typed: &str) -> Ran {
        Ran::new(self.command(&["env"], typed).output().unwrap())
    }

    /// No file may grow beyond 64 blocks, as on a disk that is nearly full.
    pub fn run_with_small_files(&self, typed: &str) -> Ran {
        let shell = ["sh", "-c", "trap '' XFSZ; ulimit -f 64; exec \"$0\" \"$@\""];
        Ran::new(self.command(&shell, typed).output().unwrap())
    }

    /// Whoever runs the tests may have signals ignored.
    pub fn start(&self, typed: &str) -> Child {
        self.command(&["env", "--default-signal=INT,TERM,HUP"], typed).spawn().unwrap()
    }

    pub fn start_ignoring(&self, signal: &str, typed: &str) -> Child {
        let ignore = format!("--ignore-signal={signal}");
        self.command(&["env", "--default-signal=INT,TERM", &ignore], typed).spawn().unwrap()
    }

    pub fn wait_for_epochs(&self, program: &mut Child, out: &str, epochs: usize) {
        let log = self.path(out).join(LOG);
        wait_until(program, || log::read(&log).unwrap().len() >= epochs);
    }
}

pub fn wait_until(program: &mut Child, there: impl Fn() -> bool) {
    let begun = Instant::now();
    while !there() {
        if program.try_wait().unwrap().is_some() && !there() {
            let mut said = String::new();
            let _ = program.stderr.take().unwrap().read_to_string(&mut said);
            panic!("the program has ended: {said}");
        }
        assert!(begun.elapsed() < Duration::from_mins(2), "waited too long");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Waits for the end of a program.
pub fn end(program: Child) -> Ran {
    Ran::new(program.wait_with_output().unwrap())
}

impl Ran {
    fn new(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }

    #[track_caller]
    pub fn succeeds(&self, words: &[&str]) {
        assert_eq!(self.code, Some(0), "{}", self.err);
        for words in words {
            assert!(
                self.out.contains(words) || self.err.contains(words),
                "no {words:?} in\n{}{}",
                self.err,
                self.out
            );
        }
    }

    #[track_caller]
    pub fn fails(&self, words: &[&str]) {
        assert_eq!(self.code, Some(1), "{}{}", self.out, self.err);
        assert!(self.err.lines().last().unwrap().starts_with("qcrs-train: "), "{}", self.err);
        assert_eq!(self.out, "");
        assert!(!self.err.contains("panicked"), "{}", self.err);
        for words in words {
            assert!(self.err.contains(words), "no {words:?} in\n{}", self.err);
        }
    }
}

/// The program's process is that of `env`, which became it.
pub fn send(signal: &str, program: &Child) {
    let sent = Command::new("sh").args(["-c", &format!("kill -{signal} {}", program.id())]).status().unwrap();
    assert!(sent.success());
}

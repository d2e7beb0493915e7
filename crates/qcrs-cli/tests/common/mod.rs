//! A place to work in: a linear classifier, a few images, and qcrs to run on them.
#![allow(dead_code)] // each test file uses its own part

pub mod model;

use assert_cmd::cargo::cargo_bin;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

pub const INPUTS: usize = 8;
const PIXELS: usize = 3 * 32 * 32;

/// A folder with `model.onnx` and `data.bin`, where qcrs is run.
pub struct Bench {
    folder: TempDir,
}

impl Bench {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("model.onnx"), model::linear([3, 32, 32])).unwrap();
        fs::write(folder.path().join("data.bin"), images()).unwrap();
        Self { folder }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub fn records(&self, run: &str) -> String {
        self.read(&format!("{run}/records-0-of-1.jsonl"))
    }

    /// Not yet started; words are separated by blanks.
    pub fn command(&self, typed: &str) -> Command {
        let mut command = Command::new(cargo_bin("qcrs"));
        command.args(typed.split_whitespace()).current_dir(self.folder.path()).stdin(Stdio::null());
        command
    }

    pub fn run(&self, typed: &str) -> Ran {
        Ran::new(typed, self.command(typed).output().unwrap())
    }

    /// A command that needs model and data, on the engine that is always there.
    pub fn with_model(&self, typed: &str) -> Ran {
        let (command, options) = typed.split_once(' ').unwrap();
        self.run(&format!("{command} {MODEL} {options}"))
    }

    /// A small run.
    pub fn certify(&self, options: &str) -> Ran {
        let looks = !["cohen", "probe", "dsrs"].iter().any(|method| options.contains(method));
        self.run(&format!("{CERTIFY} {} {options}", if looks { "--gradient-n 40" } else { "" }))
    }
}

pub const MODEL: &str = "--engine rten --model model.onnx --data data.bin";
pub const CERTIFY: &str =
    "certify --engine rten --model model.onnx --data data.bin --sigma 0.25 --n0 20 --n 200";

/// What a command did.
pub struct Ran {
    pub typed: String,
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Ran {
    pub fn new(typed: &str, output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self {
            typed: typed.into(),
            code: output.status.code(),
            out: text(output.stdout),
            err: text(output.stderr),
        }
    }

    /// It worked, and said all of these words on stdout, in one line or wrapped.
    #[track_caller]
    pub fn says(self, words: &[&str]) -> Self {
        assert_eq!(self.code, Some(0), "{}\n{}", self.typed, self.err);
        let unwrapped = self.out.replace('\n', " ");
        for words in words {
            let said = self.out.contains(words) || unwrapped.contains(words);
            assert!(said, "{}: no {words:?} in\n{}", self.typed, self.out);
        }
        self
    }

    /// It failed with this code, printed no result, and said all of these words on stderr.
    #[track_caller]
    pub fn fails(self, code: i32, words: &[&str]) -> Self {
        let Self { typed, out, err, .. } = &self;
        assert_eq!(self.code, Some(code), "{typed}\n{out}\n{err}");
        assert_eq!(out, "", "{typed}");
        for words in words {
            assert!(err.contains(words), "{typed}: no {words:?} in\n{err}");
        }
        assert!(!err.contains("panicked"), "{err}");
        assert!(code != 1 || err.starts_with("qcrs: "), "{typed}: {err}");
        self
    }

    /// It failed after some results.
    #[track_caller]
    pub fn code_is(self, code: i32, words: &str) -> Self {
        assert_eq!(self.code, Some(code), "{}\n{}", self.typed, self.err);
        assert!(self.err.contains(words), "{}: no {words:?} in\n{}", self.typed, self.err);
        self
    }

    /// The runs of a summary in JSON, one object per line.
    pub fn runs(&self) -> Vec<serde_json::Value> {
        self.out.lines().map(|line| self.parse(line)).collect()
    }

    pub fn json(&self) -> serde_json::Value {
        self.parse(&self.out)
    }

    fn parse(&self, text: &str) -> serde_json::Value {
        serde_json::from_str(text).unwrap_or_else(|error| panic!("{}: {error}\n{text}", self.typed))
    }
}

/// Whether nothing is at `path`.
pub fn absent(path: &Path) -> bool {
    path.symlink_metadata().is_err()
}

/// The pattern of a class: one of two values per pixel. Different patterns agree on half of them.
fn pattern(class: usize) -> impl Iterator<Item = f32> {
    (0..PIXELS).map(move |at| if (at >> class) & 1 == 0 { -1.0 } else { 1.0 })
}

/// CIFAR records: image i shows the pattern of its class, the more clearly the larger i is.
/// The first is plain grey, so that nothing can be certified about it; the last is labelled wrongly.
fn images() -> Vec<u8> {
    let mut bytes = Vec::new();
    for number in 0..INPUTS {
        let class = number % 5;
        bytes.push(if number == INPUTS - 1 { 9 } else { class as u8 });
        bytes.extend(pattern(class).map(|value| (127.5 + 0.6 * number as f32 * value).round() as u8));
    }
    bytes
}

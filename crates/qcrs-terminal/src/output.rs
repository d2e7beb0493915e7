//! Where results and messages go.

use anyhow::Context;
use qcrs::report::Terminal;
use qcrs::types::{ChangedSetting, Error, in_words};
use qcrs::{files, text};
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

static QUIET: AtomicBool = AtomicBool::new(false);

/// Whether only errors go to stderr from here on.
pub fn be_quiet(quiet: bool) {
    QUIET.store(quiet, Relaxed);
}

/// Whether only errors go to stderr.
pub fn is_quiet() -> bool {
    QUIET.load(Relaxed)
}

/// Writes a line to stderr, which may quote files. A run must not end because its stderr was closed, so
/// failures are ignored.
pub fn complain(message: std::fmt::Arguments) {
    let _ = writeln!(std::io::stderr(), "{}", text::lines(&message.to_string()));
}

/// Writes a message to stderr, unless only errors go there.
#[macro_export]
macro_rules! say {
    ($($message:tt)*) => {
        if !$crate::output::is_quiet() {
            $crate::output::complain(format_args!($($message)*));
        }
    };
}
pub use say;

/// The width of tables in a pipe or a file.
const IN_A_PIPE: usize = 80;
/// Longer lines are hard to read, however wide the terminal is.
const WIDEST: usize = 120;

/// Where tables go: stdout, with its width if it is a terminal, and options that start with two dashes.
pub fn terminal() -> Terminal {
    let size = terminal_size::terminal_size_of(std::io::stdout());
    let width = size.map_or(IN_A_PIPE, |(width, _)| usize::from(width.0).clamp(40, WIDEST));
    Terminal { width, setting: option }
}

/// The parts of a command that can be copied, with a backslash where a line would become too long.
pub fn command(parts: &[&str]) -> String {
    let (width, mut text, mut used) = (terminal().width - 2, String::new(), 0);
    for (at, part) in parts.iter().enumerate() {
        let length = part.chars().count();
        if at > 0 && used + 1 + length > width {
            text.push_str(" \\\n    ");
            used = 4;
        } else if at > 0 {
            text.push(' ');
            used += 1;
        }
        text.push_str(part);
        used += length;
    }
    text
}

/// Words about a path, which stands on a line of its own where they have no room beside it.
pub fn beside(words: &str, path: &Path) -> String {
    let path = path.display().to_string();
    let fits = words.chars().count() + 1 + path.chars().count() <= terminal().width;
    format!("{words}{}{path}", if fits { " " } else { "\n  " })
}

/// A setting of the library as it is typed.
fn option(name: &str) -> String {
    format!("--{}", name.replace('_', "-"))
}

/// How results are written to stdout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// A table for people
    #[default]
    Text,
    /// One JSON value for programs
    Json,
}

/// How rows of numbers are written to stdout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum RowFormat {
    /// Tables for people, with few digits
    #[default]
    Text,
    /// One line per row for programs, with every digit, separated by tabs
    Tsv,
    /// One JSON value for programs
    Json,
}

/// An error with its causes, except those that the sentence before already tells.
pub fn story(error: &anyhow::Error) -> String {
    let mut parts = error.chain().map(|part| match (part.downcast_ref(), part.downcast_ref()) {
        (Some(ours), _) => typed(ours),
        (_, Some(system)) => in_words(system),
        _ => part.to_string(),
    });
    let mut text = parts.next().unwrap_or_default();
    for cause in parts {
        if !text.ends_with(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

/// An error of the library, with settings as they are typed here.
fn typed(error: &Error) -> String {
    let words = match error {
        Error::Setting { name, problem } => format!("{}: {problem}", option(name)),
        Error::OtherRun { path, changed, cure } => {
            format!("{}: {}; {cure}", path.display(), ChangedSetting::all(changed, option))
        }
        Error::Input { index, source } => format!("input {index}: {}", typed(source)),
        other => other.to_string(),
    };
    CURES.iter().fold(words, |words, (cure, typed)| words.replace(cure, typed))
}

/// What the library advises to do with its settings, and how that is typed here.
const CURES: [(&str, &str); 4] = [
    ("resize and crop image files", "bring image files to that size with --resize and --crop"),
    ("resize and crop all images to one size", "bring all images to one size with --resize and --crop"),
    ("set the layout of an array", "give the --layout of an array"),
    ("set names to a file", "give --names a file"),
];

/// Writes to stdout text that may quote files; a closed pipe is returned as an error that `main` treats as
/// success.
pub fn print(text: &str) -> anyhow::Result<()> {
    write_out(&text::lines(text))
}

fn write_out(text: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    let end: &[u8] = if text.ends_with('\n') { b"" } else { b"\n" };
    let written = out.write_all(text.as_bytes()).and_then(|()| out.write_all(end)).and_then(|()| out.flush());
    written.context("cannot write to stdout")
}

/// Writes a value as JSON to stdout.
pub fn print_json(value: &impl serde::Serialize) -> anyhow::Result<()> {
    print_json_text(&serde_json::to_string_pretty(value)?)
}

/// Writes JSON to stdout.
pub fn print_json_text(json: &str) -> anyhow::Result<()> {
    write_out(&text::json(json))
}

/// Whether it is a device or a pipe such as /dev/stdout, which is written to, never replaced.
fn is_device(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// Makes sure that [`write_file`] will work, before draws are spent on what it writes.
pub fn check_writable(path: &Path) -> anyhow::Result<()> {
    let check = || {
        if is_device(path) {
            return Ok(());
        }
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new("")))?;
        files::check_writable(path).map_err(without_path)
    };
    check().with_context(|| format!("cannot write {}", path.display()))
}

/// The cause of an error whose path is told anyway.
fn without_path(error: Error) -> anyhow::Error {
    match error {
        Error::Io { source, .. } => source.into(),
        other => other.into(),
    }
}

/// Writes a file whole or not at all, with the folder it belongs in.
pub fn write_file(path: &Path, text: &str) -> anyhow::Result<()> {
    if is_device(path) {
        return std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()));
    }
    let write = || {
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new("")))?;
        files::write(path, text.as_bytes()).map_err(without_path)
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::CURES;
    use std::path::Path;

    /// The text of all sources below `folder`, with lines that were broken within a message joined again.
    fn sources(folder: &Path) -> String {
        let mut all = String::new();
        for entry in folder.read_dir().unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                all += &sources(&path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                all += &std::fs::read_to_string(path).unwrap();
            }
        }
        all.replace("\\\n", " ").split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Advice whose words change in the libraries would lose its options here.
    #[test]
    fn all_advice_is_still_given_by_the_libraries() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let library = sources(&crates.join("qcrs/src")) + &sources(&crates.join("qcrs-onnx/src"));
        let lost: Vec<&str> =
            CURES.iter().map(|(cure, _)| *cure).filter(|cure| !library.contains(cure)).collect();
        assert!(lost.is_empty(), "{lost:?}");
    }
}

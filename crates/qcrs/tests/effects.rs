//! Which code may touch files, the clock, the screen and the process?
//!
//! A library that does so unasked surprises its user, and no certificate may depend on any of them.

#[path = "common/sources.rs"]
mod sources;

use sources::{Source, every_crate, sources};

/// Something that only some places may do.
struct Rule {
    what: &'static str,
    /// How it is spelled in code.
    signs: &'static [&'static str],
    /// A crate, folder or file below `crates`, and why it may.
    allowed: &'static [(&'static str, &'static str)],
}

const RULES: [Rule; 8] = [
    Rule {
        what: "touches the file system",
        signs: &[
            "fs::",
            "File::open",
            "File::create",
            "OpenOptions::new",
            ".read_dir(",
            ".exists()",
            ".is_file()",
            ".is_dir()",
            ".metadata()",
            ".canonicalize()",
            ".read_link(",
            "tempfile::",
            "temp_dir(",
        ],
        allowed: &[
            ("qcrs/src/files.rs", "writes files whole or not at all"),
            ("qcrs/src/data/files/", "reads images and labels"),
            ("qcrs/src/run/", "keeps specs and records"),
            ("qcrs/src/attack/store.rs", "keeps what attacks found"),
            ("qcrs-onnx/src/inspect.rs", "reads a model"),
            ("qcrs-onnx/src/external.rs", "reads the weights beside it"),
            ("qcrs-onnx/src/library.rs", "searches for onnxruntime"),
            (
                "qcrs-onnx/src/engines/ort.rs",
                "resolves the path of onnxruntime, which is loaded once per process",
            ),
            ("qcrs-bank/src/file.rs", "keeps the bank"),
            ("qcrs-terminal/", "serves programs"),
            ("qcrs-lab/", "serves programs"),
            ("qcrs-cli/", "is a program"),
            ("qcrs-train/", "is a program"),
        ],
    },
    Rule {
        what: "looks at the clock",
        signs: &["Instant", "SystemTime"],
        allowed: &[
            ("qcrs/src/run/queue.rs", "measures seconds per input"),
            ("qcrs-cnn/src/engine/profile.rs", "measures layers, on request"),
            ("qcrs-onnx/src/trial.rs", "stops a trial that gives no answer"),
            ("qcrs-terminal/", "shows progress"),
            ("qcrs-lab/", "measures"),
            ("qcrs-cli/", "is a program"),
            ("qcrs-train/", "is a program"),
        ],
    },
    Rule {
        what: "prints",
        signs: &["println!", "eprintln!", "print!", "eprint!", "dbg!", "stdout()", "stderr()"],
        allowed: &[
            ("qcrs-onnx/src/answer.rs", "tells the process that started this one that it is alive"),
            ("qcrs-terminal/", "shows results, messages and progress for programs"),
            ("qcrs-cli/", "is a program"),
            ("qcrs-train/", "is a program"),
        ],
    },
    Rule {
        what: "makes rayon's global pool",
        // it belongs to the program that calls us, and hangs in a forked process
        signs: &["build_global"],
        allowed: &[],
    },
    Rule {
        what: "decides over the process",
        signs: &[
            "process::exit",
            "process::abort",
            "env::args",
            "signal_hook",
            "set_current_dir",
            "set_hook",
        ],
        allowed: &[
            ("qcrs-terminal/src/process.rs", "stops programs on Ctrl-C; a program calls it"),
            ("qcrs-cli/", "is a program"),
            ("qcrs-train/src/main.rs", "is a program"),
            ("qcrs-train/src/cli/stop.rs", "is a program"),
        ],
    },
    Rule {
        what: "reads the environment or starts processes",
        signs: &["env::var", "Command::new", "current_dir()", "current_exe()"],
        allowed: &[
            ("qcrs-onnx/src/library.rs", "searches for onnxruntime"),
            ("qcrs-onnx/src/trial.rs", "tries onnxruntime in a process of its own"),
            ("qcrs-onnx/src/answer.rs", "learns what to try in that process"),
            ("qcrs-lab/src/bench/peer.rs", "runs PyTorch for comparison"),
            ("qcrs-cli/", "is a program"),
        ],
    },
    Rule {
        what: "asks the system for randomness",
        // all other noise is a function of its address
        signs: &["getrandom"],
        allowed: &[("qcrs/src/noise/seed.rs", "makes a secret seed")],
    },
    Rule {
        what: "is unsafe",
        signs: &["unsafe", "unsafe_code"],
        allowed: &[("qcrs-cnn/src/kernel/", "uses the instructions of the processor")],
    },
];

/// Every rule holds, and no place may more than it needs.
#[test]
fn only_the_listed_places_touch_files_clock_screen_and_process() {
    let all: Vec<Source> = every_crate().iter().flat_map(|name| sources(name)).collect();
    let mut wrong = Vec::new();
    for Rule { what, signs, allowed } in RULES {
        let mut used = vec![false; allowed.len()];
        for (source, sign) in all.iter().flat_map(|source| signs.iter().map(move |sign| (source, sign))) {
            if has(&source.code, sign) {
                match allowed.iter().position(|(place, _)| source.file.starts_with(place)) {
                    Some(at) => used[at] = true,
                    None => wrong.push(format!("{} {what}: `{sign}`", source.file)),
                }
            }
        }
        let needless = allowed.iter().zip(used).filter(|(_, used)| !used);
        wrong.extend(needless.map(|((place, _), _)| format!("{place} may, but no longer {what}: remove it")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Whether `code` has `sign`, but not as a part of a longer word.
fn has(code: &str, sign: &str) -> bool {
    let in_a_word = |c: char| c.is_alphanumeric() || c == '_';
    let (word_first, word_last) = (sign.starts_with(in_a_word), sign.ends_with(in_a_word));
    code.match_indices(sign).any(|(at, _)| {
        let starts = !word_first || !code[..at].ends_with(in_a_word);
        // `env::var` also stands for `env::var_os`
        let ends = !word_last || sign.contains("::") || !code[at + sign.len()..].starts_with(in_a_word);
        starts && ends
    })
}

#[test]
fn a_sign_is_a_word_of_the_code() {
    let code = sources::code(
        "// std::fs::read\n let unsafely = \"println!\"; env::var_os(X) #[cfg(test)] mod tests { unsafe {} }\n\
         #[cfg(all(test, unix))] mod more { fn f() { fs::read() } } let instant: std::time::Instant;",
    );
    for (sign, found) in
        [("fs::", false), ("println!", false), ("unsafe", false), ("env::var", true), ("Instant", true)]
    {
        assert_eq!(has(&code, sign), found, "{sign}: {code}");
    }
}

//! Tests that are ignored by name, with the reason, where something that they need is missing.
//!
//! The standard harness fixes at compile time which tests are ignored, but what a machine has is known only at run
//! time. Test files with such tests set `harness = false` and list their tests in `main`.
#![allow(dead_code, unused_imports, unused_macros)] // each test file uses its own part

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use std::process::{Command, ExitCode};

/// Something that a test needs and that not every machine has.
#[derive(Clone, Debug)]
pub enum Need {
    /// It is here: the test runs.
    Met,
    /// It is missing: the test is ignored for this reason, and fails if ignored tests are asked for.
    Missing(String),
    /// It is missing although the environment promises it: the test fails for this reason.
    Broken(String),
}

impl Need {
    /// What was looked for; `promise` is the variable that is set where it must be there.
    pub fn found(found: Result<(), String>, promise: &str) -> Self {
        match found {
            Ok(()) => Self::Met,
            Err(why) if is_set(promise) => Self::Broken(format!("{why}; {promise} is set")),
            Err(why) => Self::Missing(why),
        }
    }

    /// A folder that a variable names. Where it is set, tests must find their files there.
    pub fn folder(variable: &str, what: &str) -> Self {
        if is_set(variable) {
            Self::Met
        } else {
            Self::Missing(format!("set {variable} to the folder of {what}"))
        }
    }

    fn check(self) -> Result<(), Failed> {
        match self {
            Self::Met => Ok(()),
            Self::Missing(why) | Self::Broken(why) => Err(why.into()),
        }
    }
}

fn is_set(variable: &str) -> bool {
    std::env::var_os(variable).is_some_and(|value| !value.is_empty() && value != "0")
}

/// The tests of one file, in the order in which they are listed.
pub struct Suite {
    arguments: Arguments,
    trials: Vec<Trial>,
}

impl Suite {
    /// Takes the arguments of the standard harness.
    pub fn from_args() -> Self {
        Self { arguments: Arguments::from_args(), trials: Vec::new() }
    }

    /// Functions with their names, see `tests!`.
    pub fn all(&mut self, need: &Need, tests: &[(&str, fn())]) {
        for &(name, test) in tests {
            self.add(name, need, test);
        }
    }

    pub fn add(&mut self, name: impl Into<String>, need: &Need, test: impl FnOnce() + Send + 'static) {
        let why = match need {
            Need::Missing(why) => Some(why.clone()),
            Need::Met | Need::Broken(_) => None,
        };
        self.push(name.into(), why, need, test);
    }

    /// The test `slow::NAME`, which `cargo slow` runs.
    pub fn slow(&mut self, name: &str, why: &str, need: &Need, test: impl FnOnce() + Send + 'static) {
        self.push(format!("slow::{name}"), Some(format!("slow: {why}")), need, test);
    }

    fn push(
        &mut self,
        name: String,
        ignored: Option<String>,
        need: &Need,
        test: impl FnOnce() + Send + 'static,
    ) {
        let need = need.clone();
        let run = move || need.check().map(|()| test());
        self.trials.push(match ignored {
            // the flag would hide the reason, and the reason would hide the test from --ignored
            Some(why) if !self.runs_ignored() => {
                Trial::ignorable_test(name, || Ok(Completion::ignored_with(why)))
            }
            ignored => Trial::test(name, run).with_ignored_flag(ignored.is_some()),
        });
    }

    fn runs_ignored(&self) -> bool {
        self.arguments.ignored || self.arguments.include_ignored
    }

    pub fn run(self) -> ExitCode {
        libtest_mimic::run(&self.arguments, self.trials).exit_code()
    }
}

/// Starts the tests of this file once more, with other variables (`None` removes one): what they print if they
/// succeed, or if they fail.
pub fn again(arguments: &[&str], variables: &[(&str, Option<&str>)]) -> Result<String, String> {
    let mut command = Command::new(std::env::current_exe().unwrap());
    for (name, value) in variables {
        command.env_remove(name).envs(value.map(|value| (name, value)));
    }
    let output = command.args(arguments).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    if output.status.success() { Ok(text) } else { Err(text) }
}

/// Functions with their names.
macro_rules! tests {
    ($($test:ident),+ $(,)?) => { &[$((stringify!($test), $test)),+] };
}
pub(crate) use tests;

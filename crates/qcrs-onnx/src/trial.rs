//! Does onnxruntime survive this model, in a separate process?
//!
//! A native library that crashes takes its process with it, and that should not be a run of several days. A
//! [`Trial`] names a program that can answer [`answer_trial`](crate::answer_trial): it is started once, before
//! the library is loaded here.

use crate::device::Device;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// How to try a library before it is loaded: with a program that calls
/// [`answer_trial`](crate::answer_trial) first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trial {
    /// The program. A Rust program uses [`std::env::current_exe`]; a Python process uses its Python.
    pub program: PathBuf,
    /// Its arguments, such as `-m package.trial` for a Python.
    pub arguments: Vec<OsString>,
    /// How long it may take.
    pub patience: Duration,
}

/// What is tried.
pub(crate) struct Question<'a> {
    /// `None` if the model is in memory only.
    pub(crate) model: Option<&'a Path>,
    pub(crate) shape: [usize; 3],
    pub(crate) device: Device,
}

/// The variables that say that a process was started for a trial, and on what: shape, device, model.
pub(crate) const VARIABLES: [&str; 3] = ["QCRS_TRIAL_SHAPE", "QCRS_TRIAL_DEVICE", "QCRS_TRIAL_MODEL"];
/// What a process says that is still alive afterwards.
pub(crate) const ALIVE: &str = "qcrs: onnxruntime was tried, and this process lives";

impl Trial {
    /// Starts `program` without arguments, and gives it 20 seconds.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        Self { program: program.into(), arguments: Vec::new(), patience: Duration::from_secs(20) }
    }

    /// Why the library must not be loaded, if it must not.
    pub(crate) fn of(&self, library: &Path, question: &Question<'_>) -> Result<(), String> {
        let [c, h, w] = question.shape;
        let values: [OsString; 3] = [
            format!("{c},{h},{w}").into(),
            question.device.to_string().into(),
            question.model.unwrap_or(Path::new("")).into(),
        ];
        let mut command = Command::new(&self.program);
        command.args(&self.arguments);
        command.envs(VARIABLES.into_iter().zip(values)).env(crate::library::VARIABLE, library);
        self.attempt(&mut command).map_err(|how| format!("{} {how} when it was tried", library.display()))
    }

    fn attempt(&self, command: &mut Command) -> Result<(), String> {
        let quiet = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        // a program that cannot be started says nothing about the library
        let Ok(mut child) = quiet.spawn() else { return Ok(()) };
        let Some(status) = wait(&mut child, self.patience) else {
            return Err(format!("gave no answer within {} s", self.patience.as_secs_f64()));
        };
        let said = child.stdout.take().and_then(|out| std::io::read_to_string(out).ok()).unwrap_or_default();
        if status.success() && said.lines().any(|line| line == ALIVE) { Ok(()) } else { Err(end(status)) }
    }
}

/// How the child ended; `None` if it had to be killed.
fn wait(child: &mut Child, patience: Duration) -> Option<ExitStatus> {
    let start = Instant::now();
    while start.elapsed() < patience {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        std::thread::sleep(Duration::from_millis(3));
    }
    let _ = child.kill();
    let _ = child.wait();
    None
}

fn end(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("crashed with signal {signal}");
    }
    match status.code() {
        Some(0) => "ended the process without a word".into(),
        Some(code) => format!("ended the process with exit code {code}"),
        None => "ended the process".into(),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// The result of trying `program` with these arguments.
    fn tried(program: &str, arguments: &[&str]) -> Result<(), String> {
        let (arguments, patience) = (arguments.iter().map(Into::into).collect(), Duration::from_secs(2));
        let trial = Trial { arguments, patience, ..Trial::new(program) };
        let model = Some(Path::new("m.onnx"));
        let question = Question { model, shape: [3, 32, 30], device: Device::Cpu };
        trial.of(Path::new("lib.so"), &question)
    }

    #[track_caller]
    fn fails(script: &str, how: &str) {
        assert_eq!(tried("sh", &["-c", script]), Err(format!("lib.so {how} when it was tried")), "{script}");
    }

    #[test]
    fn a_crash_a_hang_and_silence_are_told_apart() {
        assert_eq!(tried("sh", &["-c", &format!("echo noise; echo '{ALIVE}'")]), Ok(()));
        fails("kill -SEGV $$", "crashed with signal 11");
        fails("exit 3", "ended the process with exit code 3");
        fails(&format!("echo '{ALIVE}'; exit 3"), "ended the process with exit code 3");
        fails("true", "ended the process without a word");
        fails("exec sleep 60", "gave no answer within 2 s");
        assert_eq!(tried("/no/such/program", &[]), Ok(()));
    }

    /// Any program can answer, such as a Python: it gets its own arguments and learns what to try.
    #[test]
    fn another_program_gets_its_arguments_and_the_question() {
        let script = r#"echo "$1 $QCRS_TRIAL_SHAPE $QCRS_TRIAL_DEVICE $QCRS_TRIAL_MODEL $ORT_DYLIB_PATH" | \
            grep -qx "word 3,32,30 cpu m.onnx lib.so" && echo "$2""#;
        assert_eq!(tried("sh", &["-c", script, "sh", "word", ALIVE]), Ok(()));
    }
}

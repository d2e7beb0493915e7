//! Does onnxruntime survive this model, in a process of its own?
//!
//! A native library that crashes takes its process with it, and a run of days should not be that process.
//! Who has a program to spare gives it as [`Trial`]: it is started once, before the library is loaded here,
//! and calls [`answer_trial`].

use crate::options::Device;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// How to try a library before it is loaded.
#[derive(Clone, Copy, Debug)]
pub struct Trial {
    /// Makes the command that starts a program whose first act is [`answer_trial`].
    pub command: fn() -> Command,
    /// How long it may take.
    pub patience: Duration,
}

/// What is tried.
pub(crate) struct Question<'a> {
    /// None if the model is in memory only.
    pub(crate) model: Option<&'a Path>,
    pub(crate) shape: [usize; 3],
    pub(crate) device: Device,
}

/// The variables that say that a process was started for a trial, and on what: shape, device, model.
const VARIABLES: [&str; 3] = ["QCRS_TRIAL_SHAPE", "QCRS_TRIAL_DEVICE", "QCRS_TRIAL_MODEL"];
/// What a process says that is still alive afterwards.
const ALIVE: &str = "qcrs: onnxruntime was tried, and this process lives";

/// If this process was started for a trial, loads onnxruntime, runs the model on one black image, says
/// that it is alive, and gives true: the program should end then. An orderly error counts as life.
pub fn answer_trial() -> bool {
    let [Some(shape), Some(device), Some(model)] = VARIABLES.map(std::env::var_os) else { return false };
    let shape: Vec<usize> = shape.to_string_lossy().split(',').flat_map(str::parse).collect();
    if let (&[c, h, w], Ok(device)) = (shape.as_slice(), device.to_string_lossy().parse()) {
        let model = PathBuf::from(model);
        let model = Some(model.as_path()).filter(|model| !model.as_os_str().is_empty());
        let question = Question { model, shape: [c, h, w], device };
        // whoever asked will see the same error for himself
        let _ = crate::model::run_once(&question);
        println!("{ALIVE}");
    }
    true
}

impl Trial {
    /// Why the library must not be loaded, if so.
    pub(crate) fn of(&self, library: &Path, question: &Question<'_>) -> Result<(), String> {
        let [c, h, w] = question.shape;
        let values: [OsString; 3] = [
            format!("{c},{h},{w}").into(),
            question.device.to_string().into(),
            question.model.unwrap_or(Path::new("")).into(),
        ];
        let mut command = (self.command)();
        command.envs(VARIABLES.into_iter().zip(values)).env(crate::library::VARIABLE, library);
        self.attempt(command).map_err(|how| format!("{} {how} when it was tried", library.display()))
    }

    fn attempt(&self, mut command: Command) -> Result<(), String> {
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

/// How the child ended; none if it had to be killed.
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

    fn attempt(script: &str) -> Result<(), String> {
        let trial = Trial { command: || Command::new("sh"), patience: Duration::from_secs(2) };
        let mut command = (trial.command)();
        command.args(["-c", script]);
        trial.attempt(command)
    }

    #[test]
    fn a_crash_a_hang_and_silence_are_told_apart() {
        assert_eq!(attempt(&format!("echo noise; echo '{ALIVE}'")), Ok(()));
        assert_eq!(attempt("kill -SEGV $$"), Err("crashed with signal 11".into()));
        assert_eq!(attempt("exit 3"), Err("ended the process with exit code 3".into()));
        assert_eq!(
            attempt(&format!("echo '{ALIVE}'; exit 3")),
            Err("ended the process with exit code 3".into())
        );
        assert_eq!(attempt("true"), Err("ended the process without a word".into()));
        assert_eq!(attempt("exec sleep 60"), Err("gave no answer within 2 s".into()));
        let missing =
            Trial { command: || Command::new("/no/such/program"), patience: Duration::from_secs(1) };
        assert_eq!(missing.attempt((missing.command)()), Ok(()));
    }
}

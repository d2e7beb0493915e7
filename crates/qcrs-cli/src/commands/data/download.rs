//! How are files downloaded? With programs that users already have and trust.

use crate::output::say;
use anyhow::{Context, Result, bail};
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Fetches `url` into `to`, continuing a partial file; `whole` says whether the result is right.
/// A file that is already right is not fetched; one that turns out wrong is fetched once more from its start.
pub(super) fn download(url: &str, to: &Path, whole: impl Fn(&Path) -> Result<()>) -> Result<()> {
    if to.exists() {
        if whole(to).is_ok() {
            return Ok(());
        }
        say!("qcrs: resuming {}", to.display());
        match fetch(url, to) {
            Ok(()) if whole(to).is_ok() => return Ok(()),
            Err(Fetch::Network(error)) => return Err(error), // what is there stays for the next time
            Ok(()) | Err(Fetch::Refused(_)) => {
                say!(
                    "qcrs: {} does not match the server's file; downloading it from the start",
                    to.display()
                );
                fs::remove_file(to).with_context(|| format!("{}: cannot be removed", to.display()))?;
            }
        }
    }
    fetch(url, to).map_err(|(Fetch::Network(error) | Fetch::Refused(error))| error)?;
    whole(to)
}

/// Why a fetch failed.
enum Fetch {
    /// No way to the server: what was fetched so far is good.
    Network(anyhow::Error),
    /// The server has no such file, or none that continues ours.
    Refused(anyhow::Error),
}

fn fetch(url: &str, to: &Path) -> Result<(), Fetch> {
    let mut curl = Command::new("curl");
    curl.args(["--fail", "--location", "--progress-bar", "--connect-timeout", "10"]);
    curl.args([
        "--speed-limit",
        "1000",
        "--speed-time",
        "30",
        "--write-out",
        "%{errormsg}",
        "--continue-at",
        "-",
    ]);
    curl.arg("--output").arg(to).arg(url);
    let mut wget = Command::new("wget");
    wget.args(["--continue", "--tries=2", "--connect-timeout=10", "--read-timeout=30", "--output-document"]);
    wget.arg(to).arg(url);
    // 22: the server says no (416 for a range); 33 and 36: it cannot continue; wget's 8 is all of these
    for (mut program, refusals) in [(curl, &[22, 33, 36][..]), (wget, &[8])] {
        let name = program.get_program().to_string_lossy().into_owned();
        // the error goes to standard output, so the progress can go straight to the user
        let output = match program.stdin(Stdio::null()).stderr(Stdio::inherit()).output() {
            Ok(output) => output,
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Err(error) => return Err(Fetch::Network(anyhow::Error::new(error).context(name))),
        };
        if output.status.success() {
            return Ok(());
        }
        let words = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        let error = anyhow::anyhow!("{name} {url}: {} {words}", output.status);
        let refused = output.status.code().is_some_and(|code| refusals.contains(&code));
        return Err(if refused { Fetch::Refused(error) } else { Fetch::Network(error) });
    }
    Err(Fetch::Network(anyhow::anyhow!("neither curl nor wget is installed")))
}

/// Runs a program to its end and gives what it said, or its last words if it failed.
pub(super) fn run(command: &mut Command) -> Result<()> {
    let output = output(command)?;
    if !output.status.success() {
        let name = command.get_program().to_string_lossy();
        bail!("{name}: {}: {}", output.status, last_words(&output));
    }
    Ok(())
}

/// Runs a program to its end, however it ends.
pub(super) fn output(command: &mut Command) -> Result<Output> {
    let name = command.get_program().to_string_lossy().into_owned();
    command.stdin(Stdio::null()).output().map_err(|error| match error.kind() {
        ErrorKind::NotFound => anyhow::anyhow!("{name} is not installed"),
        _ => anyhow::Error::new(error).context(format!("{name} cannot be started")),
    })
}

/// The end of what a program said, in one line.
pub(super) fn last_words(output: &Output) -> String {
    let text = [&output.stdout[..], &output.stderr[..]].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines[lines.len().saturating_sub(4)..].join(" | ")
}

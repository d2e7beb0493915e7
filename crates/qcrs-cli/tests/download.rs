//! Does a download end with the whole file, whatever was there before?

#[allow(dead_code)] // the commands use more of it
#[path = "../src/commands/data/download.rs"]
mod download;
#[path = "../../qcrs/tests/common/suite.rs"]
mod suite;

use download::download;
use qcrs_terminal::output;
use std::fs;
use std::process::{Command, ExitCode};
use suite::{Need, Suite, again, tests};

fn main() -> ExitCode {
    let mut suite = Suite::from_args();
    suite.all(&curl(), tests![a_partial_wrong_or_missing_file_ends_whole]);
    suite.all(&Need::Met, tests![a_missing_curl_never_looks_like_success]);
    suite.run()
}

/// wget knows no addresses of files.
fn curl() -> Need {
    let found = Command::new("curl").arg("--version").output().is_ok_and(|output| output.status.success());
    Need::found(found.then_some(()).ok_or("install curl".into()), "QCRS_NEED_CURL")
}

/// What the file should hold is served from the file system: curl treats it like any other address.
fn a_partial_wrong_or_missing_file_ends_whole() {
    output::be_quiet(true);
    let folder = tempfile::tempdir().unwrap();
    let (served, to) = (folder.path().join("served"), folder.path().join("to"));
    let whole: Vec<u8> = (0..100_000_u32).map(|i| (i % 251) as u8).collect();
    fs::write(&served, &whole).unwrap();
    let url = format!("file://{}", served.display());
    for before in
        [None, Some(whole[..777].to_vec()), Some(vec![9; 500]), Some(vec![9; 200_000]), Some(whole.clone())]
    {
        let _ = fs::remove_file(&to);
        let len = before.as_ref().map(Vec::len);
        if let Some(bytes) = &before {
            fs::write(&to, bytes).unwrap();
        }
        let check = |path: &std::path::Path| {
            anyhow::ensure!(fs::read(path)? == whole, "other bytes");
            Ok(())
        };
        download(&url, &to, check).unwrap_or_else(|error| panic!("{len:?}: {error:#}"));
        assert_eq!(fs::read(&to).unwrap(), whole, "{len:?}");
    }
    let missing = download(&format!("{url}-not"), &folder.path().join("none"), |_| Ok(())).unwrap_err();
    assert!(missing.to_string().contains("served-not"), "{missing}");
}

fn a_missing_curl_never_looks_like_success() {
    let run =
        |promise| again(&["ends_whole"], &[("QCRS_NEED_CURL", promise), ("PATH", Some("no-such-folder"))]);
    let text = run(None).unwrap();
    assert!(text.contains("ignored (install curl)") && text.contains("0 failed; 1 ignored"), "{text}");
    let text = run(Some("1")).unwrap_err();
    assert!(
        text.contains("install curl; QCRS_NEED_CURL is set") && text.contains("1 failed; 0 ignored"),
        "{text}"
    );
}

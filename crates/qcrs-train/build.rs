//! Where is libtorch, and what to install if it is missing?
//!
//! torch-sys looks for it as well, but its message names no version, and a binary that finds the
//! library only through `LD_LIBRARY_PATH` is a binary that does not start. On a machine with few cores
//! cargo comes to torch-sys first, and its message is the one that is seen.

use std::path::{Path, PathBuf};
use std::process::Command;

const WHAT_TO_INSTALL: &str = "the trainer needs libtorch 2.13.0; the rest of qcrs does not. Install libtorch with\n\
    \n    python3 -m venv ~/.torch && ~/.torch/bin/pip install torch==2.13.0 numpy\n\
    \nand build with that Python first in PATH:\n\
    \n    PATH=~/.torch/bin:$PATH LIBTORCH_USE_PYTORCH=1 cargo build --release -p qcrs-train\n\
    \nOr unpack a libtorch 2.13.0 from pytorch.org and set LIBTORCH to its folder.";

const ASK_PYTHON: &str = "import torch, os; print(os.path.join(os.path.dirname(torch.__file__), 'lib'))";

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    for name in ["LIBTORCH", "LIBTORCH_LIB", "LIBTORCH_USE_PYTORCH", "PATH"] {
        println!("cargo:rerun-if-env-changed={name}");
    }
    name_commit();
    let Some(folder) = library_folder() else {
        eprintln!("\n{WHAT_TO_INSTALL}\n");
        std::process::exit(1);
    };
    // binaries and tests find the library where it was at build time
    if cfg!(unix) {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{}", folder.display());
    }
}

/// The folder with libtorch, looked for in the same places and order as torch-sys does.
fn library_folder() -> Option<PathBuf> {
    let set = |name| std::env::var_os(name).map(PathBuf::from);
    let folder = if set("LIBTORCH_USE_PYTORCH").is_some() {
        let python = if set("VIRTUAL_ENV").is_some() { "python" } else { "python3" };
        let answer = Command::new(python).args(["-c", ASK_PYTHON]).output().ok()?;
        PathBuf::from(String::from_utf8(answer.stdout).ok()?.trim())
    } else if let Some(libtorch) = set("LIBTORCH_LIB").or(set("LIBTORCH")) {
        libtorch.join("lib")
    } else {
        Path::new("/usr/lib").to_owned()
    };
    let found = ["libtorch.so", "libtorch.dylib", "torch.lib"].iter().any(|name| folder.join(name).exists());
    found.then_some(folder)
}

/// Model cards name the commit of the trainer; a source archive has none.
fn name_commit() {
    let git = |arguments: &[&str]| {
        let answer =
            Command::new("git").args(arguments).output().ok().filter(|answer| answer.status.success())?;
        Some(String::from_utf8(answer.stdout).ok()?.trim().to_owned())
    };
    if let (Some(commit), Some(log)) =
        (git(&["rev-parse", "HEAD"]), git(&["rev-parse", "--git-path", "logs/HEAD"]))
    {
        println!("cargo:rustc-env=QCRS_COMMIT={commit}");
        println!("cargo:rerun-if-changed={log}");
    }
}

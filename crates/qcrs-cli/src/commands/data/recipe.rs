//! How is a dataset got, and how do we know that it is whole?

use super::digest;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};

/// A dataset, its files and where to find them.
pub(super) struct DatasetRecipe {
    /// What people call it.
    pub title: &'static str,
    /// The folder it gets.
    pub folder: &'static str,
    /// Every file of the result, and the MD5 of its content (after unpacking, for `.gz`:
    /// the same content has been packed differently by different people).
    pub files: &'static [(&'static str, &'static str)],
    /// Where it may come from; the first that works is taken.
    pub sources: &'static [Source],
    /// What to do when none does.
    pub by_hand: &'static str,
}

/// One place that a dataset may come from.
pub(super) struct Source {
    /// What it is, for messages.
    pub what: &'static str,
    /// Brings the files into `Work::ready`.
    pub bring: fn(&Work) -> Result<()>,
}

impl DatasetRecipe {
    /// Whether every file is in `folder`, with the right content.
    pub(super) fn check(&self, folder: &Path) -> Result<()> {
        for (name, md5) in self.files {
            digest::expect(&folder.join(name), md5)?;
        }
        Ok(())
    }
}

/// The folder in which a dataset is put together, out of everybody's way.
pub(super) struct Work {
    root: PathBuf,
}

impl Work {
    pub(super) fn new(root: &Path) -> Result<Self> {
        fs::create_dir_all(root.join("download"))
            .with_context(|| format!("{}: cannot be created", root.display()))?;
        // absolute, because some of the programs we start are started elsewhere
        Ok(Self { root: root.canonicalize()? })
    }

    /// Where the finished files go.
    pub(super) fn ready(&self) -> PathBuf {
        self.root.join("ready")
    }

    /// What was fetched, whole or in part; stays for the next attempt.
    pub(super) fn download(&self) -> PathBuf {
        self.root.join("download")
    }

    /// An empty folder for in-between files.
    pub(super) fn scratch(&self) -> Result<PathBuf> {
        self.emptied("scratch")
    }

    /// Makes `ready` empty, whatever an earlier attempt left there.
    pub(super) fn clear(&self) -> Result<()> {
        self.emptied("ready").map(drop)
    }

    fn emptied(&self, name: &str) -> Result<PathBuf> {
        let folder = self.root.join(name);
        if folder.exists() {
            fs::remove_dir_all(&folder)
                .with_context(|| format!("{}: cannot be emptied", folder.display()))?;
        }
        fs::create_dir_all(&folder).with_context(|| format!("{}: cannot be created", folder.display()))?;
        Ok(folder)
    }

    /// Removes everything.
    pub(super) fn remove(self) -> Result<()> {
        fs::remove_dir_all(&self.root).with_context(|| format!("{}: cannot be removed", self.root.display()))
    }
}

/// Copies the files called `names` from wherever they are under `from`.
pub(super) fn collect(from: &Path, names: &[&str], to: &Path) -> Result<()> {
    for name in names {
        let Some(file) = find(from, name)? else { bail!("{name} is not in the package") };
        fs::copy(&file, to.join(name)).with_context(|| format!("{}: cannot be copied", file.display()))?;
    }
    Ok(())
}

fn find(folder: &Path, name: &str) -> Result<Option<PathBuf>> {
    for entry in fs::read_dir(folder).with_context(|| format!("{}: cannot be read", folder.display()))? {
        let (path, kind) = entry.and_then(|entry| Ok((entry.path(), entry.file_type()?)))?;
        if kind.is_file() && path.file_name().is_some_and(|found| found == name) {
            return Ok(Some(path));
        }
        if kind.is_dir()
            && let Some(found) = find(&path, name)?
        {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

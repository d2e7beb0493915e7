//! How is a file written whole or not at all?

use crate::types::Error;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Writes `bytes` to `path`, whole or not at all.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    replace(path, |aside| fs::write(aside, bytes).map_err(Error::io(path)))
}

/// Makes sure that [`write`](fn@write) can make a file beside `path`.
pub fn check_writable(path: &Path) -> Result<(), Error> {
    aside(path, |aside| fs::write(aside, []).map_err(Error::io(path)), |aside| fs::remove_file(aside))
}

/// Lets `write` fill a file beside `path`, then renames it: a power cut leaves the old file or the new one.
/// A failed write (a full disk) leaves the old file and nothing beside it.
pub fn replace(path: &Path, write: impl FnOnce(&Path) -> Result<(), Error>) -> Result<(), Error> {
    aside(path, write, |aside| fs::rename(aside, path))
}

/// Writes `bytes` to `path`, whole or not at all, if there is no such file; returns whether it did.
pub fn write_new(path: &Path, bytes: &[u8]) -> Result<bool, Error> {
    let write = |aside: &Path| fs::write(aside, bytes).map_err(Error::io(path));
    aside(path, write, |aside| {
        let linked = fs::hard_link(aside, path);
        fs::remove_file(aside)?;
        match linked {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
            // not every file system has links
            Err(_) => write_in_place(path, bytes),
        }
    })
}

/// Writes a new file, which a crash may leave torn, but never replaces one; returns whether it was new.
fn write_in_place(path: &Path, bytes: &[u8]) -> io::Result<bool> {
    match File::create_new(path) {
        Ok(mut file) => file.write_all(bytes).and_then(|()| file.sync_data()).map(|()| true),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    }
}

fn aside<T>(
    path: &Path,
    write: impl FnOnce(&Path) -> Result<(), Error>,
    then: impl FnOnce(&Path) -> io::Result<T>,
) -> Result<T, Error> {
    let aside = name_aside(path);
    // a file that an earlier process with our id left there may be a link to `path` itself
    let _ = fs::remove_file(&aside);
    let written = write(&aside).and_then(|()| {
        File::open(&aside)
            .and_then(|file| file.sync_all())
            .and_then(|()| then(&aside))
            .map_err(Error::io(path))
    });
    if written.is_err() {
        let _ = fs::remove_file(&aside);
    }
    written
}

/// A name of our own, because another process may write the same file at the same time.
fn name_aside(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_leaves_the_old_file_and_nothing_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("weights.bin");
        write(&path, b"old").unwrap();
        let full = replace(&path, |aside| {
            // not weights.tmp, which may be a user's file
            let name = aside.file_name().unwrap().to_str().unwrap();
            assert_eq!(name, format!("weights.bin.{}.tmp", std::process::id()));
            fs::write(aside, b"ne").unwrap();
            Err(Error::Invalid("disk full".into()))
        });
        assert!(full.is_err());
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    /// A process that was killed between linking and removing leaves both names of one file.
    #[test]
    fn what_is_left_aside_may_be_the_file_itself() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("spec.json");
        write(&path, b"old").unwrap();
        fs::hard_link(&path, name_aside(&path)).unwrap();
        let full = replace(&path, |aside| {
            fs::write(aside, b"ne").unwrap();
            Err(Error::Invalid("disk full".into()))
        });
        assert!(full.is_err());
        assert_eq!(fs::read(&path).unwrap(), b"old");
    }

    #[test]
    fn of_two_new_files_the_first_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("spec.json");
        assert!(write_new(&path, b"first").unwrap());
        assert!(!write_new(&path, b"second").unwrap());
        assert_eq!(fs::read_to_string(&path).unwrap(), "first");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left aside");
    }

    #[test]
    fn without_links_the_first_stays_too() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("spec.json");
        assert!(write_in_place(&path, b"first").unwrap());
        assert!(!write_in_place(&path, b"second").unwrap());
        assert_eq!(fs::read_to_string(&path).unwrap(), "first");
    }
}

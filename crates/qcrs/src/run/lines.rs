//! How does a file of JSON lines survive a crash in the middle of one?

use crate::types::Error;
use serde::{Serialize, de::DeserializeOwned};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// A file of JSON lines, open for appending and locked against a second writer.
pub(super) struct Lines {
    path: PathBuf,
    file: File,
}

impl Lines {
    /// Opens or creates `path`, cuts a torn last line and returns the whole ones.
    pub(super) fn open<T: DeserializeOwned>(path: &Path) -> Result<(Self, Vec<T>), Error> {
        let file = OpenOptions::new().create(true).append(true).open(path).map_err(Error::io(path))?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => Error::format(
                path,
                "another qcrs is writing here; wait for it, or choose another directory or shard",
            ),
            TryLockError::Error(source) => Error::io(path)(source),
        })?;
        let text = fs::read(path).map_err(Error::io(path))?;
        let whole = whole_lines(&text);
        file.set_len(whole.len() as u64).map_err(Error::io(path))?;
        Ok((Self { path: path.to_owned(), file }, parse(path, whole)?))
    }

    /// Appends one line; when this returns the system has it, whatever happens to this process.
    pub(super) fn append(&mut self, value: &impl Serialize) -> Result<(), Error> {
        let line = line(&self.path, value)?;
        self.file.write_all(line.as_bytes()).map_err(Error::io(&self.path))
    }

    /// Waits until the disk has everything.
    pub(super) fn sync(&self) -> Result<(), Error> {
        self.file.sync_data().map_err(Error::io(&self.path))
    }
}

/// The whole lines of a file that somebody else may be writing.
pub(super) fn read<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>, Error> {
    parse(path, whole_lines(&fs::read(path).map_err(Error::io(path))?))
}

/// Writes `values` aside and renames: the file is whole or absent.
pub(super) fn write<'a, T: Serialize + 'a>(
    path: &Path,
    values: impl IntoIterator<Item = &'a T>,
) -> Result<(), Error> {
    let text: String = values.into_iter().map(|value| line(path, value)).collect::<Result<_, _>>()?;
    write_aside(path, &text)
}

/// Writes `text` aside and renames: the file is whole or absent.
pub(super) fn write_aside(path: &Path, text: &str) -> Result<(), Error> {
    aside(path, text, |aside| fs::rename(aside, path))
}

/// The same for a file that nobody else has written meanwhile; whether it was ours.
pub(super) fn write_new(path: &Path, text: &str) -> Result<bool, Error> {
    aside(path, text, |aside| {
        let linked = fs::hard_link(aside, path);
        match linked {
            Ok(()) => fs::remove_file(aside).map(|()| true),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => fs::remove_file(aside).map(|()| false),
            // not every file system has links
            Err(_) => fs::remove_file(aside).and_then(|()| write_in_place(path, text)),
        }
    })
}

/// A new file that may be torn by a crash, but never replaces another's; whether it was ours.
fn write_in_place(path: &Path, text: &str) -> std::io::Result<bool> {
    match File::create_new(path) {
        Ok(mut file) => file.write_all(text.as_bytes()).and_then(|()| file.sync_data()).map(|()| true),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    }
}

fn aside<T>(path: &Path, text: &str, then: impl FnOnce(&Path) -> std::io::Result<T>) -> Result<T, Error> {
    let aside = path.with_extension(format!("{}.tmp", std::process::id()));
    // what another process with our number left there may be a link to the file itself
    let _ = fs::remove_file(&aside);
    let write = || {
        let mut file = File::create(&aside)?;
        file.write_all(text.as_bytes())?;
        file.sync_data()?;
        then(&aside)
    };
    write().map_err(|source| {
        // nothing more can be done about a file that cannot even be removed
        let _ = fs::remove_file(&aside);
        Error::io(path)(source)
    })
}

fn line(path: &Path, value: &impl Serialize) -> Result<String, Error> {
    let text = serde_json::to_string(value).map_err(|e| Error::format(path, e.to_string()))?;
    Ok(text + "\n")
}

fn whole_lines(text: &[u8]) -> &[u8] {
    &text[..text.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1)]
}

fn parse<T: DeserializeOwned>(path: &Path, text: &[u8]) -> Result<Vec<T>, Error> {
    let lines = text.split(|&byte| byte == b'\n').enumerate().filter(|(_, line)| !line.is_empty());
    let parse = |(number, line): (usize, &[u8])| {
        serde_json::from_slice(line).map_err(|e| {
            Error::format(
                path,
                format!("line {} is damaged ({e}); restore the file or start anew", number + 1),
            )
        })
    };
    lines.map(parse).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_line_is_counted_as_an_editor_does() {
        let found = parse::<u32>(Path::new("f"), b"1\n\n\n2\nx\n").unwrap_err().to_string();
        assert!(found.contains("line 5 is damaged"), "{found}");
    }

    #[test]
    fn of_two_new_files_the_first_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("spec.json");
        assert!(write_new(&path, "first").unwrap());
        assert!(!write_new(&path, "second").unwrap());
        assert_eq!(fs::read_to_string(&path).unwrap(), "first");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left aside");
    }

    #[test]
    fn without_links_the_first_stays_too() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("spec.json");
        assert!(write_in_place(&path, "first").unwrap());
        assert!(!write_in_place(&path, "second").unwrap());
        assert_eq!(fs::read_to_string(&path).unwrap(), "first");
    }
}

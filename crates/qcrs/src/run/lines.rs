//! How does a file of JSON lines survive a crash in the middle of one?

use crate::files;
use crate::types::Error;
use serde::{Serialize, de::DeserializeOwned};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};

/// A file of JSON lines, open for appending and locked against a second writer.
pub(crate) struct Lines {
    path: PathBuf,
    file: File,
}

impl Lines {
    /// Opens or creates `path`, cuts a torn last line and returns the whole ones.
    pub(crate) fn open<T: DeserializeOwned>(path: &Path) -> Result<(Self, Vec<T>), Error> {
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
    pub(crate) fn append(&mut self, value: &impl Serialize) -> Result<(), Error> {
        let line = line(&self.path, value)?;
        self.file.write_all(line.as_bytes()).map_err(Error::io(&self.path))
    }

    /// Waits until the disk has everything.
    pub(crate) fn sync(&self) -> Result<(), Error> {
        self.file.sync_data().map_err(Error::io(&self.path))
    }
}

/// The whole lines of a file that another process may be writing.
pub(super) fn read<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>, Error> {
    parse(path, whole_lines(&fs::read(path).map_err(Error::io(path))?))
}

/// Writes a file of `values`, whole or not at all.
pub(super) fn write<'a, T: Serialize + 'a>(
    path: &Path,
    values: impl IntoIterator<Item = &'a T>,
) -> Result<(), Error> {
    let text: String = values.into_iter().map(|value| line(path, value)).collect::<Result<_, _>>()?;
    files::write(path, text.as_bytes())
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
                format!("line {} is damaged ({e}); restore the file or start again", number + 1),
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
}

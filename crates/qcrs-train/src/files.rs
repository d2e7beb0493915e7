//! How is a file written whole or not at all?

use qcrs::types::Error;
use std::fs;
use std::path::Path;

/// Lets `write` fill a file beside `path`, then renames it: a power cut leaves the old file or the new one.
/// A failed write (a full disk) leaves the old file and nothing beside it.
pub(crate) fn replace(path: &Path, write: impl FnOnce(&Path) -> Result<(), Error>) -> Result<(), Error> {
    // a name of our own: another process may draw the same curve meanwhile
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let aside = path.with_file_name(name);
    let written = write(&aside).and_then(|()| {
        let file = fs::File::open(&aside).map_err(Error::io(&aside))?;
        file.sync_all().map_err(Error::io(&aside))?;
        fs::rename(&aside, path).map_err(Error::io(path))
    });
    if written.is_err() {
        let _ = fs::remove_file(&aside);
    }
    written
}

/// Writes `bytes` to `path`, whole or not at all.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    replace(path, |aside| fs::write(aside, bytes).map_err(Error::io(aside)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_leaves_the_old_file_and_nothing_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("weights");
        write(&path, b"old").unwrap();
        let full = replace(&path, |aside| {
            // not weights.tmp, which may be somebody's file
            assert_eq!(
                aside.file_name().unwrap().to_str().unwrap(),
                format!("weights.{}.tmp", std::process::id())
            );
            fs::write(aside, b"ne").unwrap();
            Err(Error::Invalid("disk full".into()))
        });
        assert!(full.is_err());
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}

//! Files for tests that are kept packed, because together they are large: `tar tzf` lists them.

use flate2::read::GzDecoder;
use std::fs::File;
use std::path::Path;
use tempfile::TempDir;

/// A folder with the files of a .tar.gz; it is removed with its handle.
pub fn unpack(archive: &Path) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let file = File::open(archive).unwrap_or_else(|error| panic!("{}: {error}", archive.display()));
    tar::Archive::new(GzDecoder::new(file)).unpack(folder.path()).unwrap();
    folder
}

//! Is this file what it should be?

use anyhow::{Context, Result, bail};
use flate2::read::MultiGzDecoder;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

/// No file of a recipe is larger; a file that unpacks to more is not one of them.
const LIMIT: u64 = 1 << 30;

/// Checks the MD5 of a file's content: of what is packed, if its name ends in `.gz`.
pub(super) fn expect(path: &Path, md5: &str) -> Result<()> {
    let file = open(path)?;
    let packed = path.extension().is_some_and(|end| end == "gz");
    let found = if packed { md5_of(MultiGzDecoder::new(file)) } else { md5_of(file) };
    compare(path, &found.with_context(|| format!("{}: cannot be read completely", path.display()))?, md5)
}

/// Checks the MD5 of the bytes of a file as they are.
pub(super) fn expect_as_is(path: &Path, md5: &str) -> Result<()> {
    let found =
        md5_of(open(path)?).with_context(|| format!("{}: cannot be read completely", path.display()))?;
    compare(path, &found, md5)
}

fn open(path: &Path) -> Result<BufReader<File>> {
    Ok(BufReader::new(File::open(path).with_context(|| format!("{}: cannot be opened", path.display()))?))
}

fn compare(path: &Path, found: &str, md5: &str) -> Result<()> {
    if found != md5 {
        bail!("{}: the MD5 of its content is {found}, not {md5}", path.display());
    }
    Ok(())
}

fn md5_of(reader: impl Read) -> io::Result<String> {
    let mut context = md5::Context::new();
    io::copy(&mut reader.take(LIMIT), &mut context)?;
    Ok(format!("{:x}", context.finalize()))
}

//! How are entries kept through a crash?
//!
//! One file: a header, then records that are only ever appended. The header knows how far the file reached
//! when it was last safe on the disk. What is wrong before that point is damage; after it, whatever a crash
//! left of the last records (a piece, or zeros after a power failure) is cut off by the next writer.

use crate::entry::{self, BankRecord, START};
use crate::error::{Error, Problem};
use crate::header::Header;
use crate::pixels::StoredPixels;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

const NAME: &str = "balls.qcrsbank";

/// The file of a bank.
pub(crate) struct BankFile {
    path: PathBuf,
    file: Mutex<File>,
    header: Header,
    end: u64,
    /// The disk has everything up to here.
    synced: u64,
    writable: bool,
    /// The last append failed half way.
    torn: bool,
    /// The disk did not take something.
    failed: bool,
}

/// Where a record stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RecordPlace {
    offset: u64,
    len: u32,
}

impl BankFile {
    /// Opens the bank in `dir` for the only writer, or makes a new one for images of `shape`.
    pub(crate) fn open(dir: &Path, shape: [u32; 3]) -> Result<Self, Error> {
        if dir.exists() && !dir.is_dir() {
            return Err(Error::at(dir, Problem::OtherFile));
        }
        fs::create_dir_all(dir).map_err(Error::io(dir))?;
        let path = dir.join(NAME);
        if !path.exists() && fs::read_dir(dir).map_err(Error::io(dir))?.next().is_some() {
            return Err(Error::at(dir, Problem::OtherFolder));
        }
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
        let mut file = file.map_err(Error::io(&path))?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => Error::at(dir, Problem::InUse),
            TryLockError::Error(source) => Error::io(&path)(source),
        })?;
        if file.metadata().map_err(Error::io(&path))?.len() == 0 {
            let header = Header::new(shape).encode();
            file.write_all(&header).and_then(|()| file.sync_all()).map_err(Error::io(&path))?;
            // the name of a new file belongs to its folder, which not every system lets us sync
            let _ = File::open(dir).and_then(|dir| dir.sync_all());
        }
        let bank = Self::new(path, file, true)?;
        if bank.header.shape != shape {
            let words = |[c, h, w]: [u32; 3]| format!("{c}x{h}x{w}");
            let problem = Problem::OtherShape { found: words(bank.header.shape), wanted: words(shape) };
            return Err(Error::at(dir, problem));
        }
        Ok(bank)
    }

    /// Opens the bank in `dir` for reading, also while another process writes.
    pub(crate) fn read(dir: &Path) -> Result<Self, Error> {
        let path = dir.join(NAME);
        if !path.exists() {
            return Err(Error::at(dir, Problem::NoBank));
        }
        let file = File::open(&path).map_err(Error::io(&path))?;
        Self::new(path, file, false)
    }

    fn new(path: PathBuf, mut file: File, writable: bool) -> Result<Self, Error> {
        let mut bytes = Vec::new();
        file.rewind()
            .and_then(|()| (&file).take(Header::LEN as u64).read_to_end(&mut bytes))
            .map_err(Error::io(&path))?;
        let header = Header::decode(&bytes).map_err(|problem| Error::at(&path, problem))?;
        let end = Header::LEN as u64;
        Ok(Self {
            path,
            file: Mutex::new(file),
            header,
            end,
            synced: end,
            writable,
            torn: false,
            failed: false,
        })
    }

    pub(crate) fn shape(&self) -> [usize; 3] {
        self.header.shape.map(|size| size as usize)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The length of the file in bytes.
    pub(crate) fn len(&self) -> u64 {
        self.end
    }

    /// Shows every whole record to `each`, once, right after opening. What a crash left at the end is cut off
    /// by a writer and skipped by a reader.
    pub(crate) fn scan(
        &mut self,
        mut each: impl FnMut(RecordPlace, BankRecord, Option<StoredPixels>) -> Result<(), Problem>,
    ) -> Result<(), Error> {
        let (path, dim) = (self.path.clone(), self.shape().iter().product());
        let io = |source| Error::io(&path)(source);
        let at = |problem| Error::at(&path, problem);
        let file = self.lock().try_clone().map_err(io)?;
        let size = file.metadata().map_err(io)?.len();
        let mut reader = BufReader::with_capacity(1 << 18, file);
        let mut end = reader.seek(SeekFrom::Start(self.end)).map_err(io)?;
        let mut bytes = Vec::new();
        while let Some(left) = size.checked_sub(end + START as u64) {
            let mut start = [0; START];
            reader.read_exact(&mut start).map_err(io)?;
            let decoded = match entry::len(start, dim) {
                Ok(len) if (len - START) as u64 > left => break,
                Ok(len) => {
                    bytes.resize(len, 0);
                    bytes[..START].copy_from_slice(&start);
                    reader.read_exact(&mut bytes[START..]).map_err(io)?;
                    entry::decode(end, &bytes)
                }
                Err(what) => Err(what),
            };
            let (record, pixels) = match decoded {
                Ok(whole) => whole,
                Err(what) if end < self.header.known => return Err(at(damaged(end, &what))),
                Err(_) => break,
            };
            each(RecordPlace { offset: end, len: bytes.len() as u32 }, record, pixels).map_err(at)?;
            end += bytes.len() as u64;
        }
        if end < self.header.known {
            let what = format!("the file has {size} bytes and should have at least {}", self.header.known);
            return Err(at(damaged(end, &what)));
        }
        self.end = end;
        if self.writable && size > end {
            self.lock().set_len(end).map_err(io)?;
        }
        if self.writable && self.header.known < end {
            // the process that wrote this may have been killed before the disk had it, or the disk refused
            // it: writing it again sends it again
            self.write_again(self.header.known)?;
            self.sync()?;
        }
        self.synced = end;
        Ok(())
    }

    /// The record at `place`, checked again.
    pub(crate) fn get(&self, place: RecordPlace) -> Result<(BankRecord, Option<StoredPixels>), Error> {
        let mut bytes = vec![0; place.len as usize];
        self.read_at(place.offset, &mut bytes)?;
        entry::decode(place.offset, &bytes)
            .map_err(|what| Error::at(&self.path, damaged(place.offset, &what)))
    }

    /// Appends a record; when this returns the system has it, whatever happens to this process.
    pub(crate) fn append(
        &mut self,
        record: &BankRecord,
        pixels: Option<&StoredPixels>,
    ) -> Result<RecordPlace, Error> {
        if !self.writable {
            return Err(Error::at(&self.path, Problem::Frozen));
        }
        self.check_disk()?;
        let offset = self.end;
        let bytes = entry::encode(offset, record, pixels)
            .map_err(|what| Error::at(&self.path, Problem::Query(what)))?;
        if self.torn {
            self.lock().set_len(offset).map_err(Error::io(&self.path))?;
        }
        self.remember()?;
        self.torn = true;
        self.write(offset, &bytes)?;
        self.torn = false;
        self.end += bytes.len() as u64;
        Ok(RecordPlace { offset, len: bytes.len() as u32 })
    }

    /// Waits until the disk has everything, and says so in the header.
    pub(crate) fn sync(&mut self) -> Result<(), Error> {
        self.check_disk()?;
        // the system reports only once what it could not write: the next call would succeed without it
        self.failed = true;
        self.lock().sync_data().map_err(Error::io(&self.path))?;
        self.failed = false;
        self.synced = self.end;
        self.remember()
    }

    /// Writes into the header how much the disk has. The header may lag behind, but never runs ahead.
    fn remember(&mut self) -> Result<(), Error> {
        if self.header.known != self.synced {
            let header = Header { known: self.synced, ..self.header };
            self.write(Header::KNOWN_AT, &header.encode_known())?;
            self.header = header;
        }
        Ok(())
    }

    /// Writes everything from `start` on again, in place.
    fn write_again(&self, start: u64) -> Result<(), Error> {
        let mut bytes = vec![0; 1 << 18];
        for at in (start..self.end).step_by(bytes.len()) {
            let piece = bytes.len().min((self.end - at) as usize);
            self.read_at(at, &mut bytes[..piece])?;
            self.write(at, &bytes[..piece])?;
        }
        Ok(())
    }

    fn check_disk(&self) -> Result<(), Error> {
        if self.failed { Err(Error::at(&self.path, Problem::NotSafe)) } else { Ok(()) }
    }

    fn read_at(&self, at: u64, bytes: &mut [u8]) -> Result<(), Error> {
        let mut file = self.lock();
        file.seek(SeekFrom::Start(at)).and_then(|_| file.read_exact(bytes)).map_err(Error::io(&self.path))
    }

    fn write(&self, at: u64, bytes: &[u8]) -> Result<(), Error> {
        let mut file = self.lock();
        file.seek(SeekFrom::Start(at)).and_then(|_| file.write_all(bytes)).map_err(Error::io(&self.path))
    }

    fn lock(&self) -> MutexGuard<'_, File> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for BankFile {
    fn drop(&mut self) {
        // not after a failed scan: then the header knows better than we do
        if self.writable && !self.failed && self.end >= self.header.known {
            // whatever fails here, the next writer finds the same records
            let _ = if self.synced < self.end { self.sync() } else { self.remember() };
        }
    }
}

fn damaged(offset: u64, what: &str) -> Problem {
    Problem::Damaged(format!("at byte {offset}: {what}"))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use qcrs::types::Alpha;
    use std::os::fd::OwnedFd;

    /// A system reports only once that it could not write; after that the header must not claim more than the
    /// disk has.
    #[test]
    fn after_a_failed_sync_nothing_is_claimed() {
        let dir = tempfile::tempdir().unwrap();
        let alpha = Alpha::new(0.001).unwrap();
        let record = BankRecord::Said {
            answer: crate::BankAnswer::Abstain(crate::Abstention::Own),
            alpha,
            source: None,
        };
        let mut bank = BankFile::open(dir.path(), [1, 2, 2]).unwrap();
        bank.scan(|_, _, _| Ok(())).unwrap();
        let known = bank.header.known;
        bank.append(&record, None).unwrap();
        // a pipe cannot be synced
        let pipe = File::from(OwnedFd::from(std::io::pipe().unwrap().1));
        let file = std::mem::replace(&mut *bank.lock(), pipe);
        assert!(matches!(bank.sync().unwrap_err().problem, Problem::Io(_)));
        *bank.lock() = file;
        assert!(matches!(bank.sync().unwrap_err().problem, Problem::NotSafe));
        assert!(matches!(bank.append(&record, None).unwrap_err().problem, Problem::NotSafe));
        drop(bank);
        let mut read = BankFile::read(dir.path()).unwrap();
        assert_eq!(read.header.known, known);
        let mut count = 0;
        read.scan(|_, _, _| {
            count += 1;
            Ok(())
        })
        .unwrap();
        assert_eq!(count, 1);
        // the next process that opens it makes it safe
        let mut bank = BankFile::open(dir.path(), [1, 2, 2]).unwrap();
        bank.scan(|_, _, _| Ok(())).unwrap();
        assert_eq!(bank.header.known, bank.len());
        assert!(bank.header.known > known);
    }
}

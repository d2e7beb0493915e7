//! What can go wrong?

use std::path::{Path, PathBuf};

/// A problem, and the bank that has it.
#[derive(Debug, thiserror::Error)]
#[error("{}: {problem}", path.display())]
pub struct Error {
    /// The directory of the bank, or its file.
    pub path: PathBuf,
    /// What is wrong.
    pub problem: Problem,
}

/// What is wrong with a bank, or with what was asked of it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// Nothing to read.
    #[error("there is no bank here; 'qcrs bank add' makes one")]
    NoBank,
    /// A folder of something else, which we leave alone.
    #[error("this folder is not a bank; give a bank, or a folder that is empty or does not exist")]
    OtherFolder,
    /// A file of something else, which we leave alone.
    #[error("this file is not a bank of qcrs; give another directory")]
    OtherFile,
    /// Another process adds to it.
    #[error("another qcrs is writing to this bank; wait for it, or use another bank")]
    InUse,
    /// Written by a later version.
    #[error("format {found} was written by a newer qcrs, this one reads {known}; use the newer one")]
    Newer {
        /// The version of the format in the file.
        found: u32,
        /// The latest that is known here.
        known: u32,
    },
    /// Written by an earlier version, which did not keep the α of every certificate.
    #[error(
        "format {found} was written by an older qcrs, this one writes {known}; make the bank again with 'qcrs bank add'"
    )]
    Older {
        /// The version of the format in the file.
        found: u32,
        /// The one that is written here.
        known: u32,
    },
    /// Images of another shape.
    #[error("this bank holds images of {found}, not of {wanted}; use another bank for these")]
    OtherShape {
        /// The bank's, in words.
        found: String,
        /// The one that was asked for, in words.
        wanted: String,
    },
    /// Certificates of another classifier.
    #[error("this bank belongs to {found}, not to {wanted}; use another bank for that")]
    OtherClassifier {
        /// The classifier of its certificates.
        found: String,
        /// The classifier of the certificates to add.
        wanted: String,
    },
    /// Opened for reading, asked to write.
    #[error("this bank was opened for reading; open it for writing to add to it")]
    Frozen,
    /// The disk refused something that was added.
    #[error(
        "the last entry may not be on disk, because writing failed; check the disk, then open the bank again"
    )]
    NotSafe,
    /// A query that makes no sense.
    #[error("{0}")]
    Query(String),
    /// What the file holds is not what was written.
    #[error("damaged: {0}; restore it from a copy, because a bank that forgets a ball breaks its promise")]
    Damaged(String),
    /// The file system failed.
    #[error("{0}")]
    Io(std::io::Error),
}

impl Error {
    /// The bank at `path` has this problem.
    pub(crate) fn at(path: impl AsRef<Path>, problem: Problem) -> Self {
        Self { path: path.as_ref().to_owned(), problem }
    }

    /// For `map_err`: says at which path the file system failed.
    pub(crate) fn io(path: impl AsRef<Path>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.as_ref().to_owned();
        move |source| Self { path, problem: Problem::Io(source) }
    }
}

impl From<Error> for qcrs::types::Error {
    fn from(error: Error) -> Self {
        match error.problem {
            Problem::Io(source) => Self::Io { path: error.path, source },
            problem => Self::Format { path: error.path, problem: problem.to_string() },
        }
    }
}

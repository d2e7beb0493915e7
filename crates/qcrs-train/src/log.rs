//! What has happened so far? One JSON line per epoch.

use crate::evaluate::CorrectCount;
use qcrs::files;
use qcrs::types::Error;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;

/// One epoch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Epoch {
    /// Its number, from 1.
    pub epoch: usize,
    /// The learning rate of its last step.
    pub learning_rate: f64,
    /// The mean loss of its steps.
    pub loss: f64,
    /// Training images under the noise they were trained with, while the weights moved.
    pub training: CorrectCount,
    /// Held-out images under noise, one draw each, the same in every epoch.
    pub held_out_noisy: CorrectCount,
    /// Held-out images without noise.
    pub held_out_clean: CorrectCount,
    /// How long it took.
    pub seconds: f64,
    /// Training images per second; a noisy copy counts as one.
    pub images_per_second: f64,
}

/// Reads a log; a last line that was cut off by a crash does not count.
pub fn read(path: &Path) -> Result<Vec<Epoch>, Error> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Error::io(path)(error)),
    };
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    let epoch = |(number, line): (usize, &str)| {
        serde_json::from_str(line).map_err(|error| {
            Error::format(
                path,
                format!("line {}: {error}; remove that line to continue without it", number + 1),
            )
        })
    };
    whole.lines().enumerate().map(epoch).collect()
}

/// Keeps the lines of the first `epochs` epochs, and says how many these are: what came after them is about to happen again.
/// Some may be missing; weights are worth more than their diary.
pub(crate) fn cut(path: &Path, epochs: usize) -> Result<usize, Error> {
    let kept: BTreeMap<usize, Epoch> = read(path)?.into_iter().map(|epoch| (epoch.epoch, epoch)).collect();
    let kept: Vec<String> = kept.range(..=epochs).map(|(_, epoch)| line(epoch)).collect::<Result<_, _>>()?;
    files::write(path, kept.concat().as_bytes())?;
    Ok(kept.len())
}

/// Adds a line.
pub(crate) fn append(path: &Path, epoch: &Epoch) -> Result<(), Error> {
    let mut file = fs::OpenOptions::new().create(true).append(true).open(path).map_err(Error::io(path))?;
    file.write_all(line(epoch)?.as_bytes()).and_then(|()| file.sync_data()).map_err(Error::io(path))
}

fn line(epoch: &Epoch) -> Result<String, Error> {
    let text = serde_json::to_string(epoch).map_err(|error| Error::Invalid(error.to_string()))?;
    Ok(text + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_torn_line_does_not_count_and_epochs_beyond_the_checkpoint_are_cut() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.jsonl");
        assert_eq!(read(&path).unwrap(), []);
        let count = CorrectCount { correct: 1, of: 2 };
        let epoch = |number| Epoch {
            epoch: number,
            learning_rate: 0.1,
            loss: 0.3,
            training: count,
            held_out_noisy: count,
            held_out_clean: count,
            seconds: 1.0,
            images_per_second: 2.0,
        };
        for number in 1..=3 {
            append(&path, &epoch(number)).unwrap();
        }
        let whole = fs::read_to_string(&path).unwrap();
        fs::write(&path, &whole[..whole.len() - 5]).unwrap();
        assert_eq!(read(&path).unwrap(), [epoch(1), epoch(2)]);
        assert_eq!(cut(&path, 1).unwrap(), 1);
        assert_eq!(read(&path).unwrap(), [epoch(1)]);
        append(&path, &epoch(2)).unwrap();
        assert_eq!(read(&path).unwrap(), [epoch(1), epoch(2)]);

        // a line that is missing, and one that stands there twice
        fs::write(
            &path,
            [epoch(1), epoch(3), epoch(3), epoch(4)].map(|epoch| line(&epoch).unwrap()).concat(),
        )
        .unwrap();
        assert_eq!(cut(&path, 3).unwrap(), 2);
        assert_eq!(read(&path).unwrap(), [epoch(1), epoch(3)]);
        assert_eq!(cut(&path, 0).unwrap(), 0);
        assert_eq!(read(&path).unwrap(), []);
        fs::remove_file(&path).unwrap();
        assert_eq!(cut(&path, 3).unwrap(), 0);
        fs::write(&path, "{}\n").unwrap();
        assert!(read(&path).unwrap_err().to_string().contains("line 1"));
    }
}

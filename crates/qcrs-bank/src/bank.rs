//! Open, add, and look inside.

use crate::answer::{BankAnswer, Claim, Why};
use crate::distance::Ruler;
use crate::entry::{BankEntry, BankRecord, CertificateName};
use crate::error::{Error, Problem};
use crate::file::{BankFile, RecordPlace};
use crate::header::{LARGEST_DIM, are_for_a_bank};
use crate::pixels::StoredPixels;
use crate::shadow::{Blocks, Shadow};
use qcrs::types::Alpha;
use std::collections::HashMap;
use std::path::Path;

/// Balls of different classes that never overlap, in a file.
///
/// Memory holds the class, radius and shadow of every ball, 48 numbers of 4 bytes; pixels are read when a
/// shadow cannot exclude a ball.
pub struct Bank {
    pub(crate) file: BankFile,
    pub(crate) ruler: Ruler,
    pub(crate) blocks: Blocks,
    pub(crate) balls: Vec<StoredBall>,
    /// The shadows of all balls, one after the other.
    pub(crate) shadows: Vec<f32>,
    said: HashMap<CertificateName, BankAnswer>,
    /// The sum of the α of all certificates that were offered, rounded up.
    pub(crate) risk: f64,
    classifier: Option<String>,
    sync_each: bool,
}

/// What is kept in memory about an entry.
pub(crate) struct StoredBall {
    pub(crate) class: usize,
    pub(crate) radius: f64,
    pub(crate) slack: f32,
    place: RecordPlace,
}

impl Bank {
    /// Opens the bank in `dir` for the only writer, or makes a new one for images of `shape` (channels,
    /// height, width). Reads and checks the whole file.
    pub fn open(dir: &Path, shape: [usize; 3]) -> Result<Self, Error> {
        if !are_for_a_bank(shape) {
            let problem =
                format!("a bank cannot hold images of {shape:?}; they must have 1 to {LARGEST_DIM} pixels");
            return Err(Error::at(dir, Problem::Query(problem)));
        }
        Self::load(BankFile::open(dir, shape.map(|size| size as u32))?)
    }

    /// Opens the bank in `dir` for reading, as it is now. A writer may continue, but this bank does not see
    /// what it adds.
    pub fn read(dir: &Path) -> Result<Self, Error> {
        Self::load(BankFile::read(dir)?)
    }

    fn load(mut file: BankFile) -> Result<Self, Error> {
        let shape = file.shape();
        let (ruler, blocks) = (Ruler::new(shape.iter().product()), Blocks::new(shape));
        let (mut balls, mut shadows, mut said) = (Vec::new(), Vec::new(), HashMap::new());
        let (mut classifier, mut risk) = (None, 0.0);
        file.scan(|place, record, pixels| {
            match (record, pixels) {
                (BankRecord::Ball { class, radius, alpha, why, source }, Some(pixels)) => {
                    if let Some(source) = source {
                        said.insert(source, BankAnswer::Class { class, radius, why });
                    }
                    let Shadow { at, slack } = blocks.shadow(&pixels.values());
                    shadows.extend(at);
                    balls.push(StoredBall { class, radius, slack, place });
                    risk = more(risk, alpha);
                }
                (BankRecord::Said { answer, alpha, source }, None) => {
                    said.extend(source.map(|source| (source, answer)));
                    risk = more(risk, alpha);
                }
                (BankRecord::Classifier(name), None) => classifier = Some(name),
                (record, _) => {
                    return Err(Problem::Damaged(format!(
                        "{record:?} has pixels where it should not, or none"
                    )));
                }
            }
            Ok(())
        })?;
        Ok(Self { file, ruler, blocks, balls, shadows, said, risk, classifier, sync_each: true })
    }

    /// Makes sure that all certificates are of one classifier: the first name that is given stays, and any
    /// other is an error.
    pub fn belong_to(&mut self, classifier: &str) -> Result<(), Error> {
        match &self.classifier {
            Some(found) if found == classifier => Ok(()),
            Some(found) => {
                let (found, wanted) = (found.clone(), classifier.into());
                Err(Error::at(self.file.path(), Problem::OtherClassifier { found, wanted }))
            }
            None => {
                self.file.append(&BankRecord::Classifier(classifier.into()), None)?;
                self.file.sync()?;
                self.classifier = Some(classifier.into());
                Ok(())
            }
        }
    }

    /// From here on [`Self::add`] does not wait for the disk. What was added is safe when this process is
    /// killed; only after [`Self::sync`] is it safe when the power fails.
    pub fn sync_by_hand(&mut self) {
        self.sync_each = false;
    }

    /// Waits until the disk has everything.
    pub fn sync(&mut self) -> Result<(), Error> {
        self.file.sync()
    }

    /// Answers as [`Self::ask`] does, and remembers: from now on every query in the ball of this answer
    /// gets its class. Only answers that do not follow from earlier ones become entries.
    ///
    /// `alpha` is the probability with which the certificate may be wrong, even where it turned out to be
    /// none: what becomes a ball depends on the same votes, so every attempt counts.
    pub fn add(&mut self, x: &[f32], alpha: Alpha, own: Option<Claim>) -> Result<BankAnswer, Error> {
        self.append(x, alpha, own, None)
    }

    /// The same for a certificate with a name; one that was added before gets its earlier answer.
    pub fn add_once(
        &mut self,
        source: CertificateName,
        x: &[f32],
        alpha: Alpha,
        own: Option<Claim>,
    ) -> Result<BankAnswer, Error> {
        match self.said(&source) {
            Some(answer) => Ok(answer),
            None => self.append(x, alpha, own, Some(source)),
        }
    }

    /// What was answered to the certificate with this name.
    pub fn said(&self, source: &CertificateName) -> Option<BankAnswer> {
        self.said.get(source).copied()
    }

    fn append(
        &mut self,
        x: &[f32],
        alpha: Alpha,
        own: Option<Claim>,
        source: Option<CertificateName>,
    ) -> Result<BankAnswer, Error> {
        let answer = self.ask(x, own)?;
        match answer {
            BankAnswer::Class { class, radius, why: why @ (Why::Own | Why::Cut(_)) } => {
                let record = BankRecord::Ball { class, radius, alpha, why, source: source.clone() };
                let place = self.file.append(&record, Some(&StoredPixels::of(x)))?;
                let Shadow { at, slack } = self.blocks.shadow(x);
                self.shadows.extend(at);
                self.balls.push(StoredBall { class, radius, slack, place });
            }
            _ => {
                self.file.append(&BankRecord::Said { answer, alpha, source: source.clone() }, None)?;
            }
        }
        self.risk = more(self.risk, alpha);
        if self.sync_each {
            self.file.sync()?;
        }
        if let Some(source) = source {
            self.said.insert(source, answer);
        }
        Ok(answer)
    }

    /// Channels, height and width of every image.
    pub fn shape(&self) -> [usize; 3] {
        self.file.shape()
    }

    /// The number of pixels of every image.
    pub fn dim(&self) -> usize {
        self.shape().iter().product()
    }

    /// The number of balls.
    pub fn len(&self) -> usize {
        self.balls.len()
    }

    /// Whether there is no ball.
    pub fn is_empty(&self) -> bool {
        self.balls.is_empty()
    }

    /// The classifier of these certificates, if it was named.
    pub fn classifier(&self) -> Option<&str> {
        self.classifier.as_deref()
    }

    /// The length of the file in bytes.
    pub fn bytes(&self) -> u64 {
        self.file.len()
    }

    /// How many certificates with a name were answered, with a ball or without.
    pub fn answered(&self) -> usize {
        self.said.len()
    }

    /// All balls, in the order of insertion.
    pub fn entries(&self) -> impl Iterator<Item = Result<BankEntry, Error>> {
        self.balls.iter().enumerate().map(|(id, ball)| match self.file.get(ball.place)? {
            (BankRecord::Ball { class, radius, alpha, why, source }, Some(pixels)) => {
                let blake3 = blake3::hash(pixels.bytes()).to_string();
                Ok(BankEntry { id: id as u64, class, radius, alpha, why, source, blake3 })
            }
            _ => Err(self.changed(id)),
        })
    }

    pub(crate) fn shadow(&self, id: usize) -> &[f32] {
        &self.shadows[id * self.blocks.len()..][..self.blocks.len()]
    }

    pub(crate) fn pixels(&self, id: usize) -> Result<StoredPixels, Error> {
        let (_, pixels) = self.file.get(self.balls[id].place)?;
        pixels.ok_or_else(|| self.changed(id))
    }

    pub(crate) fn overlap(&self, a: usize, b: usize) -> Error {
        let problem = format!("the balls of entries {a} and {b} overlap, but have different classes");
        Error::at(self.file.path(), Problem::Damaged(problem))
    }

    fn changed(&self, id: usize) -> Error {
        Error::at(self.file.path(), Problem::Damaged(format!("entry {id} is no longer a ball")))
    }
}

/// `risk` and another `alpha`, not less than their sum.
fn more(risk: f64, alpha: Alpha) -> f64 {
    (risk + alpha.get()).next_up()
}

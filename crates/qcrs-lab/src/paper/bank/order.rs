//! What is left of the certificates of a file after a bank has seen them in some order?

use anyhow::ensure;
use qcrs::analysis::{Row, Table};
use qcrs::data::Opened;
use qcrs::types::Alpha;
use qcrs_bank::{Abstention, Bank, BankAnswer, CheckedBank, Claim, Why};
use tempfile::TempDir;

/// The certificates of a file, with their images.
pub struct BankInputs<'a> {
    rows: &'a [Row],
    data: Opened,
}

impl<'a> BankInputs<'a> {
    /// Makes sure that file and images have the same labels.
    pub fn of(table: &'a Table, data: Opened) -> anyhow::Result<Self> {
        for row in &table.rows {
            let (name, index) = (&table.name, row.index);
            ensure!(
                (index as usize) < data.dataset.len(),
                "{name}: input {index} is not in the data, which has {} images; give the data that the file is about",
                data.dataset.len()
            );
            let label = data.dataset.label(index as usize)?;
            ensure!(
                label.is_none() || label == row.label,
                "{name}: input {index} has another label than in the data; give the data that the file is about"
            );
        }
        Ok(Self { rows: &table.rows, data })
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.certified().count()
    }

    /// The rows that certify a class within more than 0.
    pub fn certified(&self) -> impl Iterator<Item = (&'a Row, Claim)> {
        self.rows.iter().filter_map(|row| Some((row, claim(row)?)))
    }

    /// The pixels of an image.
    pub fn pixels(&self, row: &Row) -> anyhow::Result<Vec<f32>> {
        Ok(self.data.dataset.get(row.index as usize)?.pixels)
    }
}

fn claim(row: &Row) -> Option<Claim> {
    let class = row.predicted.filter(|_| row.radius > 0.0)?;
    Some(Claim { class, radius: row.radius })
}

/// The order in which the bank sees the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InOrder {
    /// By rising id.
    Rising,
    /// By falling id.
    Falling,
}

impl InOrder {
    /// In words, with radii that are scaled.
    pub fn name(self, scale: f64) -> String {
        let order = match self {
            Self::Rising => "rising ids",
            Self::Falling => "falling ids",
        };
        if scale > 1.0 { format!("{order}, radii × {scale}") } else { order.into() }
    }
}

/// What became of the certificates.
#[derive(Clone, Debug, PartialEq)]
pub struct BankOrder {
    pub name: String,
    /// The ACR of the file, scaled.
    pub before: f64,
    /// The ACR of the bank's answers.
    pub after: f64,
    pub whole: usize,
    pub cut: usize,
    /// Answers that an earlier ball gives.
    pub inside: usize,
    /// BankInputs that touch an earlier ball of another class.
    pub nothing_left: usize,
    /// Rows without a certificate that lie in no ball.
    pub none: usize,
    pub checked: CheckedBank,
}

/// A bank in a folder that is removed with it.
pub struct FreshBank {
    pub bank: Bank,
    _folder: TempDir,
}

impl BankOrder {
    /// Sends all rows through a fresh bank, and checks it afterwards.
    pub fn of(all: &BankInputs<'_>, order: InOrder, scale: f64) -> anyhow::Result<(Self, FreshBank)> {
        let folder = tempfile::tempdir()?;
        let mut bank = Bank::open(folder.path(), all.data.dataset.shape())?;
        bank.sync_by_hand();
        let [mut whole, mut cut, mut inside, mut nothing_left, mut none] = [0; 5];
        let (mut before, mut after) = (0.0, 0.0);
        let mut rows: Vec<&Row> = all.rows.iter().collect();
        if order == InOrder::Falling {
            rows.reverse();
        }
        // only the bank's own statement of risk depends on α
        let alpha = Alpha::new(0.001)?;
        for row in &rows {
            let own = claim(row).map(|claim| Claim { radius: scale * claim.radius, ..claim });
            let answer = bank.add(&all.pixels(row)?, alpha, own)?;
            before += scale * row.score().unwrap_or(0.0);
            after += right(row, answer);
            *match answer {
                BankAnswer::Class { why: Why::Own, .. } => &mut whole,
                BankAnswer::Class { why: Why::Cut(_), .. } => &mut cut,
                BankAnswer::Class { why: Why::Inherited(_), .. } => &mut inside,
                BankAnswer::Abstain(Abstention::NothingLeft(_)) => &mut nothing_left,
                BankAnswer::Abstain(Abstention::Own) => &mut none,
            } += 1;
        }
        let (checked, count, name) = (bank.check()?, rows.len() as f64, order.name(scale));
        let result = Self {
            name,
            before: before / count,
            after: after / count,
            whole,
            cut,
            inside,
            nothing_left,
            none,
            checked,
        };
        Ok((result, FreshBank { bank, _folder: folder }))
    }
}

/// The radius of a right answer.
fn right(row: &Row, answer: BankAnswer) -> f64 {
    match answer {
        BankAnswer::Class { class, radius, .. } if row.label == Some(class) => radius,
        BankAnswer::Class { .. } | BankAnswer::Abstain(_) => 0.0,
    }
}

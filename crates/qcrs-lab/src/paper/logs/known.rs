//! Which images is a result file about, and what does the paper say of such a file?

use super::log::{LogMethod, PublishedLog};
use crate::paper::published::{ACR, FAIRNESS, PaperData, TRAINING};
use qcrs::analysis::{Row, Table};

/// The labels of CIFAR-10's test images 0, 100, …, 1900.
const CIFAR10: [usize; 20] = [3, 4, 5, 6, 9, 4, 8, 7, 7, 2, 5, 7, 8, 4, 5, 1, 8, 5, 4, 8];
/// Fewer labels than this may agree by chance.
const FEWEST: usize = 8;

impl PaperData {
    /// The data of a result file, by the labels of certain images.
    pub fn by_labels(table: &Table) -> Option<Self> {
        let cifar10 = |row: &Row| {
            let place = row.index.is_multiple_of(100).then_some(row.index as usize / 100)?;
            Some(row.label == Some(*CIFAR10.get(place)?))
        };
        // fifty images of each class
        let imagenet = |row: &Row| Some(row.label == Some(row.index as usize / 50));
        let agrees = |is_as_known: &dyn Fn(&Row) -> Option<bool>| {
            let compared: Vec<bool> = table.rows.iter().filter_map(is_as_known).collect();
            compared.len() >= FEWEST && compared.iter().all(|agrees| *agrees)
        };
        if agrees(&cifar10) {
            return Some(Self::Cifar10);
        }
        agrees(&imagenet).then_some(Self::ImageNet)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cifar10 => "CIFAR-10",
            Self::ImageNet => "ImageNet",
        }
    }

    /// How many images it has.
    pub fn inputs(self) -> u32 {
        match self {
            Self::Cifar10 => 10_000,
            Self::ImageNet => 50_000,
        }
    }

    /// The name of a class, where it is short.
    pub fn class_name(self, class: usize) -> Option<String> {
        match self {
            Self::Cifar10 => FAIRNESS.get(class).map(|(name, _, _)| (*name).to_owned()),
            Self::ImageNet => None,
        }
    }
}

/// ACR as the paper has it: in its comparison of methods (Table 2, the figure of ImageNet), and in Table 4.
pub fn acr(log: &PublishedLog) -> [Option<f64>; 2] {
    let (Some(data), Some(sigma)) = (log.data, log.start()) else { return [None, None] };
    let is_same = |known: f64| (known - sigma).abs() < 1e-9;
    let (method, is_macer) = match &log.made {
        LogMethod::OneSigma(_) => ("cohen", false),
        LogMethod::Search { preset, .. } => ("qcrs", preset.starts_with("macer")),
        LogMethod::Unknown => return [None, None],
    };
    let methods = ACR.iter().find(|(name, of, at, _)| *name == method && *of == data && is_same(*at));
    let training = || {
        let (_, quarter, half) = TRAINING.iter().find(|(name, _, _)| *name == method)?;
        let at = [0.25, 0.5].into_iter().position(is_same)?;
        let [gaussian, macer] = *[quarter, half][at];
        (data == PaperData::Cifar10).then_some(if is_macer { macer } else { gaussian })
    };
    [methods.filter(|_| !is_macer).map(|(_, _, _, acr)| *acr), training()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(label: impl Fn(u32) -> usize) -> Table {
        let row = |at: u32| format!("{}\t{}\t1\t0.5\n", 100 * at, label(100 * at));
        let rows: String = (0..20).map(row).collect();
        Table::from_tsv("a".into(), &format!("idx\tlabel\tpredict\tradius\n{rows}")).unwrap()
    }

    #[test]
    fn data_are_known_by_their_labels() {
        let cifar10 = table(|id| CIFAR10[id as usize / 100]);
        assert_eq!(PaperData::by_labels(&cifar10), Some(PaperData::Cifar10));
        assert_eq!(PaperData::by_labels(&table(|id| id as usize / 50)), Some(PaperData::ImageNet));
        assert_eq!(
            PaperData::by_labels(&table(|id| if id == 1900 { 0 } else { CIFAR10[id as usize / 100] })),
            None
        );
        assert_eq!(PaperData::by_labels(&cifar10.only("few", |id| id < 700)), None);
        assert_eq!(PaperData::by_labels(&cifar10.only("enough", |id| id < 800)), Some(PaperData::Cifar10));
    }
}

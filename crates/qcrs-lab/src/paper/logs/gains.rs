//! What does the search gain over one σ on the same images, and which images lose?

use super::by_class::answers;
use super::log::{LogMethod, PublishedLog};
use crate::paper::words::percent;
use qcrs::analysis::{Gain, LabelGain, Paired, Row, Table, gain_without, paired};
use qcrs::report::SheetTable;
use qcrs::report::format::down;

/// Smaller losses are within the digits of the baseline.
const LOSS: f64 = 0.01;
/// So many images are named.
const NAMED: usize = 10;

/// A search beside the log with one σ that it starts from.
pub struct LogPair<'a> {
    a: &'a PublishedLog,
    b: &'a PublishedLog,
    /// The rows of both as they are compared: as printed, and at the smaller α of the two.
    forms: Vec<PairForm>,
}

struct PairForm {
    name: String,
    tables: [Table; 2],
    pair: Paired,
}

impl<'a> LogPair<'a> {
    /// Every search with every log of one σ that is about the same images and has the σ of the training.
    pub fn all(logs: &'a [PublishedLog]) -> anyhow::Result<Vec<Self>> {
        let mut pairs = Vec::new();
        for b in logs.iter().filter(|log| log.cells().is_some()) {
            for a in logs.iter().filter(|log| matches!(log.made, LogMethod::OneSigma(_))) {
                if a.data == b.data && a.start() == b.start() && a.data.is_some() {
                    pairs.push(Self::of(a, b)?);
                }
            }
        }
        Ok(pairs)
    }

    fn of(a: &'a PublishedLog, b: &'a PublishedLog) -> anyhow::Result<Self> {
        let form = |name: String, tables: [Table; 2]| -> anyhow::Result<PairForm> {
            let pair = paired(&tables[0], &tables[1])?;
            Ok(PairForm { name, tables, pair })
        };
        let alphas = a.lattice().zip(b.lattice()).map(|(a, b)| (a.alpha, b.alpha));
        let name = match alphas {
            Some((of_a, of_b)) if of_a == of_b => format!("α = {}", of_a.get()),
            Some((of_a, of_b)) => format!("as printed, α = {} and {}", of_a.get(), of_b.get()),
            None => "as printed".into(),
        };
        let mut forms = vec![form(name, [a.table.clone(), b.table.clone()])?];
        if let Some((of_a, of_b)) = alphas.filter(|(of_a, of_b)| of_a != of_b) {
            let smaller = if of_a < of_b { of_a } else { of_b };
            if let (Some(a), Some(b)) = (a.at_alpha(smaller)?, b.at_alpha(smaller)?) {
                forms.push(form(format!("both at α = {}", smaller.get()), [a, b])?);
            }
        }
        Ok(Self { a, b, forms })
    }

    /// The comparison that is fair, if there is one.
    fn fairest(&self) -> &PairForm {
        &self.forms[self.forms.len() - 1]
    }

    fn title(&self) -> String {
        format!("{} over {}", self.b.name(), self.a.name())
    }
}

/// The gains of all pairs, as a whole and without the default class.
pub fn gains(pairs: &[LogPair<'_>]) -> anyhow::Result<Option<SheetTable>> {
    let head = &[
        "pair",
        "radii",
        "images",
        "ACR of one σ",
        "ACR of the search",
        "gain",
        "better",
        "equal",
        "worse",
        "worse by over 0.01",
    ];
    let caption = "Gain of the search over one σ, on the ids that both logs have";
    let mut table = SheetTable::new(caption.into(), head);
    for pair in pairs {
        for form in &pair.forms {
            let Paired { better, equal, worse, common, acr_a, acr_b, gain, .. } = &form.pair;
            let mut row = vec![pair.title(), form.name.clone()];
            row.extend([common.to_string(), down(*acr_a, 4), down(*acr_b, 4)]);
            row.push(gain.map_or_else(|| "–".into(), |gain| percent(&gain)));
            row.extend([*better, *equal, *worse, lost(form).len()].map(|count| count.to_string()));
            table.rows.push(row);
            let Some(default) = answers(pair.b).default_class() else { continue };
            let Some(without) = gain_without(&form.tables[0], &form.tables[1], default.class)? else {
                continue;
            };
            let Gain { inputs, acr_a, acr_b, gain, .. } = without.gain;
            let mut row = vec![format!("… without {}", default.name), form.name.clone()];
            row.extend([inputs.to_string(), down(acr_a, 4), down(acr_b, 4)]);
            row.push(gain.map_or_else(|| "–".into(), |gain| percent(&gain)));
            row.extend(["", "", "", ""].map(String::from));
            table.rows.push(row);
        }
    }
    Ok((!table.rows.is_empty()).then_some(table))
}

/// The gain on each class of a pair, where these are few.
pub fn by_class(pair: &LogPair<'_>) -> Option<SheetTable> {
    let form = pair.fairest();
    let head = &["class", "images", "ACR of one σ", "ACR of the search", "gain", "part of the whole gain"];
    let mut table = SheetTable::new(format!("{}, by class, {}", pair.title(), form.name), head);
    for LabelGain { class, part, gain, .. } in &form.pair.by_label {
        table.rows.push(vec![
            pair.b.class_name(*class),
            gain.inputs.to_string(),
            down(gain.acr_a, 4),
            down(gain.acr_b, 4),
            gain.gain.map_or_else(|| "–".into(), |gain| percent(&gain)),
            part.map_or_else(|| "–".into(), |part| format!("{} %", down(100.0 * part, 1))),
        ]);
    }
    (table.rows.len() <= NAMED).then_some(table)
}

/// Rows whose score falls by more than [`LOSS`], the largest loss first.
fn lost(form: &PairForm) -> Vec<(&Row, &Row)> {
    let [a, b] = &form.tables;
    let partner =
        |row: &Row| a.rows.binary_search_by_key(&row.index, |other| other.index).ok().map(|at| &a.rows[at]);
    let both = b.rows.iter().filter_map(|row| Some((partner(row)?, row)));
    let mut lost: Vec<_> = both.filter(|pair| loss(pair) > LOSS).collect();
    lost.sort_by(|a, b| loss(b).total_cmp(&loss(a)));
    lost
}

fn loss((a, b): &(&Row, &Row)) -> f64 {
    a.score().zip(b.score()).map_or(0.0, |(a, b)| a - b)
}

/// The images that lose most.
pub fn losers(pair: &LogPair<'_>) -> Option<SheetTable> {
    let form = pair.fairest();
    let lost = lost(form);
    let head = &["image", "label", "radius at one σ", "radius of the search", "its class", "its σ"];
    let largest = format!("{}, {}: the largest losses of {}", pair.title(), form.name, lost.len());
    let mut table = SheetTable::new(largest, head);
    for (a, b) in lost.into_iter().take(NAMED) {
        let class =
            |class: Option<usize>| class.map_or_else(|| "abstains".into(), |class| pair.b.class_name(class));
        table.rows.push(vec![
            b.index.to_string(),
            class(b.label),
            down(a.radius, 4),
            down(b.radius, 4),
            class(b.predicted),
            b.sigma.map_or_else(|| "–".into(), |sigma| format!("{sigma:.4}")),
        ]);
    }
    (!table.rows.is_empty()).then_some(table)
}

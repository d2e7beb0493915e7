//! How do other programs get the numbers, with every digit?

use super::metrics::METRICS;
use crate::analysis::{Analysis, Answers, AnswersAt, ClassRow, DefaultClass, Paired, Summary, WithInterval};
use crate::text;
use crate::types::Error;
use serde::Serialize;

/// One JSON object per run, each on its own line: its summary, its classes, its answers by noise level, and how
/// it compares with the reference run.
pub fn json(analysis: &Analysis) -> Result<String, Error> {
    let runs = analysis.summaries.iter().zip(&analysis.classes).zip(&analysis.answers);
    let line = |((summary, classes), answers): ((&Summary, &Vec<ClassRow>), &Answers)| {
        let paired = analysis.paired.iter().find(|paired| paired.b == summary.name);
        serde_json::to_string(&RunData::new(summary, classes, answers, paired)).map(|text| text + "\n")
    };
    let text: Result<String, _> = runs.map(line).collect();
    text.map_err(|error| Error::Invalid(format!("the JSON could not be written: {error}")))
}

#[derive(Serialize)]
struct RunData<'a> {
    #[serde(flatten)]
    summary: &'a Summary,
    classes: &'a [ClassRow],
    /// The answers by noise level.
    answers: &'a [AnswersAt],
    /// Classes that take too many of them.
    default_classes: Vec<DefaultClass>,
    #[serde(skip_serializing_if = "Option::is_none")]
    paired: Option<&'a Paired>,
}

impl<'a> RunData<'a> {
    fn new(
        summary: &'a Summary,
        classes: &'a [ClassRow],
        answers: &'a Answers,
        paired: Option<&'a Paired>,
    ) -> Self {
        Self {
            summary,
            classes,
            answers: &answers.levels,
            default_classes: answers.default_classes(),
            paired,
        }
    }
}

/// One line per run; every estimate has a column for its value and for both ends of its interval.
/// What is not known is empty.
pub fn csv(analysis: &Analysis) -> String {
    // every run with labels has the same radii, or as many of them as it was asked about
    let longest = analysis.summaries.iter().max_by_key(|s| s.certified_accuracy.len());
    let radii: Vec<f64> =
        longest.iter().flat_map(|s| &s.certified_accuracy).map(|&(radius, _)| radius).collect();
    let mut head: Vec<String> = [
        "run",
        "guarantee",
        "inputs",
        "owed",
        "complete",
        "failed",
        "alpha",
        "n",
        "verified",
        "method",
        "model",
        "data",
        "sigma_low",
        "sigma_high",
    ]
    .map(String::from)
    .to_vec();
    let metrics = METRICS.iter().map(|metric| metric.column.to_owned());
    let columns = metrics.chain(radii.iter().map(|r| format!("certified_accuracy_{r}")));
    head.extend(columns.flat_map(|name| ["", "_low", "_high"].map(|end| format!("{name}{end}"))));
    let bounded: &[f64] = if analysis.rho.is_some() { &radii } else { &[] };
    head.extend(bounded.iter().map(|radius| format!("certified_accuracy_bound_{radius}")));
    let mut text = head.join(",") + "\n";
    for s in &analysis.summaries {
        let owed = s.owed.map_or_else(String::new, |owed| owed.to_string());
        let complete = s.complete.map_or_else(String::new, |complete| complete.to_string());
        let mut line = vec![quoted(&s.name), s.guarantee.into(), s.inputs.to_string(), owed];
        let (alpha, n) = (s.alpha.map(|alpha| alpha.to_string()), s.n.map(|n| n.to_string()));
        line.extend([complete, s.failed.to_string(), alpha.unwrap_or_default(), n.unwrap_or_default()]);
        line.push(quoted(&s.verified.to_string()));
        line.extend(
            [s.method.map(str::to_owned), s.model.clone(), s.data.clone()]
                .map(|name| quoted(&name.unwrap_or_default())),
        );
        line.extend([0, 1].map(|end| s.sigma.map_or_else(String::new, |sigma| sigma[end].to_string())));
        let metrics = METRICS.iter().map(|metric| (metric.of)(s));
        let at = |place: usize| s.certified_accuracy.get(place).map(|&(_, accuracy)| accuracy);
        line.extend(metrics.chain((0..radii.len()).map(at)).flat_map(cells));
        let bound = |place: usize| s.certified_accuracy_bound.get(place).map(|&(_, bound)| bound.to_string());
        line.extend((0..bounded.len()).map(|place| bound(place).unwrap_or_default()));
        text += &(line.join(",") + "\n");
    }
    text
}

fn cells(estimate: Option<WithInterval>) -> [String; 3] {
    let show = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    [estimate.map(|e| e.value), estimate.and_then(|e| e.low), estimate.and_then(|e| e.high)].map(show)
}

/// A name between quotes where CSV needs them (RFC 4180), and one that a spreadsheet does not take for a
/// formula.
fn quoted(name: &str) -> String {
    let apostrophe = if name.starts_with(['=', '+', '-', '@', '\t', '\r']) { "'" } else { "" };
    let name = format!("{apostrophe}{}", text::one_line(name));
    if name.contains([',', '"']) { format!("\"{}\"", name.replace('"', "\"\"")) } else { name }
}

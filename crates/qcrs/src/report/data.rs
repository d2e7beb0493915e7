//! The numbers with every digit, for other programs.

use crate::analysis::{Analysis, Estimate, Summary};
use serde_json::json;

/// A JSON object: `runs` (one summary each, with its classes), `paired` and `notes`.
pub fn json(analysis: &Analysis) -> String {
    let run = |(summary, classes): (&Summary, _)| {
        let mut run = json!(summary);
        run["classes"] = json!(classes);
        run
    };
    let runs: Vec<_> = analysis.summaries.iter().zip(&analysis.classes).map(run).collect();
    format!("{:#}\n", json!({ "runs": runs, "paired": analysis.paired, "notes": analysis.notes }))
}

/// One line per run; every estimate has a column for its value and for both ends of its interval.
/// What is not known is empty.
pub fn csv(analysis: &Analysis) -> String {
    // every run with labels has the same radii
    let longest = analysis.summaries.iter().max_by_key(|s| s.certified_accuracy.len());
    let radii: Vec<f64> =
        longest.iter().flat_map(|s| &s.certified_accuracy).map(|&(radius, _)| radius).collect();
    let mut head: Vec<String> =
        ["run", "guarantee", "inputs", "owed", "complete", "failed"].map(String::from).to_vec();
    let names =
        ["acr", "clean_accuracy", "abstained", "wrong_certified", "passes_per_input", "seconds_per_input"];
    let columns =
        names.into_iter().map(String::from).chain(radii.iter().map(|r| format!("certified_accuracy_{r}")));
    head.extend(columns.flat_map(|name| ["", "_low", "_high"].map(|end| format!("{name}{end}"))));
    let mut text = head.join(",") + "\n";
    for s in &analysis.summaries {
        let owed = s.owed.map_or_else(String::new, |owed| owed.to_string());
        let mut line = vec![quoted(&s.name), s.guarantee.into(), s.inputs.to_string(), owed];
        line.extend([s.complete.to_string(), s.failed.to_string()]);
        let fixed = [
            s.acr,
            s.clean_accuracy,
            Some(s.abstained),
            s.wrong_certified,
            s.passes_per_input,
            s.seconds_per_input,
        ];
        let at = |place: usize| s.certified_accuracy.get(place).map(|&(_, accuracy)| accuracy);
        line.extend(fixed.into_iter().chain((0..radii.len()).map(at)).flat_map(cells));
        text += &(line.join(",") + "\n");
    }
    text
}

fn cells(estimate: Option<Estimate>) -> [String; 3] {
    let show = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    [estimate.map(|e| e.value), estimate.and_then(|e| e.low), estimate.and_then(|e| e.high)].map(show)
}

/// A name between quotes where CSV needs them (RFC 4180).
fn quoted(name: &str) -> String {
    if name.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name.into()
    }
}

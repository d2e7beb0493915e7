//! What does a run look like in the field's own format (results.tsv)?

use super::directory::Stored;
use super::{Finding, Record};
use crate::certify::{Estimate, FailSafe, Outcome, Reason, Verdict};
use crate::text;
use crate::types::{Error, Sigma};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::io::ErrorKind;
use std::path::Path;

/// The columns of the published programs, then ours.
const HEADER: &str = "idx\tlabel\tpredict\tradius\tcorrect\tbest_sigma\tpABar\ttime\tvotes\tn\tpasses\tsearch_passes\tnote\tpromise\tasked\tfail_safe_class\tfail_safe_radius\tfail_safe_answers";

/// How many of these columns version 0.2 wrote.
const EARLIER_COLUMNS: usize = 15;

/// One line per record. Abstention is class −1 with radius 0 here, and only here. Radii are
/// written so that they read back as the same number, which was rounded down.
pub(super) fn results_tsv(stored: &Stored) -> String {
    let seconds: BTreeMap<u32, f64> = stored.timings.iter().map(|t| (t.index, t.seconds)).collect();
    // only images with files of their own have names
    let has_files = stored.records.iter().any(|record| record.file.is_some());
    let mut text = format!("{HEADER}{}\n", if has_files { "\tfile" } else { "" });
    let promise = stored.spec.guarantee.name();
    let asked = stored.spec.budget.at_radius().map_or(String::new(), |radius| radius.to_string());
    for record in &stored.records {
        let time = seconds.get(&record.index).map_or(String::new(), |&seconds| clock(seconds));
        let label = record.label.map_or("-1".into(), |label| label.to_string());
        let (columns, fail_safe) = (columns(record, &time), fail_safe(record));
        let _ = write!(text, "{}\t{label}\t{columns}\t{promise}\t{asked}\t{fail_safe}", record.index);
        if has_files {
            text.extend(["\t", &text::one_line(record.file.as_deref().unwrap_or_default())]);
        }
        text.push('\n');
    }
    text
}

/// Which of the run's records are in results.tsv.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultFile {
    /// There is none: a run that was killed has not written it yet.
    Absent,
    /// So many of them: a run that was killed after it was resumed, or whose other shards are under way.
    Some(usize),
    /// All of them.
    All,
}

/// Compares results.tsv in `dir` with the records, line by line; a line that comes from no record is an
/// error. A file of version 0.2 has fewer columns, which are compared.
pub fn compare_results(dir: &Path, stored: &Stored) -> Result<ResultFile, Error> {
    let path = dir.join("results.tsv");
    let text = match std::fs::read_to_string(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(ResultFile::Absent),
        read => read.map_err(Error::io(&path))?,
    };
    let given = results_tsv(stored);
    let header = text.lines().next().unwrap_or_default();
    let count = if header.split('\t').count() == EARLIER_COLUMNS { EARLIER_COLUMNS } else { usize::MAX };
    let mut given = given.split_terminator('\n').map(|line| first_columns(line, count));
    for (number, line) in text.split_terminator('\n').enumerate() {
        let found = if number == 0 { given.next() == Some(line) } else { given.any(|given| given == line) };
        if !found {
            let problem = format!(
                "line {} is not what {} gives; run the same qcrs certify again to rewrite it",
                number + 1,
                whose(line, stored)
            );
            return Err(Error::format(path, problem));
        }
    }
    let have = text.lines().count().saturating_sub(1);
    Ok(if have == stored.records.len() { ResultFile::All } else { ResultFile::Some(have) })
}

/// The line up to its tab of this number.
fn first_columns(line: &str, count: usize) -> &str {
    line.match_indices('\t').nth(count - 1).map_or(line, |(end, _)| &line[..end])
}

/// What a line of results.tsv should come from.
fn whose(line: &str, stored: &Stored) -> String {
    let index = line.split('\t').next().and_then(|index| index.parse::<u32>().ok());
    match index.filter(|&index| stored.records.iter().any(|record| record.index == index)) {
        Some(index) => format!("the record of input {index}"),
        None => "any record".into(),
    }
}

fn columns(record: &Record, time: &str) -> String {
    let ball = record.certified();
    let class = ball.map(|ball| ball.class);
    let predict = class.map_or("-1".into(), |class| class.to_string());
    let radius = ball.map_or(0.0, |ball| ball.radius);
    let correct = record.label.map_or(String::new(), |label| u8::from(class == Some(label)).to_string());
    let outcome = match &record.finding {
        Finding::Failed { error } => {
            let error = text::one_line(error);
            return format!("{predict}\t{radius}\t{correct}\t\t\t{time}\t\t\t\t\t{error}");
        }
        Finding::Outcome(outcome) => outcome,
    };
    let (sigma, p_lower) = if record.rests_on_own_votes() { grounds(outcome) } else { (None, None) };
    let estimate = outcome.estimates.iter().find(|estimate| Some(estimate.sigma()) == sigma);
    let (votes, n) = match estimate {
        Some(estimate) => (estimate.votes.of(estimate.class).to_string(), estimate.votes.total().to_string()),
        None => Default::default(),
    };
    let searched = outcome.looks.iter().map(|look| look.votes.total()).fold(0, u64::saturating_add);
    let passes = outcome.passes();
    let or_nothing = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
    let (sigma, p_lower) = (or_nothing(sigma.map(Sigma::get)), or_nothing(p_lower));
    let note = record.bank.as_ref().map_or_else(|| note(&outcome.verdict), |bank| bank.why.to_string());
    format!(
        "{predict}\t{radius}\t{correct}\t{sigma}\t{p_lower}\t{time}\t{votes}\t{n}\t{passes}\t{searched}\t{note}"
    )
}

/// The last three columns.
fn fail_safe(record: &Record) -> String {
    match record.fail_safe() {
        Some(FailSafe { class, radius, answers }) => format!("{class}\t{radius}\t{}", u8::from(answers)),
        None => "\t\t".into(),
    }
}

/// What a verdict rests on: σ, and the lower bound of the class.
fn grounds(outcome: &Outcome) -> (Option<Sigma>, Option<f64>) {
    match outcome.verdict {
        Verdict::Certified { sigma, p_lower, .. }
        | Verdict::Abstain(Reason::BelowHalf { sigma, p_lower, .. }) => (Some(sigma), Some(p_lower)),
        Verdict::Abstain(Reason::TooFewDraws { .. }) => {
            (outcome.estimates.first().map(Estimate::sigma), Some(0.0))
        }
        Verdict::Abstain(Reason::NotShown { sigma, .. }) => (Some(sigma), None),
        Verdict::Abstain(Reason::NotTried) => (None, None),
    }
}

/// Why there is no radius.
fn note(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Certified { .. } => String::new(),
        Verdict::Abstain(reason) => reason.to_string(),
    }
}

/// Seconds as the published programs write them: h:mm:ss.ffffff.
fn clock(seconds: f64) -> String {
    let micros = (seconds * 1e6).round() as u64;
    let whole = micros / 1_000_000;
    format!("{}:{:02}:{:02}.{:06}", whole / 3600, whole / 60 % 60, whole % 60, micros % 1_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_that_failed_is_wrong_only_where_its_class_is_known() {
        for (label, correct) in [(Some(3), "0"), (None, "")] {
            let finding = Finding::Failed { error: "NaN".into() };
            let line =
                columns(&Record { index: 0, label, file: None, pixels: None, finding, bank: None }, "");
            assert_eq!(line.split('\t').nth(2), Some(correct), "{line}");
        }
    }

    #[test]
    fn a_failure_cannot_forge_columns_or_lines() {
        let finding = Finding::Failed { error: "bad\t9\n1\t2\u{1b}[31m".into() };
        let line =
            columns(&Record { index: 0, label: None, file: None, pixels: None, finding, bank: None }, "");
        assert!(line.ends_with("\tbad�9�1�2�[31m"), "{line:?}");
        assert_eq!(line.matches('\t').count(), 10, "{line:?}");
    }
}

//! What do the field's own result files (`idx label predict radius correct …`) say?

use super::tsv_check::check_rows;
use super::{Row, SigmaAnswer, Table, TsvSettings};
use crate::certify::FailSafe;
use crate::run::{Checked, Guarantee, spec_of_answers};
use crate::types::Error;
use std::collections::HashSet;
use std::str::FromStr;

impl Table {
    /// Reads a result file as Cohen's and QCRS's programs (and `results.tsv`) write it.
    ///
    /// The header says where the columns are: `idx label predict radius` must be there; `correct`,
    /// `best_sigma`, `votes`, `n`, `time`, `passes`, `file` and those of the fail-safe radius are read if present, and others are
    /// ignored. A predicted class of −1 is an abstention. A file does not say how many inputs it should have,
    /// so it is never called incomplete. The column `promise` says what the radii promise. Without it, a
    /// `best_sigma` that varies means a frozen σ per input, and otherwise the promise is unknown. The column
    /// `asked` holds the only radius that was asked about, if there was only one.
    ///
    /// An answers file ([`run::answers_file`](crate::run::answers_file)) also has the spec of its run. Its inputs must
    /// be those of the spec, and its radii must follow from its votes.
    pub fn from_tsv(name: String, text: &str) -> Result<Self, Error> {
        let table = Self::read_tsv(name, text)?;
        match table.spec {
            Some(_) => table.checked_by_votes(text),
            None => Ok(table),
        }
    }

    /// The same, where the file knows its run called by the name of the file without its ending.
    #[must_use]
    pub fn under_its_name(mut self) -> Self {
        if let Some(name) = self.name.strip_suffix(".tsv").filter(|_| self.spec.is_some()) {
            self.name = name.to_owned();
        }
        self
    }

    /// The same without a look at the votes.
    pub(super) fn read_tsv(name: String, text: &str) -> Result<Self, Error> {
        let spec = spec_of_answers(text).map_err(|error| Error::format(&name, error.to_string()))?;
        let mut lines = table_lines(text);
        let (first, header) = lines.next().unwrap_or((1, ""));
        let at = |line: usize| {
            let name = name.clone();
            move |problem| Error::format(&name, format!("line {line}: {problem}"))
        };
        let columns = Columns::find(header).map_err(at(first))?;
        let (mut rows, mut seen) = (Vec::new(), HashSet::new());
        for (number, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
            let mut fresh = |row: Row| {
                let index = row.index;
                let twice = || format!("input {index} appears twice; keep one, but not because it is better");
                seen.insert(index).then_some(row).ok_or_else(twice)
            };
            let asked = |row: Row| match &spec {
                Some(spec) if !spec.selection.contains(row.index) => {
                    Err(format!("the settings in line 1 do not ask for input {}", row.index))
                }
                _ => Ok(row),
            };
            rows.push(columns.row(line).and_then(&mut fresh).and_then(asked).map_err(at(number))?);
        }
        rows.sort_by_key(|row: &Row| row.index);
        let (guarantee, asked) = match &spec {
            Some(spec) => (Some(spec.guarantee), spec.budget.at_radius()),
            None => columns.about(text).map_err(|problem| Error::format(&name, problem))?,
        };
        let checked = Checked::NotVerified(
            "a result file has no records; 'qcrs verify FILE' recomputes what its columns allow".into(),
        );
        let owed = spec.as_ref().map(|spec| spec.selection.len());
        let mut table = Self { name, guarantee, asked, spec, beliefs: Vec::new(), rows, owed, checked };
        if table.guarantee.is_none() && columns.promise.is_none() && table.sigma_varies() {
            table.guarantee = Some(Guarantee::FrozenSigma);
        }
        Ok(table)
    }

    /// The same, known to follow from its votes; fails at the first row that does not.
    fn checked_by_votes(self, text: &str) -> Result<Self, Error> {
        let check = check_rows(&self, text, &TsvSettings::default())?;
        if let Some(wrong) = check.wrong.first() {
            return Err(Error::format(&self.name, format!("line {}: {}", wrong.line, wrong.problem)));
        }
        let checked = check.of_all_radii(&self).then_some(Checked::Verdicts);
        Ok(Self { checked: checked.unwrap_or_else(|| self.checked.clone()), ..self })
    }
}

/// The lines of a result file with their numbers, from 1, without the settings of an answers file.
pub(super) fn table_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let numbered = text.lines().enumerate().map(|(at, line)| (at + 1, line));
    numbered.skip_while(|(number, line)| *number == 1 && line.starts_with('#'))
}

const TWO_RUNS: &str = "`promise` or `asked` differ from line to line; keep the files of two runs apart";

/// The position of each column.
struct Columns {
    count: usize,
    idx: usize,
    label: usize,
    predict: usize,
    radius: usize,
    correct: Option<usize>,
    sigma: Option<usize>,
    votes: Option<[usize; 2]>,
    passes: Option<usize>,
    time: Option<usize>,
    promise: Option<usize>,
    asked: Option<usize>,
    file: Option<usize>,
    /// Class, radius, and whether the predictor answers.
    fail_safe: Option<[usize; 3]>,
}

impl Columns {
    fn find(header: &str) -> Result<Self, String> {
        let names: Vec<&str> = header.split('\t').map(str::trim).collect();
        let at = |name: &str| names.iter().position(|&column| column == name);
        let must = |name: &str| {
            at(name).ok_or_else(|| {
                format!(
                    "no column `{name}`; a result file starts with idx, label, predict, radius, separated by tabs"
                )
            })
        };
        let fail_safe = match ["fail_safe_class", "fail_safe_radius", "fail_safe_answers"].map(at) {
            [Some(class), Some(radius), Some(answers)] => Some([class, radius, answers]),
            _ => None,
        };
        Ok(Self {
            fail_safe,
            count: names.len(),
            idx: must("idx")?,
            label: must("label")?,
            predict: must("predict")?,
            radius: must("radius")?,
            correct: at("correct"),
            sigma: at("best_sigma"),
            votes: at("votes").zip(at("n")).map(|(votes, n)| [votes, n]),
            passes: at("passes"),
            time: at("time"),
            promise: at("promise"),
            asked: at("asked"),
            file: at("file"),
        })
    }

    /// What all lines say about the run: its promise and the only radius asked about.
    fn about(&self, text: &str) -> Result<(Option<Guarantee>, Option<f64>), String> {
        let common = |column: Option<usize>| {
            let Some(at) = column else { return Ok("") };
            let lines = table_lines(text).skip(1).filter(|(_, line)| !line.trim().is_empty());
            let mut fields = lines.map(|(_, line)| line.split('\t').nth(at).unwrap_or_default().trim());
            let first = fields.next().unwrap_or_default();
            if fields.all(|field| field == first) { Ok(first) } else { Err(TWO_RUNS.to_owned()) }
        };
        let (promise, asked) = (common(self.promise)?, common(self.asked)?);
        let known = Guarantee::ALL.into_iter().find(|known| known.name() == promise);
        if known.is_none() && !promise.is_empty() {
            return Err(format!("`promise` is {promise:?}, which this qcrs does not know"));
        }
        let asked = if asked.is_empty() { None } else { Some(real(asked, "asked")?) };
        Ok((known, asked))
    }

    fn row(&self, line: &str) -> Result<Row, String> {
        let fields: Vec<&str> = line.split('\t').map(str::trim).collect();
        if fields.len() != self.count {
            return Err(format!(
                "{} fields where the header has {}; is the line torn?",
                fields.len(),
                self.count
            ));
        }
        // an empty optional field is unknown, not an error
        let optional = |column: Option<usize>| column.map(|at| fields[at]).filter(|field| !field.is_empty());
        let predicted = class(fields[self.predict], "predict")?;
        let sigma = optional(self.sigma).map(|field| real(field, "best_sigma")).transpose()?;
        let answer = sigma.zip(predicted).map(|(sigma, class)| SigmaAnswer { sigma, class, draws: 1 });
        let row = Row {
            index: number(fields[self.idx], "idx")?,
            file: optional(self.file).map(String::from),
            label: class(fields[self.label], "label")?,
            predicted,
            radius: real(fields[self.radius], "radius")?,
            fail_safe: self.fail_safe.map_or(Ok(None), |at| fail_safe(at.map(|at| fields[at])))?,
            sigma,
            votes: self.votes.map_or(Ok(None), |at| votes(at.map(|at| fields[at])))?,
            answers: answer.into_iter().collect(),
            runner_up_share: None,
            passes: optional(self.passes).map(|field| number(field, "passes")).transpose()?,
            seconds: optional(self.time).map(seconds).transpose()?,
            failed: false,
        };
        if row.predicted.is_none() && row.radius > 0.0 {
            return Err(format!("abstains (predict −1) but has radius {}", row.radius));
        }
        let Some((correct, claimed)) = row.correct().zip(optional(self.correct)) else { return Ok(row) };
        match number::<u8>(claimed, "correct")? {
            claim if claim == u8::from(correct) => Ok(row),
            claim => Err(format!("`correct` is {claim}, but label and predict say {}", u8::from(correct))),
        }
    }
}

fn number<T: FromStr>(field: &str, name: &str) -> Result<T, String> {
    field.parse().map_err(|_| format!("`{name}` is {field:?}, which is not a valid whole number"))
}

/// A class; −1 means none.
fn class(field: &str, name: &str) -> Result<Option<usize>, String> {
    if field == "-1" { Ok(None) } else { number(field, name).map(Some) }
}

/// A radius or noise level. At least one published program writes NaN, which does not say what it certified.
fn real(field: &str, name: &str) -> Result<f64, String> {
    let value = field.parse().ok().filter(|value: &f64| value.is_finite() && *value >= 0.0);
    value.ok_or_else(|| format!("`{name}` is {field:?}, which is not a number of 0 or more"))
}

/// The votes for the class and all of them; empty fields are unknown.
fn votes([votes, n]: [&str; 2]) -> Result<Option<[u64; 2]>, String> {
    if votes.is_empty() || n.is_empty() {
        return Ok(None);
    }
    let (votes, n) = (number(votes, "votes")?, number(n, "n")?);
    if votes > n { Err(format!("has {votes} votes of only {n}")) } else { Ok(Some([votes, n])) }
}

/// A fail-safe radius; three empty fields are none.
fn fail_safe([class, radius, answers]: [&str; 3]) -> Result<Option<FailSafe>, String> {
    if [class, radius, answers] == [""; 3] {
        return Ok(None);
    }
    let answers = match answers {
        "0" => false,
        "1" => true,
        other => return Err(format!("`fail_safe_answers` is {other:?}; it must be 0 or 1")),
    };
    let (class, radius) = (number(class, "fail_safe_class")?, real(radius, "fail_safe_radius")?);
    Ok(Some(FailSafe { class, radius, answers }))
}

/// Seconds, or `h:mm:ss.f` as Python prints a time span.
fn seconds(field: &str) -> Result<f64, String> {
    let parts: Option<Vec<f64>> = field.split(':').map(|part| part.parse().ok()).collect();
    let total = match parts.as_deref() {
        Some(&[s]) => s,
        Some(&[h, m, s]) if h >= 0.0 && (0.0..60.0).contains(&m) && (0.0..60.0).contains(&s) => {
            (h * 60.0 + m) * 60.0 + s
        }
        _ => f64::NAN,
    };
    if total.is_finite() && total >= 0.0 {
        Ok(total)
    } else {
        Err(format!("`time` is {field:?}; it must be seconds or h:mm:ss"))
    }
}

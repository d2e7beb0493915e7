//! How is a run published in one small file?
//!
//! An answers file is results.tsv without the columns that follow from the others, below a first line that holds the
//! spec. From it every table can be made again, and every radius checked, without the run.

use super::results::results_tsv;
use super::{Spec, Stored};
use crate::types::Error;

/// What the first line begins with; the spec follows as JSON.
const MARK: &str = "# qcrs ";

/// Columns of results.tsv that spec and votes give, or that no table shows.
const LEFT_OUT: [&str; 4] = ["pABar", "search_passes", "promise", "asked"];

/// Every answer of a run, with its spec in the first line.
///
/// ```text
/// # qcrs {"qcrs":"0.3.0","noise":"lattice 1/255",…}
/// idx label predict radius             correct best_sigma time           votes n     passes note …
/// 0   3     3       0.5248936216529184 1       0.28046875 0:00:01.316187 9746  10000 17600
/// ```
pub fn answers_file(stored: &Stored) -> Result<String, Error> {
    let results = results_tsv(stored);
    let header = results.lines().next().unwrap_or_default();
    let kept: Vec<bool> = header.split('\t').map(|name| !LEFT_OUT.contains(&name)).collect();
    let spec = serde_json::to_string(&stored.spec).map_err(|error| Error::Invalid(error.to_string()))?;
    let mut text = format!("{MARK}{spec}\n");
    for line in results.lines() {
        let fields = line.split('\t').zip(&kept).filter(|(_, kept)| **kept).map(|(field, _)| field);
        text += &fields.collect::<Vec<_>>().join("\t");
        text.push('\n');
    }
    Ok(text)
}

/// The spec in the first line of a result file, if it is an answers file.
pub fn spec_of_answers(text: &str) -> Result<Option<Spec>, Error> {
    let Some(json) = text.lines().next().and_then(|line| line.strip_prefix(MARK)) else { return Ok(None) };
    let spec: Spec = serde_json::from_str(json).map_err(|error| {
        Error::Invalid(format!(
            "line 1: this qcrs cannot read the settings of the run: {error}; read it with the version that wrote it"
        ))
    })?;
    spec.check()?;
    let promise = spec.promise();
    if spec.guarantee != promise {
        let problem = format!("line 1: its method promises {}; the file was changed", promise.name());
        return Err(Error::Invalid(problem));
    }
    Ok(Some(spec))
}

//! What does the comparison look like?

use super::answer::AnswerLine;
use crate::output;
use qcrs::report::plot::{Mark, Plot, Series, stacked};
use std::path::Path;

/// Half the width of a bar, where one engine has the width 1.
const HALF: f64 = 0.36;

/// Writes a bar for each engine; rates that are measured in different ways have their own plots.
pub(super) fn write(path: &Path, note: &str, groups: &[(&str, &[AnswerLine])]) -> anyhow::Result<()> {
    let plots: Vec<Plot> = groups.iter().map(|(title, lines)| plot(title, note, lines)).collect();
    output::write_file(path, &stacked("Images per second by engine", &plots))
}

fn plot(title: &str, note: &str, lines: &[AnswerLine]) -> Plot {
    let most = lines.iter().map(|line| line.rate).fold(0.0, f64::max);
    let series = |(at, line): (usize, &AnswerLine)| {
        let middle = (at + 1) as f64;
        let name = format!("{}  {}: {:.0}, {:.2}×", at + 1, line.name, line.rate, line.ratio);
        let (left, right) = (middle - HALF, middle + HALF);
        let bar = Mark::Bars(vec![(left, line.rate), (right, line.rate), (right, 0.0)]);
        Series { name, style: at, marks: vec![bar] }
    };
    let series: Vec<Series> = lines.iter().enumerate().map(series).collect();
    let words: Vec<&str> = series.iter().map(|series| series.name.as_str()).collect();
    Plot {
        title: title.to_owned(),
        desc: format!("Images per second: {}.", words.join("; ")),
        x_label: "engine, as numbered below",
        y_label: "images/s",
        whole_x: true,
        x: (0.5, lines.len() as f64 + 0.5),
        y: (0.0, 1.05 * most),
        series,
        notes: vec![note.to_owned()],
    }
}

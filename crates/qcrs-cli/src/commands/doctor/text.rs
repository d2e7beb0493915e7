//! How is what was measured laid out?

use super::{DoctorArgs, LevelLine, Seconds, Shown, words};
use crate::output;
use qcrs::report;
use qcrs::text::{self, hanging, wrap};
use std::fmt::Write;

/// Columns of the titles at the left.
const INDENT: usize = 11;

pub fn text(args: &DoctorArgs, found: &Shown) -> String {
    let Shown { engine, shape: [c, h, w], classes, inputs, pixel_range: [low, high], .. } = found;
    let mut text = format!(
        "model      {}: {classes} classes, {engine}\n\
         data       {}: {inputs} images of {c}x{h}x{w}, pixels {low} to {high}\n\n",
        args.target.model.model.display(),
        args.target.data.data.display(),
    );
    let width = output::terminal().width;
    if found.labelled {
        text += &readings(found);
    }
    text += &paragraph("diagnosis", &found.diagnosis, width);
    if let Some(advice) = &found.advice {
        let _ = write!(text, "\n{}\n{}", levels(found), paragraph("noise", advice, width));
    }
    let _ = write!(text, "\nspeed      {:.0} images/s\n\n{}", found.images_per_second, costs(args.n, found));
    if let Some(answers) = &found.answers {
        let _ = write!(text, "\n{}\n", report::by_sigma(answers, &output::terminal()));
    }
    if !found.batch_invariant {
        text.push_str("note       scores depend on the batch size; it becomes part of a run's spec\n");
    }
    let fitted =
        |line: &str| if line.starts_with(' ') { line.to_owned() } else { hanging(line, width, INDENT) };
    text.lines().map(|line| fitted(line) + "\n").collect()
}

/// A title and what belongs to it, wrapped to `width`; lines that begin with a space are code.
fn paragraph(title: &str, words: &str, width: usize) -> String {
    let (mut text, mut first) = (String::new(), format!("{title:<10} "));
    for part in words.lines() {
        if part.is_empty() || part.starts_with(' ') {
            let _ = writeln!(text, "{part}");
            continue;
        }
        for line in wrap(part, width - INDENT) {
            let _ = writeln!(text, "{first}{line}");
            first = " ".repeat(INDENT);
        }
    }
    text
}

fn readings(found: &Shown) -> String {
    let title = format!("accuracy on {} images", found.images_tried);
    let mut text = format!("{title:<46} {:>8} {:>8}\n", "no noise", format!("σ = {}", found.sigma));
    for reading in &found.readings {
        let mark = if reading.declared { "  (as declared)" } else { "" };
        let (clean, noisy) = (100.0 * reading.clean_accuracy, 100.0 * reading.noisy_accuracy);
        let _ = writeln!(text, "{:<46} {clean:>6.1} % {noisy:>6.1} %{mark}", reading.way);
    }
    text + "\n"
}

fn levels(found: &Shown) -> String {
    let row = |title: &str, cell: &dyn Fn(&LevelLine) -> String| {
        let cells = found.noise.iter().map(|level| format!(" {:>7}", cell(level)));
        format!("{title:<10}{}\n", cells.collect::<String>())
    };
    let sigma = |level: &LevelLine| match level.sigma {
        0.0 => "none".to_owned(),
        sigma => format!("{sigma:.3}").trim_end_matches('0').trim_end_matches('.').to_owned(),
    };
    let what = if found.labelled { "right" } else { "same" };
    row("noise σ", &sigma) + &row(what, &|level| format!("{:.1} %", 100.0 * level.share))
}

fn costs(n: u32, found: &Shown) -> String {
    let all = format!("{} images", found.selected);
    let mut text = format!("{:<10} {:>12} {:>10} {all:>14}\n", format!("n = {n}"), "passes", "per image");
    for Seconds { method, passes, per_input, for_all, at_most, .. } in &found.seconds {
        let most = if *at_most { "≤ " } else { "" };
        let (passes, one, all) = (format!("{most}{passes}"), duration(*per_input), duration(*for_all));
        let _ = writeln!(text, "{method:<10} {passes:>12} {one:>10} {all:>14}");
    }
    text + &text::paragraph(&words::choice(&found.seconds), output::terminal().width)
}

fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 0.1 => format!("{:.1} ms", 1e3 * s),
        s if s < 120.0 => format!("{s:.1} s"),
        s if s < 7200.0 => format!("{:.0} min", s / 60.0),
        s if s < 172_800.0 => format!("{:.1} h", s / 3600.0),
        s => format!("{:.1} days", s / 86_400.0),
    }
}

#[cfg(test)]
mod tests {
    use super::paragraph;

    #[test]
    fn words_are_wrapped_and_code_is_not() {
        let words =
            format!("{} end:\n\n    x = x + 1    # {}", "noise ".repeat(20).trim(), "long ".repeat(20));
        let text = paragraph("noise", &words, 100);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("noise      noise noise") && lines[0].len() <= 100, "{text}");
        assert!(lines[1].starts_with("           noise") && lines[1].ends_with("end:"), "{text}");
        assert!(lines[2].is_empty() && lines[3].starts_with("    x = x + 1"), "{text}");
    }
}

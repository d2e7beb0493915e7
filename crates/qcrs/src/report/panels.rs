//! How are many curves of the same kind drawn, one small plot each?

use super::plot::{DrawnFigure, dot, path};
use super::svg::{WIDTH, line, rect, text};

/// Panels beside each other.
const COLUMNS: usize = 8;
const GAP: f64 = 4.0;
/// The height of the curve in a panel, and of the words below it.
const CURVE: f64 = 34.0;
const WORDS: f64 = 12.0;
const TOP: f64 = 28.0;
const LINE: f64 = 16.0;

/// Curves over one x axis, each scaled to its own largest value.
#[derive(Clone, Debug)]
pub struct Panels {
    /// The text above all.
    pub title: String,
    /// A description for readers who cannot see it.
    pub desc: String,
    /// From left to right.
    pub x: (f64, f64),
    /// Drawn row by row.
    pub panels: Vec<Panel>,
    /// Lines below.
    pub notes: Vec<String>,
}

/// One curve.
#[derive(Clone, Debug)]
pub struct Panel {
    /// The words below it.
    pub name: String,
    /// Whether it stands out.
    pub marked: bool,
    /// (x, y), in rising order of x.
    pub curve: Vec<(f64, f64)>,
    /// Low and high ends around the curve: (x, low, high).
    pub band: Vec<(f64, f64, f64)>,
    /// Points of the curve that stand out.
    pub dots: Vec<(f64, f64)>,
}

impl Panels {
    pub(super) fn drawn(&self) -> DrawnFigure {
        let width = (WIDTH - GAP) / COLUMNS as f64;
        let height = CURVE + WORDS + GAP;
        let mut body = String::new();
        for (number, panel) in self.panels.iter().enumerate() {
            let (column, row) = (number % COLUMNS, number / COLUMNS);
            let corner = (GAP + column as f64 * width, TOP + row as f64 * height);
            body += &panel.drawn(corner, width - GAP, self.x);
        }
        let mut y = TOP + self.panels.len().div_ceil(COLUMNS) as f64 * height + LINE;
        for note in self.notes.iter().flat_map(|note| crate::text::wrap(note, 70)) {
            body += &text(GAP, y - 4.0, "note", &note);
            y += LINE;
        }
        DrawnFigure { title: self.title.clone(), desc: self.desc.clone(), body, height: y - 6.0 }
    }
}

impl Panel {
    fn drawn(&self, (left, top): (f64, f64), width: f64, (low, high): (f64, f64)) -> String {
        let curve = self.curve.iter().map(|&(_, y)| y);
        let most = curve.chain(self.band.iter().map(|&(_, _, high)| high)).filter(|y| y.is_finite());
        let most = most.fold(0.0, f64::max).max(f64::MIN_POSITIVE);
        let share = |v: f64, least: f64, most: f64| ((v - least) / (most - least)).clamp(0.0, 1.0);
        let at = |x: f64, y: f64| {
            let x = if high > low { share(x, low, high) } else { 0.5 };
            (left + 1.0 + x * (width - 2.0), top + 1.0 + (1.0 - share(y, 0.0, most)) * (CURVE - 2.0))
        };
        let joined = |points: &mut dyn Iterator<Item = (f64, f64)>| {
            let points = points.map(|(x, y)| at(x, y)).map(|(x, y)| format!("{x:.1} {y:.1}"));
            format!("M{}", points.collect::<Vec<_>>().join("L"))
        };
        let colour = if self.marked { "c1 d0" } else { "c0 d0" };
        let mut out = rect((left, top), (width, CURVE), "frame");
        if !self.band.is_empty() {
            let there = self.band.iter().map(|&(x, _, high)| (x, high));
            let back = self.band.iter().rev().map(|&(x, low, _)| (x, low));
            out += &path(&(joined(&mut there.chain(back)) + "Z"), &format!("band {colour}"));
        }
        out += &path(&joined(&mut self.curve.iter().copied()), &format!("line thin {colour}"));
        out.extend(self.dots.iter().map(|&(x, y)| dot(at(x, y), 1.6, colour)));
        if self.marked {
            out += &line((left, top + CURVE), (left + width, top + CURVE), &format!("line {colour}"));
        }
        out + &text(left + width / 2.0, top + CURVE + 9.0, "small middle", &self.name)
    }
}

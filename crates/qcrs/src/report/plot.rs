//! How is a plot with two axes drawn: lines, steps, bands, and a legend below?

use super::svg::{LEFT, RIGHT, STYLE, WIDTH, document, escape, file, heading, line, stroke, text, ticks};
use crate::text::wrap;

const TOP: f64 = 32.0;
const HEIGHT: f64 = 230.0;
const LINE: f64 = 16.0;
/// The radius of a dot.
const DOT: f64 = 2.6;
/// Characters that fit beside a legend's sample, and in a note.
const LEGEND: usize = 52;
const NOTE: usize = 62;

/// What to draw, in data units.
#[derive(Clone, Debug)]
pub struct Plot {
    /// The text above it.
    pub title: String,
    /// A description for readers who cannot see it.
    pub desc: String,
    /// The text below the x axis.
    pub x_label: &'static str,
    /// The text beside the y axis.
    pub y_label: &'static str,
    /// Whether x counts something, so that its axis has whole numbers only.
    pub whole_x: bool,
    /// From left to right; what lies outside is drawn at the edge.
    pub x: (f64, f64),
    /// From bottom to top; what lies outside is drawn at the edge.
    pub y: (f64, f64),
    /// What the legend lists.
    pub series: Vec<Series>,
    /// Lines below the legend.
    pub notes: Vec<String>,
}

/// Marks in one colour, under one name.
#[derive(Clone, Debug)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// Its colour and dashes: a number below 36.
    pub style: usize,
    /// What is drawn, in data units.
    pub marks: Vec<Mark>,
}

/// One thing on the plot.
#[derive(Clone, Debug)]
pub enum Mark {
    /// Points joined by straight lines.
    Line(Vec<(f64, f64)>),
    /// The point itself.
    Dots(Vec<(f64, f64)>),
    /// y holds from its x to the next.
    Step(Vec<(f64, f64)>),
    /// The same, filled down to 0.
    Bars(Vec<(f64, f64)>),
    /// The space between low and high: (x, low, high).
    Band(Vec<(f64, f64, f64)>),
    /// A vertical line from bottom to top.
    Rule(f64),
}

/// Plots below each other in one SVG file that stands alone, light and dark.
///
/// ```
/// use qcrs::report::plot::{Mark, Plot, Series, stacked};
///
/// let points = vec![(1.0, 2.3), (2.0, 1.1), (3.0, 0.8)];
/// let plot = Plot {
///     title: "Loss".into(),
///     desc: "The loss falls over three epochs.".into(),
///     x_label: "epoch",
///     y_label: "loss",
///     whole_x: true,
///     x: (0.0, 3.0),
///     y: (0.0, 2.5),
///     series: vec![Series { name: "training".into(), style: 0, marks: vec![Mark::Line(points)] }],
///     notes: Vec::new(),
/// };
/// assert!(stacked("A training", &[plot]).starts_with("<svg "));
/// ```
pub fn stacked(title: &str, plots: &[Plot]) -> String {
    stack(title, plots.iter().map(Plot::drawn))
}

/// The same for figures of any kind.
pub(super) fn stack(title: &str, figures: impl Iterator<Item = DrawnFigure>) -> String {
    let (mut top, mut all, mut descriptions) = (0.0, String::new(), Vec::new());
    for DrawnFigure { title, desc, body, height } in figures {
        let (name, escaped, heading) = (escape(&title), escape(&desc), heading(&title));
        let place =
            format!("<g transform=\"translate(0 {top:.1})\"><title>{name}</title><desc>{escaped}</desc>");
        all.extend([place, heading, body, "</g>".into()]);
        top += height + LINE;
        descriptions.push(desc);
    }
    file(title, &descriptions.join(" "), top, &all, Some(STYLE))
}

/// A figure without its heading.
pub(super) struct DrawnFigure {
    pub title: String,
    pub desc: String,
    pub body: String,
    pub height: f64,
}

impl DrawnFigure {
    /// The figure; `style` is embedded when it must stand alone.
    pub fn svg(&self, style: Option<&str>) -> String {
        document(&self.title, &self.desc, self.height, &self.body, style)
    }
}

impl Plot {
    /// The figure; `style` is embedded when it must stand alone.
    pub(super) fn svg(&self, style: Option<&str>) -> String {
        self.drawn().svg(style)
    }

    pub(super) fn drawn(&self) -> DrawnFigure {
        let (body, height) = self.body();
        DrawnFigure { title: self.title.clone(), desc: self.desc.clone(), body, height }
    }

    /// Everything but the heading, and its height.
    fn body(&self) -> (String, f64) {
        let (mut body, below) = (self.axes(), TOP + HEIGHT + 2.0 * LINE + 20.0);
        // bands first, so that no line is covered
        for bands in [true, false] {
            for series in &self.series {
                let marks = series.marks.iter().filter(|mark| matches!(mark, Mark::Band(_)) == bands);
                body.extend(marks.map(|mark| self.mark(mark, series.style)));
            }
        }
        let mut y = below;
        for series in &self.series {
            let class = stroke(series.style);
            body += &if series.marks.iter().all(|mark| matches!(mark, Mark::Dots(_))) {
                dot((LEFT + 14.0, y - 4.0), DOT, &class)
            } else {
                line((LEFT, y - 4.0), (LEFT + 28.0, y - 4.0), &format!("line {class}"))
            };
            for words in wrap(&series.name, LEGEND) {
                body += &text(LEFT + 36.0, y, "", &words);
                y += LINE;
            }
        }
        for words in self.notes.iter().flat_map(|note| wrap(note, NOTE)) {
            body += &text(16.0, y + 2.0, "note", &words);
            y += LINE;
        }
        (body, y - 2.0)
    }

    fn at(&self, x: f64, y: f64) -> (f64, f64) {
        // a single value stands in the middle
        let share = |v: f64, (low, high): (f64, f64)| {
            if high > low { ((v - low) / (high - low)).clamp(0.0, 1.0) } else { 0.5 }
        };
        (LEFT + share(x, self.x) * (WIDTH - LEFT - RIGHT), TOP + (1.0 - share(y, self.y)) * HEIGHT)
    }

    fn axes(&self) -> String {
        let mut out = String::new();
        let bottom = TOP + HEIGHT;
        for (value, label) in ticks(self.y, 5) {
            let (_, y) = self.at(self.x.0, value);
            out += &line((LEFT, y), (WIDTH - RIGHT, y), "grid");
            out += &text(LEFT - 6.0, y + 4.0, "tick end", &label);
        }
        for (value, label) in ticks(self.x, 6) {
            let whole = value.round();
            if self.whole_x && (value - whole).abs() > 1e-6 {
                continue;
            }
            let label = if self.whole_x { whole.to_string() } else { label };
            let (x, _) = self.at(value, self.y.0);
            out += &line((x, bottom), (x, bottom + 4.0), "axis");
            out += &text(x, bottom + LINE, "tick middle", &label);
        }
        let middle = TOP + HEIGHT / 2.0;
        out += &line((LEFT, bottom), (WIDTH - RIGHT, bottom), "axis");
        out += &text(f64::midpoint(LEFT, WIDTH - RIGHT), bottom + 2.0 * LINE, "middle", self.x_label);
        out + &format!(
            "<g transform=\"rotate(-90 13 {middle})\">{}</g>",
            text(13.0, middle, "middle", self.y_label)
        )
    }

    fn mark(&self, mark: &Mark, style: usize) -> String {
        let class = stroke(style);
        match mark {
            Mark::Line(points) => path(&self.joined(points.iter().copied()), &format!("line {class}")),
            Mark::Step(points) => path(&self.steps(points), &format!("line {class}")),
            Mark::Bars(points) => {
                let ((first, base), (last, _)) =
                    (self.at(edge(points.first()), 0.0), self.at(edge(points.last()), 0.0));
                let outline = self.steps(points);
                let area = format!("M{first:.1} {base:.1}L{}V{base:.1}Z", outline.trim_start_matches('M'));
                let drop =
                    format!("M{first:.1} {base:.1}L{}M{last:.1} {base:.1}", outline.trim_start_matches('M'));
                path(&area, &format!("band {class}")) + &path(&drop, &format!("line {class}"))
            }
            Mark::Band(points) => {
                let there = points.iter().map(|&(x, _, high)| (x, high));
                let back = points.iter().rev().map(|&(x, low, _)| (x, low));
                path(&(self.joined(there.chain(back)) + "Z"), &format!("band {class}"))
            }
            Mark::Dots(points) => points.iter().map(|&(x, y)| dot(self.at(x, y), DOT, &class)).collect(),
            Mark::Rule(x) => line(self.at(*x, self.y.0), self.at(*x, self.y.1), &format!("line {class}")),
        }
    }

    fn joined(&self, points: impl Iterator<Item = (f64, f64)>) -> String {
        let points: Vec<String> =
            points.map(|(x, y)| self.at(x, y)).map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
        format!("M{}", points.join("L"))
    }

    /// A step function, exact to the tenth of a unit in which it is drawn: ten thousand steps
    /// closer than that are one.
    fn steps(&self, points: &[(f64, f64)]) -> String {
        let mut out = String::new();
        let mut last = (String::new(), String::new());
        for (x, y) in
            points.iter().map(|&(x, y)| self.at(x, y)).map(|(x, y)| (format!("{x:.1}"), format!("{y:.1}")))
        {
            if out.is_empty() {
                out = format!("M{x} {y}");
            } else if x != last.0 {
                out.extend(["H", &x, "V", &y]);
            } else if y != last.1 {
                out.extend(["V", &y]);
            }
            last = (x, y);
        }
        out
    }
}

fn edge(point: Option<&(f64, f64)>) -> f64 {
    point.map_or(0.0, |&(x, _)| x)
}

/// A filled circle.
pub(super) fn dot((x, y): (f64, f64), radius: f64, class: &str) -> String {
    format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" class=\"dot {class}\"/>")
}

/// The outline `data`.
pub(super) fn path(data: &str, class: &str) -> String {
    format!("<path d=\"{data}\" class=\"{class}\"/>")
}

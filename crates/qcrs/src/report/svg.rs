//! Which pieces of SVG are our figures made of?

/// Width of every figure in its own units; small, so that text stays readable on a phone.
pub const WIDTH: f64 = 440.0;
/// Free space left of the plot, for tick labels.
pub const LEFT: f64 = 58.0;
/// Free space right of the plot.
pub const RIGHT: f64 = 16.0;
/// How many colours series have; later ones repeat them with other dashes.
pub const STYLES: usize = 10;
/// How many dash patterns there are.
const DASHES: usize = 6;
/// Colours and dashes, for light and dark; a page includes them once, and a separate file contains them.
pub const STYLE: &str = include_str!("templates/figure.css");

/// A figure: `style` is embedded when it must stand alone.
pub fn document(title: &str, desc: &str, height: f64, body: &str, style: Option<&str>) -> String {
    file(title, desc, height, &(heading(title) + body), style)
}

/// The same without a heading: its parts have their own.
pub fn file(title: &str, desc: &str, height: f64, body: &str, style: Option<&str>) -> String {
    let style = style.map_or_else(String::new, |css| format!("<style>{css}</style>"));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" role=\"img\" viewBox=\"0 0 {WIDTH} {height}\" \
         width=\"{WIDTH}\" height=\"{height}\"><title>{}</title><desc>{}</desc>{style}\
         <rect class=\"paper\" width=\"{WIDTH}\" height=\"{height}\"/>{body}</svg>\n",
        escape(title),
        escape(desc)
    )
}

/// The title above a figure.
pub fn heading(title: &str) -> String {
    text(WIDTH / 2.0, 19.0, "heading middle", title)
}

/// A line of text at a point; `class` may be `middle` or `end` to align it.
pub fn text(x: f64, y: f64, class: &str, content: &str) -> String {
    format!("<text x=\"{x:.1}\" y=\"{y:.1}\" class=\"{class}\">{}</text>", escape(content))
}

/// A straight line.
pub fn line((x1, y1): (f64, f64), (x2, y2): (f64, f64), class: &str) -> String {
    format!("<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" class=\"{class}\"/>")
}

/// A rectangle by its top left corner and its size.
pub fn rect((x, y): (f64, f64), (width, height): (f64, f64), class: &str) -> String {
    format!("<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" class=\"{class}\"/>")
}

/// The classes of the `number`-th series: a colour and a dash pattern, no two alike below 60.
pub fn stroke(number: usize) -> String {
    format!("c{} d{}", number % STYLES, (number + number / STYLES) % DASHES)
}

/// Text that XML and HTML leave alone. Control characters, which XML forbids, become spaces.
pub fn escape(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// Round numbers within `low..=high`, about `count` of them, with the decimals they need.
pub fn ticks((low, high): (f64, f64), count: usize) -> Vec<(f64, String)> {
    let rough = (high - low) / count as f64;
    if !(rough > 0.0 && rough.is_finite()) {
        return Vec::new();
    }
    let power = 10f64.powf(rough.log10().floor());
    let factor = [1.0, 2.0, 2.5, 5.0, 10.0].into_iter().find(|f| f * power >= rough * 0.999).unwrap_or(10.0);
    let step = factor * power;
    let decimals =
        (0..9).find(|&d| ((step * 10f64.powi(d)).round() / 10f64.powi(d) - step).abs() < step * 1e-6);
    let (first, last) = ((low / step - 1e-9).ceil() as i64, (high / step + 1e-9).floor() as i64);
    (first..=last)
        .map(|i| i as f64 * step)
        .map(|at| (at, format!("{at:.*}", decimals.unwrap_or(9) as usize)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round() {
        let labels = |low, high| ticks((low, high), 5).into_iter().map(|(_, text)| text).collect::<Vec<_>>();
        assert_eq!(labels(0.0, 1.0), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(labels(0.0, 2.4), ["0.0", "0.5", "1.0", "1.5", "2.0"]);
        assert_eq!(labels(0.12, 0.2), ["0.12", "0.14", "0.16", "0.18", "0.20"]);
        assert_eq!(labels(0.0, 1.2), ["0.00", "0.25", "0.50", "0.75", "1.00"]);
        assert!(ticks((1.0, 1.0), 5).is_empty() && ticks((0.0, f64::INFINITY), 5).is_empty());
    }

    #[test]
    fn hostile_names_are_escaped() {
        assert_eq!(escape("<a b=\"'&\">\u{0}"), "&lt;a b=&quot;&#39;&amp;&quot;&gt; ");
        let all: std::collections::HashSet<String> = (0..60).map(stroke).collect();
        assert_eq!(all.len(), 60);
        // a legend of ten runs needs no dashes
        let colours = |number: usize| stroke(number).split(' ').next().map(str::to_owned);
        assert_eq!((0..10).map(colours).collect::<std::collections::HashSet<_>>().len(), 10);
    }
}

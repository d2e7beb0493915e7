//! How are bars with intervals drawn, one below the other so that long names have room?

use super::format::down;
use super::svg::{LEFT, RIGHT, STYLES, WIDTH, document, line, rect, text, ticks};
use crate::analysis::WithInterval;
use crate::text::wrap;

const LINE: f64 = 16.0;
const BAR: f64 = 14.0;
const START: f64 = 20.0;

/// One bar.
pub struct Bar {
    pub name: String,
    pub style: usize,
    /// From 0 up.
    pub number: WithInterval,
}

/// A bar chart of `rows`, as a separate figure when `style` is given.
pub fn bars(title: &str, desc: &str, label: &str, rows: &[Bar], style: Option<&str>) -> String {
    let largest = rows.iter().map(|bar| bar.number.high.unwrap_or(bar.number.value)).fold(0.0, f64::max);
    let largest = if largest > 0.0 { largest } else { 1.0 };
    // room on the right for the number
    let at = |value: f64| START + value / largest * (WIDTH - START - RIGHT - LEFT);
    let (mut bodies, mut y) = (String::new(), 40.0);
    for Bar { name, style: number, number: estimate } in rows {
        for words in wrap(name, 60) {
            bodies += &text(START, y, "", &words);
            y += LINE;
        }
        let (end, top, middle) = (at(estimate.value), y - 10.0, y - 10.0 + BAR / 2.0);
        let width = end - START;
        let class = format!("bar c{}", number % STYLES);
        bodies += &rect((START, top), (width, BAR), &class);
        let mut right = end;
        if let (Some(low), Some(high)) = (estimate.low, estimate.high) {
            right = at(high);
            bodies += &line((at(low), middle), (right, middle), "whisker");
            for x in [at(low), right] {
                bodies += &line((x, middle - 4.0), (x, middle + 4.0), "whisker");
            }
        }
        bodies += &text(right + 6.0, middle + 4.5, "", &down(estimate.value, 4));
        y += BAR + 14.0;
    }
    let bottom = y - 10.0;
    let mut axis = String::new();
    for (value, label) in ticks((0.0, largest), 5) {
        axis += &line((at(value), 28.0), (at(value), bottom), "grid");
        axis += &text(at(value), bottom + LINE, "tick middle", &label);
    }
    axis += &line((START, bottom), (at(largest), bottom), "axis");
    axis += &text(at(largest / 2.0), bottom + 2.0 * LINE, "middle", label);
    document(title, desc, bottom + 2.0 * LINE + 10.0, &(axis + &bodies), style)
}

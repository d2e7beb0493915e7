//! Which layer takes how long?

use crate::output::{self, Format};
use qcrs_onnx::{Cnn, LayerTime};
use serde_json::json;
use std::fmt::Write;

const ROUNDS: usize = 50;

/// Prints the plan of our own engine, step by step.
pub(super) fn print(cnn: &Cnn, format: Format) -> anyhow::Result<()> {
    let layers = cnn.profile(ROUNDS);
    if format == Format::Json {
        let line = |layer: &LayerTime| {
            json!({ "name": layer.name, "kind": layer.kind, "from": layer.from, "to": layer.to,
                    "macs": layer.macs, "weight_bytes": layer.weights, "together": layer.together,
                    "seconds": layer.time.as_secs_f64() })
        };
        let lines: Vec<_> = layers.iter().map(line).collect();
        return output::print_json(&json!({ "instructions": cnn.instructions().name(), "layers": lines }));
    }
    let all: f64 = layers.iter().map(|layer| layer.time.as_secs_f64()).sum();
    let shape = |[c, h, w]: [usize; 3]| format!("{c}×{h}×{w}");
    let mut text = format!(
        "{:<24} {:<11} {:>12} {:>12} {:>8} {:>9} {:>8} {:>6} {:>7}\n",
        "step", "kind", "from", "to", "MMAC", "weights", "µs", "share", "GMAC/s"
    );
    for layer in &layers {
        let seconds = layer.time.as_secs_f64();
        let kind = format!("{}{}", layer.kind, if layer.together { " ×8" } else { "" });
        let _ = writeln!(
            text,
            "{:<24} {kind:<11} {:>12} {:>12} {:>8.2} {:>6} kB {:>8.1} {:>4.1} % {:>7.1}",
            layer.name,
            shape(layer.from),
            shape(layer.to),
            layer.macs as f64 / 1e6,
            layer.weights / 1024,
            1e6 * seconds,
            100.0 * seconds / all,
            layer.macs as f64 / seconds / 1e9,
        );
    }
    let macs: u64 = layers.iter().map(|layer| layer.macs).sum();
    let _ = write!(
        text,
        "{} steps with {}, one thread: {:.0} images/s, {:.1} MMAC per image, {:.1} GMAC/s",
        layers.len(),
        cnn.instructions().name(),
        1.0 / all,
        macs as f64 / 1e6,
        macs as f64 / all / 1e9
    );
    output::print(&text)
}

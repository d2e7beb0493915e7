//! Which settings of a run were changed, by the names under which they are given?

use super::Difference;
use crate::text;
use crate::types::ChangedSetting;
use serde_json::Value;

/// Where a spec keeps what people give, and what they call it; those that decide others come first.
const GIVEN: [(&str, &str); 24] = [
    ("model.name", "model"),
    ("data.name", "data"),
    ("search.method", "method"),
    ("search.sigma", "sigma"),
    ("search.low", "left"),
    ("search.high", "right"),
    ("search.draws", "gradient_n"),
    ("search.points", "points"),
    ("search.lambda", "lambda"),
    ("budget.n0", "n0"),
    ("budget.n", "n"),
    ("budget.alpha", "alpha"),
    ("budget.bound", "bound"),
    ("budget.at_radius", "at_radius"),
    ("seed", "seed"),
    ("selection.skip", "skip"),
    ("selection.offset", "offset"),
    ("selection.max", "max"),
    ("selection.count", "count"),
    ("bank", "bank"),
    ("model.engine", "engine"),
    ("model.device", "device"),
    ("model.precision", "precision"),
    ("model.output", "output"),
];

/// The differences as people gave them. Those that only follow from others are left out: the region and the
/// steps of a search follow from its σ, and what a run promises follows from its method.
pub(super) fn changed(differences: &[Difference]) -> Vec<ChangedSetting> {
    let differs = |place: &str| differences.iter().any(|difference| difference.place == place);
    let follows = |place: &str| match place {
        "guarantee" | "tau" => differences.len() > 1,
        "search.method" => false,
        "search.sigma" => differs("search.method"),
        _ => place.starts_with("search.") && (differs("search.method") || differs("search.sigma")),
    };
    let rank = |place: &str| GIVEN.iter().position(|(given, _)| *given == place).unwrap_or(GIVEN.len());
    let mut left: Vec<&Difference> =
        differences.iter().filter(|difference| !follows(&difference.place)).collect();
    left.sort_by_key(|difference| rank(&difference.place));
    left.into_iter().map(setting).collect()
}

fn setting(difference: &Difference) -> ChangedSetting {
    let Difference { place, used, wanted } = difference;
    match GIVEN.iter().find(|(given, _)| given == place) {
        Some((_, name)) => ChangedSetting::Named { name, used: shown(used), wanted: shown(wanted) },
        None => ChangedSetting::Other(difference.to_string()),
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => "nothing".into(),
        Value::String(words) => text::one_line(words),
        other => text::one_line(&other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::differences;
    use serde_json::json;

    #[test]
    fn what_was_typed_is_named_first_and_what_follows_is_not() {
        let words = |used: Value, wanted: Value| {
            let changed = changed(&differences(&used, &wanted).unwrap());
            changed.iter().map(|setting| setting.words(|name| format!("<{name}>"))).collect::<Vec<_>>()
        };
        let search = |method: &str, sigma: f64| json!({ "method": method, "sigma": sigma, "low": 0.24 * sigma, "high": 3.4 * sigma, "step": sigma });
        assert_eq!(
            words(
                json!({ "budget": { "n": 200 }, "search": search("qcrs", 0.25), "tau": 1.0 }),
                json!({ "budget": { "n": 300 }, "search": search("qcrs", 0.5), "tau": 2.0 })
            ),
            ["this run used <sigma> 0.25, you asked for 0.5", "this run used <n> 200, you asked for 300"]
        );
        assert_eq!(
            words(
                json!({ "guarantee": "fixed-sigma", "search": { "method": "cohen", "sigma": 0.5 } }),
                json!({ "guarantee": "frozen-sigma", "search": search("qcrs", 0.25) })
            ),
            ["this run used <method> cohen, you asked for qcrs"]
        );
        assert_eq!(
            words(
                json!({ "search": { "low": 0.1, "step": 1 } }),
                json!({ "search": { "low": 0.2, "step": 1 } })
            ),
            ["this run used <left> 0.1, you asked for 0.2"]
        );
        let model = |name: &str, hash: &str| json!({ "model": { "name": name, "blake3": hash } });
        assert_eq!(
            words(model("a.onnx", "12"), model("b.onnx", "34")),
            [
                "this run used <model> a.onnx, you asked for b.onnx",
                "the model is not that of this run (blake3 34…, the run used 12…)"
            ]
        );
        assert_eq!(words(json!({ "tau": 1 }), json!({ "tau": 2 })), ["this run used tau 1, you asked for 2"]);
    }
}

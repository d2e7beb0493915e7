//! What is written below every experiment, and how are numbers shown?

use super::lab::{Effort, Lab};
use qcrs::analysis::WithInterval;
use qcrs::report::format::{down, interval};
use std::path::Path;

/// Model, data and budget in a sentence.
pub fn circumstances(lab: &Lab<'_>) -> String {
    let (n, alpha, sigma) = (lab.budget.n(), lab.budget.alpha().get(), lab.sigma().get());
    let (model, data) = (&lab.setup.settings.path, &lab.setup.data.about.name);
    let inputs = lab.selection.len();
    let small = match lab.effort {
        Effort::Small => " A small budget: trust nothing but the direction.",
        Effort::Medium | Effort::Full => "",
    };
    format!(
        "Ours: {} on {data}, {inputs} inputs, σ = {sigma}, n = {n}, α = {alpha}.{small} The paper's: a ResNet-110 \
         (ImageNet: ResNet-50), n = 100,000, and not the same inputs in every row.",
        with_folder(model)
    )
}

/// The names of a model and of its folder, because many are called model.onnx.
pub fn with_folder(model: &Path) -> String {
    let names: Vec<_> = model.iter().collect();
    let last = names[names.len().saturating_sub(2)..].iter().map(|name| name.to_string_lossy());
    last.collect::<Vec<_>>().join("/")
}

/// A number with its interval.
pub fn with_interval(estimate: &WithInterval) -> String {
    format!("{} {}", down(estimate.value, 4), interval(estimate, 3)).trim_end().to_owned()
}

/// A share or a gain in percent, with its interval.
pub fn percent(estimate: &WithInterval) -> String {
    let percent = estimate.in_percent();
    format!("{} % {}", down(percent.value, 1), interval(&percent, 1)).trim_end().to_owned()
}

/// A number of the paper, or a dash where it has none.
pub fn of_the_paper(value: Option<f64>) -> String {
    value.map_or_else(|| "–".into(), |value| format!("{value:.3}"))
}

/// A table's head from string slices.
pub fn head(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percents_keep_to_the_safe_side() {
        let gain = WithInterval { value: -0.18944, low: Some(-0.21001), high: Some(0.00001) };
        assert_eq!(percent(&gain), "−19.0 % [−21.1, 0.1]");
        assert_eq!(percent(&WithInterval { value: 0.5, low: None, high: None }), "50.0 %");
    }

    #[test]
    fn a_model_is_named_with_its_folder_where_it_has_one() {
        for (path, name) in [("a/b/model.onnx", "b/model.onnx"), ("model.onnx", "model.onnx")] {
            assert_eq!(with_folder(Path::new(path)), name);
        }
    }
}

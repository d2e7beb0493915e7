//! What is written below every experiment, and how are numbers shown?

use super::lab::{Lab, MadeWith};
use super::source::Effort;
use qcrs::analysis::{Analysis, WithInterval};
use qcrs::report::format::{down, interval};
use std::path::Path;

/// Model, data and budget in a sentence.
pub fn circumstances(lab: &Lab<'_>) -> anyhow::Result<String> {
    let (n, alpha, sigma) = (lab.budget.n(), lab.budget.alpha().get(), lab.sigma().get());
    let MadeWith { model, data, inputs, noise, .. } = lab.made_with()?;
    let small = match lab.effort {
        Effort::Small => " A small budget: trust nothing but the direction.",
        Effort::Medium | Effort::Full => "",
    };
    let noise = if noise.lattice().is_some() { "lattice noise" } else { "float noise" };
    Ok(format!(
        "Ours: {} on {}, {inputs} inputs, σ = {sigma}, n = {n}, α = {alpha}, {noise}.{small} The paper's: a ResNet-110 \
         (ImageNet: ResNet-50), n = 100,000, and not the same inputs in every row.",
        model.first().shown_name(),
        data.name
    ))
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

/// What stands where there is nothing to show.
pub fn none() -> String {
    "–".into()
}

/// A whole number with commas: 10,100.
pub fn by_three(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// The gain of a run over the reference, where both can be compared.
pub fn gain_of(analysis: &Analysis, name: &str) -> Option<WithInterval> {
    analysis.paired.iter().find(|pair| pair.b == name).and_then(|pair| pair.gain)
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
    fn numbers_are_grouped_by_three() {
        for (value, shown) in [(7.0, "7"), (999.6, "1,000"), (17_600.0, "17,600"), (1e6, "1,000,000")] {
            assert_eq!(by_three(value), shown);
        }
    }

    #[test]
    fn a_model_is_named_with_its_folder_where_it_has_one() {
        for (path, name) in [("a/b/model.onnx", "b/model.onnx"), ("model.onnx", "model.onnx")] {
            assert_eq!(with_folder(Path::new(path)), name);
        }
    }
}

//! What does the doctor say, and which options does it advise?

use super::Seconds;
use qcrs::doctor::{Diagnosis, NoiseLevel, Tolerance, Way};
use qcrs::sample::InputTransform;
use qcrs::types::Sigma;

/// How to train with noise, in the words of PyTorch.
const TRAIN: &str =
    "train it with noise of the σ that you want, or use qcrs-train gaussian (docs/training.md):

    for x, y in loader:                       # pixels in [0, 1]
        x = x + 0.25 * torch.randn_like(x)    # the only new line
        loss = criterion(model(x), y)         # the model normalises inside
";

/// A way of handing over the pixels.
pub fn way(way: Way) -> String {
    let words = match way {
        Way::Declared => "as --normalize and --bgr say",
        Way::Plain => "[0, 1], channel by channel",
        Way::Transposed => "rows and columns exchanged",
        Way::Bytes => "0 to 255",
        Way::Half => "-1 to 1",
        Way::BlueFirst => "blue first",
        Way::Interleaved => "pixel by pixel (NHWC)",
        Way::Cifar10 | Way::Cifar10Pixels | Way::ImageNet => {
            let name = way.name().unwrap_or_default();
            let std = InputTransform::named(name, 3).map(|transform| transform.std).unwrap_or_default();
            let std: Vec<String> = std.iter().map(|std| format!("{std:.4}")).collect();
            return format!("{name}: deviations {}", std.join(" "));
        }
    };
    words.into()
}

/// What to do for a model that wants its pixels this way, where something else or nothing was declared.
fn advice(way: Way, declared: bool) -> String {
    let option = match (way, way.name()) {
        (_, Some(name)) => format!("--normalize {name}"),
        (Way::BlueFirst, _) => "--bgr".into(),
        (Way::Transposed, _) => return "exchange rows and columns in the data or in the model".into(),
        (Way::Interleaved, _) => {
            return "export the model for NCHW input, or give --layout if the data is an array".into();
        }
        _ => return "leave out --normalize and --bgr".into(),
    };
    if declared { format!("use {option} instead") } else { format!("add {option}") }
}

/// What is wrong with the pixels, if anything, and what to do.
pub fn diagnosis(found: Option<&Diagnosis>, declared: bool) -> String {
    let Some(found) = found else {
        return "without labels, scale, layout and normalisation cannot be checked; give some with --labels"
            .into();
    };
    match found {
        Diagnosis::Right { close } if close.is_empty() => "the pixels are right as declared".into(),
        Diagnosis::Right { close } => format!(
            "the pixels are right as declared, but on these images {} may be as good; compare with the numbers of the \
             training program",
            names(close)
        ),
        Diagnosis::Another { ways, now, then } => {
            let (now, then) = (100.0 * now, 100.0 * then);
            match &ways[..] {
                [right] => format!(
                    "the model does not expect the pixels as declared ({now:.0} % right) but {} ({then:.0} %); {}",
                    way(*right),
                    advice(*right, declared)
                ),
                close => format!(
                    "the model does not expect the pixels as declared ({now:.0} % right) but normalised ({then:.0} %); these \
                     images do not tell by which numbers: {}; look into the training program, or try more --images",
                    names(close)
                ),
            }
        }
        Diagnosis::Guesses => {
            "no way of handing over the pixels beats guessing: wrong labels, other classes, or an untrained model?"
                .into()
        }
    }
}

fn names(ways: &[Way]) -> String {
    let names: Vec<String> =
        ways.iter().filter_map(|way| Some(format!("--normalize {}", way.name()?))).collect();
    names.join(" or ")
}

/// Which σ to certify with, where `given` is that of the training, if known.
pub fn noise(found: &Tolerance, given: Option<Sigma>) -> String {
    let what = if found.labelled { "the accuracy" } else { "the answers" };
    let Some(keeps) = found.keeps else {
        return format!(
            "no σ that was tried keeps {what}: this model was probably not trained with noise; {TRAIN}"
        );
    };
    let (best, share) =
        (keeps.get(), |sigma| found.at(sigma).map_or(String::new(), |level| right(level, found)));
    match given {
        None => {
            let share = share(keeps);
            let largest =
                format!("σ = {best} is the largest that keeps {what} ({share}): certify with --sigma {best}");
            if best < 0.12 { format!("{largest}; for larger radii {TRAIN}") } else { largest }
        }
        Some(given) if given <= keeps => format!("σ = {} keeps {what} ({})", given.get(), share(given)),
        Some(given) => {
            let (now, then, given) = (share(given), share(keeps), given.get());
            format!(
                "σ = {given} costs much of {what} ({now}); σ = {best} keeps it ({then}): certify with --sigma {best}, or {TRAIN}"
            )
        }
    }
}

fn right(level: &NoiseLevel, found: &Tolerance) -> String {
    let how = if found.labelled { "right" } else { "answered as without noise" };
    format!("{:.1} % {how}", 100.0 * level.share)
}

/// Which method to take.
pub fn choice(costs: &[Seconds]) -> String {
    let deployable = costs.iter().filter(|cost| cost.deployable).min_by_key(|cost| cost.passes);
    let method = deployable.map_or("cohen", |cost| cost.method);
    format!(
        "For a deployed system use --method {method}: it has one σ for all images. For research with a σ per image \
         use --method probe: it stops early, after about 30 % of these passes at n = 100000 (docs/methods.md)."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_advice_is_what_to_type() {
        let another = |way| Diagnosis::Another { ways: vec![way], now: 0.1, then: 0.7 };
        let words = diagnosis(Some(&another(Way::Plain)), true);
        let expected = "(10 % right) but [0, 1], channel by channel (70 %); leave out --normalize and --bgr";
        assert!(words.ends_with(expected), "{words}");
        assert!(diagnosis(Some(&another(Way::Half)), false).ends_with("; add --normalize half"));
        assert!(diagnosis(Some(&another(Way::BlueFirst)), true).ends_with("; use --bgr instead"));
        assert_eq!(way(Way::Cifar10Pixels), "cifar10-0.247: deviations 0.2470 0.2435 0.2616");
    }

    /// Which of two normalisations is right cannot be told, so neither is advised.
    #[test]
    fn close_normalisations_are_named_but_not_advised() {
        let close = vec![Way::ImageNet, Way::Cifar10Pixels];
        let words = diagnosis(Some(&Diagnosis::Another { ways: close.clone(), now: 0.1, then: 0.7 }), false);
        assert!(words.contains("--normalize imagenet or --normalize cifar10-0.247"), "{words}");
        assert!(words.contains("training program") && !words.contains("add --normalize"), "{words}");
        let words = diagnosis(Some(&Diagnosis::Right { close }), true);
        assert!(words.starts_with("the pixels are right as declared, but"), "{words}");
    }

    #[test]
    fn the_noise_to_certify_with_is_named() {
        let sigma = |value: f64| Sigma::new(value).unwrap();
        let levels = [(None, 0.8), (Some(0.06), 0.75), (Some(0.5), 0.3)];
        let level =
            |(at, share): (Option<f64>, f64)| NoiseLevel { sigma: at.map(sigma), answers: Vec::new(), share };
        let found = |keeps: Option<f64>| Tolerance {
            levels: levels.map(level).to_vec(),
            labelled: true,
            keeps: keeps.map(sigma),
        };
        let few = noise(&found(Some(0.06)), None);
        assert!(
            few.contains("(75.0 % right): certify with --sigma 0.06; for larger radii train it"),
            "{few}"
        );
        let none = noise(&found(None), Some(sigma(0.5)));
        assert!(none.contains("not trained with noise") && none.contains("randn_like"), "{none}");
        assert_eq!(noise(&found(Some(0.5)), None).lines().count(), 1, "nothing has to be done");
        assert_eq!(noise(&found(Some(0.5)), Some(sigma(0.06))), "σ = 0.06 keeps the accuracy (75.0 % right)");
        let much = noise(&found(Some(0.06)), Some(sigma(0.5)));
        assert!(much.contains("σ = 0.5 costs much of the accuracy (30.0 % right)"), "{much}");
    }
}

//! What does the doctor say, and which options does it advise?

use qcrs::doctor::{Diagnosis, Way};

/// A way of handing over the pixels.
pub fn way(way: Way) -> &'static str {
    match way {
        Way::Declared => "as --normalize and --bgr say",
        Way::Plain => "[0, 1], channel by channel",
        Way::Transposed => "rows and columns exchanged",
        Way::Bytes => "0 to 255",
        Way::Half => "-1 to 1",
        Way::Cifar10 => "normalised by CIFAR-10's mean",
        Way::ImageNet => "normalised by ImageNet's mean",
        Way::BlueFirst => "blue first",
        Way::Interleaved => "pixel by pixel (NHWC)",
    }
}

/// What to do for a model that wants its pixels this way, where something else or nothing was declared.
fn advice(way: Way, declared: bool) -> String {
    let option = match way {
        Way::Bytes => "--normalize 255",
        Way::Half => "--normalize half",
        Way::Cifar10 => "--normalize cifar10",
        Way::ImageNet => "--normalize imagenet",
        Way::BlueFirst => "--bgr",
        Way::Declared | Way::Plain => return "leave out --normalize and --bgr".into(),
        Way::Transposed => return "exchange rows and columns in the data or in the model".into(),
        Way::Interleaved => {
            return "export the model for NCHW input, or give --layout if the data is an array".into();
        }
    };
    if declared { format!("use {option} instead") } else { format!("add {option}") }
}

/// What is wrong, if anything, and what to do.
pub fn diagnosis(found: Diagnosis, declared: bool) -> String {
    match found {
        Diagnosis::Right => "the pixels are right as declared".into(),
        Diagnosis::Another { way: right, now, then } => format!(
            "the model does not expect the pixels as declared ({:.0} % right) but {} ({:.0} %); {}",
            100.0 * now,
            way(right),
            100.0 * then,
            advice(right, declared)
        ),
        Diagnosis::Guesses => {
            "no way of handing over the pixels beats guessing: wrong labels, other classes, or an untrained model?"
                .into()
        }
        Diagnosis::GuessesUnderNoise => {
            "the pixels are right, but under this noise the model only guesses: was it trained with noise of this σ?"
                .into()
        }
        Diagnosis::LosesUnderNoise => {
            "the pixels are right, but noise of this σ costs much accuracy: try the σ the model was trained with"
                .into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_advice_is_what_to_type() {
        let another = |way| Diagnosis::Another { way, now: 0.1, then: 0.7 };
        let words = diagnosis(another(Way::Plain), true);
        let expected = "(10 % right) but [0, 1], channel by channel (70 %); leave out --normalize and --bgr";
        assert!(words.ends_with(expected), "{words}");
        assert!(diagnosis(another(Way::Half), false).ends_with("; add --normalize half"));
        assert!(diagnosis(another(Way::BlueFirst), true).ends_with("; use --bgr instead"));
    }
}

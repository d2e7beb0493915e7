//! What does the paper report? (Kung & Chen, AAAI 2024)

use qcrs::data::About;

/// The data that a number in the paper belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaperData {
    Cifar10,
    ImageNet,
}

impl PaperData {
    /// Which of them these images are, if any.
    pub fn of(data: &About) -> Option<Self> {
        let classes = data.classes.as_ref().map_or(0, Vec::len);
        if data.name.starts_with("CIFAR-10 ") {
            Some(Self::Cifar10)
        } else if data.shape == [3, 224, 224] && classes == 1000 {
            Some(Self::ImageNet)
        } else {
            None
        }
    }

    /// What the names of its presets begin with.
    pub fn presets(self) -> &'static str {
        match self {
            Self::Cifar10 => "cifar10-",
            Self::ImageNet => "imagenet-",
        }
    }
}

/// ACR of a method (Table 2; ImageNet: the figure's captions).
pub const ACR: [(&str, PaperData, f64, f64); 16] = [
    ("cohen", PaperData::Cifar10, 0.12, 0.270),
    ("cohen", PaperData::Cifar10, 0.25, 0.429),
    ("cohen", PaperData::Cifar10, 0.50, 0.538),
    ("ddrs", PaperData::Cifar10, 0.12, 0.310),
    ("ddrs", PaperData::Cifar10, 0.25, 0.448),
    ("ddrs", PaperData::Cifar10, 0.50, 0.540),
    ("grid", PaperData::Cifar10, 0.12, 0.378),
    ("grid", PaperData::Cifar10, 0.25, 0.492),
    ("grid", PaperData::Cifar10, 0.50, 0.633),
    ("qcrs", PaperData::Cifar10, 0.12, 0.400),
    ("qcrs", PaperData::Cifar10, 0.25, 0.509),
    ("qcrs", PaperData::Cifar10, 0.50, 0.658),
    ("cohen", PaperData::ImageNet, 0.25, 0.477),
    ("cohen", PaperData::ImageNet, 0.50, 0.733),
    ("qcrs", PaperData::ImageNet, 0.25, 0.541),
    ("qcrs", PaperData::ImageNet, 0.50, 0.805),
];

/// Seconds per CIFAR-10 image, with their standard deviation (Table 2).
pub const SECONDS: [(&str, f64, f64); 4] =
    [("cohen", 6.50, 0.021), ("ddrs", 7.39, 0.016), ("grid", 155.80, 0.50), ("qcrs", 6.96, 0.017)];

/// The radii of [`ACCURACY`].
pub const RADII: [f64; 9] = [0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0, 2.25];

/// Certified accuracy on CIFAR-10 at σ = .50 (Table 3).
pub const ACCURACY: [(&str, [f64; 9]); 5] = [
    ("cohen", [0.55, 0.41, 0.32, 0.23, 0.15, 0.09, 0.05, 0.0, 0.0]),
    ("ddrs", [0.56, 0.44, 0.34, 0.23, 0.15, 0.08, 0.04, 0.0, 0.0]),
    ("dsrs", [0.55, 0.42, 0.30, 0.19, 0.09, 0.04, 0.0, 0.0, 0.0]),
    ("grid", [0.58, 0.51, 0.42, 0.30, 0.18, 0.12, 0.07, 0.04, 0.01]),
    ("qcrs", [0.64, 0.54, 0.43, 0.31, 0.20, 0.11, 0.05, 0.02, 0.01]),
];

/// ACR by inference method and training (Gaussian, MACER) at σ = .25 and at .50 (Table 4).
pub const TRAINING: [(&str, [f64; 2], [f64; 2]); 3] = [
    ("cohen", [0.423, 0.518], [0.534, 0.669]),
    ("ddrs", [0.448, 0.561], [0.540, 0.702]),
    ("qcrs", [0.512, 0.715], [0.662, 0.786]),
];

/// σ̂ of each class of CIFAR-10 at σ = .50: mean and standard deviation (Table 5).
pub const FAIRNESS: [(&str, f64, f64); 10] = [
    ("airplane", 0.53, 0.21),
    ("automobile", 0.84, 0.41),
    ("bird", 0.37, 0.10),
    ("cat", 0.36, 0.11),
    ("deer", 0.36, 0.10),
    ("dog", 0.50, 0.17),
    ("frog", 0.53, 0.08),
    ("horse", 0.53, 0.12),
    ("ship", 0.42, 0.08),
    ("truck", 0.61, 0.14),
];

/// A published list of σ (Table 1, appendix B) with the shares of concave and quasiconcave curves seen there.
pub struct ShapeList {
    /// The preset it belongs to.
    pub preset: &'static str,
    /// The noise levels.
    pub sigmas: fn() -> Vec<f64>,
    /// Percent of curves that are concave, and quasiconcave.
    pub percent: [f64; 2],
}

/// Every published list. The third and fourth have 21 and 19 values where the paper says 20; the fourth is
/// labelled .25 there, but is meant for .50.
pub const SHAPES: [ShapeList; 4] = [
    ShapeList {
        preset: "cifar10-0.12",
        sigmas: || concat(&[(0.02, 0.01, 19), (0.22, 0.0, 1)]),
        percent: [16.0, 97.0],
    },
    ShapeList {
        preset: "cifar10-0.25",
        sigmas: || concat(&[(0.15, 0.03, 2), (0.20, 0.01, 14), (0.35, 0.05, 4)]),
        percent: [6.71, 98.17],
    },
    ShapeList { preset: "imagenet-0.25", sigmas: || concat(&[(0.100, 0.015, 21)]), percent: [0.0, 92.95] },
    ShapeList { preset: "imagenet-0.50", sigmas: || concat(&[(0.30, 0.02, 19)]), percent: [0.0, 90.47] },
];

fn concat(parts: &[(f64, f64, u32)]) -> Vec<f64> {
    // whole thousandths, so that 0.02 + 17 · 0.01 is 0.19 and not nearly so
    let all =
        parts.iter().flat_map(|&(from, step, count)| (0..count).map(move |i| from + step * f64::from(i)));
    all.map(|sigma| (sigma * 1000.0).round() / 1000.0).collect()
}

/// Mean (υ⁻, υ⁺)-SQC on CIFAR-10 and ImageNet.
pub const SQC: [f64; 2] = [0.9977, 0.9911];

/// Left end, right end, the printed "step", and ACR of QCRS on CIFAR-10 at σ = .50, ids divisible by 50
/// (appendix F). The printed step is the program's `epsilon_step`, the inverse of what the text says: τ = ε /
/// step.
pub const ABLATION: [(f64, f64, f64, f64); 20] = [
    (0.12, 0.8, 0.4, 0.619),
    (0.12, 1.2, 0.4, 0.627),
    (0.12, 1.9, 0.4, 0.638),
    (0.15, 0.9, 0.4, 0.624),
    (0.20, 0.9, 0.4, 0.624),
    (0.20, 1.0, 0.4, 0.625),
    (0.20, 1.2, 0.4, 0.628),
    (0.20, 1.5, 0.4, 0.629),
    (0.20, 1.7, 0.4, 0.639),
    (0.30, 1.0, 0.4, 0.622),
    (0.30, 1.5, 0.4, 0.629),
    (0.3, 1.2, 0.2, 0.640),
    (0.3, 1.2, 0.4, 0.634),
    (0.3, 1.2, 0.6, 0.630),
    (0.3, 1.2, 0.8, 0.627),
    (0.3, 1.2, 1.2, 0.615),
    (0.12, 1.7, 0.05, 0.572),
    (0.12, 1.7, 0.1, 0.640),
    (0.12, 1.7, 0.2, 0.644),
    (0.12, 1.7, 0.4, 0.639),
];

/// ε of the ablation.
pub const ABLATION_TOLERANCE: f64 = 0.03;

/// Training, certificate and ACR with Gaussian and generalized Gaussian noise, one law and two (appendix C).
pub const DSRS: [(&str, &str, f64); 6] = [
    ("Gaussian", "Gaussian", 0.510),
    ("Gaussian", "generalized", 0.382),
    ("Gaussian", "double sampling", 0.417),
    ("generalized", "Gaussian", 0.512),
    ("generalized", "generalized", 0.439),
    ("generalized", "double sampling", 0.466),
];

/// Certified accuracy at [`RADII`] as the papers of other methods print it (appendix C): whose paper, COHEN's row
/// there, and their own. DSRS's rows are the best of three networks at each radius.
pub const RELATIVE: [(&str, [f64; 9], &str, [f64; 9]); 2] = [
    (
        "DSRS",
        [0.56, 0.41, 0.28, 0.19, 0.15, 0.10, 0.08, 0.04, 0.02],
        "DSRS",
        [0.57, 0.43, 0.31, 0.21, 0.16, 0.13, 0.08, 0.06, 0.04],
    ),
    (
        "DDRS",
        [0.58, 0.40, 0.29, 0.20, 0.13, 0.07, 0.03, 0.0, 0.0],
        "DDRS",
        [0.65, 0.48, 0.38, 0.28, 0.17, 0.08, 0.03, 0.01, 0.0],
    ),
];

/// ACR over the images of a class at σ = .50 and at the class's own σ (appendix J).
pub const CLASS_WISE: [(&str, f64, [f64; 2]); 4] = [
    ("bird", 0.37, [0.317, 0.457]),
    ("cat", 0.36, [0.250, 0.337]),
    ("deer", 0.36, [0.217, 0.302]),
    ("truck", 0.61, [0.705, 0.788]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(clippy::float_cmp)] // exact values are promised
    fn the_lists_are_as_published() {
        let lists: Vec<Vec<f64>> = SHAPES.iter().map(|list| (list.sigmas)()).collect();
        assert_eq!(lists.iter().map(Vec::len).collect::<Vec<_>>(), [20, 20, 21, 19]);
        assert_eq!(
            [lists[0][17], lists[0][19], lists[1][1], lists[1][16], lists[2][20]],
            [0.19, 0.22, 0.18, 0.35, 0.4]
        );
        assert!(lists.iter().all(|list| list.windows(2).all(|pair| pair[0] < pair[1])));
    }
}

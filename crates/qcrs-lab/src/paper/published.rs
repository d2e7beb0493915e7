//! What does the paper report? (Kung & Chen, AAAI 2024)

/// ACR on CIFAR-10 by method at σ = .12, .25 and .50, and seconds per image (Table 2).
pub const METHODS: [(&str, [f64; 3], f64); 4] = [
    ("cohen", [0.270, 0.429, 0.538], 6.50),
    ("ddrs", [0.310, 0.448, 0.540], 7.39),
    ("grid", [0.378, 0.492, 0.633], 155.80),
    ("qcrs", [0.400, 0.509, 0.658], 6.96),
];

/// The noise levels of the columns of [`METHODS`].
pub const SIGMAS: [f64; 3] = [0.12, 0.25, 0.50];

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

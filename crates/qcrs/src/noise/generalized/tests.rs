//! Is it generalized Gaussian noise? Fixed seeds, limits of four standard deviations.

use super::GeneralizedGaussian;
use crate::math::gamma_shares;
use crate::noise::{Noise, Phase, Stream, WrittenLaw};
use crate::types::Sigma;

const STREAM: Stream = Stream { seed: 0x0123_4567_89AB_CDEF, input: 42, phase: Phase::Estimate };

fn law(sigma: f64, k: u32, dim: usize) -> GeneralizedGaussian {
    GeneralizedGaussian::new(Sigma::new(sigma).unwrap(), k, dim).unwrap()
}

fn vector(law: GeneralizedGaussian, draw: u32) -> Vec<f32> {
    let len = law.dim() as usize;
    let mut out = vec![f32::NAN; len];
    let zeros = vec![0.0; len];
    Noise::GeneralizedGaussian(law).copies_of(&zeros).unwrap().write(&STREAM, draw, &mut out);
    out
}

/// ‖ε‖²/2s².
fn t(law: GeneralizedGaussian, draw: u32) -> f64 {
    let square: f64 = vector(law, draw).iter().map(|value| f64::from(*value).powi(2)).sum();
    square / (2.0 * law.scale().powi(2))
}

#[test]
fn lengths_are_those_of_the_definition() {
    // by another program, from the definition: the sums of −ln U of these addresses
    let cases = [
        (1530, 3072, 0, 5.090759330784721),
        (1530, 3072, 1, 4.066200794873499),
        (10, 32, 99_999, 3.40209376685973),
        (75_260, 150_528, 0, 3.6107612773995754),
        (3, 8, u32::MAX, 2.0981835186457425),
        (1, 3072, 3, 1566.635204880012),
    ];
    for (k, dim, draw, want) in cases {
        let law = law(0.5, k, dim);
        let found = law.draw(&STREAM, draw);
        assert!((found / want - 1.0).abs() < 1e-14, "draw {draw}: {found}, not {want}");
        // the factor is rounded up, so the vector is not shorter, but for the rounding of its elements
        let excess = t(law, draw) / want - 1.0;
        assert!((-1e-7..4e-7).contains(&excess), "draw {draw}: {excess:e}");
    }
}

#[test]
fn values_are_stable() {
    let pinned = [
        (law(0.5, 1530, 3072), 0, 0, 0xbe1f79f3),
        (law(0.5, 1530, 3072), 7, 3071, 0x3dd7bd44),
        (law(0.25, 380, 784), 99_999, 100, 0x3e4989da),
    ];
    for (law, draw, j, bits) in pinned {
        let found = vector(law, draw)[j];
        assert_eq!(found.to_bits(), bits, "draw {draw}, element {j} is {found}: {:#x}", found.to_bits());
    }
}

#[test]
fn directions_are_those_of_the_normals() {
    let law = law(0.5, 1530, 3072);
    for draw in 0..50 {
        let (ours, mut normals) = (vector(law, draw), vec![0.0; 3072]);
        let unit = Noise::Gaussian(Sigma::new(1.0).unwrap());
        unit.copies_of(&[0.0; 3072]).unwrap().write(&STREAM, draw, &mut normals);
        let factor = ours[0] / normals[0];
        for (a, b) in ours.iter().zip(&normals) {
            assert!((a - factor * b).abs() <= 4e-7 * a.abs(), "draw {draw}: {a} and {b}");
        }
    }
}

#[test]
fn every_instruction_set_gives_the_same_bits() {
    for (law, draws) in [(law(0.5, 1530, 3072), 200), (law(0.5, 75_260, 150_528), 3), (law(1.0, 1, 6), 50)] {
        let x: Vec<f32> = (0..law.dim()).map(|i| i as f32 / law.dim() as f32).collect();
        for draw in 0..draws {
            let [plain, best] = [pulp::Arch::Scalar, pulp::Arch::new()].map(|arch| {
                let mut out = x.clone();
                law.add_on(arch, &STREAM, draw, &x, &mut out);
                out.iter().map(|value| value.to_bits()).collect::<Vec<_>>()
            });
            assert_eq!(plain, best, "draw {draw}");
        }
    }
}

/// The largest distance of the sample's distribution of t from the gamma one, times √n.
fn kolmogorov_smirnov(law: GeneralizedGaussian, draws: u32) -> f64 {
    let kept = law.threshold().map_or(1.0, |threshold| gamma_shares(law.shape(), threshold).0);
    let mut sample: Vec<f64> = (0..draws).map(|draw| law.draw(&STREAM, draw)).collect();
    sample.sort_by(f64::total_cmp);
    let n = f64::from(draws);
    let distance = |(i, t): (usize, &f64)| {
        let share = gamma_shares(law.shape(), *t).0 / kept;
        f64::max((share - i as f64 / n).abs(), (share - (i + 1) as f64 / n).abs())
    };
    n.sqrt() * sample.iter().enumerate().map(distance).fold(0.0, f64::max)
}

#[test]
fn lengths_follow_the_gamma_distribution() {
    let short = [law(0.5, 1530, 3072), law(0.5, 1, 4), law(0.5, 10, 30)];
    let truncated = short.map(|law| law.truncated(0.02).unwrap());
    let long = [law(0.5, 1000, 3072), law(0.5, 2, 3072), law(0.5, 2, 3072).truncated(0.6223).unwrap()];
    for law in short.into_iter().chain(truncated).chain(long) {
        let distance = kolmogorov_smirnov(law, 2_000_000 / law.shape().clamp(50, 1000));
        assert!(distance < 1.95, "{law:?}: {distance}"); // 1 in 1000
    }
}

#[test]
fn the_mean_square_is_sigma_squared() {
    for (k, dim) in [(1530, 3072), (300, 784), (2, 8)] {
        let law = law(0.7, k, dim);
        let draws = 4000;
        let mean = (0..draws).map(|draw| t(law, draw)).sum::<f64>() / f64::from(draws);
        // t has mean and variance `shape`, and E‖ε‖² = 2s² shape = dσ²
        let z = (mean / f64::from(law.shape()) - 1.0) * (f64::from(law.shape() * draws)).sqrt();
        assert!(z.abs() < 4.0, "k = {k}, d = {dim}: {mean}, {z} standard deviations off");
        let square = 2.0 * law.scale().powi(2) * f64::from(law.shape()) / dim as f64;
        assert!((square - 0.49).abs() < 1e-14, "{square}");
    }
}

#[test]
fn directions_are_uniform() {
    // the first and the second moment of every element of a short vector, and of products
    let (law, draws) = (law(0.5, 3, 8), 40_000);
    let mut sums = [[0.0; 9]; 8];
    for draw in 0..draws {
        let vector = vector(law, draw);
        let norm = vector.iter().map(|value| f64::from(*value).powi(2)).sum::<f64>().sqrt();
        let u: Vec<f64> = vector.iter().map(|value| f64::from(*value) / norm).collect();
        for (i, sums) in sums.iter_mut().enumerate() {
            sums[8] += u[i];
            sums.iter_mut().zip(&u).for_each(|(sum, other)| *sum += u[i] * other);
        }
    }
    // E u = 0, E u² = 1/8; the variances are 1/8, 3/80 − 1/64 and 1/80
    let n = f64::from(draws);
    for (i, sums) in sums.iter().enumerate() {
        for (j, sum) in sums.iter().enumerate() {
            let (mean, variance) = match j {
                8 => (0.0, 1.0 / 8.0),
                _ if i == j => (1.0 / 8.0, 3.0 / 80.0 - 1.0 / 64.0),
                _ => (0.0, 1.0 / 80.0),
            };
            let z = (sum / n - mean) / (variance / n).sqrt();
            assert!(z.abs() < 4.0, "elements {i} and {j}: {z}");
        }
    }
}

#[test]
fn truncation_is_respected() {
    let law = law(0.5, 1530, 3072).truncated(0.3).unwrap();
    let threshold = law.threshold().unwrap();
    assert!((gamma_shares(6, threshold).0 - 0.3).abs() < 1e-6);
    let mut most = 0.0_f64;
    for draw in 0..2000 {
        most = most.max(t(law, draw) / threshold);
    }
    assert!(most > 0.99 && most < 1.0 + 4e-7, "{most}");
}

#[test]
fn what_cannot_be_is_refused() {
    let sigma = Sigma::new(0.5).unwrap();
    for (k, dim) in [(1, 3073), (0, 3072), (1536, 3072), (1, 2), (1, 0), (1, usize::MAX)] {
        assert!(GeneralizedGaussian::new(sigma, k, dim).is_err(), "k = {k}, d = {dim}");
    }
    assert!(GeneralizedGaussian::new(sigma, 1535, 3072).is_ok());
    for share in [0.0, 0.001, 1.0, f64::NAN, -1.0] {
        assert!(law(0.5, 1530, 3072).truncated(share).is_err(), "{share}");
    }
}

#[test]
fn it_is_written_and_read_back() {
    for law in [
        law(0.5, 1530, 3072),
        law(0.5, 1530, 3072).truncated(0.6).unwrap(),
        law(0.3, 1, 4).truncated(0.01).unwrap(),
    ] {
        let noise = Noise::GeneralizedGaussian(law);
        let (sigma, written) = noise.written();
        let text = serde_json::to_string(&written).unwrap();
        let read: Option<WrittenLaw> = serde_json::from_str(&text).unwrap();
        assert_eq!(Noise::read(sigma, read).unwrap(), noise, "{text}");
        assert!(Noise::read(Sigma::new(0.7).unwrap(), read).is_err(), "{text}");
    }
    for bad in [
        r#"{"sigma":0.5,"k":1536,"dim":3072}"#,
        r#"{"sigma":0.5,"k":1530,"dim":3072,"threshold":0.1}"#,
        r#"{"sigma":0.5,"k":1530,"dim":3072,"threshold":1e9}"#,
        r#"{"sigma":0.5,"k":1530,"dim":3072,"colour":1}"#,
    ] {
        assert!(serde_json::from_str::<WrittenLaw>(bad).is_err(), "{bad}");
    }
}

#[test]
fn another_length_is_refused() {
    let noise = Noise::GeneralizedGaussian(law(0.5, 1530, 3072));
    let error = noise.copies_of(&[0.0; 12]).err().unwrap().to_string();
    assert!(error.contains("made for inputs of 3072 values, and the input has 12"), "{error}");
}

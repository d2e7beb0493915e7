//! The searches take the published path where its radii are known exactly.

mod common;

use common::{budget, input, sigma};
use qcrs::certify::certify;
use qcrs::method::{AnyMethod, Ddrs, NegativeSigma, PlanCertificate, Plateau, Qcrs, Scout, Tau};
use qcrs::noise::{Draws, Noise, NoiseKind};
use qcrs::sample::{Input, MonteCarlo, SampleUnderNoise, Smoothed, Votes};
use qcrs::testing::{HalfSpace, Slab};
use qcrs::types::{Error, Sigma};
use statrs::distribution::{Beta, ContinuousCDF, Normal};
use std::ops::Range;
use std::sync::Mutex;

/// R_n(σ) on the centre of a slab of half width c, with real-valued counts: σ Φ⁻¹(LCB(n p, n, .001)).
fn slab_radius(c: f64, n: f64, sigma: f64) -> f64 {
    let normal = Normal::new(0.0, 1.0).unwrap();
    let k = n * (2.0 * normal.cdf(c / sigma.abs()) - 1.0);
    let p = Beta::new(k, n - k + 1.0).unwrap().inverse_cdf(0.001);
    if p < 0.5 { 0.0 } else { sigma * normal.inverse_cdf(p) }
}

/// Bisects a slab with the preset's settings; the signs of the differences and the end.
fn path(search: &Qcrs, c: f64, n: f64) -> (String, Sigma) {
    let mut signs = String::new();
    let found = search.bisect(slab_radius(c, n, search.sigma.get()), |ends| {
        let [left, right] = ends.map(|end| slab_radius(c, n, end));
        signs.push(if right > left {
            '+'
        } else if right < left {
            '-'
        } else {
            '0'
        });
        Ok([left, right])
    });
    (signs, found.unwrap())
}

#[test]
fn the_published_paths_are_taken() {
    struct Case {
        what: &'static str,
        search: Qcrs,
        c: f64,
        n: f64,
        signs: Option<&'static str>,
        found: f64,
    }
    let paper = Qcrs::preset("cifar10-0.50").unwrap();
    let left = Qcrs { plateau: Plateau::TowardsStart, ..paper.clone() };
    let emulate = Qcrs { negative_sigma: NegativeSigma::Emulate, ..left.clone() };
    let cases = [
        Case {
            what: "n=500",
            search: paper.clone(),
            c: 1.0,
            n: 500.0,
            signs: Some("--++-+"),
            found: 0.45328125,
        },
        Case {
            what: "n=1e5",
            search: paper.clone(),
            c: 1.0,
            n: 1e5,
            signs: Some("--+-+-"),
            found: 0.37921875,
        },
        Case { what: "all zero", search: paper, c: 0.15, n: 1e5, signs: Some("000000"), found: 0.65078125 },
        Case { what: "left, floor", search: left, c: 0.15, n: 1e5, signs: None, found: 0.13234375 },
        Case { what: "left, emulate", search: emulate, c: 0.15, n: 1e5, signs: None, found: 0.15703125 },
    ];
    for Case { what, search, c, n, signs, found } in cases {
        let (path, end) = path(&search, c, n);
        assert!((end.get() - found).abs() < 1e-12, "{what}: ended at {}, not at {found} ({path})", end.get());
        assert!(signs.is_none_or(|signs| signs == path), "{what}: {path}");
    }
    let radii = [(500.0, 0.45328125, 0.71283123), (500.0, 0.5, 0.69652341), (1e5, 0.37921875, 0.89258299)];
    for (n, sigma, want) in radii {
        assert!((slab_radius(1.0, n, sigma) - want).abs() < 1e-7, "R_{n}({sigma})");
    }
}

#[test]
fn zero_steps_alternate_as_published() {
    let ends = [0.25, 0.375, 0.3125, 0.34375, 0.328125, 0.3359375];
    for (steps, want) in (1..).zip(ends) {
        let tolerance = 0.5_f64.powi(steps) * 1.0001;
        let search = Qcrs::paper(sigma(0.5), [sigma(1.0), sigma(2.0)], tolerance, 0.1);
        let end = search.bisect(0.0, |_| Ok([0.0, 0.0])).unwrap();
        assert!((end.get() - 1.0 - want).abs() < 1e-12, "after {steps} steps: {}", end.get());
    }
}

/// Theorem 1: with exact signs |σ_t − σ*| ≤ width / 2ᵗ. The curve peaks at σ*.
#[test]
fn bisection_halves_the_error_at_every_step() {
    for (peak, steps) in (1..40).flat_map(|i| (1..12).map(move |t| (0.12 + 0.0395 * f64::from(i), t))) {
        let width = 1.7 - 0.12;
        let tolerance = width / 2_f64.powi(steps) * 1.0001;
        let search = Qcrs::paper(sigma(0.5), [sigma(0.12), sigma(1.7)], tolerance, 1e-9);
        let mut asked = 0;
        let found = search.bisect(1.0, |ends| {
            asked += 1;
            Ok(ends.map(|end| 1.0 / (1.0 + (end / peak).ln().powi(2))))
        });
        let error = (found.unwrap().get() - peak).abs();
        assert_eq!(asked, steps);
        assert!(error <= width / 2_f64.powi(steps), "peak {peak}: {error} after {steps} steps");
    }
}

/// A finite τ biases σ̂; a τ that shrinks with the interval costs at most .4 % of the radius (n = 1e5).
#[test]
fn a_shrinking_step_removes_the_bias() {
    let paper = Qcrs::preset("cifar10-0.50").unwrap();
    let shrinking = Qcrs { tau: Tau::Shrinking, tolerance: 0.003, ..paper.clone() };
    for c in [0.6, 1.0, 1.5] {
        let curve = |sigma: f64| slab_radius(c, 1e5, sigma);
        let best = (1..2000).map(|i| curve(0.12 + 0.00079 * f64::from(i))).fold(0.0, f64::max);
        let lost = |search: &Qcrs| 1.0 - curve(path(search, c, 1e5).1.get()) / best;
        assert!(lost(&shrinking) < 0.004, "c = {c}: {} lost", lost(&shrinking));
        if c < 1.2 {
            assert!(lost(&paper) > 0.01, "c = {c}: a constant τ lost only {}", lost(&paper));
        }
    }
}

/// The published steps are wide enough for the votes of a look to change over them (τ = 0.0005 would not be).
#[test]
fn every_preset_finds_the_peak() {
    let presets = ["cifar10-0.12", "cifar10-0.25", "cifar10-0.50", "macer-0.50", "cifar10-0.25-appendix"];
    let budget = budget(1, 1, common::alpha(0.001));
    for name in presets {
        let search = Qcrs::preset(name).unwrap();
        // the peak is far from σ₀, so that falling back on that does not help
        let half = 5.0 * search.sigma.get();
        let slab = Slab { dim: 1, half: half as f32 };
        let curve = |sigma: f64| slab_radius(half, 500.0, sigma);
        let (low, high) = (search.low.get(), search.high.get());
        let best = (0..1000).map(|i| curve(low + 0.001 * f64::from(i) * (high - low))).fold(0.0, f64::max);
        let sampler = MonteCarlo::new(&slab, 64).under(NoiseKind::Float);
        let found = |index| {
            certify(&search, &budget, &sampler, &Input { pixels: &[0.0], seed: 5, index }).unwrap().estimates
                [0]
            .sigma()
        };
        let mean = (0..40).map(|input| curve(found(input).get())).sum::<f64>() / 40.0;
        assert!(mean > 0.97 * best, "{name}: {mean} of {best}");
    }
}

#[test]
fn settings_that_cannot_work_are_refused() {
    let good = Qcrs::preset("macer-0.50").unwrap();
    let bad = [
        Qcrs { low: sigma(2.0), ..good.clone() },
        Qcrs { tolerance: 0.0, ..good.clone() },
        Qcrs { step: f64::NAN, ..good.clone() },
        Qcrs { draws: 0, ..good.clone() },
    ];
    assert!(good.check().is_ok());
    for search in bad {
        assert!(search.check().is_err(), "{search:?}");
    }
    let message = Qcrs::preset("cifar10-0.51").unwrap_err().to_string();
    assert!(message.starts_with("preset: there is no cifar10-0.51; there are cifar10-0.12, "), "{message}");
}

/// The search of the paper's main experiment costs 7.5 % more passes than COHEN at n = 100,000.
#[test]
fn the_published_search_costs_what_it_says() {
    let cohen = common::cohen(0.5).passes(100, 100_000);
    for search in [Qcrs::preset("cifar10-0.50").unwrap(), Qcrs::preset("cifar10-0.50").unwrap().repaired()] {
        let qcrs = AnyMethod::Qcrs(search).passes(100, 100_000);
        assert_eq!(qcrs - cohen, 7_500);
        assert!((qcrs as f64) < 1.08 * cohen as f64);
    }
}

/// What a search says it will cost is what it costs; PROBE, which asks as long as it pays, costs no more.
#[test]
fn the_passes_foretold_are_the_passes_made() {
    let classifier = HalfSpace { dim: common::DIM };
    let sampler = MonteCarlo::new(&classifier, 64).under(NoiseKind::Float);
    let budget = budget(20, 100, common::alpha(0.01));
    let mut x = [0.0; common::DIM];
    x[0] = 0.2;
    for (name, search) in common::every_method() {
        let made = certify(&search, &budget, &sampler, &input(&x, 3)).unwrap().passes();
        let foretold = search.passes(budget.n0(), budget.n());
        let upper_limit = matches!(search, AnyMethod::Probe(_)) && made < foretold;
        assert!(made == foretold || upper_limit, "{name}: {made} instead of {foretold}");
    }
}

/// A classifier with a known gradient: class 1 has probability 1/(1 + e^(−3x)).
struct Logistic;

impl qcrs::sample::Classifier for Logistic {
    fn input_len(&self) -> usize {
        1
    }
    fn num_classes(&self) -> usize {
        2
    }
    fn logits(&self, batch: &[f32], out: &mut [f32]) -> Result<(), qcrs::types::Error> {
        for (x, row) in batch.iter().zip(out.chunks_mut(2)) {
            row.copy_from_slice(&[0.0, 3.0 * x]);
        }
        Ok(())
    }
}

/// Votes that are known beforehand by σ, and which draws were asked for at which.
struct Known {
    votes: fn(f64) -> [u64; 2],
    asked: Mutex<Vec<(f64, Range<u32>)>>,
}

impl Known {
    fn new(votes: fn(f64) -> [u64; 2]) -> Self {
        Self { votes, asked: Mutex::default() }
    }
}

impl SampleUnderNoise for Known {
    fn sample_under_noise(&self, _: &[f32], g: Smoothed, draws: &Draws) -> Result<Votes, Error> {
        let Noise::Gaussian(sigma) = g.noise else { panic!("{g:?}") };
        self.asked.lock().unwrap().push((sigma.get(), draws.range.clone()));
        Ok((self.votes)(sigma.get()).into_iter().enumerate().collect())
    }
}

fn published() -> Qcrs {
    Qcrs { draws: 100, ..Qcrs::paper(sigma(0.5), [sigma(0.1), sigma(1.7)], 0.1, 0.05) }
}

/// Of the released program's pairs each look has its own draws; repaired, the two share theirs. No draw serves two pairs.
#[test]
fn pairs_share_their_draws_where_they_should() {
    for (search, common) in [(published(), false), (published().repaired(), true)] {
        let known = Known::new(|_| [90, 10]);
        search.plan(&mut Scout::new(&known, &input(&[0.0], 1), common::alpha(0.001), 1000)).unwrap();
        let ranges: Vec<Range<u32>> =
            known.asked.into_inner().unwrap().into_iter().map(|(_, range)| range).collect();
        // the look that names the class, then pairs
        assert!(ranges.len() > 4 && ranges.len() % 2 == 1, "{ranges:?}");
        let mut end = ranges[0].end;
        for pair in ranges[1..].chunks(2) {
            assert_eq!(pair[0], end..end + 100);
            end += 100;
            assert_eq!(pair[1], if common { pair[0].clone() } else { end..end + 100 });
            end = pair[1].end;
        }
    }
}

/// Away from σ₀ another class wins, and by more.
#[test]
fn the_repaired_search_keeps_its_class() {
    let votes = |level: f64| if (level - 0.5).abs() < 1e-9 { [80, 20] } else { [0, 100] };
    let find = |search: Qcrs| {
        let known = Known::new(votes);
        let plan = search.plan(&mut Scout::new(&known, &input(&[0.0], 1), common::alpha(0.001), 1000));
        plan.unwrap().candidates()[0].sigma()
    };
    assert_eq!(find(published().repaired()), sigma(0.5));
    assert_ne!(find(published()), sigma(0.5));
}

/// What a look promises for n draws is the bound of its share in n draws, not of its own few.
#[test]
fn the_radius_to_come_is_that_of_all_draws() {
    let known = Known::new(|_| [97, 3]);
    let mut scout = Scout::new(&known, &input(&[0.0], 1), common::alpha(0.001), 100_000);
    let look = scout.look(sigma(0.5), 100).unwrap();
    // the share (97 + ½)/(100 + 1) of 100,000 draws is 96,534 whole votes
    let normal = Normal::new(0.0, 1.0).unwrap();
    let radius = |k: f64, n: f64| {
        let p: f64 = Beta::new(k, n - k + 1.0).unwrap().inverse_cdf(0.001);
        0.5 * normal.inverse_cdf(p)
    };
    let (own, to_come) = (scout.radius(&look, 0).unwrap(), scout.predicted_radius(&look, 0).unwrap());
    assert!((own - radius(97.0, 100.0)).abs() < 1e-6, "{own}");
    assert!((to_come - radius(96_534.0, 100_000.0)).abs() < 1e-6, "{to_come}");
    assert!(to_come > 1.2 * own, "{to_come} and {own}");
}

/// The difference quotient of DDRS is the derivative with the noise held fixed.
#[test]
fn the_slope_of_ddrs_is_the_derivative() {
    use qcrs::math::normal_quantile;
    use qcrs::noise::{Phase, Stream};
    let sampler = MonteCarlo::new(&Logistic, 7).under(NoiseKind::Float);
    let region = [common::sigma(0.1), common::sigma(2.0)];
    let ddrs = Ddrs::sane(common::sigma(0.5), region);
    for (x, at) in [(0.4, 0.5), (1.0, 0.9), (-0.3, 0.2)] {
        let pixels = [x];
        let mut scout = Scout::new(&sampler, &input(&pixels, 7), common::alpha(0.001), 1000);
        let [radius, slope] = ddrs.slope(&mut scout, at).unwrap();
        let stream = Stream { seed: 7, input: 0, phase: Phase::Search };
        let (mut mean, mut slope_of_mean) = (0.0, 0.0);
        for draw in 0..ddrs.draws {
            let mut noise = [0.0];
            let unit = Noise::Gaussian(common::sigma(1.0));
            unit.copies_of(&[0.0]).unwrap().write(&stream, draw, &mut noise);
            let noise = f64::from(noise[0]);
            let p = 1.0 / (1.0 + (-3.0 * (f64::from(x) + at * noise)).exp());
            mean += p / f64::from(ddrs.draws);
            slope_of_mean += 3.0 * noise * p * (1.0 - p) / f64::from(ddrs.draws);
        }
        // two classes: R̃ = σ |Φ⁻¹(ψ)|
        let z = normal_quantile(mean).unwrap();
        let density = (-0.5 * z * z).exp() / std::f64::consts::TAU.sqrt();
        let exact = z.signum() * (z + at * slope_of_mean / density);
        assert!((radius - at * z.abs()).abs() < 1e-3, "{radius} {}", at * z.abs());
        assert!((slope - exact).abs() < 2e-3, "at {x}, {at}: {slope} instead of {exact}");
    }
}

/// DDRS finds what a smooth radius is largest at, and its published steps hardly move.
#[test]
fn ddrs_climbs_as_far_as_its_settings_let_it() {
    let sampler = MonteCarlo::new(&Logistic, 64).under(NoiseKind::Float);
    let region = [common::sigma(0.1), common::sigma(2.0)];
    let ascend = |search: Ddrs| {
        let mut scout = Scout::new(&sampler, &input(&[1.0], 3), common::alpha(0.001), 1000);
        search.plan(&mut scout).unwrap().candidates()[0].sigma().get()
    };
    let start = common::sigma(0.3);
    let published = ascend(Ddrs::published(start, region));
    assert!((published - 0.3).abs() < 0.021, "{published}");
    let sane = ascend(Ddrs { rate: 0.1, iterations: 100, ..Ddrs::sane(start, region) });
    assert!(sane > 0.5, "{sane}");
}

#[test]
fn a_search_is_called_the_same_in_files() {
    for (_, search) in common::every_method() {
        let file = serde_json::to_value(&search).unwrap();
        assert_eq!(file["method"], search.name());
        assert!((search.facts().sigma.get() - 0.5).abs() < 1e-12, "{file}");
    }
}

/// Settings for a method that does not exist, or a slow method without a test of its guarantee, would go unnoticed.
#[test]
fn the_lists_of_the_tests_are_about_methods_that_exist() {
    let is_method = |name: &str| qcrs::method::METHODS.iter().any(|method| method.name == name);
    let listed = common::CHEAP.iter().map(|(name, _)| *name);
    for name in listed.chain(common::VARIANTS.iter().map(|(_, name, _)| *name)) {
        assert!(is_method(name), "{name}");
    }
    for (name, test) in common::SLOW {
        let test = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(test);
        assert!(is_method(name) && test.exists(), "{name}: {}", test.display());
    }
}

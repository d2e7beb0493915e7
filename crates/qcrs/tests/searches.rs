//! The searches take the published path where its radii are known exactly.

mod common;

use common::sigma;
use qcrs::certify::{Budget, certify};
use qcrs::sample::MonteCarlo;
use qcrs::search::{NegativeSigma, Plateau, Qcrs, SearchSpec, Tau};
use qcrs::testing::HalfSpace;
use qcrs::types::Sigma;
use statrs::distribution::{Beta, ContinuousCDF, Normal};

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
    assert!(message.starts_with("there is no preset cifar10-0.51; there are cifar10-0.12, "), "{message}");
}

/// The search of the paper's main experiment costs 7.5 % more passes than COHEN at n = 100,000.
#[test]
fn the_published_search_costs_what_it_says() {
    let cohen = common::cohen(0.5).passes(100, 100_000);
    for search in [Qcrs::preset("cifar10-0.50").unwrap(), Qcrs::preset("cifar10-0.50").unwrap().repaired()] {
        let qcrs = SearchSpec::Qcrs(search).passes(100, 100_000);
        assert_eq!(qcrs - cohen, 7_500);
        assert!((qcrs as f64) < 1.08 * cohen as f64);
    }
}

/// What a search says it will cost is what it costs.
#[test]
fn the_passes_foretold_are_the_passes_made() {
    let classifier = HalfSpace { dim: 1 };
    let sampler = MonteCarlo::new(&classifier, 64);
    let budget = Budget::new(20, 100, common::alpha(0.01));
    for (name, search) in common::searches() {
        let outcome = certify(search.search(), &budget, &sampler, &[0.2], (3, 0)).unwrap();
        assert_eq!(outcome.passes(), search.passes(budget.n0, budget.n), "{name}");
    }
}

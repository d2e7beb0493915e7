//! Is a probability above a threshold, when we may look as often as we like?

use crate::math::{ln_lower_tail, ln_pmf, ln_tail_error, ln_upper_tail};
use crate::types::{Alpha, Error};

/// How a share compares with a threshold, by the evidence so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Above it.
    Above,
    /// Below it.
    Below,
    /// Not yet decided.
    Open,
}

/// How `k` votes in `n` stand against the threshold p₀, strictly between 0 and 1: above it at `alpha`, or
/// below it at `give_up`.
///
/// Holds at every n at once, so a caller may look after each vote and stop at any time. Against p ≤ p₀ the
/// likelihood ratio of any p₁ > p₀ is a supermartingale that starts at 1; so is the mean M over p₁ uniform in
/// (p₀, 1), and P(M ever reaches 1/α) ≤ α (Ville 1939; Robbins 1970). The integral is closed: M = P(Bin(n +
/// 1, p₀) ≤ k) / ((n + 1) (1 − p₀) P(Bin(n, p₀) = k)); against p ≥ p₀ with (0, p₀) likewise.
pub fn standing(k: u64, n: u64, p0: f64, alpha: Alpha, give_up: Alpha) -> Result<Standing, Error> {
    if !(p0 > 0.0 && p0 < 1.0) || k > n {
        return Err(Error::Invalid(format!("{k} votes of {n} cannot be tested against a share of {p0}")));
    }
    if n == 0 {
        return Ok(Standing::Open);
    }
    let pmf = ln_pmf(k, n, p0)?;
    let spread = ((n + 1) as f64).ln();
    let (below, above) = (ln_lower_tail(k, n + 1, p0)?, ln_upper_tail(k + 1, n + 1, p0)?);
    let error = 4.0 * (ln_tail_error(pmf) + ln_tail_error(below) + spread * f64::EPSILON);
    if below - pmf - spread - (-p0).ln_1p() - error >= -alpha.get().ln() {
        return Ok(Standing::Above);
    }
    let opposite = above - pmf - spread - p0.ln();
    Ok(if opposite >= -give_up.get().ln() { Standing::Below } else { Standing::Open })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::clopper_pearson_lower;
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::SeedableRng;
    use rand_distr::{Bernoulli, Distribution};

    fn against(k: u64, n: u64, p0: f64) -> Standing {
        standing(k, n, p0, Alpha::new(0.001).unwrap(), Alpha::new(0.01).unwrap()).unwrap()
    }

    /// mpmath: the first n at which unanimous votes, or votes against, give M ≥ 1/α by the integral itself.
    #[test]
    fn decisions_fall_where_the_integral_says() {
        for (p0, first) in [(0.5, 13), (0.9, 87), (0.999, 9114)] {
            assert_eq!(against(first - 1, first - 1, p0), Standing::Open, "{p0}");
            assert_eq!(against(first, first, p0), Standing::Above, "{p0}");
        }
        assert_eq!(against(0, 8, 0.5), Standing::Open);
        assert_eq!(against(0, 9, 0.5), Standing::Below);
        assert_eq!(against(710, 1000, 0.65), Standing::Open); // M = 357
        assert_eq!(against(715, 1000, 0.65), Standing::Above); // M = 1501
    }

    /// mpmath: M against p ≤ p₀ and against p ≥ p₀, by the integrals themselves.
    #[test]
    fn a_decision_needs_all_of_one_over_alpha() {
        for (k, n, p0, above, below) in [
            (9, 10, 0.5, 18.50909090909090909, 0.1090909090909090909),
            (2, 10, 0.5, 0.1353535353535353535, 4.00202020202020202),
            (60, 100, 0.5, 1.784059031864655097, 0.0420405251105037278),
            (95, 100, 0.9, 2.76516466687002018, 0.01760339088821569133),
            (715, 1000, 0.65, 1501.288847278080137, 0.005152580516554075503),
            (600, 1000, 0.65, 0.01198625448206231437, 13.03955751046607438),
        ] {
            let never = Alpha::new(1e-9).unwrap();
            let at = |by: f64, of: f64| Alpha::new(by / of).unwrap();
            if above > 1.0 {
                let yes = |by| standing(k, n, p0, at(by, above), never).unwrap();
                assert_eq!(
                    [yes(1.0 - 1e-14), yes(1.0 + 1e-12)],
                    [Standing::Open, Standing::Above],
                    "{k} of {n}"
                );
            } else {
                let no = |by| standing(k, n, p0, never, at(by, below)).unwrap();
                assert_eq!(
                    [no(1.0 - 1e-12), no(1.0 + 1e-12)],
                    [Standing::Open, Standing::Below],
                    "{k} of {n}"
                );
            }
        }
    }

    /// mpmath: M and the logarithms of its probabilities.
    #[test]
    fn a_decision_waits_for_the_error_of_every_logarithm() {
        let (above, ln_pmf, ln_below) = (1501.288847278080137, -13.173018278385903, -6.3738884248926442e-6);
        let error = ln_tail_error(ln_pmf) + ln_tail_error(ln_below) + 1001_f64.ln() * f64::EPSILON;
        for (share, expected) in [(0.92, Standing::Open), (1.08, Standing::Above)] {
            let alpha = Alpha::new((1.0 + share * 4.0 * error) / above).unwrap();
            let found = standing(715, 1000, 0.65, alpha, Alpha::new(1e-9).unwrap()).unwrap();
            assert_eq!(found, expected, "{share} of the error");
        }
    }

    /// The worst that an adversary can do is to look after every vote and stop at the first yes. At the
    /// threshold itself, 20,000 such elections say yes no more often than α; a bound for one n says yes far
    /// too often.
    #[test]
    fn an_adversary_who_stops_at_will_gains_nothing() {
        const LENGTH: u64 = 1000;
        let alpha = Alpha::new(0.05).unwrap();
        let sequential = |k, n, p0| standing(k, n, p0, alpha, alpha).unwrap() == Standing::Above;
        let fixed = |k, n, p0| clopper_pearson_lower(k, n, alpha).unwrap() > p0;
        // the fewest votes of n that say yes; LENGTH + 1 where none do
        let limits = |says_yes: &dyn Fn(u64, u64, f64) -> bool, p0: f64| -> Vec<u64> {
            let mut least = 0;
            let mut limit = |n: u64| {
                while least <= n && !says_yes(least, n, p0) {
                    least += 1;
                }
                if least <= n { least } else { LENGTH + 1 }
            };
            (1..=LENGTH).map(&mut limit).collect()
        };
        for p0 in [0.5, 0.9] {
            let stops = |limits: &[u64]| {
                let mut random = ChaCha8Rng::seed_from_u64(11);
                let vote = Bernoulli::new(p0).unwrap();
                let mut says_yes = || {
                    let mut k = 0;
                    limits.iter().any(|limit| {
                        k += u64::from(vote.sample(&mut random));
                        k >= *limit
                    })
                };
                (0..20_000).filter(|_| says_yes()).count() as u64
            };
            let rate = |wrong| clopper_pearson_lower(wrong, 20_000, Alpha::new(0.05).unwrap()).unwrap();
            let wrong = stops(&limits(&sequential, p0));
            assert!(rate(wrong) <= alpha.get(), "p₀ = {p0}: {wrong} of 20000 wrong");
            let wrong = stops(&limits(&fixed, p0));
            assert!(rate(wrong) > 2.0 * alpha.get(), "p₀ = {p0}: only {wrong} of 20000 wrong with one n");
        }
    }

    #[test]
    fn impossible_questions_are_errors() {
        let alpha = Alpha::new(0.001).unwrap();
        for (k, n, p0) in [(3, 2, 0.5), (1, 2, 0.0), (1, 2, 1.0), (1, 2, f64::NAN)] {
            assert!(standing(k, n, p0, alpha, alpha).is_err(), "{k} {n} {p0}");
        }
        assert_eq!(against(0, 0, 0.5), Standing::Open);
    }
}

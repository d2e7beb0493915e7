//! Which two laws did we sample from, and how do their densities compare?

use crate::math::{Sphere, gamma_shares, lambert_tilt};
use crate::noise::GeneralizedGaussian;
use crate::types::Error;

/// The largest ln(q/p) that we compute with: beyond, Q says nothing about P.
const HIGHEST_PEAK: f64 = 300.0;
/// In fewer dimensions the error of the integrals is not known well enough.
const LEAST_DIM: u32 = 64;

/// λ₁ and λ₂.
pub(super) type Weights = [f64; 2];

/// How the density q of the second law compares with p of the first, as a function of
/// y = ‖x‖²/2s² where s belongs to the first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Ratio {
    /// There is no second law.
    None,
    /// The same law with a smaller σ: q/p = exp(peak − rate·y).
    Variance { peak: f64, rate: f64 },
    /// The first law conditioned on y ≤ at: q/p is 1/P(y ≤ at) there, and 0 beyond.
    Threshold { at: f64, share: f64 },
}

impl Ratio {
    /// q/p at y.
    pub fn ratio(self, y: f64) -> f64 {
        match self {
            Self::Variance { peak, rate } => (peak - rate * y).exp(),
            Self::Threshold { at, share } if y <= at => 1.0 / share,
            Self::None | Self::Threshold { .. } => 0.0,
        }
    }
}

/// The law P, whose density is p ∝ y^(−k) e^(−y), and the law Q. Lengths are in units of s.
#[derive(Clone, Debug)]
pub(super) struct Densities {
    /// d/2 − k: under P, y ~ Gamma(shape, 1).
    pub shape: u32,
    pub k: f64,
    pub dim: f64,
    pub second: Ratio,
    pub sphere: Sphere,
}

impl Densities {
    pub fn new(first: &GeneralizedGaussian, second: Ratio) -> Result<Self, Error> {
        if first.threshold().is_some() {
            return Err(Error::Invalid(
                "no radius is known for truncated noise by itself; leave the first law whole".into(),
            ));
        }
        if first.dim() < LEAST_DIM {
            let problem =
                format!("dsrs needs inputs of at least {LEAST_DIM} values, these have {}", first.dim());
            return Err(Error::Invalid(problem));
        }
        let (k, dim) = (f64::from(first.k()), f64::from(first.dim()));
        Ok(Self { shape: first.shape(), k, dim, second, sphere: Sphere::new(first.dim()) })
    }

    /// How `q` compares with `p`; an error if it is not one of the two kinds that we have formulas for.
    pub fn compare(p: &GeneralizedGaussian, q: &GeneralizedGaussian) -> Result<Ratio, Error> {
        let stretch = p.sigma().get() / q.sigma().get();
        if (p.k(), p.dim()) != (q.k(), q.dim()) {
            return Err(Error::Invalid(
                "both laws of double sampling must have the same k and dimension".into(),
            ));
        }
        match q.threshold() {
            Some(at) if p.sigma() == q.sigma() => {
                Ok(Ratio::Threshold { at, share: gamma_shares(p.shape(), at).0 })
            }
            None if stretch > 1.0 => {
                let peak = f64::from(2 * p.shape()) * stretch.ln();
                if peak > HIGHEST_PEAK {
                    return Err(Error::Invalid(format!(
                        "the second law of double sampling is too far from the first; use a sigma nearer to {}",
                        p.sigma().get()
                    )));
                }
                Ok(Ratio::Variance { peak, rate: (stretch - 1.0) * (stretch + 1.0) })
            }
            _ => Err(Error::Invalid(
                "the second law of double sampling has a smaller sigma, or is the first one truncated".into(),
            )),
        }
    }

    /// The y > 0 at which λ₁p + λ₂q changes its sign, without a jump.
    pub fn zero(&self, [w1, w2]: Weights) -> Option<f64> {
        let Ratio::Variance { peak, rate } = self.second else { return None };
        let zero = (peak - (-w1 / w2).ln()) / rate;
        (w1 * w2 < 0.0 && zero > 0.0).then_some(zero)
    }

    /// How far the first coordinate of a direction may reach for the point at y = t, moved by r, to
    /// arrive at t + `gain`: |√(2t) u + r e₁|² = 2 (t + gain).
    pub fn plane(t: f64, gain: f64, r: f64) -> f64 {
        (2.0 * gain - r * r) / (2.0 * (2.0 * t).sqrt() * r)
    }

    /// The share of the points at y = t that are at most `gain` higher after a move by r.
    pub fn share_within(&self, t: f64, gain: f64, r: f64) -> f64 {
        self.sphere.below(Self::plane(t, gain, r))
    }

    /// The gain after which p has fallen by a factor exp(`fall`): t (eᵛ − 1) where t (eᵛ − 1) + k v = fall.
    pub fn gain(&self, t: f64, fall: f64) -> Result<f64, Error> {
        Ok(t * lambert_tilt(fall, t, self.k)?.exp_m1())
    }

    /// The largest possible slope of the probability of any set as its noise moves, in units of 1/s:
    /// the density of one coordinate of P at 0.
    ///
    /// It is E[1/‖x‖] Γ(d/2) / (√π Γ((d−1)/2)), where E[1/‖x‖] = Γ(a−½) / (√2 Γ(a)); rounded up by
    /// Γ(x+½)/Γ(x) between √(x − ¼) and √x (Watson 1959).
    pub fn steepest(&self) -> f64 {
        let a = f64::from(self.shape);
        ((self.dim - 1.0) / (4.0 * std::f64::consts::PI * (a - 0.75))).sqrt()
    }
}

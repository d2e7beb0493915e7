//! What share of a sphere lies below a plane?

use std::f64::consts::PI;

/// Panels of the table, and Chebyshev coefficients in each.
const PANELS: usize = 64;
const TERMS: usize = 12;
/// Shares below e^(−CUT) count as 0.
const CUT: f64 = 46.0;

/// The share of the unit sphere in d dimensions whose first coordinate is at most x: the distribution
/// function of Beta((d−1)/2, (d−1)/2) at (1 + x)/2.
///
/// With x = sin φ it is an integral of cos^(d−2) φ, which is smooth to the very end. It is tabulated once
/// by Chebyshev polynomials, and normalised by its own value at the equator, ½. Absolute error at most
/// [`Sphere::ERROR`] against mpmath for d from 4 to 150,528.
#[derive(Clone, Debug)]
pub struct Sphere {
    power: f64,
    width: f64,
    panels: Vec<[f64; TERMS]>,
}

impl Sphere {
    /// How far a share may be off: ten times what was measured.
    pub const ERROR: f64 = 1e-14;

    /// The sphere in `d` ≥ 3 dimensions.
    pub fn new(d: u32) -> Self {
        let power = f64::from(d) - 2.0;
        let reach = (-(-2.0 * CUT / power).exp_m1()).sqrt().asin();
        let width = reach / PANELS as f64;
        let mut panels: Vec<_> = (0..PANELS).map(|i| outward(power, width, i as f64 + 0.5)).collect();
        let mut beyond = 0.0;
        for panel in panels.iter_mut().rev() {
            let inner = sum(panel, -1.0);
            panel[0] += beyond;
            beyond += inner;
        }
        panels.as_flattened_mut().iter_mut().for_each(|coefficient| *coefficient *= 0.5 / beyond);
        Self { power, width, panels }
    }

    /// The share whose first coordinate is at most `x`.
    pub fn below(&self, x: f64) -> f64 {
        if x > 0.0 { 1.0 - self.cap(x) } else { self.cap(-x) }
    }

    /// The density of the first coordinate at `x`, to a few digits: for the slope of [`Sphere::below`].
    pub fn density(&self, x: f64) -> f64 {
        if x.abs() >= 1.0 {
            return 0.0;
        }
        // Γ(d/2)/Γ((d−1)/2) ≈ √((2d − 3)/4)
        ((2.0 * self.power + 1.0) / (4.0 * PI)).sqrt() * (0.5 * (self.power - 1.0) * (-x * x).ln_1p()).exp()
    }

    /// The share beyond `x` ≥ 0.
    fn cap(&self, x: f64) -> f64 {
        let place = x.min(1.0).asin() / self.width;
        match self.panels.get(place as usize) {
            Some(panel) => sum(panel, 2.0 * (place - place.floor()) - 1.0).max(0.0),
            None => 0.0,
        }
    }
}

/// ∫ from z to 1 of cos^power((middle + z/2) · width) as a Chebyshev series in z, from −1 to 1.
fn outward(power: f64, width: f64, middle: f64) -> [f64; TERMS] {
    const POINTS: usize = TERMS - 1;
    let angle = |i: usize| PI * (i as f64 + 0.5) / POINTS as f64;
    let values: Vec<f64> = (0..POINTS)
        .map(|i| {
            let sin = ((middle + 0.5 * angle(i).cos()) * width).sin();
            (0.5 * power * (-sin * sin).ln_1p()).exp()
        })
        .collect();
    let mut series = [0.0; TERMS + 1];
    for (j, coefficient) in series.iter_mut().take(POINTS).enumerate() {
        let terms = values.iter().enumerate().map(|(i, value)| value * (j as f64 * angle(i)).cos());
        *coefficient = 2.0 / POINTS as f64 * terms.sum::<f64>();
    }
    let mut integral = [0.0; TERMS];
    for j in 1..TERMS {
        integral[j] = (series[j + 1] - series[j - 1]) / (2.0 * j as f64);
    }
    integral[0] = -sum(&integral, 1.0);
    integral
}

/// The Chebyshev series at z, by Clenshaw's recurrence.
fn sum(series: &[f64; TERMS], z: f64) -> f64 {
    let (mut b1, mut b2) = (0.0, 0.0);
    for coefficient in series[1..].iter().rev() {
        (b1, b2) = (coefficient + 2.0 * z * b1 - b2, b1);
    }
    series[0] + z * b1 - b2
}

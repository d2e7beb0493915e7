//! A method of one's own: what it plans is certified by draws that it never sees, so it cannot make a certificate wrong.
//!
//! ```text
//! cargo run --release -p qcrs --example own_method
//! ```

use qcrs::method::{Plan, PlanCertificate, Scout};
use qcrs::sample::from_fn;
use qcrs::{Certifier, Error, Method, Seed, Sigma};

/// Tries three noise levels with a few draws each, and certifies the one that promises most.
struct BestOfThree([Sigma; 3]);

impl PlanCertificate for BestOfThree {
    fn plan(&self, scout: &mut Scout<'_>) -> Result<Plan, Error> {
        let Self(levels) = self;
        let class = scout.look(levels[1], 200)?.votes.elected()?;
        let mut best = (0.0, levels[1]);
        for sigma in levels {
            let look = scout.look(*sigma, 200)?;
            let promised = scout.predicted_radius(&look, class)?;
            if promised > best.0 {
                best = (promised, *sigma);
            }
        }
        Ok(Plan::certify(scout.at(best.1)).for_class(class).into())
    }
}

fn main() -> Result<(), Error> {
    // the brightest of three pixels wins
    let brightest = || {
        from_fn(3, 3, |batch: &[f32], scores: &mut [f32]| {
            scores.copy_from_slice(batch);
            Ok(())
        })
    };
    let levels = [Sigma::new(0.12)?, Sigma::new(0.25)?, Sigma::new(0.5)?];
    let image = [0.2, 0.4, 0.8];

    let own = Certifier::planned_by(brightest(), BestOfThree(levels)).certify(&image, Seed::chosen(1))?;
    let cohen = Certifier::new(brightest(), Method::cohen(levels[1])).certify(&image, Seed::chosen(1))?;
    println!("best of three: {own} ({})", own.guarantee.name());
    println!("cohen:         {cohen} ({})", cohen.guarantee.name());

    // the nearest border, where the second pixel is as bright, is 0.7 / √2 away
    assert!(own.class() == Some(2) && own.radius() < Some(0.7 / 2.0_f64.sqrt()));
    Ok(())
}

//! A closure as classifier: certify any function that scores batches.
//!
//! ```text
//! cargo run --release -p qcrs --example closure
//! ```

use qcrs::sample::from_fn;
use qcrs::{Certifier, Error, Method, Seed, Sigma};

/// Images of 8 × 8 grey pixels.
const SIZE: usize = 64;

fn main() -> Result<(), Error> {
    // class 0: the left half is brighter; class 1: the right half is
    let halves = from_fn(SIZE, 2, |batch: &[f32], scores: &mut [f32]| {
        for (image, row) in batch.chunks_exact(SIZE).zip(scores.chunks_exact_mut(2)) {
            row.fill(0.0);
            for (at, pixel) in image.iter().enumerate() {
                row[usize::from(at % 8 >= 4)] += pixel;
            }
        }
        Ok(())
    });
    let certifier = Certifier::new(halves, Method::cohen(Sigma::new(0.25)?));

    // the right half is brighter by 0.2 in each of its 32 pixels
    let image: Vec<f32> = (0..SIZE).map(|at| if at % 8 >= 4 { 0.6 } else { 0.4 }).collect();
    let certificate = certifier.certify(&image, Seed::secret()?)?;
    println!("{certificate}");

    // The border is the plane where both halves are equal, 32 · 0.2 / √64 = 0.8 away. A certificate never claims more,
    // except with probability 0.001.
    let radius = certificate.radius().expect("this image is far from the border");
    assert!(certificate.class() == Some(1) && (0.75..0.8).contains(&radius), "{certificate}");
    Ok(())
}

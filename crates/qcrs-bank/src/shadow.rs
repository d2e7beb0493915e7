//! Which points are surely far away, by 48 numbers each?

use crate::distance::Ruler;

/// An orthonormal projection onto averages of blocks: shadows are never further apart than the points.
#[derive(Clone, Debug)]
pub(crate) struct Blocks {
    /// The block of every pixel.
    block: Vec<u8>,
    /// 1/√m of each block of m pixels.
    scale: Vec<f64>,
}

/// As many as a scan of all shadows can afford, and as many as 3×4×4 blocks of an image make.
const BLOCKS: usize = 48;

/// This many coordinates fill one line of the processor's cache.
const FIRST_LOOK: usize = 16;

/// A projected point.
#[derive(Clone, Debug)]
pub(crate) struct Shadow {
    /// One coordinate per block.
    pub(crate) at: Vec<f32>,
    /// How far `at` may be from the true projection.
    pub(crate) slack: f32,
}

impl Blocks {
    /// Cuts images of `shape` (channels, height, width) into at most 48 blocks.
    pub(crate) fn new([channels, height, width]: [usize; 3]) -> Self {
        let c = channels.min(3);
        let h = height.min((BLOCKS / c).isqrt());
        let w = width.min(BLOCKS / (c * h));
        let (mut block, mut sizes) = (Vec::with_capacity(channels * height * width), vec![0u32; c * h * w]);
        for channel in 0..channels {
            for y in 0..height {
                for x in 0..width {
                    let at = (channel * c / channels * h + y * h / height) * w + x * w / width;
                    block.push(at as u8);
                    sizes[at] += 1;
                }
            }
        }
        Self { block, scale: sizes.iter().map(|&size| 1.0 / f64::from(size).sqrt()).collect() }
    }

    pub(crate) fn len(&self) -> usize {
        self.scale.len()
    }

    /// The shadow of `x`.
    ///
    /// The f64 sum of a block of m < 2²⁴ pixels is wrong by less than 2⁻²⁸ Σ|x|, and Σ|x|/√m is at most
    /// the norm of the block; rounding to f32 adds 2⁻²⁴ of that. Together the vector is wrong by less
    /// than 2⁻²³ ‖x‖; 1e-30 stands for coordinates too small for f32.
    pub(crate) fn shadow(&self, x: &[f32]) -> Shadow {
        let (mut sums, mut square) = (vec![0.0; self.len()], 0.0);
        for (&block, &value) in self.block.iter().zip(x) {
            let value = f64::from(value);
            sums[usize::from(block)] += value;
            square += value * value;
        }
        let at = sums.iter().zip(&self.scale).map(|(sum, scale)| (sum * scale) as f32).collect();
        // twice the bound: room for the rounding of the norm, of the slack itself and of brightness
        Shadow { at, slack: (square.sqrt() * 2f64.powi(-22) + 1e-30) as f32 }
    }

    /// The scaled average of all pixels, which is a coordinate of the same projection in another basis: two
    /// of them are never further apart than the points, except for both slacks.
    pub(crate) fn brightness(&self, at: &[f32]) -> f64 {
        let weighted = at.iter().zip(&self.scale).map(|(&at, scale)| f64::from(at) / scale);
        weighted.sum::<f64>() / (self.block.len() as f64).sqrt()
    }
}

/// Whether two shadows alone exclude that a ball of each of these radii around their points meet
/// ([`Ruler::surely_apart`]).
pub(crate) fn surely_apart(
    ruler: Ruler,
    a: &[f32],
    b: &[f32],
    slack: f64,
    (radius, own): (f64, f64),
) -> bool {
    let apart = |len: usize| ruler.surely_apart(between(&a[..len], &b[..len]), slack, radius, own);
    // a part of a shadow is a shadow too, and one channel excludes most balls
    apart(a.len().min(FIRST_LOOK)) || apart(a.len())
}

/// How far two shadows are apart.
fn between(a: &[f32], b: &[f32]) -> f64 {
    let mut sums = [0.0; 4];
    let (a4, b4) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest = a4.remainder().iter().zip(b4.remainder());
    for (a, b) in a4.zip(b4) {
        for lane in 0..4 {
            let difference = f64::from(a[lane]) - f64::from(b[lane]);
            sums[lane] += difference * difference;
        }
    }
    let rest: f64 = rest.map(|(&a, &b)| (f64::from(a) - f64::from(b)).powi(2)).sum();
    (sums.iter().sum::<f64>() + rest).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_image_is_cut_into_squares() {
        assert_eq!(Blocks::new([3, 32, 32]).scale, [1.0 / 8.0; 48]);
        for (shape, blocks) in
            [([1, 28, 28], 48), ([1, 1, 1000], 48), ([1, 1, 2], 2), ([3, 224, 224], 48), ([7, 1, 1], 3)]
        {
            let cut = Blocks::new(shape);
            assert_eq!(cut.len(), blocks, "{shape:?}");
            assert!(cut.scale.iter().all(|scale| scale.is_finite()), "{shape:?}: an empty block");
        }
    }

    #[test]
    fn points_that_differ_by_averages_only_lose_nothing() {
        let blocks = Blocks::new([3, 32, 32]);
        let (a, b) = (blocks.shadow(&[0.25; 3072]), blocks.shadow(&[0.75; 3072]));
        let truth = 0.5 * 3072f64.sqrt();
        assert!((between(&a.at, &b.at) - truth).abs() < 1e-5);
        assert!((blocks.brightness(&b.at) - blocks.brightness(&a.at) - truth).abs() < 1e-5);
    }

    proptest! {
        #[test]
        fn shadows_are_never_further_apart(
            shape in (1..5usize, 1..9usize, 1..9usize),
            scale in prop::sample::select(vec![1e-20f32, 1e-3, 1.0, 1e6]),
            flat in any::<bool>(),
            seed in any::<u64>(),
        ) {
            let shape = [shape.0, shape.1, shape.2];
            let blocks = Blocks::new(shape);
            let mut state = seed;
            let mut point = || -> Vec<f32> {
                let next = |_| {
                    state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                    ((state >> 40) as f32 / 2f32.powi(24) - 0.5) * scale
                };
                let values: Vec<f32> = (0..blocks.block.len()).map(next).collect();
                // the shadow of flat blocks loses nothing, so that every rounding shows
                let of = |(at, &block): (usize, &u8)| values[if flat { usize::from(block) } else { at }];
                blocks.block.iter().enumerate().map(of).collect()
            };
            let (x, y) = (point(), point());
            let truth: f64 = x.iter().zip(&y).map(|(&x, &y)| (f64::from(x) - f64::from(y)).powi(2)).sum();
            let (a, b) = (blocks.shadow(&x), blocks.shadow(&y));
            let slack = f64::from(a.slack) + f64::from(b.slack);
            let most = truth.sqrt() * (1.0 + 1e-12) + slack;
            prop_assert!(between(&a.at, &b.at) <= most);
            prop_assert!((blocks.brightness(&a.at) - blocks.brightness(&b.at)).abs() <= most);
        }
    }
}

//! The largest or the mean of the pixels under a window.

use super::lanes::Lanes;
use super::{OverflowCheck, Place, ValueFormat};
use crate::graph::{Pool, Window};
use std::ops::Range;

/// A pooling. It checks every value that it reads, because the largest hides the others, and every sum.
pub(crate) struct Pooling {
    pub(crate) from: Place,
    pub(crate) to: Place,
    pub(crate) pool: Pool,
    pub(crate) window: Window,
}

impl Pooling {
    #[inline(always)]
    pub(super) unsafe fn run<N: ValueFormat, L: Lanes>(
        &self,
        memory: &mut [N],
        images: Range<usize>,
    ) -> bool {
        let mut check = unsafe { OverflowCheck::<L>::new() };
        let [_, height, width] = self.to.shape;
        for (image, y) in images.flat_map(|image| (0..height).map(move |y| (image, y))) {
            let rows = self.inside(0, y);
            for x in 0..width {
                let columns = self.inside(1, x);
                let count = match self.pool {
                    Pool::PaddedMean => self.window.size[0] * self.window.size[1],
                    Pool::Max | Pool::Mean => rows.len() * columns.len(),
                };
                let to = self.to.at(image, y, x);
                for c in (0..self.to.pixel).step_by(L::COUNT) {
                    unsafe {
                        let pixel = |v: usize, u: usize| N::load::<L>(memory, self.from.at(image, v, u) + c);
                        // pixel after pixel, row after row: the same order, and so the same sum, everywhere
                        let over = |combine: &mut dyn FnMut(L, L) -> L, start: L| {
                            rows.clone().fold(start, |all, v| {
                                columns.clone().fold(all, |all, u| combine(all, pixel(v, u)))
                            })
                        };
                        let value = if self.pool == Pool::Max {
                            let larger = &mut |a: L, b: L| {
                                check.see(b);
                                b.or_greater(a)
                            };
                            over(larger, pixel(rows.start, columns.start))
                        } else {
                            let sum = over(&mut |a, b| a.add(b), L::all(0.0));
                            check.see(sum);
                            L::all(0.0).mul_add(sum, L::all(1.0 / count as f32))
                        };
                        N::store(value, memory, to + c);
                    }
                }
            }
        }
        unsafe { check.sound() }
    }

    /// The rows or columns of the image under the window at place `at`.
    fn inside(&self, axis: usize, at: usize) -> Range<usize> {
        let Window { size, stride, pad } = self.window;
        let first = at * stride[axis];
        let end = (first + size[axis] - pad[axis].min(first + size[axis])).min(self.from.shape[1 + axis]);
        first.saturating_sub(pad[axis])..end
    }
}

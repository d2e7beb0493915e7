//! A 3×3 convolution with stride 1 in a quarter of the multiplications (Winograd's F(4×4, 3×3),
//! Lavin & Gray 2016): 6×6 pixels are transformed, multiplied point by point with transformed weights
//! and summed over the channels, and transformed back to 4×4 outputs.
//!
//! Several tiles are done at once, so that each weight that is read serves many of them. Where a tile hangs
//! over the edge, its inputs are the zeros of the frame: in f32, even outputs that are thrown away influence
//! the last bits of their neighbours.

use super::lanes::Lanes;
use super::{Buffer, Epilogue, Isa, OverflowCheck, Place, by_panel};
use crate::graph::Conv;
use std::ops::Range;

/// Rows and columns of outputs that a tile gives.
pub(crate) const TILE: usize = 4;
/// Rows and columns of inputs that it takes.
const READ: usize = 6;
const POINTS: usize = READ * READ;
/// Tiles that are done at once.
const GROUP: usize = 16;
/// The gap between the points of a group, so that they do not fall on the same cache lines.
const GAP: usize = 16;

/// A convolution of 3×3 with stride 1 and one group.
pub(crate) struct Winograd {
    pub(crate) from: Place,
    pub(crate) to: Place,
    pub(crate) tail: Epilogue,
    pad: [usize; 4],
    panel: usize,
    /// [point][panel][input][output channel of the panel].
    weights: Buffer<f32>,
    bias: Vec<f32>,
    /// Where transformed inputs and products stand in the workspace.
    scratch: usize,
}

/// G of F(4, 3): what the weights are multiplied with, from both sides.
const G: [[f64; 3]; READ] = [
    [1.0 / 4.0, 0.0, 0.0],
    [-1.0 / 6.0, -1.0 / 6.0, -1.0 / 6.0],
    [-1.0 / 6.0, 1.0 / 6.0, -1.0 / 6.0],
    [1.0 / 24.0, 1.0 / 12.0, 1.0 / 6.0],
    [1.0 / 24.0, -1.0 / 12.0, 1.0 / 6.0],
    [0.0, 0.0, 1.0],
];

impl Winograd {
    pub(crate) fn new(conv: &Conv, from: Place, to: Place, tail: Epilogue, isa: Isa) -> Self {
        let panel = isa.panel(to.pixel);
        let mut weights = Buffer::new(POINTS * from.pixel * to.pixel);
        for output in 0..conv.outputs {
            for input in 0..conv.depth() {
                for point in 0..POINTS {
                    let [row, column] = [G[point / READ], G[point % READ]];
                    let taps = (0..9).map(|tap| {
                        let weight = f64::from(conv.weight(output, input, [tap / 3, tap % 3]));
                        row[tap / 3] * column[tap % 3] * weight
                    });
                    let at = (point * (to.pixel / panel) + output / panel) * from.pixel + input;
                    weights[at * panel + output % panel] = taps.sum::<f64>() as f32;
                }
            }
        }
        let mut bias = conv.bias.clone();
        bias.resize(to.pixel, 0.0);
        Self { from, to, tail, pad: conv.window.pad, panel, weights, bias, scratch: 0 }
    }

    pub(crate) fn weight_bytes(&self) -> usize {
        4 * self.weights.len()
    }

    /// How many numbers it needs in addition to its inputs and outputs.
    pub(crate) fn scratch_len(&self) -> usize {
        POINTS * (pitch(self.from.pixel) + pitch(self.to.pixel))
    }

    pub(crate) fn put_scratch(&mut self, at: usize) {
        self.scratch = at;
    }

    #[inline(always)]
    pub(super) unsafe fn run<L: Lanes>(&self, memory: &mut [f32], images: Range<usize>) -> bool {
        unsafe { by_panel!(self.groups::<L>(memory, images), 4, 8, 8) }
    }

    #[inline(always)]
    unsafe fn groups<L: Lanes, const TILES: usize, const WIDE: usize>(
        &self,
        memory: &mut [f32],
        images: Range<usize>,
    ) -> bool {
        debug_assert_eq!(self.panel, WIDE * L::COUNT);
        let [_, height, width] = self.to.shape;
        let across = width.div_ceil(TILE);
        let tiles = height.div_ceil(TILE) * across;
        let (first, all) = (images.start * tiles, images.len() * tiles);
        let place = |tile: usize| {
            let (image, tile) = (tile / tiles, tile % tiles);
            (image, tile / across * TILE, tile % across * TILE)
        };
        unsafe {
            let mut check = OverflowCheck::<L>::new();
            for start in (0..all).step_by(GROUP) {
                let live = GROUP.min(all - start);
                for tile in 0..live {
                    let (image, y, x) = place(first + start + tile);
                    self.transform::<L>(memory, tile, image, [y, x]);
                }
                self.multiply::<L, TILES, WIDE>(memory, live);
                for tile in 0..live {
                    let (image, y, x) = place(first + start + tile);
                    self.finish::<L>(memory, tile, image, [y, x], &mut check);
                }
            }
            check.sound()
        }
    }

    /// Bᵀ d B of a tile, for all its channels.
    #[inline(always)]
    unsafe fn transform<L: Lanes>(&self, memory: &mut [f32], tile: usize, image: usize, [y, x]: [usize; 2]) {
        let (row, pixel) = (self.from.row, self.from.pixel);
        let corner = self.from.corner(image, self.pad) + y * row + x * pixel;
        let to = self.scratch + tile * pixel;
        for c in (0..pixel).step_by(L::COUNT) {
            unsafe {
                let mut rows = [[L::all(0.0); READ]; READ];
                for (v, out) in rows.iter_mut().enumerate() {
                    let at = corner + v * row + c;
                    *out = inward(std::array::from_fn(|u| L::load(memory, at + u * pixel)));
                }
                for u in 0..READ {
                    let column = inward(std::array::from_fn(|v| rows[v][u]));
                    for (v, value) in column.iter().enumerate() {
                        value.store(memory, to + (v * READ + u) * pitch(pixel) + c);
                    }
                }
            }
        }
    }

    /// For every point, the transformed inputs of the tiles times the transformed weights.
    #[inline(always)]
    unsafe fn multiply<L: Lanes, const TILES: usize, const WIDE: usize>(
        &self,
        memory: &mut [f32],
        live: usize,
    ) {
        let (inputs, outputs) = (self.from.pixel, self.to.pixel);
        let products = self.scratch + POINTS * pitch(inputs);
        for point in 0..POINTS {
            for panel in 0..outputs / self.panel {
                let weights = (point * (outputs / self.panel) + panel) * inputs * self.panel;
                for tile in (0..live).step_by(TILES) {
                    let from = self.scratch + point * pitch(inputs) + tile * inputs;
                    let to = products + point * pitch(outputs) + tile * outputs + panel * self.panel;
                    unsafe {
                        let mut sums = [[L::all(0.0); WIDE]; TILES];
                        let mut weight = weights;
                        for c in 0..inputs {
                            let w: [L; WIDE] =
                                std::array::from_fn(|n| L::load(&self.weights, weight + n * L::COUNT));
                            for i in 0..TILES {
                                let x = L::splat(memory, from + i * inputs + c);
                                for n in 0..WIDE {
                                    sums[i][n] = sums[i][n].mul_add(x, w[n]);
                                }
                            }
                            weight += self.panel;
                        }
                        for i in 0..TILES {
                            for n in 0..WIDE {
                                sums[i][n].store(memory, to + i * outputs + n * L::COUNT);
                            }
                        }
                    }
                }
            }
        }
    }

    /// Aᵀ m A of a tile, and what follows; only the outputs inside the image are written.
    #[inline(always)]
    unsafe fn finish<L: Lanes>(
        &self,
        memory: &mut [f32],
        tile: usize,
        image: usize,
        [y, x]: [usize; 2],
        check: &mut OverflowCheck<L>,
    ) {
        let [_, height, width] = self.to.shape;
        let outputs = self.to.pixel;
        let (down, along) = (height - y, width - x);
        let from = self.scratch + POINTS * pitch(self.from.pixel) + tile * outputs;
        let to = self.to.at(image, y, x);
        let add = self.tail.add.unwrap_or(self.to);
        let other = add.at(image, y, x);
        for c in (0..outputs).step_by(L::COUNT) {
            unsafe {
                let bias = L::load(&self.bias, c);
                let mut rows = [[L::all(0.0); TILE]; READ];
                for (v, out) in rows.iter_mut().enumerate() {
                    let at = from + v * READ * pitch(outputs) + c;
                    *out = outward(std::array::from_fn(|u| L::load(memory, at + u * pitch(outputs))));
                }
                for u in 0..TILE {
                    let column: [L; TILE] = outward(std::array::from_fn(|v| rows[v][u]));
                    for (v, sum) in column.iter().enumerate() {
                        if v < down && u < along {
                            let other = other + v * add.row + u * add.pixel + c;
                            let value = self.tail.finish(sum.add(bias), memory, other, check);
                            value.store(memory, to + v * self.to.row + u * self.to.pixel + c);
                        }
                    }
                }
            }
        }
    }
}

/// From one point of a group to the next.
const fn pitch(channels: usize) -> usize {
    GROUP * channels + GAP
}

/// Bᵀ d of F(4, 3).
#[inline(always)]
unsafe fn inward<L: Lanes>(d: [L; READ]) -> [L; READ] {
    unsafe {
        let k = |value: f32| L::all(value);
        let (a, b) = (d[4].mul_add(d[2], k(-4.0)), d[3].mul_add(d[1], k(-4.0)));
        let (e, f) = (d[4].mul_add(d[2], k(-1.0)), d[3].mul_add(d[1], k(-1.0)));
        [
            d[4].mul_add(d[0], k(4.0)).mul_add(d[2], k(-5.0)),
            a.add(b),
            a.mul_add(b, k(-1.0)),
            e.mul_add(f, k(2.0)),
            e.mul_add(f, k(-2.0)),
            d[5].mul_add(d[1], k(4.0)).mul_add(d[3], k(-5.0)),
        ]
    }
}

/// Aᵀ m of F(4, 3).
#[inline(always)]
unsafe fn outward<L: Lanes>(m: [L; READ]) -> [L; TILE] {
    unsafe {
        let k = |value: f32| L::all(value);
        let (sum, difference) = (m[1].add(m[2]), m[1].mul_add(m[2], k(-1.0)));
        let (far, far_difference) = (m[3].add(m[4]), m[3].mul_add(m[4], k(-1.0)));
        [
            m[0].add(sum).add(far),
            difference.mul_add(far_difference, k(2.0)),
            sum.mul_add(far, k(4.0)),
            difference.add(m[5]).mul_add(far_difference, k(8.0)),
        ]
    }
}

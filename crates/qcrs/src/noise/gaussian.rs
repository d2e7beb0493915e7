//! What are the normals of one draw, in order, as fast as this processor can?
//!
//! Sixteen Philox counters make a group of 64 normals: first the sixteen first normals of the
//! first pairs, then their partners, then the same for the second pairs. So a normal depends on its
//! address and its place only, never on how many are asked for.

use super::Stream;
use super::normal::{TAIL, circle, normal_pair, scaled};
use super::philox::philox4x32;
use super::tail::tail_radius;
use std::sync::LazyLock;

const LANES: usize = 16;
/// The number of normals that are made at a time.
const GROUP: usize = 4 * LANES;
/// Set in the phase of the counters that refine the tail, and in no other's.
const TAIL_DOMAIN: u32 = 1 << 31;

/// `out = x + scale · ε`, as a job that pulp compiles once for every instruction set.
pub(super) struct AddNormals<'a> {
    pub stream: &'a Stream,
    pub draw: u32,
    pub scale: f32,
    pub x: &'a [f32],
    pub out: &'a mut [f32],
}

impl AddNormals<'_> {
    /// Runs with the best instructions that this processor has.
    pub fn run(self) {
        static ARCH: LazyLock<pulp::Arch> = LazyLock::new(pulp::Arch::new);
        ARCH.dispatch(self);
    }

    #[inline(always)]
    fn run_inline(self) {
        let Self { stream, draw, scale, x, out } = self;
        for (group, (x, out)) in (0..).zip(x.chunks(GROUP).zip(out.chunks_mut(GROUP))) {
            let normals = normals(stream, draw, group);
            if let (Some(x), Some(out)) = (x.as_array(), out.as_mut_array()) {
                add(scale, &normals, x, out);
            } else {
                let (mut padded, mut sum) = ([0.0; GROUP], [0.0; GROUP]);
                padded[..x.len()].copy_from_slice(x);
                add(scale, &normals, &padded, &mut sum);
                out.copy_from_slice(&sum[..x.len()]);
            }
        }
    }
}

impl pulp::WithSimd for AddNormals<'_> {
    type Output = ();

    // the instruction set is that of the caller, and only inlined code inherits it
    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        self.run_inline();
    }
}

#[inline(always)]
fn add(scale: f32, normals: &[f32; GROUP], x: &[f32; GROUP], out: &mut [f32; GROUP]) {
    for i in 0..GROUP {
        out[i] = x[i] + scale * normals[i];
    }
}

/// The normals 64·group to 64·group + 63 of a draw.
#[inline(always)]
fn normals(stream: &Stream, draw: u32, group: u32) -> [f32; GROUP] {
    let first = group * LANES as u32;
    let key = [stream.seed as u32, (stream.seed >> 32) as u32];
    let mut words = [[0; LANES]; 4];
    for lane in 0..LANES {
        let counter = [draw, first + lane as u32, stream.input, stream.phase as u32];
        let [w0, w1, w2, w3] = philox4x32(counter, key);
        words[0][lane] = w0;
        words[1][lane] = w1;
        words[2][lane] = w2;
        words[3][lane] = w3;
    }
    let mut normals = [[0.0; LANES]; 4];
    let mut rare = false;
    for pair in [0, 2] {
        for lane in 0..LANES {
            let [a, b] = normal_pair(words[pair][lane], words[pair + 1][lane]);
            normals[pair][lane] = a;
            normals[pair + 1][lane] = b;
        }
        rare |= words[pair].iter().fold(false, |rare, &word| rare | (word < TAIL));
    }
    if rare {
        refine_tails(stream, draw, first, &words, &mut normals);
    }
    *normals.as_flattened().as_array().expect("4 times 16 is 64")
}

/// Does the pairs in the tail again, with more bits.
#[cold]
#[inline(never)]
fn refine_tails(
    stream: &Stream,
    draw: u32,
    first: u32,
    words: &[[u32; LANES]; 4],
    normals: &mut [[f32; LANES]; 4],
) {
    let key = [stream.seed as u32, (stream.seed >> 32) as u32];
    for (lane, block) in (0..LANES).zip(first..) {
        for pair in [0, 2] {
            if words[pair][lane] < TAIL {
                let counter = [draw, block, stream.input, stream.phase as u32 | TAIL_DOMAIN];
                let more = philox4x32(counter, key)[pair];
                let radius = tail_radius(words[pair][lane], more);
                let [a, b] = scaled(radius, circle(words[pair + 1][lane]));
                normals[pair][lane] = a;
                normals[pair + 1][lane] = b;
            }
        }
    }
}

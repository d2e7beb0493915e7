//! What are the normals of one draw, in order, as fast as this processor can?
//!
//! Sixteen Philox counters make a group of 64 normals: first the sixteen first normals of the
//! first pairs, then their partners, then the same for the second pairs. So a normal depends on its
//! address and its place only, never on how many are asked for.

use super::Stream;
use super::normal::{TAIL, circle, normal_pair, scaled};
use super::tail::tail_radius;
use super::words::{GROUP, LANES, second_half, words};
use std::sync::LazyLock;

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
        static BEST: LazyLock<pulp::Arch> = LazyLock::new(pulp::Arch::new);
        self.run_on(*BEST);
    }

    /// Runs with the instructions of `arch`; `pulp::Arch::Scalar` is what every processor has.
    pub fn run_on(self, arch: pulp::Arch) {
        arch.dispatch(self);
    }
}

impl pulp::WithSimd for AddNormals<'_> {
    type Output = ();

    // the instruction set is that of the caller, and only inlined code inherits it
    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
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

#[inline(always)]
fn add(scale: f32, normals: &[f32; GROUP], x: &[f32; GROUP], out: &mut [f32; GROUP]) {
    for i in 0..GROUP {
        out[i] = x[i] + scale * normals[i];
    }
}

/// The normals 64·group to 64·group + 63 of a draw.
#[inline(always)]
pub(super) fn normals(stream: &Stream, draw: u32, group: u32) -> [f32; GROUP] {
    let first = group * LANES as u32;
    let words = words(stream, draw, first);
    let mut normals = [[0.0; LANES]; 4];
    let mut rare = false;
    for pair in [0, 2] {
        for lane in 0..LANES {
            let [a, b] = normal_pair(words[pair][lane], words[pair + 1][lane]);
            normals[pair][lane] = a;
            normals[pair + 1][lane] = b;
        }
        rare |= words[pair].iter().min() < Some(&TAIL); // `any` would stop early, and not vectorise
    }
    if rare {
        refine_tails(stream, draw, first, &words, &mut normals);
    }
    *normals.as_flattened().as_array().expect("4 times 16 is 64")
}

/// Computes the pairs in the tail again, with more bits.
#[cold]
#[inline(never)]
fn refine_tails(
    stream: &Stream,
    draw: u32,
    first: u32,
    words: &[[u32; LANES]; 4],
    normals: &mut [[f32; LANES]; 4],
) {
    for (lane, block) in (0..LANES).zip(first..) {
        for pair in [0, 2] {
            if words[pair][lane] < TAIL {
                let more = second_half(stream, draw, block, pair);
                let radius = tail_radius(words[pair][lane], more);
                let [a, b] = scaled(radius, circle(words[pair + 1][lane]));
                normals[pair][lane] = a;
                normals[pair + 1][lane] = b;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::Phase;
    use crate::noise::philox::philox4x32;
    use crate::noise::tests::archs;
    use proptest::prelude::*;

    const STREAM: Stream = Stream { seed: 0x0123_4567_89AB_CDEF, input: 42, phase: Phase::Estimate };

    fn normals_on(arch: pulp::Arch, draw: u32, len: usize) -> Vec<f32> {
        let (x, mut out) = (vec![0.0; len], vec![f32::NAN; len]);
        AddNormals { stream: &STREAM, draw, scale: 1.0, x: &x, out: &mut out }.run_on(arch);
        out
    }

    /// Normal `j` of a draw by itself: the definition, without groups and lanes.
    fn normal(draw: u32, j: usize) -> f32 {
        let (group, run, lane) = (j / GROUP, j % GROUP / LANES, j % LANES);
        let block = (group * LANES + lane) as u32;
        let key = STREAM.key();
        let words = philox4x32([draw, block, STREAM.input, STREAM.phase as u32], key);
        let (r, v) = (words[run & 2], words[run | 1]);
        let pair = if r < TAIL {
            let more = philox4x32([draw, block, STREAM.input, STREAM.phase as u32 | 1 << 31], key);
            scaled(tail_radius(r, more[run & 2]), circle(v))
        } else {
            normal_pair(r, v)
        };
        pair[run & 1]
    }

    fn bits(values: &[f32]) -> Vec<u32> {
        values.iter().map(|value| value.to_bits()).collect()
    }

    #[test]
    fn every_instruction_set_gives_the_same_bits_as_the_definition() {
        let mut tails = 0;
        for (draw, len) in (0..200).map(|draw| (draw, 3072)).chain([(7, 150_528), (8, 784), (9, 1)]) {
            let expected: Vec<f32> = (0..len).map(|j| normal(draw, j)).collect();
            let pairs =
                expected.chunks_exact(2 * LANES).flat_map(|runs| runs[..LANES].iter().zip(&runs[LANES..]));
            tails += pairs.filter(|(a, b)| a.hypot(**b) > tail_radius(TAIL, 0)).count();
            for (name, arch) in archs() {
                assert!(bits(&normals_on(arch, draw, len)) == bits(&expected), "{name}, draw {draw}");
            }
        }
        assert!(tails > 0, "these draws must reach the tail");
    }

    #[test]
    fn values_are_stable() {
        // all but the last bit also follow from the definition in another language, in f64
        let pinned = [
            (0, 0, 0xbeaaa0e6),
            (0, 1, 0xc00561e1),
            (0, 15, 0xbf392712),
            (0, 16, 0x3e86f25f),
            (1, 63, 0x3fc3152b),
            (99_999, 3071, 0x3fa1b215),
            (u32::MAX, 150_527, 0xbe84de37),
        ];
        for (draw, j, expected) in pinned {
            let found = normals_on(pulp::Arch::new(), draw, j + 1)[j];
            assert_eq!(
                found.to_bits(),
                expected,
                "draw {draw}, element {j} is {found}: {:#x}",
                found.to_bits()
            );
        }
    }

    proptest! {
        #[test]
        fn a_value_does_not_depend_on_the_length(len in 0usize..300, draw: u32) {
            let long = normals_on(pulp::Arch::new(), draw, 320);
            prop_assert_eq!(bits(&normals_on(pulp::Arch::new(), draw, len)), bits(&long[..len]));
        }
    }
}

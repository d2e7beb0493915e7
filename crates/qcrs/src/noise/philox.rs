//! Which random words belong to this address?
//!
//! Philox4x32-10 (Salmon, Moraes, Dror & Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011):
//! a bijection of 128-bit counters, chosen by a 64-bit key. Distinct counters under one key
//! therefore never give the same four words.

const MULTIPLIERS: [u64; 2] = [0xD251_1F53, 0xCD9E_8D57];
const WEYL: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];
const ROUNDS: usize = 10;
const LOW: u64 = 0xFFFF_FFFF;

/// The four words at `counter` under `key`; equal to Random123's `philox4x32` with 10 rounds.
///
/// A word lives in the low half of a `u64`, and what a product leaves in the high half is
/// masked only where it would matter: a loop over counters then becomes a vector multiply,
/// shift and exclusive or per word and round, without a single shuffle.
#[inline(always)]
pub(super) fn philox4x32(counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
    let [mut c0, mut c1, mut c2, mut c3] = counter.map(u64::from);
    let [mut k0, mut k1] = key;
    for _ in 0..ROUNDS {
        let p0 = (c0 & LOW) * MULTIPLIERS[0];
        let p1 = (c2 & LOW) * MULTIPLIERS[1];
        (c0, c1, c2, c3) = ((p1 >> 32) ^ c1 ^ u64::from(k0), p1, (p0 >> 32) ^ c3 ^ u64::from(k1), p0);
        k0 = k0.wrapping_add(WEYL[0]);
        k1 = k1.wrapping_add(WEYL[1]);
    }
    [c0 as u32, c1 as u32, c2 as u32, c3 as u32]
}

#[cfg(test)]
mod tests {
    use super::philox4x32;

    #[test]
    fn agrees_with_the_known_answers_of_random123() {
        let cases = [
            ([0; 4], [0; 2], [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]),
            ([u32::MAX; 4], [u32::MAX; 2], [0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd]),
            (
                [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344],
                [0xa4093822, 0x299f31d0],
                [0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1],
            ),
        ];
        for (counter, key, words) in cases {
            assert_eq!(philox4x32(counter, key), words, "counter {counter:x?}, key {key:x?}");
        }
    }
}

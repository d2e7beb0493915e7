//! How far out can a normal lie?
//!
//! A 32-bit uniform ends at 6.76σ and is coarse long before. One radius in 2¹⁶ falls below
//! [`TAIL`](super::normal::TAIL); its uniform gets 32 more bits, which reach 9.49σ (a chance of 2⁻⁶⁴).

use super::normal::{halve, root};

/// √(−2 ln u) for u = (word·2³² + more + ½) / 2⁶⁴ with a `word` below [`TAIL`](super::normal::TAIL);
/// relative error at most 2e-7.
pub(super) fn tail_radius(word: u32, more: u32) -> f32 {
    let y = (u64::from(word) << 32 | u64::from(more)) as f32 + 0.5;
    let (halvings, w) = halve(y, 64);
    root(halvings, w)
}

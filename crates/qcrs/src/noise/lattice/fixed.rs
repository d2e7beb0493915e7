//! How are numbers below 256 multiplied with 120 bits after the point, to the same bits on every machine?

/// 1.
pub(super) const ONE: u128 = 1 << 120;

/// The product of two numbers, rounded down.
pub(super) fn mul(a: u128, b: u128) -> u128 {
    const LOW: u128 = (1 << 64) - 1;
    let [(a1, a0), (b1, b0)] = [a, b].map(|x| (x >> 64, x & LOW));
    let (low, high) = (a0 * b0, a1 * b1);
    let (one, other) = (a0 * b1, a1 * b0);
    let middle = (low >> 64) + (one & LOW) + (other & LOW);
    let high = high + (one >> 64) + (other >> 64) + (middle >> 64);
    (high << 8) | ((middle & LOW) >> 56)
}

/// 1 / (m · 2^exponent) for a quotient below 1, rounded down. `m` has at most 100 bits.
pub(super) fn reciprocal(m: u128, exponent: i32) -> u128 {
    let (mut rest, mut quotient) = (1_u128, 0_u128);
    for _ in 0..120 - exponent {
        rest <<= 1;
        quotient <<= 1;
        if rest >= m {
            rest -= m;
            quotient |= 1;
        }
    }
    quotient
}

/// exp(−x) for x ≤ 2⁻¹²: the terms of the series end below 2⁻¹²⁰.
pub(super) fn exp_minus(x: u128) -> u128 {
    let (mut sum, mut term) = (ONE, ONE);
    for n in 1..10 {
        term = mul(term, x) / n;
        if n % 2 == 1 {
            sum -= term;
        } else {
            sum += term;
        }
    }
    sum
}

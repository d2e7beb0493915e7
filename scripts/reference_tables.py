"""Writes the reference tables that crates/qcrs/tests/golden_statistics.rs compares with.

    python scripts/reference_tables.py [folder]        needs mpmath and scipy; a few minutes

Every true value is found with at least 50 digits and written as two numbers that hold it to
about 20: `down`, the largest double not above it, and `ulps`, how far it lies above `down` in
units of the step to the next double. So "never above the truth" is an exact comparison.

The tails are summed term by term in 320-bit fixed point: not the way the Rust code does it.
scipy only gives the first guess of each root.
"""

import csv
import gzip
import io
import math
import random
import sys
from pathlib import Path

from mpmath import mp, mpf
from scipy import special, stats

mp.dps = 75
BITS = 320
NS = [1, 2, 9, 10, 11, 66, 100, 500, 1000, 9999, 10_000, 100_000, 1_000_000, 10_000_000]
ALPHAS = [0.1, 0.05, 0.01, 0.001, 0.00025, 1e-4, 1e-6]


def split(x):
    """The truth x as (down, ulps)."""
    down = float(x)
    if abs(x - mpf(down)) < mpf(10) ** -45 * abs(x):  # a double itself, but for our last digits
        return repr(down), "0.0000"
    if mpf(down) > x:
        down = math.nextafter(down, -math.inf)
    step = mpf(math.nextafter(down, math.inf)) - mpf(down)
    ulps = float((x - mpf(down)) / step)
    return repr(down), f"{min(ulps, 0.9999):.4f}"


def ln_choose(n, k):
    return mp.loggamma(n + 1) - mp.loggamma(k + 1) - mp.loggamma(n - k + 1)


def outer_tail(k, n, p):
    """P(Bin(n, p) >= k) and P(Bin(n, p) = k), for k not below the mean."""
    p = mpf(p)
    pmf = mp.exp(ln_choose(n, k) + (k * mp.log(p) if k else 0) + ((n - k) * mp.log1p(-p) if k < n else 0))
    odds = int(mp.floor(mp.ldexp(p / (1 - p), BITS))) if p < 1 else 0
    total = term = 1 << BITS
    for j in range(k, n):
        term = (term * odds >> BITS) * (n - j) // (j + 1)
        if term < 1 << 60:
            break
        total += term
    return pmf * mp.ldexp(mpf(total), -BITS), pmf


def upper_tail(k, n, p):
    p = mpf(p)
    if k <= 0:
        return mpf(1)
    if k > n:
        return mpf(0)
    if k >= n * p:
        return outer_tail(k, n, p)[0]
    return 1 - outer_tail(n - k + 1, n, 1 - p)[0]


def lower_bound(k, n, alpha, cache):
    """The Clopper-Pearson lower bound: Newton on ln P against ln p."""
    key = (k, n, alpha)
    if key not in cache:
        cache[key] = solve(k, n, mpf(alpha))
    return cache[key]


def solve(k, n, alpha):
    if k == 0:
        return mpf(0)
    if k == n:
        return alpha ** (mpf(1) / n)
    p = mpf(float(special.betaincinv(k, n - k + 1, float(alpha))))
    for _ in range(60):
        tail, pmf = outer_tail(k, n, p)
        step = mp.log(tail / alpha) * tail / (k * pmf)
        p *= mp.exp(-step)
        if abs(step) < mpf(10) ** -30:  # the next error is its square
            return p
    raise SystemExit(f"no root for {k} of {n} at {alpha}")


def counts(n, alpha):
    first = int(stats.binom.isf(alpha, n, 0.5)) + 1
    some = [0, 1, 2, n // 100, n // 10, n // 3, n // 2 - 1, n // 2, n // 2 + 1, first - 1, first, first + 1]
    some += [3 * n // 4, n * 9 // 10, n * 99 // 100, n * 999 // 1000, n - 2, n - 1, n]
    return sorted({k for k in some if 0 <= k <= n})


def write(folder, name, header, rows):
    text = io.StringIO()
    out = csv.writer(text, lineterminator="\n")
    out.writerow(header)
    out.writerows(rows)
    path = folder / f"{name}.gz"
    path.write_bytes(gzip.compress(text.getvalue().encode(), mtime=0))  # the same bytes every time
    print(f"{path.name}: {path.stat().st_size} bytes")


def clopper_pearson():
    cache = {}
    for n in NS:
        for alpha in ALPHAS:
            for k in counts(n, alpha):
                lower = lower_bound(k, n, alpha, cache)
                upper = 1 - lower_bound(n - k, n, alpha, cache)
                yield [n, k, alpha, *split(lower), *split(upper)]


def normal():
    def quantile(p):
        q = min(mpf(p), 1 - mpf(p))
        x = mpf(float(special.ndtri(float(q))))
        for _ in range(60):
            cdf = mp.erfc(-x / mp.sqrt(2)) / 2
            step = mp.log(cdf / q) * cdf / (mp.exp(-x * x / 2) / mp.sqrt(2 * mp.pi))
            x -= step
            if abs(step) < mpf(10) ** -30:
                return x if mpf(p) <= mpf(1) / 2 else -x
        raise SystemExit(f"no quantile of {p}")

    draw = random.Random(1)
    ps = {10.0**-e for e in range(1, 301, 6)} | {10.0**-e for e in range(1, 21)}
    ps |= {1 - 10.0**-e for e in range(1, 17)} | {math.nextafter(1, 0), 1e-305, 1e-315, 5e-324}
    ps |= {0.5 + s * 2.0**-e for e in range(2, 53, 3) for s in (1, -1)} | {math.nextafter(0.5, 0)}
    ps |= {draw.random() for _ in range(150)} | {1 - 10 ** -draw.uniform(0.3, 15) for _ in range(200)}
    ps |= {10 ** -draw.uniform(0.3, 300) for _ in range(100)}
    for p in sorted(ps - {0.5, 0.0, 1.0}):
        yield ["quantile", repr(p), *split(quantile(p))]
    xs = {draw.uniform(-4, 4) for _ in range(250)} | {draw.uniform(-37.5, 8) for _ in range(150)}
    xs |= {s * 10.0**-e for e in range(0, 18, 2) for s in (1, -1)} | {float(x) for x in range(-37, 9)}
    for x in sorted(xs | {1.0, -1.0, math.nextafter(1, 0), math.nextafter(-1, 0)}):
        yield ["cdf", repr(x), *split(mp.erfc(-mpf(x) / mp.sqrt(2)) / 2)]


def binomial_tail():
    draw = random.Random(2)
    sizes = NS[1:] * 80 + [1_000_000_000] * 6
    for i, n in enumerate(sizes):
        p = draw.choice([draw.random(), draw.random(), 1 - 10 ** -draw.uniform(0, 6), 10 ** -draw.uniform(0, 6), 0.5])
        z = draw.uniform(-6, 6) if i % 4 else draw.uniform(-36, 36)
        k = round(n * p + z * math.sqrt(n * p * (1 - p)))
        if not 0 <= k <= n or not 0 < p < 1:
            continue
        upper, lower = upper_tail(k, n, p), 1 - upper_tail(k + 1, n, p)
        if k < n * mpf(p):
            lower = outer_tail(n - k, n, 1 - mpf(p))[0]
        if min(upper, lower) > 1e-300:
            yield [n, k, repr(p), *split(upper), *split(lower)]


def binomial_test():
    pairs = {(67, 33), (66, 34), (553, 447), (10, 0), (11, 0), (1, 0), (0, 1), (1, 1), (2, 1), (500, 500)}
    for n in [3, 10, 100, 101, 1000, 9999, 100_000, 1_000_000, 10_000_000]:
        for z in (0, 0.3, 1, 2, 3, 3.3, 4, 6, 10, 20):
            k = min(n, math.ceil(n / 2 + z * math.sqrt(n) / 2))
            pairs |= {(k, n - k), (n - k, k)}
    for n1, n2 in sorted(pairs):
        n, k = n1 + n2, max(n1, n2)
        yield [n1, n2, *split(min(mpf(1), 2 * upper_tail(k, n, mpf(1) / 2)))]


if __name__ == "__main__":
    home = Path(__file__).resolve().parent.parent / "crates/qcrs/tests/data"
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else home
    truth = ["down", "ulps"]
    write(target, "normal.csv", ["function", "argument", *truth], normal())
    write(target, "binomial_test.csv", ["n1", "n2", *truth], binomial_test())
    both = ["upper_down", "upper_ulps", "lower_down", "lower_ulps"]
    write(target, "binomial_tail.csv", ["n", "k", "p", *both], binomial_tail())
    bounds = ["lower_down", "lower_ulps", "upper_down", "upper_ulps"]
    write(target, "clopper_pearson.csv", ["n", "k", "alpha", *bounds], clopper_pearson())

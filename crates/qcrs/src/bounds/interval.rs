//! Between which values does a share lie?

use super::{clopper_pearson_lower, clopper_pearson_upper};
use crate::types::{Alpha, Error};

/// The Clopper-Pearson interval of a share that was seen `k` times in `n`: it contains the true share with
/// probability at least 1 − α, because each end is wrong with probability at most α/2.
pub fn proportion_interval(k: u64, n: u64, alpha: Alpha) -> Result<(f64, f64), Error> {
    let each = alpha.share(2);
    Ok((clopper_pearson_lower(k, n, each)?, clopper_pearson_upper(k, n, each)?))
}

#[cfg(test)]
#[allow(clippy::float_cmp)] // exact values are promised
mod tests {
    use super::*;

    #[test]
    fn each_end_pays_half() {
        let (low, high) = proportion_interval(10, 10, Alpha::new(0.05).unwrap()).unwrap();
        assert!((low - 0.025_f64.powf(0.1)).abs() < 1e-14, "{low}");
        assert_eq!(high, 1.0);
        assert!(proportion_interval(1, 0, Alpha::new(0.05).unwrap()).is_err());
    }
}

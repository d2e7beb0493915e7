//! How many forward passes does each method take?

use crate::method::METHODS;
use crate::settings::Settings;
use crate::types::{Error, Sigma};

/// What one input costs with one method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MethodCost {
    /// The name of the method.
    pub method: &'static str,
    /// The forward passes of one input. If the method searches, it may take fewer.
    pub passes: u64,
    /// Whether the method gives every input the same σ under Gaussian noise, so that its radii hold for a
    /// classifier that can be deployed.
    pub deployable: bool,
    /// Whether the method looks for a σ first, so that `passes` is the most that it takes.
    pub searches: bool,
}

/// The costs of all methods that work for inputs of `dim` values, with noise around `sigma` and certificates of
/// `n` draws.
pub fn costs(sigma: Sigma, n: u32, dim: usize) -> Result<Vec<MethodCost>, Error> {
    let settings = |name: &str| Settings::new().with("method", name).with("sigma", sigma.get()).with("n", n);
    let n0 = Settings::new().budget()?.n0();
    let cost = |name: &'static str| {
        // some methods have no settings for very small inputs
        let facts = settings(name).method(Some(dim)).ok()?.facts();
        let deployable = facts.has_one_sigma && facts.other_law.is_none();
        Some(MethodCost { method: name, passes: facts.passes(n0, n), deployable, searches: facts.search > 0 })
    };
    Ok(METHODS.iter().filter_map(|method| cost(method.name)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_has_its_costs() {
        let all = costs(Sigma::new(0.25).unwrap(), 1000, 3072).unwrap();
        assert_eq!(all.len(), METHODS.len());
        let of = |name: &str| *all.iter().find(|cost| cost.method == name).unwrap();
        let cohen = MethodCost { method: "cohen", passes: 1100, deployable: true, searches: false };
        assert_eq!(of("cohen"), cohen);
        for method in ["qcrs", "probe", "grid"] {
            let cost = of(method);
            assert!(cost.passes > 1100 && cost.searches && !cost.deployable, "{cost:?}");
        }
        assert!(!of("dsrs").deployable, "predictions do not draw its noise");
        let deployable = all.iter().filter(|cost| cost.deployable).min_by_key(|cost| cost.passes);
        assert_eq!(deployable, Some(&cohen));
    }
}

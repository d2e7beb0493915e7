//! How do gradients move the weights?
//!
//! Our own, because a training that resumes on the same curve must save the velocities, and
//! libtorch's optimiser keeps them to itself.

use crate::network::Network;
use crate::recipe::TrainingSettings;
use std::collections::BTreeMap;
use tch::Tensor;

/// Stochastic gradient descent with momentum, as PyTorch defines it:
/// d = ∇ + decay·w, v ← momentum·v + d, w ← w − rate·v, or with Nesterov's w ← w − rate·(d + momentum·v).
pub(crate) struct Sgd {
    pub(crate) momentum: f64,
    pub(crate) nesterov: bool,
    pub(crate) weight_decay: f64,
    /// By the weight's name.
    pub(crate) velocities: BTreeMap<String, Tensor>,
}

impl Sgd {
    pub(crate) fn new(network: &Network, settings: &TrainingSettings) -> Self {
        let &TrainingSettings { momentum, nesterov, weight_decay, .. } = settings;
        let trained = network.weights().into_iter().filter(|weight| weight.role.is_trained());
        let velocities = trained.map(|weight| {
            let still = network.tensor(&weight.name).detach().zeros_like();
            (weight.name, still)
        });
        Self { momentum, nesterov, weight_decay, velocities: velocities.collect() }
    }

    /// Moves the weights down the gradient of `loss`.
    pub(crate) fn step(&mut self, network: &Network, loss: &Tensor, rate: f64) {
        loss.backward();
        tch::no_grad(|| {
            for (name, velocity) in &mut self.velocities {
                let mut weight = network.tensor(name);
                let slope = weight.grad() + &weight * self.weight_decay;
                *velocity *= self.momentum;
                *velocity += &slope;
                let direction =
                    if self.nesterov { slope + &*velocity * self.momentum } else { velocity.shallow_clone() };
                weight -= direction * rate;
                weight.zero_grad();
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::architecture::Architecture;
    use crate::recipe::gaussian;
    use tch::{Device, Kind};

    #[test]
    fn two_steps_are_those_of_the_formula() {
        let (rate, momentum, weight_decay) = (0.1, 0.5, 0.25);
        for nesterov in [true, false] {
            let network = Network::new(Architecture::SmallCnn, 2, 0, Device::Cpu);
            let recipe = gaussian::short(Architecture::SmallCnn, 0.25);
            let settings = TrainingSettings { momentum, nesterov, weight_decay, ..recipe };
            let mut w = f64::from(network.values("fc.bias")[0]);
            let mut sgd = Sgd::new(&network, &settings);
            let mut v = 0.0;
            for _ in 0..2 {
                // the sum of all trained weights, thrice: every slope is 3
                let sums = sgd.velocities.keys().map(|name| network.tensor(name).sum(Kind::Float) * 3.0);
                let loss: Tensor = sums.reduce(|sum, next| sum + next).unwrap();
                sgd.step(&network, &loss, rate);
                let d = 3.0 + weight_decay * w;
                v = momentum * v + d;
                w -= rate * if nesterov { d + momentum * v } else { v };
                let found = f64::from(network.values("fc.bias")[0]);
                assert!((found - w).abs() < 1e-6, "{found} instead of {w}");
            }
            assert_eq!(network.values("bn1.running_mean"), [0.0; 16]);
        }
    }
}

//! How do gradients move the weights?
//!
//! Our own, because a training that resumes on the same curve must save the velocities, and
//! libtorch's optimiser keeps them to itself.

use crate::network::Network;
use std::collections::BTreeMap;
use tch::Tensor;

/// Stochastic gradient descent with Nesterov momentum, as PyTorch defines it:
/// d = ∇ + decay·w, v ← momentum·v + d, w ← w − rate·(d + momentum·v).
pub(crate) struct Sgd {
    pub(crate) momentum: f64,
    pub(crate) weight_decay: f64,
    /// By the weight's name.
    pub(crate) velocities: BTreeMap<String, Tensor>,
}

impl Sgd {
    pub(crate) fn new(network: &Network, momentum: f64, weight_decay: f64) -> Self {
        let trained = network.weights().into_iter().filter(|weight| weight.role.is_trained());
        let velocities = trained.map(|weight| {
            let still = network.tensor(&weight.name).detach().zeros_like();
            (weight.name, still)
        });
        Self { momentum, weight_decay, velocities: velocities.collect() }
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
                weight -= (slope + &*velocity * self.momentum) * rate;
                weight.zero_grad();
            }
        });
    }
}

//! What several tests of the networks share.

use nets::{Layer, Topology, ValueNet};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// A random network whose biases are not zero and whose output is not small, so that every parameter matters.
pub fn lively_net(topology: Topology, seed: u64) -> ValueNet {
    let mut net = ValueNet::random(topology, seed);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(!seed);
    for layer in Layer::ALL {
        let (weights, bias) = net.params_mut().layer_mut(layer);
        bias.fill_with(|| (rng.next_u64() % 64) as f32 / 640.0);
        if layer == Layer::Output {
            weights.iter_mut().for_each(|weight| *weight *= 10.0);
        } else {
            weights.iter_mut().for_each(|weight| *weight *= 0.3);
        }
    }
    net
}

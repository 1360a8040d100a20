//! What several tests of the networks share.

use board::Position;
use kernels::{Isa, Kernels};
use nets::{Layer, Topology, ValueNet};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// A random network whose biases are not zero and whose output is not small, so that every parameter matters.
pub fn lively_net(topology: impl Into<Topology>, seed: u64) -> ValueNet {
    let mut net = ValueNet::random(topology, seed);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(!seed);
    for layer in Layer::NETWORK {
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

/// All kernels of this machine.
pub fn kernel_sets() -> impl Iterator<Item = &'static Kernels> {
    Isa::ALL.into_iter().filter_map(|isa| Kernels::for_isa(isa).ok())
}

/// Positions of random games of at most 200 plies, every third ply.
pub fn positions(seed: u64, count: usize) -> Vec<Position> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut positions = Vec::with_capacity(count);
    loop {
        let mut position = Position::start();
        for ply in 0..200 {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            position = position.play(moves[(rng.next_u64() % moves.len() as u64) as usize]);
            if ply % 3 == 0 {
                if positions.len() == count {
                    return positions;
                }
                positions.push(position.clone());
            }
        }
    }
}

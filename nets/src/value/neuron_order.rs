//! The search for a good neuron permutation, made when a network is exported.
//!
//! Outputs of a group are paired by how often they are positive at the same time, in positions of random games that are
//! always the same.

use std::sync::LazyLock;

use board::Position;
use kernels::Kernels;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::batch::ValueBatch;
use super::batch_weights::ValueBatchWeights;
use super::forward::ValueNet;
use super::topology::NetworkTopology;
use crate::layers::BATCH;
use crate::permutation::Permutation;

/// The number of random games, their length in plies, and the plies from one position that counts to the next.
const GAMES: u64 = 32;
const PLIES: usize = 60;
const EVERY: usize = 6;

/// The positions in which an output is positive, one bit each.
type Active = Vec<u64>;

impl ValueNet {
    /// Stores outputs of the first layers that are active together as neighbors from now on, which makes the quantized
    /// network faster. It takes as long as thousands of evaluations.
    pub fn order_neurons(&mut self, kernels: &'static Kernels) {
        if self.params().topology().network().is_some() {
            self.set_permutation(permutation(self, kernels));
        }
    }
}

/// A permutation in which pairs of outputs that are active together begin at even places.
pub fn permutation(net: &ValueNet, kernels: &'static Kernels) -> Permutation {
    let active = active(net, kernels);
    let mut order = Vec::with_capacity(active.len());
    let mut number = 0;
    let groups = net.params().topology().groups();
    for (_, outputs) in groups {
        let mut left: Vec<usize> = (number..number + outputs).collect();
        number += outputs;
        left.sort_by_cached_key(|&output| active[output].iter().map(|word| word.count_ones()).sum::<u32>());
        // The least active outputs are the partner of the last output of the group before, and the last of this group
        // if their number is odd.
        if !order.len().is_multiple_of(2) && !left.is_empty() {
            order.push(left.remove(0));
        }
        let single = if left.len().is_multiple_of(2) { None } else { Some(left.remove(0)) };
        while let Some(one) = left.pop() {
            order.push(one);
            let both = |other: usize| -> u32 {
                active[one].iter().zip(&active[other]).map(|(one, other)| (one & other).count_ones()).sum()
            };
            let partner = (0..left.len()).max_by_key(|&place| both(left[place]));
            order.extend(partner.map(|place| left.remove(place)));
        }
        order.extend(single);
    }
    Permutation::new(order, groups).unwrap_or_else(|| Permutation::identity(groups))
}

/// `(output)`: the positions in which each output of the first layers is positive.
fn active(net: &ValueNet, kernels: &'static Kernels) -> Vec<Active> {
    let topology = net.params().topology();
    let outputs = topology.network().map_or(0, NetworkTopology::first_outputs);
    let (mut batch, weights) = (ValueBatch::new(topology, kernels), ValueBatchWeights::new(net));
    let mut active = vec![Active::new(); outputs];
    for positions in POSITIONS.chunks(BATCH) {
        batch.fill(positions.iter());
        batch.forward(&weights);
        active.iter_mut().zip(batch.first_active()).for_each(|(active, bits)| active.extend(bits));
    }
    active
}

/// Positions of random games, always the same.
static POSITIONS: LazyLock<Vec<Position>> = LazyLock::new(|| {
    let mut positions = Vec::new();
    for seed in 0..GAMES {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut position = Position::start();
        for ply in 0..PLIES {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            position = position.play(moves[(random.next_u64() % moves.len() as u64) as usize]);
            if ply % EVERY == 0 {
                positions.push(position.clone());
            }
        }
    }
    positions
});

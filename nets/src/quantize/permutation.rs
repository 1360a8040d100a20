//! The order of the first layers' outputs: those that are active together stand together.
//!
//! The hidden layer skips pairs of zeros, and there are the more of them the more often the two of a pair are positive
//! at the same time. So the outputs of a group are paired by when they are, in some positions of random games. The
//! order changes nothing but the speed: integer sums have the same value in any order.

use std::sync::LazyLock;

use board::Position;
use feature_maps::Features;
use feature_maps::layout::INPUTS;
use kernels::Kernels;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use crate::value::batch::{BATCH, ValueBatch};
use crate::value::batch_weights::ValueBatchWeights;
use crate::value::forward::ValueNet;

/// Random games, how long they are in plies, and of how many plies one is looked at.
const GAMES: u64 = 32;
const PLIES: usize = 60;
const EVERY: usize = 6;

/// In which of the positions an output is positive, one bit each.
type Active = Vec<u64>;

/// The numbers of all first outputs, one group (global, piece, square) after the other, such that pairs begin at even
/// places.
pub fn order(net: &ValueNet, kernels: &'static Kernels) -> Vec<usize> {
    let active = active(net, kernels);
    let mut order = Vec::with_capacity(active.len());
    let mut number = 0;
    for (_, outputs) in net.params().topology().groups() {
        let mut left: Vec<usize> = (number..number + outputs).collect();
        number += outputs;
        left.sort_by_cached_key(|&output| active[output].iter().map(|word| word.count_ones()).sum::<u32>());
        // The partner of another group's last output, and perhaps of the next one's first, are the least active.
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
    order
}

/// `(output)`: when each first output is positive.
fn active(net: &ValueNet, kernels: &'static Kernels) -> Vec<Active> {
    let topology = net.params().topology();
    let (mut batch, weights) = (ValueBatch::new(topology, kernels), ValueBatchWeights::new(net));
    let mut active = vec![Active::new(); topology.first_outputs()];
    for positions in POSITIONS.chunks(BATCH) {
        batch.begin(positions.len()).copy_from_slice(positions);
        batch.forward(&weights);
        active.iter_mut().zip(batch.first_active()).for_each(|(active, bits)| active.push(bits));
    }
    active
}

/// Positions of random games, always the same: a training run orders its net's outputs anew now and then.
static POSITIONS: LazyLock<Vec<Features>> = LazyLock::new(|| {
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
                let mut features = [0.0; INPUTS];
                feature_maps::extract(&position, &mut features);
                positions.push(features);
            }
        }
    }
    positions
});

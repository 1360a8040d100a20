//! Random number streams: everything random in a run is drawn from a generator that seed, iteration and index determine, so
//! that neither the thread that draws it nor an interruption of the run changes it.

use rand::{Rng, RngExt};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

/// The stream of one rollout of one iteration of a run.
pub fn stream(seed: u64, iteration: u64, index: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(mix(seed ^ mix(iteration ^ mix(index))))
}

/// Puts items into a random order.
///
/// CITE: Fisher and Yates; Durstenfeld 1964, Algorithm 235: Random Permutation.
pub fn shuffle<T>(items: &mut [T], random: &mut impl Rng) {
    for place in (1..items.len()).rev() {
        items.swap(place, random.random_range(0..=place));
    }
}

/// The numbers below `count` in a random order.
pub fn shuffled(count: usize, random: &mut impl Rng) -> Vec<u32> {
    let mut order: Vec<u32> = (0..count as u32).collect();
    shuffle(&mut order, random);
    order
}

/// A bijection of 64 bits in which every input bit moves half of the output's.
/// CITE: Steele, Lea and Flood 2014, Fast Splittable Pseudorandom Number Generators: SplitMix64.
pub(crate) fn mix(number: u64) -> u64 {
    let z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn neighbors_have_streams_of_their_own_and_a_name_has_one() {
        let mut seen = HashSet::new();
        for seed in 0..10 {
            for iteration in 0..10 {
                for index in 0..10 {
                    assert!(seen.insert(stream(seed, iteration, index).next_u64()));
                }
            }
        }
        assert!(seen.contains(&stream(3, 4, 5).next_u64()));
    }
}

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
    use std::collections::{HashMap, HashSet};

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

    #[test]
    fn a_number_is_mixed_as_splitmix64_does_it() {
        // The published first numbers of the generator with the seeds 0 and 1234567; its state grows by the golden ratio.
        let numbers =
            |seed: u64| [0, 1, 2].map(|step: u64| mix(seed.wrapping_add(step.wrapping_mul(0x9e37_79b9_7f4a_7c15))));
        assert_eq!(numbers(0), [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4, 0x06c4_5d18_8009_454f]);
        assert_eq!(
            numbers(1_234_567),
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }

    #[test]
    fn a_stream_stays_what_it_is() {
        // By another implementation of SplitMix64 and xoshiro256++. Another stream would change every training.
        let first_two = |seed, iteration, index| {
            let mut random = stream(seed, iteration, index);
            [random.next_u64(), random.next_u64()]
        };
        assert_eq!(first_two(1, 2, 3), [0x369b_be4d_0611_d5f6, 0xd8cb_15fb_b88a_488c]);
        assert_eq!(first_two(3, 2, 1), [0x4986_6c4a_fe18_581f, 0xf7ea_9df3_522e_c45d]);
        assert_eq!(first_two(7, 11, u64::MAX), [0x2f0c_f32e_598f_878e, 0x044f_43d4_8594_4b04]);
    }

    #[test]
    fn every_order_is_as_likely() {
        let mut counts = HashMap::new();
        for index in 0..6_000 {
            *counts.entry(shuffled(3, &mut stream(1, 1, index))).or_insert(0) += 1;
        }
        // Six orders of 1,000 each; a deviation of 150 is more than five times the standard one.
        assert_eq!(counts.len(), 6);
        assert!(counts.values().all(|count| (850..1_150).contains(count)), "{counts:?}");
        assert!(counts.keys().all(|order| order.iter().sum::<u32>() == 3 && order.contains(&0) && order.contains(&2)));
    }
}

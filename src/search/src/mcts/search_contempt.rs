//! Search-contempt: the opponent is expected to play as it would after few visits.
//!
//! At the player's own nodes, an even number of plies from the root, PUCT decides always. At the opponent's it decides until their
//! moves have `N_scl` visits; then the distribution of these visits is frozen, and from then on a move is drawn from it, however
//! the values change, which go on being averaged:
//!
//! ```text
//! P(a) = N_scl(a) / sum of N_scl(b)
//! ```
//! So the search looks for positions that are misjudged at first sight. `N_scl` = infinity is PUCT.
//!
//! The draws of a visit are a stream of its own, named by seed, root and number of the visit, and taken in the order of its plies.
// CITE: Joshi, "Search-contempt", 2025, equations 4 to 6.

use crate::mcts::arena::Arena;
use crate::mcts::edges::Edges;
use board::MAX_MOVES;
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::sync::atomic::Ordering::Relaxed;

/// The limit that is never reached: PUCT.
pub const INFINITE: u32 = 1_000_000_000;

/// The draws of one visit.
pub struct Draws(SplitMix64);

impl Draws {
    /// In place of a visit's number: what the move that is played is drawn by.
    pub const PLAYED: u64 = u64::MAX;
    /// In place of a visit's number: the noise of the root.
    pub const NOISE: u64 = u64::MAX - 1;

    /// Those of a visit of a root with this key.
    pub fn of(seed: u64, root: u64, visit: u64) -> Self {
        // Each is the next state of a generator that the others have not.
        let named = next(next(seed) ^ root) ^ visit;
        Self(SplitMix64::from_seed(named.to_le_bytes()))
    }

    /// A number below `most`.
    #[inline]
    pub fn below(&mut self, most: u32) -> u32 {
        ((u128::from(self.0.next_u64()) * u128::from(most)) >> 64) as u32
    }

    /// A number from 0 to 1, 1 excluded.
    pub fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// The first number of the stream of a seed.
fn next(seed: u64) -> u64 {
    SplitMix64::from_seed(seed.to_le_bytes()).next_u64()
}

/// A move of an opponent's node, drawn from its frozen visits, which are frozen now if they were not. `None` if there are none,
/// or no room for them.
#[inline]
pub fn draw(arena: &Arena, edges: Edges, draws: &mut Draws) -> Option<usize> {
    let counts = match edges.frozen(arena) {
        Some(counts) => counts,
        None => {
            let mut cumulative = arrayvec::ArrayVec::<u32, MAX_MOVES>::new();
            for (child, _) in edges.visited(arena) {
                cumulative.push(cumulative.last().unwrap_or(&0) + child.visits());
            }
            edges.freeze(arena, &cumulative)?
        }
    };
    let all = counts.last()?.load(Relaxed);
    if all == 0 {
        return None;
    }
    let drawn = draws.below(all);
    Some(counts.partition_point(|count| count.load(Relaxed) <= drawn))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcts::edges::edge_units;
    use crate::mcts::node::Gain;

    #[test]
    fn moves_are_drawn_as_often_as_they_were_visited_when_frozen() {
        let arena = Arena::with_bytes(0).unwrap();
        let edges = Edges::start(&arena, arena.allocate(edge_units(6)).unwrap(), 6);
        let visits = [10, 7, 0, 5, 5, 1];
        // The third was begun by another thread and has no value yet.
        for (number, count) in visits.into_iter().enumerate() {
            let child = edges.child_or_allocate(&arena, number).unwrap();
            child.begin_visit();
            (0..count).for_each(|_| child.add_visit(Gain::default(), true));
        }
        let (mut counts, all) = ([0_u32; 6], 60_000);
        for visit in 0..all {
            counts[draw(&arena, edges, &mut Draws::of(7, 0x1234_5678, visit)).unwrap()] += 1;
            // What is visited later does not matter.
            edges.child(&arena, 5).unwrap().add_visit(Gain::default(), true);
        }
        let total: u32 = visits.iter().sum();
        let chi_square: f64 = counts
            .iter()
            .zip(visits)
            .filter(|(_, visits)| *visits > 0)
            .map(|(count, visits)| {
                let expected = all as f64 * f64::from(visits) / f64::from(total);
                (f64::from(*count) - expected).powi(2) / expected
            })
            .sum();
        // 4 degrees of freedom: above 18.5 in one of 1,000 seeds.
        assert!(chi_square < 18.5 && counts[2] == 0, "{chi_square} {counts:?}");
    }

    #[test]
    fn streams_are_named() {
        let first = |seed, root, visit| Draws::of(seed, root, visit).below(1 << 30);
        assert_eq!(first(1, 2, 3), first(1, 2, 3));
        let others = [first(0, 2, 3), first(1, 3, 3), first(1, 2, 4), first(2, 1, 3), first(3, 2, 1)];
        assert!(others.iter().all(|other| *other != first(1, 2, 3)), "{others:?}");
        let mut draws = Draws::of(0, 0, 0);
        assert!((0..1_000).all(|_| (0.0..1.0).contains(&draws.unit())));
        assert!((0..1_000).any(|_| draws.below(2) == 1) && (0..1_000).all(|_| draws.below(1) == 0));
    }
}

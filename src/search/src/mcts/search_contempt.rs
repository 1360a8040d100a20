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

use crate::draws::Draws;
use crate::mcts::arena::Arena;
use crate::mcts::edges::Edges;
use crate::shared_memory::atomic::Ordering::Relaxed;
use board::MAX_MOVES;

/// The limit that is never reached: PUCT.
pub const INFINITE: u32 = 1_000_000_000;

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
}

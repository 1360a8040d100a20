//! PUCT: the move of a visit is the one with the greatest upper confidence bound, by the priors.
//!
//! For the side to move, with N the visits of the node, n of the move's, `Q` their mean value and `P` the prior:
//!
//! ```text
//! Q + c(N) P sqrt(N - 1) / (1 + n),     c(N) = init + factor ln((N + base) / base)
//! Q of a move that was never visited = that of the node - reduction sqrt(sum of P of the visited moves)
//! ```
//! N - 1 is the sum of the moves' visits, because a node's first visit goes to none of them. Of several threads, visits under way count as
//! visits whose value is the mean, so that threads go apart and none is taken for lost.
//!
//! A move that is proven lost is not visited any more, and one that is proven won need not be.
// CITE: Rosin, "Multi-armed bandits with episode context", 2011; Silver et al., "Mastering the game of Go without human knowledge",
// Nature 550, 2017, equation of PUCT; growth of c and first play urgency: Lc0's defaults. Visits under way: Liu et al., "Watch the
// unobserved", ICLR 2020.

use crate::mcts::arena::Arena;
use crate::mcts::edges::Edges;
use crate::mcts::node::Node;
use crate::mcts::proof::Proof;
use crate::tunables as tuned;

/// The exploration of a node with so many visits: the factor of `P / (1 + n)`.
#[inline]
pub fn exploration(visits: u32) -> f64 {
    let (visits, base) = (f64::from(visits), tuned::mcts_exploration_base());
    let c = tuned::mcts_exploration() + tuned::mcts_exploration_growth() * libm::log((visits + base) / base);
    c * (visits - 1.0).max(1.0).sqrt()
}

/// The number of the move to visit; `None` if all are proven.
#[inline]
pub fn select(arena: &Arena, node: &Node, edges: Edges) -> Option<usize> {
    let exploration = exploration(node.started());
    let (mut best, mut greatest) = (None, f64::NEG_INFINITY);
    let (mut visited, mut visited_prior) = (0, 0.0);
    for (child, prior) in edges.visited(arena) {
        let prior = f64::from(prior);
        let score = exploration * prior / (1.0 + f64::from(child.started())) - child.value();
        if score > greatest && !matches!(child.proof(), Some(Proof::Win(_) | Proof::Loss(_))) {
            (best, greatest) = (Some(visited), score);
        }
        visited += 1;
        visited_prior += prior;
    }
    if visited < edges.len() {
        let urgency = node.value() - tuned::mcts_first_play_reduction() * visited_prior.sqrt();
        if urgency + exploration * f64::from(edges.prior(visited)) > greatest {
            best = Some(visited);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcts::arena::ROOT;
    use crate::mcts::edges::edge_units;
    use crate::mcts::node::{Gain, fixed};
    use board::Position;

    /// A root with moves of these priors.
    fn root(priors: &[f32]) -> Arena {
        let arena = Arena::with_bytes(0).unwrap();
        let index = arena.allocate(edge_units(priors.len())).unwrap();
        let edges = Edges::start(&arena, index, priors.len());
        for (number, (mv, prior)) in Position::start().legal_moves().into_iter().zip(priors).enumerate() {
            edges.write(number, mv, *prior);
        }
        arena.node(ROOT).set_edges(index);
        arena
    }

    fn edges(arena: &Arena) -> Edges<'_> {
        Edges::at(arena, arena.node(ROOT).edges())
    }

    /// A visit of a move, whose value is this for the side to move at the root.
    fn visit(arena: &Arena, number: usize, value: f32) {
        let child = edges(arena).child_or_allocate(arena, number).unwrap();
        child.add_visit(Gain { value: -fixed(value), draw: 0 }, true);
        arena.node(ROOT).add_visit(Gain { value: fixed(value), draw: 0 }, true);
    }

    fn select(arena: &Arena) -> Option<usize> {
        super::select(arena, arena.node(ROOT), edges(arena))
    }

    #[test]
    fn priors_come_first_and_values_win() {
        let arena = root(&[0.5, 0.3, 0.2]);
        arena.node(ROOT).add_visit(Gain::default(), true);
        assert_eq!(select(&arena), Some(0));
        visit(&arena, 0, -0.9);
        assert_eq!(select(&arena), Some(1), "a bad move");
        visit(&arena, 1, 0.9);
        for _ in 0..3 {
            assert_eq!(select(&arena), Some(1), "a good one");
            visit(&arena, 1, 0.9);
        }
        let counts = |arena: &Arena| edges(arena).visited(arena).map(|(child, _)| child.visits()).collect::<Vec<_>>();
        for _ in 0..4_000 {
            visit(&arena, select(&arena).unwrap(), if select(&arena) == Some(1) { 0.9 } else { -0.9 });
        }
        let visits = counts(&arena);
        assert!(visits.len() == 3 && visits[1] > 3_000 && visits[2] > 1, "{visits:?}");
        assert_eq!(visits.iter().sum::<u32>(), arena.node(ROOT).visits() - 1);
    }

    #[test]
    fn the_formula_is_that_of_the_specification() {
        assert!((exploration(1) - 1.745).abs() < 2e-4);
        let c = 1.745 + 3.894 * ((10_000.0_f64 + 38_739.0) / 38_739.0).ln();
        assert!((exploration(10_000) - c * 9_999.0_f64.sqrt()).abs() < 1e-9);
    }

    #[test]
    fn proven_moves_need_no_visits() {
        let arena = root(&[0.6, 0.4]);
        arena.node(ROOT).add_visit(Gain::default(), true);
        visit(&arena, 0, 0.0);
        edges(&arena).child(&arena, 0).unwrap().set_proof(Some(Proof::Win(3)));
        assert_eq!(select(&arena), Some(1));
        visit(&arena, 1, 0.0);
        edges(&arena).child(&arena, 1).unwrap().set_proof(Some(Proof::Draw));
        assert_eq!(select(&arena), Some(1));
        edges(&arena).child(&arena, 1).unwrap().set_proof(Some(Proof::Loss(2)));
        assert_eq!(select(&arena), None);
    }

    #[test]
    fn of_equal_moves_the_first_is_visited() {
        let arena = root(&[0.5, 0.5]);
        arena.node(ROOT).add_visit(Gain::default(), true);
        visit(&arena, 0, 0.0);
        visit(&arena, 1, 0.0);
        assert_eq!(select(&arena), Some(0));
    }
}

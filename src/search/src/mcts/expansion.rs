//! Expansion: a node that is visited a second time gets its moves, with priors by the policy.
//!
//! ```text
//! P = softmax(ln p / T)
//! ```
//! of the policy's probabilities `p`, at a temperature `T` that flattens them.

use crate::mcts::arena::Arena;
use crate::mcts::edges::{Edges, edge_units};
use crate::move_history::MoveHistory;
use crate::policy::{Policy, list_with_priors};
use crate::scored_move::{ScoredMoves, sort_by_prior};
use crate::tunables as tuned;
use arrayvec::ArrayVec;
use board::{MAX_MOVES, Move, Position};
use kernels::activations::softmax;

/// The list of the legal moves of a position, of those `among` unless that is empty, in the order of their priors, which `adjust` may
/// change before. `None` if there is no such move or the arena is full. Nobody knows the list yet.
pub fn expand<P: Policy>(
    arena: &Arena,
    policy: &P,
    history: &MoveHistory,
    position: &Position,
    among: &[Move],
    adjust: impl FnOnce(&mut ScoredMoves),
) -> Option<u32> {
    let mut moves = ScoredMoves::new();
    list_with_priors(policy, history, position, among, &mut moves);
    if moves.is_empty() {
        return None;
    }
    temper(&mut moves);
    adjust(&mut moves);
    sort_by_prior(&mut moves);
    let index = arena.allocate(edge_units(moves.len()))?;
    let edges = Edges::start(arena, index, moves.len());
    for (number, scored) in moves.iter().enumerate() {
        edges.write(number, scored.mv, scored.prior);
    }
    Some(index)
}

/// The priors at the temperature.
fn temper(moves: &mut ScoredMoves) {
    let temperature = tuned::mcts_prior_temperature();
    if temperature == 1.0 {
        return;
    }
    let logit = |prior: f32| libm::logf(prior.max(f32::MIN_POSITIVE)) / temperature;
    let mut priors: ArrayVec<f32, MAX_MOVES> = moves.iter().map(|scored| logit(scored.prior)).collect();
    softmax(&mut priors);
    moves.iter_mut().zip(priors).for_each(|(scored, prior)| scored.prior = prior.min(1.0));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{StaticPolicy, UniformPolicy};

    #[test]
    fn moves_are_listed_by_their_priors_which_sum_to_one() {
        let arena = Arena::with_bytes(0).unwrap();
        let history = MoveHistory::new();
        // 218 moves.
        let most = Position::from_fen("R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1").unwrap();
        for position in [Position::start(), most] {
            let index = expand(&arena, &StaticPolicy, &history, &position, &[], |_| {}).unwrap();
            let edges = Edges::at(&arena, index);
            assert_eq!(edges.len(), position.legal_moves().len());
            let priors: Vec<f32> = (0..edges.len()).map(|number| edges.prior(number)).collect();
            assert!(priors.is_sorted_by(|a, b| a >= b) && (priors.iter().sum::<f32>() - 1.0).abs() < 1e-3);
            assert!((0..edges.len()).all(|number| position.is_legal(edges.mv(number))));
        }
    }

    #[test]
    fn only_wanted_moves_are_listed() {
        let (arena, history) = (Arena::with_bytes(0).unwrap(), MoveHistory::new());
        let position = Position::start();
        let wanted = [position.parse_uci("g2g4").unwrap()];
        let edges = Edges::at(&arena, expand(&arena, &UniformPolicy, &history, &position, &wanted, |_| {}).unwrap());
        assert_eq!((edges.len(), edges.mv(0), edges.prior(0)), (1, wanted[0], 1.0));
        let mated = Position::from_fen("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1").unwrap();
        assert_eq!(expand(&arena, &UniformPolicy, &history, &mated, &[], |_| {}), None);
    }
}

//! The linear policy: a softmax of a linear function of each move's features, for nodes whose budget is too small for a network.
//!
//! ```text
//! logit(move) = sum of theta[context][row] over the move's rows,    prior = softmax(logits / T)
//! ```
//! Its features are in [`move_states`](super::move_states); `okapi train policy --stage linear` learns the weights theta from the
//! searches that also teach the policy network (`src/learn/src/train/linear_policy_learner.rs`).
//!
//! CITE: a softmax of linear features over a node's moves: Coulom, "Computing Elo ratings of move patterns in the game of Go",
//! ICGA Journal 30(4), 2007; Tsuruoka, Yokoyama and Chikayama, "Game-tree search algorithm based on realization probability",
//! ICGA Journal 25(3), 2002.

use crate::budget::Budget;
use crate::move_states::{CONTEXTS, MoveStates, ROWS};
use crate::policy::Policy;
use crate::scored_move::{MoveKind, ScoredMove};
use crate::tunables as tuned;
use arrayvec::ArrayVec;
use board::{MAX_MOVES, Position};
use kernels::activations::softmax;
use std::sync::Arc;

/// The number of weights, `(context, row)`.
pub const WEIGHTS: usize = CONTEXTS * ROWS;

/// The linear policy.
#[derive(Debug, Clone)]
pub struct LinearPolicy {
    /// `(context, row)`.
    weights: Arc<[[f32; ROWS]; CONTEXTS]>,
}

impl LinearPolicy {
    /// The policy of these weights, `(context, row)`; `None` if there are not as many.
    pub fn new(weights: &[f32]) -> Option<Self> {
        let tables: Vec<[f32; ROWS]> = weights.as_chunks().0.to_vec();
        let tables: Box<[[f32; ROWS]; CONTEXTS]> = tables.try_into().ok()?;
        (weights.len() == WEIGHTS).then(|| Self { weights: tables.into() })
    }

    /// `(context, row)`.
    pub fn weights(&self) -> &[f32] {
        self.weights.as_flattened()
    }
}

impl Policy for LinearPolicy {
    #[inline(never)]
    fn priors(&self, position: &Position, moves: &mut [ScoredMove]) {
        let states = MoveStates::of(position);
        let table = &self.weights[states.context()];
        let mut p = ArrayVec::<f32, MAX_MOVES>::new();
        // Moves of a kind share a part of their sums, and so do those of a piece, which come one after the other.
        let of_kinds = [false, true].map(|by_threatened| {
            MoveKind::ALL.map(|kind| {
                let mut sum = 0.0;
                states.each_row_of_kind(kind, by_threatened, |row| sum += table[row]);
                sum
            })
        });
        let (mut from, mut of_piece, mut of_kind) = (None, 0.0, &of_kinds[0]);
        for scored in &*moves {
            if from != Some(scored.mv.from) {
                (from, of_piece) = (Some(scored.mv.from), 0.0);
                states.each_row_of_piece(scored.piece, scored.mv.from, |row| of_piece += table[row]);
                of_kind = &of_kinds[usize::from(states.is_threatened(scored.piece))];
            }
            let mut logit = of_piece + of_kind[scored.kind as usize];
            states.each_row_of_target(scored, |row| logit += table[row]);
            p.push(logit / tuned::linear_temperature());
        }
        softmax(&mut p);
        moves.iter_mut().zip(&p).for_each(|(scored, p)| scored.prior = *p);
    }

    #[inline]
    fn is_by_prior(&self, _: Budget) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::move_history::MoveHistory;
    use crate::policy::list_with_priors;
    use crate::scored_move::ScoredMoves;

    /// Weights between -0.5 and 0.5 without a pattern.
    fn weights() -> Vec<f32> {
        let scattered = (0..WEIGHTS as u64).map(|number| number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40);
        scattered.map(|bits| bits as f32 / (1 << 24) as f32 - 0.5).collect()
    }

    #[test]
    fn a_policy_has_all_weights_or_is_none() {
        let weights = weights();
        let policy = LinearPolicy::new(&weights).unwrap();
        assert!(policy.weights() == weights && policy.is_by_prior(Budget::of_iteration(1)));
        assert!(LinearPolicy::new(&weights[1..]).is_none() && LinearPolicy::new(&weights[..WEIGHTS - ROWS]).is_none());
        assert!(LinearPolicy::new(&[&weights[..], &[0.0]].concat()).is_none());
    }

    /// Quiet and sharp, with few pieces, and in check.
    #[test]
    fn priors_are_the_softmax_of_the_sums_of_all_rows() {
        let weights = weights();
        let policy = LinearPolicy::new(&weights).unwrap();
        for (fen, context) in [
            ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 0),
            ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 1),
            ("r3k2r/8/8/1B6/3b4/8/5PPP/R3K2R b KQkq - 0 1", 2),
        ] {
            let position = Position::from_fen(fen).unwrap();
            let mut moves = ScoredMoves::new();
            list_with_priors(&policy, &MoveHistory::new(), &position, &[], &mut moves);
            let states = MoveStates::of(&position);
            assert_eq!(states.context(), context, "{fen}");
            let exponentials: Vec<f64> = moves
                .iter()
                .map(|scored| {
                    let mut sum = 0.0;
                    states.each_row(scored, |row| sum += f64::from(weights[context * ROWS + row]));
                    libm::exp(sum)
                })
                .collect();
            let all: f64 = exponentials.iter().sum();
            for (scored, exponential) in moves.iter().zip(exponentials) {
                assert!((f64::from(scored.prior) - exponential / all).abs() < 1e-6, "{scored:?}");
            }
        }
    }
}

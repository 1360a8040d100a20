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

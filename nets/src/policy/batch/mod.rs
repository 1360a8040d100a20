//! The policy network over a batch of nodes, forward and backward: [`PolicyNet`](crate::PolicyNet) as products of
//! matrices, for the position's part (`nodes`) and for the moves (`moves`).
//!
//! Passes over the moves share the position's part: their gradients in it are summed before it is gone through
//! backward. Every sum is made in order, of inputs, of moves or of nodes, so that a gradient does not depend on the
//! instruction set.

mod buffers;
mod moves;
mod nodes;

use feature_maps::moves::rank_row;

use self::moves::{BackwardMoves, ForwardMoves};
use self::nodes::{BackwardNodes, ForwardNodes};
use crate::policy::batch_weights::PolicyBatchWeights;

pub use buffers::{MAX_BATCH_MOVES, PolicyBatch};

impl PolicyBatch {
    /// Computes the position's part of every node.
    ///
    /// # Panics
    /// If there are more than [`MAX_BATCH_MOVES`] moves.
    #[inline(never)]
    pub fn forward_nodes(&mut self, weights: &PolicyBatchWeights) {
        assert!(self.moves.len() <= MAX_BATCH_MOVES, "a batch has at most {MAX_BATCH_MOVES} moves");
        self.kernels.run(ForwardNodes { batch: self, weights });
    }

    /// The logits of all moves in the pass in which each has this rank, `(move)`.
    ///
    /// # Panics
    /// If there are not as many ranks as moves.
    pub fn forward_moves(&mut self, weights: &PolicyBatchWeights, ranks: impl Iterator<Item = usize>) -> &[f32] {
        self.ranks.clear();
        self.ranks.extend(ranks.map(rank_row));
        assert_eq!(self.ranks.len(), self.moves.len(), "every move has a rank");
        self.forward_ranked_moves(weights);
        &self.logits
    }

    #[inline(never)]
    fn forward_ranked_moves(&mut self, weights: &PolicyBatchWeights) {
        self.kernels.run(ForwardMoves { batch: self, weights });
    }

    /// Adds to the gradient the derivatives of a loss with these slopes in the last logits, `(move)`.
    ///
    /// # Panics
    /// If there are not as many slopes as moves.
    #[inline(never)]
    pub fn backward_moves(&mut self, weights: &PolicyBatchWeights, slopes: &[f32]) {
        assert_eq!(slopes.len(), self.moves.len(), "every move has a slope");
        self.kernels.run(BackwardMoves { batch: self, weights, slopes });
    }

    /// Adds to the gradient what the passes over the moves have left for the position's part.
    #[inline(never)]
    pub fn backward_nodes(&mut self, weights: &PolicyBatchWeights) {
        self.kernels.run(BackwardNodes { batch: self, weights });
    }
}

//! The passes over the moves: each move's rows on its position's part, a hidden layer and the logit, and back.
//!
//! ```text
//! d_hidden = d_logit w^T, where hidden   dW    += relu(sum)^T d_hidden    dw += hidden^T d_logit
//! d_sum    = d_hidden W^T, where sum     d_row += d_sum of each move that has the row
//! d_base  += d_sum of all its moves
//! ```

use kernels::{Backend, Task};

use super::buffers::{PolicyBatch, add_row};
use crate::policy::batch_weights::PolicyBatchWeights;
use crate::policy::topology::PolicyLayer;

/// The logits of all moves, each with its rank.
pub(super) struct ForwardMoves<'a> {
    pub(super) batch: &'a mut PolicyBatch,
    pub(super) weights: &'a PolicyBatchWeights,
}

impl Task for ForwardMoves<'_> {
    type Output = ();

    #[inline(always)]
    fn run<B: Backend>(self) {
        let PolicyBatch { moves, ranks, ends, base, active, hidden, logits, .. } = self.batch;
        let params = &self.weights.params;
        let width = params.topology().width();
        let (table, _) = params.layer(PolicyLayer::Rows);
        active.clear(moves.len(), width);
        let mut start = 0;
        for (base, end) in base.rows().zip(ends.iter()) {
            let sums = active.values[start * width..end * width].chunks_exact_mut(width);
            for ((sum, rows), rank) in sums.zip(&moves[start..*end]).zip(&ranks[start..*end]) {
                sum.copy_from_slice(base);
                rows.iter().chain([rank]).for_each(|row| add_row(sum, table, *row));
            }
            start = *end;
        }
        active.relu::<B>();
        let (weights, bias) = params.layer(PolicyLayer::Hidden);
        hidden.begin(moves.len(), bias);
        hidden.add_product::<B>(active, weights);
        hidden.relu::<B>();
        let (output, bias) = params.layer(PolicyLayer::Output);
        logits.clear();
        for row in hidden.rows() {
            logits.push(B::dot(row, output) + bias[0]);
        }
    }
}

/// From the logits' slopes down to the position's part.
pub(super) struct BackwardMoves<'a> {
    pub(super) batch: &'a mut PolicyBatch,
    pub(super) weights: &'a PolicyBatchWeights,
    pub(super) slopes: &'a [f32],
}

impl Task for BackwardMoves<'_> {
    type Output = ();

    #[inline(always)]
    fn run<B: Backend>(self) {
        let PolicyBatch { moves, ranks, ends, active, hidden, d_base, d_active, d_hidden, gradient, .. } = self.batch;
        let (output, _) = self.weights.params.layer(PolicyLayer::Output);
        let slopes = self.slopes.iter().map(|slope| (0..output.len(), *slope));
        d_hidden.set_output_gradient::<B>(hidden, output, gradient.layer_mut(PolicyLayer::Output), slopes);
        let (d_weights, d_bias) = gradient.layer_mut(PolicyLayer::Hidden);
        d_hidden.add_gradient::<B>(active, d_weights, d_bias);
        d_active.set_gradient::<B>(d_hidden, &self.weights.hidden_transposed, active);

        let (d_table, _) = gradient.layer_mut(PolicyLayer::Rows);
        let (mut start, width) = (0, d_active.width);
        let mut d_sums = d_active.rows();
        for (d_base, end) in d_base.values.chunks_exact_mut(width).zip(ends.iter()) {
            let of_moves = moves[start..*end].iter().zip(&ranks[start..*end]);
            for ((rows, rank), d_sum) in of_moves.zip(&mut d_sums) {
                d_base.iter_mut().zip(d_sum).for_each(|(base, d)| *base += d);
                for row in rows.iter().chain([rank]) {
                    let d_row = &mut d_table[usize::from(*row) * width..][..width];
                    d_row.iter_mut().zip(d_sum).for_each(|(row, d)| *row += d);
                }
            }
            start = *end;
        }
    }
}

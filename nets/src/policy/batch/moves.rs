//! The passes over the moves: each move's rows on its position's part, a hidden layer and the logit, and back.
//!
//! ```text
//! d_hidden = d_logit w^T, where hidden   dW    += relu(sum)^T d_hidden    dw += hidden^T d_logit
//! d_sum    = d_hidden W^T, where sum     d_row += d_sum of each move that has the row
//! d_base  += d_sum of all its moves
//! ```

use kernels::product::Left;
use kernels::{Backend, Task};

use super::buffers::{PolicyBatch, add_row, begin};
use crate::layers::{OutputLayer, add_rows, relu_all, relu_backward};
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
        let (rows, params) = (moves.len(), &self.weights.params);
        let (depth, width) = (params.topology().width(), params.topology().hidden());
        let (table, _) = params.layer(PolicyLayer::Rows);
        active.resize(rows * depth, 0.0);
        let mut start = 0;
        for (base, end) in base.chunks_exact(depth).zip(ends.iter()) {
            let sums = active[start * depth..end * depth].chunks_exact_mut(depth);
            for ((sum, rows), rank) in sums.zip(&moves[start..*end]).zip(&ranks[start..*end]) {
                sum.copy_from_slice(base);
                rows.iter().chain([rank]).for_each(|row| add_row(sum, table, *row));
                relu_all(sum);
            }
            start = *end;
        }
        begin(hidden, rows, params.layer(PolicyLayer::Hidden).1);
        let left = Left { values: active, rows, depth, row_stride: depth, depth_stride: 1 };
        B::add_product(left, &self.weights.hidden, hidden);
        relu_all(hidden);
        let (output, bias) = params.layer(PolicyLayer::Output);
        logits.clear();
        logits.extend(hidden.chunks_exact(width).map(|row| B::dot(row, output) + bias[0]));
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
        let PolicyBatch { moves, ranks, ends, active, hidden, d_base, d_active, d_hidden, right, gradient, .. } =
            self.batch;
        let (rows, params) = (moves.len(), &self.weights.params);
        let (depth, width) = (params.topology().width(), params.topology().hidden());
        let (output, _) = params.layer(PolicyLayer::Output);
        d_hidden.resize(rows * width, 0.0);
        let (d_output, d_bias) = gradient.layer_mut(PolicyLayer::Output);
        OutputLayer { weights: output, d_weights: d_output, d_bias }.backward(
            hidden,
            self.slopes.iter().copied(),
            d_hidden,
            width,
        );

        let (d_weights, d_bias) = gradient.layer_mut(PolicyLayer::Hidden);
        add_rows(d_hidden, 0, d_bias, width);
        right.set(d_hidden, rows, width, width);
        B::add_product(
            Left { values: active, rows: depth, depth: rows, row_stride: 1, depth_stride: depth },
            right,
            d_weights,
        );

        d_active.clear();
        d_active.resize(rows * depth, 0.0);
        let left = Left { values: d_hidden, rows, depth: width, row_stride: width, depth_stride: 1 };
        B::add_product(left, &self.weights.hidden_transposed, d_active);
        relu_backward(d_active, active);

        let (d_table, _) = gradient.layer_mut(PolicyLayer::Rows);
        let mut start = 0;
        for (d_base, end) in d_base.chunks_exact_mut(depth).zip(ends.iter()) {
            let of_moves = moves[start..*end].iter().zip(&ranks[start..*end]);
            for (d_sum, (rows, rank)) in d_active[start * depth..end * depth].chunks_exact(depth).zip(of_moves) {
                d_base.iter_mut().zip(d_sum).for_each(|(base, d)| *base += d);
                for row in rows.iter().chain([rank]) {
                    let d_row = &mut d_table[usize::from(*row) * depth..][..depth];
                    d_row.iter_mut().zip(d_sum).for_each(|(row, d)| *row += d);
                }
            }
            start = *end;
        }
    }
}

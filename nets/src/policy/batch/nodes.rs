//! The position's part: the restricted first layer, the sums that a node's moves share, and back.
//!
//! ```text
//! d_row    += d_base of each node that has the row        dW_base += first^T d_base
//! d_first   = d_base W_base^T, where first                dW      += features^T d_first, group by group
//! ```

use kernels::{Backend, Task};

use super::buffers::{PolicyBatch, add_row};
use crate::policy::batch_weights::PolicyBatchWeights;
use crate::policy::topology::PolicyLayer;

/// What every node's moves begin from.
pub(super) struct ForwardNodes<'a> {
    pub(super) batch: &'a mut PolicyBatch,
    pub(super) weights: &'a PolicyBatchWeights,
}

impl Task for ForwardNodes<'_> {
    type Output = ();

    #[inline(always)]
    fn run<B: Backend>(self) {
        let PolicyBatch { inputs, nodes, first, base, d_base, .. } = self.batch;
        let (rows, params) = (nodes.len(), &self.weights.params);
        let width = params.topology().width();
        first.begin(rows, &self.weights.first_bias);
        let mut from = 0;
        for (group, (_, outputs)) in params.topology().groups().into_iter().enumerate() {
            let (weights, _) = params.layer(PolicyLayer::Group(group));
            inputs.add_product::<B>(group, weights, (from, outputs), first);
            from += outputs;
        }
        first.relu::<B>();
        let (weights, bias) = params.layer(PolicyLayer::Base);
        base.begin(rows, bias);
        base.add_product::<B>(first, weights);
        let (table, _) = params.layer(PolicyLayer::Rows);
        for (base, node) in base.values.chunks_exact_mut(width).zip(nodes) {
            node.iter().for_each(|row| add_row(base, table, *row));
        }
        d_base.clear(rows, width);
    }
}

/// From what the passes over the moves have left, to the weights.
pub(super) struct BackwardNodes<'a> {
    pub(super) batch: &'a mut PolicyBatch,
    pub(super) weights: &'a PolicyBatchWeights,
}

impl Task for BackwardNodes<'_> {
    type Output = ();

    #[inline(always)]
    fn run<B: Backend>(self) {
        let PolicyBatch { inputs, nodes, first, d_first, d_base, gradient, .. } = self.batch;
        let (d_table, _) = gradient.layer_mut(PolicyLayer::Rows);
        for (d_base, node) in d_base.rows().zip(nodes) {
            for row in node {
                let d_row = &mut d_table[usize::from(*row) * d_base.len()..][..d_base.len()];
                d_row.iter_mut().zip(d_base).for_each(|(row, d)| *row += d);
            }
        }
        let (d_weights, d_bias) = gradient.layer_mut(PolicyLayer::Base);
        d_base.add_gradient::<B>(first, d_weights, d_bias);
        d_base.find_nonzeros::<B>();
        d_first.set_gradient::<B>(d_base, &self.weights.base_transposed, first);
        let mut from = 0;
        for (group, (_, outputs)) in self.weights.params.topology().groups().into_iter().enumerate() {
            let (d_weights, d_bias) = gradient.layer_mut(PolicyLayer::Group(group));
            d_first.add_rows_to(from, d_bias);
            inputs.add_gradient::<B>(group, d_first, (from, outputs), d_weights);
            from += outputs;
        }
    }
}

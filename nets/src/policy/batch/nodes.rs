//! The position's part: the restricted first layer, the sums that a node's moves share, and back.
//!
//! ```text
//! d_row    += d_base of each node that has the row        dW_base += first^T d_base
//! d_first   = d_base W_base^T, where first                dW      += features^T d_first, group by group
//! ```

use feature_maps::Features;
use feature_maps::layout::GROUPS;
use feature_maps::layout::INPUTS;
use kernels::activations::relu;
use kernels::product::Left;
use kernels::{Backend, Task};

use super::buffers::{PolicyBatch, add_row, begin};
use crate::layers::{add_rows, relu_backward};
use crate::policy::batch_weights::PolicyBatchWeights;
use crate::policy::topology::{PolicyLayer, PolicyTopology};
use crate::shape::Shape;

/// What every node's moves begin from.
pub(super) struct ForwardNodes<'a> {
    pub(super) batch: &'a mut PolicyBatch,
    pub(super) weights: &'a PolicyBatchWeights,
}

impl Task for ForwardNodes<'_> {
    type Output = ();

    #[inline(always)]
    fn run<B: Backend>(self) {
        let PolicyBatch { features, nodes, sums, first, base, d_base, .. } = self.batch;
        let (rows, params) = (features.len(), &self.weights.params);
        let topology = params.topology();
        let (depth, width) = (topology.first_outputs(), topology.width());
        first.resize(rows * depth, 0.0);
        let mut from = 0;
        for ((panels, layer), inputs) in
            self.weights.groups.iter().zip(PolicyLayer::GROUPS).zip(inputs(features, topology))
        {
            let (_, outputs) = topology.shape(layer);
            begin(sums, rows, params.layer(layer).1);
            B::add_product(inputs, panels, sums);
            for (to, from_row) in first.chunks_exact_mut(depth).zip(sums.chunks_exact(outputs)) {
                to[from..from + outputs].iter_mut().zip(from_row).for_each(|(to, sum)| *to = relu(*sum));
            }
            from += outputs;
        }
        begin(base, rows, params.layer(PolicyLayer::Base).1);
        let left = Left { values: first, rows, depth, row_stride: depth, depth_stride: 1 };
        B::add_product(left, &self.weights.base, base);
        let (table, _) = params.layer(PolicyLayer::Rows);
        for (base, node) in base.chunks_exact_mut(width).zip(nodes) {
            node.iter().for_each(|row| add_row(base, table, *row));
        }
        d_base.clear();
        d_base.resize(rows * width, 0.0);
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
        let PolicyBatch { features, nodes, first, d_first, d_base, right, gradient, .. } = self.batch;
        let (rows, params) = (features.len(), &self.weights.params);
        let topology = params.topology();
        let (depth, width) = (topology.first_outputs(), topology.width());
        let (d_table, _) = gradient.layer_mut(PolicyLayer::Rows);
        for (d_base, node) in d_base.chunks_exact(width).zip(nodes) {
            for row in node {
                let d_row = &mut d_table[usize::from(*row) * width..][..width];
                d_row.iter_mut().zip(d_base).for_each(|(row, d)| *row += d);
            }
        }
        let (d_weights, d_bias) = gradient.layer_mut(PolicyLayer::Base);
        add_rows(d_base, 0, d_bias, width);
        right.set(d_base, rows, width, width);
        B::add_product(
            Left { values: first, rows: depth, depth: rows, row_stride: 1, depth_stride: depth },
            right,
            d_weights,
        );

        d_first.clear();
        d_first.resize(rows * depth, 0.0);
        let left = Left { values: d_base, rows, depth: width, row_stride: width, depth_stride: 1 };
        B::add_product(left, &self.weights.base_transposed, d_first);
        relu_backward(d_first, first);

        let mut from = 0;
        for (layer, inputs) in PolicyLayer::GROUPS.into_iter().zip(inputs(features, topology)) {
            let (_, outputs) = topology.shape(layer);
            let (d_weights, d_bias) = gradient.layer_mut(layer);
            add_rows(d_first, from, d_bias, depth);
            right.set(d_first.get(from..).unwrap_or_default(), rows, outputs, depth);
            let Left { values, rows, depth, row_stride, depth_stride } = inputs;
            let transposed =
                Left { values, rows: depth, depth: rows, row_stride: depth_stride, depth_stride: row_stride };
            B::add_product(transposed, right, d_weights);
            from += outputs;
        }
    }
}

/// `(group)`: `(node, inputs of its first layer)`.
#[inline(always)]
fn inputs<'a>(features: &'a [Features], topology: &PolicyTopology) -> [Left<'a>; GROUPS] {
    let mut from = 0;
    topology.groups().map(|(depth, _)| {
        let values = features.as_flattened().get(from..).unwrap_or_default();
        from += depth;
        Left { values, rows: features.len(), depth, row_stride: INPUTS, depth_stride: 1 }
    })
}

//! The move-probability network over a batch of nodes, forward and backward: [`MoveNet`](crate::MoveNet) as products of matrices.
//!
//! ```text
//! d_hidden = d_logit w^T, where hidden   dW      += relu(sum)^T d_hidden    dw   += hidden^T d_logit
//! d_sum    = d_hidden W^T, where sum     d_row   += d_sum of each move that has the row
//! d_base   = d_sum of all moves          dW_base += first^T d_base          d_first = d_base W_base^T, where first
//! ```
//! Passes over the moves share the position's half: their gradients in it are summed before it is gone through backward.
//! Every sum is made in order, of inputs, of moves or of nodes, so that a gradient does not depend on the instruction
//! set.

use feature_maps::Features;
use feature_maps::layout::INPUTS;
use feature_maps::moves::{MOVE_ROWS, MoveRows, NodeRows, rank_row};
use kernels::activations::relu;
use kernels::product::{Left, Panels};
use kernels::vector::padded;
use kernels::{Backend, Kernels, Task};

use crate::batch::add_rows;
use crate::move_batch_weights::MoveBatchWeights;
use crate::move_topology::{MoveLayer, MoveTopology};
use crate::params::{Params, Shape};

/// The most moves of a batch.
pub const MOST_MOVES: usize = kernels::product::MAX_DEPTH;

/// A batch in work, and the sum of the gradients of all batches before.
#[derive(Clone, Debug)]
pub struct MoveBatch {
    kernels: &'static Kernels,
    /// `(node, 363)`.
    features: Vec<Features>,
    /// `(node)`.
    nodes: Vec<NodeRows>,
    /// `(node)`: where its moves end.
    ends: Vec<usize>,
    /// `(move)`.
    moves: Vec<MoveRows>,
    /// `(move)`: the row of its rank in the last pass.
    ranks: Vec<u16>,
    /// `(node, outputs of one group)`, before ReLU.
    sums: Vec<f32>,
    /// `(node, first outputs)`, after ReLU.
    first: Vec<f32>,
    /// `(node, width)`.
    base: Vec<f32>,
    /// `(move, width)`, after ReLU.
    active: Vec<f32>,
    /// `(move, hidden)`, after ReLU.
    hidden: Vec<f32>,
    /// `(move)`.
    logits: Vec<f32>,
    d_first: Vec<f32>,
    d_base: Vec<f32>,
    d_active: Vec<f32>,
    d_hidden: Vec<f32>,
    /// The gradient of one layer's sums, as the right side of a product.
    right: Panels,
    gradient: Params<MoveTopology>,
}

impl MoveBatch {
    /// Room for networks of these sizes.
    pub fn new(topology: &MoveTopology, kernels: &'static Kernels) -> MoveBatch {
        MoveBatch {
            kernels,
            features: Vec::new(),
            nodes: Vec::new(),
            ends: Vec::new(),
            moves: Vec::with_capacity(MOST_MOVES),
            ranks: Vec::with_capacity(MOST_MOVES),
            sums: Vec::new(),
            first: Vec::new(),
            base: Vec::new(),
            active: Vec::new(),
            hidden: Vec::new(),
            logits: Vec::new(),
            d_first: Vec::new(),
            d_base: Vec::new(),
            d_active: Vec::new(),
            d_hidden: Vec::new(),
            right: Panels::default(),
            gradient: Params::zeros(*topology),
        }
    }

    /// Begins a batch.
    pub fn begin(&mut self) {
        self.features.clear();
        self.nodes.clear();
        self.ends.clear();
        self.moves.clear();
    }

    /// Is there room for a node of so many moves?
    pub fn has_room(&self, moves: usize) -> bool {
        self.moves.len() + moves <= MOST_MOVES
    }

    /// Adds a node, for whose moves there is room; they are pushed to this list.
    pub fn push(&mut self, features: &Features, node: NodeRows, moves: impl Iterator<Item = MoveRows>) {
        self.features.push(*features);
        self.nodes.push(node);
        self.moves.extend(moves);
        self.ends.push(self.moves.len());
    }

    /// `(node)`: the range of its moves in all that is `(move)`.
    pub fn ranges(&self) -> impl Iterator<Item = std::ops::Range<usize>> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(self.ends.iter()).map(|(start, end)| start..*end)
    }

    /// Computes the position's half of every node.
    ///
    /// # Panics
    /// If there are more than [`MOST_MOVES`] moves.
    pub fn forward_nodes(&mut self, weights: &MoveBatchWeights) {
        assert!(self.moves.len() <= MOST_MOVES, "a batch has at most {MOST_MOVES} moves");
        self.kernels.run(ForwardNodes { batch: self, weights });
    }

    /// The logits of all moves in the pass in which each has this rank, `(move)`.
    ///
    /// # Panics
    /// If there are not as many ranks as moves.
    pub fn forward_moves(&mut self, weights: &MoveBatchWeights, ranks: impl Iterator<Item = usize>) -> &[f32] {
        self.ranks.clear();
        self.ranks.extend(ranks.map(rank_row));
        assert_eq!(self.ranks.len(), self.moves.len(), "every move has a rank");
        self.kernels.run(ForwardMoves { batch: self, weights });
        &self.logits
    }

    /// Adds to the gradient the derivatives of a loss with these slopes in the last logits, `(move)`.
    ///
    /// # Panics
    /// If there are not as many slopes as moves.
    pub fn backward_moves(&mut self, weights: &MoveBatchWeights, slopes: &[f32]) {
        assert_eq!(slopes.len(), self.moves.len(), "every move has a slope");
        self.kernels.run(BackwardMoves { batch: self, weights, slopes });
    }

    /// Adds to the gradient what the passes over the moves have left for the position's half.
    pub fn backward_nodes(&mut self, weights: &MoveBatchWeights) {
        self.kernels.run(BackwardNodes { batch: self, weights });
    }

    /// Adds the gradient of all batches since the last call to `to`, and begins a new one.
    pub fn take_gradient(&mut self, to: &mut Params<MoveTopology>) {
        let from = self.gradient.values_mut();
        to.values_mut().iter_mut().zip(&*from).for_each(|(to, from)| *to += from);
        from.fill(0.0);
    }
}

struct ForwardNodes<'a> {
    batch: &'a mut MoveBatch,
    weights: &'a MoveBatchWeights,
}

impl Task for ForwardNodes<'_> {
    type Output = ();

    #[inline(always)]
    fn run<B: Backend>(self) {
        let MoveBatch { features, nodes, sums, first, base, d_base, .. } = self.batch;
        let (rows, params) = (features.len(), &self.weights.params);
        let topology = params.topology();
        let (depth, width) = (topology.first_outputs(), topology.width());
        first.resize(rows * depth, 0.0);
        let mut from = 0;
        for ((panels, layer), inputs) in
            self.weights.groups.iter().zip(MoveLayer::GROUPS).zip(inputs(features, topology))
        {
            let (_, outputs) = topology.shape(layer);
            begin(sums, rows, params.layer(layer).1);
            B::add_product(inputs, panels, sums);
            for (to, from_row) in first.chunks_exact_mut(depth).zip(sums.chunks_exact(outputs)) {
                to[from..from + outputs].iter_mut().zip(from_row).for_each(|(to, sum)| *to = relu(*sum));
            }
            from += outputs;
        }
        begin(base, rows, params.layer(MoveLayer::Base).1);
        let left = Left { values: first, rows, depth, row_stride: depth, depth_stride: 1 };
        B::add_product(left, &self.weights.base, base);
        let (table, _) = params.layer(MoveLayer::Rows);
        for (base, node) in base.chunks_exact_mut(width).zip(nodes) {
            node.iter().for_each(|row| add_row(base, table, *row));
        }
        d_base.clear();
        d_base.resize(rows * width, 0.0);
    }
}

struct ForwardMoves<'a> {
    batch: &'a mut MoveBatch,
    weights: &'a MoveBatchWeights,
}

impl Task for ForwardMoves<'_> {
    type Output = ();

    #[inline(always)]
    fn run<B: Backend>(self) {
        let MoveBatch { moves, ranks, ends, base, active, hidden, logits, .. } = self.batch;
        let (rows, params) = (moves.len(), &self.weights.params);
        let (depth, width) = (params.topology().width(), params.topology().hidden());
        let (table, _) = params.layer(MoveLayer::Rows);
        active.resize(rows * depth, 0.0);
        let mut start = 0;
        for (base, end) in base.chunks_exact(depth).zip(ends.iter()) {
            let sums = active[start * depth..end * depth].chunks_exact_mut(depth);
            for ((sum, rows), rank) in sums.zip(&moves[start..*end]).zip(&ranks[start..*end]) {
                sum.copy_from_slice(base);
                rows.iter().chain([rank]).for_each(|row| add_row(sum, table, *row));
                sum.iter_mut().for_each(|sum| *sum = relu(*sum));
            }
            start = *end;
        }
        begin(hidden, rows, params.layer(MoveLayer::Hidden).1);
        let left = Left { values: active, rows, depth, row_stride: depth, depth_stride: 1 };
        B::add_product(left, &self.weights.hidden, hidden);
        hidden.iter_mut().for_each(|sum| *sum = relu(*sum));
        let (output, bias) = params.layer(MoveLayer::Output);
        logits.clear();
        logits.extend(hidden.chunks_exact(width).map(|row| B::dot(row, output) + bias[0]));
    }
}

struct BackwardMoves<'a> {
    batch: &'a mut MoveBatch,
    weights: &'a MoveBatchWeights,
    slopes: &'a [f32],
}

impl Task for BackwardMoves<'_> {
    type Output = ();

    #[inline(always)]
    fn run<B: Backend>(self) {
        let MoveBatch { moves, ranks, ends, active, hidden, d_base, d_active, d_hidden, right, gradient, .. } =
            self.batch;
        let (rows, params) = (moves.len(), &self.weights.params);
        let (depth, width) = (params.topology().width(), params.topology().hidden());
        let (output, _) = params.layer(MoveLayer::Output);
        d_hidden.resize(rows * width, 0.0);
        let (d_output, d_bias) = gradient.layer_mut(MoveLayer::Output);
        let of_rows = hidden.chunks_exact(width).zip(d_hidden.chunks_exact_mut(width));
        for ((hidden, d_hidden), slope) in of_rows.zip(self.slopes) {
            d_bias[0] += slope;
            d_output.iter_mut().zip(hidden).for_each(|(d, y)| *d += y * slope);
            for ((d, w), y) in d_hidden.iter_mut().zip(output).zip(hidden) {
                *d = if *y > 0.0 { w * slope } else { 0.0 };
            }
        }

        let (d_weights, d_bias) = gradient.layer_mut(MoveLayer::Hidden);
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
        d_active.iter_mut().zip(&*active).for_each(|(d, y)| *d = if *y > 0.0 { *d } else { 0.0 });

        let (d_table, _) = gradient.layer_mut(MoveLayer::Rows);
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

struct BackwardNodes<'a> {
    batch: &'a mut MoveBatch,
    weights: &'a MoveBatchWeights,
}

impl Task for BackwardNodes<'_> {
    type Output = ();

    #[inline(always)]
    fn run<B: Backend>(self) {
        let MoveBatch { features, nodes, first, d_first, d_base, right, gradient, .. } = self.batch;
        let (rows, params) = (features.len(), &self.weights.params);
        let topology = params.topology();
        let (depth, width) = (topology.first_outputs(), topology.width());
        let (d_table, _) = gradient.layer_mut(MoveLayer::Rows);
        for (d_base, node) in d_base.chunks_exact(width).zip(nodes) {
            for row in node {
                let d_row = &mut d_table[usize::from(*row) * width..][..width];
                d_row.iter_mut().zip(d_base).for_each(|(row, d)| *row += d);
            }
        }
        let (d_weights, d_bias) = gradient.layer_mut(MoveLayer::Base);
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
        d_first.iter_mut().zip(&*first).for_each(|(d, y)| *d = if *y > 0.0 { *d } else { 0.0 });

        let mut from = 0;
        for (layer, inputs) in MoveLayer::GROUPS.into_iter().zip(inputs(features, topology)) {
            let (_, outputs) = topology.shape(layer);
            let (d_weights, d_bias) = gradient.layer_mut(layer);
            add_rows(d_first, from, d_bias, depth);
            right.set(d_first.get(from..).unwrap_or_default(), rows, outputs, depth);
            let Left { values, rows, depth, row_stride, depth_stride } = inputs;
            let turned = Left { values, rows: depth, depth: rows, row_stride: depth_stride, depth_stride: row_stride };
            B::add_product(turned, right, d_weights);
            from += outputs;
        }
    }
}

/// `(group)`: `(node, inputs of its first layer)`.
#[inline(always)]
fn inputs<'a>(features: &'a [Features], topology: &MoveTopology) -> [Left<'a>; 3] {
    let mut from = 0;
    topology.groups().map(|(depth, _)| {
        let values = features.as_flattened().get(from..).unwrap_or_default();
        from += depth;
        Left { values, rows: features.len(), depth, row_stride: INPUTS, depth_stride: 1 }
    })
}

#[inline(always)]
fn add_row(sum: &mut [f32], table: &[f32], row: u16) {
    debug_assert!(usize::from(row) < MOVE_ROWS);
    let row = &table[usize::from(row) * sum.len()..][..sum.len()];
    sum.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
}

/// Every row begins with the bias, padded with zeros.
#[inline(always)]
fn begin(sums: &mut Vec<f32>, rows: usize, bias: &[f32]) {
    let width = padded(bias.len());
    sums.clear();
    sums.resize(rows * width, 0.0);
    sums.chunks_exact_mut(width).for_each(|row| row[..bias.len()].copy_from_slice(bias));
}

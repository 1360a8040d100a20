//! The policy network over a batch of nodes, forward and backward: [`PolicyNet`](crate::PolicyNet) as products of
//! matrices, for the position's part (`nodes`) and for the moves (`moves`).
//!
//! Passes over the moves share the position's part: their gradients in it are summed before it is gone through
//! backward. Every sum is made in order, of inputs, of moves or of nodes, so that a gradient does not depend on the
//! instruction set.

mod moves;
mod nodes;

use feature_maps::Features;
use feature_maps::moves::{MOVE_ROWS, MoveRows, NodeRows, rank_row};
use kernels::Kernels;
use kernels::product::Panels;
use kernels::vector::padded;

use self::moves::{BackwardMoves, ForwardMoves};
use self::nodes::{BackwardNodes, ForwardNodes};
use crate::layers::begin_with_bias;
use crate::params::Params;
use crate::policy::batch_weights::PolicyBatchWeights;
use crate::policy::topology::PolicyTopology;

/// The most moves of a batch.
pub const MAX_BATCH_MOVES: usize = kernels::product::MAX_DEPTH;

/// A batch, and the sum of the gradients of all batches before.
#[derive(Clone, Debug)]
pub struct PolicyBatch {
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
    gradient: Params<PolicyTopology>,
}

impl PolicyBatch {
    /// Room for networks of these sizes.
    pub fn new(topology: &PolicyTopology, kernels: &'static Kernels) -> PolicyBatch {
        PolicyBatch {
            kernels,
            features: Vec::new(),
            nodes: Vec::new(),
            ends: Vec::new(),
            moves: Vec::with_capacity(MAX_BATCH_MOVES),
            ranks: Vec::with_capacity(MAX_BATCH_MOVES),
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

    /// Whether there is room for a node with this number of moves.
    pub fn has_room(&self, moves: usize) -> bool {
        self.moves.len() + moves <= MAX_BATCH_MOVES
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

    /// Computes the position's part of every node.
    ///
    /// # Panics
    /// If there are more than [`MAX_BATCH_MOVES`] moves.
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
        self.kernels.run(ForwardMoves { batch: self, weights });
        &self.logits
    }

    /// Adds to the gradient the derivatives of a loss with these slopes in the last logits, `(move)`.
    ///
    /// # Panics
    /// If there are not as many slopes as moves.
    pub fn backward_moves(&mut self, weights: &PolicyBatchWeights, slopes: &[f32]) {
        assert_eq!(slopes.len(), self.moves.len(), "every move has a slope");
        self.kernels.run(BackwardMoves { batch: self, weights, slopes });
    }

    /// Adds to the gradient what the passes over the moves have left for the position's part.
    pub fn backward_nodes(&mut self, weights: &PolicyBatchWeights) {
        self.kernels.run(BackwardNodes { batch: self, weights });
    }

    /// Adds the gradient of all batches since the last call to `to`, and begins a new one.
    pub fn take_gradient(&mut self, to: &mut Params<PolicyTopology>) {
        let from = self.gradient.values_mut();
        to.values_mut().iter_mut().zip(&*from).for_each(|(to, from)| *to += from);
        from.fill(0.0);
    }
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
    begin_with_bias(sums, width, bias);
}

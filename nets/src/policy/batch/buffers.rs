//! What a batch of nodes and moves consists of, and the room for what the passes over it compute.

use feature_maps::Features;
use feature_maps::moves::{MOVE_ROWS, MoveRows, NodeRows};
use kernels::Kernels;
use kernels::product::Panels;
use kernels::vector::padded;

use crate::layers::begin_with_bias;
use crate::params::Params;
use crate::policy::topology::PolicyTopology;

/// The most moves of a batch.
pub const MAX_BATCH_MOVES: usize = kernels::product::MAX_DEPTH;

/// A batch, and the sum of the gradients of all batches before.
#[derive(Clone, Debug)]
pub struct PolicyBatch {
    pub(super) kernels: &'static Kernels,
    /// `(node, 363)`.
    pub(super) features: Vec<Features>,
    /// `(node)`.
    pub(super) nodes: Vec<NodeRows>,
    /// `(node)`: where its moves end.
    pub(super) ends: Vec<usize>,
    /// `(move)`.
    pub(super) moves: Vec<MoveRows>,
    /// `(move)`: the row of its rank in the last pass.
    pub(super) ranks: Vec<u16>,
    /// `(node, outputs of one group)`, before ReLU.
    pub(super) sums: Vec<f32>,
    /// `(node, first outputs)`, after ReLU.
    pub(super) first: Vec<f32>,
    /// `(node, width)`.
    pub(super) base: Vec<f32>,
    /// `(move, width)`, after ReLU.
    pub(super) active: Vec<f32>,
    /// `(move, hidden)`, after ReLU.
    pub(super) hidden: Vec<f32>,
    /// `(move)`.
    pub(super) logits: Vec<f32>,
    pub(super) d_first: Vec<f32>,
    pub(super) d_base: Vec<f32>,
    pub(super) d_active: Vec<f32>,
    pub(super) d_hidden: Vec<f32>,
    /// The gradient of one layer's sums, as the right side of a product.
    pub(super) right: Panels,
    pub(super) gradient: Params<PolicyTopology>,
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

    /// Adds the gradient of all batches since the last call to `to`, and begins a new one.
    pub fn take_gradient(&mut self, to: &mut Params<PolicyTopology>) {
        let from = self.gradient.values_mut();
        to.values_mut().iter_mut().zip(&*from).for_each(|(to, from)| *to += from);
        from.fill(0.0);
    }
}

#[inline(always)]
pub(super) fn add_row(sum: &mut [f32], table: &[f32], row: u16) {
    debug_assert!(usize::from(row) < MOVE_ROWS);
    let row = &table[usize::from(row) * sum.len()..][..sum.len()];
    sum.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
}

/// Every row begins with the bias, padded with zeros.
#[inline(always)]
pub(super) fn begin(sums: &mut Vec<f32>, rows: usize, bias: &[f32]) {
    let width = padded(bias.len());
    sums.clear();
    sums.resize(rows * width, 0.0);
    begin_with_bias(sums, width, bias);
}

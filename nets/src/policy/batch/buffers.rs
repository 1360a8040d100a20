//! What a batch of nodes and moves consists of, and the room for what the passes over it compute.

use feature_maps::Features;
use feature_maps::moves::{MOVE_ROWS, MoveRows, NodeRows};
use kernels::Kernels;

use crate::layers::{Inputs, Matrix, merge};
use crate::params::Params;
use crate::policy::topology::PolicyTopology;

/// The most moves of a batch.
pub const MAX_BATCH_MOVES: usize = 512;

/// A batch, and the sum of the gradients of all batches before.
#[derive(Clone, Debug)]
pub struct PolicyBatch {
    pub(super) kernels: &'static Kernels,
    pub(super) inputs: Inputs,
    /// `(node)`.
    pub(super) nodes: Vec<NodeRows>,
    /// `(node)`: where its moves end.
    pub(super) ends: Vec<usize>,
    /// `(move)`.
    pub(super) moves: Vec<MoveRows>,
    /// `(move)`: the row of its rank in the last pass.
    pub(super) ranks: Vec<u16>,
    /// `(node, first outputs)`, after ReLU.
    pub(super) first: Matrix,
    /// `(node, width)`.
    pub(super) base: Matrix,
    /// `(move, width)`, after ReLU.
    pub(super) active: Matrix,
    /// `(move, hidden)`, after ReLU.
    pub(super) hidden: Matrix,
    /// `(move)`.
    pub(super) logits: Vec<f32>,
    pub(super) d_first: Matrix,
    pub(super) d_base: Matrix,
    pub(super) d_active: Matrix,
    pub(super) d_hidden: Matrix,
    pub(super) gradient: Params<PolicyTopology>,
}

impl PolicyBatch {
    /// Room for networks of these sizes.
    pub fn new(topology: &PolicyTopology, kernels: &'static Kernels) -> PolicyBatch {
        PolicyBatch {
            kernels,
            inputs: Inputs::default(),
            nodes: Vec::new(),
            ends: Vec::new(),
            moves: Vec::with_capacity(MAX_BATCH_MOVES),
            ranks: Vec::with_capacity(MAX_BATCH_MOVES),
            first: Matrix::default(),
            base: Matrix::default(),
            active: Matrix::default(),
            hidden: Matrix::default(),
            logits: Vec::new(),
            d_first: Matrix::default(),
            d_base: Matrix::default(),
            d_active: Matrix::default(),
            d_hidden: Matrix::default(),
            gradient: Params::zeros(*topology),
        }
    }

    /// Begins a batch.
    pub fn begin(&mut self) {
        self.inputs.features.clear();
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
        self.inputs.features.push(*features);
        self.nodes.push(node);
        self.moves.extend(moves);
        self.ends.push(self.moves.len());
    }

    /// `(node)`: the range of its moves in all that is `(move)`.
    pub fn ranges(&self) -> impl Iterator<Item = std::ops::Range<usize>> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(self.ends.iter()).map(|(start, end)| start..*end)
    }

    /// Adds the gradient of another batch of the same sizes since its last call of [`take_gradient`](Self::take_gradient); it begins a new one.
    pub fn merge(&mut self, other: &mut Self) {
        merge(self.gradient.values_mut(), other.gradient.values_mut());
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

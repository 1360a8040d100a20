//! The policy network for play: quantized, all moves of a node by one task.
//!
//! ```text
//! base     = the position's part, by the trunk's integers                          i32 -> i16     once a node
//! kept_m   = base + rows of the node + rows of move m                              i16
//! sum_m    = kept_m + row of its rank                                              i16               once a pass
//! logit_m  = relu(bias + relu(sum_m) W) . w + c                                    i32 -> f32
//! ```
//! The integers are exact and the f32 sums have a fixed order, so that a logit has the same bits on every instruction
//! set. It is near that of [`PolicyNet::forward`], which stays the reference.

use arrayvec::ArrayVec;
use board::{MAX_MOVES, MoverView, Position};
use feature_maps::moves::{MOVE_ROWS, MoveRows, NodeRows, rank_row};
use feature_maps::rows::Rows;
use kernels::batched_head::MAX_WIDTH;
use kernels::{Backend, BatchedHead, Kernels, PAIRS_BLOCK, RowList, Task};

use super::policy_rows;
use crate::policy::forward::PolicyNet;
use crate::policy::head::PolicyHead;
use crate::policy::position_part::position_part;
use crate::policy::topology::PolicyLayer;
use crate::quantize::dense::dense;
use crate::quantize::scale::round;
use crate::quantize::trunk::{CacheLine, MAX_FIRST, SMALL_FIRST, Trunk, cache_lines};
use crate::shape::MAX_POLICY_WIDTH;

/// The largest widths that a smaller buffer serves, which costs less to clear.
const SMALL: usize = 64;

/// The logits of a node's moves, in their order.
pub type PolicyLogits = ArrayVec<f32, MAX_MOVES>;

/// A policy network for play. It is `Sync`: all threads can share one.
#[derive(Clone, Debug)]
pub struct QuantizedPolicyNet {
    kernels: &'static Kernels,
    trunk: Trunk,
    /// `(width)`: from units of the trunk's sums to those of the moves'.
    factors: Vec<f64>,
    /// `(MOVE_ROWS, width)`.
    table: Vec<CacheLine>,
    /// `(pairs of the width, hidden, 2)`, the pairs padded to whole blocks.
    hidden: Vec<CacheLine>,
    /// `(hidden)`.
    hidden_bias: Vec<i32>,
    /// `(hidden)`: the output's weights over the scales of the hidden layer.
    output: Vec<f32>,
    output_bias: f32,
    head: PolicyHead,
}

impl QuantizedPolicyNet {
    /// Quantizes a network for these kernels.
    ///
    /// # Panics
    /// Never with a network that a file may hold.
    pub fn new(net: &PolicyNet, kernels: &'static Kernels) -> QuantizedPolicyNet {
        let (params, topology) = (net.params(), net.params().topology());
        let (width, outputs) = (topology.width(), topology.hidden());
        let (body, sizes) = position_part(net);
        let (trunk, base) = Trunk::new(&body, &sizes, kernels);
        let mut table = cache_lines(MOVE_ROWS * width);
        let (rows, _) = params.layer(PolicyLayer::Rows);
        let to: &mut [i16] = bytemuck::cast_slice_mut(&mut table);
        let moves = policy_rows::rows(rows, &base, &mut to[..MOVE_ROWS * width]);
        let mut hidden = cache_lines(width.next_multiple_of(PAIRS_BLOCK) * outputs);
        let (mut hidden_bias, mut output) = (vec![0; outputs], vec![0.0; outputs]);
        let (output_weights, output_bias) = params.layer(PolicyLayer::Output);
        for (j, weight) in output_weights.iter().enumerate() {
            let column = dense(params.layer(PolicyLayer::Hidden), &moves.inputs, j);
            let to: &mut [i16] = bytemuck::cast_slice_mut(&mut hidden);
            for (i, weight) in column.weights.iter().enumerate() {
                to[(i / 2 * outputs + j) * 2 + i % 2] = *weight;
            }
            hidden_bias[j] = column.bias;
            output[j] = (f64::from(*weight) / column.scale) as f32;
        }
        let (factors, output_bias, head) = (moves.factors, output_bias[0], net.head());
        QuantizedPolicyNet { kernels, trunk, factors, table, hidden, hidden_bias, output, output_bias, head }
    }

    /// How its logits become probabilities.
    pub fn head(&self) -> PolicyHead {
        self.head
    }

    /// The logits of a position's moves, given by their rows, in the last of `passes` passes; the same bits with any
    /// kernels. Allocates nothing.
    ///
    /// # Panics
    /// If there are more than `MAX_MOVES` moves.
    #[inline(never)]
    pub fn logits(&self, position: &Position, node: &NodeRows, moves: &[MoveRows], passes: usize) -> PolicyLogits {
        self.kernels.run(OfMoves { net: self, position, node, moves, passes })
    }

    #[inline(always)]
    fn logits_within<B: Backend, const FIRST: usize, const WIDTH: usize>(&self, of: &OfMoves<'_>) -> PolicyLogits {
        let table: &[i16] = bytemuck::cast_slice(&self.table);
        let width = self.factors.len();
        let mut position = Rows::EMPTY;
        position.set::<B>(&MoverView::of(of.position));
        let (mut sums, mut base) = ([0; WIDTH], [0_i16; WIDTH]);
        let sums = &mut sums[..width];
        self.trunk.sums::<B, FIRST>(&position, sums);
        for ((base, sum), factor) in base.iter_mut().zip(&*sums).zip(&self.factors) {
            *base = round(f64::from(*sum) * factor);
        }
        let base = &mut base[..width];
        B::add_rows(table, &RowList::new(of.node), base);

        let net = BatchedHead {
            table,
            weights: &bytemuck::cast_slice(&self.hidden)
                [..width.next_multiple_of(PAIRS_BLOCK) * self.hidden_bias.len()],
            bias: &self.hidden_bias,
            output: &self.output,
            output_bias: self.output_bias,
        };
        let count = of.moves.len();
        let (mut logits, mut ranks) = ([0.0; MAX_MOVES], [rank_row(0); MAX_MOVES]);
        let (logits, ranks) = (&mut logits[..count], &mut ranks[..count]);
        if of.passes == 1 {
            B::batched_head(&net, base, of.moves, ranks, None, logits);
        } else {
            let mut kept: ArrayVec<[i16; WIDTH], MAX_MOVES> = of.moves.iter().map(|_| [0; WIDTH]).collect();
            let kept = &mut kept.as_flattened_mut()[..count * width];
            B::batched_head(&net, base, of.moves, ranks, Some(kept), logits);
            for _ in 1..of.passes {
                rank(logits, ranks);
                ranks.iter_mut().for_each(|rank| *rank = rank_row(usize::from(*rank)));
                B::batched_head_repeat(&net, kept, ranks, logits);
            }
        }
        logits.iter().copied().collect()
    }
}

const _: () = assert!(MAX_POLICY_WIDTH <= MAX_WIDTH);

/// `(move)`: how many moves have a greater logit, or the same and stand before.
#[inline(always)]
pub fn rank(logits: &[f32], ranks: &mut [u16]) {
    let mut order: ArrayVec<(f32, u16), MAX_MOVES> =
        logits.iter().zip(0..).map(|(logit, index)| (*logit, index)).collect();
    order.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    for ((_, index), rank) in order.iter().zip(0..) {
        ranks[usize::from(*index)] = rank;
    }
}

struct OfMoves<'a> {
    net: &'a QuantizedPolicyNet,
    position: &'a Position,
    node: &'a NodeRows,
    moves: &'a [MoveRows],
    passes: usize,
}

impl Task for OfMoves<'_> {
    type Output = PolicyLogits;

    #[inline(always)]
    fn run<B: Backend>(self) -> PolicyLogits {
        if self.net.factors.len() <= SMALL && self.net.hidden_bias.len() <= SMALL && self.net.trunk.is_small() {
            self.net.logits_within::<B, SMALL_FIRST, SMALL>(&self)
        } else {
            self.net.logits_within::<B, MAX_FIRST, MAX_POLICY_WIDTH>(&self)
        }
    }
}

//! The policy network in f32 (thesis 6): how likely it is that a move is the best of its node.
//!
//! ```text
//! first_g = relu(x_g W_g + b_g)       base = first W_base + b_base + rows of the node       once a node
//! sum_m   = base + rows of move m     hidden_m = relu(relu(sum_m) W + b)                    for each move
//! logit_m = hidden_m . w + c          p = softmax(logit)
//! ```
//! The first pass takes every move for the most probable; the second has the row of the rank that the first pass gives
//! it.
//!
//! CITE: Lai 2015, Giraffe, section 6.1 (the features and the two passes); Silver et al. 2016, Mastering the Game of
//! Go with Deep Neural Networks and Tree Search: a softmax over the legal moves.
//!
//! The forward pass is the reference: a [`PolicyBatch`](crate::PolicyBatch) of training has its bits.

use feature_maps::Features;
use feature_maps::moves::{MoveRows, NodeRows, rank_row};
use kernels::Kernels;
use kernels::activations::relu;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use crate::params::Params;
use crate::permutation::Permutation;
use crate::policy::head::PolicyHead;
use crate::policy::topology::{PolicyLayer, PolicyTopology};
use crate::shape::Shape;
use crate::value::forward::{normal, uniform};

/// The bound of the output's first weights: a new network gives all moves nearly the same probability.
const OUTPUT_RANGE: f64 = 0.01;
/// The deviation of a row's first weights: of a move's many rows the sum has about that of a layer's.
const ROW_DEVIATION: f64 = 0.15;

/// A policy network.
#[derive(Clone, Debug)]
pub struct PolicyNet {
    params: Params<PolicyTopology>,
    head: PolicyHead,
    permutation: Permutation,
}

impl PartialEq for PolicyNet {
    /// Have both the same parameters and the same head? The permutation only changes the speed.
    fn eq(&self, other: &PolicyNet) -> bool {
        self.params == other.params && self.head == other.head
    }
}

/// A node as the network sees it.
#[derive(Clone, Debug)]
pub struct PolicyInputs {
    /// The position's features, (363).
    pub features: Box<Features>,
    /// The rows that the moves share.
    pub node: NodeRows,
    /// `(move)`: its rows.
    pub moves: Vec<MoveRows>,
}

impl PolicyNet {
    /// The network with these parameters, whose logits this head takes, its neurons in their order.
    pub fn new(params: Params<PolicyTopology>, head: PolicyHead) -> PolicyNet {
        let permutation = Permutation::identity(params.topology().groups());
        PolicyNet { params, head, permutation }
    }

    /// A new network, the same bits for a seed on every machine: weights N(0, 2 / inputs), rows N(0, .15^2), U(±.01) in
    /// the output, biases 0.
    pub fn random(topology: PolicyTopology, head: PolicyHead, seed: u64) -> PolicyNet {
        let mut params = Params::zeros(topology);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        for &layer in topology.layers() {
            let (inputs, _) = topology.shape(layer);
            for weight in params.layer_mut(layer).0 {
                *weight = match layer {
                    PolicyLayer::Output => OUTPUT_RANGE * (2.0 * uniform(&mut rng) - 1.0),
                    PolicyLayer::Rows => ROW_DEVIATION * normal(&mut rng),
                    _ => (2.0 / inputs as f64).sqrt() * normal(&mut rng),
                } as f32;
            }
        }
        PolicyNet::new(params, head)
    }

    /// How its logits become probabilities.
    pub fn head(&self) -> PolicyHead {
        self.head
    }

    /// The order of the neurons in the quantized network.
    pub fn permutation(&self) -> &Permutation {
        &self.permutation
    }

    /// Changes the order of the neurons in the quantized network.
    pub(crate) fn set_permutation(&mut self, permutation: Permutation) {
        self.permutation = permutation;
    }

    /// The parameters.
    pub fn params(&self) -> &Params<PolicyTopology> {
        &self.params
    }

    /// The parameters, for an optimizer.
    pub fn params_mut(&mut self) -> &mut Params<PolicyTopology> {
        &mut self.params
    }

    /// The logits of the node's moves in the pass in which each has this rank, `(move)`.
    pub fn forward(&self, inputs: &PolicyInputs, ranks: &[usize], scratch: &mut PolicyScratch) -> Vec<f32> {
        let PolicyScratch { kernels, first, sum, hidden } = scratch;
        let (mut x, mut y) = (inputs.features.as_slice(), first.as_mut_slice());
        for layer in PolicyLayer::GROUPS {
            let (inputs, outputs) = self.params.topology().shape(layer);
            let ((x_group, x_rest), (y_group, y_rest)) = (x.split_at(inputs), y.split_at_mut(outputs));
            let (weights, bias) = self.params.layer(layer);
            (kernels.affine)(x_group, weights, bias, y_group);
            (x, y) = (x_rest, y_rest);
        }
        first.iter_mut().for_each(|y| *y = relu(*y));
        let (weights, bias) = self.params.layer(PolicyLayer::Base);
        let mut base = vec![0.0; bias.len()];
        (kernels.affine)(first, weights, bias, &mut base);
        let (rows, _) = self.params.layer(PolicyLayer::Rows);
        let add = |sum: &mut [f32], row: &u16| {
            let row = &rows[usize::from(*row) * sum.len()..][..sum.len()];
            sum.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
        };
        inputs.node.iter().for_each(|row| add(&mut base, row));
        let (weights, bias) = self.params.layer(PolicyLayer::Hidden);
        let (output, output_bias) = self.params.layer(PolicyLayer::Output);
        let logit = |(moves, rank): (&MoveRows, &usize)| {
            sum.copy_from_slice(&base);
            moves.iter().chain([&rank_row(*rank)]).for_each(|row| add(sum, row));
            sum.iter_mut().for_each(|y| *y = relu(*y));
            (kernels.affine)(sum, weights, bias, hidden);
            hidden.iter_mut().for_each(|y| *y = relu(*y));
            (kernels.dot)(hidden, output) + output_bias[0]
        };
        inputs.moves.iter().zip(ranks).map(logit).collect()
    }
}

/// Room for a forward pass.
#[derive(Clone, Debug)]
pub struct PolicyScratch {
    kernels: &'static Kernels,
    first: Vec<f32>,
    sum: Vec<f32>,
    hidden: Vec<f32>,
}

impl PolicyScratch {
    /// Room for networks of these sizes, with these kernels.
    pub fn new(topology: &PolicyTopology, kernels: &'static Kernels) -> PolicyScratch {
        PolicyScratch {
            kernels,
            first: vec![0.0; topology.first_outputs()],
            sum: vec![0.0; topology.width()],
            hidden: vec![0.0; topology.hidden()],
        }
    }
}

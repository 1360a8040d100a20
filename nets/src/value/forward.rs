//! The value network in f32, and its forward pass of one position.
//!
//! ```text
//! first_g = relu(x_g W_g + b_g)   hidden = relu(first W + b)   value = tanh(hidden . w + c)
//! ```
//! and with a piece placement `tanh(hidden . w + c + us . w_us + them . w_them)`, where `us` and `them` are
//! `relu(b_p + the rows of W_p of the pieces)` in either side's view. An output in buckets has another `w`, `w_us` and `w_them`
//! for every four numbers of pieces.
//!
//! CITE: Lai 2015, Giraffe, sections 4.2 (the network) and 4.4 (its start).
//!
//! The forward pass is the reference: a [`ValueBatch`](crate::ValueBatch) of training has its bits, and the quantized
//! [`QuantizedValueNet`](crate::QuantizedValueNet) stays near to it.

use feature_maps::placement::Placement;
use kernels::Kernels;
use kernels::activations::relu;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::draw::neutral_draw;
use super::head;
use crate::params::Params;
use crate::permutation::Permutation;
use crate::shape::Shape;
use crate::value::topology::{Layer, NetworkTopology, Topology};

/// The bound of the output's first weights: a new network values every position near 0.
const OUTPUT_RANGE: f64 = 0.01;

/// A value network: the chance of the side to move, from -1 (lost) to 1 (won).
#[derive(Clone, Debug)]
pub struct ValueNet {
    params: Params<Topology>,
    permutation: Permutation,
    kappa: f32,
}

impl PartialEq for ValueNet {
    /// Have both the same parameters? The permutation only changes the speed.
    fn eq(&self, other: &ValueNet) -> bool {
        self.params == other.params && self.kappa == other.kappa
    }
}

impl ValueNet {
    /// The network with these parameters, its neurons in their order, and a kappa of 1.
    pub fn new(params: Params<Topology>) -> ValueNet {
        let permutation = Permutation::identity(params.topology().groups());
        ValueNet { params, permutation, kappa: 1.0 }
    }

    /// A new network, the same bits for a seed on every machine: weights N(0, 2 / outputs) in the hidden layers,
    /// U(±.01) in the output, biases 0; the second output is [`neutral_draw`].
    pub fn random(topology: impl Into<Topology>, seed: u64) -> ValueNet {
        let topology = topology.into();
        let mut params = Params::zeros(topology);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        for &layer in topology.layers() {
            let (_, outputs) = topology.shape(layer);
            let deviation = (2.0 / outputs as f64).sqrt();
            for weight in params.layer_mut(layer).0 {
                *weight = match layer {
                    // Neither needs noise to begin with.
                    Layer::Linear | Layer::Draw => 0.0,
                    Layer::Output => OUTPUT_RANGE * (2.0 * uniform(&mut rng) - 1.0),
                    _ => deviation * normal(&mut rng),
                } as f32;
            }
        }
        params.layer_mut(Layer::Draw).1.fill(neutral_draw());
        ValueNet::new(params)
    }

    /// The scale from the logit to that of results, positive (see `nets/src/value/draw.rs`); 1 without a second output.
    pub fn kappa(&self) -> f32 {
        self.kappa
    }

    /// Changes the scale from the logit to that of results.
    pub fn set_kappa(&mut self, kappa: f32) {
        debug_assert!(kappa == 1.0 || self.params.topology().has_draw(), "kappa is fitted with a second output");
        self.kappa = kappa;
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
    pub fn params(&self) -> &Params<Topology> {
        &self.params
    }

    /// The parameters alone.
    pub(crate) fn into_params(self) -> Params<Topology> {
        self.params
    }

    /// The parameters, for an optimizer.
    pub fn params_mut(&mut self) -> &mut Params<Topology> {
        &mut self.params
    }

    /// The value in `[-1, 1]` of the features `x` (363) and the placement of the pieces, which a network without one does
    /// not look at; `scratch` keeps the outputs of the layers.
    ///
    /// # Panics
    /// If `x` has another length, `scratch` or the placement are for another topology, or the network is linear.
    pub fn forward(&self, x: &[f32], pieces: &Placement, scratch: &mut ValueScratch) -> f32 {
        let Topology::Network(topology) = self.params.topology() else { panic!("a linear evaluator has no layers") };
        let ValueScratch { kernels, first, hidden, placement } = scratch;
        let (mut x, mut y) = (x, first.as_mut_slice());
        for layer in Layer::GROUPS {
            let (inputs, outputs) = topology.shape(layer);
            let ((x_group, x_rest), (y_group, y_rest)) = (x.split_at(inputs), y.split_at_mut(outputs));
            let (weights, bias) = self.params.layer(layer);
            (kernels.affine)(x_group, weights, bias, y_group);
            (x, y) = (x_rest, y_rest);
        }
        assert!(x.is_empty(), "a position has as many features as the network has inputs");
        first.iter_mut().for_each(|y| *y = relu(*y));
        let (weights, bias) = self.params.layer(Layer::Hidden);
        (kernels.affine)(first, weights, bias, hidden);
        hidden.iter_mut().for_each(|y| *y = relu(*y));
        let (weights, bias) = self.params.layer(Layer::Output);
        let weights = &weights[topology.output_weights(pieces.pieces())];
        let (of_hidden, of_placement) = weights.split_at(hidden.len());
        let mut sum = (kernels.dot)(hidden, of_hidden) + bias[0];
        if !placement.is_empty() {
            let layer = self.params.layer(Layer::Placement);
            for (rows, weights) in pieces.rows().into_iter().zip(of_placement.chunks_exact(placement.len())) {
                rectified_rows(layer, rows, placement);
                sum += (kernels.dot)(placement, weights);
            }
        }
        head::value(sum)
    }
}

/// What a forward pass leaves: the outputs of its layers.
#[derive(Clone, Debug)]
pub struct ValueScratch {
    kernels: &'static Kernels,
    /// After ReLU, (first outputs).
    first: Vec<f32>,
    /// After ReLU, (hidden).
    hidden: Vec<f32>,
    /// After ReLU, (placement), of one view.
    placement: Vec<f32>,
}

/// `y = relu(bias + the rows of the weights with these numbers)`, added in order: a view of the piece placement.
///
/// Shapes: weights (inputs, outputs), bias, `y` (outputs).
#[inline(always)]
fn rectified_rows((weights, bias): (&[f32], &[f32]), rows: &[u16], y: &mut [f32]) {
    y.copy_from_slice(bias);
    for row in rows {
        let weights = &weights[usize::from(*row) * y.len()..][..y.len()];
        y.iter_mut().zip(weights).for_each(|(y, weight)| *y += weight);
    }
    y.iter_mut().for_each(|y| *y = relu(*y));
}

impl ValueScratch {
    /// The outputs of the first layers in the last forward pass, after ReLU, (first outputs).
    pub fn first(&self) -> &[f32] {
        &self.first
    }

    /// The outputs of the hidden layer in the last forward pass, after ReLU, (hidden).
    pub fn hidden(&self) -> &[f32] {
        &self.hidden
    }

    /// Room for networks of these sizes, with these kernels; none for a linear evaluator.
    pub fn new(topology: &Topology, kernels: &'static Kernels) -> ValueScratch {
        let room = |width: fn(&NetworkTopology) -> usize| vec![0.0; topology.network().map_or(0, width)];
        let (first, hidden) = (room(NetworkTopology::first_outputs), room(NetworkTopology::hidden));
        ValueScratch { kernels, first, hidden, placement: room(NetworkTopology::placement) }
    }
}

/// Uniform in `[0, 1)`, a multiple of 2^-53.
pub(crate) fn uniform(rng: &mut impl Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// Normal with mean 0 and variance 1, nearly: twelve uniforms less 6. It needs no logarithm, whose bits differ between
/// machines, and its lack of a tail beyond 6 deviations does not matter here.
pub(crate) fn normal(rng: &mut impl Rng) -> f64 {
    (0..12).map(|_| uniform(rng)).sum::<f64>() - 6.0
}

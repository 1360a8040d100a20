//! The value network over a batch of positions, forward and backward: products of matrices, one task each.
//!
//! ```text
//! first_g  = relu(x_g W_g + b_g)      hidden  = relu(first W + b)        value = tanh(hidden . w + c)
//!
//! d_sum    = slope (1 - value^2)      dw     += hidden^T d_sum           dc   += d_sum
//! d_hidden = d_sum w^T, where hidden  dW     += first^T d_hidden         db   += d_hidden
//! d_first  = d_hidden W^T, where first  dW_g += x_g^T d_first_g          db_g += d_first_g
//! ```
//! The rows of all matrices are positions. Every sum is made in order, of inputs or of positions, so that the values
//! are the bits of [`ValueNet::forward`](crate::ValueNet::forward) and a gradient does not depend on the instruction
//! set. Zeros, of features and after ReLU, are found once and skipped in both directions.

use feature_maps::Features;
use feature_maps::layout::GROUPS;
use feature_maps::layout::INPUTS;
use kernels::aligned::Aligned;
use kernels::nonzeros::{Nonzeros, WORD};
use kernels::sparse_product::{Right, SparseLeft, Sum};
use kernels::vector::padded;
use kernels::{Backend, Kernels, Task};

use super::head;
use crate::layers::{OutputLayer, add_rows, begin_with_bias, relu_all, relu_backward};
use crate::params::Params;
use crate::value::batch_weights::{ValueBatchWeights, first_columns, first_width, places};
use crate::value::topology::{Layer, Topology};

/// The most positions of a batch: few enough that its matrices stay in the cache.
pub const BATCH: usize = WORD;

/// The gradient of a layer: weights `(inputs, stride)`, bias `(stride)`.
#[derive(Clone, Debug)]
struct LayerGradient {
    weights: Aligned,
    bias: Vec<f32>,
}

/// Where a matrix is not zero: for the products forward, and for those of its transpose, backward.
#[derive(Clone, Debug, Default)]
struct BothWays {
    straight: Nonzeros,
    transposed: Nonzeros,
}

/// A batch, and the sum of the gradients of all batches before.
#[derive(Clone, Debug)]
pub struct ValueBatch {
    kernels: &'static Kernels,
    topology: Topology,
    /// `(position, 363)`.
    features: Vec<Features>,
    /// `(group)`: those of `(position, inputs)`, and of the transpose.
    of_inputs: [BothWays; GROUPS],
    /// `(position, first width)`, after ReLU.
    first: Aligned,
    of_first: BothWays,
    /// `(position, hidden padded)`, after ReLU.
    hidden: Aligned,
    of_hidden: Nonzeros,
    /// `(position)`.
    values: Vec<f32>,
    /// `(position, first width)`.
    d_first: Aligned,
    /// `(position, hidden padded)`.
    d_hidden: Aligned,
    /// Bits of the first outputs and of the hidden ones that were not zero.
    active: [Vec<u64>; 2],
    /// `(layer)`, in the order of [`Layer::ALL`].
    gradient: [LayerGradient; Layer::ALL.len()],
}

impl ValueBatch {
    /// Room for networks of these sizes.
    pub fn new(topology: &Topology, kernels: &'static Kernels) -> ValueBatch {
        let gradient = Layer::ALL.map(|layer| {
            let (inputs, outputs) = topology.shape(layer);
            let inputs = if layer == Layer::Hidden { first_width(topology) } else { inputs };
            let stride = stride(layer, outputs);
            LayerGradient { weights: Aligned::zeros(padded(inputs * stride)), bias: vec![0.0; stride] }
        });
        ValueBatch {
            kernels,
            topology: *topology,
            features: Vec::with_capacity(BATCH),
            of_inputs: Default::default(),
            first: Aligned::default(),
            of_first: BothWays::default(),
            hidden: Aligned::default(),
            of_hidden: Nonzeros::default(),
            values: Vec::new(),
            d_first: Aligned::default(),
            d_hidden: Aligned::default(),
            active: Default::default(),
            gradient,
        }
    }

    /// Begins a batch of `positions` positions, at most [`BATCH`], and returns the place `(position)` for their
    /// features, which holds those of an earlier batch.
    pub fn begin(&mut self, positions: usize) -> &mut [Features] {
        self.features.resize(positions, [0.0; INPUTS]);
        &mut self.features
    }

    /// The values of all positions, `[-1, 1]`, each for its side to move.
    ///
    /// # Panics
    /// If there are more than [`BATCH`] positions or the weights are of another topology.
    pub fn forward(&mut self, weights: &ValueBatchWeights) -> &[f32] {
        assert!(self.features.len() <= BATCH, "a batch has at most {BATCH} positions");
        assert_eq!(*weights.params.topology(), self.topology, "a batch has room for one topology");
        self.kernels.run(Forward { batch: self, weights });
        &self.values
    }

    /// Adds to the gradient the derivatives of a loss with these slopes in the values of the last
    /// [`forward`](Self::forward), `(position)`.
    ///
    /// # Panics
    /// If there are not as many slopes as positions.
    pub fn backward(&mut self, weights: &ValueBatchWeights, slopes: &[f32]) {
        assert_eq!(slopes.len(), self.values.len(), "every position has a slope");
        self.kernels.run(Backward { batch: self, weights, slopes });
    }

    /// After [`forward`](Self::forward), for every output of the first layers: the bits of the positions that activated
    /// it.
    pub(crate) fn first_active(&mut self) -> impl Iterator<Item = u64> {
        self.of_first.transposed.set_transposed(&self.of_first.straight);
        let rows: Vec<u64> = self.of_first.transposed.rows().map(|row| row[0]).collect();
        first_columns(&self.topology).map(move |column| rows[column])
    }

    /// For every unit of the first layers and then of the hidden one: whether any position since the last
    /// [`take_gradient`](Self::take_gradient) activated it.
    pub fn active(&self) -> impl Iterator<Item = bool> {
        let [first, hidden] = &self.active;
        let of =
            |row: &[u64], column: usize| row.get(column / WORD).is_some_and(|bits| bits >> (column % WORD) & 1 != 0);
        let first = first_columns(&self.topology).map(move |column| of(first, column));
        first.chain((0..self.topology.hidden()).map(move |unit| of(hidden, unit)))
    }

    /// Adds the gradient of all batches since the last call to `to`, and begins a new one.
    pub fn take_gradient(&mut self, to: &mut Params<Topology>) {
        let topology = self.topology;
        self.active.iter_mut().for_each(Vec::clear);
        for (layer, from) in Layer::ALL.into_iter().zip(&mut self.gradient) {
            let (inputs, outputs) = topology.shape(layer);
            let (weights, bias) = to.layer_mut(layer);
            let mut columns = first_columns(&topology);
            for (input, to) in (0..inputs).zip(weights.chunks_exact_mut(outputs)) {
                let row = if layer == Layer::Hidden { columns.next().unwrap_or(input) } else { input };
                let from = &from.weights[row * stride(layer, outputs)..];
                to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
            }
            bias.iter_mut().zip(&from.bias).for_each(|(to, from)| *to += from);
            from.weights.fill(0.0);
            from.bias.fill(0.0);
        }
    }
}

struct Forward<'a> {
    batch: &'a mut ValueBatch,
    weights: &'a ValueBatchWeights,
}

impl Task for Forward<'_> {
    type Output = ();

    #[inline(always)]
    fn run<B: Backend>(self) {
        let ValueBatch { topology, features, of_inputs, first, of_first, hidden, of_hidden, values, active, .. } =
            self.batch;
        let (rows, params) = (features.len(), &self.weights.params);
        let (width, padded_hidden) = (first_width(topology), padded(topology.hidden()));
        values.clear();
        first.clear(rows * width);
        for ((place, of_inputs), weights) in places(topology).into_iter().zip(of_inputs).zip(&self.weights.groups) {
            let inputs = place.features.clone();
            of_inputs
                .straight
                .set::<B>(place.features.len(), features.iter().map(|features| &features[inputs.clone()]));
            let first = first.get_mut(place.from..).unwrap_or_default();
            begin_with_bias(first, width, params.layer(place.layer).1);
            let right = Right { values: weights, stride: place.width, width: place.width };
            B::add_sparse_product(
                straight(features, place.features.start, &of_inputs.straight),
                right,
                Sum { values: first, stride: width },
            );
        }
        relu_all(first);
        of_first.straight.set::<B>(width, first.chunks_exact(width));
        of_first.straight.unite(&mut active[0]);

        hidden.clear(rows * padded_hidden);
        begin_with_bias(hidden, padded_hidden, params.layer(Layer::Hidden).1);
        let left = SparseLeft { values: first, nonzeros: &of_first.straight, row_stride: width, depth_stride: 1 };
        let right = Right { values: &self.weights.hidden, stride: padded_hidden, width: padded_hidden };
        B::add_sparse_product(left, right, Sum { values: hidden, stride: padded_hidden });
        relu_all(hidden);
        let units = topology.hidden();
        of_hidden.set::<B>(units, hidden.chunks_exact(padded_hidden).map(|row| &row[..units]));
        of_hidden.unite(&mut active[1]);

        let (weights, bias) = params.layer(Layer::Output);
        for row in hidden.chunks_exact(padded_hidden) {
            values.push(head::value(B::dot(&row[..weights.len()], weights) + bias[0]));
        }
    }
}

struct Backward<'a> {
    batch: &'a mut ValueBatch,
    weights: &'a ValueBatchWeights,
    slopes: &'a [f32],
}

impl Task for Backward<'_> {
    type Output = ();

    #[inline(always)]
    fn run<B: Backend>(self) {
        let ValueBatch {
            topology,
            features,
            of_inputs,
            first,
            of_first,
            hidden,
            of_hidden,
            values,
            d_first,
            d_hidden,
            gradient,
            ..
        } = self.batch;
        let [group_gradients @ .., hidden_gradient, output_gradient] = gradient;
        let (rows, width, padded_hidden) = (features.len(), first_width(topology), padded(topology.hidden()));

        let (output, _) = self.weights.params.layer(Layer::Output);
        d_hidden.clear(rows * padded_hidden);
        let d_sums = values.iter().zip(self.slopes).map(|(value, slope)| slope * head::slope(*value));
        let LayerGradient { weights: d_weights, bias: d_bias } = output_gradient;
        OutputLayer { weights: output, d_weights, d_bias }.backward(hidden, d_sums, d_hidden, padded_hidden);

        add_rows(d_hidden, 0, &mut hidden_gradient.bias, padded_hidden);
        of_first.transposed.set_transposed(&of_first.straight);
        let left = SparseLeft { values: first, nonzeros: &of_first.transposed, row_stride: 1, depth_stride: width };
        let right = Right { values: d_hidden, stride: padded_hidden, width: padded_hidden };
        B::add_sparse_product(left, right, Sum { values: &mut hidden_gradient.weights, stride: padded_hidden });

        d_first.clear(rows * width);
        // Where the hidden layer is zero, so is its gradient.
        let left = SparseLeft { values: d_hidden, nonzeros: of_hidden, row_stride: padded_hidden, depth_stride: 1 };
        let right = Right { values: &self.weights.hidden_transposed, stride: width, width };
        B::add_sparse_product(left, right, Sum { values: d_first, stride: width });
        relu_backward(d_first, first);

        for ((gradient, place), of_inputs) in group_gradients.iter_mut().zip(places(topology)).zip(of_inputs) {
            add_rows(d_first, place.from, &mut gradient.bias[..place.outputs], width);
            let d_first = d_first.get(place.from..).unwrap_or_default();
            of_inputs.transposed.set_transposed(&of_inputs.straight);
            let left = straight(features, place.features.start, &of_inputs.transposed);
            let transposed = SparseLeft { row_stride: left.depth_stride, depth_stride: left.row_stride, ..left };
            let right = Right { values: d_first, stride: width, width: place.width };
            B::add_sparse_product(transposed, right, Sum { values: &mut gradient.weights, stride: place.width });
        }
    }
}

/// From one row of a layer's gradient to the next: whole vectors, where the row is a result of products.
fn stride(layer: Layer, outputs: usize) -> usize {
    if layer == Layer::Output { outputs } else { padded(outputs) }
}

/// `(position, inputs of a first layer)`.
#[inline(always)]
fn straight<'a>(features: &'a [Features], first: usize, nonzeros: &'a Nonzeros) -> SparseLeft<'a> {
    let values = features.as_flattened().get(first..).unwrap_or_default();
    SparseLeft { values, nonzeros, row_stride: INPUTS, depth_stride: 1 }
}

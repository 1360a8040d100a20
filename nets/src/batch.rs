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
//! are the bits of [`ValueNet::forward`] and a gradient does not depend on the instruction set.

use feature_maps::Features;
use feature_maps::layout::INPUTS;
use kernels::activations::{relu, tanh, tanh_slope};
use kernels::product::{Left, Panels};
use kernels::vector::padded;
use kernels::{Backend, Kernels, Task};

use crate::params::Params;
use crate::topology::{Layer, Topology, first_input};
use crate::value_net::ValueNet;

/// The most positions of a batch: few enough that its matrices stay in the cache.
pub const BATCH: usize = 64;

/// A network's weights as the products want them: to be set once a step and shared by all batches.
#[derive(Clone, Debug)]
pub struct BatchWeights {
    params: Params,
    groups: [Panels; 3],
    hidden: Panels,
    hidden_transposed: Panels,
}

impl BatchWeights {
    /// The weights of this network.
    pub fn new(net: &ValueNet) -> BatchWeights {
        let mut weights = BatchWeights {
            params: net.params().clone(),
            groups: Default::default(),
            hidden: Panels::default(),
            hidden_transposed: Panels::default(),
        };
        weights.set(net);
        weights
    }

    /// Becomes the weights of another network.
    pub fn set(&mut self, net: &ValueNet) {
        self.params.clone_from(net.params());
        let set = |panels: &mut Panels, layer: Layer| {
            let (inputs, outputs) = net.params().topology().shape(layer);
            panels.set(net.params().layer(layer).0, inputs, outputs, outputs);
        };
        self.groups.iter_mut().zip(Layer::GROUPS).for_each(|(panels, layer)| set(panels, layer));
        set(&mut self.hidden, Layer::Hidden);
        let (inputs, outputs) = net.params().topology().shape(Layer::Hidden);
        self.hidden_transposed.set_transposed(net.params().layer(Layer::Hidden).0, outputs, inputs);
    }
}

/// The gradient of a layer: weights `(inputs, stride)`, bias `(stride)`.
#[derive(Clone, Debug)]
struct LayerGradient {
    weights: Vec<f32>,
    bias: Vec<f32>,
}

/// A batch in work, and the sum of the gradients of all batches before.
#[derive(Clone, Debug)]
pub struct Batch {
    kernels: &'static Kernels,
    topology: Topology,
    /// `(position, 363)`.
    features: Vec<Features>,
    /// `(position, outputs of the widest group, padded)`: of one group, before ReLU.
    sums: Vec<f32>,
    /// `(position, first outputs)`, after ReLU.
    first: Vec<f32>,
    /// `(position, hidden padded)`, after ReLU.
    hidden: Vec<f32>,
    /// `(position)`.
    values: Vec<f32>,
    /// `(position, first outputs padded)`.
    d_first: Vec<f32>,
    /// `(position, hidden padded)`.
    d_hidden: Vec<f32>,
    /// The gradient of one layer's sums, as the right side of a product.
    right: Panels,
    /// `(layer)`, in the order of [`Layer::ALL`].
    gradient: [LayerGradient; 5],
}

impl Batch {
    /// Room for networks of these sizes.
    pub fn new(topology: &Topology, kernels: &'static Kernels) -> Batch {
        let gradient = Layer::ALL.map(|layer| {
            let (inputs, outputs) = topology.shape(layer);
            let stride = stride(layer, outputs);
            LayerGradient { weights: vec![0.0; inputs * stride], bias: vec![0.0; stride] }
        });
        Batch {
            kernels,
            topology: *topology,
            features: Vec::with_capacity(BATCH),
            sums: Vec::new(),
            first: Vec::new(),
            hidden: Vec::new(),
            values: Vec::new(),
            d_first: Vec::new(),
            d_hidden: Vec::new(),
            right: Panels::default(),
            gradient,
        }
    }

    /// Begins a batch of at most [`BATCH`] positions, whose features are pushed to this list.
    pub fn begin(&mut self) -> &mut Vec<Features> {
        self.features.clear();
        &mut self.features
    }

    /// The values of all positions, `[-1, 1]`, each for its side to move.
    ///
    /// # Panics
    /// If there are more than [`BATCH`] positions or the weights are of another topology.
    pub fn forward(&mut self, weights: &BatchWeights) -> &[f32] {
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
    pub fn backward(&mut self, weights: &BatchWeights, slopes: &[f32]) {
        assert_eq!(slopes.len(), self.values.len(), "every position has a slope");
        self.kernels.run(Backward { batch: self, weights, slopes });
    }

    /// After [`forward`](Self::forward): the first layers' outputs of every position, after ReLU.
    pub fn first(&self) -> impl Iterator<Item = &[f32]> {
        self.first.chunks_exact(self.topology.first_outputs())
    }

    /// After [`forward`](Self::forward): the hidden layer's outputs of every position, after ReLU.
    pub fn hidden(&self) -> impl Iterator<Item = &[f32]> {
        self.hidden.chunks_exact(padded(self.topology.hidden())).map(|row| &row[..self.topology.hidden()])
    }

    /// Adds the gradient of all batches since the last call to `to`, and begins a new one.
    pub fn take_gradient(&mut self, to: &mut Params) {
        for (layer, from) in Layer::ALL.into_iter().zip(&mut self.gradient) {
            let (_, outputs) = self.topology.shape(layer);
            let (weights, bias) = to.layer_mut(layer);
            for (to, from) in weights.chunks_exact_mut(outputs).zip(from.weights.chunks_exact(stride(layer, outputs))) {
                to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
            }
            bias.iter_mut().zip(&from.bias).for_each(|(to, from)| *to += from);
            from.weights.fill(0.0);
            from.bias.fill(0.0);
        }
    }
}

struct Forward<'a> {
    batch: &'a mut Batch,
    weights: &'a BatchWeights,
}

impl Task for Forward<'_> {
    type Output = ();

    #[inline(always)]
    fn run<B: Backend>(self) {
        let Batch { topology, features, sums, first, hidden, values, .. } = self.batch;
        let (rows, params) = (features.len(), &self.weights.params);
        let width = topology.first_outputs();
        first.resize(rows * width, 0.0);
        let mut from = 0;
        for (panels, layer) in self.weights.groups.iter().zip(Layer::GROUPS) {
            let (_, outputs) = topology.shape(layer);
            begin(sums, rows, params.layer(layer).1);
            B::add_product(inputs(features, layer, topology), panels, sums);
            for (to, from_row) in first.chunks_exact_mut(width).zip(sums.chunks_exact(padded(outputs))) {
                to[from..from + outputs].iter_mut().zip(from_row).for_each(|(to, sum)| *to = relu(*sum));
            }
            from += outputs;
        }
        let (weights, bias) = params.layer(Layer::Output);
        begin(hidden, rows, params.layer(Layer::Hidden).1);
        let left = Left { values: first, rows, depth: width, row_stride: width, depth_stride: 1 };
        B::add_product(left, &self.weights.hidden, hidden);
        hidden.iter_mut().for_each(|sum| *sum = relu(*sum));
        values.clear();
        for row in hidden.chunks_exact(padded(weights.len())) {
            values.push(tanh(B::dot(&row[..weights.len()], weights) + bias[0]));
        }
    }
}

struct Backward<'a> {
    batch: &'a mut Batch,
    weights: &'a BatchWeights,
    slopes: &'a [f32],
}

impl Task for Backward<'_> {
    type Output = ();

    #[inline(always)]
    fn run<B: Backend>(self) {
        let Batch { topology, features, first, hidden, values, d_first, d_hidden, right, gradient, .. } = self.batch;
        let [group_gradients @ .., hidden_gradient, output_gradient] = gradient;
        let (rows, depth, width) = (features.len(), topology.hidden(), topology.first_outputs());
        let (padded_hidden, padded_first) = (padded(depth), padded(width));

        let (output, _) = self.weights.params.layer(Layer::Output);
        d_hidden.resize(rows * padded_hidden, 0.0);
        let of_rows = hidden.chunks_exact(padded_hidden).zip(d_hidden.chunks_exact_mut(padded_hidden));
        for ((hidden, d_hidden), (value, slope)) in of_rows.zip(values.iter().zip(self.slopes)) {
            let d_sum = slope * tanh_slope(*value);
            output_gradient.bias[0] += d_sum;
            output_gradient.weights.iter_mut().zip(hidden).for_each(|(d, y)| *d += y * d_sum);
            for ((d, w), y) in d_hidden.iter_mut().zip(output).zip(hidden) {
                *d = if *y > 0.0 { w * d_sum } else { 0.0 };
            }
        }

        add_rows(d_hidden, 0, &mut hidden_gradient.bias, padded_hidden);
        right.set(d_hidden, rows, depth, padded_hidden);
        let left = Left { values: first, rows: width, depth: rows, row_stride: 1, depth_stride: width };
        B::add_product(left, right, &mut hidden_gradient.weights);

        d_first.clear();
        d_first.resize(rows * padded_first, 0.0);
        let left = Left { values: d_hidden, rows, depth, row_stride: padded_hidden, depth_stride: 1 };
        B::add_product(left, &self.weights.hidden_transposed, d_first);
        for (d_first, first) in d_first.chunks_exact_mut(padded_first).zip(first.chunks_exact(width)) {
            d_first.iter_mut().zip(first).for_each(|(d, y)| *d = if *y > 0.0 { *d } else { 0.0 });
        }

        let mut from = 0;
        for (gradient, layer) in group_gradients.iter_mut().zip(Layer::GROUPS) {
            let (_, outputs) = topology.shape(layer);
            add_rows(d_first, from, &mut gradient.bias[..outputs], padded_first);
            right.set(d_first.get(from..).unwrap_or_default(), rows, outputs, padded_first);
            let Left { values, rows, depth, row_stride, depth_stride } = inputs(features, layer, topology);
            let turned = Left { values, rows: depth, depth: rows, row_stride: depth_stride, depth_stride: row_stride };
            B::add_product(turned, right, &mut gradient.weights);
            from += outputs;
        }
    }
}

/// From one row of a layer's gradient to the next: whole vectors, where the row is a result of products.
fn stride(layer: Layer, outputs: usize) -> usize {
    if layer == Layer::Output { outputs } else { padded(outputs) }
}

/// `(position, inputs of a first layer)`.
#[inline(always)]
fn inputs<'a>(features: &'a [Features], layer: Layer, topology: &Topology) -> Left<'a> {
    let values = features.as_flattened().get(first_input(layer)..).unwrap_or_default();
    Left { values, rows: features.len(), depth: topology.shape(layer).0, row_stride: INPUTS, depth_stride: 1 }
}

/// Every row begins with the bias, padded with zeros.
#[inline(always)]
pub(crate) fn begin(sums: &mut Vec<f32>, rows: usize, bias: &[f32]) {
    let width = padded(bias.len());
    sums.clear();
    sums.resize(rows * width, 0.0);
    sums.chunks_exact_mut(width).for_each(|row| row[..bias.len()].copy_from_slice(bias));
}

/// Adds a column range of every row to `sum`.
#[inline(always)]
pub(crate) fn add_rows(rows: &[f32], from: usize, sum: &mut [f32], width: usize) {
    for row in rows.chunks_exact(width) {
        sum.iter_mut().zip(&row[from..]).for_each(|(sum, value)| *sum += value);
    }
}

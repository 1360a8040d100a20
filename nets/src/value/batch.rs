//! The value network over a batch of positions, forward and backward: products of matrices, one task each.
//!
//! ```text
//! first_g  = relu(x_g W_g + b_g)      hidden  = relu(first W + b)        value = tanh(hidden . w + c)
//!
//! d_sum    = slope (1 - value^2)      dw     += hidden^T d_sum           dc   += d_sum
//! d_hidden = d_sum w^T, where hidden  dW     += first^T d_hidden         db   += d_hidden
//! d_first  = d_hidden W^T, where first  dW_g += x_g^T d_first_g          db_g += d_first_g
//! ```
//! A piece placement (see [`ValueNet`](crate::ValueNet)) adds to the sum before tanh; its rows' gradients are added one by one.
//!
//! A linear evaluator ([`super::linear`]) has none of this: its rows are summed, and their gradients added, one by one.
//!
//! The rows of all matrices are positions. Every sum is made in order, of inputs or of positions, so that the values
//! are the bits of [`ValueNet::forward`](crate::ValueNet::forward) and a gradient does not depend on the instruction
//! set. Zeros, of features and after ReLU, are found once and skipped in both directions.

use board::Position;
use feature_maps::Features;
use feature_maps::compact::{CompactFeatures, Unfold};
use feature_maps::layout::INPUTS;
use kernels::aligned::Aligned;
use kernels::nonzeros::WORD;
use kernels::vector::padded;
use kernels::{Backend, Kernels, Task};

use super::head;
use super::placement_batch::PlacementBatch;
use crate::layers::{Inputs, LayerGradient, Matrix};
use crate::params::Params;
use crate::value::batch_weights::{ValueBatchWeights, first_columns, first_width, places};
use crate::value::linear::LinearBatch;
use crate::value::topology::{Layer, Topology};

/// The most positions of a batch: few enough that its matrices stay in the cache.
pub const BATCH: usize = WORD;

/// Where the features of a batch's position come from.
#[derive(Clone, Copy, Debug)]
pub enum FeatureSource<'a> {
    /// They are extracted from the position.
    Position,
    /// They were extracted before.
    Compact(&'a CompactFeatures),
    /// They are these.
    Features(&'a Features),
}

/// A batch, and the sum of the gradients of all batches before.
#[derive(Clone, Debug)]
pub struct ValueBatch {
    kernels: &'static Kernels,
    topology: Topology,
    inputs: Inputs,
    /// `(position, first width)`, after ReLU.
    first: Matrix,
    /// `(position, hidden padded)`, after ReLU.
    hidden: Matrix,
    /// `(position)`.
    values: Vec<f32>,
    /// `(position, first width)`.
    d_first: Matrix,
    /// `(position, hidden padded)`.
    d_hidden: Matrix,
    /// Bits of the first outputs and of the hidden ones that were not zero.
    active: [Vec<u64>; 2],
    /// `(layer)`, in the order of [`Layer::ALL`].
    gradient: [LayerGradient; Layer::ALL.len()],
    /// Of networks that have a piece placement.
    placement: PlacementBatch,
    /// Of linear evaluators.
    linear: LinearBatch,
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
            inputs: Inputs::default(),
            first: Matrix::default(),
            hidden: Matrix::default(),
            values: Vec::new(),
            d_first: Matrix::default(),
            d_hidden: Matrix::default(),
            active: Default::default(),
            gradient,
            placement: PlacementBatch::new(topology),
            linear: LinearBatch::new(topology),
        }
    }

    /// Becomes a batch of these positions, at most [`BATCH`].
    ///
    /// # Panics
    /// If there are more.
    pub fn fill<'a>(&mut self, positions: impl Iterator<Item = &'a Position>) {
        self.fill_with(positions.map(|position| (position, FeatureSource::Position)));
    }

    /// The same with the features of each position from where they are at hand. A linear evaluator does not read them.
    ///
    /// # Panics
    /// If there are more than [`BATCH`] positions.
    pub fn fill_with<'a>(&mut self, positions: impl Iterator<Item = (&'a Position, FeatureSource<'a>)>) {
        let Self { kernels, inputs, placement, linear, .. } = self;
        placement.clear();
        linear.clear();
        let mut count = 0;
        for (position, source) in positions {
            count += 1;
            if linear.is_used() {
                linear.push(position);
                continue;
            }
            placement.push(position);
            if inputs.features.len() < count {
                inputs.features.push([0.0; INPUTS]);
            }
            let features = &mut inputs.features[count - 1];
            match source {
                FeatureSource::Position => feature_maps::extract(position, features),
                FeatureSource::Compact(from) => kernels.run(Unfold { from, to: features }),
                FeatureSource::Features(from) => features.copy_from_slice(from),
            }
        }
        assert!(count <= BATCH, "a batch has at most {BATCH} positions");
        inputs.features.truncate(count);
    }

    /// The values of all positions, `[-1, 1]`, each for its side to move.
    ///
    /// # Panics
    /// If the weights are of another topology.
    pub fn forward(&mut self, weights: &ValueBatchWeights) -> &[f32] {
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
        self.kernels.run(Backward { batch: self, weights, slopes, second: None });
    }

    /// The same for a loss that also has slopes `(position)` in a second output of the hidden layer, whose weights are `(hidden)`:
    /// its share of the gradient of all layers before it. That of its own weights is the sum of slope times [`hidden`](Self::hidden).
    ///
    /// # Panics
    /// As [`backward`](Self::backward).
    pub fn backward_both(&mut self, weights: &ValueBatchWeights, slopes: &[f32], second: (&[f32], &[f32])) {
        assert_eq!(slopes.len(), self.values.len(), "every position has a slope");
        assert_eq!(second.1.len(), self.values.len(), "every position has a second slope");
        self.kernels.run(Backward { batch: self, weights, slopes, second: Some(second) });
    }

    /// The outputs of the hidden layer in the last [`forward`](Self::forward), after ReLU, `(hidden)` of every position.
    pub fn hidden(&self) -> impl ExactSizeIterator<Item = &[f32]> {
        self.hidden.rows().map(|row| &row[..self.topology.hidden()])
    }

    /// After [`forward`](Self::forward), for every output of the first layers: the bits of the positions that activated
    /// it.
    pub(crate) fn first_active(&mut self) -> impl Iterator<Item = u64> {
        let rows: Vec<u64> = self.first.transposed().rows().map(|row| row[0]).collect();
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
            if outputs == 0 {
                continue;
            }
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
        let ValueBatch { topology, inputs, first, hidden, values, active, placement, linear, .. } = self.batch;
        if linear.is_used() {
            values.clear();
            return linear.forward::<B>(self.weights.params.layer(Layer::Linear), |sum| values.push(head::value(sum)));
        }
        first.begin(inputs.features.len(), &self.weights.first_bias);
        for (group, place) in places(topology).into_iter().enumerate() {
            inputs.add_product::<B>(group, &self.weights.groups[group], (place.from, place.width), first);
        }
        first.relu::<B>();
        first.nonzeros.unite(&mut active[0]);

        hidden.begin(first.rows().len(), &self.weights.hidden_bias);
        hidden.add_product::<B>(first, &self.weights.hidden);
        hidden.relu::<B>();
        hidden.nonzeros.unite(&mut active[1]);

        let (weights, bias) = self.weights.params.layer(Layer::Output);
        placement.forward(self.weights.params.layer(Layer::Placement));
        values.clear();
        for (position, row) in hidden.rows().enumerate() {
            let weights = &weights[topology.output_weights(placement.pieces(position))];
            let (of_hidden, of_placement) = weights.split_at(topology.hidden());
            let sum = B::dot(&row[..of_hidden.len()], of_hidden) + bias[0];
            values.push(head::value(placement.add_to::<B>(sum, position, of_placement)));
        }
    }
}

struct Backward<'a> {
    batch: &'a mut ValueBatch,
    weights: &'a ValueBatchWeights,
    slopes: &'a [f32],
    /// The weights of a second output, and its slopes.
    second: Option<(&'a [f32], &'a [f32])>,
}

impl Task for Backward<'_> {
    type Output = ();

    #[inline(always)]
    fn run<B: Backend>(self) {
        let ValueBatch {
            topology, inputs, first, hidden, values, d_first, d_hidden, gradient, placement, linear, ..
        } = self.batch;
        let [groups @ .., of_hidden, of_placement, of_linear, of_output] = gradient;
        let d_sums = values.iter().zip(self.slopes).map(|(value, slope)| slope * head::slope(*value));
        if linear.is_used() {
            return linear.backward::<B>(d_sums, of_linear);
        }
        let output = self.weights.params.layer(Layer::Output).0;
        let width = topology.hidden();
        placement.backward(output, d_sums.clone(), &mut of_output.weights, of_placement);
        let of_hidden_units = d_sums.enumerate().map(|(position, d_sum)| {
            let start = topology.output_weights(placement.pieces(position)).start;
            (start..start + width, d_sum)
        });
        let d_output: (&mut [f32], &mut [f32]) = (&mut of_output.weights, &mut of_output.bias);
        d_hidden.set_output_gradient::<B>(hidden, output, d_output, of_hidden_units);
        if let Some((weights, slopes)) = self.second {
            d_hidden.add_output_gradient::<B>(hidden, weights, slopes);
        }
        d_hidden.add_gradient::<B>(first, &mut of_hidden.weights, &mut of_hidden.bias);
        d_first.set_gradient::<B>(d_hidden, &self.weights.hidden_transposed, first);
        for (group, (gradient, place)) in groups.iter_mut().zip(places(topology)).enumerate() {
            d_first.add_rows_to(place.from, &mut gradient.bias);
            inputs.add_gradient::<B>(group, d_first, (place.from, place.width), &mut gradient.weights);
        }
    }
}

/// From one row of a layer's gradient to the next: whole vectors, where the row is a result of products.
fn stride(layer: Layer, outputs: usize) -> usize {
    if matches!(layer, Layer::Output | Layer::Linear) { outputs } else { padded(outputs) }
}

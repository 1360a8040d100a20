//! The layers of a network over a batch of positions, forward and backward: products of matrices.
//!
//! ```text
//! first_g  = relu(x_g W_g + b_g)      hidden  = relu(first W + b)        value = tanh(hidden . w + c)
//!
//! d_sum    = slope (1 - value^2)      dw     += hidden^T d_sum           dc   += d_sum
//! d_hidden = d_sum w^T, where hidden  dW     += first^T d_hidden         db   += d_hidden
//! d_first  = d_hidden W^T, where first  dW_g += x_g^T d_first_g          db_g += d_first_g
//! ```
//! A piece placement (see [`ValueNet`](crate::ValueNet)) adds to the sum before tanh; its rows' gradients are added one by one. A
//! second output, `o = hidden . w + b`, adds its slope times `w` to `d_hidden`.
//!
//! The rows of all matrices are positions. Zeros, of features and after ReLU, are found once and skipped in both directions.

use board::Position;
use feature_maps::layout::GROUPS;
use kernels::Backend;
use kernels::aligned::Aligned;
use kernels::nonzeros::WORD;
use kernels::vector::padded;

use super::column_blocks::add_blocks;
use super::head;
use super::placement_batch::PlacementBatch;
use crate::layers::{Inputs, LayerGradient, Matrix, merge};
use crate::params::Params;
use crate::value::batch_weights::{PaddedLayers, first_columns, first_width, places};
use crate::value::draw::draw_output;
use crate::value::topology::{Layer, NetworkTopology, Topology};

/// The layers of a batch, and the sum of the gradients of all batches before.
#[derive(Clone, Debug)]
pub struct NetworkBatch {
    topology: NetworkTopology,
    /// `(position, first width)`, after ReLU.
    first: Matrix,
    /// `(position, hidden padded)`, after ReLU.
    hidden: Matrix,
    /// `(position, first width)`.
    d_first: Matrix,
    /// `(position, hidden padded)`.
    d_hidden: Matrix,
    /// Bits of the first outputs and of the hidden ones that were not zero.
    active: [Vec<u64>; 2],
    /// `(layer)`: those of [`Layer::NETWORK`] but for the last; the piece placement's in blocks of columns.
    gradient: [LayerGradient; GROUPS + 3],
    /// `(hidden + 1)`: weights and bias of the second output; empty without one. In f64, as a sum over many thousands of positions.
    draw_gradient: Vec<f64>,
    /// Of networks that have a piece placement.
    placement: Option<PlacementBatch>,
}

/// The parameters, and the weights of the layers that are products.
pub type Weights<'a> = (&'a Params<Topology>, &'a PaddedLayers);

impl NetworkBatch {
    /// Room for networks of these sizes.
    pub fn new(topology: &NetworkTopology) -> NetworkBatch {
        let gradient = std::array::from_fn(|layer| {
            let layer = Layer::NETWORK[layer];
            let (inputs, outputs) = topology.shape(layer);
            let inputs = if layer == Layer::Hidden { first_width(topology) } else { inputs };
            let stride = stride(layer, outputs);
            LayerGradient { weights: Aligned::zeros(padded(inputs * stride)), bias: vec![0.0; stride] }
        });
        NetworkBatch {
            topology: *topology,
            first: Matrix::default(),
            hidden: Matrix::default(),
            d_first: Matrix::default(),
            d_hidden: Matrix::default(),
            active: Default::default(),
            gradient,
            draw_gradient: vec![0.0; if topology.has_draw() { topology.hidden() + 1 } else { 0 }],
            placement: PlacementBatch::new(topology),
        }
    }

    /// Begins a batch without positions.
    pub fn clear(&mut self) {
        self.placement.iter_mut().for_each(PlacementBatch::clear);
    }

    /// Adds the piece placement of a position, whose features the batch has.
    pub fn push(&mut self, position: &Position) {
        if let Some(placement) = &mut self.placement {
            placement.push(position);
        }
    }

    /// Adds the values of all positions to `values`.
    #[inline(always)]
    pub fn forward<B: Backend>(&mut self, (params, layers): Weights<'_>, inputs: &mut Inputs, values: &mut Vec<f32>) {
        let NetworkBatch { topology, first, hidden, active, placement, .. } = self;
        first.begin(inputs.features.len(), &layers.first_bias);
        for (group, place) in places(topology).into_iter().enumerate() {
            inputs.add_product::<B>(group, &layers.groups[group], (place.from, place.width), first);
        }
        first.relu::<B>();
        first.nonzeros.unite(&mut active[0]);

        hidden.begin(first.rows().len(), &layers.hidden_bias);
        hidden.add_product::<B>(first, &layers.hidden);
        hidden.relu::<B>();
        hidden.nonzeros.unite(&mut active[1]);

        let (weights, bias) = params.layer(Layer::Output);
        if let Some(placement) = placement {
            placement.forward::<B>(&layers.placement, params.layer(Layer::Placement).1);
        }
        for (position, row) in hidden.rows().enumerate() {
            let pieces = placement.as_ref().map_or(0, |placement| placement.pieces(position));
            let (of_hidden, of_placement) = weights[topology.output_weights(pieces)].split_at(topology.hidden());
            let mut sum = B::dot(&row[..of_hidden.len()], of_hidden) + bias[0];
            if let Some(placement) = placement {
                sum = placement.add_to::<B>(sum, position, of_placement);
            }
            values.push(head::value(sum));
        }
    }

    /// Adds to the gradient from those of the sums of the first output, `(position)`, and from the slopes of the second output,
    /// `(position)` or none at all.
    #[inline(always)]
    pub fn backward<B: Backend>(
        &mut self,
        (params, layers): Weights<'_>,
        inputs: &mut Inputs,
        d_sums: impl Iterator<Item = f32> + Clone,
        draw_slopes: &[f64],
    ) {
        let NetworkBatch { topology, first, hidden, d_first, d_hidden, gradient, placement, .. } = self;
        let [groups @ .., of_hidden, of_placement, of_output] = gradient;
        let output = params.layer(Layer::Output).0;
        let width = topology.hidden();
        if let Some(placement) = placement {
            placement.backward::<B>(output, d_sums.clone(), &mut of_output.weights, of_placement);
        }
        let of_hidden_units = d_sums.enumerate().map(|(position, d_sum)| {
            let pieces = placement.as_ref().map_or(0, |placement| placement.pieces(position));
            let start = topology.output_weights(pieces).start;
            (start..start + width, d_sum)
        });
        let d_output: (&mut [f32], &mut [f32]) = (&mut of_output.weights, &mut of_output.bias);
        d_hidden.set_output_gradient::<B>(hidden, output, d_output, of_hidden_units);
        if !draw_slopes.is_empty() {
            d_hidden.add_output_gradient::<B>(hidden, params.layer(Layer::Draw).0, draw_slopes);
        }
        d_hidden.add_gradient::<B>(first, &mut of_hidden.weights, &mut of_hidden.bias);
        d_first.set_gradient::<B>(d_hidden, &layers.hidden_transposed, first);
        for (group, (gradient, place)) in groups.iter_mut().zip(places(topology)).enumerate() {
            d_first.add_rows_to(place.from, &mut gradient.bias);
            inputs.add_gradient::<B>(group, d_first, (place.from, place.width), &mut gradient.weights);
        }
    }

    /// Adds to the gradient of the second output's own weights and bias, from its slopes `(position)`.
    pub fn add_draw_gradient(&mut self, slopes: &[f64]) {
        let Some((d_bias, d_weights)) = self.draw_gradient.split_last_mut() else { return };
        for (units, slope) in self.hidden.rows().zip(slopes) {
            d_weights.iter_mut().zip(units).for_each(|(d, unit)| *d += slope * f64::from(*unit));
            *d_bias += slope;
        }
    }

    /// The second output of every position after [`forward`](Self::forward).
    pub fn draw_outputs(&self, params: &Params<Topology>) -> Vec<f32> {
        let (weights, bias) = params.layer(Layer::Draw);
        self.hidden.rows().map(|units| draw_output(weights, bias[0], units)).collect()
    }

    /// The gradient of the second output's weights and bias, `(hidden + 1)`, before the next [`take_gradient`](Self::take_gradient).
    pub fn draw_gradient(&self) -> &[f64] {
        &self.draw_gradient
    }

    /// After [`forward`](Self::forward), for every output of the first layers: the bits of the positions that activated it.
    pub fn first_active(&mut self) -> Vec<Vec<u64>> {
        let rows: Vec<&[u64]> = self.first.transposed().rows().collect();
        first_columns(&self.topology).map(|column| rows[column].to_vec()).collect()
    }

    /// For every unit of the first layers and then of the hidden one: whether any position activated it since the last
    /// [`take_gradient`](Self::take_gradient).
    pub fn active(&self) -> impl Iterator<Item = bool> {
        let [first, hidden] = &self.active;
        let of =
            |row: &[u64], column: usize| row.get(column / WORD).is_some_and(|bits| bits >> (column % WORD) & 1 != 0);
        let first = first_columns(&self.topology).map(move |column| of(first, column));
        first.chain((0..self.topology.hidden()).map(move |unit| of(hidden, unit)))
    }

    /// Adds the gradient of another batch of the same sizes, which becomes zero, as if it had been a part of this one; but what was active stays
    /// apart.
    pub fn merge(&mut self, other: &mut Self) {
        self.gradient.iter_mut().zip(&mut other.gradient).for_each(|(to, from)| to.merge(from));
        merge(&mut self.draw_gradient, &mut other.draw_gradient);
        other.active.iter_mut().for_each(Vec::clear);
    }

    /// Adds the gradient of all batches since the last call to `to`, and begins a new one.
    pub fn take_gradient(&mut self, to: &mut Params<Topology>) {
        let topology = self.topology;
        self.active.iter_mut().for_each(Vec::clear);
        for (layer, from) in Layer::NETWORK.into_iter().zip(&mut self.gradient) {
            let (inputs, outputs) = topology.shape(layer);
            let (weights, bias) = to.layer_mut(layer);
            if layer == Layer::Placement {
                add_blocks(&from.weights, outputs, weights);
            } else {
                let mut columns = first_columns(&topology);
                for (input, to) in (0..inputs).zip(weights.chunks_exact_mut(outputs)) {
                    let row = if layer == Layer::Hidden { columns.next().unwrap_or(input) } else { input };
                    let from = &from.weights[row * stride(layer, outputs)..];
                    to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
                }
            }
            bias.iter_mut().zip(&from.bias).for_each(|(to, from)| *to += from);
            from.weights.fill(0.0);
            from.bias.fill(0.0);
        }
        let (weights, bias) = to.layer_mut(Layer::Draw);
        let draw = weights.iter_mut().chain(bias).zip(&self.draw_gradient);
        draw.for_each(|(to, from)| *to += *from as f32);
        self.draw_gradient.fill(0.0);
    }
}

/// From one row of a layer's gradient to the next: whole vectors, where the row is a result of products.
fn stride(layer: Layer, outputs: usize) -> usize {
    if layer == Layer::Output { outputs } else { padded(outputs) }
}

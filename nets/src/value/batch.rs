//! A value network over a batch of positions, forward and backward, one task each: of a network the products of
//! [`super::network_batch`], of a linear evaluator the sums of [`super::linear`].
//!
//! Every sum is made in order, of inputs or of positions, so that the values are the bits of
//! [`ValueNet::forward`](crate::ValueNet::forward) and a gradient does not depend on the instruction set.

use board::Position;
use feature_maps::Features;
use feature_maps::compact::{CompactFeatures, Unfold};
use feature_maps::layout::INPUTS;
use kernels::aligned::Aligned;
use kernels::vector::padded;
use kernels::{Backend, Kernels, Task};

use super::head;
use super::network_batch::NetworkBatch;
use crate::layers::{BATCH, Inputs, LayerGradient};
use crate::params::Params;
use crate::value::batch_weights::ValueBatchWeights;
use crate::value::linear::LinearBatch;
use crate::value::topology::{Layer, Topology};

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
    /// `(position)`.
    values: Vec<f32>,
    form: Form,
}

#[derive(Clone, Debug)]
enum Form {
    Network(Box<NetworkBatch>),
    Linear(LinearBatch, LayerGradient),
}

impl ValueBatch {
    /// Room for networks of these sizes.
    pub fn new(topology: &Topology, kernels: &'static Kernels) -> ValueBatch {
        let form = match topology {
            Topology::Network(network) => Form::Network(Box::new(NetworkBatch::new(network))),
            Topology::Linear(linear) => {
                let gradient = LayerGradient { weights: Aligned::zeros(padded(linear.weights())), bias: vec![0.0] };
                Form::Linear(LinearBatch::new(linear), gradient)
            }
        };
        ValueBatch { kernels, topology: *topology, inputs: Inputs::default(), values: Vec::new(), form }
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
        let Self { kernels, inputs, form, .. } = self;
        match form {
            Form::Network(network) => network.clear(),
            Form::Linear(linear, _) => linear.clear(),
        }
        let mut count = 0;
        for (position, source) in positions {
            count += 1;
            match form {
                Form::Network(network) => network.push(position),
                Form::Linear(linear, _) => {
                    linear.push(position);
                    continue;
                }
            }
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
    #[inline(never)]
    pub fn forward(&mut self, weights: &ValueBatchWeights) -> &[f32] {
        assert_eq!(*weights.params.topology(), self.topology, "a batch has room for one topology");
        self.kernels.run(Forward { batch: self, weights });
        &self.values
    }

    /// The second output of all positions after [`forward`](Self::forward), `o` of `nets/src/value/draw.rs`.
    ///
    /// # Panics
    /// If the network has none.
    pub fn draw_outputs(&self, weights: &ValueBatchWeights) -> Vec<f32> {
        self.with_draw().draw_outputs(&weights.params)
    }

    /// Adds to the gradient the derivatives of a loss with these slopes in the values of the last
    /// [`forward`](Self::forward), `(position)`.
    ///
    /// # Panics
    /// If there are not as many slopes as positions.
    pub fn backward(&mut self, weights: &ValueBatchWeights, slopes: &[f32]) {
        self.backward_both(weights, slopes, &[]);
    }

    /// The same for a loss that also has slopes `(position)` in the second output, or none.
    ///
    /// # Panics
    /// As [`backward`](Self::backward), or if the network has no second output.
    #[inline(never)]
    pub fn backward_both(&mut self, weights: &ValueBatchWeights, slopes: &[f32], draw_slopes: &[f64]) {
        assert_eq!(slopes.len(), self.values.len(), "every position has a slope");
        let has_all = self.topology.has_draw() && draw_slopes.len() == slopes.len();
        assert!(draw_slopes.is_empty() || has_all, "every position has a second slope, if there is a second output");
        self.kernels.run(Backward { batch: self, weights, slopes, draw_slopes });
        if let Form::Network(network) = &mut self.form {
            network.add_draw_gradient(draw_slopes);
        }
    }

    /// The gradient of the second output's weights and bias since the last [`take_gradient`](Self::take_gradient), `(hidden + 1)`, before
    /// it is rounded to f32.
    ///
    /// # Panics
    /// If the network has none.
    pub fn draw_gradient(&self) -> &[f64] {
        self.with_draw().draw_gradient()
    }

    /// Whether the network has a second output.
    pub fn has_draw(&self) -> bool {
        matches!(&self.form, Form::Network(network) if !network.draw_gradient().is_empty())
    }

    fn with_draw(&self) -> &NetworkBatch {
        match &self.form {
            Form::Network(network) if self.topology.has_draw() => network,
            _ => panic!("a network of {} has no second output", self.topology),
        }
    }

    /// After [`forward`](Self::forward), for every output of the first layers: the bits of the positions that activated
    /// it.
    pub(crate) fn first_active(&mut self) -> Vec<Vec<u64>> {
        match &mut self.form {
            Form::Network(network) => network.first_active(),
            Form::Linear(..) => Vec::new(),
        }
    }

    /// For every unit of the first layers and then of the hidden one: whether any position since the last
    /// [`take_gradient`](Self::take_gradient) activated it.
    pub fn active(&self) -> impl Iterator<Item = bool> {
        match &self.form {
            Form::Network(network) => Some(network.active()),
            Form::Linear(..) => None,
        }
        .into_iter()
        .flatten()
    }

    /// Adds the gradient of another batch of the same sizes since its last call of [`take_gradient`](Self::take_gradient); it begins a new one.
    pub fn merge(&mut self, other: &mut Self) {
        match (&mut self.form, &mut other.form) {
            (Form::Network(to), Form::Network(from)) => to.merge(from),
            (Form::Linear(_, to), Form::Linear(_, from)) => to.merge(from),
            _ => unreachable!("batches of different sizes"),
        }
    }

    /// Adds the gradient of all batches since the last call to `to`, and begins a new one.
    pub fn take_gradient(&mut self, to: &mut Params<Topology>) {
        match &mut self.form {
            Form::Network(network) => network.take_gradient(to),
            Form::Linear(_, gradient) => {
                let (weights, bias) = to.layer_mut(Layer::Linear);
                for (to, from) in [(weights, &mut gradient.weights[..]), (bias, &mut gradient.bias[..])] {
                    to.iter_mut().zip(from).for_each(|(to, from)| *to += std::mem::take(from));
                }
            }
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
        let ValueBatch { inputs, values, form, .. } = self.batch;
        let ValueBatchWeights { params, layers } = self.weights;
        values.clear();
        match (form, layers) {
            (Form::Network(network), Some(layers)) => network.forward::<B>((params, layers), inputs, values),
            (Form::Linear(linear, _), _) => {
                linear.forward::<B>(params.layer(Layer::Linear), |sum| values.push(head::value(sum)));
            }
            (Form::Network(_), None) => unreachable!("the weights are of the batch's topology"),
        }
    }
}

struct Backward<'a> {
    batch: &'a mut ValueBatch,
    weights: &'a ValueBatchWeights,
    slopes: &'a [f32],
    /// Those of the second output, or none.
    draw_slopes: &'a [f64],
}

impl Task for Backward<'_> {
    type Output = ();

    #[inline(always)]
    fn run<B: Backend>(self) {
        let ValueBatch { inputs, values, form, .. } = self.batch;
        let ValueBatchWeights { params, layers } = self.weights;
        let d_sums = values.iter().zip(self.slopes).map(|(value, slope)| slope * head::slope(*value));
        match (form, layers) {
            (Form::Network(network), Some(layers)) => {
                network.backward::<B>((params, layers), inputs, d_sums, self.draw_slopes);
            }
            (Form::Linear(linear, gradient), _) => linear.backward::<B>(d_sums, gradient),
            (Form::Network(_), None) => unreachable!("the weights are of the batch's topology"),
        }
    }
}

//! The value network for play: quantized, its first layers tables of rows, evaluated by one task.
//!
//! ```text
//! first_g = relu(sum of the position's rows of group g)               i16
//! hidden  = bias + [first_0 first_1 first_2] W                        i32
//! logit   = relu(hidden) . w + c + what the piece placement adds      f32, w by the number of pieces
//! ```
//! and the value is the logit's tanh. A second output, where there is one, is another dot product of the hidden layer. The integers
//! are exact (see [`crate::quantize`]), and the last layer's f32 sum has a fixed order, so that a logit has the same bits on every
//! instruction set. The value is near that of [`ValueNet::forward`], which stays the reference. A linear evaluator
//! ([`crate::value::linear`]) is used as it is.

// Whatever runs a task is compiled here alone, and the layers are one task for all that is read of them: for each instruction set a
// whole network is unrolled in it, some 150 KB of code, which would otherwise be compiled again in every crate that calls it.

use board::{MoverView, Position};
use feature_maps::rows::Rows;
use kernels::{Backend, Kernels, Task};

use crate::quantize::placement::QuantizedPlacement;
use crate::quantize::placement_line::PlacementLine;
use crate::quantize::scale::norm;
use crate::quantize::trunk::{MAX_FIRST, SMALL_FIRST, SMALL_HIDDEN, Trunk};
use crate::shape::MAX_WIDTH;
use crate::value::draw::neutral_draw;
use crate::value::forward::ValueNet;
use crate::value::head;
use crate::value::linear::LinearTable;
use crate::value::topology::{Layer, NetworkTopology, Topology, output_bucket};

/// A value network that only evaluates. It is `Sync`: all threads can share one.
#[derive(Clone, Debug)]
pub struct QuantizedValueNet {
    pub(super) kernels: &'static Kernels,
    pub(super) form: Form,
}

#[derive(Clone, Debug)]
pub(super) enum Form {
    Network(Box<Network>),
    /// Not quantized.
    Linear(LinearTable),
}

/// The layers of a network.
#[derive(Clone, Debug)]
pub(super) struct Network {
    pub(super) trunk: Trunk,
    /// `(hidden)`: what a unit of a sum of the hidden layer is worth.
    pub(super) units: Vec<f32>,
    /// The norm of the first output's weights of the hidden layer, of its buckets the least.
    pub(super) output_norm: f32,
    /// `(bucket)`.
    outputs: Vec<Output>,
    placement: Option<QuantizedPlacement>,
    /// The second output, [`neutral_draw`] where the network has none.
    drawn: Output,
    kappa: f32,
}

/// A dot product of the hidden layer.
#[derive(Clone, Debug)]
struct Output {
    /// `(hidden)`, padded: the weights over the scales of the hidden layer.
    weights: Vec<f32>,
    bias: f32,
}

impl Output {
    /// As [`Network::pass`] takes it.
    fn parts(&self) -> (&[f32], f32) {
        (&self.weights, self.bias)
    }
}

impl QuantizedValueNet {
    /// Quantizes a network for these kernels; [`kernels::active`] chooses the fastest ones. On a thread of a pool, all
    /// its threads take part.
    pub fn new(net: &ValueNet, kernels: &'static Kernels) -> QuantizedValueNet {
        let form = match net.params().topology() {
            Topology::Linear(linear) => Form::Linear(LinearTable::new(net, linear)),
            Topology::Network(network) => Form::Network(Box::new(Network::new(net, network, kernels))),
        };
        QuantizedValueNet { kernels, form }
    }

    /// The value of a position for its side to move, in `[-1, 1]`: the tanh of its [`logit`](Self::logit).
    #[inline]
    pub fn evaluate(&self, position: &Position) -> f32 {
        head::value(self.logit(position))
    }

    /// The logit of a position for its side to move; the same bits with any kernels. Allocates nothing.
    pub fn logit(&self, position: &Position) -> f32 {
        match &self.form {
            Form::Network(net) => net.pass(self.kernels, Input::Position(position), Placed::Anew, None).0,
            Form::Linear(linear) => linear.logit(self.kernels, position),
        }
    }

    /// The beginning of a line of play, along which [`logit_along`](Self::logit_along) costs less.
    pub fn line(&self, position: &Position) -> PlacementLine {
        let placement = match &self.form {
            Form::Network(network) => network.placement.as_ref(),
            Form::Linear(_) => None,
        };
        let mut line = PlacementLine::new(placement, position);
        // Whatever follows finds the sums of the first position.
        if placement.is_some() {
            self.logit_along(&mut line, position);
        }
        line
    }

    /// The [`logit`](Self::logit) of the position at which the line stands, with the same bits.
    pub fn logit_along(&self, line: &mut PlacementLine, position: &Position) -> f32 {
        match &self.form {
            Form::Network(net) => net.outputs_along(self.kernels, line, position, None).0,
            Form::Linear(linear) => linear.logit(self.kernels, position),
        }
    }

    /// The logit of a position that is given by its rows, by the output's first bucket and without what a piece placement adds; 0 of a linear evaluator, which has no
    /// other part.
    pub fn logit_of_rows(&self, rows: &Rows) -> f32 {
        match &self.form {
            Form::Network(net) => net.pass(self.kernels, Input::Rows(rows), Placed::Nowhere, None).0,
            Form::Linear(_) => 0.0,
        }
    }

    /// How drawn the position is: `o` of `nets/src/value/draw.rs`, the same bits with any kernels; [`neutral_draw`] for a linear evaluator.
    pub fn draw_output(&self, position: &Position) -> f32 {
        match &self.form {
            Form::Network(net) => net.output_of(self.kernels, position, net.drawn.parts()),
            Form::Linear(_) => neutral_draw(),
        }
    }

    /// The logit of [`logit_along`](Self::logit_along) and the [`draw_output`](Self::draw_output) of the position at which the line
    /// stands: one pass through the trunk for both.
    pub fn outputs_along(&self, line: &mut PlacementLine, position: &Position) -> (f32, f32) {
        match &self.form {
            Form::Network(net) => net.outputs_along(self.kernels, line, position, Some(net.drawn.parts())),
            Form::Linear(linear) => (linear.logit(self.kernels, position), neutral_draw()),
        }
    }

    /// The scale from the logit to that of results.
    pub fn kappa(&self) -> f32 {
        match &self.form {
            Form::Network(network) => network.kappa,
            Form::Linear(_) => 1.0,
        }
    }

    /// The kernels that evaluate it.
    pub fn kernels(&self) -> &'static Kernels {
        self.kernels
    }
}

impl Network {
    /// Quantizes a network for these kernels.
    fn new(net: &ValueNet, topology: &NetworkTopology, kernels: &'static Kernels) -> Network {
        let (trunk, sums) = Trunk::new(net, topology, kernels);
        let (output_weights, output_bias) = net.params().layer(Layer::Output);
        let output = |weights: &[f32], bias| {
            let mut scaled = vec![0.0; trunk.width()];
            for ((scaled, weight), sum) in scaled.iter_mut().zip(weights).zip(&sums) {
                *scaled = (f64::from(*weight) / sum.scale) as f32;
            }
            Output { weights: scaled, bias }
        };
        let buckets = output_weights.chunks_exact(topology.output_weights(0).len());
        let buckets = buckets.map(|bucket| &bucket[..topology.hidden()]);
        let output_norm = buckets.clone().map(norm).fold(f32::INFINITY, f32::min);
        let outputs = buckets.map(|bucket| output(bucket, output_bias[0])).collect();
        let (weights, bias) = net.params().layer(Layer::Draw);
        let drawn = output(weights, bias.first().copied().unwrap_or_else(neutral_draw));
        let units = sums.iter().map(|sum| (1.0 / sum.scale) as f32).collect();
        let (placement, kappa) = (QuantizedPlacement::new(net, topology), net.kappa());
        Network { trunk, units, output_norm, outputs, placement, drawn, kappa }
    }

    /// Does the room of the thesis' network suffice?
    #[inline(always)]
    fn is_small(&self) -> bool {
        self.trunk.width() <= SMALL_HIDDEN && self.trunk.is_small()
    }

    /// The logit, and another output of weights, `(hidden)`, padded, and a bias, 0 without one: one pass through the layers, the same code
    /// for all that is read of them.
    #[inline(never)]
    fn pass(
        &self,
        kernels: &Kernels,
        input: Input<'_>,
        placed: Placed<'_>,
        other: Option<(&[f32], f32)>,
    ) -> (f32, f32) {
        kernels.run(Pass { net: self, input, placed, other })
    }

    /// A dot product of the hidden layer, of weights, `(hidden)`, padded, and a bias.
    pub(super) fn output_of(&self, kernels: &Kernels, position: &Position, output: (&[f32], f32)) -> f32 {
        self.pass(kernels, Input::Position(position), Placed::Nowhere, Some(output)).1
    }

    /// The logit of the position at which the line stands, and another output.
    #[inline(always)]
    pub(super) fn outputs_along(
        &self,
        kernels: &Kernels,
        line: &mut PlacementLine,
        position: &Position,
        other: Option<(&[f32], f32)>,
    ) -> (f32, f32) {
        self.pass(kernels, Input::Position(position), Placed::Along(line), other)
    }

    /// Writes the sums of the hidden layer, before ReLU, `(hidden)`, padded.
    #[inline(never)]
    pub(super) fn sums(&self, kernels: &Kernels, position: &Position, sums: &mut [i32]) {
        kernels.run(Sums { trunk: &self.trunk, position, sums });
    }
}

/// What a pass begins with.
enum Input<'a> {
    Position(&'a Position),
    Rows(&'a Rows),
}

/// Where the piece placement has its sums.
enum Placed<'a> {
    /// It adds nothing.
    Nowhere,
    Anew,
    Along(&'a mut PlacementLine),
}

struct Pass<'a> {
    net: &'a Network,
    input: Input<'a>,
    placed: Placed<'a>,
    other: Option<(&'a [f32], f32)>,
}

impl Pass<'_> {
    /// Both outputs without what the placement adds, with room for `FIRST` outputs of the groups and `HIDDEN` of the hidden layer.
    #[inline(always)]
    fn outputs<B: Backend, const FIRST: usize, const HIDDEN: usize>(&self, rows: &Rows, bucket: usize) -> (f32, f32) {
        let trunk = &self.net.trunk;
        let mut sums = [0; HIDDEN];
        let sums = &mut sums[..trunk.width()];
        trunk.sums::<B, FIRST>(rows, sums);
        let output = &self.net.outputs[bucket];
        let logit = B::rectified_dot(sums, &output.weights) + output.bias;
        match self.other {
            Some((weights, bias)) => (logit, B::rectified_dot(sums, weights) + bias),
            None => (logit, 0.0),
        }
    }
}

impl Task for Pass<'_> {
    type Output = (f32, f32);

    #[inline(always)]
    fn run<B: Backend>(self) -> (f32, f32) {
        let net = self.net;
        let mut own = Rows::EMPTY;
        let (rows, bucket) = match self.input {
            Input::Rows(rows) => (rows, 0),
            Input::Position(position) => {
                own.set::<B>(&MoverView::of(position));
                (&own, output_bucket(position.occupied().len() as usize, net.outputs.len()))
            }
        };
        let (logit, other) = if net.is_small() {
            self.outputs::<B, SMALL_FIRST, SMALL_HIDDEN>(rows, bucket)
        } else {
            self.outputs::<B, MAX_FIRST, MAX_WIDTH>(rows, bucket)
        };
        let added = match (&net.placement, self.input, self.placed) {
            (Some(placement), Input::Position(position), Placed::Along(line)) => line.logit::<B>(placement, position),
            (Some(placement), Input::Position(position), Placed::Anew) => placement.logit::<B>(position),
            _ => return (logit, other),
        };
        (logit + added, other)
    }
}

struct Sums<'a> {
    trunk: &'a Trunk,
    position: &'a Position,
    sums: &'a mut [i32],
}

impl Task for Sums<'_> {
    type Output = ();

    #[inline(always)]
    fn run<B: Backend>(self) {
        let mut rows = Rows::EMPTY;
        rows.set::<B>(&MoverView::of(self.position));
        self.trunk.sums::<B, MAX_FIRST>(&rows, self.sums);
    }
}

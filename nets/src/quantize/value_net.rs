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

// Whatever runs a task is compiled here alone: for each instruction set a whole network is unrolled in it, some 150 KB of code, which
// would otherwise be compiled again in every crate and every test program that calls it.

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
    /// As [`Network::outputs_of`] takes it.
    #[inline(always)]
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
    #[inline(never)]
    pub fn logit(&self, position: &Position) -> f32 {
        self.kernels.run(OfPosition { net: self, position })
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
    #[inline(never)]
    pub fn logit_along(&self, line: &mut PlacementLine, position: &Position) -> f32 {
        self.kernels.run(AlongLine { net: self, line, position })
    }

    /// The logit of a position that is given by its rows, by the output's first bucket and without what a piece placement adds; 0 of a linear evaluator, which has no
    /// other part.
    #[inline(never)]
    pub fn logit_of_rows(&self, rows: &Rows) -> f32 {
        match &self.form {
            Form::Network(net) => self.kernels.run(OfRows { net, rows }),
            Form::Linear(_) => 0.0,
        }
    }

    /// How drawn the position is: `o` of `nets/src/value/draw.rs`, the same bits with any kernels; [`neutral_draw`] for a linear evaluator.
    #[inline(never)]
    pub fn draw_output(&self, position: &Position) -> f32 {
        self.kernels.run(DrawOfPosition { net: self, position })
    }

    /// The logit of [`logit_along`](Self::logit_along) and the [`draw_output`](Self::draw_output) of the position at which the line
    /// stands: one pass through the trunk for both.
    #[inline(never)]
    pub fn outputs_along(&self, line: &mut PlacementLine, position: &Position) -> (f32, f32) {
        self.kernels.run(LogitAndDraw { net: self, line, position })
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

    /// The output for a position: weights, `(hidden)`, padded, and bias.
    #[inline(always)]
    pub(super) fn output(&self, position: &Position) -> (&[f32], f32) {
        self.outputs[output_bucket(position.occupied().len() as usize, self.outputs.len())].parts()
    }

    /// Does the room of the thesis' network suffice?
    #[inline(always)]
    pub(super) fn is_small(&self) -> bool {
        self.trunk.width() <= SMALL_HIDDEN && self.trunk.is_small()
    }

    /// Outputs, each of weights, `(hidden)`, padded, and a bias, of a position; without what the placement adds to the logit.
    #[inline(always)]
    pub(super) fn outputs_of<B: Backend, const N: usize>(
        &self,
        position: &Position,
        outputs: [(&[f32], f32); N],
    ) -> [f32; N] {
        let mut rows = Rows::EMPTY;
        rows.set::<B>(&MoverView::of(position));
        self.outputs_by::<B, N>(&rows, outputs)
    }

    #[inline(always)]
    fn outputs_by<B: Backend, const N: usize>(&self, rows: &Rows, outputs: [(&[f32], f32); N]) -> [f32; N] {
        if self.is_small() {
            self.outputs_within::<B, N, SMALL_FIRST, SMALL_HIDDEN>(rows, outputs)
        } else {
            self.outputs_within::<B, N, MAX_FIRST, MAX_WIDTH>(rows, outputs)
        }
    }

    /// The same, with room for `FIRST` outputs of the groups and `HIDDEN` of the hidden layer.
    #[inline(always)]
    fn outputs_within<B: Backend, const N: usize, const FIRST: usize, const HIDDEN: usize>(
        &self,
        rows: &Rows,
        outputs: [(&[f32], f32); N],
    ) -> [f32; N] {
        let mut hidden = [0; HIDDEN];
        let hidden = &mut hidden[..self.trunk.width()];
        self.trunk.sums::<B, FIRST>(rows, hidden);
        // By a loop: `map` of an array is not always inlined, and its closure is then compiled for the baseline.
        let mut results = [0.0; N];
        for (result, (weights, bias)) in results.iter_mut().zip(outputs) {
            *result = B::rectified_dot(hidden, weights) + bias;
        }
        results
    }

    /// The logit with what the placement adds to it at the position at which the line stands.
    #[inline(always)]
    pub(super) fn placed_along<B: Backend>(&self, line: &mut PlacementLine, position: &Position, logit: f32) -> f32 {
        match &self.placement {
            Some(placement) => logit + line.logit::<B>(placement, position),
            None => logit,
        }
    }
}

struct OfPosition<'a> {
    net: &'a QuantizedValueNet,
    position: &'a Position,
}

impl Task for OfPosition<'_> {
    type Output = f32;

    #[inline(always)]
    fn run<B: Backend>(self) -> f32 {
        match &self.net.form {
            Form::Network(net) => {
                let [logit] = net.outputs_of::<B, 1>(self.position, [net.output(self.position)]);
                net.placement.as_ref().map_or(logit, |placement| logit + placement.logit::<B>(self.position))
            }
            Form::Linear(linear) => linear.logit::<B>(self.position),
        }
    }
}

struct DrawOfPosition<'a> {
    net: &'a QuantizedValueNet,
    position: &'a Position,
}

impl Task for DrawOfPosition<'_> {
    type Output = f32;

    #[inline(always)]
    fn run<B: Backend>(self) -> f32 {
        match &self.net.form {
            Form::Network(net) => {
                let [drawn] = net.outputs_of::<B, 1>(self.position, [net.drawn.parts()]);
                drawn
            }
            Form::Linear(_) => neutral_draw(),
        }
    }
}

struct AlongLine<'a> {
    net: &'a QuantizedValueNet,
    line: &'a mut PlacementLine,
    position: &'a Position,
}

impl Task for AlongLine<'_> {
    type Output = f32;

    #[inline(always)]
    fn run<B: Backend>(self) -> f32 {
        match &self.net.form {
            Form::Network(net) => {
                let [logit] = net.outputs_of::<B, 1>(self.position, [net.output(self.position)]);
                net.placed_along::<B>(self.line, self.position, logit)
            }
            Form::Linear(linear) => linear.logit::<B>(self.position),
        }
    }
}

struct LogitAndDraw<'a> {
    net: &'a QuantizedValueNet,
    line: &'a mut PlacementLine,
    position: &'a Position,
}

impl Task for LogitAndDraw<'_> {
    type Output = (f32, f32);

    #[inline(always)]
    fn run<B: Backend>(self) -> (f32, f32) {
        match &self.net.form {
            Form::Network(net) => {
                let [logit, drawn] =
                    net.outputs_of::<B, 2>(self.position, [net.output(self.position), net.drawn.parts()]);
                (net.placed_along::<B>(self.line, self.position, logit), drawn)
            }
            Form::Linear(linear) => (linear.logit::<B>(self.position), neutral_draw()),
        }
    }
}

struct OfRows<'a> {
    net: &'a Network,
    rows: &'a Rows,
}

impl Task for OfRows<'_> {
    type Output = f32;

    #[inline(always)]
    fn run<B: Backend>(self) -> f32 {
        let [logit] = self.net.outputs_by::<B, 1>(self.rows, [self.net.outputs[0].parts()]);
        logit
    }
}

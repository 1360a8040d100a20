//! The value network for play: quantized, its first layers tables of rows, evaluated by one task.
//!
//! ```text
//! first_g = relu(sum of the position's rows of group g)               i16
//! hidden  = bias + [first_0 first_1 first_2] W                        i32
//! logit   = relu(hidden) . w + c + what the piece placement adds      f32
//! ```
//! and the value is the logit's tanh. A second output, where there is one, is another dot product of the hidden layer. The integers are exact (see [`crate::quantize`]), and the last layer's f32 sum
//! has a fixed order, so that a logit has the same bits on every instruction set. The value is near that of
//! [`ValueNet::forward`], which stays the reference.

use board::{MoverView, Position};
use feature_maps::rows::Rows;
use kernels::{Backend, Kernels, Task};

use crate::quantize::placement::{PlacementLine, QuantizedPlacement};
use crate::quantize::trunk::{MAX_FIRST, SMALL_FIRST, SMALL_HIDDEN, Trunk};
use crate::shape::MAX_WIDTH;
use crate::value::draw_head::DrawHead;
use crate::value::forward::ValueNet;
use crate::value::head;
use crate::value::topology::Layer;

/// A value network that only evaluates. It is `Sync`: all threads can share one.
#[derive(Clone, Debug)]
pub struct QuantizedValueNet {
    kernels: &'static Kernels,
    trunk: Trunk,
    /// `(hidden)`, padded: the output's weights over the scales of the hidden layer.
    output: Vec<f32>,
    output_bias: f32,
    placement: Option<QuantizedPlacement>,
    draw: Draw,
}

/// The second output, that of [`DrawHead::neutral`] where the network has none.
#[derive(Clone, Debug)]
struct Draw {
    /// `(hidden)`, padded: the weights over the scales of the hidden layer.
    weights: Vec<f32>,
    bias: f32,
    kappa: f32,
}

impl QuantizedValueNet {
    /// Quantizes a network for these kernels; [`kernels::active`] chooses the fastest ones. On a thread of a pool, all
    /// its threads take part.
    pub fn new(net: &ValueNet, kernels: &'static Kernels) -> QuantizedValueNet {
        let (trunk, sums) = Trunk::new(net, kernels);
        let (output_weights, output_bias) = net.params().layer(Layer::Output);
        let scaled = |weights: &[f32]| {
            let mut output = vec![0.0; trunk.width()];
            for ((output, weight), sum) in output.iter_mut().zip(weights).zip(&sums) {
                *output = (f64::from(*weight) / sum.scale) as f32;
            }
            output
        };
        let output = scaled(output_weights);
        let neutral = || DrawHead::neutral(net.params().topology().hidden());
        let DrawHead { weights, bias, kappa } = net.draw_head().cloned().unwrap_or_else(neutral);
        let draw = Draw { weights: scaled(&weights), bias, kappa };
        let placement = QuantizedPlacement::new(net);
        QuantizedValueNet { kernels, trunk, output, output_bias: output_bias[0], placement, draw }
    }

    /// The value of a position for its side to move, in `[-1, 1]`: the tanh of its [`logit`](Self::logit).
    #[inline]
    pub fn evaluate(&self, position: &Position) -> f32 {
        head::value(self.logit(position))
    }

    /// The logit of a position for its side to move; the same bits with any kernels. Allocates nothing.
    #[inline]
    pub fn logit(&self, position: &Position) -> f32 {
        self.kernels.run(OfPosition { net: self, position })
    }

    /// The beginning of a line of play, along which [`logit_along`](Self::logit_along) costs less.
    pub fn line(&self, position: &Position) -> PlacementLine {
        let mut line = PlacementLine::new(self.placement.as_ref(), position);
        // Whatever follows finds the sums of the first position.
        if self.placement.is_some() {
            self.logit_along(&mut line, position);
        }
        line
    }

    /// The [`logit`](Self::logit) of the position at which the line stands, with the same bits.
    #[inline]
    pub fn logit_along(&self, line: &mut PlacementLine, position: &Position) -> f32 {
        self.kernels.run(AlongLine { net: self, line, position })
    }

    /// The logit of a position that is given by its rows, without what a piece placement adds.
    #[inline]
    pub fn logit_of_rows(&self, rows: &Rows) -> f32 {
        self.kernels.run(OfRows { net: self, rows })
    }

    /// How drawn the position is: `o` of [`DrawHead`], the same bits with any kernels.
    #[inline]
    pub fn draw_output(&self, position: &Position) -> f32 {
        self.kernels.run(DrawOfPosition { net: self, position })
    }

    /// The scale from the logit to that of results.
    pub fn kappa(&self) -> f32 {
        self.draw.kappa
    }

    /// The kernels that evaluate it.
    pub fn kernels(&self) -> &'static Kernels {
        self.kernels
    }

    /// The logit without the placement.
    #[inline(always)]
    fn logit_of<B: Backend>(&self, position: &Position) -> f32 {
        let mut rows = Rows::EMPTY;
        rows.set::<B>(&MoverView::of(position));
        self.logit_by::<B>(&rows)
    }

    #[inline(always)]
    fn logit_by<B: Backend>(&self, rows: &Rows) -> f32 {
        self.output_by::<B>(rows, &self.output) + self.output_bias
    }

    /// The dot product of the hidden layer with the weights of an output.
    #[inline(always)]
    fn output_by<B: Backend>(&self, rows: &Rows, weights: &[f32]) -> f32 {
        if self.trunk.width() <= SMALL_HIDDEN && self.trunk.is_small() {
            self.output_within::<B, SMALL_FIRST, SMALL_HIDDEN>(rows, weights)
        } else {
            self.output_within::<B, MAX_FIRST, MAX_WIDTH>(rows, weights)
        }
    }

    /// The same, with room for `FIRST` outputs of the groups and `HIDDEN` of the hidden layer.
    #[inline(always)]
    fn output_within<B: Backend, const FIRST: usize, const HIDDEN: usize>(&self, rows: &Rows, weights: &[f32]) -> f32 {
        let mut hidden = [0; HIDDEN];
        let hidden = &mut hidden[..self.trunk.width()];
        self.trunk.sums::<B, FIRST>(rows, hidden);
        B::rectified_dot(hidden, weights)
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
        let logit = self.net.logit_of::<B>(self.position);
        self.net.placement.as_ref().map_or(logit, |placement| logit + placement.logit::<B>(self.position))
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
        let mut rows = Rows::EMPTY;
        rows.set::<B>(&MoverView::of(self.position));
        self.net.output_by::<B>(&rows, &self.net.draw.weights) + self.net.draw.bias
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
        let logit = self.net.logit_of::<B>(self.position);
        match &self.net.placement {
            Some(placement) => logit + placement.logit_along::<B>(self.line, self.position),
            None => logit,
        }
    }
}

struct OfRows<'a> {
    net: &'a QuantizedValueNet,
    rows: &'a Rows,
}

impl Task for OfRows<'_> {
    type Output = f32;

    #[inline(always)]
    fn run<B: Backend>(self) -> f32 {
        self.net.logit_by::<B>(self.rows)
    }
}

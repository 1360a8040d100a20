//! The value network for play: padded to whole vectors, aligned to cache lines, evaluated by one kernel call.

use feature_maps::layout::INPUTS;
use kernels::Kernels;
use kernels::restricted::Shape;
use kernels::vector::padded;

use crate::topology::Layer;
use crate::value_net::ValueNet;

/// A cache line of parameters.
#[derive(Clone, Copy, Debug, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(64))]
struct Line([f32; 16]);

/// A value network that only evaluates. It is `Sync`: all threads can share one.
#[derive(Clone, Debug)]
pub struct PackedNet {
    kernels: &'static Kernels,
    /// Inputs and padded outputs of the groups.
    groups: [(usize, usize); 3],
    /// The padded width of the hidden layer.
    hidden: usize,
    /// The layout of [`kernels::restricted`], then padding to a whole line.
    lines: Vec<Line>,
}

impl PackedNet {
    /// Packs a network for these kernels; [`kernels::active`] chooses the fastest ones.
    pub fn new(net: &ValueNet, kernels: &'static Kernels) -> PackedNet {
        let topology = net.params().topology();
        let groups = topology.groups().map(|(inputs, outputs)| (inputs, padded(outputs)));
        let mut packed = PackedNet { kernels, groups, hidden: padded(topology.hidden()), lines: Vec::new() };
        debug_assert!(packed.shape().is_valid(), "every topology fits the kernels");
        let length = packed.shape().packed_len();
        packed.lines = vec![Line([0.0; 16]); length.div_ceil(16)];
        pack(net, packed.hidden, &mut bytemuck::cast_slice_mut(&mut packed.lines)[..length]);
        packed
    }

    /// The value of the features `x` for the side to move, in `[-1, 1]`; the same bits with any kernels.
    /// Allocates nothing.
    #[inline]
    pub fn evaluate(&self, x: &[f32; INPUTS]) -> f32 {
        (self.kernels.restricted)(&self.shape(), bytemuck::cast_slice(&self.lines), x)
    }

    /// The kernels it was packed for.
    pub fn kernels(&self) -> &'static Kernels {
        self.kernels
    }

    fn shape(&self) -> Shape<'_> {
        Shape { groups: &self.groups, hidden: self.hidden }
    }
}

/// Writes the parameters in the packed layout over zeros; `hidden` is the padded width of the hidden layer.
fn pack(net: &ValueNet, hidden: usize, mut to: &mut [f32]) {
    let topology = net.params().topology();
    let mut next = |length: usize| to.split_off_mut(..length).expect("the packed length counts every part");
    for layer in Layer::GROUPS {
        let (inputs, outputs) = topology.shape(layer);
        let (weights, bias) = net.params().layer(layer);
        next(padded(outputs))[..outputs].copy_from_slice(bias);
        copy_rows(weights, outputs, next(inputs * padded(outputs)), padded(outputs));
    }
    let (weights, bias) = net.params().layer(Layer::Hidden);
    next(hidden)[..topology.hidden()].copy_from_slice(bias);
    let mut rows = weights;
    for (_, outputs) in topology.groups() {
        // The hidden layer's inputs have the padding of the groups: rows of zeros, left as they are.
        let (of_group, rest) = rows.split_at(outputs * topology.hidden());
        copy_rows(of_group, topology.hidden(), next(padded(outputs) * hidden), hidden);
        rows = rest;
    }
    let (weights, bias) = net.params().layer(Layer::Output);
    next(hidden)[..topology.hidden()].copy_from_slice(weights);
    next(1).copy_from_slice(bias);
}

/// Copies rows of `width` values to the starts of rows of `padded_width`.
fn copy_rows(from: &[f32], width: usize, to: &mut [f32], padded_width: usize) {
    for (from, to) in from.chunks_exact(width).zip(to.chunks_exact_mut(padded_width)) {
        to[..width].copy_from_slice(from);
    }
}

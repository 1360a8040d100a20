//! A whole network of restricted connectivity, the coarsest kernel: groups of inputs see only their own first layer, a
//! dense layer mixes the groups, and one output remains.
//!
//! ```text
//! first_g = relu(b_g + x_g W_g)      for each group g of inputs, in order
//! hidden  = relu(b + [first_0 first_1 ...] W)
//! value   = tanh(hidden . w + c)
//! ```
//! CITE: Lai 2015, Giraffe, section 4.2: features of different modalities are mixed only from the second layer on.
//!
//! The packed layout is one run of f32: for each group its bias (outputs) and its weights (inputs, outputs), then the
//! hidden layer's bias (hidden) and weights (first outputs, hidden), the output's weights (hidden) and its bias (1).
//! All outputs and `hidden` are multiples of 8; padding is zero parameters, whose ReLU is zero.

use crate::activations::tanh;
use crate::dense::{dense_relu, dot};
use crate::vector::{LANES, Vector};

/// The most outputs that all groups together, or the hidden layer, may have: they live on the stack.
pub const MAX_WIDTH: usize = 256;

/// The sizes of a packed network.
#[derive(Clone, Copy, Debug)]
pub struct Shape<'a> {
    /// Inputs and outputs of each group; outputs are multiples of 8, at most [`MAX_WIDTH`] in all.
    pub groups: &'a [(usize, usize)],
    /// The width of the hidden layer: a multiple of 8, at most [`MAX_WIDTH`].
    pub hidden: usize,
}

impl Shape<'_> {
    /// The number of inputs of the network.
    pub fn inputs(&self) -> usize {
        self.groups.iter().map(|(inputs, _)| inputs).sum()
    }

    /// The number of outputs of all groups, which the hidden layer takes.
    pub fn first_outputs(&self) -> usize {
        self.groups.iter().map(|(_, outputs)| outputs).sum()
    }

    /// The number of f32 of the packed layout.
    pub fn packed_len(&self) -> usize {
        let groups: usize = self.groups.iter().map(|(inputs, outputs)| (1 + inputs) * outputs).sum();
        groups + (1 + self.first_outputs() + 1) * self.hidden + 1
    }

    /// Whether the kernels take this shape: whole vectors, within [`MAX_WIDTH`].
    pub fn is_valid(&self) -> bool {
        let whole = |width: usize| width.is_multiple_of(LANES);
        self.groups.iter().all(|&(_, outputs)| whole(outputs))
            && whole(self.hidden)
            && self.first_outputs() <= MAX_WIDTH
            && self.hidden <= MAX_WIDTH
    }
}

/// The value of `x` ([`Shape::inputs`]) in `[-1, 1]`, by the `packed` parameters ([`Shape::packed_len`]).
#[inline(always)]
pub(crate) fn restricted<V: Vector>(shape: &Shape<'_>, packed: &[f32], x: &[f32]) -> f32 {
    let (mut first, mut hidden) = ([0.0; MAX_WIDTH], [0.0; MAX_WIDTH]);
    let first_outputs = shape.first_outputs();
    let (first, hidden) = (&mut first[..first_outputs], &mut hidden[..shape.hidden]);
    let (mut x, mut packed, mut from) = (x, packed, 0);
    for &(inputs, outputs) in shape.groups {
        let (bias, weights) = (take(&mut packed, outputs), take(&mut packed, inputs * outputs));
        dense_relu::<V>(take(&mut x, inputs), weights, bias, &mut first[from..from + outputs]);
        from += outputs;
    }
    let (bias, weights) = (take(&mut packed, shape.hidden), take(&mut packed, first_outputs * shape.hidden));
    dense_relu::<V>(first, weights, bias, hidden);
    let output = take(&mut packed, shape.hidden);
    tanh(dot::<V>(hidden, output) + packed[0])
}

/// Splits `length` values off the front.
#[inline(always)]
pub(crate) fn take<'a>(from: &mut &'a [f32], length: usize) -> &'a [f32] {
    let (front, rest) = from.split_at(length);
    *from = rest;
    front
}

//! The value network for play: quantised, its first layers made into tables of rows, evaluated by one task.
//!
//! ```text
//! first_g = relu(sum of the position's rows of group g)               i16
//! hidden  = bias + [first_0 first_1 first_2] W                        i32
//! value   = tanh(relu(hidden) . w + c)                                f32
//! ```
//! The integers are exact (see [`quantise`]), and the last layer's f32 sum has a fixed order, so that a value has the
//! same bits on every instruction set. It is near that of [`ValueNet::forward`], which stays the reference.

use board::{MoverView, Position};
use feature_maps::layout::Group;
use feature_maps::meaning::Meaning;
use feature_maps::rows::Rows;
use kernels::activations::tanh;
use kernels::vector::padded;
use kernels::words::{WORDS, padded_words};
use kernels::{Backend, Kernels, PAIRS_BLOCK, RowList, Task};

use crate::activity;
use crate::quantise::{self, Input};
use crate::topology::{Layer, MAX_WIDTH};
use crate::value_net::ValueNet;

/// Room for the outputs of the thesis' network, which costs less to clear than the most.
const SMALL_FIRST: usize = PAIRS_BLOCK;
const SMALL_HIDDEN: usize = 64;

/// Room for all outputs of the groups, with the padding of the last one.
const MAX_FIRST: usize = (MAX_WIDTH + WORDS).next_multiple_of(PAIRS_BLOCK);

/// A cache line of integers.
#[derive(Clone, Copy, Debug, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(64))]
struct Line([i16; 32]);

/// A first layer: a row of its table for every state of its group's features.
#[derive(Clone, Debug)]
struct First {
    /// `(row, outputs)`, the outputs padded to whole vectors with zeros.
    table: Vec<Line>,
    /// The outputs with their padding.
    width: usize,
    /// The outputs without their padding.
    outputs: usize,
}

/// A value network that only evaluates. It is `Sync`: all threads can share one.
#[derive(Clone, Debug)]
pub struct PackedNet {
    kernels: &'static Kernels,
    /// Of the global features, the pieces and the squares.
    first: [First; 3],
    /// `(pairs of first outputs, hidden, 2)`, the pairs padded to whole blocks and hidden to whole vectors.
    hidden: Vec<Line>,
    /// `(hidden)`, padded.
    hidden_bias: Vec<i32>,
    /// `(hidden)`, padded: the output's weights over the scales of the hidden layer.
    output: Vec<f32>,
    output_bias: f32,
}

impl PackedNet {
    /// Quantises and packs a network for these kernels; [`kernels::active`] chooses the fastest ones.
    pub fn new(net: &ValueNet, kernels: &'static Kernels) -> PackedNet {
        let (params, topology) = (net.params(), net.params().topology());
        let groups = [Group::Global, Group::Piece, Group::Square];
        // One bound is checked for the rows of all groups.
        let rows = groups.map(|group| Meaning::of(group).rows()).into_iter().fold(0, usize::max);
        let order = activity::order(net, kernels);
        let mut inputs = vec![Input { scale: 1.0, bound: 0 }; order.len()];
        let mut from = 0;
        let first = std::array::from_fn(|n| {
            let (layer, (_, outputs)) = ((Layer::GROUPS[n], groups[n]), topology.groups()[n]);
            let numbers = &order[from..from + outputs];
            let places: Vec<usize> = numbers.iter().map(|number| number - from).collect();
            let width = padded_words(outputs);
            let mut table = lines(rows * width);
            let quantise =
                quantise::First { params, layer, order: &places, table: bytemuck::cast_slice_mut(&mut table) };
            numbers.iter().zip(kernels.run(quantise)).for_each(|(number, input)| inputs[*number] = input);
            from += outputs;
            First { table, width, outputs }
        });

        let width = padded(topology.hidden());
        let row = 2 * width;
        let mut hidden = lines(inputs.len().next_multiple_of(PAIRS_BLOCK) / 2 * row);
        let (mut hidden_bias, mut output) = (vec![0; width], vec![0.0; width]);
        let (output_weights, output_bias) = params.layer(Layer::Output);
        for (j, weight) in output_weights.iter().enumerate() {
            let column = quantise::hidden(params, &inputs, j);
            let to: &mut [i16] = bytemuck::cast_slice_mut(&mut hidden);
            for (i, number) in order.iter().enumerate() {
                to[i / 2 * row + 2 * j + i % 2] = column.weights[*number];
            }
            hidden_bias[j] = column.bias;
            output[j] = (f64::from(*weight) / column.scale) as f32;
        }
        PackedNet { kernels, first, hidden, hidden_bias, output, output_bias: output_bias[0] }
    }

    /// The value of a position for its side to move, in `[-1, 1]`; the same bits with any kernels. Allocates nothing.
    #[inline]
    pub fn evaluate(&self, position: &Position) -> f32 {
        self.kernels.run(OfPosition { net: self, position })
    }

    /// The value of a position that is given by its rows.
    #[inline]
    pub fn evaluate_rows(&self, rows: &Rows) -> f32 {
        self.kernels.run(OfRows { net: self, rows })
    }

    /// The kernels it was packed for.
    pub fn kernels(&self) -> &'static Kernels {
        self.kernels
    }

    #[inline(always)]
    fn value<B: Backend>(&self, rows: &Rows) -> f32 {
        if self.hidden_bias.len() <= SMALL_HIDDEN && self.first_outputs() + WORDS <= SMALL_FIRST {
            self.value_within::<B, SMALL_FIRST, SMALL_HIDDEN>(rows)
        } else {
            self.value_within::<B, MAX_FIRST, MAX_WIDTH>(rows)
        }
    }

    /// The value, with room for so many outputs of the groups and of the hidden layer.
    #[inline(always)]
    fn value_within<B: Backend, const FIRST: usize, const HIDDEN: usize>(&self, rows: &Rows) -> f32 {
        let mut first = [0; FIRST];
        // The padding of a group is overwritten by the next, so that the outputs stand side by side.
        let [global, piece, square] = &self.first;
        let mut from = 0;
        let lists = rows.lists();
        from += global.evaluate::<B>(&lists.global, &mut first);
        from += piece.evaluate::<B>(&lists.piece, &mut first[from..]);
        from += square.evaluate::<B>(&lists.square, &mut first[from..]);
        let mut hidden = [0; HIDDEN];
        let hidden = &mut hidden[..self.hidden_bias.len()];
        let inputs = from.next_multiple_of(PAIRS_BLOCK);
        let weights = &bytemuck::cast_slice(&self.hidden)[..inputs * hidden.len()];
        B::dense_pairs(&first[..inputs], weights, &self.hidden_bias, hidden);
        tanh(B::rectified_dot(hidden, &self.output) + self.output_bias)
    }

    #[inline(always)]
    fn first_outputs(&self) -> usize {
        self.first.iter().map(|layer| layer.outputs).sum()
    }
}

impl First {
    /// Writes the outputs and their padding to the start of `y`, and says how many outputs there are.
    #[inline(always)]
    fn evaluate<B: Backend>(&self, rows: &RowList<'_>, y: &mut [i16]) -> usize {
        B::sum_rows(bytemuck::cast_slice(&self.table), rows, &mut y[..self.width]);
        self.outputs
    }
}

/// Zeros, at least so many, from the start of a cache line.
fn lines(length: usize) -> Vec<Line> {
    vec![Line([0; 32]); length.div_ceil(32)]
}

struct OfPosition<'a> {
    net: &'a PackedNet,
    position: &'a Position,
}

impl Task for OfPosition<'_> {
    type Output = f32;

    #[inline(always)]
    fn run<B: Backend>(self) -> f32 {
        let mut rows = Rows::EMPTY;
        rows.set::<B>(&MoverView::of(self.position));
        self.net.value::<B>(&rows)
    }
}

struct OfRows<'a> {
    net: &'a PackedNet,
    rows: &'a Rows,
}

impl Task for OfRows<'_> {
    type Output = f32;

    #[inline(always)]
    fn run<B: Backend>(self) -> f32 {
        self.net.value::<B>(self.rows)
    }
}

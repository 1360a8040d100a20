//! What all quantized networks begin with: the rows of a position become the integer sums of a hidden layer.
//!
//! ```text
//! first_g = relu(sum of the position's rows of group g)               i16
//! hidden  = bias + [first_0 first_1 first_2] W                        i32
//! ```

use feature_maps::feature_set::POSITION;
use feature_maps::layout::GROUPS;
use feature_maps::rows::Rows;
use kernels::vector::padded;
use kernels::words::{WORDS, padded_words};
use kernels::{Backend, Kernels, PAIRS_BLOCK, RowList};

use super::dense::dense;
use super::first_layer::FirstLayer;
use super::scale::Input;
use crate::shape::MAX_WIDTH;
use crate::value::forward::ValueNet;
use crate::value::topology::{Layer, NetworkTopology};

/// Room for the outputs of the thesis' network, which costs less to clear than the most.
pub const SMALL_FIRST: usize = PAIRS_BLOCK;
pub const SMALL_HIDDEN: usize = 64;

/// Room for all outputs of the groups, with the padding of the last one.
pub const MAX_FIRST: usize = (MAX_WIDTH + WORDS).next_multiple_of(PAIRS_BLOCK);

/// A cache line of integers.
#[derive(Clone, Copy, Debug, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(64))]
pub struct CacheLine([i16; 32]);

/// At least `length` zeros, from the start of a cache line.
pub fn cache_lines(length: usize) -> Vec<CacheLine> {
    vec![CacheLine([0; 32]); length.div_ceil(32)]
}

/// A first layer: a row of its table for every state of its group's features.
#[derive(Clone, Debug)]
struct First {
    /// `(row, outputs)`, the outputs padded to whole vectors with zeros.
    table: Vec<CacheLine>,
    /// The outputs with their padding.
    width: usize,
    /// The outputs without their padding.
    outputs: usize,
}

/// The first two layers of a network.
#[derive(Clone, Debug)]
pub struct Trunk {
    /// `(group)`.
    first: [First; GROUPS],
    /// `(pairs of first outputs, hidden, 2)`, the pairs padded to whole blocks and hidden to whole vectors.
    hidden: Vec<CacheLine>,
    /// `(hidden)`, padded.
    hidden_bias: Vec<i32>,
}

/// What is known of an output of the hidden layer before ReLU.
#[derive(Clone, Copy, Debug)]
pub struct Sum {
    /// Units of the output in 1.
    pub scale: f64,
    /// The least and the most that it can be.
    pub range: (i64, i64),
}

impl Trunk {
    /// Quantizes the first layers and the hidden layer of a network, and returns what is known of every output of the
    /// hidden layer, `(hidden)`.
    pub fn new(net: &ValueNet, topology: &NetworkTopology, kernels: &'static Kernels) -> (Trunk, Vec<Sum>) {
        let order = net.permutation().outputs();
        let params = net.params();
        // One bound is checked for the rows of all groups.
        let rows = POSITION.groups.iter().map(|group| group.schema().rows()).fold(0, usize::max);
        let mut inputs = vec![Input { scale: 1.0, bound: 0 }; order.len()];
        let mut from = 0;
        let first = std::array::from_fn(|group| {
            let (_, outputs) = topology.groups()[group];
            let numbers = &order[from..from + outputs];
            let places: Vec<usize> = numbers.iter().map(|number| number - from).collect();
            let width = padded_words(outputs);
            let mut table = cache_lines(rows * width);
            let first = FirstLayer { params, group, order: &places, table: bytemuck::cast_slice_mut(&mut table) };
            numbers.iter().zip(first.quantize(kernels)).for_each(|(number, input)| inputs[*number] = input);
            from += outputs;
            First { table, width, outputs }
        });

        let width = padded(topology.hidden());
        let row = 2 * width;
        let mut hidden = cache_lines(inputs.len().next_multiple_of(PAIRS_BLOCK) / 2 * row);
        let mut hidden_bias = vec![0; width];
        let sums = (0..topology.hidden()).map(|j| {
            let column = dense(params.layer(Layer::Hidden), &inputs, j);
            let to: &mut [i16] = bytemuck::cast_slice_mut(&mut hidden);
            for (i, number) in order.iter().enumerate() {
                to[i / 2 * row + 2 * j + i % 2] = column.weights[*number];
            }
            hidden_bias[j] = column.bias;
            Sum { scale: column.scale, range: column.range }
        });
        let sums = sums.collect();
        (Trunk { first, hidden, hidden_bias }, sums)
    }

    /// The outputs of the hidden layer, padded to whole vectors.
    #[inline(always)]
    pub fn width(&self) -> usize {
        self.hidden_bias.len()
    }

    /// Whether the room of a small network is enough for the first layers.
    #[inline(always)]
    pub fn is_small(&self) -> bool {
        self.first.iter().map(|layer| layer.outputs).sum::<usize>() + WORDS <= SMALL_FIRST
    }

    /// Writes the sums of the hidden layer, before ReLU, `(width)`, with room for `FIRST` outputs of the groups.
    #[inline(always)]
    pub fn sums<B: Backend, const FIRST: usize>(&self, rows: &Rows, hidden: &mut [i32]) {
        let mut first = [0; FIRST];
        // The padding of a group is overwritten by the next, so that the outputs stand side by side.
        // Unrolled by hand: a loop over the groups costs 4 % more instructions an evaluation.
        let [global, piece, square] = &self.first;
        let lists = rows.lists();
        let mut from = global.evaluate::<B>(&lists[0], &mut first);
        from += piece.evaluate::<B>(&lists[1], &mut first[from..]);
        from += square.evaluate::<B>(&lists[2], &mut first[from..]);
        let inputs = from.next_multiple_of(PAIRS_BLOCK);
        let weights = &bytemuck::cast_slice(&self.hidden)[..inputs * hidden.len()];
        B::dense_pairs(&first[..inputs], weights, &self.hidden_bias, hidden);
    }
}

impl First {
    /// Writes the outputs and their padding to the start of `y`, and returns the number of outputs.
    #[inline(always)]
    fn evaluate<B: Backend>(&self, rows: &RowList<'_>, y: &mut [i16]) -> usize {
        B::sum_rows(bytemuck::cast_slice(&self.table), rows, &mut y[..self.width]);
        self.outputs
    }
}

//! Work that is compiled whole for an instruction set: a [`Task`] is written once, over a [`Backend`] of integer
//! kernels, and [`Kernels::run`](crate::Kernels::run) runs it.
//!
//! The task is inlined into a function of the instruction set, with everything that it calls, so that plain code (a
//! population count, a loop over bits) has the set's instructions too, and there is one call an evaluation. For that,
//! all that a task calls on its way is `#[inline(always)]`.

use core::marker::PhantomData;

use crate::batched_head::BatchedHead;
use crate::naive;
use crate::product::{Left, Right, Sum};
use crate::row_list::RowList;
use crate::vector::Vector;
use crate::words::{SUMS, Words};
use crate::{arch, output};

/// The integer kernels of one instruction set. All of them give the same numbers.
pub trait Backend {
    /// `(bit)`: the sum of the weights of the planes whose bit is set; it must be below 256.
    fn bit_codes<const N: usize>(planes: [u64; N], weights: [u8; N]) -> [u8; 64];

    /// `y = relu(the sum of the rows of the table with these numbers)`: a first layer over inputs of which each group
    /// takes one of a few states, whose products are all known beforehand.
    ///
    /// Shapes: `table` (any number of rows, outputs), `y` (outputs, a multiple of 16). Sums must stay in i16.
    ///
    /// # Panics
    /// If a row may not be in the table or the shapes do not fit.
    fn sum_rows(table: &[i16], rows: &RowList<'_>, y: &mut [i16]);

    /// `sums += the rows of the table with these numbers`.
    ///
    /// Shapes: `table` (any number of rows, outputs), `sums` (outputs, a multiple of 16). Sums must stay in i16.
    ///
    /// # Panics
    /// If a row may not be in the table or the shapes do not fit.
    fn add_rows(table: &[i16], rows: &RowList<'_>, sums: &mut [i16]);

    /// `to = from + the rows in changes[0] - those in changes[1]`.
    ///
    /// Shapes: `table` (any number of rows, outputs), `from`, `to` (outputs, a multiple of 16). Sums must stay in i16.
    ///
    /// # Panics
    /// If a row may not be in the table or the shapes do not fit.
    fn change_rows(table: &[i16], changes: [&RowList<'_>; 2], from: &[i16], to: &mut [i16]);

    /// `y = bias + x W`: a dense layer over pairs of inputs.
    ///
    /// Shapes: `x` (2 pairs, a multiple of [`PAIRS_BLOCK`](crate::PAIRS_BLOCK)), `weights` (pairs, outputs, 2), `bias`,
    /// `y` (outputs, a multiple of 8). Sums must stay in i32.
    ///
    /// # Panics
    /// If the shapes do not fit.
    fn dense_pairs(x: &[i16], weights: &[i16], bias: &[i32], y: &mut [i32]);

    /// `relu(x) . weights` in f32, each `x` rounded to f32 and the sum in the order of [`naive::dot`].
    ///
    /// # Panics
    /// If the two do not have the same length, a multiple of 8.
    fn rectified_dot(x: &[i32], weights: &[f32]) -> f32;

    /// `relu(x) . weights` in i32, in the lanes of [`naive::rectified_dot_of_words`]. Sums must stay in i32.
    ///
    /// # Panics
    /// If the two do not have the same length, a multiple of 16.
    fn rectified_dot_of_words(x: &[i16], weights: &[i16]) -> [i32; SUMS];

    /// The place of every key in their order: how many are less, or equal and stand before.
    ///
    /// Shapes: `keys`, `places` (keys, a multiple of 8). Keys are below 2^31 - 1.
    ///
    /// # Panics
    /// If the shapes do not fit.
    fn sorted_places(keys: &[i32], places: &mut [i32]);

    /// The outputs of a [`BatchedHead`] for many lists of rows, each with the row of its rank; `sum` begins at `base`,
    /// and what it is without the rank may be kept for [`Backend::batched_head_repeat`].
    ///
    /// Shapes: `base` (width, a multiple of 16), `lists`, `ranks`, `y` (lists), `kept` (lists, width).
    ///
    /// # Panics
    /// If a row may not be in the table or the shapes do not fit.
    fn batched_head<const N: usize>(
        net: &BatchedHead<'_>,
        base: &[i16],
        lists: &[[u16; N]],
        ranks: &[u16],
        kept: Option<&mut [i16]>,
        y: &mut [f32],
    );

    /// The outputs of a [`BatchedHead`] for sums that were kept, with other ranks.
    ///
    /// Shapes: `kept` (lists, width), `ranks`, `y` (lists).
    ///
    /// # Panics
    /// If a row may not be in the table or the shapes do not fit.
    fn batched_head_repeat(net: &BatchedHead<'_>, kept: &[i16], ranks: &[u16], y: &mut [f32]);

    /// The dot product of two slices of one length, in the order of [`naive::dot`].
    fn dot(a: &[f32], b: &[f32]) -> f32;

    /// Which of at most 64 values are not zero, the first one's bit lowest.
    fn nonzeros(values: &[f32]) -> u64;

    /// `y = relu(y)` for at most 64 values in whole vectors; returns its [`nonzeros`](Self::nonzeros).
    fn relu(y: &mut [f32]) -> u64;

    /// The gradient before ReLU from the one behind it: `d` becomes 0 where the output `y` of ReLU is 0. At most 64
    /// values in whole vectors; returns the [`nonzeros`](Self::nonzeros) of `d`.
    fn relu_backward(d: &mut [f32], y: &[f32]) -> u64;

    /// `y += the rows of the table with these numbers`, every element in the order of the rows.
    ///
    /// Shapes: `table` (any number of rows, outputs), `y` (outputs).
    ///
    /// # Panics
    /// If a row is not in the table.
    fn add_float_rows(table: &[f32], rows: &[u16], y: &mut [f32]);

    /// `C += A B`, every element summed over the depth in order, from what it was; zeros of A are skipped.
    ///
    /// Shapes: A (rows, depth), B (depth, columns), C (rows, columns), the columns padded to whole vectors.
    ///
    /// # Panics
    /// If the shapes do not fit.
    fn add_product(a: Left<'_>, b: Right<'_>, c: Sum<'_>);
}

/// Work over a backend.
pub trait Task {
    /// Its result.
    type Output;

    /// Does the work; must be `#[inline(always)]`.
    fn run<B: Backend>(self) -> Self::Output;
}

/// The scalar reference.
pub enum Scalar {}

impl Backend for Scalar {
    fn bit_codes<const N: usize>(planes: [u64; N], weights: [u8; N]) -> [u8; 64] {
        naive::bit_codes(planes, weights)
    }

    fn sum_rows(table: &[i16], rows: &RowList<'_>, y: &mut [i16]) {
        naive::sum_rows(table, rows.rows(), y);
    }

    fn add_rows(table: &[i16], rows: &RowList<'_>, sums: &mut [i16]) {
        naive::add_rows(table, rows.rows(), sums);
    }

    fn change_rows(table: &[i16], changes: [&RowList<'_>; 2], from: &[i16], to: &mut [i16]) {
        naive::change_rows(table, changes.map(RowList::rows), from, to);
    }

    fn dense_pairs(x: &[i16], weights: &[i16], bias: &[i32], y: &mut [i32]) {
        naive::dense_pairs(x, weights, bias, y);
    }

    fn rectified_dot(x: &[i32], weights: &[f32]) -> f32 {
        naive::rectified_dot(x, weights)
    }

    fn rectified_dot_of_words(x: &[i16], weights: &[i16]) -> [i32; SUMS] {
        naive::rectified_dot_of_words(x, weights)
    }

    fn sorted_places(keys: &[i32], places: &mut [i32]) {
        naive::sorted_places(keys, places);
    }

    fn batched_head<const N: usize>(
        net: &BatchedHead<'_>,
        base: &[i16],
        lists: &[[u16; N]],
        ranks: &[u16],
        kept: Option<&mut [i16]>,
        y: &mut [f32],
    ) {
        naive::batched_head(net, base, lists, ranks, kept, y);
    }

    fn batched_head_repeat(net: &BatchedHead<'_>, kept: &[i16], ranks: &[u16], y: &mut [f32]) {
        naive::batched_head_repeat(net, kept, ranks, y);
    }

    fn dot(a: &[f32], b: &[f32]) -> f32 {
        naive::dot(a, b)
    }

    fn nonzeros(values: &[f32]) -> u64 {
        naive::nonzeros(values)
    }

    fn relu(y: &mut [f32]) -> u64 {
        naive::relu_all(y)
    }

    fn relu_backward(d: &mut [f32], y: &[f32]) -> u64 {
        naive::relu_backward(d, y)
    }

    fn add_float_rows(table: &[f32], rows: &[u16], y: &mut [f32]) {
        naive::add_float_rows(table, rows, y);
    }

    fn add_product(a: Left<'_>, b: Right<'_>, c: Sum<'_>) {
        naive::add_product(a, b, c);
    }
}

/// The kernels over lanes: of f32 and of integers.
pub(crate) struct OfLanes<V, W>(PhantomData<(V, W)>);

impl<V: Vector, W: Words> Backend for OfLanes<V, W> {
    #[inline(always)]
    fn bit_codes<const N: usize>(planes: [u64; N], weights: [u8; N]) -> [u8; 64] {
        W::bit_codes(planes, weights)
    }

    #[inline(always)]
    fn sum_rows(table: &[i16], rows: &RowList<'_>, y: &mut [i16]) {
        arch::rows::sum_rows::<W>(table, rows, y);
    }

    #[inline(always)]
    fn add_rows(table: &[i16], rows: &RowList<'_>, sums: &mut [i16]) {
        arch::rows::add_rows::<W>(table, rows, sums);
    }

    #[inline(always)]
    fn change_rows(table: &[i16], changes: [&RowList<'_>; 2], from: &[i16], to: &mut [i16]) {
        arch::rows::change_rows::<W>(table, changes, from, to);
    }

    #[inline(always)]
    fn dense_pairs(x: &[i16], weights: &[i16], bias: &[i32], y: &mut [i32]) {
        arch::pairs::dense_pairs::<W>(x, weights, bias, y);
    }

    #[inline(always)]
    fn rectified_dot(x: &[i32], weights: &[f32]) -> f32 {
        output::rectified_dot::<V>(x, weights)
    }

    #[inline(always)]
    fn rectified_dot_of_words(x: &[i16], weights: &[i16]) -> [i32; SUMS] {
        arch::pairs::rectified_dot::<W>(x, weights)
    }

    #[inline(always)]
    fn sorted_places(keys: &[i32], places: &mut [i32]) {
        arch::sorted_places::sorted_places::<W>(keys, places);
    }

    #[inline(always)]
    fn batched_head<const N: usize>(
        net: &BatchedHead<'_>,
        base: &[i16],
        lists: &[[u16; N]],
        ranks: &[u16],
        kept: Option<&mut [i16]>,
        y: &mut [f32],
    ) {
        arch::batched_head::batched_head::<V, W, N>(net, base, lists, ranks, kept, y);
    }

    #[inline(always)]
    fn batched_head_repeat(net: &BatchedHead<'_>, kept: &[i16], ranks: &[u16], y: &mut [f32]) {
        arch::batched_head::batched_head_repeat::<V, W>(net, kept, ranks, y);
    }

    #[inline(always)]
    fn dot(a: &[f32], b: &[f32]) -> f32 {
        crate::dense::dot::<V>(a, b)
    }

    #[inline(always)]
    fn nonzeros(values: &[f32]) -> u64 {
        arch::product::nonzeros::<V>(values)
    }

    #[inline(always)]
    fn relu(y: &mut [f32]) -> u64 {
        arch::product::relu::<V>(y)
    }

    #[inline(always)]
    fn relu_backward(d: &mut [f32], y: &[f32]) -> u64 {
        arch::product::relu_backward::<V>(d, y)
    }

    #[inline(always)]
    fn add_float_rows(table: &[f32], rows: &[u16], y: &mut [f32]) {
        arch::float_rows::add_float_rows::<V>(table, rows, y);
    }

    #[inline(always)]
    fn add_product(a: Left<'_>, b: Right<'_>, c: Sum<'_>) {
        arch::product::add_product::<V>(a, b, c);
    }
}

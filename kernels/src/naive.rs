//! The scalar reference: the shortest code that is obviously right. It is the oracle of every other backend and the
//! fallback of every machine, and its order of operations is the contract that the others keep bit for bit. Where the order
//! is free, it goes along the rows of a table, as the memory does.

use crate::activations::relu;
use crate::batched_head::BatchedHead;
use crate::product::{Left, Right, Sum};
use crate::vector::{LANES, tree};
use crate::words::SUMS;

/// One dense layer with ReLU: `y[j] = relu(b[j] + x[0] w[0][j] + x[1] w[1][j] + ...)`, added from left to right.
///
/// Shapes: `x` (inputs), `weights` (inputs, outputs), `bias` (outputs), `y` (outputs).
pub fn dense_relu(x: &[f32], weights: &[f32], bias: &[f32], y: &mut [f32]) {
    let outputs = y.len();
    for (j, y) in y.iter_mut().enumerate() {
        let mut sum = bias[j];
        for (i, x) in x.iter().enumerate() {
            sum += x * weights[i * outputs + j];
        }
        *y = relu(sum);
    }
}

/// The dot product of `a` and `b` in the fixed order of the project: lane `l` adds the products of elements `l`,
/// `l + 8`, `l + 16`, ... to zero, and [`tree`] adds the lanes.
pub fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut lanes = [0.0; LANES];
    for (i, (a, b)) in a.iter().zip(b).enumerate() {
        lanes[i % LANES] += a * b;
    }
    tree(lanes)
}

/// `(bit)`: the sum of the weights of the planes whose bit is set.
pub fn bit_codes<const N: usize>(planes: [u64; N], weights: [u8; N]) -> [u8; 64] {
    core::array::from_fn(|bit| (0..N).map(|n| weights[n] * (planes[n] >> bit & 1) as u8).sum())
}

/// The row of the table with this number.
fn row_of<T>(table: &[T], number: u16, outputs: usize) -> &[T] {
    &table[usize::from(number) * outputs..][..outputs]
}

/// `y = relu(the sum of the rows of the table with these numbers)`, in i16.
///
/// Shapes: `table` (any number of rows, outputs), `y` (outputs).
pub fn sum_rows(table: &[i16], rows: &[u16], y: &mut [i16]) {
    y.fill(0);
    add_rows(table, rows, y);
    y.iter_mut().for_each(|y| *y = (*y).max(0));
}

/// `sums += the rows of the table with these numbers`, in i16.
///
/// Shapes: `table` (any number of rows, outputs), `sums` (outputs).
pub fn add_rows(table: &[i16], rows: &[u16], sums: &mut [i16]) {
    for row in rows {
        let row = row_of(table, *row, sums.len());
        sums.iter_mut().zip(row).for_each(|(sum, x)| *sum = sum.wrapping_add(*x));
    }
}

/// `to = from + the rows in changes[0] - those in changes[1]`, in i16.
///
/// Shapes: `table` (any number of rows, outputs), `from`, `to` (outputs).
pub fn change_rows(table: &[i16], [added, removed]: [&[u16]; 2], from: &[i16], to: &mut [i16]) {
    to.copy_from_slice(from);
    add_rows(table, added, to);
    for row in removed {
        let row = row_of(table, *row, to.len());
        to.iter_mut().zip(row).for_each(|(to, x)| *to = to.wrapping_sub(*x));
    }
}

/// `y = bias + x W` in i32; the weights of a pair of inputs stand side by side.
///
/// Shapes: `x` (2 pairs), `weights` (pairs, outputs, 2), `bias`, `y` (outputs).
pub fn dense_pairs(x: &[i16], weights: &[i16], bias: &[i32], y: &mut [i32]) {
    y.copy_from_slice(bias);
    for (pair, x) in x.chunks_exact(2).enumerate() {
        let weights = &weights[2 * pair * y.len()..][..2 * y.len()];
        let [first, second] = [x[0], x[1]].map(i32::from);
        for (y, weights) in y.iter_mut().zip(weights.chunks_exact(2)) {
            *y = y.wrapping_add(first * i32::from(weights[0])).wrapping_add(second * i32::from(weights[1]));
        }
    }
}

/// `relu(x) . weights` in f32, in the order of [`dot`].
pub fn rectified_dot(x: &[i32], weights: &[f32]) -> f32 {
    let x: Vec<f32> = x.iter().map(|x| (*x).max(0) as f32).collect();
    dot(&x, weights)
}

/// `relu(x) . weights` in i32, in eight lanes: lane `l` adds the products of the pairs `l`, `l + 8`, `l + 16`, ...
pub fn rectified_dot_of_words(x: &[i16], weights: &[i16]) -> [i32; SUMS] {
    let mut lanes = [0_i32; SUMS];
    for (i, (x, weight)) in x.iter().zip(weights).enumerate() {
        let lane = &mut lanes[i / 2 % SUMS];
        *lane = lane.wrapping_add(i32::from((*x).max(0)) * i32::from(*weight));
    }
    lanes
}

/// The place of every key in their order, equal ones in the order in which they stand.
///
/// Shapes: `keys`, `places` (keys).
pub fn sorted_places(keys: &[i32], places: &mut [i32]) {
    for (at, (key, place)) in keys.iter().zip(places).enumerate() {
        let comes_before = |(other, with): (usize, &i32)| usize::from((with, other) < (key, at));
        *place = keys.iter().enumerate().map(comes_before).sum::<usize>() as i32;
    }
}

/// Which of at most 64 values are not zero, the first one's bit lowest.
#[inline(always)]
pub fn nonzeros(values: &[f32]) -> u64 {
    values.iter().enumerate().fold(0, |bits, (place, value)| bits | u64::from(*value != 0.0) << place)
}

/// `y = relu(y)` for at most 64 values; returns its [`nonzeros`].
pub fn relu_all(y: &mut [f32]) -> u64 {
    y.iter_mut().for_each(|y| *y = relu(*y));
    nonzeros(y)
}

/// `d` becomes 0 where the output `y` of ReLU is 0, for at most 64 values; returns its [`nonzeros`].
pub fn relu_backward(d: &mut [f32], y: &[f32]) -> u64 {
    d.iter_mut().zip(y).for_each(|(d, y)| *d = if *y > 0.0 { *d } else { 0.0 });
    nonzeros(d)
}

/// The outputs of a [`BatchedHead`] for many lists of rows, each by [`add_rows`], [`dense_pairs`] and
/// [`rectified_dot`].
///
/// Shapes: `base` (width), `lists`, `ranks`, `y` (lists), `kept` (lists, width).
pub fn batched_head<const N: usize>(
    net: &BatchedHead<'_>,
    base: &[i16],
    lists: &[[u16; N]],
    ranks: &[u16],
    kept: Option<&mut [i16]>,
    y: &mut [f32],
) {
    let mut sums = base.repeat(lists.len());
    for (list, sum) in lists.iter().zip(sums.chunks_mut(base.len())) {
        add_rows(net.table, list, sum);
    }
    batched_head_repeat(net, &sums, ranks, y);
    if let Some(kept) = kept {
        kept.copy_from_slice(&sums);
    }
}

/// The outputs of a [`BatchedHead`] for sums that only lack their last rows.
///
/// Shapes: `kept` (lists, width), `ranks`, `y` (lists).
pub fn batched_head_repeat(net: &BatchedHead<'_>, kept: &[i16], ranks: &[u16], y: &mut [f32]) {
    for (list, (last, y)) in ranks.iter().zip(y).enumerate() {
        let width = kept.len() / ranks.len();
        let (mut sums, mut hidden) = (kept[list * width..][..width].to_vec(), vec![0; net.bias.len()]);
        add_rows(net.table, &[*last], &mut sums);
        sums.iter_mut().for_each(|sum| *sum = (*sum).max(0));
        dense_pairs(&sums, net.weights, net.bias, &mut hidden);
        *y = rectified_dot(&hidden, net.output) + net.output_bias;
    }
}

/// [`Backend::add_float_rows`](crate::Backend::add_float_rows).
pub fn add_float_rows(table: &[f32], rows: &[u16], y: &mut [f32]) {
    for row in rows {
        let row = row_of(table, *row, y.len());
        y.iter_mut().zip(row).for_each(|(y, x)| *y += x);
    }
}

/// `C += A B`, every element summed over the depth in order, from what it was; zeros of A are skipped.
///
/// Shapes: A (rows, depth), B (depth, columns), C (rows, columns), the columns padded to whole vectors.
pub fn add_product(a: Left<'_>, b: Right<'_>, c: Sum<'_>) {
    for (row, (words, to)) in a.nonzeros.rows().zip(c.values.chunks_mut(c.stride)).enumerate() {
        for depth in (0..64 * words.len()).filter(|depth| words[depth / 64] >> (depth % 64) & 1 != 0) {
            let factor = a.values[row * a.row_stride + depth * a.depth_stride];
            let from = &b.values[depth * b.stride..][..b.width];
            to.iter_mut().zip(from).for_each(|(to, from)| *to += factor * from);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layer_by_hand() {
        // x = (1, 2), W = ((1, -1, 0), (10, -10, .5)), b = (.5, .5, -.5): y = relu(21.5, -20.5, .5).
        let mut y = [9.0; 3];
        dense_relu(&[1.0, 2.0], &[1.0, -1.0, 0.0, 10.0, -10.0, 0.5], &[0.5, 0.5, -0.5], &mut y);
        assert_eq!(y, [21.5, 0.0, 0.5]);
    }

    #[test]
    fn the_lanes_and_the_tree_of_a_dot_product() {
        // Lane 0 takes elements 0 and 8: 1e8 - 1e8 = 0 there, while from left to right the 1 would be lost.
        let a = [1e8, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1e8];
        assert_eq!(dot(&a, &[1.0; 9]), 1.0);
        assert_eq!(tree([1e8, 0.0, 0.0, 1.0, -1e8, 0.0, 0.0, 0.0]), 1.0);
    }

    #[test]
    fn codes_by_hand() {
        let codes = bit_codes([0b110, 0b011], [5, 7]);
        assert_eq!((&codes[..4], codes[63]), (&[7, 12, 5, 0][..], 0));
    }

    #[test]
    fn rows_and_pairs_by_hand() {
        let mut y = [9; 2];
        sum_rows(&[1, 10, 2, -20, 4, 40], &[0, 2, 0], &mut y);
        assert_eq!(y, [6, 60]);
        sum_rows(&[1, 10, 2, -20, 4, 40], &[1, 0], &mut y);
        assert_eq!(y, [3, 0]);
        add_rows(&[1, 10, 2, -20, 4, 40], &[1, 0], &mut y);
        assert_eq!(y, [6, -10]);
        change_rows(&[1, 10, 2, -20, 4, 40], [&[2, 2], &[0]], &[7, 0], &mut y);
        assert_eq!(y, [14, 70]);
        // x = (1, 2), W = ((3, 4), (5, 6)): y = (1 * 3 + 2 * 5, 1 * 4 + 2 * 6) + (100, 200).
        let mut y = [9; 2];
        dense_pairs(&[1, 2], &[3, 5, 4, 6], &[100, 200], &mut y);
        assert_eq!(y, [113, 216]);
        assert_eq!(rectified_dot(&[3, -5], &[0.5, 7.0]), 1.5);
        assert_eq!(rectified_dot_of_words(&[3, -5, 2, 4], &[7, 9, 5, -1]), [21, 6, 0, 0, 0, 0, 0, 0]);
    }
}

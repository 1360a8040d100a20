//! Many lists through a small network. Where its sizes are known, the sums of a list never leave the registers before
//! ReLU, and those of the hidden layer not before the output; other sizes are composed of the other kernels.

use crate::PAIRS_BLOCK;
use crate::arch::rows::RowList;
use crate::arch::{pairs, rows};
use crate::output::rectified_dot;
use crate::row_net::{MOST, RowNet};
use crate::vector::Vector;
use crate::words::{SUMS, WORDS, Words};

/// [`Backend::row_net`](crate::Backend::row_net) over lanes.
#[inline(always)]
pub fn row_net<V: Vector, W: Words, const N: usize>(
    net: &RowNet<'_>,
    base: &[i16],
    lists: &[[u16; N]],
    lasts: &[u16],
    kept: Option<&mut [i16]>,
    y: &mut [f32],
) {
    let width = base.len();
    assert!(lists.len() == lasts.len() && lists.len() == y.len(), "every list has a last row and an output");
    assert!(kept.as_ref().is_none_or(|kept| kept.len() == lists.len() * width), "a sum is kept of every list");
    let end = RowList::new(lists.as_flattened()).end().max(RowList::new(lasts).end());
    match shape(net, width, end) {
        // SAFETY: the rows are in the table, and the weights and biases of the sizes' layers are there.
        (64, 32) => unsafe { of_known::<V, W, 4, 4, N>(net, base, lists, lasts, kept, y) },
        _ => of_any::<V, W, N>(net, base, lists, lasts, kept, y),
    }
}

/// [`Backend::row_net_again`](crate::Backend::row_net_again) over lanes.
#[inline(always)]
pub fn row_net_again<V: Vector, W: Words>(net: &RowNet<'_>, kept: &[i16], lasts: &[u16], y: &mut [f32]) {
    let width = kept.len().checked_div(lasts.len()).unwrap_or(0);
    assert!(kept.len() == lasts.len() * width && lasts.len() == y.len(), "every kept sum has a last row and an output");
    match shape(net, width, RowList::new(lasts).end()) {
        // SAFETY: the rows are in the table, and the weights and biases of the sizes' layers are there.
        (64, 32) => unsafe { known_again::<V, W, 4, 4>(net, kept, lasts, y) },
        _ => any_again::<V, W>(net, kept, lasts, y),
    }
}

/// The widths of sum and hidden layer, of a net that has weights for them and all rows below `end`.
#[inline(always)]
fn shape(net: &RowNet<'_>, width: usize, end: usize) -> (usize, usize) {
    let hidden = net.bias.len();
    assert!(end * width <= net.table.len(), "every row is in the table");
    assert!(net.weights.len() >= width * hidden && net.output.len() == hidden, "a layer's parts have its shape");
    (width, hidden)
}

/// Sums of `WIDTH` vectors, a hidden layer of `HIDDEN`.
///
/// # Safety
/// `(row + 1) * WIDTH` vectors are in the table for every row, `base` has `WIDTH`, the weights have `HIDDEN` for each pair of
/// `base`, and the biases are `HIDDEN`.
#[inline(always)]
unsafe fn of_known<V: Vector, W: Words, const WIDTH: usize, const HIDDEN: usize, const N: usize>(
    net: &RowNet<'_>,
    base: &[i16],
    lists: &[[u16; N]],
    lasts: &[u16],
    kept: Option<&mut [i16]>,
    y: &mut [f32],
) {
    let mut kept = kept.map(|kept| kept.as_chunks_mut().0.as_chunks_mut::<WIDTH>().0.iter_mut());
    for ((list, last), y) in lists.iter().zip(lasts).zip(y) {
        let mut sums = load::<W, WIDTH>(base.as_chunks().0);
        for row in list {
            // SAFETY: the row is in the table, as the caller promises.
            unsafe { add_row(net.table, *row, &mut sums) };
        }
        if let Some(kept) = kept.as_mut().and_then(Iterator::next) {
            sums.iter().zip(kept).for_each(|(sum, kept)| sum.store(kept));
        }
        // SAFETY: the row is in the table and the layer's parts have its shape, as the caller promises.
        *y = unsafe { output_of_known::<V, W, WIDTH, HIDDEN>(net, sums, *last) };
    }
}

/// The same with sums that are there.
///
/// # Safety
/// As for [`of_known`].
#[inline(always)]
unsafe fn known_again<V: Vector, W: Words, const WIDTH: usize, const HIDDEN: usize>(
    net: &RowNet<'_>,
    kept: &[i16],
    lasts: &[u16],
    y: &mut [f32],
) {
    for ((kept, last), y) in kept.as_chunks().0.as_chunks::<WIDTH>().0.iter().zip(lasts).zip(y) {
        // SAFETY: the row is in the table and the layer's parts have its shape, as the caller promises.
        *y = unsafe { output_of_known::<V, W, WIDTH, HIDDEN>(net, load(kept), *last) };
    }
}

#[inline(always)]
fn load<W: Words, const WIDTH: usize>(from: &[[i16; WORDS]]) -> [W; WIDTH] {
    let mut sums = [W::ZERO; WIDTH];
    sums.iter_mut().zip(from).for_each(|(sum, from)| *sum = W::load(from));
    sums
}

/// # Safety
/// `(row + 1) * WIDTH` vectors are in the table.
#[inline(always)]
unsafe fn add_row<W: Words, const WIDTH: usize>(table: &[i16], row: u16, sums: &mut [W; WIDTH]) {
    let (table, start) = (table.as_chunks::<WORDS>().0, usize::from(row) * WIDTH);
    for (n, sum) in sums.iter_mut().enumerate() {
        // SAFETY: start + n < (row + 1) * WIDTH <= table.len(), as the caller promises.
        *sum = sum.add(W::load(unsafe { table.get_unchecked(start + n) }));
    }
}

/// The output of a sum to which its last row is still to be added.
///
/// # Safety
/// As for [`of_known`].
#[inline(always)]
unsafe fn output_of_known<V: Vector, W: Words, const WIDTH: usize, const HIDDEN: usize>(
    net: &RowNet<'_>,
    mut sums: [W; WIDTH],
    last: u16,
) -> f32 {
    let (weights, bias) = (net.weights.as_chunks::<WORDS>().0, net.bias.as_chunks().0);
    // SAFETY: the row is in the table, as the caller promises.
    unsafe { add_row(net.table, last, &mut sums) };
    let mut active = [[0; WORDS]; WIDTH];
    for (sum, active) in sums.iter().zip(&mut active) {
        sum.relu().store(active);
    }
    let mut sums = [W::load_sums(&[0; SUMS]); HIDDEN];
    for (sum, bias) in sums.iter_mut().zip(bias) {
        *sum = W::load_sums(bias);
    }
    // Most pairs are active: to look for those that are not costs more than to multiply them.
    for (pair, x) in active.as_flattened().as_chunks().0.iter().enumerate() {
        let x = W::splat_pair(*x);
        for (n, sum) in sums.iter_mut().enumerate() {
            // SAFETY: every pair of the width has weights of `HIDDEN` vectors, as the caller promises.
            let weights = W::load(unsafe { weights.get_unchecked(pair * HIDDEN + n) });
            *sum = W::add_sums(*sum, x.dot(weights));
        }
    }
    let mut hidden = [[0; SUMS]; HIDDEN];
    for (sum, hidden) in sums.iter().zip(&mut hidden) {
        W::store_sums(*sum, hidden);
    }
    rectified_dot::<V>(hidden.as_flattened(), net.output) + net.output_bias
}

#[inline(always)]
fn of_any<V: Vector, W: Words, const N: usize>(
    net: &RowNet<'_>,
    base: &[i16],
    lists: &[[u16; N]],
    lasts: &[u16],
    kept: Option<&mut [i16]>,
    y: &mut [f32],
) {
    let width = base.len();
    let mut kept = kept.map(|kept| kept.chunks_exact_mut(width));
    for ((list, last), y) in lists.iter().zip(lasts).zip(y) {
        let mut sums = [0; MOST];
        sums[..width].copy_from_slice(base);
        rows::add_rows::<W>(net.table, &RowList::new(list), &mut sums[..width]);
        if let Some(kept) = kept.as_mut().and_then(Iterator::next) {
            kept.copy_from_slice(&sums[..width]);
        }
        *y = output_of_any::<V, W>(net, width, &mut sums, *last);
    }
}

#[inline(always)]
fn any_again<V: Vector, W: Words>(net: &RowNet<'_>, kept: &[i16], lasts: &[u16], y: &mut [f32]) {
    let width = kept.len().checked_div(lasts.len()).unwrap_or(0);
    for (index, (last, y)) in lasts.iter().zip(y).enumerate() {
        let mut sums = [0; MOST];
        sums[..width].copy_from_slice(&kept[index * width..][..width]);
        *y = output_of_any::<V, W>(net, width, &mut sums, *last);
    }
}

#[inline(always)]
fn output_of_any<V: Vector, W: Words>(net: &RowNet<'_>, width: usize, sums: &mut [i16; MOST], last: u16) -> f32 {
    let inputs = width.next_multiple_of(PAIRS_BLOCK);
    let mut hidden = [0; MOST];
    let hidden = &mut hidden[..net.bias.len()];
    rows::add_rows::<W>(net.table, &RowList::new(&[last]), &mut sums[..width]);
    sums[..width].iter_mut().for_each(|sum| *sum = (*sum).max(0));
    pairs::dense_pairs::<W>(&sums[..inputs], &net.weights[..inputs * hidden.len()], net.bias, hidden);
    rectified_dot::<V>(hidden, net.output) + net.output_bias
}

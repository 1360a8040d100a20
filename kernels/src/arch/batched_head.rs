//! The batched head over lanes. For sizes that are known when it is compiled, the sums of a list stay in registers
//! until ReLU, and those of the hidden layer until the output; other sizes are composed of the other kernels.

use crate::arch::{pairs, rows};
use crate::batched_head::{BatchedHead, MAX_WIDTH};
use crate::output::rectified_dot;
use crate::row_list::RowList;
use crate::vector::Vector;
use crate::words::{PAIRS_BLOCK, SUMS, WORDS, Words};

/// [`Backend::batched_head`](crate::Backend::batched_head) over lanes.
#[inline(always)]
pub fn batched_head<V: Vector, W: Words, const N: usize>(
    net: &BatchedHead<'_>,
    base: &[i16],
    lists: &[[u16; N]],
    ranks: &[u16],
    kept: Option<&mut [i16]>,
    y: &mut [f32],
) {
    let width = base.len();
    assert!(lists.len() == ranks.len() && lists.len() == y.len(), "every list has a rank and an output");
    assert!(kept.as_ref().is_none_or(|kept| kept.len() == lists.len() * width), "a sum is kept of every list");
    let end = RowList::new(lists.as_flattened()).end().max(RowList::new(ranks).end());
    let begun = lists.iter().map(|list| (base, &list[..]));
    // SAFETY: no row of a list or of `ranks` is `end` or more, and every list begins at `base`.
    unsafe { of_lists::<V, W>(net, (width, end), begun, ranks, kept, y) }
}

/// [`Backend::batched_head_repeat`](crate::Backend::batched_head_repeat) over lanes.
#[inline(always)]
pub fn batched_head_repeat<V: Vector, W: Words>(net: &BatchedHead<'_>, kept: &[i16], ranks: &[u16], y: &mut [f32]) {
    let width = kept.len().checked_div(ranks.len()).unwrap_or(0);
    assert!(kept.len() == ranks.len() * width && ranks.len() == y.len(), "every kept sum has a rank and an output");
    let begun = kept.chunks_exact(width.max(1)).map(|kept| (kept, &[][..]));
    // SAFETY: no row of `ranks` is its end or more, and every kept sum has this width.
    unsafe { of_lists::<V, W>(net, (width, RowList::new(ranks).end()), begun, ranks, None, y) }
}

/// The outputs of lists, each `begun` at a sum and with rows of its own.
///
/// # Safety
/// The sums have the width, and all rows are below the end.
#[inline(always)]
unsafe fn of_lists<'a, V: Vector, W: Words>(
    net: &BatchedHead<'_>,
    (width, end): (usize, usize),
    begun: impl Iterator<Item = (&'a [i16], &'a [u16])>,
    ranks: &[u16],
    kept: Option<&mut [i16]>,
    y: &mut [f32],
) {
    let hidden = net.bias.len();
    assert!(end * width <= net.table.len(), "every row is in the table");
    assert!(net.weights.len() >= width * hidden && net.output.len() == hidden, "a layer's parts have its shape");
    match (width, hidden) {
        // SAFETY: the rows are in the table, and the weights and biases of the sizes' layers are there.
        (64, 32) => unsafe { of_known::<V, W, 4, 4>(net, begun, ranks, kept, y) },
        _ => of_any::<V, W>(net, width, begun, ranks, kept, y),
    }
}

/// Sums of `WIDTH` vectors, a hidden layer of `HIDDEN`.
///
/// # Safety
/// `(row + 1) * WIDTH` vectors are in the table for every row, the weights have `HIDDEN` for each pair of a sum, and
/// the biases are `HIDDEN`.
#[inline(always)]
unsafe fn of_known<'a, V: Vector, W: Words, const WIDTH: usize, const HIDDEN: usize>(
    net: &BatchedHead<'_>,
    begun: impl Iterator<Item = (&'a [i16], &'a [u16])>,
    ranks: &[u16],
    kept: Option<&mut [i16]>,
    y: &mut [f32],
) {
    let mut kept = kept.map(|kept| kept.as_chunks_mut().0.as_chunks_mut::<WIDTH>().0.iter_mut());
    for (((base, list), last), y) in begun.zip(ranks).zip(y) {
        let mut sums = [W::ZERO; WIDTH];
        sums.iter_mut().zip(base.as_chunks().0).for_each(|(sum, base)| *sum = W::load(base));
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

/// The output of a sum to which the row of its rank must still be added.
///
/// # Safety
/// As for [`of_known`].
#[inline(always)]
unsafe fn output_of_known<V: Vector, W: Words, const WIDTH: usize, const HIDDEN: usize>(
    net: &BatchedHead<'_>,
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
    // Eight at a time, as many as a vector has: the loop's own instructions count beside those of a pair.
    for (vector, active) in active.iter().enumerate() {
        let pairs = active.as_chunks::<2>().0;
        for (place, pair) in pairs.iter().enumerate() {
            let x = W::splat_pair(*pair);
            for (n, sum) in sums.iter_mut().enumerate() {
                // SAFETY: every pair of the width has weights of `HIDDEN` vectors, as the caller promises.
                let weights = W::load(unsafe { weights.get_unchecked((vector * SUMS + place) * HIDDEN + n) });
                *sum = W::add_sums(*sum, x.dot(weights));
            }
        }
    }
    let mut hidden = [[0; SUMS]; HIDDEN];
    for (sum, hidden) in sums.iter().zip(&mut hidden) {
        W::store_sums(*sum, hidden);
    }
    rectified_dot::<V>(hidden.as_flattened(), net.output) + net.output_bias
}

#[inline(always)]
fn of_any<'a, V: Vector, W: Words>(
    net: &BatchedHead<'_>,
    width: usize,
    begun: impl Iterator<Item = (&'a [i16], &'a [u16])>,
    ranks: &[u16],
    kept: Option<&mut [i16]>,
    y: &mut [f32],
) {
    let inputs = width.next_multiple_of(PAIRS_BLOCK);
    let (mut sums, mut hidden) = ([0; MAX_WIDTH], [0; MAX_WIDTH]);
    let hidden = &mut hidden[..net.bias.len()];
    let mut kept = kept.map(|kept| kept.chunks_exact_mut(width));
    for (((base, list), last), y) in begun.zip(ranks).zip(y) {
        sums[..width].copy_from_slice(base);
        rows::add_rows::<W>(net.table, &RowList::new(list), &mut sums[..width]);
        if let Some(kept) = kept.as_mut().and_then(Iterator::next) {
            kept.copy_from_slice(&sums[..width]);
        }
        rows::add_rows::<W>(net.table, &RowList::new(&[*last]), &mut sums[..width]);
        sums[..width].iter_mut().for_each(|sum| *sum = (*sum).max(0));
        pairs::dense_pairs::<W>(&sums[..inputs], &net.weights[..inputs * hidden.len()], net.bias, hidden);
        *y = rectified_dot::<V>(hidden, net.output) + net.output_bias;
    }
}

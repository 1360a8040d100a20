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
    y: &mut [f32],
) {
    assert!(lists.len() == lasts.len() && lists.len() == y.len(), "every list has a last row and an output");
    let end = RowList::new(lists.as_flattened()).end().max(RowList::new(lasts).end());
    assert!(end * base.len() <= net.table.len(), "every row is in the table");
    let hidden = net.bias.len();
    assert!(net.weights.len() >= base.len() * hidden && net.output.len() == hidden, "a layer's parts have its shape");
    match (base.len(), hidden) {
        // SAFETY: the rows are in the table, and the weights and biases of the sizes' layers are there.
        (64, 32) => unsafe { of_known::<V, W, 4, 4, N>(net, base, lists, lasts, y) },
        _ => of_any::<V, W, N>(net, base, lists, lasts, y),
    }
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
    y: &mut [f32],
) {
    let (table, weights) = (net.table.as_chunks::<WORDS>().0, net.weights.as_chunks::<WORDS>().0);
    let (base, bias) = (base.as_chunks().0, net.bias.as_chunks().0);
    for ((list, last), y) in lists.iter().zip(lasts).zip(y) {
        let mut sums: [W; WIDTH] = [W::ZERO; WIDTH];
        for (sum, base) in sums.iter_mut().zip(base) {
            *sum = W::load(base);
        }
        let mut add = |row: u16| {
            let start = usize::from(row) * WIDTH;
            for (n, sum) in sums.iter_mut().enumerate() {
                // SAFETY: start + n < (row + 1) * WIDTH <= table.len(), as the caller promises.
                *sum = sum.add(W::load(unsafe { table.get_unchecked(start + n) }));
            }
        };
        list.iter().for_each(|row| add(*row));
        add(*last);
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
        *y = rectified_dot::<V>(hidden.as_flattened(), net.output) + net.output_bias;
    }
}

#[inline(always)]
fn of_any<V: Vector, W: Words, const N: usize>(
    net: &RowNet<'_>,
    base: &[i16],
    lists: &[[u16; N]],
    lasts: &[u16],
    y: &mut [f32],
) {
    let width = base.len();
    let inputs = width.next_multiple_of(PAIRS_BLOCK);
    let (mut sums, mut hidden) = ([0; MOST], [0; MOST]);
    let hidden = &mut hidden[..net.bias.len()];
    for ((list, last), y) in lists.iter().zip(lasts).zip(y) {
        sums[..width].copy_from_slice(base);
        rows::add_rows::<W>(net.table, &RowList::new(list), &mut sums[..width]);
        rows::add_rows::<W>(net.table, &RowList::new(&[*last]), &mut sums[..width]);
        sums[..width].iter_mut().for_each(|sum| *sum = (*sum).max(0));
        pairs::dense_pairs::<W>(&sums[..inputs], &net.weights[..inputs * hidden.len()], net.bias, hidden);
        *y = rectified_dot::<V>(hidden, net.output) + net.output_bias;
    }
}

//! The sum of table rows: the first layer of quantized inference.
//!
//! Numbers of rows are checked once, by the largest of a list, and not at every row: that would be two of the six
//! instructions that a row of two vectors costs.

use crate::row_list::RowList;
use crate::words::{WORDS, Words};

/// A vector in memory, of any alignment.
type Lanes = [i16; WORDS];

/// [`Backend::sum_rows`](crate::Backend::sum_rows) over lanes: a block of outputs stays in registers while the rows
/// are added.
#[inline(always)]
pub fn sum_rows<W: Words>(table: &[i16], list: &RowList<'_>, y: &mut [i16]) {
    let ((table, rest), (y, rest_y)) = (table.as_chunks(), y.as_chunks_mut());
    assert!(rest.is_empty() && rest_y.is_empty(), "outputs come in whole vectors");
    assert!(list.end() * y.len() <= table.len(), "every row is in the table");
    let (rows, width) = (list.rows(), y.len());
    // SAFETY: for all calls, every number of `rows` is below `end`, hence below table.len() / width, and the blocks lie
    // within the width.
    unsafe {
        match width {
            // With a width that is known, a row's address is its number shifted.
            2 if W::ACCUMULATORS >= 2 => block::<W, 2>(table, 2, 0, rows, y),
            4 if W::ACCUMULATORS >= 4 => block::<W, 4>(table, 4, 0, rows, y),
            _ => {
                let mut from = 0;
                while from < width {
                    let vectors = (width - from).min(W::ACCUMULATORS);
                    let y = &mut y[from..];
                    match vectors {
                        1 => block::<W, 1>(table, width, from, rows, y),
                        2 => block::<W, 2>(table, width, from, rows, y),
                        3 => block::<W, 3>(table, width, from, rows, y),
                        4 => block::<W, 4>(table, width, from, rows, y),
                        5 => block::<W, 5>(table, width, from, rows, y),
                        6 => block::<W, 6>(table, width, from, rows, y),
                        7 => block::<W, 7>(table, width, from, rows, y),
                        _ => block::<W, 8>(table, width, from, rows, y),
                    }
                    from += vectors;
                }
            }
        }
    }
}

/// `N` vectors of outputs from the vector `from` on, all rows; a row has `width` vectors.
///
/// # Safety
/// `(row + 1) * width <= table.len()` for every row, and `from + N <= width`.
#[inline(always)]
unsafe fn block<W: Words, const N: usize>(table: &[Lanes], width: usize, from: usize, rows: &[u16], y: &mut [Lanes]) {
    let mut sums = [W::ZERO; N];
    // Eight at a time: the loop's own instructions count beside a row of two vectors.
    let (eights, rest) = rows.as_chunks::<8>();
    for eight in eights {
        for row in eight {
            // SAFETY: (row + 1) * width <= table.len() and from + N <= width, as the caller promises.
            unsafe { add_row(table, usize::from(*row) * width + from, &mut sums) };
        }
    }
    for row in rest {
        // SAFETY: as above.
        unsafe { add_row(table, usize::from(*row) * width + from, &mut sums) };
    }
    for n in 0..N {
        sums[n].relu().store(&mut y[n]);
    }
}

/// Adds the vectors of a table from `start` on.
///
/// Loops and functions that are always inlined, here and below: a closure in an iterator's method may not be, and is then
/// compiled for the baseline, where every intrinsic is a call.
///
/// # Safety
/// `start + N <= table.len()`.
#[inline(always)]
unsafe fn add_row<W: Words, const N: usize>(table: &[Lanes], start: usize, sums: &mut [W; N]) {
    for (n, sum) in sums.iter_mut().enumerate() {
        // SAFETY: start + n < start + N <= table.len(), as the caller promises.
        *sum = sum.add(W::load(unsafe { table.get_unchecked(start + n) }));
    }
}

/// [`Backend::add_rows`](crate::Backend::add_rows) over lanes: a block of sums stays in registers while the rows are
/// added.
#[inline(always)]
pub fn add_rows<W: Words>(table: &[i16], list: &RowList<'_>, sums: &mut [i16]) {
    let ((table, rest), (sums, rest_sums)) = (table.as_chunks(), sums.as_chunks_mut());
    assert!(rest.is_empty() && rest_sums.is_empty(), "sums come in whole vectors");
    assert!(list.end() * sums.len() <= table.len(), "every row is in the table");
    let (rows, width) = (list.rows(), sums.len());
    let mut from = 0;
    while from < width {
        let sums = &mut sums[from..];
        // SAFETY: for both calls, every number of `rows` is below `end`, hence below table.len() / width, and the block
        // lies within the width.
        from += unsafe {
            if sums.len() >= 4 {
                block_onto::<W, 4>(table, width, from, rows, sums)
            } else {
                block_onto::<W, 1>(table, width, from, rows, sums)
            }
        };
    }
}

/// `N` vectors of sums from the vector `from` on, all rows; a row has `width` vectors. Returns `N`.
///
/// # Safety
/// `(row + 1) * width <= table.len()` for every row, and `from + N <= width`.
#[inline(always)]
unsafe fn block_onto<W: Words, const N: usize>(
    table: &[Lanes],
    width: usize,
    from: usize,
    rows: &[u16],
    to: &mut [Lanes],
) -> usize {
    let mut sums: [W; N] = core::array::from_fn(|n| W::load(&to[n]));
    for row in rows {
        let start = usize::from(*row) * width + from;
        for (n, sum) in sums.iter_mut().enumerate() {
            // SAFETY: start + n < row * width + from + N <= (row + 1) * width <= table.len(), as the caller promises.
            *sum = sum.add(W::load(unsafe { table.get_unchecked(start + n) }));
        }
    }
    for n in 0..N {
        sums[n].store(&mut to[n]);
    }
    N
}

/// [`Backend::change_rows`](crate::Backend::change_rows) over lanes: a vector of sums stays in its register from its load to
/// its store. The changes of nearly all moves are known when this is compiled, so that a row costs one instruction a vector.
#[inline(always)]
pub fn change_rows<W: Words>(table: &[i16], changes: [&RowList<'_>; 2], from: &[i16], to: &mut [i16]) {
    let ((table, rest), (from, rest_from), (to, rest_to)) = (table.as_chunks(), from.as_chunks(), to.as_chunks_mut());
    assert!(rest.is_empty() && rest_from.is_empty() && rest_to.is_empty(), "sums come in whole vectors");
    assert!(from.len() == to.len(), "as many sums as there were");
    let [added, removed] = changes;
    assert!(added.end().max(removed.end()) * to.len() <= table.len(), "every row is in the table");
    // SAFETY: for all calls, every number of `added` and `removed` is below the `end` of its list, hence below
    // table.len() / to.len(), and `from` is as long as `to`.
    unsafe {
        match (added.rows(), removed.rows()) {
            (&[added], &[removed]) => changed::<W>(table, &[added], &[removed], from, to),
            (&[added], &[one, other]) => changed::<W>(table, &[added], &[one, other], from, to),
            (added, removed) => changed::<W>(table, added, removed, from, to),
        }
    }
}

/// The changed sums, eight vectors in a row as one block of instructions.
///
/// # Safety
/// `(row + 1) * to.len() <= table.len()` for every row, and `from` is as long as `to`.
#[inline(always)]
unsafe fn changed<W: Words>(table: &[Lanes], added: &[u16], removed: &[u16], from: &[Lanes], to: &mut [Lanes]) {
    const BLOCK: usize = 8;
    let width = to.len();
    let (whole, mut at) = (width - width % BLOCK, 0);
    while at < whole {
        for n in 0..BLOCK {
            // SAFETY: at + n < whole <= width; the rows are the caller's.
            unsafe { change_vector::<W>(table, added, removed, from, to, at + n) };
        }
        at += BLOCK;
    }
    while at < width {
        // SAFETY: at < width; the rows are the caller's.
        unsafe { change_vector::<W>(table, added, removed, from, to, at) };
        at += 1;
    }
}

/// The vector `n` of the changed sums.
///
/// # Safety
/// `(row + 1) * to.len() <= table.len()` for every row, `from` is as long as `to`, and `n < to.len()`.
#[inline(always)]
unsafe fn change_vector<W: Words>(
    table: &[Lanes],
    added: &[u16],
    removed: &[u16],
    from: &[Lanes],
    to: &mut [Lanes],
    n: usize,
) {
    let width = to.len();
    // SAFETY: n < width = from.len(), and row * width + n < (row + 1) * width <= table.len(), as the caller promises.
    unsafe {
        let mut sum = W::load(from.get_unchecked(n));
        for row in added {
            sum = sum.add(W::load(table.get_unchecked(usize::from(*row) * width + n)));
        }
        for row in removed {
            sum = sum.sub(W::load(table.get_unchecked(usize::from(*row) * width + n)));
        }
        sum.store(to.get_unchecked_mut(n));
    }
}

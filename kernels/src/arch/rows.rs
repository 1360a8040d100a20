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

/// [`Backend::change_rows`](crate::Backend::change_rows) over lanes: a block of sums stays in registers from its load to
/// its store.
#[inline(always)]
pub fn change_rows<W: Words>(table: &[i16], changes: [&RowList<'_>; 2], from: &[i16], to: &mut [i16]) {
    let ((table, rest), (from, rest_from), (to, rest_to)) = (table.as_chunks(), from.as_chunks(), to.as_chunks_mut());
    assert!(rest.is_empty() && rest_from.is_empty() && rest_to.is_empty(), "sums come in whole vectors");
    assert!(from.len() == to.len(), "as many sums as there were");
    assert!(changes.iter().all(|list| list.end() * to.len() <= table.len()), "every row is in the table");
    let (rows, width) = (changes.map(RowList::rows), to.len());
    let mut at = 0;
    while at < width {
        let (from, to) = (&from[at..], &mut to[at..]);
        // SAFETY: for all calls, every number of `rows` is below its list's `end`, hence below table.len() / width, and
        // the block lies within the width.
        at += unsafe {
            if to.len() >= 8 && W::ACCUMULATORS >= 8 {
                changed_block::<W, 8>(table, width, at, rows, from, to)
            } else if to.len() >= 4 {
                changed_block::<W, 4>(table, width, at, rows, from, to)
            } else {
                changed_block::<W, 1>(table, width, at, rows, from, to)
            }
        };
    }
}

/// `N` vectors of sums from the vector `at` on; a row has `width` vectors. Returns `N`.
///
/// # Safety
/// `(row + 1) * width <= table.len()` for every row, and `at + N <= width`.
#[inline(always)]
unsafe fn changed_block<W: Words, const N: usize>(
    table: &[Lanes],
    width: usize,
    at: usize,
    [added, removed]: [&[u16]; 2],
    from: &[Lanes],
    to: &mut [Lanes],
) -> usize {
    let mut sums: [W; N] = core::array::from_fn(|n| W::load(&from[n]));
    // SAFETY: row * width + at + n < (row + 1) * width <= table.len(), as the caller promises.
    let of = |row: &u16, n: usize| W::load(unsafe { table.get_unchecked(usize::from(*row) * width + at + n) });
    for row in added {
        sums.iter_mut().enumerate().for_each(|(n, sum)| *sum = sum.add(of(row, n)));
    }
    for row in removed {
        sums.iter_mut().enumerate().for_each(|(n, sum)| *sum = sum.sub(of(row, n)));
    }
    for n in 0..N {
        sums[n].store(&mut to[n]);
    }
    N
}

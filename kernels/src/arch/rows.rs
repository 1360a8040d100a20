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
    let mut add = |row: u16| {
        let start = usize::from(row) * width + from;
        for (n, sum) in sums.iter_mut().enumerate() {
            // SAFETY: start + n < row * width + from + N <= (row + 1) * width <= table.len(), as the caller promises.
            *sum = sum.add(W::load(unsafe { table.get_unchecked(start + n) }));
        }
    };
    // Eight at a time: the loop's own instructions count beside a row of two vectors.
    let (eights, rest) = rows.as_chunks::<8>();
    for eight in eights {
        eight.iter().for_each(|row| add(*row));
    }
    rest.iter().for_each(|row| add(*row));
    for n in 0..N {
        sums[n].relu().store(&mut y[n]);
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

//! Sums of the rows of a table of f32: a layer over inputs of which few are 1 and all others 0, and its gradient. A block of columns
//! stays in registers while the rows go by; every element is summed in the order of the rows.

use crate::vector::{LANES, Vector};

/// [`Backend::add_float_rows`](crate::Backend::add_float_rows) over lanes.
#[inline(always)]
pub fn add_float_rows<V: Vector>(table: &[f32], rows: &[u16], y: &mut [f32]) {
    let width = y.len();
    let (vectors, rest) = y.as_chunks_mut();
    let mut done = 0;
    while done < vectors.len() {
        let left = &mut vectors[done..];
        // Adding from memory needs no register but the sums'.
        done += match left.len().min(2 * V::ACCUMULATORS) {
            1..4 => add_block::<V, 1>(table, width, done, rows, left),
            4..8 => add_block::<V, 4>(table, width, done, rows, left),
            8..16 => add_block::<V, 8>(table, width, done, rows, left),
            _ => add_block::<V, 16>(table, width, done, rows, left),
        };
    }
    if rest.is_empty() {
        return;
    }
    let from = LANES * vectors.len();
    for row in rows {
        let row = &table[usize::from(*row) * width + from..][..rest.len()];
        for n in 0..rest.len() {
            rest[n] += row[n];
        }
    }
}

/// Adds `N` vectors of the rows, from this one on, to the first ones of `y`; returns `N`.
#[inline(always)]
fn add_block<V: Vector, const N: usize>(
    table: &[f32],
    width: usize,
    from: usize,
    rows: &[u16],
    y: &mut [[f32; LANES]],
) -> usize {
    // By index: iterators that are not inlined would keep the sums in memory.
    let mut sums = [V::splat(0.0); N];
    for n in 0..N {
        sums[n] = V::load(&y[n]);
    }
    for row in rows {
        let row = table[usize::from(*row) * width + from * LANES..][..N * LANES].as_chunks().0;
        for n in 0..N {
            sums[n] = sums[n].add(V::load(&row[n]));
        }
    }
    for n in 0..N {
        sums[n].store(&mut y[n]);
    }
    N
}

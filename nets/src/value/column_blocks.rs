//! A matrix of many columns in blocks of a few: `(block, row, column)`. All rows of a block stay in the cache while sums of some of them
//! are made, and lie side by side.

use std::ops::Range;

/// Columns of a block; the last one may have fewer.
const COLUMNS: usize = 128;

/// The columns of each block of a matrix of this width.
#[inline(always)]
pub fn blocks(width: usize) -> impl Iterator<Item = Range<usize>> {
    (0..width).step_by(COLUMNS).map(move |from| from..width.min(from + COLUMNS))
}

/// Where the block of these columns is, in a matrix of so many rows.
#[inline(always)]
pub fn place(rows: usize, columns: &Range<usize>) -> Range<usize> {
    rows * columns.start..rows * columns.end
}

/// Makes blocks, `to`, of a matrix `(row, width)`.
pub fn to_blocks(from: &[f32], width: usize, to: &mut [f32]) {
    for columns in blocks(width) {
        let to = &mut to[place(from.len() / width, &columns)];
        for (to, from) in to.chunks_exact_mut(columns.len()).zip(from.chunks_exact(width)) {
            to.copy_from_slice(&from[columns.clone()]);
        }
    }
}

/// Adds blocks to a matrix `(row, width)`.
pub fn add_blocks(from: &[f32], width: usize, to: &mut [f32]) {
    for columns in blocks(width) {
        let from = &from[place(to.len() / width, &columns)];
        for (to, from) in to.chunks_exact_mut(width).zip(from.chunks_exact(columns.len())) {
            to[columns.clone()].iter_mut().zip(from).for_each(|(to, from)| *to += from);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_have_the_columns_of_all_rows_side_by_side_and_become_the_matrix_again() {
        let (width, rows) = (2 * COLUMNS + 16, 3);
        let matrix: Vec<f32> = (0..rows * width).map(|n| n as f32).collect();
        let mut in_blocks = vec![0.0; matrix.len()];
        to_blocks(&matrix, width, &mut in_blocks);
        // The second row of the second block, and the first row of the last one.
        assert_eq!(in_blocks[(rows + 1) * COLUMNS..][..2], matrix[width + COLUMNS..][..2]);
        assert_eq!(in_blocks[2 * rows * COLUMNS..][..16], matrix[2 * COLUMNS..][..16]);
        let mut sum = matrix.clone();
        add_blocks(&in_blocks, width, &mut sum);
        assert!(sum.iter().zip(&matrix).all(|(sum, value)| *sum == 2.0 * value));
        to_blocks(&[], 0, &mut []);
        add_blocks(&[], 0, &mut []);
    }
}

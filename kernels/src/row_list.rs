//! A list of row numbers of a table, with a bound that is found once and spares a check at every row.

use core::ops::Range;

/// Numbers of rows, all of which are below a number that is known.
#[derive(Clone, Copy, Debug)]
pub struct RowList<'a> {
    rows: &'a [u16],
    /// More than every number of `rows`.
    end: usize,
}

impl<'a> RowList<'a> {
    /// The list of these numbers.
    #[inline(always)]
    pub fn new(rows: &'a [u16]) -> Self {
        let largest = rows.iter().fold(0, |largest, row| largest.max(*row));
        RowList { rows, end: usize::from(largest) + 1 }
    }

    /// A part of the list, which keeps its bound.
    ///
    /// # Panics
    /// If the range is not in the list.
    #[inline(always)]
    pub fn part(&self, range: Range<usize>) -> Self {
        RowList { rows: &self.rows[range], end: self.end }
    }

    /// More than every number.
    #[inline(always)]
    pub fn end(&self) -> usize {
        self.end
    }

    /// The numbers.
    #[inline(always)]
    pub fn rows(&self) -> &'a [u16] {
        self.rows
    }
}

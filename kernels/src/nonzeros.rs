//! Where a matrix is not zero, a bit for every element. Almost half of a position's features are zero, and more of the
//! outputs of ReLU: a product that knows where passes them by.

use crate::Backend;
use crate::naive;
use crate::vector::{LANES, Vector};

/// Elements of a word.
pub const WORD: usize = 64;

/// The bits of a matrix's elements, each row in words of its own, the first element lowest. An element without its bit
/// is zero.
#[derive(Clone, Debug, Default)]
pub struct Nonzeros {
    depth: usize,
    words: usize,
    /// `(row, words)`; those of places beyond the depth are not set.
    bits: Vec<u64>,
}

impl Nonzeros {
    /// Becomes those of a matrix with these rows, each of `depth` elements.
    ///
    /// # Panics
    /// If a row has another length.
    #[inline(always)]
    pub fn set<'a, B: Backend>(&mut self, depth: usize, rows: impl Iterator<Item = &'a [f32]>) {
        (self.depth, self.words) = (depth, depth.div_ceil(WORD));
        self.bits.clear();
        for row in rows {
            assert_eq!(row.len(), depth, "all rows have the depth");
            let (whole, rest) = row.as_chunks::<WORD>();
            // Loops, not closures: a closure that is not inlined loses the instruction set.
            for word in whole {
                self.bits.push(B::nonzeros(word));
            }
            if !rest.is_empty() {
                self.bits.push(B::nonzeros(rest) & !(!0 << rest.len()));
            }
        }
    }

    /// Becomes those of the transpose of a matrix of at most [`WORD`] rows, so that a row is one word.
    ///
    /// # Panics
    /// If there are more rows.
    pub fn set_transposed(&mut self, of: &Nonzeros) {
        assert!(of.rows().len() <= WORD, "a matrix of at most {WORD} rows is transposed");
        (self.depth, self.words) = (of.rows().len(), 1);
        self.bits.clear();
        for word in 0..of.words {
            let mut square = [0; WORD];
            square.iter_mut().zip(of.rows()).for_each(|(to, row)| *to = row[word]);
            transpose(&mut square);
            self.bits.extend(square);
        }
    }

    /// The length of the rows.
    #[inline(always)]
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// `(row, words)`, row by row; a transpose has as many rows as fill the words of what it is the transpose of.
    #[inline(always)]
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[u64]> {
        self.bits.chunks_exact(self.words.max(1))
    }

    /// A word of a row.
    #[inline(always)]
    pub(crate) fn word(&self, row: usize, word: usize) -> u64 {
        self.bits[row * self.words + word]
    }

    /// Adds the bits of all rows to one row, `(words)`.
    #[inline(always)]
    pub fn unite(&self, row: &mut Vec<u64>) {
        row.resize(self.words, 0);
        for bits in self.rows() {
            row.iter_mut().zip(bits).for_each(|(all, bits)| *all |= bits);
        }
    }
}

/// [`Backend::nonzeros`] over lanes.
#[inline(always)]
pub(crate) fn of_lanes<V: Vector>(values: &[f32]) -> u64 {
    let (eights, rest) = values.as_chunks::<LANES>();
    let mut bits = if rest.is_empty() { 0 } else { naive::nonzeros(rest) << (values.len() - rest.len()) };
    for (place, eight) in eights.iter().enumerate() {
        bits |= u64::from(V::load(eight).nonzeros()) << (LANES * place);
    }
    bits
}

/// Transposes a square of bits: halves are exchanged within squares of half the size, and so on.
///
/// CITE: Warren 2012, Hacker's Delight, section 7-3.
fn transpose(square: &mut [u64; WORD]) {
    let mut half = WORD / 2;
    let mut mask = !0 >> half;
    while half != 0 {
        for block in square.chunks_exact_mut(2 * half) {
            let (above, below) = block.split_at_mut(half);
            for (above, below) in above.iter_mut().zip(below) {
                let exchanged = (*above >> half ^ *below) & mask;
                *below ^= exchanged;
                *above ^= exchanged << half;
            }
        }
        half /= 2;
        mask ^= mask << half;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scalar;

    #[test]
    fn bits_are_those_of_the_elements_either_way_round() {
        let element = |row: usize, column: usize| if (row * 131 + column * 17) % 5 < 3 { 0.0 } else { -1.5 };
        for (rows, depth) in [(1, 1), (3, 64), (64, 65), (41, 216), (0, 9)] {
            let matrix: Vec<Vec<f32>> =
                (0..rows).map(|row| (0..depth).map(|column| element(row, column)).collect()).collect();
            let (mut nonzeros, mut transposed) = (Nonzeros::default(), Nonzeros::default());
            nonzeros.set::<Scalar>(depth, matrix.iter().map(Vec::as_slice));
            transposed.set_transposed(&nonzeros);
            assert_eq!(nonzeros.rows().len(), rows);
            for (row, bits) in nonzeros.rows().enumerate() {
                for column in 0..depth {
                    let set = element(row, column) != 0.0;
                    assert_eq!(bits[column / WORD] >> (column % WORD) & 1 != 0, set, "{row} {column}");
                    let transposed = transposed.rows().nth(column).expect("a row for every column")[0];
                    assert_eq!(transposed >> row & 1 != 0, set, "{row} {column}, transposed");
                }
            }
            let mut any = Vec::new();
            nonzeros.unite(&mut any);
            for column in 0..depth {
                let expected = (0..rows).any(|row| element(row, column) != 0.0);
                assert_eq!(any[column / WORD] >> (column % WORD) & 1 != 0, expected);
            }
        }
    }
}

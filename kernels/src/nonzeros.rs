//! The nonzeros of a matrix, a bit for every element. Almost half of a position's features are zero, and more of the
//! outputs of ReLU; a product that has this mask skips them.

/// Elements of a word.
pub const WORD: usize = 64;

/// The bits of a matrix's elements, each row in words of its own, the first element lowest. An element without its bit
/// is zero.
#[derive(Clone, Debug, Default)]
pub struct Nonzeros {
    pub(crate) depth: usize,
    pub(crate) words: usize,
    /// `(row, words)`; those of places beyond the depth are not set.
    pub(crate) bits: Vec<u64>,
}

impl Nonzeros {
    /// Becomes those of the transpose of a matrix.
    #[inline(always)]
    pub fn set_transposed(&mut self, of: &Nonzeros) {
        (self.depth, self.words) = (of.rows().len(), of.rows().len().div_ceil(WORD));
        self.bits.clear();
        self.bits.resize(of.words * WORD * self.words, 0);
        for (block, rows) in of.bits.chunks(of.words.max(1) * WORD).enumerate() {
            for (word, to) in self.bits.chunks_exact_mut(WORD * self.words).enumerate() {
                let mut square = [0; WORD];
                square.iter_mut().zip(rows.chunks_exact(of.words)).for_each(|(to, row)| *to = row[word]);
                transpose(&mut square);
                to.chunks_exact_mut(self.words).zip(square).for_each(|(to, row)| to[block] = row);
            }
        }
    }

    /// The length of the rows.
    #[inline(always)]
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// `(row, words)`, row by row; the transpose of a matrix has as many rows as that has bits in a row's words.
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

/// Transposes a square of bits: halves are exchanged within squares of half the size, and so on.
///
/// CITE: Warren, Hacker's Delight, chapter 7: transposing a bit matrix.
#[inline(always)]
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

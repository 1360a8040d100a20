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

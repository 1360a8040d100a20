//! The integer lane trait: what the kernels of quantized inference are written over, sixteen i16 lanes or eight i32.
//!
//! Sums wrap around; quantization proves that none of them leaves its type, so that they are exact and every
//! implementation agrees. All methods are `#[inline(always)]`, as in [`vector`](crate::vector).

/// The number of i16 lanes of a [`Words`].
pub const WORDS: usize = 16;

/// The number of i32 lanes of a [`Words::Sums`].
pub const SUMS: usize = WORDS / 2;

/// The length of the inputs of [`Backend::dense_pairs`](crate::Backend::dense_pairs) is a multiple of this: pairs whose
/// nonzeros fit in a `u64`.
pub const PAIRS_BLOCK: usize = 128;

/// `length` rounded up to whole [`Words`].
pub const fn padded_words(length: usize) -> usize {
    length.next_multiple_of(WORDS)
}

/// Sixteen i16 lanes.
pub trait Words: Copy {
    /// Eight i32 lanes.
    type Sums: Copy;

    /// How many accumulators of sixteen i16 or eight i32 a kernel may keep in registers beside its temporaries, in
    /// `1..=8`.
    const ACCUMULATORS: usize;

    /// All lanes 0.
    const ZERO: Self;

    /// The lanes of `from`, of any alignment.
    fn load(from: &[i16; WORDS]) -> Self;

    /// Writes the lanes to `to`, of any alignment.
    fn store(self, to: &mut [i16; WORDS]);

    /// The pair in all eight pairs of lanes.
    fn splat_pair(pair: [i16; 2]) -> Self;

    /// `self + other`, wrapping.
    fn add(self, other: Self) -> Self;

    /// `self - other`, wrapping.
    fn sub(self, other: Self) -> Self;

    /// `max(self, 0)`.
    fn relu(self) -> Self;

    /// Bit `i` is set where the pair `i` is two zeros.
    fn zero_pairs(self) -> u8;

    /// Lane `i` is `self[2 i] other[2 i] + self[2 i + 1] other[2 i + 1]`, exactly (not all four may be -32768).
    fn dot(self, other: Self) -> Self::Sums;

    /// The lanes of `from`, of any alignment.
    fn load_sums(from: &[i32; SUMS]) -> Self::Sums;

    /// Writes the lanes to `to`, of any alignment.
    fn store_sums(sums: Self::Sums, to: &mut [i32; SUMS]);

    /// `one + other`, wrapping.
    fn add_sums(one: Self::Sums, other: Self::Sums) -> Self::Sums;

    /// `one - other`, wrapping.
    fn sub_sums(one: Self::Sums, other: Self::Sums) -> Self::Sums;

    /// The number in all eight lanes.
    fn splat_sum(sum: i32) -> Self::Sums;

    /// -1 where `one` is greater than `other`, 0 elsewhere.
    fn greater_sums(one: Self::Sums, other: Self::Sums) -> Self::Sums;

    /// See [`Backend::bit_codes`](crate::Backend::bit_codes). This portable version takes a byte of each plane to a
    /// word of eight bytes by one multiplication.
    #[inline(always)]
    fn bit_codes<const N: usize>(planes: [u64; N], weights: [u8; N]) -> [u8; 64] {
        const ONES: u64 = 0x0101_0101_0101_0101;
        // Byte i has bit i.
        const DIAGONAL: u64 = 0x8040_2010_0804_0201;
        let mut codes = [0; 64];
        for (row, codes) in codes.as_chunks_mut::<8>().0.iter_mut().enumerate() {
            let mut sum = 0_u64;
            for (plane, weight) in planes.iter().zip(weights) {
                let spread = (((plane >> (8 * row)) & 0xff) * ONES) & DIAGONAL;
                let bits = ((spread + 0x7f * ONES) >> 7) & ONES;
                sum += bits * u64::from(weight);
            }
            *codes = sum.to_le_bytes();
        }
        codes
    }
}

//! The portable integer backend: `wide`'s sixteen i16 lanes and eight i32.

use wide::{i16x16, i32x8};

use crate::words::{SUMS, WORDS, Words};

impl Words for i16x16 {
    type Sums = i32x8;

    // Sixteen 128-bit registers hold sixteen lanes in pairs: four accumulators and their temporaries.
    const ACCUMULATORS: usize = 4;

    const ZERO: Self = i16x16::ZERO;

    #[inline(always)]
    fn load(from: &[i16; WORDS]) -> Self {
        i16x16::new(*from)
    }

    #[inline(always)]
    fn store(self, to: &mut [i16; WORDS]) {
        *to = self.to_array();
    }

    #[inline(always)]
    fn splat_pair([even, odd]: [i16; 2]) -> Self {
        i16x16::new([even, odd, even, odd, even, odd, even, odd, even, odd, even, odd, even, odd, even, odd])
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self + other
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self - other
    }

    #[inline(always)]
    fn relu(self) -> Self {
        self.max(i16x16::ZERO)
    }

    #[inline(always)]
    fn zero_pairs(self) -> u8 {
        let pairs: i32x8 = bytemuck::cast(self);
        pairs.simd_eq(i32x8::ZERO).to_bitmask() as u8
    }

    #[inline(always)]
    fn dot(self, other: Self) -> i32x8 {
        i16x16::dot(self, other)
    }

    #[inline(always)]
    fn load_sums(from: &[i32; SUMS]) -> i32x8 {
        i32x8::new(*from)
    }

    #[inline(always)]
    fn store_sums(sums: i32x8, to: &mut [i32; SUMS]) {
        *to = sums.to_array();
    }

    #[inline(always)]
    fn add_sums(one: i32x8, other: i32x8) -> i32x8 {
        one + other
    }

    #[inline(always)]
    fn sub_sums(one: i32x8, other: i32x8) -> i32x8 {
        one - other
    }

    #[inline(always)]
    fn splat_sum(sum: i32) -> i32x8 {
        i32x8::splat(sum)
    }

    #[inline(always)]
    fn greater_sums(one: i32x8, other: i32x8) -> i32x8 {
        one.simd_gt(other)
    }
}

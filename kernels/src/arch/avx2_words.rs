//! The AVX2 integer backend: one 256-bit register, as sixteen i16 or eight i32.
//!
//! As with [`avx2`](super::avx2), values are only made and used on a CPU with AVX2, inside functions compiled for it.

use core::arch::x86_64::{
    __m256i, _mm256_add_epi8, _mm256_add_epi16, _mm256_add_epi32, _mm256_and_si256, _mm256_castsi256_ps,
    _mm256_cmpeq_epi8, _mm256_cmpeq_epi32, _mm256_cmpgt_epi32, _mm256_loadu_si256, _mm256_madd_epi16, _mm256_max_epi16,
    _mm256_movemask_ps, _mm256_set1_epi8, _mm256_set1_epi32, _mm256_set1_epi64x, _mm256_setr_epi8,
    _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_storeu_si256, _mm256_sub_epi16, _mm256_sub_epi32,
};

use crate::words::{SUMS, WORDS, Words};

/// Sixteen i16 lanes in a ymm register.
#[derive(Clone, Copy)]
pub struct W256(__m256i);

impl Words for W256 {
    type Sums = __m256i;

    // Sixteen registers: eight accumulators, the broadcast pair and the products.
    const ACCUMULATORS: usize = 8;

    // SAFETY: all bits zero are a value of the type; no instruction is needed for it.
    const ZERO: Self = W256(unsafe { core::mem::zeroed() });

    #[inline(always)]
    fn load(from: &[i16; WORDS]) -> Self {
        // SAFETY: the CPU has AVX2 (see the module); `from` is readable for 32 bytes and needs no alignment.
        W256(unsafe { _mm256_loadu_si256(from.as_ptr().cast()) })
    }

    #[inline(always)]
    fn store(self, to: &mut [i16; WORDS]) {
        // SAFETY: the CPU has AVX2 (see the module); `to` is writable for 32 bytes and needs no alignment.
        unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), self.0) }
    }

    #[inline(always)]
    fn splat_pair([even, odd]: [i16; 2]) -> Self {
        let pair = (i32::from(odd) << 16) | i32::from(even as u16);
        // SAFETY: the CPU has AVX2 (see the module).
        W256(unsafe { _mm256_set1_epi32(pair) })
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: the CPU has AVX2 (see the module).
        W256(unsafe { _mm256_add_epi16(self.0, other.0) })
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: the CPU has AVX2 (see the module).
        W256(unsafe { _mm256_sub_epi16(self.0, other.0) })
    }

    #[inline(always)]
    fn relu(self) -> Self {
        // SAFETY: the CPU has AVX2 (see the module).
        W256(unsafe { _mm256_max_epi16(self.0, _mm256_setzero_si256()) })
    }

    #[inline(always)]
    fn zero_pairs(self) -> u8 {
        // SAFETY: the CPU has AVX2 (see the module).
        unsafe { _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(self.0, _mm256_setzero_si256()))) as u8 }
    }

    #[inline(always)]
    fn dot(self, other: Self) -> __m256i {
        // SAFETY: the CPU has AVX2 (see the module).
        unsafe { _mm256_madd_epi16(self.0, other.0) }
    }

    #[inline(always)]
    fn load_sums(from: &[i32; SUMS]) -> __m256i {
        // SAFETY: the CPU has AVX2 (see the module); `from` is readable for 32 bytes and needs no alignment.
        unsafe { _mm256_loadu_si256(from.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store_sums(sums: __m256i, to: &mut [i32; SUMS]) {
        // SAFETY: the CPU has AVX2 (see the module); `to` is writable for 32 bytes and needs no alignment.
        unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), sums) }
    }

    #[inline(always)]
    fn add_sums(one: __m256i, other: __m256i) -> __m256i {
        // SAFETY: the CPU has AVX2 (see the module).
        unsafe { _mm256_add_epi32(one, other) }
    }

    #[inline(always)]
    fn sub_sums(one: __m256i, other: __m256i) -> __m256i {
        // SAFETY: the CPU has AVX2 (see the module).
        unsafe { _mm256_sub_epi32(one, other) }
    }

    #[inline(always)]
    fn splat_sum(sum: i32) -> __m256i {
        // SAFETY: the CPU has AVX2 (see the module).
        unsafe { _mm256_set1_epi32(sum) }
    }

    #[inline(always)]
    fn greater_sums(one: __m256i, other: __m256i) -> __m256i {
        // SAFETY: the CPU has AVX2 (see the module).
        unsafe { _mm256_cmpgt_epi32(one, other) }
    }

    #[inline(always)]
    fn bit_codes<const N: usize>(planes: [u64; N], weights: [u8; N]) -> [u8; 64] {
        let mut codes = [0; 64];
        // SAFETY: the CPU has AVX2 (see the module); each half of `codes` is writable for 32 bytes.
        unsafe {
            // Byte i of a half takes byte i / 8 of the plane, and of that byte bit i % 8.
            let spread = [0_i8, 4].map(|first| {
                let byte = _mm256_setr_epi8(
                    0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3,
                );
                _mm256_add_epi8(byte, _mm256_set1_epi8(first))
            });
            let bit = _mm256_set1_epi64x(0x8040_2010_0804_0201_u64 as i64);
            let mut sums = [_mm256_setzero_si256(); 2];
            for (plane, weight) in planes.into_iter().zip(weights) {
                let plane = _mm256_set1_epi64x(plane as i64);
                for (sum, spread) in sums.iter_mut().zip(spread) {
                    let bits = _mm256_and_si256(_mm256_shuffle_epi8(plane, spread), bit);
                    let set = _mm256_cmpeq_epi8(bits, bit);
                    *sum = _mm256_add_epi8(*sum, _mm256_and_si256(set, _mm256_set1_epi8(weight as i8)));
                }
            }
            for (sum, half) in sums.into_iter().zip(codes.as_chunks_mut::<32>().0) {
                _mm256_storeu_si256(half.as_mut_ptr().cast(), sum);
            }
        }
        codes
    }
}

//! The AVX2 backend: one 256-bit register.
//!
//! A [`M256`] must only be made and used on a CPU with AVX2, inside functions compiled for it. The type is private to
//! the crate, and [`dispatch`](crate::dispatch) hands out the functions that use it only after detection.

use core::arch::x86_64::{
    __m256, _CMP_GT_OQ, _CMP_NEQ_UQ, _mm256_add_ps, _mm256_and_ps, _mm256_cmp_ps, _mm256_loadu_ps, _mm256_max_ps,
    _mm256_movemask_ps, _mm256_mul_ps, _mm256_set1_ps, _mm256_setzero_ps, _mm256_storeu_ps,
};

use crate::vector::{LANES, Vector};

/// Eight f32 lanes in a ymm register.
#[derive(Clone, Copy)]
pub struct M256(__m256);

impl Vector for M256 {
    // Sixteen registers: eight sums, a factor and the product.
    const ACCUMULATORS: usize = 8;

    #[inline(always)]
    fn splat(value: f32) -> Self {
        // SAFETY: the CPU has AVX2 (see the module).
        M256(unsafe { _mm256_set1_ps(value) })
    }

    #[inline(always)]
    fn load(from: &[f32; LANES]) -> Self {
        // SAFETY: the CPU has AVX2 (see the module); `from` is readable for 32 bytes and needs no alignment.
        M256(unsafe { _mm256_loadu_ps(from.as_ptr()) })
    }

    #[inline(always)]
    fn store(self, to: &mut [f32; LANES]) {
        // SAFETY: the CPU has AVX2 (see the module); `to` is writable for 32 bytes and needs no alignment.
        unsafe { _mm256_storeu_ps(to.as_mut_ptr(), self.0) }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: the CPU has AVX2 (see the module).
        M256(unsafe { _mm256_add_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        // SAFETY: the CPU has AVX2 (see the module).
        M256(unsafe { _mm256_mul_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn relu(self) -> Self {
        // SAFETY: the CPU has AVX2 (see the module). The second operand is the result for NaN and for -0.
        M256(unsafe { _mm256_max_ps(self.0, _mm256_setzero_ps()) })
    }

    #[inline(always)]
    fn where_positive(self, other: Self) -> Self {
        // SAFETY: the CPU has AVX2 (see the module).
        M256(unsafe { _mm256_and_ps(_mm256_cmp_ps::<_CMP_GT_OQ>(other.0, _mm256_setzero_ps()), self.0) })
    }

    #[inline(always)]
    fn nonzeros(self) -> u8 {
        // SAFETY: the CPU has AVX2 (see the module).
        unsafe { _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_NEQ_UQ>(self.0, _mm256_setzero_ps())) as u8 }
    }
}

//! The portable backend: `wide`'s eight lanes, in whatever registers the build's target has (two SSE2 ones on a plain
//! x86-64, two NEON ones on AArch64, scalars elsewhere). The instruction set is fixed when `wide` is compiled.

use wide::f32x8;

use crate::vector::{LANES, Vector};

impl Vector for f32x8 {
    // Sixteen 128-bit registers hold eight lanes in pairs.
    const ACCUMULATORS: usize = 4;

    #[inline(always)]
    fn splat(value: f32) -> Self {
        f32x8::splat(value)
    }

    #[inline(always)]
    fn load(from: &[f32; LANES]) -> Self {
        f32x8::new(*from)
    }

    #[inline(always)]
    fn store(self, to: &mut [f32; LANES]) {
        *to = self.to_array();
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self + other
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self * other
    }

    #[inline(always)]
    fn relu(self) -> Self {
        self.where_positive(self)
    }

    #[inline(always)]
    fn where_positive(self, other: Self) -> Self {
        other.simd_gt(f32x8::ZERO) & self
    }

    #[inline(always)]
    fn nonzeros(self) -> u8 {
        self.simd_ne(f32x8::ZERO).to_bitmask() as u8
    }
}

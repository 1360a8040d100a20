//! A hint that memory will be read soon, for what lies where the processor cannot foresee: tables by key, examples in random order.

/// Bytes of a line of the processor's cache.
#[cfg(target_arch = "x86_64")]
const LINE: usize = 64;

/// Begins to load a value into the nearest cache, whatever lines it lies in.
#[inline(always)]
pub fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // From the middle of a line on, a value lies in one more.
        let lines = size_of::<T>().div_ceil(LINE) + usize::from(align_of::<T>() < LINE);
        for line in 0..lines {
            let at = core::ptr::from_ref(value).cast::<i8>().wrapping_add(line * LINE);
            // SAFETY: SSE is part of x86-64, and a prefetch touches no memory that a program could notice.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(at) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

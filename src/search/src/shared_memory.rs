//! What threads share: atomics, locks, and the large memories that consist of atomics.
//!
//! They are those of the standard library and of the system; in the models (`--cfg loom`) those of loom, which tries the orders in
//! which the accesses of the threads can happen: docs/RELIABILITY.md.

#[cfg(loom)]
pub use loom::sync::{Mutex, MutexGuard, atomic};
#[cfg(not(loom))]
pub use std::sync::{Mutex, MutexGuard, atomic};

/// A memory of the system, all bits 0 at first; in huge pages if the system has them, without which it is only slower.
#[cfg(not(loom))]
pub struct SharedMemory(memmap2::MmapRaw);

#[cfg(not(loom))]
impl SharedMemory {
    /// A memory of so many bytes.
    ///
    /// # Errors
    /// If the system refuses it.
    pub fn new(bytes: usize) -> std::io::Result<Self> {
        let memory = memmap2::MmapRaw::from(memmap2::MmapMut::map_anon(bytes)?);
        #[cfg(target_os = "linux")]
        let _ = memory.advise(memmap2::Advice::HugePage);
        Ok(Self(memory))
    }

    /// Its first byte, at the start of a page.
    #[inline]
    pub fn start(&self) -> *mut u8 {
        self.0.as_mut_ptr()
    }

    /// Makes all bits 0 again.
    pub fn clear(&mut self) {
        // SAFETY: the mapping has this length, and `&mut self` excludes every other access.
        unsafe { self.start().write_bytes(0, self.0.len()) };
    }
}

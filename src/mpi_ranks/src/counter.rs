//! A counter in the memory of rank 0 from which every thread of every rank takes the next number, without help from rank 0: one-sided
//! communication. Ranks of one machine share the memory; a network may serve a rank only while rank 0 is inside MPI, as it is whenever one of its own threads takes a
//! number.
//
// CITE: MPI: A Message-Passing Interface Standard, Version 3.1, chapter 11, MPI_Fetch_and_op.

use mpi::ffi;
use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr::null_mut;

/// The counter; a window of MPI.
pub(crate) struct Counter {
    window: ffi::MPI_Win,
}

// SAFETY: the window is a handle of the library, which this process may use from any thread, one at a time.
unsafe impl Send for Counter {}

impl Counter {
    /// A counter of all ranks, each of which calls this at the same time. It begins with [`deal`](Self::deal).
    pub(crate) fn new(rank: usize) -> Self {
        let bytes = if rank == 0 { size_of::<u64>() as ffi::MPI_Aint } else { 0 };
        let (mut memory, mut window) = (null_mut::<c_void>(), MaybeUninit::uninit());
        let to_memory: *mut *mut c_void = &raw mut memory;
        // SAFETY: MPI has begun; it writes the address of its own memory, and the window's handle, to where the pointers point. An error ends the process.
        let window = unsafe {
            ffi::MPI_Win_allocate(
                bytes,
                1,
                ffi::RSMPI_INFO_NULL,
                ffi::RSMPI_COMM_WORLD,
                to_memory.cast(),
                window.as_mut_ptr(),
            );
            window.assume_init()
        };
        // SAFETY: the window has just been made.
        unsafe {
            ffi::MPI_Win_lock_all(0, window);
        }
        Self { window }
    }

    /// Lets the numbers begin again from 0; on rank 0, while no rank takes one.
    pub(crate) fn deal(&mut self) {
        let dealt = self.add(0);
        self.add(dealt.wrapping_neg());
    }

    /// The next number.
    pub(crate) fn take(&mut self) -> u64 {
        self.add(1)
    }

    /// Frees the window; all ranks call it at the same time, before they end MPI.
    pub(crate) fn free(mut self) {
        // SAFETY: the window is there, and its epoch of access, since it was made.
        unsafe {
            ffi::MPI_Win_unlock_all(self.window);
            ffi::MPI_Win_free(&raw mut self.window);
        }
    }

    /// Adds to the counter, wrapping, and returns what it was before.
    fn add(&mut self, number: u64) -> u64 {
        let mut before = 0_u64;
        // SAFETY: both numbers live until the flush has ended, by which the operation is done; rank 0 has 8 bytes in the window.
        unsafe {
            ffi::MPI_Fetch_and_op(
                (&raw const number).cast(),
                (&raw mut before).cast(),
                ffi::RSMPI_UINT64_T,
                0,
                0,
                ffi::RSMPI_SUM,
                self.window,
            );
            ffi::MPI_Win_flush(0, self.window);
        }
        before
    }
}

//! A counter from which every thread of every rank takes the next number, without help from rank 0.
//!
//! Ranks of one machine have it in memory that they share. Others take numbers by one-sided communication with rank 0, which a library may
//! serve only while rank 0 communicates, too, as it does whenever one of its own threads takes a number. MPICH 4.0 does so on one
//! machine, too (findings/mpich_fetch_and_op_waits.sh), so that ranks waited for numbers.
//
// CITE: MPI: A Message-Passing Interface Standard, Version 3.1, chapter 11, MPI_Win_allocate_shared, MPI_Fetch_and_op.

use mpi::ffi;
use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The counter; a window of MPI.
pub(crate) struct Counter {
    window: ffi::MPI_Win,
    /// Where all ranks see it, if they run on one machine.
    shared: Option<*mut u64>,
}

// SAFETY: the window is a handle of the library, which this process may use from any thread, one at a time; the memory is used by atomic
// operations alone.
unsafe impl Send for Counter {}

impl Counter {
    /// A counter of all ranks, each of which calls this at the same time. It begins with [`deal`](Self::deal).
    pub(crate) fn new(rank: usize, size: usize) -> Self {
        let bytes = if rank == 0 { size_of::<u64>() as ffi::MPI_Aint } else { 0 };
        let (mut memory, mut window) = (null_mut::<c_void>(), MaybeUninit::uninit());
        let to_memory: *mut *mut c_void = &raw mut memory;
        let (mut machine, mut on_machine) = (MaybeUninit::uninit(), 0);
        // SAFETY: MPI has begun; it writes handles, a number and the address of its own memory to where the pointers point. An error ends the
        // process.
        unsafe {
            let (world, none) = (ffi::RSMPI_COMM_WORLD, ffi::RSMPI_INFO_NULL);
            ffi::MPI_Comm_split_type(world, ffi::RSMPI_COMM_TYPE_SHARED, rank as c_int, none, machine.as_mut_ptr());
            ffi::MPI_Comm_size(machine.assume_init(), &raw mut on_machine);
            let shared = on_machine as usize == size;
            let shared = if shared {
                let (mut bytes_there, mut unit) = (0, 0);
                ffi::MPI_Win_allocate_shared(
                    bytes,
                    1,
                    none,
                    machine.assume_init(),
                    to_memory.cast(),
                    window.as_mut_ptr(),
                );
                let at = (&raw mut bytes_there, &raw mut unit);
                ffi::MPI_Win_shared_query(window.assume_init(), 0, at.0, at.1, to_memory.cast());
                Some(memory.cast::<u64>())
            } else {
                ffi::MPI_Win_allocate(bytes, 1, none, world, to_memory.cast(), window.as_mut_ptr());
                None
            };
            ffi::MPI_Comm_free(machine.as_mut_ptr());
            ffi::MPI_Win_lock_all(0, window.assume_init());
            assert!(shared.is_none_or(|at| at.is_aligned() && !at.is_null()), "MPI's memory is aligned for a number");
            Self { window: window.assume_init(), shared }
        }
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
        if let Some(at) = self.shared {
            // SAFETY: the memory is there as long as the window, aligned, and all ranks use it by atomic operations alone.
            return unsafe { AtomicU64::from_ptr(at) }.fetch_add(number, Relaxed);
        }
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

//! The ranks of a training over MPI. Built only with the feature `mpi`, which needs the headers of an MPI: without it nothing of this
//! program knows it.
#![cfg(feature = "mpi")]

mod counter;
mod waiting;

use crate::counter::Counter;
use crate::waiting::wait;
use learn::run::ranks::Ranks;
use mpi::collective::Root;
use mpi::datatype::PartitionMut;
use mpi::environment::Universe;
use mpi::topology::{Communicator, SimpleCommunicator};
use mpi::{Count, Threading, request};
use std::mem::ManuallyDrop;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How long rank 0 waits for the others to begin MPI; the others wait longer by a second for each rank before them, so that one speaks.
const BEGINNING: Duration = Duration::from_secs(60);
/// Bytes of one message at most: a count is a C int.
const MESSAGE: usize = 1 << 30;

/// The processes that one `mpirun` has started.
pub struct MpiRanks {
    rank: usize,
    size: usize,
    /// Ends MPI where the ranks [leave](Ranks::leave), and nowhere else: a process that panics must not wait for the others there.
    universe: Mutex<Option<ManuallyDrop<Universe>>>,
    /// From the beginning until the ranks leave; the lock lets threads call MPI one at a time.
    counter: Mutex<Option<Counter>>,
}

/// Why this process cannot use MPI.
#[derive(Debug, thiserror::Error)]
pub enum MpiError {
    /// It has begun already.
    #[error("MPI has begun already in this process")]
    Begun,
    /// The library cannot be called from the threads of a pool.
    #[error(
        "this MPI ({0}) cannot be called by more than one thread (MPI_THREAD_SERIALIZED): --mpi needs one that can"
    )]
    Threads(String),
    /// `mpirun` is that of another library.
    #[error(
        "mpirun started {started} processes, but MPI sees one: okapi was built for {library}, start it with the mpirun of that"
    )]
    OtherLibrary {
        /// What `mpirun` says.
        started: usize,
        /// The library that was linked.
        library: String,
    },
}

impl MpiRanks {
    /// Begins MPI in this process, of which `mpirun` says that it is this rank of so many. MPI waits for all of them without a limit: if one
    /// has not begun within a minute, this process ends, and the job with it.
    ///
    /// # Errors
    /// If the library cannot serve.
    pub fn begin(started: Option<(usize, usize)>) -> Result<Self, MpiError> {
        let (rank, started) = started.unwrap_or((0, 1));
        let (begun, watch) = channel::<()>();
        let limit = BEGINNING + Duration::from_secs(rank as u64);
        std::thread::spawn(move || {
            if watch.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
                eprintln!(
                    "okapi: rank {rank} has waited {} s for MPI to begin in all {started} processes: one of them hangs or runs something else; the job is ended",
                    limit.as_secs()
                );
                std::process::exit(1);
            }
        });
        // The trainers call from the threads of a pool, one at a time.
        let (universe, provided) = mpi::initialize_with_threading(Threading::Serialized).ok_or(MpiError::Begun)?;
        let universe = ManuallyDrop::new(universe);
        if provided < Threading::Serialized {
            return Err(MpiError::Threads(library()));
        }
        let (rank, size) = (universe.world().rank() as usize, universe.world().size() as usize);
        if started > 1 && size == 1 {
            return Err(MpiError::OtherLibrary { started, library: library() });
        }
        let counter = Mutex::new(Some(Counter::new(rank, size)));
        drop(begun);
        Ok(Self { rank, size, universe: Mutex::new(Some(universe)), counter })
    }

    /// Does something with the counter.
    fn count<T>(&self, work: impl FnOnce(&mut Counter) -> T) -> T {
        let mut counter = self.counter.lock().unwrap_or_else(PoisonError::into_inner);
        work(counter.as_mut().expect("ranks that have left take nothing"))
    }
}

/// The library's name and version.
pub fn library() -> String {
    let version = mpi::environment::library_version().unwrap_or_default();
    version.split([',', '\n']).next().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Ranks for MpiRanks {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn broadcast(&self, mut bytes: Vec<u8>, within: Option<Duration>) -> Vec<u8> {
        let world = SimpleCommunicator::world();
        let first = world.process_at_rank(0);
        let mut length = [bytes.len() as u64];
        request::scope(|scope| wait(first.immediate_broadcast_into(scope, &mut length), within));
        bytes.resize(length[0] as usize, 0);
        for part in bytes.chunks_mut(MESSAGE) {
            request::scope(|scope| wait(first.immediate_broadcast_into(scope, part), within));
        }
        bytes
    }

    fn broadcast_into(&self, bytes: &mut [u8]) {
        let world = SimpleCommunicator::world();
        let first = world.process_at_rank(0);
        for part in bytes.chunks_mut(MESSAGE) {
            request::scope(|scope| wait(first.immediate_broadcast_into(scope, part), None));
        }
    }

    fn gather(&self, bytes: &[u8], within: Option<Duration>) -> Vec<Vec<u8>> {
        let world = SimpleCommunicator::world();
        let first = world.process_at_rank(0);
        assert!(bytes.len() <= MESSAGE, "a rank gives at most {MESSAGE} bytes at once");
        let length = [bytes.len() as i32];
        if self.rank > 0 {
            request::scope(|scope| wait(first.immediate_gather_into(scope, &length[..]), within));
            request::scope(|scope| wait(first.immediate_gather_varcount_into(scope, bytes), within));
            return Vec::new();
        }
        let mut lengths: Vec<Count> = vec![0; self.size];
        request::scope(|scope| wait(first.immediate_gather_into_root(scope, &length[..], &mut lengths[..]), within));
        let begins: Vec<Count> =
            lengths.iter().scan(0, |end, length| Some(std::mem::replace(end, *end + length))).collect();
        let mut all = vec![0_u8; lengths.iter().map(|length| *length as usize).sum()];
        let mut parts = PartitionMut::new(&mut all[..], &lengths[..], &begins[..]);
        request::scope(|scope| wait(first.immediate_gather_varcount_into_root(scope, bytes, &mut parts), within));
        let mut parts: Vec<Vec<u8>> = begins.iter().rev().map(|begin| all.split_off(*begin as usize)).collect();
        parts.reverse();
        parts
    }

    fn deal(&self) {
        self.count(Counter::deal);
    }

    fn take(&self) -> usize {
        self.count(Counter::take) as usize
    }

    fn leave(&self) {
        if let Some(counter) = self.counter.lock().unwrap_or_else(PoisonError::into_inner).take() {
            counter.free();
        }
        let universe = self.universe.lock().unwrap_or_else(PoisonError::into_inner).take();
        // Waits for the other ranks, which leave too.
        drop(universe.map(ManuallyDrop::into_inner));
    }
}

//! The processes that train together, each with a number (its rank) from 0: what they can say to one another. MPI is one way
//! (`src/mpi_ranks`), threads of a test another.
//!
//! Bytes are all that travels. No implementation adds floats: the order in which MPI's reductions add is not fixed.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

/// The ranks of a training, as one of them sees them. Every rank must call the same functions in the same order.
pub trait Ranks: Send + Sync {
    /// The number of this process, from 0.
    fn rank(&self) -> usize;

    /// How many processes there are.
    fn size(&self) -> usize;

    /// Gives every rank the bytes of rank 0; those of the others are not used. After `within`, if there is such a limit, a rank that
    /// still waits ends the job with a sentence.
    fn broadcast(&self, bytes: Vec<u8>, within: Option<Duration>) -> Vec<u8>;

    /// Gives every rank the bytes of rank 0 in place of its own, which are as many.
    fn broadcast_into(&self, bytes: &mut [u8]);

    /// Gives rank 0 the bytes of every rank, `(rank)`; the others get none. The limit is that of [`broadcast`](Self::broadcast).
    fn gather(&self, bytes: &[u8], within: Option<Duration>) -> Vec<Vec<u8>>;

    /// Lets the numbers that are [taken](Self::take) begin again from 0; on rank 0, while no rank takes one.
    fn deal(&self);

    /// The next of the numbers that all ranks share, each of which one thread of one rank gets. Any thread may take one, whatever the others do.
    fn take(&self) -> usize;

    /// Leaves the others in order; nothing else may be called behind it.
    fn leave(&self);
}

/// A single process.
#[derive(Debug, Default)]
pub struct Alone {
    dealt: AtomicUsize,
}

impl Ranks for Alone {
    fn rank(&self) -> usize {
        0
    }

    fn size(&self) -> usize {
        1
    }

    fn broadcast(&self, bytes: Vec<u8>, _: Option<Duration>) -> Vec<u8> {
        bytes
    }

    fn broadcast_into(&self, _: &mut [u8]) {}

    fn gather(&self, bytes: &[u8], _: Option<Duration>) -> Vec<Vec<u8>> {
        vec![bytes.to_vec()]
    }

    fn deal(&self) {
        self.dealt.store(0, Relaxed);
    }

    fn take(&self) -> usize {
        self.dealt.fetch_add(1, Relaxed)
    }

    fn leave(&self) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_process_hears_itself_and_takes_every_number() {
        let alone = Alone::default();
        assert_eq!((alone.rank(), alone.size()), (0, 1));
        assert_eq!(alone.broadcast(vec![1, 2], None), [1, 2]);
        assert_eq!(alone.gather(&[3], None), [[3]]);
        let take_two = || [alone.take(), alone.take()];
        assert_eq!((take_two(), take_two()), ([0, 1], [2, 3]));
        alone.deal();
        assert_eq!(take_two(), [0, 1]);
    }
}

/// Ranks that are threads of one process.
#[cfg(test)]
pub(crate) mod in_threads {
    use super::Ranks;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    use std::sync::{Arc, Barrier, Mutex};
    use std::time::Duration;

    struct Shared {
        said: Mutex<Vec<Vec<u8>>>,
        barrier: Barrier,
        dealt: AtomicUsize,
    }

    /// A rank that is a thread.
    pub(crate) struct InThreads {
        rank: usize,
        shared: Arc<Shared>,
    }

    impl InThreads {
        /// So many ranks.
        pub(crate) fn all(size: usize) -> Vec<Arc<dyn Ranks>> {
            let shared = Arc::new(Shared {
                said: Mutex::new(vec![Vec::new(); size]),
                barrier: Barrier::new(size),
                dealt: AtomicUsize::new(0),
            });
            (0..size).map(|rank| Arc::new(Self { rank, shared: shared.clone() }) as Arc<dyn Ranks>).collect()
        }
    }

    impl Ranks for InThreads {
        fn rank(&self) -> usize {
            self.rank
        }

        fn size(&self) -> usize {
            self.shared.said.lock().unwrap().len()
        }

        fn broadcast(&self, bytes: Vec<u8>, _: Option<Duration>) -> Vec<u8> {
            self.gather_all(&bytes).swap_remove(0)
        }

        fn broadcast_into(&self, bytes: &mut [u8]) {
            bytes.copy_from_slice(&self.gather_all(bytes)[0]);
        }

        fn gather(&self, bytes: &[u8], _: Option<Duration>) -> Vec<Vec<u8>> {
            let all = self.gather_all(bytes);
            if self.rank == 0 { all } else { Vec::new() }
        }

        fn deal(&self) {
            self.shared.dealt.store(0, Relaxed);
        }

        fn take(&self) -> usize {
            self.shared.dealt.fetch_add(1, Relaxed)
        }

        fn leave(&self) {}
    }

    impl InThreads {
        fn gather_all(&self, bytes: &[u8]) -> Vec<Vec<u8>> {
            self.shared.said.lock().unwrap()[self.rank] = bytes.to_vec();
            self.shared.barrier.wait();
            let all = self.shared.said.lock().unwrap().clone();
            self.shared.barrier.wait();
            all
        }
    }
}

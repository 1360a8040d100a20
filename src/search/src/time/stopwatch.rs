//! What a search has used: wall-clock time, or its own nodes in place of time (`nodestime`).
//!
//! Nodes at a fixed rate make every decision about time the same on any machine under any load, so that games with clocks
//! are reproducible bit for bit with one thread. No clock is read then.
//!
//! CITE: Stockfish, option `nodestime`.

use std::num::NonZeroU32;
use std::time::{Duration, Instant};

/// Measures one search from its start.
#[derive(Debug, Clone, Copy)]
pub enum Stopwatch {
    /// By the wall clock, from this moment on.
    Wall(Instant),
    /// By nodes: this number is a millisecond.
    Nodes(NonZeroU32),
}

impl Stopwatch {
    /// Starts now, by nodes where a rate is given.
    pub fn start(nodes_per_millisecond: Option<NonZeroU32>) -> Self {
        nodes_per_millisecond.map_or_else(|| Self::Wall(Instant::now()), Self::Nodes)
    }

    /// What was used until now, after `nodes` nodes.
    pub fn elapsed(self, nodes: u64) -> Duration {
        match self {
            Self::Wall(start) => start.elapsed(),
            Self::Nodes(rate) => {
                let nanoseconds = u128::from(nodes) * 1_000_000 / u128::from(rate.get());
                Duration::from_nanos(u64::try_from(nanoseconds).unwrap_or(u64::MAX))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn with_nodestime_nodes_count_as_time() {
        let watch = Stopwatch::start(NonZeroU32::new(600));
        assert_eq!(watch.elapsed(0), Duration::ZERO);
        assert_eq!(watch.elapsed(1_500), Duration::from_micros(2_500));
        assert_eq!(watch.elapsed(u64::MAX), Duration::from_nanos(u64::MAX));
    }

    #[test]
    fn without_nodestime_the_wall_clock_counts() {
        let watch = Stopwatch::start(None);
        let before = watch.elapsed(0);
        std::thread::sleep(Duration::from_millis(2));
        assert!(watch.elapsed(0) >= before + Duration::from_millis(2));
    }
}

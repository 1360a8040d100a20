//! How large a table, and how many threads, can be asked for.

use crate::machine::Machine;
use crate::uci::options::{LARGEST_HASH, MOST_THREADS};
use crate::uci::recipe::Recipe;

/// The maxima on one machine.
#[derive(Debug, Clone, Copy)]
pub struct Maxima {
    /// The size of the table, in MB.
    pub hash: i64,
    /// Search threads.
    pub threads: i64,
}

impl Maxima {
    /// The maxima on this machine, never less than what the engine was started with.
    pub fn of(machine: &Machine, start: &Recipe) -> Self {
        let hash = machine.largest_table(LARGEST_HASH as usize).max(start.hash_megabytes) as i64;
        let threads = machine.most_threads(MOST_THREADS as usize).max(start.threads) as i64;
        Self { hash, threads }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_engine_was_started_with_can_be_asked_for() {
        let start = Recipe { hash_megabytes: 1 << 20, threads: 1_000, ..Recipe::default() };
        let maxima = Maxima::of(&Machine::here(), &start);
        assert_eq!((maxima.hash, maxima.threads), (1 << 20, 1_000.max(maxima.threads)));
    }
}

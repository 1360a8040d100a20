//! The largest transposition table and the most threads that a client can set on this machine.

use engine::spec::{EngineSpec, LARGEST_HASH, MOST_THREADS, Role};
use support::keys::{Key, Kind};
use support::machine::Machine;

/// The limits on one machine.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The size of the table, in MB.
    pub hash: i64,
    /// Search threads.
    pub threads: i64,
}

impl Limits {
    /// The limits on this machine, never less than what the engine was started with.
    pub fn of(machine: &Machine, start: &EngineSpec) -> Self {
        let hash = machine.largest_table(LARGEST_HASH).max(start.hash_megabytes) as i64;
        let threads = machine.most_threads(MOST_THREADS).max(start.threads) as i64;
        Self { hash, threads }
    }

    /// What a key of the engine takes on this machine.
    pub fn kind(&self, key: &Key<EngineSpec, Role>) -> Kind {
        match key.name {
            "hash" => Kind::Number(1..=self.hash),
            "threads" => Kind::Number(1..=self.threads),
            _ => (key.kind)(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_engine_was_started_with_is_within_the_limits() {
        let start = EngineSpec { hash_megabytes: 1 << 20, threads: 1_000, ..EngineSpec::default() };
        let limits = Limits::of(&Machine::here(), &start);
        assert_eq!((limits.hash, limits.threads), (1 << 20, 1_000.max(limits.threads)));
    }
}

//! The one function that knows which values a run can have, for files and flags alike.

use super::{Config, Initial};
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// A value that a run cannot have, as a clause that names key and value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation(pub(super) String);

impl Violation {
    /// All of them as one sentence.
    pub(super) fn sentence(violations: &[Violation]) -> String {
        violations.iter().map(|violation| violation.0.as_str()).collect::<Vec<_>>().join("; ")
    }
}

impl Config {
    /// Every value that a run cannot have.
    pub fn violations(&self) -> Vec<Violation> {
        let mut rules = Rules::default();
        // TOML's integers have a sign.
        rules.range("seed", self.seed, 0..=i64::MAX as u64);
        rules.range("positions", self.positions, 1..=65_536);
        rules.range("plies", self.plies, 1..=1_024);
        rules.range("nodes", self.nodes, 1..=10_000_000);
        rules.range("random_moves", self.random_moves, 0..=64);
        rules.range("lambda", self.lambda, 0.0..=1.0);
        rules.range("stride", self.stride, 1..=2);
        if self.knightcap && self.stride == 1 {
            rules.break_with("knightcap = true needs stride = 2".to_owned());
        }
        rules.range("replay", self.replay, 0..=64);
        rules.range("average", self.average, 0..=1_000_000_000);
        rules.range("rho", self.rho, 0.0..=0.999_999);
        rules.range("epsilon", self.epsilon, 1e-20..=0.1);
        rules.range("rate", self.rate, 1e-6..=1e3);
        rules.range("decay_start", self.decay_start, 0..=1_000_000_000_000);
        rules.optional("iterations", self.iterations, 1..=1_000_000_000_000);
        rules.optional("minutes", self.minutes, 0.0..=1e7);
        rules.range("checkpoint_minutes", self.checkpoint_minutes, 0.0..=1e7);
        rules.range("keep_checkpoints", self.keep_checkpoints, 1..=1_000);
        rules.range("suite_minutes", self.suite_minutes, 0.0..=1e7);
        rules.range("suite_nodes", self.suite_nodes, 1..=1_000_000_000);
        rules.optional("threads", self.threads, 1..=1_024);
        rules.range("hash_kilobytes", self.hash_kilobytes, 1..=1_048_576);
        if let Initial::File(path) = &self.initial {
            rules.path("initial", path);
        }
        self.starts.iter().for_each(|path| rules.path("starts", path));
        self.exclude.iter().for_each(|path| rules.path("exclude", path));
        self.sts.iter().for_each(|path| rules.path("sts", path));
        rules.broken
    }
}

#[derive(Default)]
struct Rules {
    broken: Vec<Violation>,
}

impl Rules {
    /// NaN is in no range.
    fn range<T: PartialOrd + Display>(&mut self, key: &str, value: T, range: RangeInclusive<T>) {
        if !range.contains(&value) {
            self.break_with(format!("{key} = {value} is not from {} to {}", range.start(), range.end()));
        }
    }

    fn optional<T: PartialOrd + Display>(&mut self, key: &str, value: Option<T>, range: RangeInclusive<T>) {
        if let Some(value) = value {
            self.range(key, value, range);
        }
    }

    /// A path is text in the file, on one line.
    fn path(&mut self, key: &str, path: &PathBuf) {
        if path.to_str().is_none_or(|text| text.is_empty() || text.contains(char::is_control)) {
            self.break_with(format!("{key} = {path:?} is not a path of printable Unicode"));
        }
    }

    fn break_with(&mut self, clause: String) {
        self.broken.push(Violation(clause));
    }
}

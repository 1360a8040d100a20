//! How far a stage of `okapi train policy` is.

use indicatif::HumanDuration;
use std::time::{Duration, Instant};

/// A line in this time.
const QUIET: Duration = Duration::from_secs(30);

/// Says how far a stage is, and how long the rest will take.
pub(super) struct Progress {
    begun: Instant,
    /// The part done when first asked.
    first: Option<f64>,
    last: Instant,
}

impl Progress {
    pub(super) fn new() -> Self {
        Self { begun: Instant::now(), first: None, last: Instant::now() }
    }

    /// Says now and then how far it is; `part` of all is done, 0 to 1.
    pub(super) fn say(&mut self, part: f64, what: impl Fn() -> String) {
        let first = *self.first.get_or_insert(part);
        if self.last.elapsed() >= QUIET && part > first {
            self.last = Instant::now();
            let left = self.begun.elapsed().as_secs_f64() * (1.0 - part) / (part - first);
            eprintln!("{}, {} left", what(), HumanDuration(Duration::from_secs_f64(left)));
        }
    }
}

//! An observer that ends a session after so much progress.

use learn::run::observer::Observer;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

/// Raises the interrupt when it was told so often of progress.
pub struct StopsAfter {
    /// How often still, at least 1.
    pub left: usize,
    /// The interrupt's flag.
    pub flag: Arc<AtomicBool>,
}

impl Observer for StopsAfter {
    fn say(&mut self, _: &str) {}

    fn progress_until(&mut self, _: &'static str, _: u64, _: Option<u64>, _: Option<Duration>, _: &dyn Fn() -> String) {
        self.left = self.left.saturating_sub(1);
        self.flag.store(self.left == 0, Relaxed);
    }
}

//! The interface by which a run shows its progress.

use std::time::Duration;
use support::progress::Progress;

/// Shows a run to a person.
pub trait Observer {
    /// Something that a person should read, one sentence or a table.
    fn say(&mut self, sentence: &str);

    /// `done` of `total` units of the present stage are done; `message` is asked for only if it is shown.
    fn progress(&mut self, unit: &'static str, done: u64, total: u64, message: &dyn Fn() -> String) {
        self.progress_until(unit, done, Some(total), None, message);
    }

    /// The same of a stage that may have no total, with an estimate of the time left if there is a better one than by the
    /// rate of the units so far.
    fn progress_until(
        &mut self,
        unit: &'static str,
        done: u64,
        total: Option<u64>,
        left: Option<Duration>,
        message: &dyn Fn() -> String,
    );
}

/// Shows nothing.
pub struct Silent;

impl Observer for Silent {
    fn say(&mut self, _: &str) {}

    fn progress_until(&mut self, _: &'static str, _: u64, _: Option<u64>, _: Option<Duration>, _: &dyn Fn() -> String) {
    }
}

impl Observer for Progress {
    fn say(&mut self, sentence: &str) {
        self.note(sentence);
    }

    fn progress_until(
        &mut self,
        unit: &'static str,
        done: u64,
        total: Option<u64>,
        left: Option<Duration>,
        message: &dyn Fn() -> String,
    ) {
        self.stage(unit, total, done);
        self.show_time_left(done, left, message);
    }
}

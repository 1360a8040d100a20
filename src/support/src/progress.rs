//! How far a long command is: a bar with position, rate, time left and the place of its output on a terminal; the same as
//! one line a minute elsewhere.

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::path::Path;
use std::time::{Duration, Instant};

/// How often a line is written where there is no terminal.
const INTERVAL: Duration = Duration::from_secs(60);

/// How far a command is; on standard error.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    unit: &'static str,
    total: Option<u64>,
    /// What was done before the command began.
    known: u64,
    output: String,
    begun: Instant,
    lines: Lines,
}

/// Where lines go.
#[derive(Debug)]
enum Lines {
    Terminal,
    /// The time of the last line.
    Plain(Instant),
    Nowhere,
}

impl Default for Progress {
    /// Notes only, until the first stage begins.
    fn default() -> Self {
        Self::new("", None, 0)
    }
}

impl Progress {
    /// Begins with `known` of `total` units done, such as `games`.
    pub fn new(unit: &'static str, total: Option<u64>, known: u64) -> Self {
        let terminal = std::io::stderr().is_terminal();
        let target = if terminal { ProgressDrawTarget::stderr_with_hz(4) } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(total, target).with_position(known);
        let template = if total.is_some() { "{bar:20} {msg}" } else { "{spinner} {msg}" };
        bar.set_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()));
        let begun = Instant::now();
        let lines = if terminal { Lines::Terminal } else { Lines::Plain(begun) };
        Self { bar, unit, total, known, output: String::new(), begun, lines }
    }

    /// Goes on to the stage of the command that counts these units, if it is another one than before: `known` of `total`
    /// units are done.
    pub fn stage(&mut self, unit: &'static str, total: Option<u64>, known: u64) {
        if unit != self.unit {
            *self = Self::new(unit, total, known);
        } else if let Some(total) = total {
            self.set_total(total);
        }
    }

    /// Shows nothing but notes.
    pub fn quiet(mut self) -> Self {
        self.bar.set_draw_target(ProgressDrawTarget::hidden());
        self.lines = Lines::Nowhere;
        self
    }

    /// Says where the output is.
    pub fn writing_to(mut self, output: &Path) -> Self {
        self.output = format!(", writing {}", output.display());
        self
    }

    /// Changes the number of units in all.
    pub fn set_total(&mut self, total: u64) {
        self.total = Some(total);
        self.bar.set_length(total);
    }

    /// Shows that `done` units are done, those known at the beginning included; `message` is asked for only if it is shown.
    pub fn show(&mut self, done: u64, message: impl FnOnce() -> String) {
        self.show_time_left(done, None, message);
    }

    /// The same, with a better estimate of the time left than the rate so far gives.
    pub fn show_time_left(&mut self, done: u64, left: Option<Duration>, message: impl FnOnce() -> String) {
        match &self.lines {
            Lines::Terminal => {
                self.bar.set_position(done);
                self.bar.set_message(self.line(done, left, &message()));
            }
            Lines::Plain(last) if last.elapsed() >= INTERVAL => {
                crate::say!("{}", self.line(done, left, &message()));
                self.lines = Lines::Plain(Instant::now());
            }
            Lines::Plain(_) | Lines::Nowhere => {}
        }
    }

    /// Writes a line of its own, always.
    pub fn note(&self, line: &str) {
        self.bar.suspend(|| crate::say!("{line}"));
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    fn line(&self, done: u64, left: Option<Duration>, message: &str) -> String {
        let rate = done.saturating_sub(self.known) as f64 / self.begun.elapsed().as_secs_f64().max(1e-3);
        let by_rate = || {
            let rest = self.total?.saturating_sub(done) as f64;
            // A century is no estimate.
            (rate > 0.0 && rest / rate < 3e9).then(|| Duration::from_secs_f64(rest / rate))
        };
        let total = self.total.map_or(String::new(), |total| format!("/{total}"));
        let left = left.or_else(by_rate).map_or(String::new(), |left| format!(", {} left", HumanDuration(left)));
        let message = if message.is_empty() { String::new() } else { format!(", {message}") };
        format!("{done}{total} {}, {}/s{left}{}{message}", self.unit, three_digits(rate), self.output)
    }
}

/// A rate with three significant digits.
fn three_digits(rate: f64) -> String {
    let digits = if rate >= 100.0 { 0 } else { (2.0 - rate.max(1e-3).log10().floor()) as usize };
    format!("{rate:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_position_rate_time_left_and_output() {
        let mut progress = Progress::new("games", Some(400), 100).writing_to(Path::new("games.pgn"));
        progress.begun = Instant::now().checked_sub(Duration::from_secs(100)).unwrap();
        let line = progress.line(300, None, "Elo 1");
        assert_eq!(line, "300/400 games, 2.00/s, 50 seconds left, writing games.pgn, Elo 1");
        progress.total = None;
        assert!(progress.line(300, Some(Duration::from_secs(120)), "").contains("300 games, 2.00/s, 2 minutes left"));
        assert!(!progress.line(100, None, "").contains("left"));
        progress.show(300, || unreachable!("no line within the first minute"));
    }

    #[test]
    fn another_unit_begins_another_stage() {
        let mut progress = Progress::default();
        progress.stage("nodes", Some(10), 4);
        progress.stage("nodes", Some(20), 5);
        assert_eq!((progress.unit, progress.total, progress.known), ("nodes", Some(20), 4));
        progress.stage("iterations", None, 7);
        assert_eq!((progress.unit, progress.total, progress.known), ("iterations", None, 7));
    }

    #[test]
    fn rates_have_three_digits() {
        assert_eq!(
            [0.0, 0.0123, 1.234, 12.34, 123.4, 1234.5].map(three_digits),
            ["0.00000", "0.0123", "1.23", "12.3", "123", "1234"]
        );
    }
}

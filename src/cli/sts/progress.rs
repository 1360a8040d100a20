//! How far a run is: a bar with the time to go on a terminal, nothing in a pipe; what engines do wrong is always told.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use sts::outcome::PositionOutcome;
use sts::run::Entrant;

pub(super) struct Progress {
    bar: ProgressBar,
    names: Vec<String>,
}

impl Progress {
    /// A run of as many answers of each entrant, of which some are `known` already.
    pub(super) fn new(quiet: bool, entrants: &[Entrant], each: usize, known: usize) -> Self {
        let shown = !quiet && std::io::stderr().is_terminal();
        let target = if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let all = entrants.len() * each;
        let bar = ProgressBar::with_draw_target(Some(all as u64), target).with_position(known.min(all) as u64);
        let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len}, {eta} to go");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.reset_eta();
        Self { bar, names: entrants.iter().map(|entrant| entrant.name.clone()).collect() }
    }

    pub(super) fn answered(&self, entrant: usize, answer: &PositionOutcome) {
        let name = &self.names[entrant];
        if let Some(fault) = &answer.fault {
            let PositionOutcome { line, id, .. } = answer;
            self.bar.suspend(|| eprintln!("{name} on line {line} ({id}): {fault}"));
        }
        if self.bar.message() != *name {
            self.bar.set_message(name.clone());
        }
        self.bar.inc(1);
    }

    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

//! How far the making is: a bar with the time to go on a terminal, nothing in a pipe.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use sts::make::plan;

pub(super) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// Of so many candidates; some analyses may be known already.
    pub(super) fn new(candidates: usize, known: usize) -> Self {
        let shown = std::io::stderr().is_terminal();
        let target = if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(None, target);
        let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} places, {msg}, {eta} to go");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.suspend(|| {
            if shown {
                eprintln!("{candidates} candidates, {known} analyses known");
            }
        });
        Self { bar }
    }

    pub(super) fn show(&self, now: plan::Progress) {
        let (taken, places) = now.places;
        if self.bar.length() != Some(places as u64) {
            self.bar.set_length(places as u64);
        }
        if self.bar.position() != taken as u64 {
            self.bar.set_position(taken as u64);
        }
        let (quick, all) = now.looked_at;
        let million = now.nodes / 1_000_000;
        self.bar.set_message(format!("{quick}/{all} looked at, {} analysed, {million} M nodes", now.analysed));
    }

    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

//! How far a match is: a line a second with the time to go on a terminal, nothing in a pipe. Faults are always told.

use crate::r#match::elo::Strength;
use crate::r#match::record::GameRecord;
use crate::r#match::sprt::Sprt;
use crate::r#match::standings::Standings;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::fmt::Write;

/// How often the line is written a second.
const RATE: u8 = 1;

pub(super) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// A match of `games`, of which some are `known` already.
    pub(super) fn new(games: u64, known: u64) -> Self {
        let bar = ProgressBar::with_draw_target(Some(games), ProgressDrawTarget::stderr_with_hz(RATE));
        let style = ProgressStyle::with_template("{pos} of {len} games, {eta} to go{msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_position(known);
        bar.reset_eta();
        Self { bar }
    }

    pub(super) fn ended(&self, game: &GameRecord, standings: &Standings, sprt: Option<&Sprt>) {
        if game.termination.is_fault() {
            let GameRecord { game: number, white, black, reason, .. } = game;
            self.bar.suspend(|| eprintln!("game {number} ({white} against {black}): {reason}"));
        }
        if let [met] = standings.head_to_heads() {
            let score = met.score();
            let mut message = format!(", {}", score.total());
            // Writing to a String cannot fail.
            if let Some(strength) = Strength::of(&score) {
                let _ = write!(message, ", Elo {}", strength.elo);
            }
            if let Some(sprt) = sprt {
                let (llr, lower, upper) = (sprt.llr(&score), sprt.lower(), sprt.upper());
                let _ = write!(message, ", LLR {llr:.2} ({lower:.2}, {upper:.2})");
            }
            self.bar.set_message(message);
        }
        self.bar.inc(1);
    }

    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

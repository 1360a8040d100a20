//! The handler of a UCI search: it stops the search by the clock or by a command, and prints its reports.

use crate::info::{self, Style};
use crate::output::Output;
use board::{Move, Position};
use engine::chance_model::ChanceModel;
use search::time::Timekeeper;
use search::{Handler, MoveStatistics, SearchInfo, Stop};
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// `currmove` is printed only after this time.
const SILENCE: Duration = Duration::from_secs(3);
/// The longest time without a line.
const INTERVAL: Duration = Duration::from_secs(1);

/// Flags shared by the session and the search thread.
#[derive(Debug, Default)]
pub struct Signals {
    /// To the search: stop.
    pub stop: AtomicBool,
    /// To the search: it is still pondering; the opponent has not played the expected move.
    pub pondering: AtomicBool,
    /// From the search: `bestmove` is printed or about to be printed.
    pub over: AtomicBool,
}

/// The handler of one search.
pub struct Listener<W> {
    /// Where reports go.
    pub out: Output<W>,
    /// How reports are formatted.
    pub style: Style,
    /// Knows the chances that are shown with scores.
    pub chances: ChanceModel,
    /// The root position.
    pub root: Position,
    /// The shared flags.
    pub signals: Arc<Signals>,
    /// The time limits. They count from the command `go`, or from `ponderhit`.
    pub time: Timekeeper,
    /// Whether the clock has not started yet.
    pub pondering: bool,
    /// The last reported principal variation of the best move.
    pub shown: Vec<Move>,
    /// The time of the last line, since the start of the search.
    pub spoken: Duration,
    /// Whether time limits, used time and the predictors of the time rule are printed.
    pub debug: bool,
    /// Whether what a tree search found of each root move is printed.
    pub shows_statistics: bool,
}

impl<W: Write> Listener<W> {
    /// Starts the clock if `ponderhit` has arrived.
    pub fn notice_ponderhit(&mut self, nodes: u64) {
        if self.pondering && !self.signals.pondering.load(Ordering::Acquire) {
            self.pondering = false;
            self.time.clock_starts(nodes);
        }
    }

    /// Says how far the search is if there was nothing to say for long.
    fn break_silence(&mut self, nodes: u64) {
        let elapsed = self.time.thought(nodes);
        if elapsed >= self.spoken + INTERVAL {
            self.spoken = elapsed;
            self.out.line(format_args!("info {} time {}", info::nodes(nodes, elapsed), elapsed.as_millis()));
        }
    }

    /// Whether there is time left; always while pondering.
    fn has_time(&mut self, nodes: u64) -> bool {
        self.notice_ponderhit(nodes);
        self.pondering || self.time.has_time(nodes)
    }

    /// Whether `stop` has arrived.
    pub fn is_stopped(&self) -> bool {
        self.signals.stop.load(Ordering::Acquire)
    }
}

impl<W: Write> Handler for Listener<W> {
    fn poll(&mut self, nodes: u64) -> Result<(), Stop> {
        if self.is_stopped() || !self.has_time(nodes) {
            return Err(Stop);
        }
        self.break_silence(nodes);
        Ok(())
    }

    fn next_iteration(&mut self, _depth: u32) -> bool {
        self.time.iteration_ends();
        if self.debug {
            self.out.remark(format_args!("predictors: {}, worth {:.3}", self.time.predictors(), self.time.worth()));
        }
        !self.is_stopped() && self.has_time(self.time.nodes()) && (self.pondering || self.time.may_begin())
    }

    fn spent(&self, nodes: u64) -> Option<f64> {
        self.time.spent(nodes)
    }

    fn shows_hashfull(&self) -> bool {
        true
    }

    fn shows_statistics(&self) -> bool {
        self.shows_statistics
    }

    fn statistics(&mut self, moves: &[MoveStatistics]) {
        for statistics in moves {
            self.out.remark(self.style.statistics(&self.root, statistics));
        }
    }

    fn report(&mut self, report: &SearchInfo) {
        self.time.update(report);
        if report.multipv == 1 {
            self.shown = report.pv.to_vec();
        }
        let elapsed = self.time.thought(report.nodes);
        self.spoken = elapsed;
        self.out.line(self.style.report(&self.root, report, elapsed, &self.chances));
    }

    fn root_move(&mut self, depth: u32, mv: Move, number: usize, nodes: u64) {
        self.time.root_move(number, nodes);
        if self.time.thought(nodes) > SILENCE {
            let mv = self.root.uci(mv, self.style.chess960);
            self.out.line(format_args!("info depth {depth} currmove {mv} currmovenumber {number}"));
        }
    }
}

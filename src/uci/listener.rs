//! The client's ear inside a search: it stops the search by clock or by command, and writes what is found.

use crate::search::time::Timekeeper;
use crate::search::{Handler, SearchInfo, Stop};
use crate::uci::info::Style;
use crate::uci::output::Output;
use board::{Move, Position};
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Root moves are named only in searches longer than this.
const SILENCE: Duration = Duration::from_secs(3);

/// What the two threads tell each other.
#[derive(Debug, Default)]
pub struct Signals {
    /// To the search: end.
    pub stop: AtomicBool,
    /// To the search: the move pondered on has not been played yet.
    pub pondering: AtomicBool,
    /// From the search: its `bestmove` is on the way.
    pub over: AtomicBool,
}

/// What a search keeps to besides its limits.
#[derive(Debug)]
pub struct Listener<W> {
    /// Where reports go.
    pub out: Output<W>,
    /// How they are written.
    pub style: Style,
    /// The position searched.
    pub root: Position,
    /// Commands that come in meanwhile.
    pub signals: Arc<Signals>,
    /// The time allowed, from when the client asked; it begins to run when pondering ends.
    pub time: Timekeeper,
    /// Has the clock not begun to run yet?
    pub pondering: bool,
    /// The best principal variation that was reported last.
    pub shown: Vec<Move>,
}

impl<W: Write> Listener<W> {
    /// The clock runs from here on if the move pondered on has been played.
    pub fn notice_ponderhit(&mut self, nodes: u64) {
        if self.pondering && !self.signals.pondering.load(Ordering::Acquire) {
            self.pondering = false;
            self.time.clock_starts(nodes);
        }
    }

    /// Is there still time to think? While pondering there always is.
    fn has_time(&mut self, nodes: u64) -> bool {
        self.notice_ponderhit(nodes);
        self.pondering || self.time.has_time(nodes)
    }

    /// Has the client asked for the move?
    pub fn is_stopped(&self) -> bool {
        self.signals.stop.load(Ordering::Acquire)
    }
}

impl<W: Write> Handler for Listener<W> {
    fn poll(&mut self, nodes: u64) -> Result<(), Stop> {
        if self.is_stopped() || !self.has_time(nodes) { Err(Stop) } else { Ok(()) }
    }

    fn next_iteration(&mut self, _depth: u32) -> bool {
        self.time.iteration_ends();
        !self.is_stopped() && self.has_time(self.time.nodes()) && (self.pondering || self.time.may_begin())
    }

    fn shows_hashfull(&self) -> bool {
        true
    }

    fn report(&mut self, report: &SearchInfo) {
        self.time.update(report);
        if report.multipv == 1 {
            self.shown = report.pv.to_vec();
        }
        self.out.line(self.style.report(&self.root, report, self.time.thought(report.nodes)));
    }

    fn root_move(&mut self, depth: u32, mv: Move, number: usize, nodes: u64) {
        if self.time.thought(nodes) > SILENCE {
            let mv = self.root.uci(mv, self.style.chess960);
            self.out.line(format_args!("info depth {depth} currmove {mv} currmovenumber {number}"));
        }
    }
}

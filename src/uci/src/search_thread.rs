//! One search on its own thread, from `go` to `bestmove`.
//!
//! The thread owns the engine during the search and returns it when it is joined. If the search panics, the client still gets
//! a legal move; the engine is dropped, and the session builds a new one.

use crate::info;
use crate::listener::{Listener, Signals};
use crate::search_log::TurnLog;
use engine::Engine;
use search::{Bound, Handler, STACK_BYTES, SearchLimits, SearchResult, Value};
use support::panic::panic_message;
use support::text::clip;

use board::{Game, Move};
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// A search to run.
pub struct Job<W> {
    /// The game, whose current position is searched.
    pub game: Game,
    /// The limits of the search, besides those of the listener.
    pub limits: SearchLimits,
    /// The root moves; empty if the game is over by mate or stalemate.
    pub candidates: Vec<Move>,
    /// Receives the reports of the search.
    pub listener: Listener<W>,
    /// Whether the move is printed only after `stop`, even if the search has ended.
    pub infinite: bool,
    /// The time before which the move is not printed, if there is one.
    pub pace: Option<Duration>,
    /// The nodes of the search, once it has ended.
    pub nodes: u64,
    /// Where its result is logged.
    pub log: Option<TurnLog>,
}

/// What a search or count calls when it is over, on its own thread.
pub type Notify = Arc<dyn Fn() + Send + Sync>;

/// Calls its function when it is dropped, so that a search or count that panics is over, too.
pub(crate) struct NotifyAtEnd(pub(crate) Notify);

impl Drop for NotifyAtEnd {
    fn drop(&mut self) {
        (self.0)();
    }
}

/// A search that runs, or has ended and is not joined yet.
pub struct SearchThread {
    signals: Arc<Signals>,
    infinite: bool,
    thread: JoinHandle<Finished>,
}

/// What remains after a search.
#[derive(Default)]
pub struct Finished {
    /// The engine; `None` after a panic.
    pub engine: Option<Engine>,
    /// The time that the move used of the clock; `None` if the opponent did not play the expected move.
    pub used: Option<Duration>,
    /// How late the search was at worst, and its answer.
    pub late: [Duration; 2],
}

impl SearchThread {
    /// Starts a search, which calls `notify` when it is over.
    ///
    /// # Errors
    /// If the system cannot start a thread; the engine is then lost.
    pub fn begin<W: Write + Send + 'static>(mut engine: Engine, mut job: Job<W>, notify: Notify) -> io::Result<Self> {
        let signals = Arc::clone(&job.listener.signals);
        let infinite = job.infinite;
        let thread = thread::Builder::new().name("search".into()).stack_size(STACK_BYTES).spawn(move || {
            let _at_end = NotifyAtEnd(notify);
            let is_sound = job.run(|game, limits, handler| engine.search(game, limits, handler));
            let used = (!job.listener.pondering).then(|| job.listener.time.used(job.nodes));
            Finished {
                engine: is_sound.then_some(engine),
                used,
                late: [job.listener.time.late(), job.listener.time.answer()],
            }
        })?;
        Ok(Self { signals, infinite, thread })
    }

    /// Whether the move is printed or about to be printed.
    pub fn is_over(&self) -> bool {
        self.signals.over.load(Ordering::Acquire)
    }

    /// Whether the search prints its move only when the client asks for it (`go infinite`, `go ponder`).
    pub fn is_held(&self) -> bool {
        self.infinite || self.signals.pondering.load(Ordering::Acquire)
    }

    /// The opponent played the expected move: from now on the clock runs.
    pub fn ponderhit(&self) {
        self.signals.pondering.store(false, Ordering::Release);
        self.thread.thread().unpark();
    }

    /// Makes the search print its move now.
    pub fn stop(&self) {
        self.signals.stop.store(true, Ordering::Release);
        self.thread.thread().unpark();
    }

    /// Waits until the move is printed, and returns the engine.
    pub fn join(self) -> Finished {
        self.thread.join().unwrap_or_default()
    }
}

impl<W: Write> Job<W> {
    /// Searches and prints the move; `false` if the search panicked.
    fn run(&mut self, search: impl FnOnce(&Game, &SearchLimits, &mut dyn Handler) -> SearchResult) -> bool {
        let mut logged = None;
        let (line, is_sound) = if self.candidates.is_empty() {
            self.report_end_of_game();
            (Vec::new(), true)
        } else {
            let result = catch_unwind(AssertUnwindSafe(|| search(&self.game, &self.limits, &mut self.listener)));
            match result {
                Ok(result) => {
                    logged = self.log.is_some().then(|| result.clone());
                    (self.report_result(result), true)
                }
                Err(panic) => {
                    let why = clip(panic_message(&*panic));
                    self.listener.out.remark(format_args!("the search failed ({why}); the engine is built again"));
                    let shown = &self.listener.shown;
                    (vec![*shown.first().unwrap_or(&self.candidates[0])], false)
                }
            }
        };
        self.wait_for_stop();
        self.listener.notice_ponderhit(self.nodes);
        self.keep_pace();
        if self.listener.debug {
            self.report_time();
        }
        // The client may send the next command as soon as it reads the move; the search must be over by then.
        self.listener.signals.over.store(true, Ordering::Release);
        self.listener.out.line(self.listener.style.best_move(self.game.position(), &line));
        // A person's pace and a client that lets it ponder are no delays.
        if self.pace.is_none() && !self.listener.pondering {
            self.listener.time.answered(self.nodes);
        }
        // After the move, so that it takes no time from the engine's clock.
        if let Some((log, found)) = self.log.as_ref().zip(logged)
            && let Err(error) = log.append(&self.game, &found)
        {
            self.listener.out.remark(format_args!("GameLog: {error}"));
        }
        is_sound
    }

    fn report_end_of_game(&self) {
        let value = if self.game.position().in_check() { Value::mated_at(0) } else { Value::DRAW };
        self.listener
            .out
            .line(format_args!("info depth 0 {}", self.listener.style.score(value, Bound::Exact, || value.wdl())));
    }

    /// Reports the totals of all threads. Returns the moves to print: the principal variation, the single move that was
    /// found better just before the end, or any legal move if there was no time to search.
    fn report_result(&mut self, result: SearchResult) -> Vec<Move> {
        self.nodes = result.nodes;
        let elapsed = self.listener.time.thought(result.nodes);
        let totals = info::nodes(result.nodes, elapsed);
        self.listener.out.line(format_args!("info {totals} time {}", elapsed.as_millis()));
        let announced = result.announced();
        if announced.is_empty() { self.candidates[..1].to_vec() } else { announced.to_vec() }
    }

    /// Reports the limits computed from the client's clocks and the used time; nothing without a clock.
    fn report_time(&self) {
        let Listener { out, time, .. } = &self.listener;
        let limits = time.budget();
        let Some(hard) = limits.hard else {
            return;
        };
        let milliseconds = |time: Duration| format!("{:.3} ms", time.as_secs_f64() * 1_000.0);
        let soft = limits.soft.map_or("none".to_owned(), milliseconds);
        let used = if self.listener.pondering { Duration::ZERO } else { time.used(self.nodes) };
        let (hard, used, late) = (milliseconds(hard), milliseconds(used), milliseconds(time.late()));
        let otherwise = if self.listener.is_stopped() { "by command" } else { "by itself" };
        let end = time.end().map_or(otherwise.to_owned(), |end| end.to_string());
        out.remark(format_args!("time: soft {soft}, hard {hard}, used {used}, late {late}; ended {end}"));
    }

    /// After `go infinite` and `go ponder` the move must not be printed before the client asks for it, even if the search has
    /// ended.
    fn wait_for_stop(&self) {
        let signals = &self.listener.signals;
        let holds = || self.infinite || signals.pondering.load(Ordering::Acquire);
        while holds() && !signals.stop.load(Ordering::Acquire) {
            thread::park();
        }
    }

    /// A person does not answer at once. `stop` ends this, too.
    fn keep_pace(&self) {
        let signals = &self.listener.signals;
        while let Some(pace) = self.pace
            && let Some(left) = pace.checked_sub(self.listener.time.used(self.nodes)).filter(|left| !left.is_zero())
            && !signals.stop.load(Ordering::Acquire)
        {
            thread::park_timeout(left);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::info::Style;
    use crate::output::Output;
    use board::Position;
    use engine::chance_model::ChanceModel;
    use search::SearchInfo;
    use search::time::{ClockModel, Stopwatch, TimeBudget, Timekeeper};

    fn job(fen: &str) -> (Job<Vec<u8>>, Output<Vec<u8>>) {
        let game = Game::new(Position::from_fen(fen).unwrap());
        let out = Output::new(Vec::new());
        let candidates = game.position().legal_moves().to_vec();
        let listener = Listener {
            out: out.clone(),
            style: Style::default(),
            chances: ChanceModel::default(),
            root: game.position().clone(),
            signals: Arc::default(),
            time: Timekeeper::new(
                Stopwatch::start(None),
                TimeBudget::UNLIMITED,
                candidates.len(),
                ClockModel::PROBABILITY,
            ),
            pondering: false,
            shown: Vec::new(),
            spoken: Duration::ZERO,
            debug: false,
            shows_statistics: false,
        };
        (
            Job {
                game,
                limits: SearchLimits::default(),
                candidates,
                listener,
                infinite: false,
                pace: None,
                nodes: 0,
                log: None,
            },
            out,
        )
    }

    fn text(out: &Output<Vec<u8>>) -> String {
        String::from_utf8(out.lock().clone()).unwrap()
    }

    #[test]
    fn a_panic_in_the_search_still_gives_a_legal_move() {
        let (mut job, out) = job("7k/8/8/8/8/8/8/K7 w - - 0 1");
        assert!(!job.run(|_, _, _| panic!("a test of panics")));
        let text = text(&out);
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some("info string the search failed (a test of panics); the engine is built again"));
        let best = lines.next().and_then(|line| line.strip_prefix("bestmove ")).unwrap();
        assert!(["a1a2", "a1b1", "a1b2"].contains(&best), "{best}");
    }

    #[test]
    fn a_result_without_a_principal_variation_gives_a_legal_move() {
        let (mut job, out) = job("7k/8/8/8/8/8/8/K7 w - - 0 1");
        let nothing = SearchResult { pv: vec![], value: Value::DRAW, better: None, nodes: 3, evaluations: 0, depth: 0 };
        assert!(job.run(|_, _, _| nothing));
        let text = text(&out);
        assert!(text.starts_with("info nodes 3 nps ") && text.contains("\nbestmove a1"), "{text}");
    }

    #[test]
    fn every_report_is_shown_and_then_the_totals() {
        let (mut job, out) = job("7k/8/8/8/8/8/8/K7 w - - 0 1");
        let moves = job.candidates.clone();
        assert!(job.run(|_, _, handler| {
            for (pv, depth) in [(&moves[..1], 1), (&moves[1..2], 2)] {
                let (bound, value) = (Bound::Exact, Value::DRAW);
                handler.report(&SearchInfo {
                    depth,
                    seldepth: 2,
                    multipv: 1,
                    value,
                    bound,
                    nodes: 3,
                    hashfull: 0,
                    table_hits: 0,
                    wdl: None,
                    pv,
                });
            }
            let pv = vec![moves[1]];
            SearchResult { pv, value: Value::DRAW, better: None, nodes: 4, evaluations: 4, depth: 1 }
        }));
        let text = text(&out);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 4, "{text}");
        assert!(lines[1].starts_with("info depth 2 seldepth 2 multipv 1 score cp 0 nodes 3 "), "{text}");
        assert!(lines[2].starts_with("info nodes 4 "), "{text}");
        let best = lines[3].strip_prefix("bestmove ").unwrap();
        assert!(lines[1].ends_with(&format!(" pv {best}")), "{text}");
    }

    #[test]
    fn after_a_panic_the_last_reported_move_is_printed_and_the_reason_on_one_line() {
        let (mut job, out) = job("7k/8/8/8/8/8/8/K7 w - - 0 1");
        let moves = job.candidates.clone();
        assert!(!job.run(|game, _, handler| {
            let pv = &moves[2..];
            let bound = Bound::Exact;
            let value = Value::DRAW;
            handler.report(&SearchInfo {
                depth: 1,
                seldepth: 1,
                multipv: 1,
                value,
                bound,
                nodes: 3,
                hashfull: 0,
                table_hits: 0,
                wdl: None,
                pv,
            });
            panic!("two\nlines in {}", game.position().to_fen(false))
        }));
        let text = text(&out);
        let best = format!("bestmove {}", moves[2]);
        assert!(text.lines().count() == 3 && text.lines().last() == Some(&best), "{text}");
    }

    #[test]
    fn a_game_that_is_over_is_not_searched() {
        for (fen, score) in [("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "mate 0"), ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "cp 0")] {
            let (mut job, out) = job(fen);
            assert!(job.run(|_, _, _| panic!("searched")));
            assert_eq!(text(&out), format!("info depth 0 score {score}\nbestmove (none)\n"));
        }
    }
}

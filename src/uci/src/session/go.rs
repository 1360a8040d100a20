//! The command `go`: what the client's limits mean, and the start of the search.

use super::Session;
use super::told_clock::ToldClock;
use crate::listener::{Listener, Signals};
use crate::pacing::pace;
use crate::parse::Go;
use crate::search_thread::{Job, SearchThread};
use board::{Color, Game, Move, Position};
use engine::chance_model::ChanceModel;
use engine::network_policy::move_probabilities;
use search::time::{ClockModel, GameClock, Stopwatch, TimeBudget, Timekeeper};
use search::{MAX_PLY, SearchLimits};
use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

/// The search time if none of the client's clocks and times can be parsed.
const UNREADABLE_LIMIT: Duration = Duration::from_secs(1);

impl<W: Write + Send + 'static> Session<W> {
    /// Starts a search.
    pub(super) fn go(&mut self, go: &Go, game: Game, watch: Stopwatch) {
        let root = game.position().clone();
        let searchmoves = self.read_searchmoves(&root, &go.searchmoves);
        let candidates = if searchmoves.is_empty() { root.legal_moves().to_vec() } else { searchmoves.clone() };
        let mut budget = self.budget(go, &root);
        let has_limit =
            budget != TimeBudget::UNLIMITED || go.depth.is_some() || go.nodes.is_some() || go.mate.is_some();
        if go.is_limited && !go.infinite && !has_limit {
            if !go.is_timed {
                self.out.remark("go: no limit could be parsed; nothing is searched");
                self.out.line(self.style().best_move(&root, &[]));
                return;
            }
            // In a game with a clock, any move is better than none; an unlimited search would give none.
            budget = TimeBudget::of_move_time(UNREADABLE_LIMIT, Duration::ZERO);
            self.out.remark(format_args!("go: no limit could be parsed; searching for {UNREADABLE_LIMIT:?}"));
        }
        let limits = SearchLimits {
            nodes: go.nodes,
            depth: go.depth.map(|depth| depth.max(1)),
            mate: go.mate.map(|moves| moves.clamp(1, MAX_PLY as u32)),
            searchmoves,
            multipv: self.values.options.multipv,
        };
        let model = self.engine().map_or(ClockModel::PROBABILITY, |engine| engine.clock_model());
        let time = Timekeeper::new(watch, budget, candidates.len(), model);
        let signals = Signals { pondering: go.ponder.into(), ..Signals::default() };
        let fallback = candidates.first().copied();
        let chances = self.engine().map_or_else(ChanceModel::default, |engine| engine.chance_model());
        let listener = Listener {
            out: self.out.clone(),
            style: self.style(),
            chances,
            root: root.clone(),
            signals: Arc::new(signals),
            time,
            pondering: go.ponder,
            shown: Vec::new(),
            spoken: Duration::ZERO,
            debug: self.debug,
            shows_statistics: self.values.options.verbose_move_stats,
        };
        let infinite = go.infinite || budget == TimeBudget::UNLIMITED && !has_limit;
        // An analysis is no turn of a game.
        let net = self.engine().and_then(|engine| engine.net_name().map(str::to_owned));
        let log =
            net.filter(|_| !infinite && go.searchmoves.is_empty()).and_then(|net| self.search_log.of_turn(&game, net));
        let pace = if infinite { None } else { self.pace(&root, &candidates, budget) };
        let job = Job { game, limits, candidates, listener, infinite, pace, nodes: 0, log };
        let begun = match self.engine().is_some().then(|| self.engine.take()).flatten() {
            Some(engine) => SearchThread::begin(engine, job, self.notify.clone()).map_err(|error| error.to_string()),
            None => Err("there is no engine".to_owned()),
        };
        match begun {
            Ok(search) => self.search = Some(search),
            Err(why) => {
                self.out.remark(format_args!("go: the search cannot start: {why}"));
                self.out.line(self.style().best_move(&root, fallback.as_slice()));
            }
        }
    }

    /// The legal moves among `searchmoves`, each once; the others are reported.
    fn read_searchmoves(&self, root: &Position, texts: &[String]) -> Vec<Move> {
        let mut moves = Vec::new();
        for text in texts {
            match root.parse_uci(text) {
                Ok(mv) if !moves.contains(&mv) => moves.push(mv),
                Ok(_) => {}
                Err(error) => self.out.remark(format_args!("go: searchmoves: {error}; the move is ignored")),
            }
        }
        moves
    }

    fn budget(&mut self, go: &Go, root: &Position) -> TimeBudget {
        if go.infinite {
            return TimeBudget::UNLIMITED;
        }
        let (time, increment) =
            if root.side_to_move() == Color::White { (go.wtime, go.winc) } else { (go.btime, go.binc) };
        let told = time.map(|remaining| GameClock {
            remaining: milliseconds(remaining),
            increment: milliseconds(increment.unwrap_or(0)),
            moves_to_go: go.movestogo.filter(|&moves| moves > 0),
        });
        let overhead = Duration::from_millis(self.values.options.move_overhead);
        let clock = told.map(|told| self.game_clock(root, told, overhead));
        let overhead = clock.map_or(overhead, |(_, overhead)| overhead);
        TimeBudget::of(clock.map(|(clock, _)| clock), go.movetime.map(milliseconds), overhead)
    }

    /// The time that a limited strength takes for its move at a person's pace.
    fn pace(&mut self, root: &Position, candidates: &[Move], budget: TimeBudget) -> Option<Duration> {
        let options = &self.values.options;
        // A clock in nodes does not run while nothing is searched.
        let is_wanted = options.human_pace && options.limit_strength && options.nodes_per_millisecond().is_none();
        let engine = self.engine().filter(|_| is_wanted)?;
        let mut hesitation = 0.0;
        if candidates.len() > 1 {
            let (_, probabilities) = move_probabilities(engine.policy_net(), root, candidates, 1.0);
            hesitation = 1.0 - probabilities.into_iter().fold(0.0, f32::max);
        }
        pace(budget, f64::from(hesitation), rand::random())
    }

    /// The clock that limits the search, and what each move loses: the client's without what is kept in hand, or with nodestime the clock
    /// in nodes.
    fn game_clock(&mut self, root: &Position, told: GameClock, overhead: Duration) -> (GameClock, Duration) {
        let side = root.side_to_move();
        if self.values.options.nodes_per_millisecond().is_some() {
            self.on_move = Some(side);
            return (self.node_clocks[side as usize].before(told), overhead);
        }
        let now = ToldClock::at(root, told);
        let last = self.told.replace(now);
        // The overhead is kept in hand already.
        if let Some(lost) = last.and_then(|last| now.lost_since(&last)) {
            self.lateness.lost_besides(lost.saturating_sub(overhead));
        }
        self.lateness.keep(told, overhead)
    }
}

/// A negative time counts as zero.
fn milliseconds(time: i64) -> Duration {
    Duration::from_millis(u64::try_from(time).unwrap_or(0))
}

//! One position as an engine sees it: Okapi with search and networks, or another by what it says over UCI.

use board::{Game, Move, Position};
use engine::network_policy::move_probabilities;
use engine::{Engine, EngineSpec};
use search::time::{Stopwatch, TimeBudget, Timekeeper};
use search::wdl::logistic;
use search::{Bound, Handler, ScoredMove, SearchInfo, SearchLimits, Stop, Value};
use serde::{Deserialize, Serialize};
use std::time::Duration;
use support::pool;

/// What an engine says of a position, all values for its side to move. What only Okapi's networks say is absent from other engines'.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PositionAnalysis {
    /// The value that the search found; beyond ±1 are mates ([`Value`]).
    pub value: f32,
    /// Win, draw and loss in per mille; `None` from an engine that does not say it.
    pub wdl: Option<[u32; 3]>,
    /// The principal variation, as UCI moves with castling as king takes rook.
    pub line: Vec<String>,
    /// The depth equivalent of the last iteration.
    pub depth: u32,
    /// The nodes searched.
    pub nodes: u64,
    /// The value network's own value, -1 to 1.
    pub evaluation: Option<f32>,
    /// Every legal move, the most probable first; empty without networks.
    pub moves: Vec<MoveOpinion>,
    /// The next best lines, the best of them first, if several were searched.
    #[serde(default)]
    pub others: Vec<OtherLine>,
}

/// A line that begins with another move than the best one's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OtherLine {
    /// The value that the search found for it, as [`PositionAnalysis::value`].
    pub value: f32,
    /// The line, as [`PositionAnalysis::line`].
    pub line: Vec<String>,
}

/// A value as f32 has it, without a negative zero.
pub(super) fn stored(value: Value) -> f32 {
    f32::from_bits(value.to_bits()) + 0.0
}

/// The value that was [stored].
pub(super) fn value_of(stored: f32) -> Value {
    Value::from_bits(stored.to_bits())
}

/// A line as text.
pub(super) fn written(position: &Position, line: &[Move]) -> Vec<String> {
    let mut at = position.clone();
    let text = |mv: &Move| {
        let text = at.uci(*mv, true);
        at = at.play(*mv);
        text
    };
    line.iter().map(text).collect()
}

/// A line of text as moves, up to the first that is not legal.
pub(super) fn read_line(position: &Position, line: &[String]) -> Vec<Move> {
    let (mut at, mut moves) = (position.clone(), Vec::new());
    for text in line {
        let Ok(mv) = at.parse_uci(text) else { break };
        at = at.play(mv);
        moves.push(mv);
    }
    moves
}

/// Analyses positions, each as if it were the first.
pub trait Analyst: Send {
    /// The analysis of the game's present position, which has a legal move; `None` if it was stopped before its end.
    ///
    /// # Errors
    /// What the engine did wrong.
    fn analyse(&mut self, game: &Game, chess960: bool, stop: &pool::Stop) -> anyhow::Result<Option<PositionAnalysis>>;
}

/// What the networks say of a move.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MoveOpinion {
    /// The move, as in [`PositionAnalysis::line`].
    #[serde(rename = "move")]
    pub uci: String,
    /// The probability that it is the best, by the policy network.
    pub probability: f32,
    /// The value network's value after it, for the side that makes it.
    pub value: f32,
}

impl PositionAnalysis {
    /// The value that the search found.
    pub fn value(&self) -> Value {
        value_of(self.value)
    }

    /// The expected score, 0 to 1: the chance to win and half that to draw. Where the engine does not say them, a score in
    /// centipawns is worth `1 / (1 + exp(-0.00368208 c))`.
    // CITE: lichess.org, scalachess, WinPercent.scala, fitted to games of rated players.
    pub fn expected_score(&self) -> f64 {
        let value = self.value();
        match self.wdl {
            Some([win, draw, _]) => f64::from(win) / 1000.0 + f64::from(draw) / 2000.0,
            None if value.is_mate() => f64::from(u8::from(value > Value::DRAW)),
            None => logistic(0.003_682_08 * f64::from(value.centipawns())),
        }
    }

    /// The principal variation as moves.
    pub fn line(&self, position: &Position) -> Vec<Move> {
        read_line(position, &self.line)
    }

    /// The probability of a move; `None` for one that is not legal, and without networks.
    pub fn probability(&self, position: &Position, mv: Move) -> Option<f32> {
        let uci = position.uci(mv, true);
        self.moves.iter().find(|opinion| opinion.uci == uci).map(|opinion| opinion.probability)
    }
}

/// Okapi as an analyst.
pub struct Okapi {
    engine: Engine,
    limits: SearchLimits,
    movetime: Option<Duration>,
}

impl Okapi {
    /// An engine that searches so many lines of every position with so many nodes, for so long, or until either ends.
    ///
    /// # Errors
    /// If the engine cannot be built.
    pub fn new(
        spec: &EngineSpec,
        lines: usize,
        nodes: Option<u64>,
        movetime: Option<Duration>,
    ) -> anyhow::Result<Self> {
        let limits = SearchLimits { nodes, multipv: lines, ..SearchLimits::default() };
        Ok(Self { engine: spec.build()?, limits, movetime })
    }

    fn search(&mut self, game: &Game, stop: &dyn Fn() -> bool) -> Option<PositionAnalysis> {
        let position = game.position();
        self.engine.new_game();
        let budget = TimeBudget::of(None, self.movetime, Duration::ZERO);
        let count = position.legal_moves().len();
        let time = Timekeeper::new(Stopwatch::start(None), budget, count, self.engine.clock_model());
        let mut listener = Listener { time, stop, stopped: false, others: Vec::new() };
        let found = self.engine.search(game, &self.limits, &mut listener);
        if listener.stopped {
            return None;
        }
        let chances = self.engine.chance_model().wdl(position, found.value, found.announced());
        // Another move may have turned out better than the first line of the last complete iteration.
        let best = found.best();
        listener.others.retain(|(line, _)| line.first() != best.as_ref());
        let other =
            |(line, value): &(Vec<Move>, Value)| OtherLine { value: stored(*value), line: written(position, line) };
        Some(PositionAnalysis {
            line: written(position, found.announced()),
            wdl: Some([chances.win, chances.draw, chances.loss]),
            value: stored(found.value),
            depth: found.depth,
            nodes: found.nodes,
            evaluation: Some(self.engine.evaluate(position).to_f32() + 0.0),
            moves: self.opinions(position),
            others: listener.others.iter().map(other).collect(),
        })
    }

    /// What the networks say of every legal move, the most probable first.
    fn opinions(&self, position: &Position) -> Vec<MoveOpinion> {
        let (moves, p) = move_probabilities(self.engine.policy_net(), position, &[], 1.0);
        let opinion = |(scored, probability): (&ScoredMove, &f32)| {
            let child = position.play(scored.mv);
            let value = -self.engine.evaluate(&child).to_f32() + 0.0;
            MoveOpinion { uci: position.uci(scored.mv, true), probability: *probability, value }
        };
        let mut opinions: Vec<_> = moves.iter().zip(&p).map(opinion).collect();
        opinions.sort_by(|a, b| b.probability.total_cmp(&a.probability));
        opinions
    }
}

impl Analyst for Okapi {
    fn analyse(&mut self, game: &Game, _chess960: bool, stop: &pool::Stop) -> anyhow::Result<Option<PositionAnalysis>> {
        Ok(self.search(game, stop))
    }
}

/// Stops a search by its time or from outside, and keeps its lines but the best one.
struct Listener<'a> {
    time: Timekeeper,
    stop: &'a dyn Fn() -> bool,
    stopped: bool,
    others: Vec<(Vec<Move>, Value)>,
}

impl Handler for Listener<'_> {
    fn poll(&mut self, nodes: u64) -> Result<(), Stop> {
        self.stopped |= (self.stop)();
        if self.time.has_time(nodes) && !self.stopped { Ok(()) } else { Err(Stop) }
    }

    fn next_iteration(&mut self, _depth: u32) -> bool {
        self.time.iteration_ends();
        !self.stopped && self.time.may_begin()
    }

    fn spent(&self, nodes: u64) -> Option<f64> {
        self.time.spent(nodes)
    }

    fn report(&mut self, info: &SearchInfo) {
        self.time.update(info);
        // Lines are told together, in their order.
        if info.bound == Bound::Exact {
            self.others.truncate(info.multipv.saturating_sub(2));
            if info.multipv > 1 {
                self.others.push((info.pv.to_vec(), info.value));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn okapi(lines: usize, nodes: u64) -> Okapi {
        Okapi::new(&EngineSpec { hash_megabytes: 1, ..Default::default() }, lines, Some(nodes), None).unwrap()
    }

    #[test]
    fn a_position_is_seen_alike_every_time_and_by_its_own_values() {
        let mut okapi = okapi(1, 500);
        let game = Game::new(Position::from_fen("6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1").unwrap());
        let first = okapi.search(&game, &|| false).unwrap();
        assert_eq!(first.line, ["a1a8"]);
        assert_eq!(first.value().mate_moves(), Some(1));
        assert_eq!(first.moves.len(), game.position().legal_moves().len());
        assert_eq!(first.others, []);
        let sum: f32 = first.moves.iter().map(|opinion| opinion.probability).sum();
        assert!((sum - 1.0).abs() < 1e-4 && first.moves.is_sorted_by(|a, b| a.probability >= b.probability));
        // The mate on the board is the value of the move that gives it.
        let mate = first.moves.iter().find(|opinion| opinion.uci == "a1a8").unwrap();
        assert_eq!(mate.value, 1.0);
        okapi.search(&Game::new(Position::start()), &|| false).unwrap();
        assert_eq!(okapi.search(&game, &|| false).unwrap(), first);
        let text = serde_json::to_string(&first).unwrap();
        assert_eq!(serde_json::from_str::<PositionAnalysis>(&text).unwrap(), first);
        assert_eq!(okapi.search(&game, &|| true), None);
    }

    #[test]
    fn several_lines_begin_with_different_moves_and_fall() {
        let found = okapi(3, 3_000).search(&Game::new(Position::start()), &|| false).unwrap();
        assert_eq!(found.others.len(), 2);
        let firsts = [&found.line[0], &found.others[0].line[0], &found.others[1].line[0]];
        assert!(firsts[0] != firsts[1] && firsts[1] != firsts[2] && firsts[0] != firsts[2], "{firsts:?}");
        assert!(found.value >= found.others[0].value && found.others[0].value >= found.others[1].value);
        // No position has more lines than moves.
        let one = Game::new(Position::from_fen("7k/6Q1/8/8/8/8/8/K7 b - - 0 1").unwrap());
        assert_eq!(okapi(3, 300).search(&one, &|| false).unwrap().others, []);
    }

    #[test]
    fn an_expected_score_follows_from_centipawns_where_no_chances_are_known() {
        let analysis = |value: Value| PositionAnalysis {
            value: stored(value),
            wdl: None,
            line: Vec::new(),
            depth: 1,
            nodes: 1,
            evaluation: None,
            moves: Vec::new(),
            others: Vec::new(),
        };
        let expected = |value| analysis(value).expected_score();
        assert_eq!((expected(Value::mates_at(3)), expected(Value::mated_at(2))), (1.0, 0.0));
        assert_eq!(expected(Value::DRAW), 0.5);
        // 1 / (1 + e^-0.368208)
        assert!((expected(Value::from_centipawns(100)) - 0.591_026).abs() < 1e-4);
    }
}

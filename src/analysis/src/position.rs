//! One position as search and networks see it.

use board::{Game, Move, Position};
use engine::network_policy::move_probabilities;
use engine::{Engine, EngineSpec};
use search::time::{Stopwatch, TimeBudget, Timekeeper};
use search::{Handler, ScoredMove, SearchInfo, SearchLimits, Stop, Value};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What search and networks say of a position, all values for its side to move.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PositionAnalysis {
    /// The value that the search found; beyond ±1 are mates ([`Value`]).
    pub value: f32,
    /// Win, draw and loss in per mille.
    pub wdl: [u32; 3],
    /// The principal variation, as UCI moves with castling as king takes rook.
    pub line: Vec<String>,
    /// The depth equivalent of the last iteration.
    pub depth: u32,
    /// The nodes searched.
    pub nodes: u64,
    /// The value network's own value, -1 to 1.
    pub evaluation: f32,
    /// Every legal move, the most probable first.
    pub moves: Vec<MoveOpinion>,
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
        Value::from_bits(self.value.to_bits())
    }

    /// The expected score, 0 to 1: the chance to win and half that to draw.
    pub fn expected_score(&self) -> f64 {
        f64::from(self.wdl[0]) / 1000.0 + f64::from(self.wdl[1]) / 2000.0
    }

    /// The principal variation as moves.
    pub fn line(&self, position: &Position) -> Vec<Move> {
        let (mut at, mut line) = (position.clone(), Vec::new());
        for text in &self.line {
            let Ok(mv) = at.parse_uci(text) else { break };
            at = at.play(mv);
            line.push(mv);
        }
        line
    }

    /// The probability of a move; 0 for one that is not legal.
    pub fn probability(&self, position: &Position, mv: Move) -> f32 {
        let uci = position.uci(mv, true);
        self.moves.iter().find(|opinion| opinion.uci == uci).map_or(0.0, |opinion| opinion.probability)
    }
}

/// Analyses positions, each as if it were the first.
pub struct Analyst {
    engine: Engine,
    limits: SearchLimits,
    movetime: Option<Duration>,
}

impl Analyst {
    /// An engine that searches every position with so many nodes, for so long, or until either ends.
    ///
    /// # Errors
    /// If the engine cannot be built.
    pub fn new(spec: &EngineSpec, nodes: Option<u64>, movetime: Option<Duration>) -> anyhow::Result<Self> {
        let limits = SearchLimits { nodes, ..SearchLimits::default() };
        Ok(Self { engine: spec.build()?, limits, movetime })
    }

    /// The analysis of the game's present position, which has a legal move; `None` if it was stopped before its end.
    pub fn analyse(&mut self, game: &Game, stop: &dyn Fn() -> bool) -> Option<PositionAnalysis> {
        let position = game.position();
        self.engine.new_game();
        let budget = TimeBudget::of(None, self.movetime, Duration::ZERO);
        let count = position.legal_moves().len();
        let time = Timekeeper::new(Stopwatch::start(None), budget, count, self.engine.clock_model());
        let mut listener = Listener { time, stop, stopped: false };
        let found = self.engine.search(game, &self.limits, &mut listener);
        if listener.stopped {
            return None;
        }
        let chances = self.engine.chance_model().wdl(position, found.value, found.announced());
        let mut at = position.clone();
        let line = found.announced().iter().map(|mv| {
            let text = at.uci(*mv, true);
            at = at.play(*mv);
            text
        });
        Some(PositionAnalysis {
            line: line.collect(),
            wdl: [chances.win, chances.draw, chances.loss],
            value: f32::from_bits(found.value.to_bits()) + 0.0,
            depth: found.depth,
            nodes: found.nodes,
            evaluation: self.engine.evaluate(position).to_f32() + 0.0,
            moves: self.opinions(position),
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

/// Stops a search by its time or from outside.
struct Listener<'a> {
    time: Timekeeper,
    stop: &'a dyn Fn() -> bool,
    stopped: bool,
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

    fn report(&mut self, info: &SearchInfo) {
        self.time.update(info);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_seen_alike_every_time_and_by_its_own_values() {
        let mut analyst =
            Analyst::new(&EngineSpec { hash_megabytes: 1, ..Default::default() }, Some(500), None).unwrap();
        let game = Game::new(Position::from_fen("6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1").unwrap());
        let first = analyst.analyse(&game, &|| false).unwrap();
        assert_eq!(first.line, ["a1a8"]);
        assert_eq!(first.value().mate_moves(), Some(1));
        assert_eq!(first.moves.len(), game.position().legal_moves().len());
        let sum: f32 = first.moves.iter().map(|opinion| opinion.probability).sum();
        assert!((sum - 1.0).abs() < 1e-4 && first.moves.is_sorted_by(|a, b| a.probability >= b.probability));
        // The mate on the board is the value of the move that gives it.
        let mate = first.moves.iter().find(|opinion| opinion.uci == "a1a8").unwrap();
        assert_eq!(mate.value, 1.0);
        analyst.analyse(&Game::new(Position::start()), &|| false).unwrap();
        assert_eq!(analyst.analyse(&game, &|| false).unwrap(), first);
        let text = serde_json::to_string(&first).unwrap();
        assert_eq!(serde_json::from_str::<PositionAnalysis>(&text).unwrap(), first);
        assert_eq!(analyst.analyse(&game, &|| true), None);
    }
}

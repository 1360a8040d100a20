//! The analysis of a position by an engine: the values of its best moves after the last complete iteration, and the best
//! move of every iteration.
//!
//! An iteration is complete when every MultiPV line has a value of its depth. Only complete iterations count, so that all
//! values have the same depth and nothing depends on how often the engine prints, which Stockfish decides by the clock.

use board::{Game, Position};
use player::{Bound, Fault, InfoLine, MoveLimits, Score};
use serde::{Deserialize, Serialize};
use support::pool::Stop;

/// A move's value, for the side to move.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MoveValue {
    /// The move in UCI.
    pub uci: String,
    /// Centipawns; `None` if the value is a mate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cp: Option<i32>,
    /// Moves to mate; negative if the side to move is mated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mate: Option<i32>,
}

/// A complete iteration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Iteration {
    /// Its depth.
    pub depth: u32,
    /// Nodes at its end.
    pub nodes: u64,
    /// Its best move in UCI.
    pub best: String,
}

/// What is kept of a search. The names are part of the file format of saved analyses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Analysis {
    /// The engine's move, in UCI.
    pub best: String,
    /// All nodes of the search.
    pub nodes: u64,
    /// The best moves of the last complete iteration, best first.
    pub lines: Vec<MoveValue>,
    /// All complete iterations, in order.
    pub iterations: Vec<Iteration>,
}

impl Analysis {
    /// Was the engine's move the best one of the last complete iteration, and during the whole second half of the nodes?
    pub fn is_stable(&self) -> bool {
        let half = self.nodes / 2;
        // The iteration that counts at half of the nodes is the last one that ended before.
        let before = self.iterations.iter().rposition(|iteration| iteration.nodes < half).unwrap_or(0);
        let last_half = &self.iterations[before.min(self.iterations.len())..];
        !last_half.is_empty() && last_half.iter().all(|iteration| iteration.best == self.best)
    }

    /// The depth of the last complete iteration.
    pub fn depth(&self) -> u32 {
        self.iterations.last().map_or(0, |iteration| iteration.depth)
    }
}

/// Analyzes positions. An analysis must not depend on earlier ones.
pub trait Analyzer: Send {
    /// Searches a position that has a legal move with `nodes` nodes, unless `stop` becomes true.
    ///
    /// # Errors
    /// What the engine did wrong, or [`Fault::Stopped`]; the analyzer must then be replaced.
    fn analyze(&mut self, position: &Position, nodes: u64, stop: &Stop) -> Result<Analysis, Fault>;
}

/// Makes analyzers: one per thread, and a new one after each fault.
pub type AnalyzerFactory<'a> = dyn Fn() -> Result<Box<dyn Analyzer>, Fault> + Sync + 'a;

/// Collects the `info` lines of one search.
pub struct Recorder<'a> {
    position: &'a Position,
    nodes: u64,
    /// `(rank)`: depth and value in the last `info` line of each MultiPV line.
    slots: Vec<Option<(u32, MoveValue)>>,
    lines: Vec<MoveValue>,
    iterations: Vec<Iteration>,
}

impl<'a> Recorder<'a> {
    /// For a search with MultiPV `multipv`.
    pub fn new(position: &'a Position, multipv: usize) -> Self {
        let slots = vec![None; multipv.min(position.legal_moves().len())];
        Self { position, nodes: 0, slots, lines: Vec::new(), iterations: Vec::new() }
    }

    /// Adds an `info` line.
    pub fn observe(&mut self, info: &InfoLine) {
        self.nodes = self.nodes.max(info.nodes.unwrap_or(0));
        let (Some(depth), Some(score), Some(&mv)) = (info.depth, info.score, info.pv.first()) else { return };
        let Some(index) = (info.multipv.unwrap_or(1) as usize).checked_sub(1) else { return };
        if info.bound != Bound::Exact || index >= self.slots.len() {
            return;
        }
        let (cp, mate) = match score {
            Score::Centipawns(cp) => (Some(cp), None),
            Score::Mate(mate) => (None, Some(mate)),
        };
        self.slots[index] = Some((depth, MoveValue { uci: self.position.uci(mv, false), cp, mate }));
        if index + 1 == self.slots.len() {
            self.complete(depth);
        }
    }

    /// Stores the iteration if all MultiPV lines have its depth and their moves are distinct.
    fn complete(&mut self, depth: u32) {
        let known: Vec<MoveValue> =
            self.slots.iter().flatten().filter(|slot| slot.0 == depth).map(|slot| slot.1.clone()).collect();
        let repeated = known.iter().enumerate().any(|(index, line)| known[..index].iter().any(|l| l.uci == line.uci));
        let newer = self.iterations.last().is_none_or(|last| last.depth < depth);
        if newer && known.len() == self.slots.len() && !repeated {
            self.iterations.push(Iteration { depth, nodes: self.nodes, best: known[0].uci.clone() });
            self.lines = known;
        }
    }

    /// The analysis, given the engine's move.
    pub fn finish(self, best: board::Move) -> Analysis {
        let Self { position, nodes, lines, iterations, .. } = self;
        Analysis { best: position.uci(best, false), nodes, lines, iterations }
    }
}

/// A UCI engine whose option MultiPV is set.
pub struct UciAnalyzer {
    /// The engine.
    pub engine: player::UciEngine,
    /// Its MultiPV.
    pub multipv: usize,
}

impl Analyzer for UciAnalyzer {
    fn analyze(&mut self, position: &Position, nodes: u64, stop: &Stop) -> Result<Analysis, Fault> {
        use player::Player;
        self.engine.new_game(false)?;
        let mut recorder = Recorder::new(position, self.multipv);
        let limits = MoveLimits { nodes: Some(nodes), ..MoveLimits::default() };
        let reply =
            self.engine.go_observed(&Game::new(position.clone()), &limits, stop, &mut |info| recorder.observe(info))?;
        Ok(recorder.finish(reply.best))
    }
}

//! What an engine says of a position: its best moves with their values after the last complete iteration, and how the
//! best move developed.
//!
//! Only complete iterations count, those that gave a value of the same depth to every line: all moves are then compared
//! on the same terms, and nothing depends on the clock, by which Stockfish decides how often it reports in between.

use board::{Game, Position};
use player::{Bound, Fault, InfoLine, MoveLimits, Score};
use serde::{Deserialize, Serialize};

/// A move's value, for the side to move.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// The move in UCI.
    pub uci: String,
    /// Centipawns; `None` where a mate is seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cp: Option<i32>,
    /// Moves to mate, negative if mated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mate: Option<i32>,
}

/// A complete iteration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Iteration {
    /// Its depth.
    pub depth: u32,
    /// Nodes when it ended.
    pub nodes: u64,
    /// Its best move in UCI.
    pub best: String,
}

/// All that is kept of a search.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Analysis {
    /// The move that the engine played, in UCI.
    pub best: String,
    /// Nodes in all.
    pub nodes: u64,
    /// The lines of the last complete iteration, best first.
    pub lines: Vec<Line>,
    /// All complete iterations, in order.
    pub iterations: Vec<Iteration>,
}

impl Analysis {
    /// Was the played move the best one of the last complete iteration, and at every moment of the last half of the
    /// nodes?
    pub fn is_stable(&self) -> bool {
        let half = self.nodes / 2;
        // What held at the half is the last iteration that ended before it.
        let before = self.iterations.iter().rposition(|iteration| iteration.nodes < half).unwrap_or(0);
        let last_half = &self.iterations[before.min(self.iterations.len())..];
        !last_half.is_empty() && last_half.iter().all(|iteration| iteration.best == self.best)
    }

    /// The depth of the last complete iteration.
    pub fn depth(&self) -> u32 {
        self.iterations.last().map_or(0, |iteration| iteration.depth)
    }
}

/// Analyses positions, each as if it were the first.
pub trait Analyser: Send {
    /// Spends `nodes` on a position that has a legal move.
    ///
    /// # Errors
    /// What the engine did wrong; another analyser is then made.
    fn analyse(&mut self, position: &Position, nodes: u64) -> Result<Analysis, Fault>;
}

/// Makes analysers, one for each thread and as often as one breaks.
pub type AnalyserMaker<'a> = dyn Fn() -> Result<Box<dyn Analyser>, Fault> + Sync + 'a;

/// Puts an engine's reports together.
pub struct Recorder<'a> {
    position: &'a Position,
    nodes: u64,
    // (line): depth and value, of the last report
    slots: Vec<Option<(u32, Line)>>,
    lines: Vec<Line>,
    iterations: Vec<Iteration>,
}

impl<'a> Recorder<'a> {
    /// For an engine that values the best `multipv` moves of a position, or all if there are fewer.
    pub fn new(position: &'a Position, multipv: usize) -> Self {
        let slots = vec![None; multipv.min(position.legal_moves().len())];
        Self { position, nodes: 0, slots, lines: Vec::new(), iterations: Vec::new() }
    }

    /// Takes note of a report.
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
        self.slots[index] = Some((depth, Line { uci: self.position.uci(mv, false), cp, mate }));
        if index + 1 == self.slots.len() {
            self.complete(depth);
        }
    }

    /// Keeps an iteration if all lines have its depth and no two the same move.
    fn complete(&mut self, depth: u32) {
        let known: Vec<Line> =
            self.slots.iter().flatten().filter(|slot| slot.0 == depth).map(|slot| slot.1.clone()).collect();
        let repeated = known.iter().enumerate().any(|(index, line)| known[..index].iter().any(|l| l.uci == line.uci));
        let newer = self.iterations.last().is_none_or(|last| last.depth < depth);
        if newer && known.len() == self.slots.len() && !repeated {
            self.iterations.push(Iteration { depth, nodes: self.nodes, best: known[0].uci.clone() });
            self.lines = known;
        }
    }

    /// The whole, with the move that was played.
    pub fn finish(self, best: board::Move) -> Analysis {
        let Self { position, nodes, lines, iterations, .. } = self;
        Analysis { best: position.uci(best, false), nodes, lines, iterations }
    }
}

/// An engine behind UCI, already told how many lines to value.
pub struct UciAnalyser {
    /// The engine.
    pub engine: player::UciEngine,
    /// How many best moves it values.
    pub multipv: usize,
}

impl Analyser for UciAnalyser {
    fn analyse(&mut self, position: &Position, nodes: u64) -> Result<Analysis, Fault> {
        use player::Player;
        self.engine.new_game(false)?;
        let mut recorder = Recorder::new(position, self.multipv);
        let limits = MoveLimits { nodes: Some(nodes), ..MoveLimits::default() };
        let reply =
            self.engine.go_observed(&Game::new(position.clone()), &limits, &mut |info| recorder.observe(info))?;
        Ok(recorder.finish(reply.best))
    }
}

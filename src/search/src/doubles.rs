//! What tests put in the place of a handler and of endgame tables.

use crate::handler::{Handler, MoveStatistics, SearchInfo, Stop};
use crate::tablebase::{TableResult, Tablebase};
use crate::value::Value;
use crate::wdl::Wdl;
use board::{Move, Piece, Position, Square};

/// Writes down what it is told, a line for each call.
#[derive(Default)]
pub struct Recorder {
    pub lines: Vec<String>,
    /// First move, value and chances of every report.
    pub found: Vec<(Move, Value, Option<Wdl>)>,
    /// Does it show all that can be shown?
    pub shows: bool,
    /// The last iteration that it lets begin.
    pub last_iteration: Option<u32>,
    /// Added to all counts of nodes.
    pub before: u64,
}

impl Handler for Recorder {
    fn poll(&mut self, nodes: u64) -> Result<(), Stop> {
        self.lines.push(format!("poll at {}", self.before + nodes));
        Ok(())
    }

    fn next_iteration(&mut self, depth: u32) -> bool {
        self.lines.push(format!("iteration {depth}"));
        self.last_iteration.is_none_or(|last| depth <= last)
    }

    fn shows_hashfull(&self) -> bool {
        self.shows
    }

    fn report(&mut self, info: &SearchInfo) {
        let SearchInfo { depth, multipv, hashfull, .. } = info;
        let nodes = self.before + info.nodes;
        self.lines.push(format!("depth {depth}, line {multipv} at {nodes}, {hashfull} per mille"));
        self.found.push((info.pv[0], info.value, info.wdl));
    }

    fn shows_statistics(&self) -> bool {
        self.shows
    }

    fn statistics(&mut self, moves: &[MoveStatistics]) {
        self.lines.push(format!("statistics of {} moves", moves.len()));
    }

    fn root_move(&mut self, depth: u32, mv: Move, number: usize, nodes: u64) {
        self.lines.push(format!("depth {depth}, move {number} {mv} at {}", self.before + nodes));
    }
}

/// Tables of both kings and a pawn of White's: with it on e4 the side to move has lost, else it is drawn.
pub struct PawnTables;

impl PawnTables {
    /// White wins by e2e4, as these tables see it.
    pub const WON: &str = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
}

impl Tablebase for PawnTables {
    fn max_pieces(&self) -> u32 {
        3
    }

    fn min_depth(&self) -> f32 {
        0.0
    }

    fn probe(&self, position: &Position) -> Option<TableResult> {
        let is_lost = position.pieces(Piece::Pawn).has(Square::E4);
        Some(if is_lost { TableResult::Loss } else { TableResult::Draw })
    }
}

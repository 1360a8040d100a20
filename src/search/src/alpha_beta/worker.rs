//! The state of a search under way on one thread and of its nodes, and what every node does: make and unmake moves,
//! count, evaluate.

use crate::alpha_beta::depth_limited::DepthMemory;
use crate::budget::Budget;
use crate::evaluation_cache::EvaluationCache;
use crate::evaluator::{Evaluator, leaf_value};
use crate::handler::{Handler, Stop};
use crate::move_history::MoveHistory;
use crate::selectivity::Selectivity;
use crate::table::Table;
use crate::tablebase::Tablebase;
use crate::value::{MAX_PLY, Value};
use arrayvec::ArrayVec;
use board::{Game, History, Move, Position};

/// A principal variation: the moves from a node to its leaf.
pub type Pv = ArrayVec<Move, { MAX_PLY + 1 }>;

/// Made moves between two calls of the handler.
const POLL_INTERVAL: u64 = 256;

/// What a thread keeps from one search to the next, allocated once.
pub struct Memory {
    pub(super) moves: Box<MoveHistory>,
    pub(super) evaluations: EvaluationCache,
    /// What the depth-limited search learns; empty unless it is made for one.
    pub(super) depth: DepthMemory,
    /// `(ply)`: the principal variation below each node of the present line that has an open window.
    pub(super) pvs: Vec<Pv>,
    /// The keys of the game's and the line's positions, for repetitions.
    pub(super) positions: History,
}

impl Memory {
    /// Nothing learned yet; see [`MoveHistory::seeded`].
    pub(super) fn seeded(seed: u64, is_depth_limited: bool) -> Self {
        let depth = DepthMemory::seeded(seed, is_depth_limited);
        Self {
            moves: MoveHistory::seeded(seed),
            evaluations: EvaluationCache::new(),
            depth,
            pvs: vec![Pv::new(); MAX_PLY + 2],
            positions: History::default(),
        }
    }

    pub(super) fn next_search(&mut self, game: &Game) {
        self.moves.next_search();
        self.depth.next_search();
        self.positions.clone_from(game.history());
        self.positions.reserve(MAX_PLY + 1);
    }
}

/// The context of a node: its position, and what it inherits from the line that leads to it.
#[derive(Debug, Clone, Copy)]
pub struct Node<'a> {
    pub(super) position: &'a Position,
    pub(super) budget: Budget,
    /// The distance from the root.
    pub(super) ply: usize,
    /// How many more checks may be extended.
    pub(super) check_extensions: u8,
    /// Was the last move a null move?
    pub(super) after_null_move: bool,
}

/// One search under way on one thread.
pub struct Worker<'a, E: Evaluator, P> {
    pub(super) evaluator: &'a E,
    pub(super) policy: &'a P,
    pub(super) selectivity: Selectivity,
    pub(super) state: E::State,
    pub(super) table: &'a Table,
    pub(super) tablebase: Option<&'a dyn Tablebase>,
    pub(super) memory: &'a mut Memory,
    pub(super) handler: &'a mut dyn Handler,
    pub(super) node_limit: u64,
    pub(super) nodes: u64,
    pub(super) evaluations: u64,
    pub(super) seldepth: usize,
    pub(super) iteration: u32,
    /// What tells this search's entries of the table from others'.
    pub(super) salt: u64,
}

impl<E: Evaluator, P> Worker<'_, E, P> {
    /// Makes a move, whose node is [counted](Self::count_node) before.
    #[inline]
    pub(super) fn make(&mut self, position: &Position, mv: Move) -> Position {
        let child = position.play(mv);
        self.table.prefetch(child.key() ^ self.salt);
        self.memory.positions.push(position.key());
        self.evaluator.make(&mut self.state, position, mv, &child);
        child
    }

    /// Unmakes the last move.
    #[inline]
    pub(super) fn unmake(&mut self) {
        self.evaluator.unmake(&mut self.state);
        self.memory.positions.pop();
    }

    #[inline]
    pub(super) fn count_node(&mut self) -> Result<(), Stop> {
        if self.nodes >= self.node_limit {
            return Err(Stop);
        }
        self.nodes += 1;
        if self.nodes.is_multiple_of(POLL_INTERVAL) {
            self.handler.poll(self.nodes)?;
        }
        Ok(())
    }

    /// A node's key in the table.
    #[inline]
    pub(super) fn key(&self, position: &Position) -> u64 {
        position.key() ^ self.salt
    }

    /// The value of a draw by the rules.
    #[inline]
    pub(super) fn draw_value(&self, position: &Position) -> Value {
        self.evaluator.draw_value(&self.state, position)
    }

    /// The static evaluation; its logit is computed unless `known` has it already or this thread evaluated the position lately.
    #[inline]
    pub(super) fn evaluate(&mut self, position: &Position, known: &mut Option<f32>) -> Value {
        let logit = *known.get_or_insert_with(|| {
            let key = position.key() ^ self.salt;
            self.memory.evaluations.get_or_evaluate(key, || {
                self.evaluations += 1;
                self.evaluator.logit(&mut self.state, position)
            })
        });
        leaf_value(logit)
    }

    /// Is it a draw by repetition, by fifty moves without mate, or by insufficient material?
    #[inline]
    pub(super) fn is_drawn(&self, position: &Position) -> bool {
        self.memory.positions.is_repetition(position)
            || position.is_insufficient_material()
            || position.halfmove_clock() >= 100 && (!position.in_check() || position.has_legal_move())
    }

    /// What tables say of a node of this depth or depth equivalent that is not the root, right after a capture or a pawn move.
    #[inline]
    pub(super) fn probe_tablebase(&self, position: &Position, ply: usize, depth: f32) -> Option<Value> {
        let tablebase = self.tablebase?;
        let is_asked = position.occupied().len() <= tablebase.max_pieces()
            && ply > 0
            && position.halfmove_clock() == 0
            && depth >= tablebase.min_depth()
            && !position.has_castling_rights();
        let result = if is_asked { tablebase.probe(position) } else { None };
        result.map(|result| result.value(ply))
    }

    /// The principal variation of a node is a move and then that of the child.
    #[inline]
    pub(super) fn extend_pv(&mut self, ply: usize, mv: Move) {
        let (above, below) = self.memory.pvs.split_at_mut(ply + 1);
        let pv = &mut above[ply];
        pv.clear();
        pv.push(mv);
        pv.extend(below[0].iter().copied().take(MAX_PLY));
    }
}

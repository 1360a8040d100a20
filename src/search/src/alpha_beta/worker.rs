//! The state of a search under way on one thread and of its nodes, and what every node does: make and unmake moves,
//! count, evaluate.

use crate::alpha_beta::depth_limited::DepthMemory;
use crate::budget::Budget;
use crate::evaluation_cache::EvaluationCache;
use crate::evaluator::{Evaluator, leaf_value};
use crate::handler::{Handler, Stop};
use crate::move_history::MoveHistory;
use crate::node_observer::{NodeObserver, SearchedNode};
use crate::selectivity::Selectivity;
use crate::table::Table;
use crate::tablebase::{TableResult, Tablebase};
use crate::value::{MAX_PLY, Value};
use arrayvec::ArrayVec;
use board::{Game, History, Move, Position};

/// A principal variation: the moves from a node to its leaf.
pub type Pv = ArrayVec<Move, { MAX_PLY + 1 }>;

/// Made moves between two calls of the handler.
const POLL_INTERVAL: u64 = 256;

/// What a thread keeps from one search to the next, allocated once.
pub struct Memory {
    pub(crate) moves: Box<MoveHistory>,
    pub(crate) evaluations: EvaluationCache,
    /// What the depth-limited search learns; empty unless it is made for one.
    pub(crate) depth: DepthMemory,
    /// `(ply)`: the principal variation below each node of the present line that has an open window.
    pub(crate) pvs: Vec<Pv>,
    /// The keys of the game's and the line's positions, for repetitions.
    pub(crate) positions: History,
    /// Who sees the nodes of an [observed](Evaluator::OBSERVES) evaluator's searches.
    pub(crate) observer: Option<Box<dyn NodeObserver>>,
}

impl Memory {
    /// Nothing learned yet; see [`MoveHistory::seeded`].
    pub(crate) fn seeded(seed: u64, is_depth_limited: bool) -> Self {
        let depth = DepthMemory::seeded(seed, is_depth_limited);
        Self {
            moves: MoveHistory::seeded(seed),
            evaluations: EvaluationCache::new(),
            depth,
            pvs: vec![Pv::new(); MAX_PLY + 2],
            positions: History::default(),
            observer: None,
        }
    }

    pub(crate) fn next_search(&mut self, game: &Game) {
        self.moves.next_search();
        self.depth.next_search();
        self.positions.clone_from(game.history());
        self.positions.reserve(MAX_PLY + 1);
        if let Some(observer) = &mut self.observer {
            observer.next_search();
        }
    }
}

/// The context of a node: its position, and what it inherits from the line that leads to it.
#[derive(Debug, Clone, Copy)]
pub struct Node<'a> {
    pub(crate) position: &'a Position,
    pub(crate) budget: Budget,
    /// The distance from the root.
    pub(crate) ply: usize,
    /// How many more checks may be extended.
    pub(crate) check_extensions: u8,
    /// Was the last move a null move?
    pub(crate) after_null_move: bool,
}

/// One search under way on one thread.
pub struct Worker<'a, E: Evaluator, P> {
    pub(crate) evaluator: &'a E,
    pub(crate) policy: &'a P,
    pub(crate) selectivity: Selectivity,
    pub(crate) state: E::State,
    pub(crate) table: &'a Table,
    pub(crate) tablebase: Option<&'a dyn Tablebase>,
    pub(crate) memory: &'a mut Memory,
    pub(crate) handler: &'a mut dyn Handler,
    pub(crate) node_limit: u64,
    pub(crate) nodes: u64,
    pub(crate) evaluations: u64,
    pub(crate) seldepth: usize,
    pub(crate) iteration: u32,
    /// What tells this search's entries of the table from others'.
    pub(crate) salt: u64,
}

impl<'a, E: Evaluator, P> Worker<'a, E, P> {
    /// A thread at the root of its search, without endgame tables and without a limit.
    pub(crate) fn new(
        evaluator: &'a E,
        policy: &'a P,
        selectivity: Selectivity,
        root: &Position,
        table: &'a Table,
        memory: &'a mut Memory,
        handler: &'a mut dyn Handler,
    ) -> Self {
        let state = evaluator.root(root);
        let salt = evaluator.key_salt(&state);
        Self {
            evaluator,
            policy,
            selectivity,
            state,
            table,
            tablebase: None,
            memory,
            handler,
            node_limit: u64::MAX,
            nodes: 0,
            evaluations: 0,
            seldepth: 0,
            iteration: 0,
            salt,
        }
    }

    /// Makes a move, whose node is [counted](Self::count_node) before.
    #[inline]
    pub(crate) fn make(&mut self, position: &Position, mv: Move) -> Position {
        let child = position.play(mv);
        self.table.prefetch(child.key() ^ self.salt);
        self.memory.positions.push(position.key());
        self.evaluator.make(&mut self.state, position, mv, &child);
        child
    }

    /// Unmakes the last move.
    #[inline]
    pub(crate) fn unmake(&mut self) {
        self.evaluator.unmake(&mut self.state);
        self.memory.positions.pop();
    }

    #[inline]
    pub(crate) fn count_node(&mut self) -> Result<(), Stop> {
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
    pub(crate) fn key(&self, position: &Position) -> u64 {
        position.key() ^ self.salt
    }

    /// The value of a draw by the rules.
    #[inline]
    pub(crate) fn draw_value(&self, position: &Position) -> Value {
        self.evaluator.draw_value(&self.state, position)
    }

    /// The static evaluation with what the observer adds to it; its logit, without, is computed unless `known` has it already or this thread
    /// evaluated the position lately.
    #[inline]
    pub(crate) fn evaluate(&mut self, position: &Position, known: &mut Option<f32>) -> Value {
        if E::OBSERVES && known.is_none() {
            *known = self.evaluate_with_layer(position);
        }
        let logit = *known.get_or_insert_with(|| {
            let key = position.key() ^ self.salt;
            self.memory.evaluations.get_or_evaluate(key, || {
                self.evaluations += 1;
                self.evaluator.logit(&mut self.state, position)
            })
        });
        leaf_value(self.corrected(position, logit))
    }

    /// The logit of a position whose correction is made of the last layer's inputs: where either is not known yet, one pass has both.
    #[inline]
    fn evaluate_with_layer(&mut self, position: &Position) -> Option<f32> {
        let key = self.key(position);
        let Self { evaluator, state, memory, evaluations, .. } = self;
        let weights = memory.observer.as_mut()?.layer_weights()?;
        if let Some(logit) = memory.evaluations.get(key) {
            return Some(logit);
        }
        *evaluations += 1;
        let (logit, product) = evaluator.logit_and_product(state, position, weights.read());
        memory.evaluations.keep(key, logit);
        weights.keep(key, product);
        Some(logit)
    }

    /// The logit of a static evaluation with what the observer adds to it.
    #[inline]
    pub(crate) fn corrected(&mut self, position: &Position, logit: f32) -> f32 {
        if !E::OBSERVES {
            return logit;
        }
        let key = self.key(position);
        let Self { evaluator, state, memory, evaluations, .. } = self;
        let Some(observer) = &mut memory.observer else { return logit };
        let Some(weights) = observer.layer_weights() else { return logit + observer.correction(position) };
        logit
            + weights.product(key, |read| {
                *evaluations += 1;
                evaluator.logit_and_product(state, position, read).1
            })
    }

    /// Who sees the nodes of this search; nobody unless the evaluator [is observed](Evaluator::OBSERVES).
    #[inline]
    pub(crate) fn observer(&mut self) -> Option<&mut (dyn NodeObserver + 'static)> {
        if E::OBSERVES { self.memory.observer.as_deref_mut() } else { None }
    }

    /// Shows the observer a node whose search has ended; its evaluation, if any is known, is that of the evaluator, without correction.
    #[inline]
    pub(crate) fn observe(&mut self, node: SearchedNode) {
        if E::OBSERVES {
            let known = node.evaluation.filter(|_| !node.position.in_check());
            let evaluation = known.map(|logit| self.corrected(node.position, logit));
            if let Some(observer) = self.observer() {
                observer.observe(&SearchedNode { evaluation, ..node });
            }
        }
    }

    /// Is it a draw by repetition, by fifty moves without mate, or by insufficient material?
    #[inline]
    pub(crate) fn is_drawn(&self, position: &Position) -> bool {
        self.memory.positions.is_repetition(position)
            || position.is_insufficient_material()
            || position.halfmove_clock() >= 100 && (!position.in_check() || position.has_legal_move())
    }

    /// The value of what tables say of a node.
    #[inline]
    pub(crate) fn probe_tablebase(&self, position: &Position, ply: usize, depth: f32) -> Option<Value> {
        self.probe_table_result(position, ply, depth).map(|result| result.value(ply))
    }

    /// What tables say of a node of this depth or depth equivalent that is not the root, right after a capture or a pawn move.
    #[inline]
    pub(crate) fn probe_table_result(&self, position: &Position, ply: usize, depth: f32) -> Option<TableResult> {
        let tablebase = self.tablebase?;
        let is_asked = position.occupied().len() <= tablebase.max_pieces()
            && ply > 0
            && position.halfmove_clock() == 0
            && depth >= tablebase.min_depth()
            && !position.has_castling_rights();
        if is_asked { tablebase.probe(position) } else { None }
    }

    /// The principal variation of a node is a move and then that of the child.
    #[inline]
    pub(crate) fn extend_pv(&mut self, ply: usize, mv: Move) {
        let (above, below) = self.memory.pvs.split_at_mut(ply + 1);
        let pv = &mut above[ply];
        pv.clear();
        pv.push(mv);
        pv.extend(below[0].iter().copied().take(MAX_PLY));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::handler::Silent;
    use crate::policy::StaticPolicy;

    const SALT: u64 = 0x0f0f;

    /// All positions are equal, and its keys are its own.
    struct Salted;

    impl Evaluator for Salted {
        type State = ();

        fn root(&self, _: &Position) {}

        fn key_salt(&self, (): &()) -> u64 {
            SALT
        }

        fn logit(&self, (): &mut (), _: &Position) -> f32 {
            0.25
        }
    }

    /// Tables of up to four pieces, for nodes of at least two plies: all is won.
    struct Won;

    impl Tablebase for Won {
        fn max_pieces(&self) -> u32 {
            4
        }

        fn min_depth(&self) -> f32 {
            2.0
        }

        fn probe(&self, _: &Position) -> Option<TableResult> {
            Some(TableResult::Win)
        }
    }

    fn with_worker<T>(
        position: &Position,
        memory: &mut Memory,
        ask: impl FnOnce(&mut Worker<Salted, StaticPolicy>) -> T,
    ) -> T {
        let table = Table::with_kilobytes(1).expect("a table");
        let mut handler = Silent;
        ask(&mut Worker::new(&Salted, &StaticPolicy, Selectivity::NONE, position, &table, memory, &mut handler))
    }

    #[test]
    fn tables_are_asked_for_deep_nodes_after_a_capture_or_a_pawns_move_with_few_pieces() {
        let mut memory = Memory::seeded(0, false);
        for (fen, ply, depth, is_asked) in [
            ("4k3/8/8/8/8/8/8/Q3K3 w - - 0 1", 1, 2.0, true),
            ("3qk3/8/8/8/8/8/8/Q3K3 w - - 0 1", 7, 9.0, true),
            ("2nqk3/8/8/8/8/8/8/Q3K3 w - - 0 1", 7, 9.0, false),
            ("4k3/8/8/8/8/8/8/Q3K3 w - - 0 1", 0, 2.0, false),
            ("4k3/8/8/8/8/8/8/Q3K3 w - - 1 1", 1, 2.0, false),
            ("4k3/8/8/8/8/8/8/Q3K3 w - - 0 1", 1, 1.9, false),
            ("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", 1, 2.0, false),
        ] {
            let position = Position::from_fen(fen).expect("a position");
            let [asked, not] = with_worker(&position, &mut memory, |worker| {
                let without = worker.probe_tablebase(&position, ply, depth);
                worker.tablebase = Some(&Won);
                [worker.probe_tablebase(&position, ply, depth), without]
            });
            assert_eq!((asked, not), (is_asked.then(|| Value::table_win_at(ply)), None), "{fen} {ply} {depth}");
        }
    }

    #[test]
    fn an_evaluation_is_kept_under_the_evaluators_own_key() {
        let (position, mut memory) = (Position::start(), Memory::seeded(0, false));
        let (key, evaluations) = with_worker(&position, &mut memory, |worker| {
            let value = leaf_value(0.25);
            assert_eq!([None, None, Some(0.25)].map(|mut known| worker.evaluate(&position, &mut known)), [value; 3]);
            assert_eq!(worker.evaluate(&position, &mut Some(0.5)), leaf_value(0.5), "what is known is not asked for");
            (worker.key(&position), worker.evaluations)
        });
        assert_eq!((key, evaluations), (position.key() ^ SALT, 1));
        assert_eq!((memory.evaluations.get(key), memory.evaluations.get(position.key())), (Some(0.25), None));
    }

    #[test]
    fn nodes_are_counted_to_the_limit_and_the_handler_is_asked_every_256() {
        #[derive(Default)]
        struct Asked(Vec<u64>);
        impl Handler for Asked {
            fn poll(&mut self, nodes: u64) -> Result<(), Stop> {
                self.0.push(nodes);
                Ok(())
            }
        }
        let (position, mut memory, mut asked) = (Position::start(), Memory::seeded(0, false), Asked::default());
        let table = Table::with_kilobytes(1).expect("a table");
        let mut worker =
            Worker::new(&Salted, &StaticPolicy, Selectivity::NONE, &position, &table, &mut memory, &mut asked);
        worker.node_limit = 600;
        let counted = (0..1_000).take_while(|_| worker.count_node().is_ok()).count();
        assert_eq!((counted, worker.nodes), (600, 600));
        assert_eq!(asked.0, [256, 512]);
    }

    #[test]
    fn a_line_of_the_greatest_length_is_kept_whole() {
        let (position, mut memory) = (Position::start(), Memory::seeded(0, false));
        let mv = position.parse_uci("e2e4").expect("a legal move");
        with_worker(&position, &mut memory, |worker| {
            (0..=MAX_PLY).rev().for_each(|ply| worker.extend_pv(ply, mv));
        });
        assert_eq!(memory.pvs[0].len(), MAX_PLY + 1);
        assert_eq!(memory.pvs[MAX_PLY - 1].len(), 2);
    }

    #[test]
    fn positions_of_the_game_that_come_again_are_drawn() {
        let mut game = Game::new(Position::start());
        for mv in ["g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1"] {
            game.play(game.position().parse_uci(mv).expect("a legal move"));
        }
        let mut memory = Memory::seeded(0, false);
        memory.next_search(&game);
        let back = game.position().parse_uci("f6g8").expect("a legal move");
        let drawn = with_worker(game.position(), &mut memory, |worker| {
            let third = worker.make(game.position(), back);
            let is_drawn = worker.is_drawn(&third);
            worker.unmake();
            (is_drawn, worker.is_drawn(game.position()))
        });
        assert_eq!(drawn, (true, false));
    }
}

//! The moves of a node in stages: the hash move first, and the others only when it does not cause a cutoff.

use crate::alpha_beta::worker::{Node, Worker};
use crate::evaluator::Evaluator;
use crate::policy::Policy;
use crate::scored_move::{ScoredMove, ScoredMoves, sort, sort_by_prior};
use board::{Move, Piece};

/// The moves of a node that have been generated so far.
pub struct MovePicker {
    moves: ScoredMoves,
    /// Not generated yet are all moves but this hash move, which is alone in `moves`.
    staged: Option<Move>,
}

impl MovePicker {
    /// No moves yet: [`Worker::pick_moves`] begins. Made where it stays, because to return it is to copy it.
    #[inline]
    pub fn new() -> Self {
        Self { moves: ScoredMoves::new(), staged: None }
    }

    /// The moves generated so far, in the order of trial.
    #[inline]
    pub fn generated(&self) -> &[ScoredMove] {
        &self.moves
    }
}

impl<E: Evaluator, P: Policy> Worker<'_, E, P> {
    /// The first stage: the hash move alone where it may be searched before the others are generated, or else all moves.
    #[inline]
    pub(super) fn pick_moves(&mut self, node: &Node, hash: Option<Move>, picker: &mut MovePicker) {
        match (hash, self.selectivity.hash_move) {
            // The key of the table may be another position's, and a single evasion of a check keeps its node's budget.
            (Some(mv), Some(fraction)) if !node.position.in_check() && node.position.is_legal(mv) => {
                let piece = node.position.piece_on(mv.from).unwrap_or(Piece::Pawn);
                picker.moves.push(ScoredMove::hash_move(piece, mv, fraction));
                picker.staged = Some(mv);
            }
            _ => self.generate(node, hash, &mut picker.moves),
        }
    }

    /// The move at this index of the order of trial, from 0; the indices are asked for in turn.
    #[inline]
    pub(super) fn next_move(&mut self, node: &Node, picker: &mut MovePicker, index: usize) -> Option<ScoredMove> {
        if index == 1
            && let Some(hash) = picker.staged.take()
        {
            self.generate(node, Some(hash), &mut picker.moves);
        }
        picker.moves.get(index).copied()
    }

    /// All the moves of a node in the order of trial, with their fractions of the budget.
    fn generate(&mut self, node: &Node, hash: Option<Move>, moves: &mut ScoredMoves) {
        self.memory.moves.list_moves(node.position, hash, node.ply, moves);
        let by_prior = self.policy.is_by_prior(node.budget);
        if !by_prior {
            sort(moves);
        }
        self.policy.allocate(node.position, node.budget, moves);
        // The only move keeps its node's budget.
        if let Some(gain) = self.selectivity.capture_history
            && moves.len() > 1
        {
            self.memory.moves.scale_captures(node.position, gain, moves);
        }
        if by_prior {
            sort_by_prior(moves);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alpha_beta::worker::Memory;
    use crate::budget::Budget;
    use crate::handler::Silent;
    use crate::scored_move::MoveKind;
    use crate::selectivity::Selectivity;
    use crate::table::Table;
    use board::Position;

    /// All positions are equal.
    struct Level;

    impl Evaluator for Level {
        type State = ();

        fn root(&self, _: &Position) {}

        fn logit(&self, (): &mut (), _: &Position) -> f32 {
            0.0
        }
    }

    /// The later in the list, the more probable; by prior from a budget of 4 on.
    struct LaterIsBetter;

    impl Policy for LaterIsBetter {
        fn priors(&self, _: &Position, moves: &mut [ScoredMove]) {
            let sum = (moves.len() * (moves.len() + 1) / 2) as f32;
            for (index, scored) in moves.iter_mut().enumerate() {
                scored.prior = (index + 1) as f32 / sum;
            }
        }

        fn is_by_prior(&self, budget: Budget) -> bool {
            budget >= Budget::new(4.0)
        }
    }

    /// A position with good and losing captures and quiet moves; its hash move is quiet.
    const FEN: &str = "4k3/2p3p1/3p3p/3q4/4P3/2N5/8/R3K2Q w - - 0 1";

    /// All moves that a node of this budget tries, in order, and how many were generated when it tried the first.
    fn picked(budget: f32, selectivity: Selectivity, memory: &mut Memory) -> (Vec<ScoredMove>, usize) {
        let position = Position::from_fen(FEN).expect("a position");
        let table = Table::new(1).expect("a table");
        let mut handler = Silent;
        let mut worker = Worker::new(&Level, &LaterIsBetter, selectivity, &position, &table, memory, &mut handler);
        let budget = Budget::new(budget);
        let node = Node { position: &position, budget, ply: 1, check_extensions: 0, after_null_move: false };
        let mut picker = MovePicker::new();
        worker.pick_moves(&node, position.parse_uci("h1g1").ok(), &mut picker);
        let generated = picker.generated().len();
        let moves = (0..).map_while(|index| worker.next_move(&node, &mut picker, index)).collect();
        (moves, generated)
    }

    #[test]
    fn moves_are_tried_by_kind_at_small_budgets_and_by_prior_above() {
        let (by_kind, _) = picked(3.9, Selectivity::NONE, &mut Memory::seeded(0, false));
        assert!(by_kind.is_sorted_by_key(|scored| scored.kind));
        assert!(by_kind.is_sorted_by(|a, b| a.prior < b.prior), "the policy got the moves in the order of trial");
        for kind in
            [MoveKind::Hash, MoveKind::GoodCapture, MoveKind::Quiet, MoveKind::LosingCapture, MoveKind::LosingQuiet]
        {
            assert!(by_kind.iter().any(|scored| scored.kind == kind), "{kind:?}");
        }
        let (by_prior, _) = picked(4.0, Selectivity::NONE, &mut Memory::seeded(0, false));
        assert_eq!(by_prior[0].kind, MoveKind::Hash);
        assert!(by_prior[1..].is_sorted_by(|a, b| a.prior > b.prior));
        assert!(!by_prior.is_sorted_by_key(|scored| scored.kind));
    }

    #[test]
    fn a_staged_hash_move_comes_alone_and_no_move_is_missing_or_tried_twice() {
        let selectivity = Selectivity { hash_move: Some(0.5), ..Selectivity::NONE };
        for budget in [1.0, 4.0] {
            let (moves, generated) = picked(budget, selectivity, &mut Memory::seeded(0, false));
            assert_eq!((generated, moves[0].kind, moves[0].fraction), (1, MoveKind::Hash, 0.5));
            let legal = Position::from_fen(FEN).expect("a position").legal_moves();
            assert_eq!(moves.len(), legal.len());
            for mv in legal {
                assert!(moves.iter().any(|scored| scored.mv == mv), "{mv}");
            }
        }
    }

    #[test]
    fn capture_history_changes_the_order_by_prior() {
        let position = Position::from_fen(FEN).expect("a position");
        let selectivity = Selectivity { capture_history: Some(5.0), ..Selectivity::NONE };
        let mut memory = Memory::seeded(0, false);
        let before = picked(4.0, selectivity, &mut memory).0;
        let capture = position.parse_uci("c3d5").expect("a legal move");
        assert_ne!(before[1].mv, capture);
        for _ in 0..10_000 {
            memory.moves.add_capture_cutoff(&position, capture, &[], u8::MAX);
        }
        let after = picked(4.0, selectivity, &mut memory).0;
        assert_eq!(after[1].mv, capture);
        assert!(after[1..].is_sorted_by(|a, b| a.prior > b.prior));
    }
}

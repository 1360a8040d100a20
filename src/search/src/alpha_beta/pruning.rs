//! Pruning of whole nodes with a null window, by their static evaluation: reverse futility and null move pruning.
//!
//! Their parameters, and sources, are those of [`Selectivity`](crate::selectivity::Selectivity).

use crate::alpha_beta::worker::{Node, Worker};
use crate::evaluator::Evaluator;
use crate::handler::Stop;
use crate::policy::Policy;
use crate::value::Value;
use crate::window::Window;
use board::{Piece, Position};

impl<E: Evaluator, P: Policy> Worker<'_, E, P> {
    /// A value at or above beta if the node, which is not in check, can be pruned. `evaluation` is the static evaluation if it
    /// is known, and afterwards if it was computed.
    pub(super) fn prune(
        &mut self,
        node: &Node,
        window: Window,
        evaluation: &mut Option<f32>,
    ) -> Result<Option<Value>, Stop> {
        // CITE: Reverse futility pruning
        if let Some(pruning) = self.selectivity.reverse_futility
            && node.budget.depth_equivalent() <= pruning.max_depth
            && !window.beta.is_mate()
        {
            let value = self.evaluate(node.position, evaluation);
            if window.fails_high(value.offset(-pruning.margin * (1.0 + node.budget.depth_equivalent()))) {
                return Ok(Some(value));
            }
        }
        // CITE: Null move pruning
        let Some(fraction) = self.selectivity.null_move else { return Ok(None) };
        if node.after_null_move
            || !has_piece(node.position)
            || !window.fails_high(self.evaluate(node.position, evaluation))
        {
            return Ok(None);
        }
        self.prune_by_null_move(node, fraction, window)
    }

    /// If even a null move keeps the value at beta, some move surely does, except in zugzwang: so a search of the node itself
    /// with the same small budget must confirm it.
    fn prune_by_null_move(&mut self, node: &Node, fraction: f32, window: Window) -> Result<Option<Value>, Stop> {
        let Some(position) = node.position.null_move() else { return Ok(None) };
        self.count_node()?;
        let undo = self.memory.positions.push_null_move(node.position.key());
        self.evaluator.make_null(&mut self.state, &position);
        let budget = node.budget.fraction(fraction);
        let child = Node { position: &position, budget, ply: node.ply + 1, after_null_move: true, ..*node };
        let value = -self.search::<false>(&child, window.below_beta().negated())?;
        self.evaluator.unmake(&mut self.state);
        self.memory.positions.pop_null_move(undo);
        if !window.fails_high(value) {
            return Ok(None);
        }
        // Without another null move.
        let verified = self.search::<false>(&Node { budget, after_null_move: true, ..*node }, window.below_beta())?;
        Ok(window.fails_high(verified).then_some(verified))
    }
}

/// With pawns and king alone, zugzwang is too likely.
#[inline]
pub(super) fn has_piece(position: &Position) -> bool {
    let pawns_and_kings = position.pieces(Piece::Pawn) | position.pieces(Piece::King);
    !(position.colors(position.side_to_move()) - pawns_and_kings).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alpha_beta::worker::Memory;
    use crate::budget::Budget;
    use crate::handler::Silent;
    use crate::policy::StaticPolicy;
    use crate::selectivity::Selectivity;
    use crate::table::Table;

    /// All positions are equal.
    struct Level;

    impl Evaluator for Level {
        type State = ();

        fn root(&self, _: &Position) {}

        fn logit(&self, (): &mut (), _: &Position) -> f32 {
            0.0
        }
    }

    /// What pruning makes of a level node of four plies with this beta, without null moves.
    fn pruned(beta: Value) -> Option<Value> {
        let position = Position::start();
        let selectivity = Selectivity { null_move: None, ..Selectivity::full() };
        let table = Table::new(1).expect("a table");
        let mut memory = Memory::seeded(0, false);
        let mut handler = Silent;
        let mut worker = Worker::new(&Level, &StaticPolicy, selectivity, &position, &table, &mut memory, &mut handler);
        let budget = Budget::new(4.0);
        let node = Node { position: &position, budget, ply: 1, check_extensions: 0, after_null_move: false };
        worker.prune(&node, Window::below(beta), &mut None).expect("nothing stops it")
    }

    #[test]
    fn a_node_is_pruned_only_where_its_value_is_a_margin_above_beta() {
        let pruning = Selectivity::full().reverse_futility.expect("it is on");
        let margin = pruning.margin * (1.0 + Budget::new(4.0).depth_equivalent());
        assert!(pruning.margin > 0.0 && Budget::new(4.0).depth_equivalent() <= pruning.max_depth);
        assert_eq!(pruned(Value::DRAW.offset(-0.9 * margin)), None);
        assert_eq!(pruned(Value::DRAW.offset(-1.1 * margin)), Some(Value::DRAW));
        // Whether a side is mated sooner or later no evaluation tells.
        assert_eq!(pruned(Value::mated_at(4)), None);
        assert_eq!(pruned(Value::mates_at(4)), None);
    }

    /// What a null move makes of a level node with this beta, and the nodes that it took.
    fn pruned_by_null_move(fen: &str, beta: Value, after_null_move: bool) -> (Option<Value>, u64) {
        let position = Position::from_fen(fen).expect("a position");
        let selectivity = Selectivity::basic();
        let table = Table::new(1).expect("a table");
        let mut memory = Memory::seeded(0, false);
        let mut handler = Silent;
        let mut worker = Worker::new(&Level, &StaticPolicy, selectivity, &position, &table, &mut memory, &mut handler);
        let node =
            Node { position: &position, budget: Budget::new(64.0), ply: 1, check_extensions: 0, after_null_move };
        let found = worker.prune(&node, Window::below(beta), &mut None).expect("nothing stops it");
        (found, worker.nodes)
    }

    #[test]
    fn a_null_move_is_tried_once_at_or_above_beta_and_only_with_a_piece() {
        let (start, level) = ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", Value::DRAW);
        assert_eq!(pruned_by_null_move(start, level, false), (Some(level), 1));
        assert_eq!(pruned_by_null_move(start, level, true), (None, 0));
        assert_eq!(pruned_by_null_move(start, level.next_up(), false), (None, 0));
        // White has pawns and king alone.
        let pawns = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/4K3 w kq - 0 1";
        assert_eq!(pruned_by_null_move(pawns, level, false), (None, 0));
        assert!(!has_piece(&Position::from_fen(pawns).expect("a position")));
        assert!(has_piece(&Position::from_fen("4k3/8/8/8/8/8/8/N3K3 w - - 0 1").expect("a position")));
    }
}

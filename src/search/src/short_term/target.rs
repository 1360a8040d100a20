//! What a searched node says of the evaluation that it should have had.

use crate::node_observer::SearchedNode;
use crate::scored_move::is_quiet;
use crate::value::{Bound, Value};

/// The greatest error that is learned, in logits.
const LARGEST_ERROR: f32 = 0.5;
/// The level from which on a node teaches with full weight.
const FULL_LEVEL: f32 = 6.0;

/// By how many logits the search of a node found it better than its evaluation, to which what was learned since adds `change`: at most half
/// a logit; and the weight, in [0, 1], of this lesson, which grows with the level. A bound says nothing where the evaluation keeps it. `None`
/// for nodes that say nothing of quiet evaluations: not evaluated, in check, with a capture or promotion as best move, or decided by a mate
/// or by tables.
pub fn lesson(node: &SearchedNode, change: f32) -> Option<(f32, f32)> {
    let evaluation = node.evaluation? + change;
    let is_forcing = node.best.is_some_and(|mv| !is_quiet(node.position, mv));
    if node.position.in_check() || is_forcing || node.value.is_mate() || node.value.is_table_win() {
        return None;
    }
    let value = logit(node.value);
    let error = match node.bound {
        Bound::Exact => value - evaluation,
        Bound::Lower => (value - evaluation).max(0.0),
        Bound::Upper => (value - evaluation).min(0.0),
    };
    Some((error.clamp(-LARGEST_ERROR, LARGEST_ERROR), (node.level / FULL_LEVEL).clamp(0.0, 1.0)))
}

/// The logit of a value that is no mate: the inverse of tanh, as far as values of f32 tell logits apart.
pub fn logit(value: Value) -> f32 {
    const LARGEST: f32 = 0.999;
    libm::atanhf(value.to_f32().clamp(-LARGEST, LARGEST))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluator::leaf_value;
    use board::{Move, Position, Square};

    #[test]
    fn logits_come_back() {
        for wanted in [-3.0, -0.7, 0.0, 0.01, 1.3, 3.5] {
            let found = logit(leaf_value(wanted));
            assert!((found - wanted).abs() < 1e-3, "{found} for {wanted}");
        }
        assert!(logit(Value::from_evaluation(1.0)).is_finite());
    }

    #[test]
    fn bounds_teach_only_where_the_evaluation_breaks_them() {
        let position = Position::start();
        let lesson = |bound, found: f32, evaluation, level| {
            let (ply, best) = (3, None);
            let node = SearchedNode {
                position: &position,
                value: leaf_value(found),
                bound,
                level,
                ply,
                best,
                evaluation: Some(evaluation),
            };
            super::lesson(&node, 0.0).expect("a quiet node")
        };
        let near = |(error, weight): (f32, f32), wanted: (f32, f32)| {
            assert!((error - wanted.0).abs() < 1e-3 && (weight - wanted.1).abs() < 1e-6, "{error} {weight}");
        };
        near(lesson(Bound::Exact, 0.3, 0.1, 3.0), (0.2, 0.5));
        near(lesson(Bound::Lower, 0.3, 0.1, 3.0), (0.2, 0.5));
        near(lesson(Bound::Upper, 0.3, 0.1, 3.0), (0.0, 0.5));
        near(lesson(Bound::Lower, 0.1, 0.3, 12.0), (0.0, 1.0));
        near(lesson(Bound::Upper, 0.1, 0.3, 12.0), (-0.2, 1.0));
        near(lesson(Bound::Exact, 2.0, 0.1, 0.0), (0.5, 0.0));
        let (value, bound, level, ply) = (leaf_value(0.3), Bound::Exact, 6.0, 3);
        let node = SearchedNode { position: &position, value, bound, level, ply, best: None, evaluation: Some(0.1) };
        near(super::lesson(&node, 0.05).expect("a quiet node"), (0.15, 1.0));
        assert_eq!(super::lesson(&SearchedNode { evaluation: None, ..node }, 0.05), None);
    }

    #[test]
    fn forcing_positions_and_mates_teach_nothing() {
        let node = |fen: &str, best, value| {
            let position = Position::from_fen(fen).unwrap();
            let node = SearchedNode {
                position: &position,
                value,
                bound: Bound::Exact,
                level: 6.0,
                ply: 1,
                best,
                evaluation: Some(0.0),
            };
            lesson(&node, 0.0).is_some()
        };
        let mv = |from, to| Some(Move { from, to, promotion: None });
        let quiet = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1";
        assert!(node(quiet, mv(Square::E4, Square::E5), leaf_value(0.2)));
        assert!(!node(quiet, mv(Square::E4, Square::D5), leaf_value(0.2)));
        assert!(!node(quiet, None, Value::mates_at(5)));
        assert!(!node(quiet, None, Value::table_win_at(5)));
        assert!(!node("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1", None, leaf_value(0.2)));
    }
}

//! Targets from a search's own values, without any later search: its root is to have the value that it found there (RootStrap), and so
//! is every node of its tree (TreeStrap), where it is known; where a bound is known, a value inside the bound is as it should be.
//!
//! ```text
//! error = target - V(node)     exact, or above an upper bound, or below a lower bound
//! error = 0                    inside a bound
//! ```
//! What is below the least depth, quiescence in particular, is not learned from. The paper sums the errors of all nodes of a search;
//! here a sample of them and the searches of many games make a batch.
//!
//! CITE: Veness, Silver, Uther and Blair 2009, Bootstrapping from Game Tree Search (NIPS): RootStrap(minimax), TreeStrap(alpha-beta).

use crate::data::episode::Episode;
use crate::data::example::Example;
use crate::data::game_position::is_quiet;
use crate::data::tree_nodes::TreeNode;
use crate::tasks::values::values_options::Positions;
use search::Bound;

/// The roots of the first `searches` searches of an episode with their values; of all, or of those that are out of check and whose best
/// moves are quiet.
pub fn of_roots(episode: &Episode, searches: usize, positions: Positions) -> Vec<Example> {
    let (mut position, mut examples) = (episode.start.clone(), Vec::new());
    let first = position.side_to_move();
    for (step, mv) in episode.steps.iter().zip(&episode.moves).take(searches) {
        let target = if position.side_to_move() == first { step.value } else { -step.value };
        let next = position.play(*mv);
        if positions == Positions::All || is_quiet(&position, *mv) {
            examples.push(Example::new(position, target).of_bound(Bound::Exact).with_features());
        }
        position = next;
    }
    examples
}

/// The nodes of a tree with their values.
pub fn of_tree(nodes: &[TreeNode]) -> impl Iterator<Item = Example> {
    nodes.iter().map(|TreeNode { position, target, bound, evaluation }| {
        let example = Example::new(position.clone(), *target).of_bound(*bound).with_features();
        match evaluation {
            Some(value) => example.compared_with(*value),
            None => example,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::episode::Step;
    use board::{Move, Position, Square};

    /// 1. e4 d5 2. exd5 with values for White, and a node of each search.
    fn episode() -> Episode {
        let start = Position::start();
        let (mut at, mut moves, mut trees) = (start.clone(), Vec::new(), Vec::new());
        for (text, target, bound, evaluation) in [
            ("e2e4", 0.25, Bound::Exact, Some(0.5)),
            ("d7d5", -0.25, Bound::Lower, Some(-0.5)),
            ("e4d5", 0.75, Bound::Upper, None),
        ] {
            let mv = at.parse_uci(text).unwrap();
            at = at.play(mv);
            moves.push(mv);
            trees.push(vec![TreeNode { position: at.clone(), target, bound, evaluation }]);
        }
        let step = |value| Step { value, leaf: None, predicted: false };
        Episode { start, moves, steps: [0.1, 0.2, -1.0].map(step).into(), trees, end: Some(at), nodes: 3 }
    }

    /// The same with colors exchanged.
    fn mirrored(episode: &Episode) -> Episode {
        let turned = |square: Square| square.flip_rank();
        let node = |node: &TreeNode| TreeNode { position: node.position.mirror(), ..node.clone() };
        Episode {
            start: episode.start.mirror(),
            moves: episode.moves.iter().map(|mv| Move { from: turned(mv.from), to: turned(mv.to), ..*mv }).collect(),
            trees: episode.trees.iter().map(|tree| tree.iter().map(node).collect()).collect(),
            end: episode.end.as_ref().map(Position::mirror),
            ..episode.clone()
        }
    }

    fn roots(episode: &Episode, searches: usize, positions: Positions) -> Vec<(Position, f32)> {
        let examples = of_roots(episode, searches, positions);
        assert!(examples.iter().all(|example| example.bound == Some(Bound::Exact) && example.value.is_none()));
        examples.into_iter().map(|example| (example.position, example.target)).collect()
    }

    #[test]
    fn a_root_has_the_value_of_its_search_for_its_own_side() {
        let episode = episode();
        let [first, second, third] = [0, 1, 2]
            .map(|turn| episode.moves[..turn].iter().fold(episode.start.clone(), |position, mv| position.play(*mv)));
        let quiet = [(first, 0.1), (second, -0.2)];
        assert_eq!(roots(&episode, 9, Positions::Quiet), quiet);
        assert_eq!(roots(&episode, 9, Positions::All), [&quiet[..], &[(third, -1.0)]].concat());
        assert_eq!(roots(&episode, 1, Positions::All), quiet[..1]);
    }

    #[test]
    fn only_nodes_outside_their_bounds_differ_from_their_targets() {
        // Of the net's present value, 1 and -1, only the last node takes account.
        let error = |example: &Example, present: f32| example.target - example.compared(present);
        let errors = |present| -> Vec<f32> {
            episode().trees.iter().flat_map(|tree| of_tree(tree)).map(|example| error(&example, present)).collect()
        };
        // Exactly 0.25 instead of 0.5; at least -0.25 instead of -0.5; at most 0.75.
        assert_eq!(errors(1.0), [-0.25, 0.25, -0.25]);
        assert_eq!(errors(-1.0), [-0.25, 0.25, 0.0]);
    }

    #[test]
    fn with_colors_exchanged_the_same_is_learned() {
        let (one, other) = (episode(), mirrored(&episode()));
        // Their moves have other numbers: a number belongs to the color that begins.
        let mirrors = |one: &Position, other: &Position| one.mirror().key() == other.key();
        let found = [&one, &other].map(|episode| roots(episode, 9, Positions::All));
        for ((one, target), (other, mirrored)) in found[0].iter().zip(&found[1]) {
            assert!(mirrors(one, other));
            assert_eq!(target, mirrored);
        }
        let nodes =
            |episode: &Episode| -> Vec<Example> { episode.trees.iter().flat_map(|tree| of_tree(tree)).collect() };
        for (one, other) in nodes(&one).iter().zip(nodes(&other)) {
            assert!(mirrors(&one.position, &other.position));
            assert_eq!((one.target, one.bound, one.value), (other.target, other.bound, other.value));
        }
    }
}

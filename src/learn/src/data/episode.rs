//! Episodes: games or rollouts with the values of their positions, from which targets are computed, wherever they come from.

use crate::data::example::Example;
use crate::data::tree_nodes::TreeNode;
use board::{Move, Position};
use std::time::Duration;

/// A game or a part of one.
#[derive(Debug, Clone, PartialEq)]
pub struct Episode {
    /// The first position with a value.
    pub start: Position,
    /// The moves played from there.
    pub moves: Vec<Move>,
    /// One for each position that was searched, and one for the end of the game if it has ended.
    pub steps: Vec<Step>,
    /// `(search)`: nodes of its tree; no search at all if they are not learned from.
    pub trees: Vec<Vec<TreeNode>>,
    /// Where it stopped; `None` if the game has ended.
    pub end: Option<Position>,
    /// Nodes searched.
    pub nodes: u64,
}

/// A position of an episode or of a played game with its search. All values of a game are in the view of one side: the one
/// that moved first in an episode, the learner in a played game.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The value, [-1, 1]; a mate is +-1, a draw 0.
    pub value: f32,
    /// The leaf whose evaluation this is; `None` where the value is no evaluation but the end of a line or of the game.
    pub leaf: Option<Leaf>,
    /// Whether the search's move was played and the reply to it was the one that the search predicted.
    pub predicted: bool,
}

/// The leaf of a principal variation.
#[derive(Debug, Clone, PartialEq)]
pub struct Leaf {
    /// The position.
    pub position: Position,
    /// +1 if the side to move there is the one whose values these are, else -1: value = sign * V(leaf).
    pub sign: f32,
}

impl Step {
    /// The leaf with the target that belongs to this value.
    pub fn example(&self, target: f32) -> Option<Example> {
        let Leaf { position, sign } = self.leaf.as_ref()?;
        Some(Example::new(position.clone(), sign * target))
    }
}

impl Episode {
    /// The value of the last step, the game's result if it has ended.
    pub fn last_value(&self) -> f32 {
        self.steps.last().map_or(0.0, |last| last.value)
    }
}

/// What makes episodes: self-play, played games, files.
pub trait Producer {
    /// The episodes of this iteration, from 1, in an order that does not depend on threads; an error is a sentence that
    /// says why one is missing.
    fn produce(&mut self, iteration: u64) -> Production;
}

/// The episodes of an iteration.
#[derive(Debug)]
pub struct Production {
    /// `(episodes)`
    pub episodes: Vec<Result<Episode, String>>,
    /// The time that all threads together spent on them.
    pub busy: Duration,
    /// How many threads that were, of all ranks.
    pub threads: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_that_of_the_leafs_side_and_the_last_value_that_of_the_last_step() {
        let step = |value, sign: Option<f32>| Step {
            value,
            leaf: sign.map(|sign| Leaf { position: Position::start(), sign }),
            predicted: false,
        };
        let target = |step: &Step| step.example(0.5).map(|example| example.target);
        let steps = vec![step(0.25, Some(1.0)), step(0.75, Some(-1.0)), step(-0.25, None)];
        assert_eq!(steps.iter().map(target).collect::<Vec<_>>(), [Some(0.5), Some(-0.5), None]);
        let start = Position::start();
        let episode =
            |steps| Episode { start: start.clone(), moves: vec![], steps, trees: vec![], end: None, nodes: 0 };
        assert_eq!((episode(steps).last_value(), episode(Vec::new()).last_value()), (-0.25, 0.0));
    }
}

//! Episodes: games or rollouts with the values of their positions, from which targets are computed, wherever they come from.

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
    /// Where it stopped; `None` if the game has ended.
    pub end: Option<Position>,
    /// Nodes searched.
    pub nodes: u64,
}

/// A position of an episode.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The value in the view of the side that moved first, [-1, 1]; a mate is +-1, a draw 0.
    pub value: f32,
    /// The leaf whose evaluation this is; `None` where the principal variation or the game itself has ended.
    pub leaf: Option<Leaf>,
    /// Whether the reply to this move was the one that the search predicted.
    pub predicted: bool,
}

/// The leaf of a principal variation.
#[derive(Debug, Clone, PartialEq)]
pub struct Leaf {
    /// The position.
    pub position: Position,
    /// +1 if the side to move there is the one that moved first in the episode, else -1: value = sign * V(leaf).
    pub sign: f32,
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
}

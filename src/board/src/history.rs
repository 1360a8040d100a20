//! The history of a position, for repetitions, and a game as a start position and its moves.

use crate::{Move, Outcome, Position};

/// The keys of the positions before the current one, for draws by repetition.
///
/// A search pushes the parent's key before it makes a move and pops it after. [`History::mark_root`] separates the positions
/// of the game from those of the search tree.
#[derive(Debug, Clone, Default)]
pub struct History {
    keys: Vec<u64>,
    root: usize,
    /// The index of the first position after the last null move: earlier positions cannot be repeated.
    since_null_move: usize,
}

/// A null move that must be undone.
#[derive(Debug)]
#[must_use]
pub struct NullMove {
    since_null_move: usize,
}

impl History {
    /// Reserves memory for `plies` more positions.
    pub fn reserve(&mut self, plies: usize) {
        self.keys.reserve(plies);
    }

    /// Marks the current position as the root: later positions belong to the search tree.
    pub fn mark_root(&mut self) {
        self.root = self.keys.len();
    }

    /// Adds the position that a move is made from.
    #[inline]
    pub fn push(&mut self, key: u64) {
        self.keys.push(key);
    }

    /// Removes the newest position.
    #[inline]
    pub fn pop(&mut self) {
        self.keys.pop();
    }

    /// Adds the position before a null move. Until the null move is undone, no position up to it counts as repeated.
    #[inline]
    pub fn push_null_move(&mut self, key: u64) -> NullMove {
        self.keys.push(key);
        NullMove { since_null_move: std::mem::replace(&mut self.since_null_move, self.keys.len()) }
    }

    /// Undoes the newest null move.
    #[inline]
    pub fn pop_null_move(&mut self, null_move: NullMove) {
        self.keys.pop();
        self.since_null_move = null_move.since_null_move;
    }

    /// Is `position` a draw by repetition: did it occur once before in the search tree (root included), or twice in all?
    #[inline]
    pub fn is_repetition(&self, position: &Position) -> bool {
        let end = self.keys.len();
        let reversible_plies = (position.halfmove_clock() as usize).min(end - self.since_null_move);
        let mut seen = 0;
        // The same side is to move every second ply, and a repetition needs at least four plies.
        let mut back = 4;
        while back <= reversible_plies {
            let index = end - back;
            if self.keys[index] == position.key() {
                seen += 1;
                if seen == 2 || index >= self.root {
                    return true;
                }
            }
            back += 2;
        }
        false
    }
}

/// A game: its start position, its moves and its current position.
#[derive(Debug, Clone)]
pub struct Game {
    start: Position,
    moves: Vec<Move>,
    position: Position,
    history: History,
}

impl Game {
    /// A game that starts at `start`.
    pub fn new(start: Position) -> Self {
        Self { position: start.clone(), start, moves: Vec::new(), history: History::default() }
    }

    /// Plays a legal move.
    pub fn play(&mut self, mv: Move) {
        self.history.push(self.position.key());
        self.position = self.position.play(mv);
        self.moves.push(mv);
        self.history.mark_root();
    }

    /// The start position.
    pub fn start(&self) -> &Position {
        &self.start
    }

    /// The moves so far.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The current position.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The positions before the current one.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// How the game has ended, if it has; a repetition is the third occurrence of a position.
    pub fn outcome(&self) -> Option<Outcome> {
        self.position.outcome().or_else(|| self.history.is_repetition(&self.position).then_some(Outcome::Repetition))
    }
}

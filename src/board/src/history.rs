//! The past of a position: repetitions, and a game as its start and its moves.

use crate::{Move, Outcome, Position};

/// The keys of the positions before the present one, for the draw by repetition.
///
/// A search pushes the parent's key before it makes a move and pops it after; [`History::mark_root`] tells which
/// positions belong to the game and which to the tree.
#[derive(Debug, Clone, Default)]
pub struct History {
    keys: Vec<u64>,
    root: usize,
    /// Positions before this index lie behind a passed turn, which no game can repeat across.
    since_pass: usize,
}

/// A passed turn, to be taken back.
#[derive(Debug)]
#[must_use]
pub struct Pass {
    since_pass: usize,
}

impl History {
    /// Makes room, so that `plies` more pushes do not allocate.
    pub fn reserve(&mut self, plies: usize) {
        self.keys.reserve(plies);
    }

    /// From here on, positions belong to the tree.
    pub fn mark_root(&mut self) {
        self.root = self.keys.len();
    }

    /// Adds the position that a move is made from.
    #[inline]
    pub fn push(&mut self, key: u64) {
        self.keys.push(key);
    }

    /// Takes the newest position back.
    #[inline]
    pub fn pop(&mut self) {
        self.keys.pop();
    }

    /// Adds the position that a turn is passed in: nothing up to it can be repeated until the pass is taken back.
    #[inline]
    pub fn pass(&mut self, key: u64) -> Pass {
        self.keys.push(key);
        Pass { since_pass: std::mem::replace(&mut self.since_pass, self.keys.len()) }
    }

    /// Takes the newest position and its passed turn back.
    #[inline]
    pub fn take_back(&mut self, pass: Pass) {
        self.keys.pop();
        self.since_pass = pass.since_pass;
    }

    /// Is `position` a draw by repetition: met once before inside the tree (its root included), or twice in all?
    #[inline]
    pub fn is_repetition(&self, position: &Position) -> bool {
        let end = self.keys.len();
        let reach = (position.halfmove_clock() as usize).min(end - self.since_pass);
        let mut seen = 0;
        // The same player is to move only every second ply, and no position returns in fewer than four.
        let mut back = 4;
        while back <= reach {
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

/// A game: where it started, its moves, and where it stands.
#[derive(Debug, Clone)]
pub struct Game {
    start: Position,
    moves: Vec<Move>,
    position: Position,
    history: History,
}

impl Game {
    /// A game that begins at `start`.
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

    /// Where the game began.
    pub fn start(&self) -> &Position {
        &self.start
    }

    /// The moves so far.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Where the game stands.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The positions before the present one; all of them belong to the game, none to a tree.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// How the game has ended, if it has; a position is repeated when it stands for the third time.
    pub fn outcome(&self) -> Option<Outcome> {
        self.position.outcome().or_else(|| self.history.is_repetition(&self.position).then_some(Outcome::Repetition))
    }
}

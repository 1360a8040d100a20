//! The tree from one search to the next: what is below the moves that were played since is kept, the rest is released.

use crate::mcts::arena::{Arena, ROOT};
use crate::mcts::edges::Edges;
use crate::mcts::node::Node;
use board::{Game, Move};
use std::sync::Arc;

/// A tree and what its root is.
pub struct Tree {
    arena: Arc<Arena>,
    /// The game whose position is the root; `None` if there is nothing to keep.
    game: Option<Game>,
    /// What else its values depend on.
    salt: u64,
}

impl Tree {
    /// An empty tree in this memory, which is no other tree's.
    pub fn new(arena: Arc<Arena>) -> Self {
        arena.clear();
        Self { arena, game: None, salt: 0 }
    }

    /// The memory.
    pub fn arena(&self) -> &Arena {
        &self.arena
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.arena.clear();
        self.game = None;
    }

    /// Makes the position of this game the root. What is known of it is kept if a tree is there with this salt, and if it is `even`
    /// only if an even number of moves was played since, so that the side to move is the same.
    pub fn set_root(&mut self, game: &Game, salt: u64, even: bool) {
        let played = self.game.as_ref().and_then(|last| moves_since(last, game));
        let is_kept = salt == self.salt && played.is_some_and(|moves| !even || moves.len().is_multiple_of(2));
        if !is_kept || !played.is_some_and(|moves| self.descend(moves)) {
            self.arena.clear();
        }
        // A proof may rest on quiescence search alone; of the root its moves are asked for.
        self.arena.node(ROOT).set_proof(None);
        (self.game, self.salt) = (Some(game.clone()), salt);
    }

    /// From now on nothing of the tree is kept for the next search.
    pub fn keep_nothing(&mut self) {
        self.game = None;
    }

    /// The node below these moves, if it was visited.
    pub fn node(&self, moves: &[Move]) -> Option<&Node> {
        let arena = self.arena();
        moves.iter().try_fold(arena.node(ROOT), |node, mv| {
            let edges = (node.edges() != 0).then(|| Edges::at(arena, node.edges()))?;
            edges.child(arena, edges.find(*mv)?).filter(|child| child.visits() > 0)
        })
    }

    /// Makes the node below these moves the root and releases the others; `false` if there is none.
    fn descend(&self, moves: &[Move]) -> bool {
        if moves.is_empty() {
            return true;
        }
        let arena = self.arena();
        let Some(node) = self.node(moves) else { return false };
        let above = arena.node(ROOT).edges();
        arena.node(ROOT).take(node);
        arena.release(above);
        true
    }
}

/// The moves that lead from one game's position to another's; `None` if none do.
fn moves_since<'a>(last: &Game, game: &'a Game) -> Option<&'a [Move]> {
    let is_same = last.start() == game.start() && game.moves().starts_with(last.moves());
    is_same.then(|| &game.moves()[last.moves().len()..])
}

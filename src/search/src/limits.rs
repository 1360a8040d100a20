//! What ends a search, besides its handler.

use board::Move;

/// The limits of a search; the first that is reached ends it.
#[derive(Debug, Clone, Default)]
pub struct SearchLimits {
    /// Made moves, null moves included. One thread stops exactly there, several soon after (see
    /// [`lazy_smp`](crate::lazy_smp)).
    pub nodes: Option<u64>,
    /// Iterations of iterative deepening.
    pub depth: Option<u32>,
    /// Stop once the side to move has a proven mate in at most this many moves.
    pub mate: Option<u32>,
    /// The root moves to search; all when empty. Each is legal at the root.
    pub searchmoves: Vec<Move>,
    /// The number of principal variations to find (MultiPV); 0 counts as 1.
    pub multipv: usize,
}

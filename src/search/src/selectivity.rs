//! What alpha-beta may leave out, and what it searches more than its budget says: a value that the engine's assembly
//! hands to the searcher, with one field per heuristic.
//!
//! Every fraction is one of a node's budget. Defaults are in [`tunables`](crate::tunables).

use crate::tunables as tuned;

/// The pruning and extension parameters of a search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Selectivity {
    /// Null move pruning: the fraction of the budget with which the position after a null move is searched; `None` switches
    /// it off.
    ///
    // CITE: Donninger, "Null move and deep search", ICCA Journal 16(3), 1993; the verification: David-Tabibi and Netanyahu,
    // "Verified null-move pruning", ICGA Journal 25(3), 2002.
    pub null_move: Option<f32>,
    /// Check extension: how often along one line a move that gives check may be searched with the least budget that is not
    /// quiescence, where it has less.
    pub check_extensions: u8,
    /// Re-search: the fraction of the budget with which a move that beats alpha is searched again, where it had less, before
    /// its value is trusted; `None` switches it off.
    pub re_search: Option<f32>,
    /// Staged move generation: the fraction of the hash move, which is searched before the other moves are generated; `None`
    /// generates all moves first.
    pub hash_move: Option<f32>,
    /// Late move pruning, by budget instead of number: a quiet move whose child would get less than this part of the least
    /// budget is not searched, not even by quiescence, in nodes with a null window. Moves that give check are spared.
    ///
    // CITE: late move pruning by move count, as in Stockfish, with a probability in place of the count.
    pub late_move_pruning: f32,
    /// Capture history: the fraction of a capture is multiplied by exp(this * history), its history from -1 to 1; `None`
    /// switches it off.
    pub capture_history: Option<f32>,
    /// Reverse futility pruning; `None` switches it off.
    pub reverse_futility: Option<ReverseFutility>,
    /// The depth-limited search: below the root, these heuristics decide and none of the others here; `None` searches by budget.
    pub depth_limited: Option<DepthSelectivity>,
}

/// Which heuristics the depth-limited search has ([`alpha_beta`](crate::alpha_beta), `depth_limited`). Their parameters are in
/// [`tunables`](crate::tunables).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DepthSelectivity {
    /// A node whose value is far below alpha is left to quiescence.
    pub razoring: bool,
    /// A node fails high at once where its value is far above beta.
    pub reverse_futility: bool,
    /// A node fails high where even a null move does.
    pub null_move: bool,
    /// A node fails high where a good capture is far above beta with less depth.
    pub probcut: bool,
    /// Quiet moves after so many others are not searched.
    pub late_move_pruning: bool,
    /// Quiet moves that failed after the moves before are not searched with little depth.
    pub history_pruning: bool,
    /// Quiet moves are not searched with little depth where the evaluation is far below alpha.
    pub futility_pruning: bool,
    /// Moves that lose too much material for their depth are not searched.
    pub see_pruning: bool,
    /// Late moves are searched with less depth first.
    pub reductions: bool,
    /// Moves that give check are searched a ply deeper at great depths.
    pub check_extensions: bool,
    /// A hash move that no other comes near is searched one or two plies deeper, and others where it is not singular less.
    pub singular_extensions: bool,
    /// A node without a hash move is searched with less depth.
    pub internal_reductions: bool,
    /// Quiescence begins with quiet checks, and leaves out late and futile captures and late evasions.
    pub quiescence: bool,
}

impl DepthSelectivity {
    /// All of them.
    pub const ALL: Self = Self {
        razoring: true,
        reverse_futility: true,
        null_move: true,
        probcut: true,
        late_move_pruning: true,
        history_pruning: true,
        futility_pruning: true,
        see_pruning: true,
        reductions: true,
        check_extensions: true,
        singular_extensions: true,
        internal_reductions: true,
        quiescence: true,
    };

    /// None: every move is a ply.
    pub const NONE: Self = Self {
        razoring: false,
        reverse_futility: false,
        null_move: false,
        probcut: false,
        late_move_pruning: false,
        history_pruning: false,
        futility_pruning: false,
        see_pruning: false,
        reductions: false,
        check_extensions: false,
        singular_extensions: false,
        internal_reductions: false,
        quiescence: false,
    };
}

/// Reverse futility pruning: a node of depth d, at most `max_depth`, fails high at once where its static evaluation is at
/// least `beta + margin (1 + d)`.
///
// CITE: Heinz, "Extended futility pruning", ICCA Journal 21(2), 1998, applied to beta instead of alpha; also known as
// static null move pruning.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReverseFutility {
    /// In units of value, per depth equivalent.
    pub margin: f32,
    /// The greatest depth equivalent of a node that may be pruned.
    pub max_depth: f32,
}

impl Selectivity {
    /// Nothing is pruned or extended: the policy alone divides the budget.
    pub const NONE: Self = Self {
        null_move: None,
        check_extensions: 0,
        re_search: None,
        hash_move: None,
        late_move_pruning: 0.0,
        capture_history: None,
        reverse_futility: None,
        depth_limited: None,
    };

    /// The original's (thesis 5.3): null move pruning and check extensions, for a policy that knows nothing.
    pub fn basic() -> Self {
        Self { null_move: Some(tuned::null_move_fraction()), check_extensions: tuned::check_extensions(), ..Self::NONE }
    }

    /// For a policy whose priors fall steeply.
    pub fn full() -> Self {
        Self {
            re_search: Some(tuned::re_search_fraction()),
            hash_move: Some(tuned::hash_move_fraction()),
            late_move_pruning: tuned::late_move_pruning_threshold(),
            capture_history: Some(tuned::capture_history_gain()),
            reverse_futility: Some(ReverseFutility {
                margin: tuned::reverse_futility_margin(),
                max_depth: tuned::reverse_futility_max_depth(),
            }),
            ..Self::basic()
        }
    }

    /// For the depth-limited search.
    pub fn depth_limited() -> Self {
        Self { depth_limited: Some(DepthSelectivity::ALL), ..Self::NONE }
    }
}

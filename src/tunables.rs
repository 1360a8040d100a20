//! The constants of what is searched, which matches may change, in one place; the search asks by meaning. Those of time
//! are in `search::time`, `search::timekeeper` and `search::progress`.

/// Half the first aspiration window, in win balance (the original: 400 of 10,000).
pub const ASPIRATION: f32 = 0.04;
/// How much wider the window gets each time the value falls outside.
pub const ASPIRATION_GROWTH: f32 = 4.0;
/// From which iteration on the window is narrowed at all.
pub const ASPIRATION_FROM: u32 = 3;
/// How often along one line a check may lift its child's budget to one.
pub const CHECK_FLOORS: u8 = 6;
/// The share of its node's budget with which a passed turn is searched (the original's).
pub const NULL_MOVE_SHARE: f32 = 0.0003;

/// The share of its node's budget with which a child that is better than alpha is searched again, where it had less.
pub const SECOND_LOOK: f32 = 0.3;
/// The share of the table's move, which is searched before the others are looked at.
pub const TABLE_MOVE: f32 = 0.5;
/// A quiet move whose child would get less than this part of the least budget is not tried at all.
pub const NEGLIGIBLE: f32 = 0.15;

/// So much better than beta, in win balance, an evaluation is when a node with the least budget need not be searched; as
/// much again for each fourfold budget.
pub const SURPLUS: f32 = 0.1;
/// Up to how many fourfold budgets that holds.
pub const SURPLUS_LEVELS: f32 = 3.0;

/// The depth-limited search, for comparison.
pub mod depth {
    /// How many plies less than a move a passed turn is searched.
    pub const NULL_MOVE_REDUCTION: u32 = 2;
    /// How often along one line a check may be searched a ply deeper.
    pub const CHECK_EXTENSIONS: u8 = 2;
    /// How many moves of a node are never reduced.
    pub const REDUCTION_FROM: usize = 3;
    /// What every reduction begins with, in plies.
    pub const REDUCTION_BASE: f32 = 0.75;
    /// What divides the product of the logarithms of depth and place.
    pub const REDUCTION_DIVISOR: f32 = 2.25;
    /// How many plies the best history takes off a reduction, and the worst adds.
    pub const REDUCTION_HISTORY: f32 = 2.0;
}

/// How the move-probability network shapes a node's shares.
pub mod network {
    /// The least budget that pays for asking it; below, the static shares hold.
    pub const FROM: f32 = 16.0;
    /// The part of every share that stays static, so that no hash move and no good capture is starved, [0, 1].
    pub const STATIC_PART: f32 = 0.1;
}

/// Shares before normalising, by kind of move (the original's static allocation).
pub mod shares {
    /// The table's move. Where it has been searched before the others, with [`super::TABLE_MOVE`] of the budget, this still
    /// stands in their sum: it is what the others do not get.
    pub const HASH: f32 = 3.0;
    /// A queen promotion, or a capture that loses nothing.
    pub const GOOD_CAPTURE: f32 = 2.0;
    /// A quiet move that cut off a sibling.
    pub const KILLER: f32 = 1.1;
    /// Another move that loses nothing.
    pub const QUIET: f32 = 1.0;
    /// What the history, from -1 to 1, adds to a quiet move's share.
    pub const HISTORY: f32 = 0.5;
    /// A capture that loses material.
    pub const LOSING_CAPTURE: f32 = 0.1;
    /// A quiet move that loses material, or an underpromotion.
    pub const LOSING_QUIET: f32 = 0.01;
    /// How fast a share falls with its place in the order of trial: the move at place i, from 0, gets 1 / (1 + i * this).
    pub const RANK_DECAY: f32 = 1.0;
}

/// How many made moves lie between two questions to the handler.
pub const POLL_INTERVAL: u64 = 256;

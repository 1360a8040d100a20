//! The constants of the search that matches may change, in one table.
//!
//! Each is a function of that name, which the compiler folds into its default. With the cargo feature `tuning` each reads
//! a cell instead that a UCI option of the same name sets, so that every variant is a command and not a build.

/// A constant that the feature `tuning` lets a client set.
#[cfg(feature = "tuning")]
pub struct Tunable {
    /// The name of the function and of the UCI option.
    pub name: &'static str,
    /// The value of an engine built without `tuning`.
    pub default: f64,
    /// The least and the greatest value.
    pub range: std::ops::RangeInclusive<f64>,
    bits: &'static std::sync::atomic::AtomicU64,
}

#[cfg(feature = "tuning")]
impl Tunable {
    /// The present value.
    pub fn get(&self) -> f64 {
        f64::from_bits(self.bits.load(std::sync::atomic::Ordering::Relaxed))
    }

    /// Sets the value in every engine of this process; one outside the range is refused with `false`.
    pub fn set(&self, value: f64) -> bool {
        let is_valid = self.range.contains(&value);
        if is_valid {
            self.bits.store(value.to_bits(), std::sync::atomic::Ordering::Relaxed);
        }
        is_valid
    }
}

macro_rules! tunables {
    ($($(#[$doc:meta])* $name:ident: $type:ty = $default:literal in $least:literal..=$most:literal;)*) => {
        #[cfg(not(feature = "tuning"))]
        mod values {
            $($(#[$doc])* #[inline(always)] pub const fn $name() -> $type { $default })*
        }

        #[cfg(feature = "tuning")]
        mod values {
            use super::Tunable;
            use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

            /// Functions and modules of one name live in different namespaces.
            mod cells {
                $(pub mod $name { pub static BITS: super::super::AtomicU64 = super::super::AtomicU64::new(($default as f64).to_bits()); })*
            }

            $($(#[$doc])* #[inline] pub fn $name() -> $type { f64::from_bits(cells::$name::BITS.load(Relaxed)) as $type })*

            /// All constants that can be set.
            pub static TUNABLES: &[Tunable] = &[$(Tunable {
                name: stringify!($name),
                default: $default as f64,
                range: ($least as f64)..=($most as f64),
                bits: &cells::$name::BITS,
            }),*];
        }

        pub use values::*;
    };
}

tunables! {
    // Aspiration windows

    /// Half the width of the first window, in units of value (the original: 400 of 10,000).
    aspiration_half_width: f32 = 0.04 in 0.0001..=4.0;
    /// The factor by which the window widens each time the value falls outside.
    aspiration_growth: f32 = 4.0 in 1.1..=100.0;
    /// The first iteration with a narrow window.
    aspiration_first_iteration: u32 = 3 in 2..=31;

    // Null move pruning, check extensions, re-searches

    /// The fraction of the budget with which the position after a null move is searched (the original's).
    null_move_fraction: f32 = 0.0003 in 0.0..=1.0;
    /// Check extensions along one line.
    check_extensions: u8 = 6 in 0..=128;
    /// The fraction of the budget of a move that is searched again because it beats alpha.
    re_search_fraction: f32 = 0.3 in 0.0..=1.0;

    // Staged move generation

    /// The fraction of the budget of a hash move that is searched before the other moves are generated.
    hash_move_fraction: f32 = 0.5 in 0.0..=1.0;

    // Late move pruning

    /// The part of the least budget below which a quiet move is pruned.
    late_move_pruning_threshold: f32 = 0.15 in 0.0..=1.0;

    // Capture history

    /// The fraction of a capture is multiplied by exp(this * history).
    capture_history_gain: f32 = 1.0 in 0.0..=20.0;

    // Reverse futility pruning

    /// The margin above beta, in units of value, per depth equivalent.
    reverse_futility_margin: f32 = 0.1 in 0.0..=4.0;
    /// The greatest depth equivalent of a node that is pruned.
    reverse_futility_max_depth: f32 = 3.0 in 0.0..=32.0;

    // The depth-limited search: margins in logits, depths and reductions in plies

    /// Razoring: the margin below alpha, at depth 0, from which a node is left to quiescence.
    depth_razoring: f32 = 0.369 in 0.0..=4.0;
    /// Razoring: the margin more for the square of the depth.
    depth_razoring_growth: f32 = 0.254 in 0.0..=4.0;
    /// Reverse futility pruning: the margin above beta per ply.
    depth_reverse_futility: f32 = 0.165 in 0.0..=4.0;
    /// Reverse futility pruning: the depth from which on no node is pruned.
    depth_reverse_futility_max: i32 = 8 in 0..=100;
    /// Reverse futility pruning: the history of the move before that is worth a logit of margin.
    depth_reverse_futility_history: f32 = 303000.0 in 1.0..=10000000.0;
    /// Null move pruning: the plies by which a null move is reduced at depth 0.
    depth_null_move_base: f32 = 4.0 in 0.0..=16.0;
    /// Null move pruning: the plies more for each ply of depth.
    depth_null_move_growth: f32 = 0.33333334 in 0.0..=1.0;
    /// Null move pruning: the value above beta, in units of value, that reduces a ply more, at most seven.
    depth_null_move_above: f32 = 0.168 in 0.001..=4.0;
    /// Null move pruning: how far above beta the evaluation must be at depth 0.
    depth_null_move_margin: f32 = 0.241 in -4.0..=4.0;
    /// Null move pruning: how much less for each ply of depth.
    depth_null_move_slope: f32 = 0.02 in 0.0..=4.0;
    /// Null move pruning: the part of the improvement since the last move that is taken off.
    depth_null_move_improvement: f32 = 0.077 in 0.0..=1.0;
    /// Null move pruning: the history of the move before from which on there is no null move.
    depth_null_move_history: i32 = 17139 in 0..=1000000;
    /// Null move pruning: the least depth of a cutoff that is verified.
    depth_null_move_verify: i32 = 13 in 0..=100;
    /// ProbCut: the least depth.
    depth_probcut_min_depth: i32 = 5 in 5..=100;
    /// ProbCut: the margin above beta.
    depth_probcut_margin: f32 = 0.191 in 0.0..=4.0;
    /// ProbCut in check, by the table alone: the margin above beta.
    depth_probcut_check_margin: f32 = 0.417 in 0.0..=4.0;
    /// Internal iterative reduction: by how many plies less a node with an open window is searched without a hash move.
    depth_internal_reduction: i32 = 3 in 0..=16;
    /// Internal iterative reduction: the least depth of a node where a cutoff is expected; it is searched two plies less.
    depth_internal_reduction_cut: i32 = 9 in 3..=100;
    /// Late move pruning: the moves of a node that are searched at depth 0, halved where the side to move is not improving.
    depth_late_moves_base: i32 = 3 in 0..=256;
    /// History pruning: the plies left to a move from which on it is not pruned.
    depth_history_pruning_max: i32 = 5 in 0..=100;
    /// History pruning: the sum of continuation histories below which a move is pruned, per ply of its full search.
    depth_history_pruning: i32 = 3875 in 0..=100000;
    /// Futility pruning: the margin below alpha for a move with no plies left.
    depth_futility_base: f32 = 0.106 in -4.0..=4.0;
    /// Futility pruning: the margin more for each ply left.
    depth_futility_slope: f32 = 0.145 in 0.0..=4.0;
    /// Futility pruning: the history of the move that is worth a logit of margin.
    depth_futility_history: f32 = 52000.0 in 1.0..=10000000.0;
    /// Futility pruning: the plies left to a move from which on it is not pruned.
    depth_futility_max: i32 = 13 in 0..=100;
    /// Futility pruning of captures: the margin below alpha, and what it captures, for a move with no plies left.
    depth_capture_futility_base: f32 = 0.18 in -4.0..=4.0;
    /// Futility pruning of captures: the margin more for each ply left.
    depth_capture_futility_slope: f32 = 0.201 in 0.0..=4.0;
    /// Futility pruning of captures: the plies left to a move from which on it is not pruned.
    depth_capture_futility_max: i32 = 7 in 0..=100;
    /// SEE pruning: what a capture or a check may lose, in centipawns per ply of the node's depth.
    depth_see_capture: i32 = 107 in 0..=10000;
    /// SEE pruning: what a quiet move may lose, in tenths of a centipawn per square of the plies left to it.
    depth_see_quiet: i32 = 115 in 0..=10000;
    /// SEE pruning: the tenths of a centipawn more per ply left.
    depth_see_quiet_ply: i32 = 72 in 0..=10000;
    /// Singular extensions: the least depth; two plies more where this node and its entry in the table had an open window.
    depth_singular_min_depth: i32 = 4 in 2..=100;
    /// Singular extensions: how far below the hash move's value the others must stay, per ply of depth.
    depth_singular_margin: f32 = 0.003 in 0.0..=1.0;
    /// Singular extensions: how far below that all others stay where the hash move is searched two plies deeper.
    depth_double_margin: f32 = 0.025 in 0.0..=4.0;
    /// Check extensions: the depth up to which a check is not searched deeper.
    depth_check_extension: i32 = 9 in 0..=100;
    /// Late move reductions: the factor of the product of the logarithms of depth and move number.
    depth_reduction_factor: f32 = 0.4008 in 0.0..=4.0;
    /// Late move reductions: the plies that are added to it.
    depth_reduction_base: f32 = 1.6035 in 0.0..=8.0;
    /// Late move reductions: the plies less in a node that has, or had, an open window.
    depth_reduction_open: i32 = 2 in 0..=8;
    /// Late move reductions: the plies more where a cutoff is expected.
    depth_reduction_cut: i32 = 2 in 0..=8;
    /// Late move reductions: the sum of histories that changes nothing.
    depth_history_zero: i32 = 4433 in -100000..=100000;
    /// Late move reductions: the sum of histories that takes a ply off; 4000 more for depths from 8 to 18.
    depth_history_ply: i32 = 13628 in 1000..=1000000;
    /// Quiescence: the margin below alpha, with what a capture takes, from which on it is not searched.
    depth_quiescence_futility: f32 = 0.153 in -4.0..=4.0;
    /// The depth below which good captures are tried before the policy is asked for all other moves; where it is not asked, always.
    depth_captures_first: i32 = 4 in 0..=100;
    /// The least depth of a node that asks the policy network; below it the linear policy alone is asked.
    depth_network_min_depth: i32 = 6 in 1..=100;
    /// Move order: the history that a factor e of the probability is worth.
    depth_prior_order: f32 = 10000.0 in 0.0..=1000000.0;
    /// Move order: the history that a killer or a countermove is worth beside a probability.
    depth_killer_order: i32 = 10000 in 0..=100000;
    /// The history that the policies know: the eighths of a depth equivalent that a ply counts as.
    depth_policy_history: i32 = 2 in 1..=16;
    /// Late move reductions: the plies for each factor 1/4 of the probability below that which changes nothing.
    depth_prior_weight: f32 = 1.0 in 0.0..=4.0;
    /// Late move reductions: -log4 of the probability that changes nothing.
    depth_prior_zero: f32 = 2.0 in 0.0..=10.0;

    // Monte-Carlo tree search

    /// PUCT: the exploration c of a node with few visits.
    mcts_exploration: f64 = 1.745 in 0.0..=100.0;
    /// PUCT: the visits with which it has grown by ln 2 times its growth.
    mcts_exploration_base: f64 = 38739.0 in 1.0..=1000000000.0;
    /// PUCT: its growth.
    mcts_exploration_growth: f64 = 3.894 in 0.0..=100.0;
    /// First play urgency: what moves that were not visited are worse than their node, where the visited ones have all of the prior.
    mcts_first_play_reduction: f64 = 0.33 in -10.0..=10.0;
    /// The temperature of the priors.
    mcts_prior_temperature: f32 = 1.359 in 0.1..=10.0;
    /// Root noise: the parameter of its Dirichlet distribution, AlphaZero's for chess.
    mcts_noise_alpha: f64 = 0.3 in 0.01..=0.99;

    // Short-term memories

    /// What is left of a memory from one move to the next.
    short_term_kept: f32 = 0.9 in 0.0..=1.0;

    // The policy network

    /// The least budget of a node that asks the policy network; below it the linear policy decides.
    network_min_budget: f32 = 16.0 in 1.0..=1000000.0;
    /// The weight of the linear policy in the mixture, so that no hash move and no good capture gets too little.
    network_linear_weight: f32 = 0.1 in 0.0..=1.0;
    /// The temperature of the network's softmax is 1 and this for each depth equivalent above the least budget.
    network_temperature_growth: f32 = 0.1 in 0.0..=10.0;

    /// The least budget of a node whose moves the linear policy divides; below it the static policy does.
    linear_min_budget: f32 = 4.0 in 0.0..=1000000.0;
    /// The temperature of the linear policy's softmax.
    linear_temperature: f32 = 1.0 in 0.1..=10.0;

    // The static policy (the original's): weights by kind of move, before they are normalized

    /// The hash move. Where it is searched before the others, this weight still takes its part of their sum.
    static_hash_move: f32 = 3.0 in 0.0001..=100.0;
    /// A queen promotion, or a capture whose static exchange loses nothing.
    static_good_capture: f32 = 2.0 in 0.0001..=100.0;
    /// A killer move.
    static_killer: f32 = 1.1 in 0.0001..=100.0;
    /// Another quiet move whose static exchange loses nothing.
    static_quiet: f32 = 1.0 in 0.0001..=100.0;
    /// The factor of the history, from -1 to 1, that is added to the weight of a quiet move.
    static_history: f32 = 0.5 in 0.0..=100.0;
    /// A capture whose static exchange loses material.
    static_losing_capture: f32 = 0.1 in 0.0001..=100.0;
    /// A quiet move whose static exchange loses material, or an underpromotion.
    static_losing_quiet: f32 = 0.01 in 0.0001..=100.0;
    /// The decay by place in the order of moves: the move at place i, from 0, has its weight over 1 + i * this.
    static_rank_decay: f32 = 1.0 in 0.0..=100.0;

    // Move ordering and the transposition table

    /// The history bonus of a cutoff, per eighth of a depth equivalent; the history's limit is 16384.
    history_bonus: i32 = 32 in 0..=2048;
    /// Replacement: how many steps of depth (eighths) an entry loses per search of age.
    table_age_weight: i32 = 8 in 0..=255;
    /// Replacement: a bound does not replace an entry of the same position that is more than so many steps deeper.
    table_keep_deeper: u8 = 8 in 0..=255;

    // Time management

    /// The number of moves for which the rest of a game is planned.
    time_moves_left: u32 = 30 in 1..=200;
    /// The hard limit as a multiple of the soft limit.
    time_hard_factor: f64 = 4.0 in 1.0..=100.0;
    /// The largest fraction of the clock for one move.
    time_largest_fraction: f64 = 0.6 in 0.01..=1.0;
    /// The same for the last move before the clock is refilled.
    time_largest_fraction_of_last: f64 = 0.9 in 0.01..=1.0;
    /// The fraction of an iteration that must fit into the time for the iteration to begin.
    time_useful_fraction: f64 = 0.5 in 0.0..=1.0;
    /// The factor of the soft limit at which a search ends.
    time_cut: f64 = 1.3 in 0.1..=10.0;
    /// The power of the odds of a change by which a move gets time.
    time_instability_gain: f64 = 1.0 in 0.0..=4.0;
}

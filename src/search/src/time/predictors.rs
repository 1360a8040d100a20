//! What tells how likely more time is to change the move, and how much time that is worth.
//!
//! Whether four times the nodes change the best move was learned by logistic regression from searches of positions of Okapi's own
//! games (tests/tools/clock_model.py). The sum of the weighted predictors is the logarithm of the odds, up to a constant that depends on the
//! time control; a move gets time by a power of its odds over those of the mean position. Longer searches have settled more, so the
//! mean falls with the nodes n:
//!
//! ```text
//! worth = exp(gain (sum - mean)),    between LEAST and MOST
//! mean = mean at one node + per doubling log2 n
//! ```
//!
// CITE: Lai 2015, section 7.1: learning how to spend time. Hyatt 1984, "Using time wisely", ICCA Journal 7(1): more time where the value falls.

use crate::tunables as tuned;
use std::fmt;

/// The largest fall that counts, in units of value.
const LARGEST_FALL: f32 = 0.2;
/// The most nodes for which the line is trusted.
const MOST_NODES: u64 = 1 << 20;
/// The least and the greatest factor.
const LEAST: f64 = 0.4;
const MOST: f64 = 2.5;

/// What a search's moves were seen to change by: one for each kind of search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClockModel {
    /// The weight of `1 / (1 + stable)`.
    stable: f32,
    /// The weight of `changes`.
    changes: f32,
    /// The weight of `fall`, of which at most [`LARGEST_FALL`] counts.
    fall: f32,
    /// The weight of the value's distance from an even game.
    value: f32,
    /// The weight of `other_nodes`.
    other_nodes: f32,
    /// The mean sum as a line over log2 of the nodes, fitted from 2,000 to 300,000 nodes: its value at one node.
    mean: f32,
    /// The slope of that line: the change per doubling of the nodes.
    per_doubling: f32,
    /// Is an iteration of no use before its end, so that one that has no time to end need not begin?
    pub(super) has_whole_iterations: bool,
}

impl ClockModel {
    /// Of the probability-limited search.
    pub const PROBABILITY: Self = Self {
        stable: 1.114,
        changes: 0.114,
        fall: 6.937,
        value: -0.546,
        other_nodes: 1.804,
        mean: 1.760,
        per_doubling: -0.0597,
        has_whole_iterations: true,
    };
    /// Of the depth-limited search.
    pub const DEPTH: Self = Self {
        stable: 0.216,
        changes: 0.919,
        fall: 4.862,
        value: -0.293,
        other_nodes: 0.714,
        mean: 2.400,
        per_doubling: -0.1257,
        has_whole_iterations: true,
    };
    /// Of Monte-Carlo tree search, to which every visit adds: nothing has been learned, and all moves deserve the same.
    pub const TREE: Self = Self {
        stable: 0.0,
        changes: 0.0,
        fall: 0.0,
        value: 0.0,
        other_nodes: 0.0,
        mean: 0.0,
        per_doubling: 0.0,
        has_whole_iterations: false,
    };

    /// The factor of the usual time that a move with these predictors deserves.
    pub fn worth(&self, predictors: &Predictors) -> f64 {
        let mean = self.mean + self.per_doubling * libm::log2f(predictors.nodes.clamp(1, MOST_NODES) as f32);
        let above = f64::from(self.sum(predictors) - mean);
        libm::exp(tuned::time_instability_gain() * above).clamp(LEAST, MOST)
    }

    /// The logarithm of the odds that the move changes, up to a constant.
    fn sum(&self, predictors: &Predictors) -> f32 {
        self.stable / (1.0 + predictors.stable as f32)
            + self.changes * predictors.changes
            + self.fall * predictors.fall.min(LARGEST_FALL)
            + self.value * predictors.value.abs().min(1.0)
            + self.other_nodes * predictors.other_nodes
    }
}

/// What predicts whether more time changes the move, as of the last report.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Predictors {
    /// The nodes searched.
    pub nodes: u64,
    /// The iterations for which the best move has been the same.
    pub stable: usize,
    /// The changes of the best move, of which each iteration forgets a part.
    pub changes: f32,
    /// How much less the value is now than at the end of the iteration before, at least 0.
    pub fall: f32,
    /// The value for the side to move, in [-1, 1].
    pub value: f32,
    /// The part, in [0, 1], of the last iteration's nodes that went to other root moves than the first.
    pub other_nodes: f32,
}

impl fmt::Display for Predictors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { nodes, stable, changes, fall, value, other_nodes } = self;
        write!(
            f,
            "nodes {nodes}, stable {stable}, changes {changes:.3}, fall {fall:.4}, value {value:.4}, other nodes {other_nodes:.3}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unsettled_moves_deserve_more_time_within_bounds() {
        let settled = Predictors { nodes: 30_000, stable: 4, changes: 0.0, fall: 0.0, value: 0.1, other_nodes: 0.2 };
        let more = [
            Predictors { stable: 0, ..settled },
            Predictors { changes: 2.0, ..settled },
            Predictors { fall: 0.1, ..settled },
            Predictors { value: 0.0, ..settled },
            Predictors { other_nodes: 0.6, ..settled },
            Predictors { nodes: 300_000, ..settled },
        ];
        for model in [ClockModel::PROBABILITY, ClockModel::DEPTH] {
            for unsettled in &more {
                assert!(model.worth(unsettled) > model.worth(&settled), "{unsettled}");
            }
            let alarmed =
                Predictors { nodes: 30_000, stable: 0, changes: 3.0, fall: 1.9, value: 0.0, other_nodes: 1.0 };
            assert_eq!(model.worth(&alarmed), MOST);
            assert!(model.worth(&Predictors { value: -1.0, other_nodes: 0.0, ..settled }) >= LEAST);
        }
    }

    /// The sums of weighted predictors less their means, worked out apart.
    #[test]
    fn a_move_deserves_time_by_a_power_of_its_odds() {
        let first = Predictors { nodes: 30_000, stable: 4, changes: 0.5, fall: 0.05, value: -0.25, other_nodes: 0.2 };
        let second = Predictors { nodes: 4_096, stable: 1, changes: 1.5, fall: 0.0, value: 0.5, other_nodes: 0.5 };
        for (model, sums) in
            [(ClockModel::PROBABILITY, [-0.021_151, 0.313_400]), (ClockModel::DEPTH, [0.284_845, 0.805_400])]
        {
            for (predictors, sum) in [first, second].iter().zip(sums) {
                let found = libm::log(model.worth(predictors)) / tuned::time_instability_gain();
                assert!((found - sum).abs() < 1e-4, "{found} {sum}");
            }
        }
        assert_eq!(ClockModel::TREE.worth(&second), 1.0);
        assert_eq!(
            first.to_string(),
            "nodes 30000, stable 4, changes 0.500, fall 0.0500, value -0.2500, other nodes 0.200"
        );
    }
}

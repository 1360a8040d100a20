//! Validation on nodes of games that are not in the training set: top-1 and top-3 accuracy (how often the best move of the
//! deeper search is the first, or among the first three), cross-entropy, and calibration of the probabilities.

use crate::data::labeled_nodes::Example;
use crate::train::policy_learner::push;
use engine::network_policy::probabilities;
use kernels::Kernels;
use nets::{PolicyBatch, PolicyBatchWeights, PolicyNet, rank};
use rayon::prelude::*;
use search::scored_move::{is_quiet, sort};
use search::{LinearPolicy, Policy, ScoredMove, StaticPolicy, UniformPolicy};
use std::fmt;

/// How often the best move is found, of all nodes and of those whose best move is quiet.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Score {
    /// Nodes, and those with a quiet best move.
    pub nodes: [u64; 2],
    /// Of these, how often it is the first.
    pub first: [u64; 2],
    /// And how often among the first three.
    pub third: [u64; 2],
    /// The sum of -ln p of the best moves of all nodes.
    pub loss: f64,
    /// The sum of all nodes' regrets, as far as they are labeled, and of those whose best move is not among the first three.
    pub regret: [f64; 2],
}

/// Bounds of the predicted probabilities of a calibration table's rows; the last row has the rest.
pub const BOUNDS: [f32; 11] = [0.001, 0.003, 0.01, 0.03, 0.1, 0.2, 0.3, 0.45, 0.6, 0.75, 0.9];

/// Predicted against observed: `(row)`: moves, the sum of their probabilities, and how many were the best.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Calibration(pub [(u64, f64, u64); BOUNDS.len() + 1]);

impl Score {
    /// Counts a node whose best move has this rank, from 0, and this probability.
    fn count(&mut self, example: &Example, rank: usize, probability: f32) {
        let quiet = is_quiet(&example.node.position, example.best_move());
        let regret = example.regret.map_or(0.0, f64::from);
        self.regret[0] += regret;
        self.regret[1] += if rank < 3 { 0.0 } else { regret };
        for kind in 0..1 + usize::from(quiet) {
            self.nodes[kind] += 1;
            self.first[kind] += u64::from(rank == 0);
            self.third[kind] += u64::from(rank < 3);
        }
        self.loss -= f64::from(probability.max(f32::MIN_POSITIVE)).ln();
    }

    fn add(mut self, other: Self) -> Self {
        for kind in 0..2 {
            self.nodes[kind] += other.nodes[kind];
            self.first[kind] += other.first[kind];
            self.third[kind] += other.third[kind];
        }
        self.loss += other.loss;
        (0..2).for_each(|kind| self.regret[kind] += other.regret[kind]);
        self
    }

    /// In per cent: first and among the first three, of all nodes; the same of those with a quiet best move.
    pub fn percent(&self) -> [f64; 4] {
        let of = |count: u64, kind: usize| 100.0 * count as f64 / self.nodes[kind].max(1) as f64;
        [of(self.first[0], 0), of(self.third[0], 0), of(self.first[1], 1), of(self.third[1], 1)]
    }

    /// The mean of -ln p of the best moves.
    pub fn mean_loss(&self) -> f64 {
        self.loss / self.nodes[0].max(1) as f64
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, third, quiet_first, quiet_third] = self.percent();
        write!(f, "best move first {first:.2} %, among the first three {third:.2} %, ")?;
        write!(f, "of quiet best moves {quiet_first:.2} % and {quiet_third:.2} %, ")?;
        write!(f, "mean -ln p {:.4}", self.mean_loss())?;
        let [all, lost] = self.regret;
        if all > 0.0 {
            write!(f, ", {:.2} % of the regret outside the first three", 100.0 * lost / all)?;
        }
        Ok(())
    }
}

impl fmt::Display for Calibration {
    /// Predicted against observed, a line for each range of probabilities.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bound = |index: usize| BOUNDS.get(index).copied().unwrap_or(1.0);
        writeln!(f, "probability       moves   predicted   observed")?;
        for (index, (moves, sum, best)) in self.0.iter().enumerate().filter(|(_, row)| row.0 > 0) {
            let from = if index == 0 { 0.0 } else { bound(index - 1) };
            let (predicted, observed) = (sum / *moves as f64, *best as f64 / *moves as f64);
            writeln!(f, "{from:.3} - {:.3} {moves:>9} {predicted:>11.4} {observed:>10.4}", bound(index))?;
        }
        Ok(())
    }
}

/// Examples of one task of a validation.
const CHUNK: usize = 256;

/// The net's scores, with the hash move or without, in the last of `passes` passes.
pub fn of_net(
    net: &PolicyNet,
    passes: usize,
    with_hash: bool,
    examples: &[Example],
    kernels: &'static Kernels,
) -> (Score, Calibration) {
    let weights = PolicyBatchWeights::new(net);
    let of_chunk = |examples: &[Example]| {
        let mut batch = PolicyBatch::new(net.params().topology(), kernels);
        let (mut score, mut calibration) = (Score::default(), Calibration::default());
        let (mut logits, mut p) = (Vec::new(), Vec::new());
        for example in examples {
            batch.begin();
            push(&mut batch, example, &example.node.candidates(with_hash));
            batch.forward_nodes(&weights);
            let mut ranks = vec![0; example.fractions.len()];
            for _ in 0..passes {
                logits.clear();
                logits.extend_from_slice(batch.forward_moves(&weights, ranks.iter().map(|rank| usize::from(*rank))));
                rank(&logits, &mut ranks);
            }
            p.clear();
            p.extend_from_slice(&logits);
            probabilities(net.head().output, &mut p);
            score.count(example, ranks[example.best].into(), p[example.best]);
            for (index, p) in p.iter().enumerate() {
                let row = &mut calibration.0[BOUNDS.iter().filter(|bound| p >= bound).count()];
                *row = (row.0 + 1, row.1 + f64::from(*p), row.2 + u64::from(index == example.best));
            }
        }
        (score, calibration)
    };
    let chunks: Vec<_> = examples.par_chunks(CHUNK).with_max_len(1).map(of_chunk).collect();
    chunks.into_iter().fold(Default::default(), |(score, mut calibration), (other, rows)| {
        for (row, other) in calibration.0.iter_mut().zip(rows.0) {
            *row = (row.0 + other.0, row.1 + other.1, row.2 + other.2);
        }
        (Score::add(score, other), calibration)
    })
}

/// The scores of the static policy, ties in the search's order.
pub fn of_static(with_hash: bool, examples: &[Example]) -> Score {
    of_search(with_hash, examples, &StaticPolicy)
}

/// The scores of a linear policy, ties in the search's order.
pub fn of_linear(policy: &LinearPolicy, with_hash: bool, examples: &[Example]) -> Score {
    of_search(with_hash, examples, policy)
}

/// The scores of the search's move ordering.
pub fn of_ordering(with_hash: bool, examples: &[Example]) -> Score {
    of_search(with_hash, examples, &UniformPolicy)
}

fn of_search(with_hash: bool, examples: &[Example], policy: &impl Policy) -> Score {
    let of_example = |example: &Example| {
        let mut candidates = example.node.candidates(with_hash);
        let best = candidates[example.best].mv;
        sort(&mut candidates);
        policy.priors(&example.node.position, &mut candidates);
        let place = candidates.iter().position(|candidate| candidate.mv == best).expect("sorting loses no move");
        let best = &candidates[place];
        let before = |(index, other): (usize, &ScoredMove)| {
            let key = |one: &ScoredMove, index: usize| (-f64::from(one.prior), index);
            key(other, index) < key(best, place)
        };
        let rank = candidates.iter().enumerate().filter(|item| before(*item)).count();
        let mut score = Score::default();
        score.count(example, rank, best.prior);
        score
    };
    let scores: Vec<Score> = examples.par_iter().map(of_example).collect();
    scores.into_iter().fold(Score::default(), Score::add)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::policy_node::Node;
    use board::Position;
    use nets::{PolicyHead, PolicyTopology};
    use search::scored_move::QuietHints;

    /// Nodes of random games, whose best move is any.
    fn examples(count: usize) -> Vec<Example> {
        let mut position = Position::start();
        (0..count)
            .map(|number| {
                if position.outcome().is_some() || number % 40 == 0 {
                    position = Position::start();
                }
                let moves = position.legal_moves();
                let (best, played) = (number * 7 % moves.len(), moves[number * 5 % moves.len()]);
                let node = Node {
                    search: 0,
                    game: 0,
                    draft: 20,
                    position: position.clone(),
                    hash: None,
                    known: vec![QuietHints::default(); moves.len()],
                };
                position = position.play(played);
                let fractions = vec![1.0 / moves.len() as f32; moves.len()];
                let regret = (number % 3 > 0).then_some(0.01 * (number % 10) as f32);
                Example { node, best, fractions, regret, weight: 1.0 }
            })
            .collect()
    }

    /// The score by definition: of the probabilities of each example's moves.
    fn counted<'a>(examples: impl Iterator<Item = (&'a Example, Vec<f32>)>) -> Score {
        let mut score = Score::default();
        for (example, p) in examples {
            let best = p[example.best];
            let rank = p.iter().filter(|other| **other > best).count();
            let kinds = if is_quiet(&example.node.position, example.best_move()) { 0..2 } else { 0..1 };
            for kind in kinds {
                score.nodes[kind] += 1;
                score.first[kind] += u64::from(rank == 0);
                score.third[kind] += u64::from(rank <= 2);
            }
            score.loss -= f64::from(best).ln();
            let regret = example.regret.map_or(0.0, f64::from);
            score.regret[0] += regret;
            score.regret[1] += if rank <= 2 { 0.0 } else { regret };
        }
        score
    }

    fn assert_near(found: &Score, expected: &Score) {
        assert_eq!((found.nodes, found.first, found.third), (expected.nodes, expected.first, expected.third));
        assert!((found.loss - expected.loss).abs() < 1e-6 * expected.loss, "{found:?} {expected:?}");
        for (found, expected) in found.regret.iter().zip(expected.regret) {
            assert!((found - expected).abs() < 1e-9, "{found} {expected}");
        }
    }

    #[test]
    fn a_net_is_scored_and_calibrated_by_all_its_probabilities() {
        let (examples, kernels) = (examples(CHUNK + 300), kernels::active().unwrap());
        let topology: PolicyTopology = "19x16+216x16+128x16-16-8-1".parse().unwrap();
        let net = PolicyNet::random(topology, PolicyHead::default(), 3);
        let weights = PolicyBatchWeights::new(&net);
        let p_of = |example: &Example| {
            let mut batch = PolicyBatch::new(&topology, kernels);
            batch.begin();
            push(&mut batch, example, &example.node.candidates(false));
            batch.forward_nodes(&weights);
            let mut p = batch.forward_moves(&weights, std::iter::repeat_n(0, example.fractions.len())).to_vec();
            probabilities(net.head().output, &mut p);
            p
        };
        let all: Vec<Vec<f32>> = examples.iter().map(p_of).collect();
        let (score, calibration) = of_net(&net, 1, false, &examples, kernels);
        assert_near(&score, &counted(examples.iter().zip(all.iter().cloned())));
        assert!(score.nodes[0] > score.nodes[1] && score.third[1] > score.first[1], "{score:?}");
        for (row, (moves, sum, best)) in calibration.0.iter().enumerate() {
            let from = if row == 0 { 0.0 } else { BOUNDS[row - 1] };
            let to = BOUNDS.get(row).copied().unwrap_or(f32::INFINITY);
            let within = |p: &f32| from <= *p && *p < to;
            let expected: Vec<f32> = all.iter().flatten().copied().filter(within).collect();
            assert_eq!(*moves, expected.len() as u64, "{row}");
            assert!((sum - expected.iter().map(|p| f64::from(*p)).sum::<f64>()).abs() < 1e-6);
            let right = examples.iter().zip(&all).filter(|(example, p)| within(&p[example.best])).count();
            assert_eq!(*best, right as u64, "{row}");
        }
    }

    #[test]
    fn a_policy_of_the_search_is_scored_in_the_order_of_its_moves() {
        let examples = examples(90);
        let score = of_ordering(false, &examples);
        let mean: f64 = examples.iter().map(|example| (example.fractions.len() as f64).ln()).sum::<f64>() / 90.0;
        assert!((score.mean_loss() - mean).abs() < 1e-4, "{} {mean}", score.mean_loss());
        assert_eq!(score.nodes[0], 90);
        // Equal priors leave the order of the search.
        let first = |example: &Example| {
            let mut candidates = example.node.candidates(false);
            let best = candidates[example.best].mv;
            sort(&mut candidates);
            candidates.iter().position(|candidate| candidate.mv == best).unwrap()
        };
        let ranks: Vec<usize> = examples.iter().map(first).collect();
        assert_eq!(score.first[0], ranks.iter().filter(|rank| **rank == 0).count() as u64);
        assert_eq!(score.third[0], ranks.iter().filter(|rank| **rank < 3).count() as u64);
        let by_static = of_static(false, &examples);
        assert!(by_static.loss != score.loss && by_static.nodes == score.nodes);
    }

    #[test]
    fn scores_and_calibrations_are_shown_as_tables() {
        let score = Score { nodes: [200, 100], first: [50, 20], third: [110, 45], loss: 300.0, regret: [4.0, 1.0] };
        assert_eq!((score.percent(), score.mean_loss()), ([25.0, 55.0, 20.0, 45.0], 1.5));
        let said = "best move first 25.00 %, among the first three 55.00 %, of quiet best moves 20.00 % and 45.00 %, mean -ln p 1.5000";
        assert_eq!(score.to_string(), format!("{said}, 25.00 % of the regret outside the first three"));
        assert_eq!(Score { regret: [0.0; 2], ..score }.to_string(), said);
        assert_eq!((Score::default().percent(), Score::default().mean_loss()), ([0.0; 4], 0.0));
        let mut sum = Score::add(score, score);
        assert_eq!((sum.nodes, sum.first, sum.third, sum.loss), ([400, 200], [100, 40], [220, 90], 600.0));
        sum = Score::add(sum, Score { regret: [0.5, 0.25], ..Score::default() });
        assert_eq!(sum.regret, [8.5, 2.25]);
        let mut calibration = Calibration::default();
        (calibration.0[0], calibration.0[4], calibration.0[11]) = ((4, 0.002, 0), (10, 0.5, 1), (2, 1.9, 1));
        let table = "probability       moves   predicted   observed\n\
                     0.000 - 0.001         4      0.0005     0.0000\n\
                     0.030 - 0.100        10      0.0500     0.1000\n\
                     0.900 - 1.000         2      0.9500     0.5000\n";
        assert_eq!(calibration.to_string(), table);
    }
}

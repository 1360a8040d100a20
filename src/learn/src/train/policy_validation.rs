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

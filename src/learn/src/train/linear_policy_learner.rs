//! The linear policy learns from labeled nodes, by cross-entropy and AdaGrad, one node at a step, in an order that seed and epoch
//! determine.
//!
//! ```text
//! g = p(move) - target(move)        for every move, and every row of it:
//! s[row] <- s[row] + g^2,   theta[row] <- theta[row] - rate / epoch  g / sqrt(s[row])
//! ```
//! CITE: Duchi, Hazan and Singer, "Adaptive subgradient methods for online learning and stochastic optimization", JMLR 12, 2011.

use crate::data::labeled_nodes::{Example, Target};
use crate::run::fields::Fields;
use crate::streams::stream;
use crate::train::policy_learner::epoch_order;
use crate::train::policy_loss::slopes_of;
use crate::train::schedule::{Progress, Schedule};
use nets::PolicyOutput;
use rand::RngExt;
use search::LinearPolicy;
use search::linear_policy::WEIGHTS;
use search::move_states::{MoveStates, ROWS};
use support::choice::Choice;

/// The least sum of squared slopes.
const LEAST_SUM: f32 = 1e-8;

/// The hyperparameters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinearTraining {
    /// Seed of the order and of the dropout of hash moves.
    pub seed: u64,
    /// How often all nodes are learned from.
    pub epochs: u64,
    /// The learning rate of the first epoch.
    pub rate: f32,
    /// Per cent of the nodes whose hash move is hidden.
    pub hash_move_dropout: u32,
    /// The learning target.
    pub target: Target,
    /// How much regret weighs a node, 0 to 1 ([`weigh`](crate::data::labeled_nodes::weigh)).
    pub regret_weight: f32,
    /// Whether nodes without castling rights are also learned from with left and right exchanged.
    pub mirror: bool,
}

impl LinearTraining {
    /// As fields of a provenance.
    pub fn fields(&self) -> Fields {
        Fields::default()
            .with("seed", self.seed)
            .with("epochs", self.epochs)
            .with("rate", self.rate)
            .with("hash_move_dropout", self.hash_move_dropout)
            .with("target", self.target.word())
            .with("mirror", self.mirror)
            .with("regret_weight", self.regret_weight)
    }
}

/// Trains a linear policy, epoch by epoch.
pub struct LinearLearner<'a> {
    training: LinearTraining,
    examples: &'a [Example],
    epoch: u64,
    /// `(context, row)`: the weights, and the sums of their squared slopes.
    weights: Vec<f32>,
    sums: Vec<f32>,
}

impl<'a> LinearLearner<'a> {
    /// A learner with weights of zero: every move is equally likely.
    pub fn new(training: &LinearTraining, examples: &'a [Example]) -> Self {
        let (weights, sums) = (vec![0.0; WEIGHTS], vec![LEAST_SUM; WEIGHTS]);
        Self { training: *training, examples, epoch: 0, weights, sums }
    }

    /// Epochs done.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// The policy so far.
    pub fn policy(&self) -> LinearPolicy {
        LinearPolicy::new(&self.weights).expect("there are as many weights as a policy has")
    }

    /// Learns from every example once; returns their mean loss.
    pub fn learn_epoch(&mut self) -> f64 {
        let LinearTraining { seed, rate, hash_move_dropout, target, .. } = self.training;
        let rate = Schedule::Harmonic.rate(rate, Progress { step: 1 + self.epoch, done: 0.0 });
        let mut node = NodeRows::default();
        let mut loss = 0.0;
        for index in epoch_order(seed, self.epoch, self.examples.len()) {
            let example = &self.examples[index as usize];
            let with_hash = stream(seed, 1 + self.epoch, index.into()).random_range(0..100) >= hash_move_dropout;
            node.set(example, with_hash, target);
            loss += self.step(&mut node, rate, example.weight);
        }
        self.epoch += 1;
        loss / self.examples.len().max(1) as f64
    }

    /// A step by one node, whose loss has the factor `weight`; returns this loss.
    fn step(&mut self, node: &mut NodeRows, rate: f32, weight: f32) -> f64 {
        let Self { weights, sums, .. } = self;
        let NodeRows { rows, ends, targets, logits, slopes } = node;
        logits.clear();
        logits.extend(of_moves(rows, ends).map(|rows| rows.iter().map(|row| weights[usize::from(*row)]).sum::<f32>()));
        slopes.clear();
        let loss = f64::from(weight) * slopes_of(PolicyOutput::Softmax, logits, targets, slopes);
        for (rows, slope) in of_moves(rows, ends).zip(slopes) {
            let slope = weight * *slope;
            for row in rows {
                let row = usize::from(*row);
                sums[row] += slope * slope;
                weights[row] -= rate * slope / sums[row].sqrt();
            }
        }
        loss
    }
}

/// The rows of a node's moves, and what the policy should say of them.
#[derive(Default)]
struct NodeRows {
    /// Of all moves, one after another, among those of all contexts.
    rows: Vec<u16>,
    /// `(move)`: where its rows end.
    ends: Vec<usize>,
    targets: Vec<f32>,
    logits: Vec<f32>,
    slopes: Vec<f32>,
}

const _: () = assert!(WEIGHTS <= 1 << 16);

impl NodeRows {
    fn set(&mut self, example: &Example, with_hash: bool, target: Target) {
        self.rows.clear();
        self.ends.clear();
        self.targets.clear();
        let states = MoveStates::of(&example.node.position);
        let first = states.context() * ROWS;
        for scored in &example.node.candidates(with_hash) {
            states.each_row(scored, |row| self.rows.push((first + row) as u16));
            self.ends.push(self.rows.len());
        }
        self.targets.extend(example.target(target));
    }
}

/// `(move)`: its rows.
fn of_moves<'a>(rows: &'a [u16], ends: &'a [usize]) -> impl Iterator<Item = &'a [u16]> {
    let starts = std::iter::once(0).chain(ends.iter().copied());
    starts.zip(ends).map(|(start, end)| &rows[start..*end])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::policy_node::Node;
    use crate::train::policy_validation::of_linear;
    use board::random_positions::RandomPositions;
    use search::QuietHints;

    /// Random nodes whose best move is the first capture, or else the first move.
    fn examples() -> Vec<Example> {
        let mut games = RandomPositions::new(stream(3, 1, 4));
        let mut examples = Vec::new();
        while examples.len() < 400 {
            let position = games.next_position().clone();
            let moves = position.legal_moves();
            if moves.len() > 1 {
                let best = moves.iter().position(|mv| position.is_capture(*mv)).unwrap_or(0);
                let mut fractions = vec![0.0; moves.len()];
                fractions[best] = 1.0;
                let known = vec![QuietHints::default(); moves.len()];
                let node = Node { search: 0, game: 0, draft: 9, position, hash: None, known };
                examples.push(Example { node, best, fractions, regret: None, weight: 1.0 });
            }
        }
        examples
    }

    #[test]
    fn it_learns_to_capture_and_the_seed_determines_the_weights() {
        let examples = examples();
        let training = LinearTraining {
            seed: 1,
            epochs: 4,
            rate: 0.1,
            hash_move_dropout: 30,
            target: Target::Mixed,
            regret_weight: 0.0,
            mirror: false,
        };
        let learned = |training: &LinearTraining| {
            let mut learner = LinearLearner::new(training, &examples);
            let losses: Vec<f64> = (0..training.epochs).map(|_| learner.learn_epoch()).collect();
            (learner.policy(), losses)
        };
        let (policy, losses) = learned(&training);
        assert!(losses.is_sorted_by(|before, after| before > after), "{losses:?}");
        let zero = of_linear(&LinearPolicy::new(&[0.0; WEIGHTS]).unwrap(), true, &examples);
        let score = of_linear(&policy, true, &examples);
        assert!(score.mean_loss() < 0.7 * zero.mean_loss(), "{score}; {zero}");
        assert_eq!(policy.weights(), learned(&training).0.weights());
        assert_ne!(policy.weights(), learned(&LinearTraining { seed: 2, ..training }).0.weights());
    }
}

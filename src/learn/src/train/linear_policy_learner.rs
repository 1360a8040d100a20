//! The linear policy learns from labeled nodes, by cross-entropy and AdaGrad, one node at a step, in an order that seed and epoch
//! determine.
//!
//! ```text
//! g = p(move) - target(move)        for every move, and every row of it:
//! s[row] <- s[row] + g^2,   theta[row] <- theta[row] - rate / epoch  g / sqrt(s[row])
//! ```
//! CITE: Duchi, Hazan and Singer, "Adaptive subgradient methods for online learning and stochastic optimization", JMLR 12, 2011.

use crate::data::labeled_nodes::{Example, Target};
use crate::tasks::policy::policy_options::Options;
use crate::train::policy_learner::knows_hash;
use crate::train::policy_loss::slopes_of;
use nets::PolicyOutput;
use search::LinearPolicy;
use search::linear_policy::WEIGHTS;
use search::move_states::{MoveStates, ROWS};

/// Nodes that are learned from between two checks for a signal.
pub const STEP: usize = 4_096;
/// The least sum of squared slopes.
const LEAST_SUM: f32 = 1e-8;

/// Trains a linear policy, node by node.
pub struct LinearLearner {
    options: Options,
    /// `(context, row)`: the weights, and the sums of their squared slopes.
    weights: Vec<f32>,
    sums: Vec<f32>,
}

impl LinearLearner {
    /// A learner with weights of zero: every move is equally likely.
    pub fn new(options: &Options) -> Self {
        Self::restore(options, vec![0.0; WEIGHTS], vec![LEAST_SUM; WEIGHTS])
    }

    /// A learner that continues with these weights and the sums of their squared slopes, each `(context, row)`.
    pub fn restore(options: &Options, weights: Vec<f32>, sums: Vec<f32>) -> Self {
        Self { options: *options, weights, sums }
    }

    /// The weights and the sums of their squared slopes.
    pub fn memory(&self) -> [&[f32]; 2] {
        [&self.weights, &self.sums]
    }

    /// The policy so far.
    pub fn policy(&self) -> LinearPolicy {
        LinearPolicy::new(&self.weights).expect("there are as many weights as a policy has")
    }

    /// Learns from the examples of these numbers in an epoch, from 0; returns the sum of their losses.
    pub fn step(&mut self, examples: &[Example], numbers: &[u32], epoch: u64) -> f64 {
        let Options { seed, hash_move_dropout, target, .. } = self.options;
        let rate = self.options.linear_rate_of(1 + epoch);
        let (mut node, mut loss) = (NodeRows::default(), 0.0);
        for &index in numbers {
            let example = &examples[index as usize];
            node.set(example, knows_hash(seed, hash_move_dropout, epoch, index), target);
            loss += self.learn(&mut node, rate, example.weight);
        }
        loss
    }

    /// Learns from one node, whose loss has the factor `weight`; returns this loss.
    fn learn(&mut self, node: &mut NodeRows, rate: f32, weight: f32) -> f64 {
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
    use crate::streams::stream;
    use crate::train::policy_learner::epoch_order;
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
        let options = Options::default();
        let learned = |options: &Options| {
            let mut learner = LinearLearner::new(options);
            let order = |epoch| epoch_order(options.seed, epoch, examples.len());
            let losses: Vec<f64> = (0..4).map(|epoch| learner.step(&examples, &order(epoch), epoch)).collect();
            (learner.policy(), losses)
        };
        let (policy, losses) = learned(&options);
        assert!(losses.is_sorted_by(|before, after| before > after), "{losses:?}");
        let zero = of_linear(&LinearPolicy::new(&[0.0; WEIGHTS]).unwrap(), true, &examples);
        let score = of_linear(&policy, true, &examples);
        assert!(score.mean_loss() < 0.7 * zero.mean_loss(), "{score}; {zero}");
        assert_eq!(policy.weights(), learned(&options).0.weights());
        assert_ne!(policy.weights(), learned(&Options { seed: 2, ..options }).0.weights());
    }

    #[test]
    fn steps_are_those_of_the_equations_above() {
        // Kings in corners have three moves, with a pawn four.
        let of = |fen: &str, fractions: Vec<f32>, weight: f32| {
            let position = board::Position::from_fen(fen).unwrap();
            let known = vec![QuietHints::default(); fractions.len()];
            let node = Node { search: 0, game: 0, draft: 9, position, hash: None, known };
            Example { node, best: 0, fractions, regret: None, weight }
        };
        let examples = [
            of("7k/8/8/8/8/8/8/K7 w - - 0 1", vec![0.5, 0.25, 0.25], 2.0),
            of("7k/8/8/8/8/7P/8/K7 w - - 0 1", vec![0.0, 0.0, 0.5, 0.5], 0.5),
        ];
        let options = Options { linear_rate: 0.5, target: Target::Nodes, ..Options::default() };
        let mut learner = LinearLearner::new(&options);
        let (mut weights, mut sums, mut rows) = (vec![0.0_f64; WEIGHTS], vec![1e-8_f64; WEIGHTS], vec![0; WEIGHTS]);
        for (epoch, rate) in [(0, 0.5), (1, 0.25)] {
            let mut expected = 0.0;
            for example in &examples {
                let states = MoveStates::of(&example.node.position);
                let mut rows_of_moves = Vec::new();
                for scored in &example.node.candidates(true) {
                    let mut of_move = Vec::new();
                    states.each_row(scored, |row| of_move.push(states.context() * ROWS + row));
                    rows_of_moves.push(of_move);
                }
                let powers: Vec<f64> = rows_of_moves
                    .iter()
                    .map(|of_move| libm::exp(of_move.iter().map(|row| weights[*row]).sum::<f64>()))
                    .collect();
                let (all, weight) = (powers.iter().sum::<f64>(), f64::from(example.weight));
                for ((of_move, power), target) in rows_of_moves.iter().zip(&powers).zip(&example.fractions) {
                    let (p, target) = (power / all, f64::from(*target));
                    expected -= weight * target * libm::log(p);
                    for &row in of_move {
                        let slope = weight * (p - target);
                        sums[row] += slope * slope;
                        weights[row] -= rate * slope / sums[row].sqrt();
                        rows[row] += 1;
                    }
                }
            }
            let loss = learner.step(&examples, &[0, 1], epoch);
            assert!((loss - expected).abs() < 1e-5, "{loss} {expected}");
        }
        let [found_weights, found_sums] = learner.memory();
        assert_eq!((found_weights.len(), found_sums.len()), (WEIGHTS, WEIGHTS));
        for row in 0..WEIGHTS {
            let (weight, sum) = (f64::from(found_weights[row]), f64::from(found_sums[row]));
            assert!((weight - weights[row]).abs() < 1e-4 && (sum - sums[row]).abs() < 1e-4, "row {row}");
            assert_eq!(weight == 0.0, rows[row] == 0, "row {row}");
        }
        assert_eq!(learner.policy().weights(), found_weights);
    }
}

//! The third stage: the policy network learns from labeled nodes, by cross-entropy and AdaDelta.
//!
//! A step takes a batch of nodes in an order that seed and epoch determine, cut into a fixed number of shards, whose
//! gradients are summed in order: the same bits for any number of threads. The hash move of some nodes is hidden at random
//! (dropout), so that the network also learns to judge a node without one.

use crate::data::labeled_nodes::Example;
use crate::streams::{shuffled, stream};
use crate::tasks::policy::policy_options::Options;
use crate::train::average;
use crate::train::optimizer::{Optimizer, OptimizerKind};
use crate::train::policy_loss::slopes_of;
use crate::train::reduce::{self, Reduction};
use engine::network_policy::hints;
use feature_maps::layout::INPUTS;
use feature_maps::moves::MoveMaps;
use kernels::Kernels;
use nets::{Params, PolicyBatch, PolicyBatchWeights, PolicyNet, PolicyTopology, rank};
use rand::RngExt;
use search::ScoredMove;

/// How many shards a batch is cut into.
const SHARDS: usize = 8;

/// Trains a network, step by step.
pub struct Learner {
    options: Options,
    state: PolicyState,
    weights: PolicyBatchWeights,
    reduction: Reduction<Shard>,
}

/// The state of the training.
#[derive(Debug, Clone, PartialEq)]
pub struct PolicyState {
    /// The net.
    pub net: PolicyNet,
    /// The running mean of its weights, over about an epoch.
    pub average: PolicyNet,
    /// The optimizer.
    pub optimizer: Optimizer,
}

struct Shard {
    batch: PolicyBatch,
    loss: f64,
    logits: Vec<f32>,
    slopes: Vec<f32>,
    targets: Vec<f32>,
    /// `(node)`: the factors of the losses.
    weights: Vec<f32>,
    ranks: Vec<u16>,
}

impl PolicyState {
    /// A fresh net.
    pub fn new(options: &Options) -> Self {
        let net = PolicyNet::random(options.topology, options.head(), options.seed);
        let optimizer = Optimizer::new(OptimizerKind::AdaDelta, net.params().values().len());
        Self { average: net.clone(), net, optimizer }
    }
}

impl Learner {
    /// A learner that continues from this state, with a net of the options' sizes.
    pub fn new(options: Options, mut state: PolicyState, kernels: &'static Kernels) -> Self {
        state.optimizer = state.optimizer.with_adadelta(0.99, options.epsilon);
        let shard = || Shard {
            batch: PolicyBatch::new(&options.topology, kernels),
            loss: 0.0,
            logits: Vec::new(),
            slopes: Vec::new(),
            targets: Vec::new(),
            weights: Vec::new(),
            ranks: Vec::new(),
        };
        Self {
            weights: PolicyBatchWeights::new(&state.net),
            reduction: Reduction::new(Params::zeros(options.topology), SHARDS, shard),
            options,
            state,
        }
    }

    /// The state of the training.
    pub fn state(&self) -> &PolicyState {
        &self.state
    }

    /// Takes this step of this epoch, both from 0, by the examples of these numbers; returns the sum of their losses.
    pub fn step(&mut self, examples: &[Example], batch: &[u32], epoch: u64, step: u64) -> f64 {
        let Self { options, state, weights, reduction } = self;
        weights.set(&state.net);
        let shared = Step { options, weights, epoch, examples };
        let (shards, sum) = reduction.reduce(batch.len(), |part, shard| shard.learn(&shared, &batch[part]));
        let loss = shards.iter().fold(0.0, |loss, shard| loss + shard.loss);
        let scale = 1.0 / batch.len().max(1) as f32;
        sum.values_mut().iter_mut().for_each(|sum| *sum *= scale);
        state.optimizer.step(state.net.params_mut().values_mut(), sum.values(), options.rate);
        let steps = examples.len().div_ceil(options.batch) as u64;
        average::follow(state.average.params_mut(), state.net.params(), epoch * steps + step + 1, steps.max(1));
        loss
    }
}

impl reduce::Shard for Shard {
    type Sum = Params<PolicyTopology>;

    fn merge(&mut self, other: &mut Self) {
        self.batch.merge(&mut other.batch);
    }

    fn add_gradient(&mut self, sum: &mut Params<PolicyTopology>) {
        self.batch.take_gradient(sum);
    }
}

/// The order in which an epoch, counted from 0, takes so many examples.
pub fn epoch_order(seed: u64, epoch: u64, examples: usize) -> Vec<u32> {
    shuffled(examples, &mut stream(seed, 1 + epoch, u64::MAX))
}

/// Whether the hash move of an example is known in an epoch, where so many per cent are hidden.
pub fn knows_hash(seed: u64, dropout: u32, epoch: u64, index: u32) -> bool {
    stream(seed, 1 + epoch, index.into()).random_range(0..100) >= dropout
}

/// What the shards of a step share.
struct Step<'a> {
    options: &'a Options,
    weights: &'a PolicyBatchWeights,
    epoch: u64,
    examples: &'a [Example],
}

impl Shard {
    /// Adds the gradient of the examples with these numbers.
    fn learn(&mut self, step: &Step<'_>, part: &[u32]) {
        let Step { options, weights, epoch, examples } = *step;
        self.loss = 0.0;
        self.batch.begin();
        self.targets.clear();
        self.weights.clear();
        for &index in part {
            let example = &examples[index as usize];
            if !self.batch.has_room(example.fractions.len()) {
                self.learn_batch(options, weights);
            }
            let with_hash = knows_hash(options.seed, options.hash_move_dropout, epoch, index);
            push(&mut self.batch, example, &example.node.candidates(with_hash));
            self.targets.extend(example.target(options.target));
            self.weights.push(example.weight);
        }
        self.learn_batch(options, weights);
    }

    /// Learns from the batch and begins a new one.
    fn learn_batch(&mut self, options: &Options, weights: &PolicyBatchWeights) {
        let Self { batch, loss, logits, slopes, targets, weights: factors, ranks } = self;
        batch.forward_nodes(weights);
        ranks.clear();
        ranks.resize(targets.len(), 0);
        for _ in 0..options.passes {
            logits.clear();
            logits.extend_from_slice(batch.forward_moves(weights, ranks.iter().map(|rank| usize::from(*rank))));
            slopes.clear();
            for (moves, factor) in batch.ranges().zip(&*factors) {
                let (logits, targets) = (&logits[moves.clone()], &targets[moves.clone()]);
                let node = slopes_of(options.output, logits, targets, slopes);
                *loss += f64::from(*factor) * node / options.passes as f64;
                slopes[moves].iter_mut().for_each(|slope| *slope *= factor);
            }
            batch.backward_moves(weights, slopes);
            batch.ranges().for_each(|moves| rank(&logits[moves.clone()], &mut ranks[moves]));
        }
        batch.backward_nodes(weights);
        batch.begin();
        targets.clear();
        factors.clear();
    }
}

/// Adds a node with these candidates, in the order of its legal moves, to a batch.
pub fn push(batch: &mut PolicyBatch, example: &Example, candidates: &[ScoredMove]) {
    let position = &example.node.position;
    let mut features = [0.0; INPUTS];
    feature_maps::extract(position, &mut features);
    let maps = MoveMaps::of(position);
    let rows =
        candidates.iter().zip(hints(position, candidates)).map(|(candidate, hints)| maps.rows(candidate.mv, &hints));
    batch.push(&features, maps.node_rows(candidates.len()), rows);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::labeled_nodes::Target;
    use crate::data::policy_node::Node;
    use board::random_positions::RandomPositions;
    use nets::PolicyOutput;
    use search::QuietHints;

    fn options() -> Options {
        let topology = PolicyTopology::new([16, 16, 16], 16, 8).unwrap();
        Options { topology, batch: 64, target: Target::Best, passes: 2, ..Options::default() }
    }

    /// Nodes whose best move is the one that takes most.
    fn examples(count: usize) -> Vec<Example> {
        let mut games = RandomPositions::new(stream(3, 3, 3));
        let mut examples = Vec::new();
        while examples.len() < count {
            let position = games.next_position().clone();
            let moves = position.legal_moves();
            if moves.len() < 2 {
                continue;
            }
            let best = (0..moves.len()).max_by_key(|index| position.see(moves[*index])).unwrap();
            let known = vec![QuietHints::default(); moves.len()];
            let fractions = vec![1.0 / moves.len() as f32; moves.len()];
            let node = Node { search: 0, game: 0, draft: 17, position, hash: None, known };
            examples.push(Example { node, best, fractions, regret: None, weight: 1.0 });
        }
        examples
    }

    fn learn(threads: usize, options: Options, examples: &[Example], epochs: u64) -> (PolicyState, Vec<f64>) {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut learner = Learner::new(options, PolicyState::new(&options), kernels::active().unwrap());
        let losses = (0..epochs).map(|epoch| {
            let order = epoch_order(options.seed, epoch, examples.len());
            let batches = order.chunks(options.batch).zip(0..);
            pool.install(|| batches.map(|(batch, step)| learner.step(examples, batch, epoch, step)).sum())
        });
        let losses = losses.collect();
        (learner.state().clone(), losses)
    }

    #[test]
    fn the_same_bits_for_any_number_of_threads_and_the_loss_falls() {
        let examples = examples(400);
        for output in [PolicyOutput::Softmax, PolicyOutput::Sigmoid] {
            let options = Options { output, ..options() };
            let (one, losses) = learn(1, options, &examples, 12);
            assert!(one == learn(3, options, &examples, 12).0, "{output:?}");
            assert!(losses.len() == 12 && losses[11] < 0.8 * losses[0], "{output:?}: {losses:?}");
        }
    }
}

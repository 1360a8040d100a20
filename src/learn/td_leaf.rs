//! TD-Leaf(lambda) (thesis 4.5): the net learns to foresee its own later values, at the leaves of its principal variations.
//!
//! An iteration plays rollouts from many start positions, turns each rollout's values into targets by
//! [`Targets`], and takes one step of AdaDelta against the mean gradient of the leaves' losses. Everything random is
//! drawn from streams named by seed, iteration and index, and every sum is made in a fixed order: the same bits for any
//! number of threads.
//!
//! CITE: Lai 2015, Giraffe, section 4.5; Baxter, Tridgell and Weaver 1999, TDLeaf(lambda).

use crate::engine::evaluators::NetworkEvaluator;
use crate::learn::config::{Config, Leaves};
use crate::learn::rollout::{Rollout, RolloutOptions, Worker};
use crate::learn::start_positions::StartPositions;
use crate::learn::streams::stream;
use crate::learn::targets::Targets;
use crate::learn::trainer_state::TrainerState;
use crate::learn::update::average;
use crate::learn::update::gradient::{Example, Gradient, Statistics, norm};
use crate::search::{STACK_BYTES, Table, TableError};
use kernels::Kernels;
use kernels::adadelta::Rule;
use nets::QuantizedValueNet;
use rayon::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use support::panic::panic_message;

/// A game played to its end lasts at most this many plies.
const LONGEST_GAME: usize = 400;
/// After so many iterations the net's outputs are ordered anew, which only makes it faster.
const REORDER: u64 = 256;

/// The learner: the net, its optimiser, and where its rollouts start.
pub struct TdLeaf {
    config: Config,
    kernels: &'static Kernels,
    pool: rayon::ThreadPool,
    // `(threads)`; a lock that only its own thread takes, once a rollout.
    workers: Vec<Mutex<Worker>>,
    /// The net that the workers play with.
    gradient: Gradient,
    targets: Targets,
    recipe: RolloutOptions,
    state: TrainerState,
    starts: StartPositions,
}

/// A rollout and what it teaches, or why it failed.
type Played = Result<(Rollout, Vec<Example>), String>;

/// What an iteration did.
#[derive(Debug, Clone)]
pub struct Iteration {
    /// Its number, from 1.
    pub number: u64,
    /// Rollouts that came to their end.
    pub rollouts: usize,
    /// Searches.
    pub searches: u64,
    /// Nodes of these searches.
    pub nodes: u64,
    /// Leaves learnt from, replayed ones apart.
    pub leaves: usize,
    /// Mean |w_{t+1} - w_t| of the rollouts.
    pub temporal_error: f64,
    /// What the batch looked like to the net before the step.
    pub batch: Statistics,
    /// The Euclidean norm of the parameters after the step.
    pub weight_norm: f64,
    /// One sentence for each rollout that failed, naming what repeats it.
    pub failures: Vec<String>,
    /// Wall time of the whole iteration.
    pub elapsed: Duration,
    /// Wall time of the rollouts.
    pub rollout_time: Duration,
    /// The share of all threads' time in the rollouts that passed waiting for the last of them, [0, 1].
    pub barrier: f64,
}

impl TdLeaf {
    /// A learner that goes on from what is `state`. This must fit the configuration, as must `starts`.
    ///
    /// # Errors
    /// If a table or the threads cannot be had.
    pub fn new(
        config: Config,
        mut state: TrainerState,
        starts: StartPositions,
        kernels: &'static Kernels,
    ) -> anyhow::Result<Self> {
        let threads = config.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK_BYTES).build()?;
        state.net.order_neurons(kernels);
        // A run whose checkpoint has no mean yet begins it from its net.
        state.average = (config.average > 0).then(|| state.best().clone());
        let packed = NetworkEvaluator::new(Arc::new(QuantizedValueNet::new(&state.net, kernels)));
        let worker = || Ok(Mutex::new(Worker::new(packed.clone(), Table::with_kilobytes(config.hash_kilobytes)?)));
        let workers = std::iter::repeat_with(worker).take(threads).collect::<Result<_, TableError>>()?;
        let gradient = Gradient::new(*state.net.params().topology(), config.loss.into(), kernels);
        let targets = Targets::new(&config);
        let recipe = RolloutOptions {
            random_moves: config.random_moves as usize,
            plies: if config.result { LONGEST_GAME } else { config.plies },
            nodes: config.nodes,
        };
        let rule = Rule { rho: config.rho, epsilon: config.epsilon, rate: config.rate };
        state.optimiser = state.optimiser.with_rule(rule);
        Ok(Self { config, kernels, pool, workers, gradient, targets, recipe, state, starts })
    }

    /// What is learnt so far.
    pub fn state(&self) -> &TrainerState {
        &self.state
    }

    /// Where the next rollouts start.
    pub fn starts(&self) -> &StartPositions {
        &self.starts
    }

    /// The configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Threads at work.
    pub fn threads(&self) -> usize {
        self.workers.len()
    }

    /// Does something on the threads that play the rollouts.
    pub fn install<R: Send>(&self, task: impl FnOnce() -> R + Send) -> R {
        self.pool.install(task)
    }

    /// The most leaves that an iteration teaches.
    pub fn most_leaves(&self) -> usize {
        let plies = if self.config.leaves == Leaves::First { 1 } else { self.recipe.plies };
        self.config.positions * plies
    }

    /// Plays an iteration's rollouts and learns from them.
    pub fn iterate(&mut self) -> Iteration {
        let begin = Instant::now();
        self.state.iteration += 1;
        let (rollouts, busy) = self.play();
        let rollout_time = begin.elapsed();
        let mut failures = Vec::new();
        let (mut played, mut searches, mut nodes) = (0, 0, 0);
        let mut changes = (0.0, 0_usize);
        let mut examples = Vec::new();
        for (index, rollout) in rollouts.into_iter().enumerate() {
            match rollout {
                Ok((rollout, taught)) => {
                    played += 1;
                    searches += rollout.searches;
                    nodes += rollout.nodes;
                    for pair in rollout.moments.windows(2) {
                        changes.0 += f64::from((pair[1].value - pair[0].value).abs());
                        changes.1 += 1;
                    }
                    examples.extend(taught);
                    let last = rollout.moments.last().map_or(0.0, |last| last.value);
                    self.starts.advance(index, rollout.end, last);
                }
                Err(why) => {
                    failures.push(format!(
                        "rollout {index} of iteration {} with seed {} failed: {why}",
                        self.state.iteration, self.config.seed
                    ));
                    self.starts.advance(index, None, 0.0);
                }
            }
        }
        let leaves = examples.len();
        let Self { pool, gradient, state, .. } = self;
        let all: Vec<&Example> = examples.iter().chain(state.replay.examples()).collect();
        let (slope, batch) = pool.install(|| gradient.of(&state.net, &all));
        if !all.is_empty() {
            state.optimiser.set_rate(self.config.rate_at(state.iteration));
            state.optimiser.step(state.net.params_mut().values_mut(), slope);
            if let Some(average) = &mut state.average {
                average::follow(average, &state.net, state.iteration, self.config.average);
            }
            self.rebuild();
        }
        self.state.replay.keep(examples);
        let threads = self.workers.len() as f64;
        Iteration {
            number: self.state.iteration,
            rollouts: played,
            searches,
            nodes,
            leaves,
            temporal_error: changes.0 / changes.1.max(1) as f64,
            batch,
            weight_norm: norm(self.state.net.params().values()),
            failures,
            elapsed: begin.elapsed(),
            rollout_time,
            barrier: (1.0 - busy.as_secs_f64() / (threads * rollout_time.as_secs_f64()).max(1e-9)).clamp(0.0, 1.0),
        }
    }

    /// The iteration's rollouts by index, and the time that all threads together spent on them.
    fn play(&self) -> (Vec<Played>, Duration) {
        let play = |index: usize| {
            let begin = Instant::now();
            let mut random = stream(self.config.seed, self.state.iteration, index as u64);
            let rollout = catch_unwind(AssertUnwindSafe(|| {
                let start = self.starts.start(index, &mut random);
                // A worker that a panic has left behind begins every rollout from nothing, as any other.
                let worker = &self.workers[rayon::current_thread_index().unwrap_or(0)];
                let rollout =
                    worker.lock().unwrap_or_else(PoisonError::into_inner).play(start, &self.recipe, &mut random);
                let examples = self.targets.examples(&rollout.moments);
                (rollout, examples)
            }));
            (rollout.map_err(|panic| panic_message(&*panic).to_owned()), begin.elapsed())
        };
        let played: Vec<_> =
            self.pool.install(|| (0..self.config.positions).into_par_iter().with_max_len(1).map(play).collect());
        let busy = played.iter().map(|(_, time)| *time).sum();
        (played.into_iter().map(|(rollout, _)| rollout).collect(), busy)
    }

    /// The workers play with the net as it is now.
    fn rebuild(&mut self) {
        let Self { pool, state, kernels, .. } = self;
        if state.iteration.is_multiple_of(REORDER) {
            state.net.order_neurons(kernels);
        }
        let packed = NetworkEvaluator::new(Arc::new(pool.install(|| QuantizedValueNet::new(&state.net, kernels))));
        for worker in &mut self.workers {
            worker.get_mut().unwrap_or_else(PoisonError::into_inner).set_net(packed.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Evaluator;
    use board::{Color, Piece, Position};
    use nets::{Topology, ValueNet};
    use rand::RngExt;

    fn learner(config: Config, starts: StartPositions) -> TdLeaf {
        let net = ValueNet::random(config.topology, config.seed);
        let state = TrainerState::new(net, &config);
        TdLeaf::new(config, state, starts, kernels::active().unwrap()).unwrap()
    }

    fn small(threads: usize) -> Config {
        let topology = Topology::new([4, 8, 4], 8).unwrap();
        Config {
            positions: 24,
            plies: 6,
            nodes: 48,
            threads: Some(threads),
            hash_kilobytes: 16,
            topology,
            ..Config::default()
        }
    }

    fn bits(net: &ValueNet) -> Vec<u32> {
        net.params().values().iter().map(|value| value.to_bits()).collect()
    }

    #[test]
    fn the_same_bits_for_any_number_of_threads() {
        let run = |threads: usize, replay: usize, stride: u32| {
            let config = Config { replay, stride, knightcap: stride == 2, ..small(threads) };
            let mut learner = learner(config, StartPositions::Generated(vec![None; 24]));
            let iterations: Vec<_> = (0..3).map(|_| learner.iterate()).collect();
            assert!(iterations.iter().all(|iteration| iteration.rollouts == 24 && iteration.failures.is_empty()));
            assert!(iterations.iter().all(|iteration| iteration.searches <= 24 * 6 && iteration.leaves > 24));
            (bits(learner.state().best()), learner.starts().clone())
        };
        for (replay, stride) in [(0, 1), (2, 2)] {
            let one = run(1, replay, stride);
            assert_ne!(one.0, bits(&ValueNet::random(small(1).topology, 1)), "nothing state");
            for threads in [2, 64] {
                assert!(one == run(threads, replay, stride), "{threads} threads");
            }
        }
    }

    #[test]
    fn a_rollout_that_panics_is_named_and_the_run_goes_on() {
        // An empty database, which no run has, panics in every rollout.
        let mut learner = learner(small(2), StartPositions::Database(Vec::new()));
        let before = bits(learner.state().best());
        let iteration = learner.iterate();
        assert_eq!((iteration.rollouts, iteration.leaves, iteration.failures.len()), (0, 0, 24));
        assert!(iteration.failures[3].starts_with("rollout 3 of iteration 1 with seed 1 failed: "));
        assert_eq!(bits(learner.state().best()), before);
    }

    /// King and two queens against a bare king on the edge of the board, either side to move: won, and soon mate.
    fn won_endings() -> Vec<Position> {
        let mut random = stream(4, 4, 4);
        let mut found = Vec::new();
        while found.len() < 200 {
            let mut pick = |squares: &[&str]| squares[random.random_range(0..squares.len())].to_owned();
            let bare = pick(&["7k", "6k1", "4k3", "k7"]);
            let king = pick(&["6K1", "5K2", "3K4", "1K6", "4K3"]);
            let queens = pick(&["Q6Q", "Q2Q4", "1Q4Q1", "QQ6", "5Q1Q"]);
            let side = pick(&["w", "b"]);
            let position = Position::from_fen(&format!("{bare}/8/{king}/{queens}/8/8/8/8 {side} - - 0 1"));
            // A queen that hangs would leave less to win.
            found.extend(position.ok().filter(|position| {
                let keeps = |mv: &board::Move| position.play(*mv).pieces(Piece::Queen).len() == 2;
                position.outcome().is_none()
                    && (position.side_to_move() == Color::White || position.legal_moves().iter().all(keeps))
            }));
        }
        found
    }

    #[test]
    fn a_game_with_a_known_result_is_learnt_from_nothing() {
        let config = Config { positions: 16, plies: 8, nodes: 400, random_moves: 0, ..small(2) };
        let endings = won_endings();
        let mut learner = learner(config, StartPositions::Database(endings.clone()));
        let mean = |learner: &TdLeaf| {
            let net = NetworkEvaluator::new(Arc::new(QuantizedValueNet::new(learner.state().best(), learner.kernels)));
            let of = |position: &Position| {
                let value = net.evaluate(&mut net.root(position), position);
                if position.side_to_move() == Color::White { value } else { -value }
            };
            endings.iter().map(of).sum::<f32>() / endings.len() as f32
        };
        let before = mean(&learner);
        assert!(before.abs() < 0.1, "{before}");
        for _ in 0..300 {
            learner.iterate();
        }
        let after = mean(&learner);
        assert!(after > 0.6, "{after}");
    }
}

//! TD-Leaf(lambda) (thesis 4.5): the net learns to predict its own later values, at the leaves of its principal variations; or, by
//! TreeStrap, the values that its search found at the nodes of its tree.
//!
//! An iteration lets the producer play rollouts from many start positions and the updater take one step of AdaDelta
//! against the mean gradient of the leaves' losses. Everything random is drawn from streams named by seed, iteration and
//! index, and every sum is made in a fixed order: the same bits for any number of threads.
//!
//! CITE: Lai 2015, Giraffe, section 4.5; Baxter, Tridgell and Weaver 1999, TDLeaf(lambda); Veness, Silver, Uther and Blair 2009,
//! Bootstrapping from Game Tree Search.

use crate::data::episode::{Episode, Producer, Production};
use crate::data::self_play::SelfPlay;
use crate::data::start_positions::StartPositions;
use crate::run::team::{Command, Team};
use crate::tasks::td_leaf::td_leaf_kinds::{Leaves, TargetKind};
use crate::tasks::td_leaf::td_leaf_options::Options;
use crate::tasks::td_leaf::throughput::Throughput;
use crate::train::trainer_state::TrainerState;
use crate::train::updater::Updater;
use crate::train::value_trainer::{Statistics, norm};
use engine::evaluators::NetworkEvaluator;
use kernels::Kernels;
use nets::QuantizedValueNet;
use search::{Policy, STACK_BYTES};
use std::sync::Arc;
use std::time::Instant;

/// Iterations after which the net's neurons are ordered anew, which only makes it faster.
const REORDER: u64 = 256;

/// The trainer: a producer of episodes, an updater, and the state that both change.
pub struct TdLeaf {
    options: Options,
    kernels: &'static Kernels,
    pool: rayon::ThreadPool,
    self_play: SelfPlay,
    updater: Updater,
    state: TrainerState,
    team: Team,
}

/// What an iteration did.
#[derive(Debug, Clone)]
pub struct Iteration {
    /// Its number, from 1.
    pub number: u64,
    /// What it did, and how long that took.
    pub work: Throughput,
    /// Mean |w_{t+1} - w_t| of the rollouts.
    pub temporal_error: f64,
    /// The batch as the net saw it before the step.
    pub batch: Statistics,
    /// Of its roots and nodes, the part whose values were inside their bounds.
    pub inside: Option<f64>,
    /// The Euclidean norm of the parameters after the step.
    pub weight_norm: f64,
    /// One sentence for each rollout that failed, which names what repeats it.
    pub failures: Vec<String>,
}

impl TdLeaf {
    /// A trainer that continues from `state`, which must fit the options, as must `starts`; `policy` is that of the
    /// rollouts.
    ///
    /// # Errors
    /// If a table cannot be allocated or the threads cannot be started.
    pub fn new(
        options: Options,
        mut state: TrainerState,
        starts: StartPositions,
        policy: &Arc<dyn Policy>,
        kernels: &'static Kernels,
    ) -> anyhow::Result<Self> {
        let threads = options.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK_BYTES).build()?;
        state.net.order_neurons(kernels);
        // A run whose checkpoint has no mean yet begins it from its net.
        state.average = (options.average > 0).then(|| state.best().clone());
        let net = NetworkEvaluator::new(Arc::new(QuantizedValueNet::new(&state.net, kernels)));
        let self_play = SelfPlay::new(&options, &net, policy, starts, threads)?;
        let updater = Updater::new(&options, &state.net, kernels);
        state.optimizer = state.optimizer.with_adadelta(options.rho, options.epsilon);
        Ok(Self { options, kernels, pool, self_play, updater, state, team: Team::alone() })
    }

    /// The same trainer, whose iterations all ranks of this team do together: the others [follow](Self::follow).
    pub fn of_team(self, team: &Team) -> Self {
        let (self_play, updater) = (self.self_play.of_team(team.clone()), self.updater.of_team(team.clone()));
        Self { self_play, updater, team: team.clone(), ..self }
    }

    /// What a rank does that is not rank 0: its part of every iteration.
    ///
    /// # Errors
    /// [`Followed`](crate::run::team::Followed), with the exit status of rank 0.
    pub fn follow(mut self) -> anyhow::Result<()> {
        loop {
            match self.team.receive() {
                Command::Iterate => drop(self.iterate_together()),
                Command::End(status) => return self.team.ended(status),
                other => unreachable!("{other:?} is another task's"),
            }
        }
    }

    /// The state of the training.
    pub fn state(&self) -> &TrainerState {
        &self.state
    }

    /// Where the next rollouts start.
    pub fn starts(&self) -> &StartPositions {
        self.self_play.starts()
    }

    /// The options.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Threads at work.
    pub fn threads(&self) -> usize {
        self.self_play.threads()
    }

    /// Does something on the threads that play the rollouts.
    pub fn install<R: Send>(&self, task: impl FnOnce() -> R + Send) -> R {
        self.pool.install(task)
    }

    /// The most leaves, roots and nodes of an iteration.
    pub fn most_examples(&self) -> usize {
        let plies = if self.options.leaves == Leaves::First { 1 } else { self.self_play.plies() };
        let of_search = match self.options.targets {
            TargetKind::Leaf | TargetKind::Root => 1,
            TargetKind::Tree => self.options.tree_nodes,
            TargetKind::Mixed => 1 + self.options.tree_nodes,
        };
        self.options.positions * plies * of_search
    }

    /// Plays an iteration's rollouts and learns from them.
    pub fn iterate(&mut self) -> Iteration {
        self.team.command(&Command::Iterate);
        self.iterate_together()
    }

    fn iterate_together(&mut self) -> Iteration {
        let begin = Instant::now();
        let Self { pool, self_play, updater, state, kernels, .. } = self;
        state.iteration += 1;
        let Production { episodes, busy, threads } = pool.install(|| self_play.produce(state.iteration));
        let rollout_time = begin.elapsed();
        let (mut played, mut failures) = (Vec::with_capacity(episodes.len()), Vec::new());
        for episode in episodes {
            match episode {
                Ok(episode) => played.push(episode),
                Err(why) => failures.push(why),
            }
        }
        let update = pool.install(|| updater.learn(state, &played));
        if update.changed {
            if state.iteration.is_multiple_of(REORDER) {
                state.net.order_neurons(kernels);
            }
            self_play.set_net(&NetworkEvaluator::new(Arc::new(
                pool.install(|| QuantizedValueNet::new(&state.net, kernels)),
            )));
        }
        let work = Throughput {
            iterations: 1,
            rollouts: played.len() as u64,
            searches: played.iter().map(|episode| episode.moves.len() as u64).sum(),
            nodes: played.iter().map(|episode| episode.nodes).sum(),
            leaves: update.leaves as u64,
            learned_nodes: update.nodes as u64,
            elapsed: begin.elapsed(),
            rollout_time,
            waiting: (rollout_time * threads as u32).saturating_sub(busy),
        };
        Iteration {
            number: state.iteration,
            work,
            temporal_error: temporal_error(&played),
            batch: update.batch,
            inside: update.inside,
            weight_norm: norm(state.net.params().values()),
            failures,
        }
    }
}

/// Mean |w_{t+1} - w_t| of the episodes.
fn temporal_error(episodes: &[Episode]) -> f64 {
    let pairs = episodes.iter().flat_map(|episode| episode.steps.windows(2));
    let (sum, count) = pairs
        .fold((0.0, 0_usize), |(sum, count), pair| (sum + f64::from((pair[1].value - pair[0].value).abs()), count + 1));
    sum / count.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::episode::Step;
    use crate::run::ranks::in_threads::InThreads;
    use crate::streams::stream;
    use board::{Color, Piece, Position};
    use nets::{NetworkTopology, ValueNet};
    use rand::RngExt;
    use search::{Evaluator, StaticPolicy};

    fn learner(options: Options, starts: StartPositions) -> TdLeaf {
        let net = ValueNet::random(options.topology, options.seed);
        let state = TrainerState::new(net, &options);
        let policy: Arc<dyn Policy> = Arc::new(StaticPolicy);
        TdLeaf::new(options, state, starts, &policy, kernels::active().unwrap()).unwrap()
    }

    fn small(threads: usize) -> Options {
        let topology = NetworkTopology::new([4, 8, 4], 8).unwrap().into();
        Options {
            positions: 24,
            plies: 6,
            nodes: 48,
            threads: Some(threads),
            hash_kilobytes: 16,
            topology,
            ..Options::default()
        }
    }

    fn bits(net: &ValueNet) -> Vec<u32> {
        net.params().values().iter().map(|value| value.to_bits()).collect()
    }

    #[test]
    fn the_same_bits_for_any_number_of_threads() {
        let run = |threads: usize, replay: usize, stride: u32, targets: TargetKind| {
            let options = Options { replay, stride, targets, knightcap: stride == 2, ..small(threads) };
            let mut learner = learner(options, StartPositions::Generated(vec![None; 24]));
            let iterations: Vec<_> = (0..3).map(|_| learner.iterate()).collect();
            assert!(iterations.iter().all(|iteration| iteration.work.rollouts == 24 && iteration.failures.is_empty()));
            for Iteration { work, inside, .. } in &iterations {
                assert!(work.searches <= 24 * 6 && work.leaves + work.learned_nodes > 24);
                assert_eq!((work.leaves > 0, work.learned_nodes > 0), (targets.has_leaves(), inside.is_some()));
            }
            (bits(learner.state().best()), learner.starts().clone())
        };
        use TargetKind::{Leaf, Mixed, Root, Tree};
        for (replay, stride, targets) in [(0, 1, Leaf), (2, 2, Leaf), (1, 1, Root), (1, 1, Tree), (0, 2, Mixed)] {
            let one = run(1, replay, stride, targets);
            assert_ne!(one.0, bits(&ValueNet::random(small(1).topology, 1)), "nothing is learned");
            for threads in [2, 64] {
                assert!(one == run(threads, replay, stride, targets), "{threads} threads, {targets:?}");
            }
        }
    }

    #[test]
    fn the_same_bits_for_any_number_of_ranks() {
        let starts = || StartPositions::Generated(vec![None; 24]);
        let options = Options { replay: 2, targets: TargetKind::Mixed, ..small(1) };
        let mut alone = learner(options.clone(), starts());
        let expected: Vec<_> = (0..3).map(|_| alone.iterate()).collect();
        for size in [2, 3, 4] {
            std::thread::scope(|scope| {
                let run = |ranks| {
                    let options = options.clone();
                    scope.spawn(move || {
                        let team = Team::new(ranks, None);
                        let mut learner = learner(options, starts()).of_team(&team);
                        if !team.is_first() {
                            assert!(learner.follow().is_ok());
                            return None;
                        }
                        let iterations: Vec<_> = (0..3).map(|_| learner.iterate()).collect();
                        team.command(&Command::End(0));
                        Some((bits(learner.state().best()), learner.starts().clone(), iterations))
                    })
                };
                let threads: Vec<_> = InThreads::all(size).into_iter().map(run).collect();
                let found: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
                let (net, starts, iterations) = found[0].as_ref().unwrap();
                assert!(*net == bits(alone.state().best()) && starts == alone.starts(), "{size} ranks");
                for (iteration, expected) in iterations.iter().zip(&expected) {
                    assert_eq!(iteration.batch, expected.batch, "{size} ranks");
                    assert_eq!(iteration.work.nodes, expected.work.nodes);
                    assert!(iteration.inside.is_some() && iteration.inside == expected.inside);
                }
            });
        }
    }

    #[test]
    fn a_rollout_that_panics_is_named_and_the_run_goes_on() {
        // An empty database, which no run has, panics in every rollout.
        let mut learner = learner(small(2), StartPositions::Database(Vec::new()));
        let before = bits(learner.state().best());
        let iteration = learner.iterate();
        assert_eq!((iteration.work.rollouts, iteration.work.leaves, iteration.failures.len()), (0, 0, 24));
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
    fn a_game_with_a_known_result_is_learned_from_nothing() {
        learns_won_endings(Options { positions: 16, plies: 8, nodes: 400, random_moves: 0, ..small(2) });
    }

    #[test]
    fn a_game_with_a_known_result_is_learned_from_the_trees_of_its_searches() {
        let targets = TargetKind::Tree;
        learns_won_endings(Options {
            positions: 16,
            plies: 8,
            nodes: 400,
            random_moves: 0,
            targets,
            replay: 2,
            ..small(2)
        });
    }

    fn learns_won_endings(options: Options) {
        let endings = won_endings();
        let mut learner = learner(options, StartPositions::Database(endings.clone()));
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
        for _ in 0..600 {
            learner.iterate();
        }
        let after = mean(&learner);
        assert!(after > 0.6, "{after}");
    }

    #[test]
    fn an_iteration_has_at_most_so_many_examples() {
        let most = |leaves, targets| {
            let options = Options { leaves, targets, tree_nodes: 3, ..small(1) };
            learner(options, StartPositions::Generated(vec![None; 24])).most_examples()
        };
        let kinds = [TargetKind::Leaf, TargetKind::Root, TargetKind::Tree, TargetKind::Mixed];
        assert_eq!(kinds.map(|kind| most(Leaves::Every, kind)), [144, 144, 432, 576]);
        assert_eq!(kinds.map(|kind| most(Leaves::First, kind)), [24, 24, 72, 96]);
    }

    #[test]
    fn the_temporal_error_is_the_mean_difference_of_neighbors() {
        let episode = |values: &[f32]| Episode {
            start: Position::start(),
            moves: Vec::new(),
            steps: values.iter().map(|value| Step { value: *value, leaf: None, predicted: false }).collect(),
            trees: Vec::new(),
            end: None,
            nodes: 0,
        };
        assert_eq!(temporal_error(&[episode(&[0.5, 0.25, 0.5]), episode(&[-0.5, 0.5]), episode(&[0.75])]), 0.5);
        assert_eq!(temporal_error(&[]), 0.0);
    }
}

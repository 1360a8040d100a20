//! Self-play: rollouts from many start positions, on all threads. Everything random is drawn from streams named by seed,
//! iteration and index, so that the episodes do not depend on the number of threads.

use crate::data::episode::{Episode, Producer, Production};
use crate::data::episode_bytes::{self, Indexed};
use crate::data::rollout::{RolloutOptions, Worker};
use crate::data::start_positions::StartPositions;
use crate::run::team::Team;
use crate::streams::stream;
use crate::tasks::td_leaf::td_leaf_options::Options;
use engine::evaluators::NetworkEvaluator;
use rayon::prelude::*;
use search::{Policy, Table, TableError};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use support::panic::panic_message;

/// A game played to its end has at most this many plies.
const LONGEST_GAME: usize = 400;

/// The producer of rollouts; it plays on the threads of the `rayon` pool that it is called in.
pub struct SelfPlay {
    seed: u64,
    /// Rollouts of an iteration.
    positions: usize,
    rollout: RolloutOptions,
    // `(threads)`; a lock that only its own thread takes, once a rollout.
    workers: Vec<Mutex<Worker>>,
    starts: StartPositions,
    team: Team,
}

impl SelfPlay {
    /// Self-play by these options, which `starts` must fit, with this net and policy, on a pool of `threads`.
    ///
    /// # Errors
    /// If a table cannot be allocated.
    pub fn new(
        options: &Options,
        net: &NetworkEvaluator,
        policy: &Arc<dyn Policy>,
        starts: StartPositions,
        threads: usize,
    ) -> Result<Self, TableError> {
        let worker = || {
            let (table, selectivity) = (Table::with_kilobytes(options.hash_kilobytes)?, options.policy.selectivity());
            Ok(Mutex::new(Worker::new(net.clone(), policy.clone(), selectivity, table, options.sampling())))
        };
        let workers = std::iter::repeat_with(worker).take(threads).collect::<Result<_, TableError>>()?;
        let rollout = RolloutOptions {
            random_moves: options.random_moves as usize,
            plies: if options.result { LONGEST_GAME } else { options.plies },
            nodes: options.nodes,
        };
        let (seed, positions) = (options.seed, options.positions);
        Ok(Self { seed, positions, rollout, workers, starts, team: Team::alone() })
    }

    /// The same self-play, whose rollouts the ranks of this team share.
    pub fn of_team(self, team: Team) -> Self {
        Self { team, ..self }
    }

    /// Where the next rollouts start.
    pub fn starts(&self) -> &StartPositions {
        &self.starts
    }

    /// The most plies of a rollout.
    pub fn plies(&self) -> usize {
        self.rollout.plies
    }

    /// How many threads play.
    pub fn threads(&self) -> usize {
        self.workers.len()
    }

    /// Plays with another net from now on.
    pub fn set_net(&mut self, net: &NetworkEvaluator) {
        for worker in &mut self.workers {
            worker.get_mut().unwrap_or_else(PoisonError::into_inner).set_net(net.clone());
        }
    }

    /// The rollouts that this thread takes, until none is left, and the time that they took.
    fn play_some(&self, iteration: u64) -> (Vec<Indexed>, Duration) {
        let (mut episodes, mut busy) = (Vec::new(), Duration::ZERO);
        let numbers = std::iter::repeat_with(|| self.team.take()).take_while(|index| *index < self.positions);
        for index in numbers {
            let (episode, time) = self.play(iteration, index);
            episodes.push((index, episode));
            busy += time;
        }
        (episodes, busy)
    }

    /// The rollout of this index, or why it failed, and the time that it took.
    fn play(&self, iteration: u64, index: usize) -> (Result<Episode, String>, Duration) {
        let begin = Instant::now();
        let mut random = stream(self.seed, iteration, index as u64);
        let played = catch_unwind(AssertUnwindSafe(|| {
            let start = self.starts.start(index, &mut random);
            // A worker that a panic has left behind begins every rollout from nothing, as any other.
            let worker = &self.workers[rayon::current_thread_index().unwrap_or(0)];
            worker.lock().unwrap_or_else(PoisonError::into_inner).play(start, &self.rollout, &mut random)
        }));
        let failed =
            |why: &str| format!("rollout {index} of iteration {iteration} with seed {} failed: {why}", self.seed);
        (played.map_err(|panic| failed(panic_message(&*panic))), begin.elapsed())
    }
}

impl Producer for SelfPlay {
    fn produce(&mut self, iteration: u64) -> Production {
        let this = &*self;
        this.team.deal();
        let of_threads = rayon::broadcast(|_| this.play_some(iteration));
        let busy = of_threads.iter().map(|(_, time)| *time).sum();
        let own = of_threads.into_iter().flat_map(|(episodes, _)| episodes).collect();
        let Production { episodes, busy, threads } = this.of_all_ranks(own, busy);
        for (index, episode) in episodes.iter().enumerate() {
            match episode {
                Ok(episode) => self.starts.advance(index, episode.end.clone(), episode.last_value()),
                Err(_) => self.starts.advance(index, None, 0.0),
            }
        }
        Production { episodes, busy, threads }
    }
}

impl SelfPlay {
    /// The episodes of all ranks in the order of their indices, by those of this one, which took its threads so long.
    fn of_all_ranks(&self, own: Vec<Indexed>, busy: Duration) -> Production {
        let threads = self.workers.len();
        if self.team.is_alone() {
            return Production { episodes: in_order(own), busy, threads };
        }
        let mut bytes = Vec::new();
        bytes.extend((busy.as_nanos() as u64).to_le_bytes());
        bytes.extend((threads as u64).to_le_bytes());
        own.iter().for_each(|episode| episode_bytes::encode(episode, &mut bytes));
        let said = self.team.gather_all(bytes);
        let number = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
        let read =
            |bytes: &Vec<u8>| episode_bytes::decode(&bytes[16..]).expect("ranks of one program understand each other");
        Production {
            episodes: in_order(said.par_iter().with_max_len(1).flat_map_iter(read).collect()),
            busy: said.iter().map(|bytes| Duration::from_nanos(number(&bytes[..8]))).sum(),
            threads: said.iter().map(|bytes| number(&bytes[8..16]) as usize).sum(),
        }
    }
}

/// Episodes in the order of their indices.
fn in_order(mut episodes: Vec<Indexed>) -> Vec<Result<Episode, String>> {
    episodes.sort_by_key(|(index, _)| *index);
    episodes.into_iter().map(|(_, episode)| episode).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::{PolicyKind, shipped_policy, shipped_value_net};
    use nets::{NetworkTopology, QuantizedValueNet, ValueNet};

    fn self_play(options: &Options, threads: usize) -> SelfPlay {
        let net = NetworkEvaluator::new(shipped_value_net().unwrap());
        let policy = PolicyKind::Static.build(&shipped_policy().unwrap());
        let starts = StartPositions::Generated(vec![None; options.positions]);
        SelfPlay::new(options, &net, &policy, starts, threads).unwrap()
    }

    fn options() -> Options {
        Options { positions: 3, plies: 4, nodes: 40, hash_kilobytes: 16, ..Options::default() }
    }

    #[test]
    fn rollouts_come_in_their_order_and_their_games_go_on() {
        let options = options();
        assert_eq!((self_play(&options, 2).plies(), self_play(&options, 2).threads()), (4, 2));
        assert_eq!(self_play(&Options { result: true, ..options.clone() }, 1).plies(), 400);
        let produce = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut player = self_play(&options, threads);
                let Production { episodes, threads: said, .. } = player.produce(1);
                assert_eq!(said, threads);
                let episodes: Vec<Episode> = episodes.into_iter().map(Result::unwrap).collect();
                let ends = episodes.iter().map(|episode| episode.end.clone()).collect();
                assert_eq!(*player.starts(), StartPositions::Generated(ends), "no game is decided so early");
                let net = ValueNet::random(NetworkTopology::new([4, 8, 4], 8).unwrap(), 1);
                let net = QuantizedValueNet::new(&net, kernels::active().unwrap());
                player.set_net(&NetworkEvaluator::new(Arc::new(net)));
                let after: Vec<Episode> = player.produce(1).episodes.into_iter().map(Result::unwrap).collect();
                (episodes, after)
            })
        };
        let (episodes, after) = produce(1);
        assert_eq!(episodes.len(), 3);
        for (episode, next) in episodes.iter().zip(&after) {
            assert_eq!((episode.moves.len(), episode.steps.len(), episode.trees.len()), (4, 4, 0));
            // A random move behind the end of the rollout before.
            let end = episode.end.as_ref().unwrap();
            assert!(end.legal_moves().iter().any(|mv| end.play(*mv) == next.start));
            assert!(next.steps.iter().any(|step| step.leaf.is_some()));
        }
        assert!(produce(2) == (episodes, after));
    }
}

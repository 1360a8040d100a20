//! A training from kept games from its first step to its last, over any number of sessions, in a folder of its own
//! ([`epochs`](crate::run::epochs)), where `lock` is locked as long as the trainer runs.

use crate::data::window::{Sample, Shards, Window};
use crate::run::agreement::{Claim, program_claims};
use crate::run::epoch_row::EpochRow;
use crate::run::epochs::{EpochRun, EpochTrainer, Progress, Session};
use crate::run::folder::{self, Content};
use crate::run::log::rounded;
use crate::run::observer::Observer;
use crate::run::options::TaskOptions;
use crate::run::team::{Command, Team};
use crate::run::tensors::Tensors;
use crate::tasks::values::values_initial::initial_net;
use crate::tasks::values::values_options::Options;
use crate::train::optimizer::Optimizer;
use crate::train::value_trainer::{ValueTrainer, Weighted, share_net};
use crate::train::value_validation::{NO_VALIDATION, score, validation_set};
use anyhow::Context;
use kernels::Kernels;
use nets::{Params, ValueNet};
use std::path::{Path, PathBuf};

/// How many shards a batch is cut into.
const SHARDS: usize = 8;

/// A training of a value network under way.
struct ValueTraining {
    options: Options,
    shards: Shards,
    net: ValueNet,
    optimizer: Optimizer,
    trainer: ValueTrainer,
    validation: Vec<Sample>,
    window: Window,
    kernels: &'static Kernels,
    team: Team,
}

/// What a training begins with.
struct Prepared {
    initial: ValueNet,
    options: Options,
    remarks: Vec<String>,
    shards: Shards,
}

impl Prepared {
    fn read(options: &Options, data: &[PathBuf]) -> anyhow::Result<Self> {
        options.check()?;
        let shards = Shards::of(data)?;
        let (initial, options, remarks) = initial_net(options)?;
        Ok(Self { initial, options, remarks, shards })
    }

    /// What all ranks must have in common.
    fn claims(&self) -> Vec<Claim> {
        let net = nets::file::name(&self.initial);
        let data = format!("{} shards, {}", self.shards.len(), self.shards.fingerprint());
        let own = [("the initial net", net), ("the data", data)].map(|(name, value)| (name.to_owned(), value));
        program_claims(ValueTraining::TASK, &self.options).into_iter().chain(own).collect()
    }
}

/// Begins or continues the training of the folder at `path` on the kept games in the folders `data`, on the threads of the present
/// `rayon` pool. Of a team all ranks call it.
///
/// # Errors
/// If a file cannot be used or is of another training, or [`Interrupted`](support::interrupt::Interrupted), or
/// [`Followed`](crate::run::team::Followed).
pub fn train(
    path: &Path,
    options: &Options,
    data: &[PathBuf],
    session: Session<'_>,
    team: &Team,
) -> anyhow::Result<()> {
    let (prepared, claims) = match Prepared::read(options, data) {
        Ok(prepared) => {
            let claims = prepared.claims();
            (Some(prepared), Ok(claims))
        }
        Err(error) => (None, Err(error)),
    };
    team.agree(claims, path)?;
    let Prepared { initial, options, remarks, shards } = prepared.context("what has no claims has ended")?;
    if !team.is_first() {
        return ValueTraining::follow(options, shards, initial, team);
    }
    remarks.iter().for_each(|remark| session.observer.say(remark));
    folder::create_dir(path)?;
    folder::refuse_others(path, &[Content::Training])?;
    let _lock = folder::lock(path)?;
    let learning = options.learning();
    let begin = |at: &mut Progress, tensors: Option<&Tensors>, observer: &mut dyn Observer| {
        ValueTraining::begin(options, shards, initial, (at, tensors), observer, team)
    };
    EpochRun::open(path, learning, session, begin)?.run().map(drop)
}

impl ValueTraining {
    /// A training that begins, or continues with the tensors of a checkpoint. If the data have changed since, the epoch under way begins
    /// again.
    fn begin(
        options: Options,
        shards: Shards,
        initial: ValueNet,
        (at, tensors): (&mut Progress, Option<&Tensors>),
        observer: &mut dyn Observer,
        team: &Team,
    ) -> anyhow::Result<Self> {
        let kernels = kernels::active()?;
        if tensors.is_some() && at.data != shards.fingerprint() && at.epoch < options.epochs {
            observer.say(&format!(
                "the data are not those of the checkpoint: epoch {} begins again with the {} shards that are there",
                at.epoch + 1,
                shards.len()
            ));
            *at = Progress::of_epoch(at.epoch, at.seconds, String::new());
        }
        at.data = shards.fingerprint().to_owned();
        let (mut net, optimizer) = match tensors {
            Some(tensors) => {
                let mut params = Params::zeros(options.topology);
                let number = params.values().len();
                params.values_mut().copy_from_slice(&tensors.floats("params", number)?);
                (ValueNet::new(params), tensors.optimizer("", options.optimizer, number)?)
            }
            None => {
                let optimizer = Optimizer::new(options.optimizer, initial.params().values().len());
                (initial, optimizer)
            }
        };
        let trainer = ValueTrainer::new(&net, options.loss, SHARDS, kernels).of_team(team.clone());
        let validation = shards.validation(&options)?;
        observer.say(&format!("{} shards; {}", shards.len(), validation_set(validation.len())));
        team.command(&Command::Begin);
        share_net(team, &mut net);
        let (window, team) = (Window::default(), team.clone());
        Ok(Self { options, shards, net, optimizer, trainer, validation, window, kernels, team })
    }

    /// What a rank does that is not rank 0: its shards of every step.
    fn follow(options: Options, shards: Shards, initial: ValueNet, team: &Team) -> anyhow::Result<()> {
        let kernels = kernels::active()?;
        let optimizer = Optimizer::new(options.optimizer, initial.params().values().len());
        let trainer = ValueTrainer::new(&initial, options.loss, SHARDS, kernels).of_team(team.clone());
        let (net, window, team) = (initial, Window::default(), team.clone());
        let mut this = Self { options, shards, net, optimizer, trainer, validation: Vec::new(), window, kernels, team };
        let mut order = Vec::new();
        loop {
            match this.team.receive() {
                Command::Begin => share_net(&this.team, &mut this.net),
                Command::Window { epoch, window } => {
                    let read = this.read_window(epoch, window);
                    // Rank 0 says it and ends the training.
                    let _ = this.team.all_done(read);
                    order = std::mem::take(&mut this.window.order);
                }
                Command::Step(range) => drop(this.step_by(&order[range], 0.0)),
                Command::End(status) => return this.team.ended(status),
                Command::Iterate => unreachable!("it is another task's"),
            }
        }
    }

    fn read_window(&mut self, epoch: u64, window: u64) -> anyhow::Result<()> {
        self.shards.window(&self.options, epoch, window, &mut self.window)
    }

    /// A step by the examples of these numbers; returns the sum of their losses.
    fn step_by(&mut self, numbers: &[u32], done: f64) -> f64 {
        let Self { net, optimizer, trainer, window, options, .. } = self;
        let batch: Vec<Weighted<'_>> = numbers.iter().map(|number| (&window.sample(*number).example, 1.0)).collect();
        // Not the quotient, whose bits are others.
        let part = 1.0 / batch.len().max(1) as f32;
        let statistics = trainer.step((net, optimizer), options.rate_at(done), &batch, |_, sum| {
            sum.values_mut().iter_mut().for_each(|slope| *slope *= part);
        });
        statistics.loss_sum
    }
}

impl EpochTrainer for ValueTraining {
    const TASK: &'static str = "values";
    type Row = EpochRow;

    fn windows(&self) -> u64 {
        self.shards.windows(&self.options)
    }

    fn batch(&self) -> usize {
        self.options.batch
    }

    /// The positions that do not fill a batch wait for the next epoch, which has another order, unless there are no more.
    fn steps(&self, examples: usize) -> usize {
        (examples / self.options.batch).max(usize::from(examples > 0))
    }

    fn window(&mut self, at: &Progress, observer: &mut dyn Observer) -> anyhow::Result<Vec<u32>> {
        self.team.command(&Command::Window { epoch: at.epoch, window: at.window });
        let read = self.read_window(at.epoch, at.window);
        self.team.all_done(read)?;
        for damaged in &self.window.damaged {
            observer.say(&format!("what is damaged is left out: {damaged}"));
        }
        Ok(std::mem::take(&mut self.window.order))
    }

    fn step(&mut self, numbers: &[u32], at: &Progress, done: f64) -> f64 {
        let start = at.step as usize * self.options.batch;
        self.team.command(&Command::Step(start..start + numbers.len()));
        self.step_by(numbers, done)
    }

    fn row(&mut self, at: &Progress, done: f64) -> anyhow::Result<(EpochRow, String)> {
        let score = score(&self.net, self.options.loss, &self.validation, self.kernels);
        let row = EpochRow {
            value_error: score.map(|score| rounded(score.value_error, 5)),
            result_error: score.map(|score| rounded(score.result_error, 5)),
            ..EpochRow::new(at, self.options.rate_at(done), self.options.first_rate(), score.map(|score| score.loss))
        };
        Ok((row, score.map_or(NO_VALIDATION.to_owned(), |score| score.to_string())))
    }

    fn tensors(&self) -> Tensors {
        Tensors::default().with("params", self.net.params().values()).with_optimizer("", &self.optimizer)
    }

    fn save_net(&self, path: &Path, provenance: &str) -> anyhow::Result<()> {
        nets::file::save(path, &self.net, provenance)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::data_set::{DataSet, DataSize};
    use crate::data::kept_game::{TrainingGame, TrainingPly};
    use crate::run::epochs::SessionOptions;
    use crate::run::folder::net_path;
    use crate::run::observer::Silent;
    use crate::run::ranks::in_threads::InThreads;
    use crate::streams::stream;
    use crate::tasks::values::values_options::Positions;
    use board::Position;
    use rand::RngExt;
    use std::sync::Arc;
    use support::interrupt::Interrupt;

    /// Games of random moves whose values are random.
    fn write_games(folder: &Path) {
        let mut random = stream(1, 1, 1);
        let mut game = || {
            let start = Position::start();
            let (mut position, mut plies) = (start.clone(), Vec::new());
            while plies.len() < 20 && position.outcome().is_none() {
                let moves = position.legal_moves();
                let mv = moves[random.random_range(0..moves.len())];
                let value = random.random_range(-0.5..0.5);
                plies.push(TrainingPly { mv, value, quiet: true, labeled: true, mate: false });
                position = position.play(mv);
            }
            TrainingGame { start, result: 0, plies, visits: Vec::new() }
        };
        let games: Vec<TrainingGame> = (0..40).map(|_| game()).collect();
        let data = DataSet::open(folder, 3, Vec::new(), DataSize { games: 40, per_shard: 20 }).unwrap();
        for (shard, games) in games.chunks(20).enumerate() {
            data.write(shard as u64, games).unwrap();
        }
    }

    #[test]
    fn a_training_of_several_ranks_is_that_of_one() {
        let folder = tempfile::tempdir().unwrap();
        let data = [folder.path().join("kept")];
        write_games(&data[0]);
        let session = SessionOptions { patience: None, checkpoint_minutes: 1e6, threads: Some(1), mixed: false };
        let options = Options {
            epochs: 2,
            topology: "19x4+216x4+128x4-8-1".parse().unwrap(),
            batch: 100,
            window: 1,
            positions: Positions::All,
            session,
            ..Options::default()
        };
        let run = |name: &str, team: &Team| {
            let interrupt = Interrupt::from_flag(Arc::default());
            let session = Session { epochs: 2, options: session, interrupt: &interrupt, observer: &mut Silent };
            let path = folder.path().join(name);
            let done = options.session.pool().unwrap().install(|| train(&path, &options, &data, session, team));
            if team.is_first() {
                team.end(0);
            }
            done.map(|()| team.is_first().then(|| nets::file::load(&net_path(&path)).unwrap().0))
        };
        let (run, alone) = (&run, run("alone", &Team::alone()).unwrap());
        assert!(alone.is_some());
        let found = std::thread::scope(|scope| {
            let rank = |ranks| scope.spawn(move || run("together", &Team::new(ranks, None)));
            let threads: Vec<_> = InThreads::all(3).into_iter().map(rank).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
        });
        assert!(*found[0].as_ref().unwrap() == alone);
        assert!(found[1..].iter().all(|rank| rank.as_ref().is_ok_and(Option::is_none)));
    }
}

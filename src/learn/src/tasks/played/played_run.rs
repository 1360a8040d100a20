//! Learning from played games: the learner's turns are searched, a network learns what they teach, and a guard and games against the old
//! network decide whether it may replace it.

use crate::data::episode::Step;
use crate::data::played_turns::{OwnGame, TurnSearcher};
use crate::data::search_records::SearchRecords;
use crate::run::history::build;
use crate::run::observer::Observer;
use crate::run::option_values::{positive, within};
use crate::targets::knightcap::TurnTargets;
use crate::tasks::played::lessons::Lessons;
use crate::tasks::played::own_games;
use crate::tasks::played::verify::{Verification, VerifyOptions, verify};
use crate::train::rehearsal::{Effect, LearnedWeights, UpdateOptions, update};
use anyhow::{Context, ensure};
use clap::Args;
use engine::game_log::{self, GameLog, SearchRecord};
use engine::{EngineSpec, provenance};
use nets::file::{first_output_name, name};
use nets::{Topology, ValueNet};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use support::choice::Choice;
use support::hash::short_sha256;
use support::interrupt::{Interrupt, Interrupted};
use support::pool;

/// That nothing was learned.
#[derive(Debug, thiserror::Error)]
#[error("nothing was learned: {0}")]
pub struct NothingLearned(String);

/// What is learned from, and how.
#[derive(Debug, Clone, Args)]
pub struct PlayedOptions {
    /// The games (.pgn or .pgn.zst)
    #[arg(value_name = "GAMES.pgn")]
    pub games: PathBuf,
    /// The learner's name in the games; if both sides have it, both learn
    #[arg(long = "as", value_name = "NAME")]
    pub name: String,
    /// The engine's log of its searches (the UCI option GameLog): what is there is not searched again
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,
    /// Keep the turns that are searched in this file: the same command continues, also with more games
    #[arg(long, value_name = "FILE")]
    pub state: Option<PathBuf>,
    /// The engine that searches, with the network that learns.
    #[arg(skip)]
    pub spec: EngineSpec,
    /// Nodes with which each turn is searched again
    #[arg(long, value_name = "N", default_value_t = 2_000, value_parser = positive::<u64>)]
    pub nodes: u64,
    /// From values to targets.
    #[command(flatten)]
    pub targets: TurnTargets,
    /// How much is learned, and how much kept.
    #[command(flatten)]
    pub update: UpdateOptions,
    /// Threads; the network does not depend on their number [default: all cores]
    #[arg(long, value_name = "N", value_parser = within::<usize>(1..=1_024))]
    pub threads: Option<usize>,
}

/// What was learned.
pub struct Learned {
    /// What the games teach.
    pub lessons: Lessons,
    /// What that did.
    pub effect: Effect,
    net: ValueNet,
    /// How it came about.
    provenance: String,
}

impl PlayedOptions {
    /// Teaches a network with its provenance what the games teach.
    ///
    /// # Errors
    /// If a file cannot be used, or the games have too few turns, or [`Interrupted`].
    pub fn learn(
        &self,
        (net, provenance): (&ValueNet, &str),
        interrupt: &Interrupt,
        observer: &mut dyn Observer,
    ) -> anyhow::Result<Learned> {
        let games = own_games::read(&self.games, &self.name, &mut |note| observer.say(&format!("note: {note}")))?;
        let weights = self.update.weights;
        ensure!(
            weights == LearnedWeights::All || matches!(net.params().topology(), Topology::Network(_)),
            "a linear evaluator has no last layer that could learn alone: use --weights all"
        );
        let of_net = match &self.log {
            Some(log) => records(log, ("network", &[&name(net), &first_output_name(net)]), observer)?,
            None => SearchRecords::default(),
        };
        let turns = self.search(&games, &of_net, interrupt, observer)?;
        let lessons = Lessons::of(&games, &turns, &self.targets);
        let [learned, held_out] = &lessons.split;
        ensure!(
            !learned.is_empty() && !held_out.is_empty(),
            "the games have too few turns to learn from: one in five is held out"
        );
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads()).build()?;
        let (new, effect) = pool.install(|| update(net, learned, held_out, &self.update))?;
        // The second output is of the hidden layer, which only --weights all changes.
        let net = if weights == LearnedWeights::All { new.without_draw() } else { new };
        let (games, weights) = (games.len(), weights.word());
        let provenance = format!("{provenance}; {} learn, {games} games, weights {weights}", build());
        Ok(Learned { lessons, effect, net, provenance })
    }

    fn threads(&self) -> usize {
        self.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
    }

    /// What an interrupt says.
    fn stopped(&self) -> &'static str {
        match self.state {
            Some(_) => "interrupted: the same command continues with the turns that are searched",
            None => "interrupted: nothing is written, and the same command begins again",
        }
    }

    /// The turns of each game.
    fn search(
        &self,
        games: &[OwnGame],
        logged: &SearchRecords,
        interrupt: &Interrupt,
        observer: &mut dyn Observer,
    ) -> anyhow::Result<Vec<Vec<Step>>> {
        // The records of another engine, or of other nodes, are not those of this one.
        let made = format!("{} {} {}", provenance::program(), self.spec.describe()?, self.nodes);
        let made = short_sha256(made.as_bytes());
        let (mut state, kept) = match &self.state {
            Some(path) => {
                let state = GameLog::open(path).with_context(|| format!("cannot use {}", path.display()))?;
                (Some(state), records(path, ("engine", &[&made]), observer)?)
            }
            None => (None, SearchRecords::default()),
        };
        let searcher = |_| TurnSearcher::new(&self.spec, self.nodes);
        let mut searchers = (0..self.threads()).map(searcher).collect::<anyhow::Result<Vec<_>>>()?;
        let mut found: Vec<Option<Vec<Step>>> = vec![None; games.len()];
        let (mut done, mut problem) = (0, None);
        let numbers: Vec<usize> = (0..games.len()).collect();
        let turns = |searcher: &mut TurnSearcher, number: usize, stop: &pool::Stop| {
            let own = &games[number];
            let known: Vec<_> =
                kept.of(&own.id(), own).into_iter().zip(logged.of_game(own)).map(|(a, b)| a.or(b)).collect();
            (number, searcher.turns(own, &known, stop), std::mem::take(&mut searcher.found))
        };
        pool::run(&numbers, &mut searchers, &|| interrupt.raised(), turns, |(number, steps, searched)| {
            let game = games[number].id();
            let record = |found| SearchRecord { game: game.clone(), net: made.clone(), ..found };
            let append = |state: &mut GameLog| {
                searched.into_iter().map(record).try_for_each(|it| state.append(&it)).and_then(|()| state.sync())
            };
            // What comes behind the first problem does not hide it.
            problem = problem.take().or_else(|| state.as_mut().and_then(|state| append(state).err()));
            found[number] = steps;
            done += 1;
            observer.progress("games", done, games.len() as u64, &String::new);
            if problem.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        problem.map_or(Ok(()), Err)?;
        found.into_iter().collect::<Option<Vec<_>>>().ok_or_else(|| Interrupted::new(self.stopped()).into())
    }

    /// Plays the new network, of these bytes, against the old one in at most so many games, and returns a sentence.
    ///
    /// # Errors
    /// [`NothingLearned`] if it is worse, [`Interrupted`], or if an engine cannot play.
    pub fn verify(
        &self,
        new: &[u8],
        games: u64,
        interrupt: &Interrupt,
        observer: &mut dyn Observer,
    ) -> anyhow::Result<String> {
        let folder = tempfile::tempdir().context("there is no place for the new network")?;
        let path = folder.path().join("new.safetensors");
        std::fs::write(&path, new).with_context(|| format!("cannot write {}", path.display()))?;
        let new = EngineSpec { value_net: Some(path), ..self.spec.clone() };
        let options = VerifyOptions { games, nodes: self.nodes, seed: self.update.seed, concurrency: self.threads() };
        let shown = |done| observer.progress("games of the new network", done, games, &String::new);
        let found = verify(&new, &self.spec, &options, &|| interrupt.raised(), shown)?;
        let Verification { score, llr, is_good, is_decided } = found.ok_or_else(|| Interrupted::new(self.stopped()))?;
        let [losses, draws, wins] = score.total().counts();
        let games = format!("+{wins} ={draws} -{losses} against the old network, LLR {llr:+.2} (-10 Elo against 0)");
        let verdict = match (is_decided, is_good) {
            (true, true) => "the new network is not worse",
            (true, false) => "the new network is worse",
            (false, true) => "undecided, and the new network is more likely not worse",
            (false, false) => "undecided, and the new network is more likely worse (more games may decide)",
        };
        ensure!(is_good, NothingLearned(format!("{verdict}: {games}")));
        Ok(format!("{verdict}: {games}"))
    }
}

impl Learned {
    /// The bytes of the network's file, if what was learned is good.
    ///
    /// # Errors
    /// [`NothingLearned`], or if a parameter is out of bounds.
    pub fn bytes(&self) -> anyhow::Result<Vec<u8>> {
        if let Some(reason) = self.effect.reason() {
            return Err(NothingLearned(reason).into());
        }
        let written = nets::file::to_bytes(&self.net, &self.provenance);
        Ok(written.map_err(|problem| anyhow::anyhow!("the network cannot be written: {problem}"))?.0)
    }
}

/// The records of a log that were made by what has one of these names: a network, whose values do not depend on its second output, or for those of [`PlayedOptions::state`] an engine.
fn records(log: &Path, (what, names): (&str, &[&str]), observer: &mut dyn Observer) -> anyhow::Result<SearchRecords> {
    let (records, broken) = game_log::read(log).with_context(|| format!("cannot read the log {}", log.display()))?;
    let (path, all) = (log.display(), records.len());
    if broken > 0 {
        observer.say(&format!("note: {path}: {broken} lines are no search records"));
    }
    let records = SearchRecords::new(records, names);
    observer.say(&format!("note: {path}: {} of {all} records are of this {what}", records.len()));
    Ok(records)
}

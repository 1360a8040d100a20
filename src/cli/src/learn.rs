//! `okapi learn`: the value network learns from games that were played.

use super::engine_args::SearchArgs;
use super::wdl::value_net;
use crate::choice::choice;
use anyhow::{Context, anyhow, bail, ensure};
use board::Color;
use clap::Args;
use engine::{EngineSpec, game_log};
use learn::data::episode::Step;
use learn::data::example::Example;
use learn::data::played_turns::{OwnGame, TurnSearcher};
use learn::data::search_records::SearchRecords;
use learn::run::history::build;
use learn::targets::knightcap::{LastRise, RiseRule, TurnTargets};
use learn::tasks::played::verify::{Verification, VerifyOptions, verify};
use learn::train::rehearsal::{Effect, LearnedWeights, MAX_DRIFT, UpdateOptions, update};
use nets::file::parameters_name;
use nets::{Topology, ValueNet};
use pgn::{self, Faults, PgnError};
use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use support::choice::Choice;
use support::interrupt::{Interrupt, Interrupted};
use support::output::Output;
use support::pool;
use support::progress::Progress;

/// One game in so many is held out.
const HELD_OUT: usize = 5;
/// Games of names that are listed.
const NAMES: usize = 5;
/// Largest changes that a dry run lists.
const CHANGES: usize = 10;

const STATUS: &str = "\
The network is written only if it predicts the targets of held-out games (one in five) better than before, and if its values on other positions
change by at most 0.01 (root of the mean square). Otherwise nothing was learned, which is no mistake: the exit status is 3.
Example:
  okapi learn games.pgn --as Okapi --out learned.safetensors";

/// That nothing was learned.
#[derive(Debug, thiserror::Error)]
#[error("nothing was learned: {0}")]
pub(super) struct NothingLearned(String);

#[derive(Debug, Args)]
#[command(after_help = STATUS)]
pub(super) struct Learn {
    /// The games (.pgn or .pgn.zst)
    #[arg(value_name = "GAMES.pgn")]
    games: PathBuf,
    /// The learner's name in the games; if both sides have it, both learn
    #[arg(long = "as", value_name = "NAME")]
    name: String,
    /// The engine's log of its searches (the UCI option GameLog): what is there is not searched again
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// At most so many games of the new network against the old one, of --nodes a move, until a sequential test (-10 Elo against 0) says
    /// whether it is worse; if it is, nothing was learned
    #[arg(long, value_name = "GAMES", value_parser = clap::value_parser!(u64).range(2..=1_000_000))]
    verify: Option<u64>,
    /// The file of the network that has learned
    #[arg(long, value_name = "FILE", required_unless_present = "dry_run")]
    out: Option<PathBuf>,
    /// The value network that learns (default: the network inside the program)
    #[arg(long, value_name = "FILE")]
    value_net: Option<PathBuf>,
    /// Write nothing; show what would change most, and why
    #[arg(long)]
    dry_run: bool,
    /// Nodes with which each turn is searched again
    #[arg(long, value_name = "N", default_value_t = 2_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// TD(lambda)'s lambda, 0 to 1
    #[arg(long, value_name = "X", default_value_t = 0.7)]
    lambda: f32,
    /// Which rises of the value from turn to turn count
    #[arg(long, value_parser = choice::<RiseRule>(), default_value = RiseRule::default().word(), value_name = "RULE")]
    rule: RiseRule,
    /// Whether the rise from the last value to the result counts
    #[arg(long, value_parser = choice::<LastRise>(), default_value = LastRise::default().word(), value_name = "WORD")]
    last_rise: LastRise,
    /// What learns
    #[arg(long, value_parser = choice::<LearnedWeights>(), default_value = LearnedWeights::default().word(), value_name = "WORD")]
    weights: LearnedWeights,
    /// Adam's learning rate
    #[arg(long, value_name = "X", default_value_t = 1e-4)]
    rate: f32,
    /// How often every turn is learned
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..))]
    epochs: u64,
    /// Positions that keep their values, drawn from random games
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    rehearsal: u32,
    /// The weight of these against that of the games
    #[arg(long, value_name = "X", default_value_t = 1.0)]
    rehearsal_weight: f32,
    /// The weight of the distance from the old network
    #[arg(long, value_name = "X", default_value_t = 1.0)]
    distance: f32,
    /// Seed of the rehearsal and of the order of learning
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Threads; the network does not depend on their number [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    search: SearchArgs,
}

/// What an interrupt says.
const STOPPED: &str = "interrupted: nothing is written, and the same command begins again";

impl Learn {
    pub(super) fn run(&self) -> anyhow::Result<()> {
        for (value, name) in [(self.lambda, "--lambda"), (self.rate, "--rate")] {
            ensure!((0.0..=1.0).contains(&value), "{name} must be a number from 0 to 1");
        }
        for (value, name) in [(self.rehearsal_weight, "--rehearsal-weight"), (self.distance, "--distance")] {
            ensure!(value.is_finite() && value >= 0.0, "{name} cannot be negative");
        }
        let files = self.value_net.iter().chain([&self.games]).chain(&self.log).map(PathBuf::as_path);
        let inputs: Vec<&Path> = files.chain(self.search.spec.files()).collect();
        let check = |path: &PathBuf| Output::check(path, &inputs, self.force);
        let output = self.out.as_ref().map(check).transpose()?;
        let interrupt = Interrupt::install()?;
        let games = self.read()?;
        let (net, provenance) = value_net(self.value_net.as_deref())?;
        ensure!(
            self.weights == LearnedWeights::All || matches!(net.params().topology(), Topology::Network(_)),
            "a linear evaluator has no last layer that could learn alone: use --weights all"
        );
        let records = self.log.as_deref().map_or_else(|| Ok(SearchRecords::default()), |log| records(log, &net))?;
        let turns = self.search(&games, &records, &interrupt)?;
        let lessons = self.lessons(&games, &turns);
        let [learned, held_out] = &lessons.split;
        ensure!(
            !learned.is_empty() && !held_out.is_empty(),
            "the games have too few turns to learn from: one in five is held out"
        );
        let options = UpdateOptions {
            weights: self.weights,
            rate: self.rate,
            epochs: self.epochs,
            rehearsal: self.rehearsal as usize,
            rehearsal_weight: self.rehearsal_weight,
            distance: self.distance,
            seed: self.seed,
        };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads()).build()?;
        let (mut new, effect) = pool.install(|| update(&net, learned, held_out, &options))?;
        let mut text = lessons.report(games.len(), &effect);
        if self.dry_run {
            text += &lessons.changes();
        }
        std::io::stdout().lock().write_all(text.as_bytes())?;
        if !effect.is_good() {
            return Err(NothingLearned(reason(&effect)).into());
        }
        // The second output is of the hidden layer, which only --weights all changes.
        if self.weights == LearnedWeights::All {
            new = new.without_draw();
        }
        let made = format!("{provenance}; {} learn, {} games, weights {}", build(), games.len(), self.weights.word());
        let bytes = bytes(&new, &made)?;
        if let Some(most) = self.verify {
            self.play(&bytes, most, &interrupt)?;
        }
        if let Some(output) = output.filter(|_| !self.dry_run) {
            output.write(&bytes)?;
            println!("network in {}", output.path().display());
        }
        Ok(())
    }

    /// The learner's games, each once; broken ones are named and counted.
    fn read(&self) -> anyhow::Result<Vec<OwnGame>> {
        let (mut own, mut seen, mut names) = (Vec::new(), HashSet::new(), BTreeMap::<String, usize>::new());
        let (mut faults, mut twice) = (Faults::default(), 0);
        for game in pgn::read(&self.games)?.with_annotations() {
            let game = match game {
                Ok(game) => game,
                Err(error @ PgnError::Game { .. }) => {
                    faults.refuse(&error);
                    continue;
                }
                Err(error) => return Err(error).with_context(|| self.games.display().to_string()),
            };
            faults.add(&game);
            if game.moves.is_empty() {
                continue;
            }
            let players = ["White", "Black"].map(|tag| game.annotations.tag(tag).to_owned());
            players.iter().for_each(|name| *names.entry(name.clone()).or_default() += 1);
            let moves: String = game.moves.iter().map(ToString::to_string).collect();
            let is_own = players.contains(&self.name);
            if is_own && !seen.insert((game.start.to_fen(true), moves, players.clone())) {
                twice += 1;
                continue;
            }
            for color in [Color::White, Color::Black] {
                if players[color as usize] == self.name {
                    own.push(OwnGame { game: game.clone(), color, opponent: players[1 - color as usize].clone() });
                }
            }
        }
        faults.notes(&self.games).iter().for_each(|note| eprintln!("note: {note}"));
        if own.is_empty() {
            let mut names: Vec<_> = names.into_iter().filter(|(name, _)| !name.is_empty()).collect();
            names.sort_by_key(|(name, games)| (std::cmp::Reverse(*games), name.clone()));
            let listed: Vec<String> =
                names.iter().take(NAMES).map(|(name, games)| format!("{name} ({games})")).collect();
            bail!(
                "nobody is called '{}' in {}; most games have: {}",
                self.name,
                self.games.display(),
                listed.join(", ")
            );
        }
        if twice > 0 {
            eprintln!("note: {twice} games are there more than once and learned from once");
        }
        Ok(own)
    }

    /// The engine that searches, with the network of this file.
    fn spec(&self, value_net: Option<&Path>) -> EngineSpec {
        EngineSpec { value_net: value_net.map(Path::to_owned), hash_megabytes: 1, ..self.search.spec.clone() }
    }

    fn threads(&self) -> usize {
        self.threads.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from)
    }

    /// Plays the new network, of these bytes, against the old one.
    fn play(&self, bytes: &[u8], games: u64, interrupt: &Interrupt) -> anyhow::Result<()> {
        let folder = tempfile::tempdir().context("there is no place for the new network")?;
        let path = folder.path().join("new.safetensors");
        std::fs::write(&path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
        let (new, old) = (self.spec(Some(&path)), self.spec(self.value_net.as_deref()));
        let options = VerifyOptions { games, nodes: self.nodes, seed: self.seed, concurrency: self.threads() };
        let mut progress = Progress::new("games", Some(games), 0);
        let shown = |done| progress.show(done, String::new);
        let found = verify(&new, &old, &options, &|| interrupt.raised(), shown)?;
        progress.finish();
        let Verification { score, llr, is_good } = found.ok_or_else(|| Interrupted::new(STOPPED))?;
        let [losses, draws, wins] = score.total().counts();
        let games = format!("+{wins} ={draws} -{losses} against the old network, LLR {llr:+.2} (-10 Elo against 0)");
        ensure!(is_good, NothingLearned(format!("the new network is worse: {games}")));
        writeln!(std::io::stdout().lock(), "the new network is not worse: {games}")?;
        Ok(())
    }

    /// The turns of each game.
    fn search(
        &self,
        games: &[OwnGame],
        records: &SearchRecords,
        interrupt: &Interrupt,
    ) -> anyhow::Result<Vec<Vec<Step>>> {
        let spec = self.spec(self.value_net.as_deref());
        let searcher = |_| TurnSearcher::new(&spec, self.nodes);
        let mut searchers = (0..self.threads()).map(searcher).collect::<anyhow::Result<Vec<_>>>()?;
        let mut found: Vec<Option<Vec<Step>>> = vec![None; games.len()];
        let mut progress = Progress::new("games", Some(games.len() as u64), 0);
        let mut done = 0;
        let numbers: Vec<usize> = (0..games.len()).collect();
        pool::run(
            &numbers,
            &mut searchers,
            &|| interrupt.raised(),
            |searcher, number, stop| {
                let known = records.of_game(&games[number]);
                (number, searcher.turns(&games[number], &known, stop))
            },
            |(number, turns)| {
                found[number] = turns;
                done += 1;
                progress.show(done, String::new);
                ControlFlow::Continue(())
            },
        );
        progress.finish();
        found.into_iter().collect::<Option<Vec<_>>>().ok_or_else(|| Interrupted::new(STOPPED).into())
    }

    fn lessons(&self, games: &[OwnGame], turns: &[Vec<Step>]) -> Lessons {
        let rules = TurnTargets { lambda: self.lambda, rule: self.rule, last: self.last_rise };
        let mut lessons = Lessons::default();
        for (number, (own, turns)) in games.iter().zip(turns).enumerate() {
            let rating = |tag: &str| own.game.annotations.tag(tag).parse::<i32>().ok();
            let (white, black) = (rating("WhiteElo"), rating("BlackElo"));
            let (mine, theirs) = if own.color == Color::White { (white, black) } else { (black, white) };
            let weaker = mine.zip(theirs).is_some_and(|(mine, theirs)| theirs < mine);
            let found = rules.of(turns, own.result(), weaker);
            lessons.clipped += found.clipped;
            for (turn, target) in turns.iter().zip(found.targets) {
                lessons.turns += 1;
                lessons.value += f64::from(turn.value);
                let Some(example) = turn.example(target) else { continue };
                let leaf = example.position.to_fen(false);
                lessons.all.push((target - turn.value, turn.value, own.game.number, leaf));
                lessons.split[usize::from(number % HELD_OUT == HELD_OUT - 1)].push(example);
            }
        }
        lessons
    }
}

/// What the games teach.
#[derive(Default)]
struct Lessons {
    /// `[learned, held out]`.
    split: [Vec<Example>; 2],
    turns: usize,
    /// Rises that did not count.
    clipped: usize,
    /// The sum of the turns' values.
    value: f64,
    /// Of every lesson its change, the value, the game and the leaf.
    all: Vec<(f32, f32, u64, String)>,
}

impl Lessons {
    fn report(&self, games: usize, effect: &Effect) -> String {
        let turns = self.turns.max(1) as f64;
        format!(
            "{games} games, {} turns with a mean value of {:+.4}; {:.1} % of the differences are rises that do not count\n\
             {} leaves to learn: error {:.5} before, {:.5} after\n\
             {} leaves of other games: error {:.5} before, {:.5} after\n\
             other positions: values change by {:.5}\n",
            self.turns,
            self.value / turns,
            100.0 * self.clipped as f64 / turns,
            self.split[0].len(),
            effect.learned[0],
            effect.learned[1],
            self.split[1].len(),
            effect.held_out[0],
            effect.held_out[1],
            effect.drift
        )
    }

    /// The largest changes that the games ask for.
    fn changes(&self) -> String {
        let mut all: Vec<_> = self.all.iter().collect();
        all.sort_by(|a, b| b.0.abs().total_cmp(&a.0.abs()));
        let mut text = "largest changes (for the learner): value, target, game, leaf\n".to_owned();
        for (change, value, game, leaf) in all.into_iter().take(CHANGES) {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{value:+.3} -> {:+.3}  game {game}  {leaf}", value + change);
        }
        text
    }
}

fn reason(effect: &Effect) -> String {
    if effect.held_out[1] >= effect.held_out[0] {
        format!("the error on held-out games would be {:.5} instead of {:.5}", effect.held_out[1], effect.held_out[0])
    } else {
        format!("values on other positions would change by {:.5}, more than {MAX_DRIFT}", effect.drift)
    }
}

/// What the log of a game has of this network.
fn records(log: &Path, net: &ValueNet) -> anyhow::Result<SearchRecords> {
    let (records, broken) = game_log::read(log).with_context(|| format!("cannot read the log {}", log.display()))?;
    if broken > 0 {
        eprintln!("note: {}: {broken} lines are no search records", log.display());
    }
    let all = records.len();
    let records = SearchRecords::new(records, &parameters_name(net));
    eprintln!("note: {}: {} of {all} records are of this network", log.display(), records.len());
    Ok(records)
}

fn bytes(net: &ValueNet, provenance: &str) -> anyhow::Result<Vec<u8>> {
    let written = nets::file::to_bytes(net, provenance);
    Ok(written.map_err(|problem| anyhow!("the network cannot be written: {problem}"))?.0)
}

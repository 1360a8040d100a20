//! `okapi league`: the learner plays a pool of opponents and learns after every game.

use super::players;
use anyhow::{Context, anyhow, ensure};
use clap::Args;
use engine::EngineSpec;
use learn::run::history::build;
use learn::run::options::{Given, TaskOptions};
use learn::tasks::league::league_curve::{self, CONFIG, GAMES, PANEL, Rated};
use learn::tasks::league::league_game::Table;
use learn::tasks::league::league_learner::Learner;
use learn::tasks::league::league_options::Options;
use learn::tasks::league::league_record::{LeagueGame, LeagueRecord};
use matches::runner::MatchPlayer;
use matches::time_control::TimeControl;
use nets::ValueNet;
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use support::atomic_file;
use support::chart::Chart;
use support::interrupt::{Interrupt, Interrupted};
use support::progress::Progress;

const FILES: &str = "\
The folder has league.toml, games.jsonl (every game with what the learner's searches found; the rest follows from it), net.safetensors, checkpoints
and curve.svg; okapi report draws it as a page, at any time. Checkpoints that were rated on a panel (panel.csv: games,elo) are drawn, too.
The same command continues a league that was stopped or killed; no game is lost.
A pool (the options are the other keys of the file):
  games = 300
  nodes = 2000
  [[opponent]]
  name = \"gnuchess\"
  player = \"cmd='gnuchess --uci' depth=2\"   # the words of --player in okapi match
Example:
  okapi league runs/league --config pool.toml";

/// So many failures of opponents in a row end a league.
const FAILURES: u64 = 3;

#[derive(Debug, Args)]
#[command(after_help = FILES)]
pub(super) struct League {
    /// The folder of the league: new, or that of an earlier one, which continues with its options
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// The pool and how the learner learns: a TOML file of the options below, which override it
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(flatten)]
    given: Given<Options>,
}

impl League {
    pub(super) fn run(&self) -> anyhow::Result<()> {
        let options = self.begin()?;
        let opponents = opponents(&options)?;
        let interrupt = Interrupt::install()?;
        let mut learner = Learner::new(&options)?;
        let mut standings = Standings::new(&options, &learner);
        let mut checkpoints = Checkpoints { folder: &self.folder, options: &options };
        checkpoints.keep(&learner)?;
        let mut problem = None;
        let mut record = LeagueRecord::open(&self.file(GAMES), setup(&options, &opponents), &mut |game| {
            learner.learn(&game)?;
            standings.add(&game, &learner);
            checkpoints.keep(&learner).map_err(|error| {
                let text = format!("{error:#}");
                problem = Some(error);
                text
            })
        })
        .map_err(|error| problem.take().unwrap_or_else(|| error.into()))?;
        let games = options.games;
        let mut progress = Progress::new("games", Some(games), learner.games()).writing_to(&self.folder);
        let table = Table { options: &options, opponents: &opponents };
        while learner.games() < games && !interrupt.raised() {
            let number = learner.games();
            let opponent = learner.ratings().next(options.seed, number);
            let Some(game) = table.play(number, opponent, &learner, &|| interrupt.raised())? else { break };
            record.add(&game)?;
            learner.learn(&game).map_err(|error| anyhow!(error))?;
            standings.add(&game, &learner);
            checkpoints.keep(&learner)?;
            progress.show(learner.games(), || standings.last());
            let name = game.opponent.as_deref().unwrap_or_default();
            ensure!(learner.failures() < FAILURES, "{name} failed in the last {FAILURES} games of the league");
        }
        progress.finish();
        self.write("net.safetensors", &bytes(learner.net(), learner.games())?)?;
        if let Some(svg) = standings.svg(&league_curve::read_panel(&self.file(PANEL))?)? {
            self.write("curve.svg", svg.as_bytes())?;
        }
        std::io::stdout().lock().write_all(standings.table(&learner).as_bytes())?;
        let done = learner.games();
        let stopped =
            || Interrupted::new(format!("interrupted after {done} of {games} games; the same command continues it"));
        ensure!(done >= games, stopped());
        Ok(())
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn write(&self, name: &str, bytes: &[u8]) -> anyhow::Result<()> {
        let path = self.file(name);
        atomic_file::write(&path, bytes).with_context(|| format!("cannot write {}", path.display()))
    }

    /// The options of the folder's league; the folder is made if it is new.
    fn begin(&self) -> anyhow::Result<Options> {
        let own = self.file(CONFIG);
        let stored = own.exists().then(|| Options::read(&own)).transpose()?;
        let base = match &self.config {
            Some(path) => Options::read(path)?,
            None => stored.clone().unwrap_or_default(),
        };
        let mut options = self.given.over(&base).with_context(|| format!("the league {}", self.folder.display()))?;
        if options.self_play {
            options.opponent.clear();
        }
        match &stored {
            Some(stored) => options.check_continues(&stored.table(), &own)?,
            None => {
                // Nothing is written for a league that cannot be played.
                opponents(&options)?;
                Learner::new(&options)?;
                fs::create_dir_all(self.file("checkpoints"))
                    .with_context(|| format!("cannot make {}", self.folder.display()))?;
            }
        }
        if stored.as_ref() != Some(&options) {
            self.write(CONFIG, options.to_toml().as_bytes())?;
        }
        Ok(options)
    }
}

fn opponents(options: &Options) -> anyhow::Result<Vec<MatchPlayer>> {
    let read = |player: &str| players::read(player, TimeControl::default(), &EngineSpec::default());
    options
        .opponent
        .iter()
        .map(|opponent| read(&opponent.player).with_context(|| format!("the opponent {}", opponent.name)))
        .collect()
}

/// Everything that the games depend on.
fn setup(options: &Options, opponents: &[MatchPlayer]) -> Map<String, Value> {
    let mut setup: Map<String, Value> =
        options.learning().into_iter().map(|(key, value)| (key, json!(value))).collect();
    let engine = |player: &MatchPlayer| format!("{}; {}", player.description.engine, player.description.limits);
    setup.insert("opponent".to_owned(), json!(opponents.iter().map(engine).collect::<Vec<_>>()));
    setup
}

/// The networks after some numbers of games.
struct Checkpoints<'a> {
    folder: &'a Path,
    options: &'a Options,
}

impl Checkpoints<'_> {
    /// Keeps the learner's network, if it is one of them and not there.
    fn keep(&mut self, learner: &Learner) -> anyhow::Result<()> {
        if !self.options.checkpoints.contains(&learner.games()) {
            return Ok(());
        }
        let folder = self.folder.join("checkpoints");
        let path = folder.join(format!("{:06}.safetensors", learner.games()));
        let written = if path.exists() {
            // An earlier session may have ended before its name was on the disk.
            atomic_file::sync_folder(&folder)
        } else {
            // Someone may have moved the checkpoints of an earlier session away.
            fs::create_dir_all(&folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
            atomic_file::write(&path, &bytes(learner.net(), learner.games())?)
        };
        written.with_context(|| format!("cannot write {}", path.display()))
    }
}

fn bytes(net: &ValueNet, games: u64) -> anyhow::Result<Vec<u8>> {
    let written = nets::file::to_bytes(net, &format!("{} league, {games} games", build()));
    Ok(written.map_err(|problem| anyhow!("the network cannot be written: {problem}"))?.0)
}

/// The results so far.
struct Standings {
    names: Vec<String>,
    /// `(opponent)`: wins, draws and losses of the learner; one row of White's in self-play.
    results: Vec<[u64; 3]>,
    /// The learner's rating after each game.
    curve: Vec<(f64, f64)>,
    last: String,
    /// Games in which an opponent failed.
    failures: u64,
}

impl Standings {
    fn new(options: &Options, learner: &Learner) -> Self {
        let mut names: Vec<String> = options.opponent.iter().map(|opponent| opponent.name.clone()).collect();
        if names.is_empty() {
            names.push("itself".to_owned());
        }
        let results = vec![[0; 3]; names.len()];
        Self { names, results, curve: vec![(0.0, learner.ratings().learner)], last: String::new(), failures: 0 }
    }

    fn add(&mut self, game: &LeagueGame, learner: &Learner) {
        let place = self.names.iter().position(|name| Some(name) == game.opponent.as_ref()).unwrap_or(0);
        let Some(result) = game.result else {
            self.last = format!("{} failed, and the game does not count", self.names[place]);
            self.failures += 1;
            return;
        };
        self.results[place][(1 - result) as usize] += 1;
        self.curve.push((game.game as f64, learner.ratings().learner));
        let result = ["lost to", "drew with", "beat"][(result + 1) as usize];
        self.last = format!("{result} {}, rating {:.0}", self.names[place], learner.ratings().learner);
    }

    /// The last game, and all results so far, in a line.
    fn last(&self) -> String {
        let rows = self.names.iter().zip(&self.results);
        let results: Vec<String> =
            rows.map(|(name, [wins, draws, losses])| format!("{name} +{wins} ={draws} -{losses}")).collect();
        format!("{}; {}", self.last, results.join(", "))
    }

    /// The curve of the ratings in the league and, where the checkpoints have been rated, on the panel.
    fn svg(&self, panel: &[Rated]) -> anyhow::Result<Option<String>> {
        let mut lines = vec![self.curve.clone()];
        let (mut title, mut names) = ("Rating in the league", Vec::new());
        if !panel.is_empty() {
            title = "Rating in the league and Elo on the panel";
            lines.push(panel.iter().map(|rated| (rated.games as f64, rated.elo)).collect());
            names = ["league", "panel"].map(str::to_owned).to_vec();
        }
        Chart { title, x: "games", lines, names: &names, marks: &[] }.svg()
    }

    fn table(&self, learner: &Learner) -> String {
        let (clipped, value) = learner.statistics();
        let mut text = format!(
            "{} games, rating {:.0}; mean value {value:+.4}, {:.1} % of the differences are rises that do not count\n",
            learner.games(),
            learner.ratings().learner,
            100.0 * clipped
        );
        if self.failures > 0 {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{} games in which an opponent failed do not count", self.failures);
        }
        for (number, (name, [wins, draws, losses])) in self.names.iter().zip(&self.results).enumerate() {
            let rating = if number < learner.ratings().opponents() {
                format!(", rating {:.0}", learner.ratings().opponent(number))
            } else {
                String::new()
            };
            let _ = writeln!(text, "{name:<20} +{wins} ={draws} -{losses}{rating}");
        }
        text
    }
}

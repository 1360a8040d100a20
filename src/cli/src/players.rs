//! Reads `--player`: words as in a shell, `okapi` or `NAME=VALUE`.

use anyhow::{Context, anyhow, bail, ensure};
use engine::EngineSpec;
use engine::in_process::InProcess;
use engine::provenance;
use engine::spec::{Group, KEYS, Role};
use matches::header::PlayerDescription;
use matches::runner::MatchPlayer;
use matches::time_control::TimeControl;
use player::{EngineCommand, Player, PlayerFactory, Timeouts, UciEngine};
use std::path::{Path, PathBuf};
use std::time::Duration;
use support::keys::Key;
use support::program;

/// The words' explanation in the help, but for those of Okapi.
const SYNTAX: &str = "\
WORDS describe a player, quoted as in a shell:
  okapi                        this program, in its own process, or
  cmd=\"PROGRAM ARGUMENTS\"      a UCI engine, looked for in PATH
  name=NAME                    its name in reports (default: the engine's own); equal names are numbered
  tc= movetime= nodes= depth=  its limits, in place of the options --tc, --movetime, --nodes and --depth
for cmd=:
  start-timeout=S              the seconds that it may take to start (default: 5)
  dir=FOLDER                   the folder in which the engine runs (default: this one)
  \"option.NAME=VALUE\"          a UCI option of the engine
for okapi, in place of the options of the same names:
 ";

/// The names of a UCI engine's settings, beside `option.NAME` and its limits.
const PLAYER_WORDS: [&str; 3] = ["name", "dir", "start-timeout"];
/// The names of limits.
const LIMIT_WORDS: [&str; 4] = ["tc", "movetime", "nodes", "depth"];

const EXAMPLE: &str = "
Example:
  okapi match --games 100 --openings book.epd --player \"okapi nodes=2000\" \\
      --player \"cmd='stockfish' name=sf tc=2+0.02 option.Hash=16\"";

/// The words' explanation in the help.
pub(super) fn syntax() -> String {
    let (players, options): (Vec<_>, Vec<_>) = KEYS.iter().partition(|key| key.more.group == Group::Player);
    let shared: String = options.iter().map(|key| format!(" {}={}", key.name, key.value_name)).collect();
    let alone = |key: &&Key<EngineSpec, Role>| {
        let word = format!("{}={}", key.name, key.value_name);
        format!("\n  {word:<28} {} (default: {})", key.help.trim(), key.default())
    };
    SYNTAX.to_owned() + &shared + "\nfor okapi alone:" + &players.iter().map(alone).collect::<String>() + EXAMPLE
}

/// The words of one player.
#[derive(Default)]
struct Words {
    name: Option<String>,
    time_control: TimeControl,
    okapi: bool,
    spec: EngineSpec,
    command: Option<String>,
    directory: Option<PathBuf>,
    options: Vec<(String, String)>,
    timeouts: Timeouts,
    /// A word that only `okapi` understands.
    only_okapi: Option<String>,
}

/// Reads one player, whose defaults are the limits for all and the engine of the command line.
pub(super) fn read(text: &str, shared: TimeControl, spec: &EngineSpec) -> anyhow::Result<MatchPlayer> {
    let read = || {
        let words = shlex::split(text).ok_or_else(|| anyhow!("a quote is not closed"))?;
        Words::read(&words, spec)?.enter(shared)
    };
    read().with_context(|| format!("--player '{text}'"))
}

/// How a suite starts a program: its command with its options, and the name that the words give it.
pub(super) struct SuiteProgram {
    /// How it is started.
    pub command: EngineCommand,
    /// Its name in reports.
    pub name: Option<String>,
    /// The seconds that it may take to start, if the words say so.
    pub start: Option<Duration>,
}

/// Reads an engine of a suite: a command as in a shell, or the words of a match's player, but for limits, which all engines of a suite share.
pub(super) fn read_suite_program(text: &str) -> anyhow::Result<SuiteProgram> {
    let words = Words::read(&words_of_program(text)?, &EngineSpec::default())?;
    ensure!(
        words.time_control.is_unlimited(),
        "tc=, movetime=, nodes= and depth= are options of the suite: --movetime, --nodes, --depth"
    );
    let command = words.command.as_ref().context("it must be a program; --okapi scores this one")?;
    let default = Timeouts::default().start;
    let start = Some(words.timeouts.start).filter(|start| *start != default);
    Ok(SuiteProgram { command: words.command_of(command)?, name: words.name, start })
}

/// A program that plays, as words describe it.
pub(super) struct Program {
    /// How it is started.
    pub command: EngineCommand,
    /// How long it may take to answer.
    pub timeouts: Timeouts,
    /// The player that it is.
    pub player: MatchPlayer,
    /// The program, started.
    pub engine: UciEngine,
}

/// The words of a program that plays: `cmd=...` with settings, or a command as in a shell, perhaps with settings behind it. Whatever looks
/// like a setting is one, so that a slip in its name is not an argument of the program.
pub(super) fn words_of_program(text: &str) -> anyhow::Result<Vec<String>> {
    let is_name = |key: &str| key.starts_with(|first: char| first.is_ascii_alphabetic()) && !key.contains(['/', ' ']);
    // A word of a script for a shell has spaces.
    let is_slip = |word: &str, key: &str| is_name(key) && !word.contains(char::is_whitespace);
    let is_setting = |word: &str| {
        word.split_once('=').is_some_and(|(key, _)| {
            PLAYER_WORDS.contains(&key)
                || LIMIT_WORDS.contains(&key)
                || key.starts_with("option.")
                || is_slip(word, key)
        })
    };
    Ok(EngineCommand::split(text, is_setting)?)
}

/// Reads a player that must be a program of its own: `cmd=`, or its command alone.
pub(super) fn read_program(text: &str, shared: TimeControl) -> anyhow::Result<Program> {
    let read = || -> anyhow::Result<Program> {
        let words = Words::read(&words_of_program(text)?, &EngineSpec::default())?;
        let command = words.command.as_ref().context("it must be a program: cmd=")?;
        let command = words.command_of(command)?;
        let (time_control, timeouts) = (words.limits(shared)?, words.timeouts);
        let (mut player, engine) = words.external(command.clone())?;
        player.time_control = time_control;
        player.description.name = words.name.unwrap_or(player.description.name);
        Ok(Program { command, timeouts, player, engine })
    };
    read().with_context(|| format!("--engine '{text}'"))
}

impl Words {
    fn read(words: &[String], spec: &EngineSpec) -> anyhow::Result<Self> {
        let mut read = Self { spec: spec.clone(), ..Self::default() };
        let is_okapi = words.iter().any(|word| word == "okapi");
        for word in words {
            if word == "okapi" {
                read.okapi = true;
                continue;
            }
            let (key, value) =
                word.split_once('=').with_context(|| format!("'{word}' is neither okapi nor NAME=VALUE"))?;
            ensure!(!value.is_empty() || key.starts_with("option."), "'{word}' has no value");
            ensure!(is_known(key), "'{word}' is not a setting of a player: {}", known_words(is_okapi));
            read.set(word, key, value)?;
        }
        read.check()?;
        Ok(read)
    }

    fn set(&mut self, word: &str, key: &str, value: &str) -> anyhow::Result<()> {
        match key {
            "name" => self.name = Some(value.to_owned()),
            "cmd" => self.command = Some(value.to_owned()),
            "dir" => self.directory = Some(PathBuf::from(value)),
            "start-timeout" => {
                let seconds = value.parse().ok().filter(|seconds| (1..=1_000_000).contains(seconds));
                self.timeouts.start =
                    Duration::from_secs(seconds.with_context(|| format!("'{word}' is not a number of seconds"))?);
            }
            _ => {
                if let Some(name) = key.strip_prefix("option.") {
                    self.options.push((name.to_owned(), value.to_owned()));
                } else if !self.time_control.set(key, value)? {
                    self.spec.set_word(key, value)?;
                    self.only_okapi = Some(word.to_owned());
                }
            }
        }
        Ok(())
    }

    /// Checks that the words describe one engine.
    fn check(&self) -> anyhow::Result<()> {
        match (&self.command, self.okapi) {
            (Some(_), true) => bail!("it has both okapi and cmd="),
            (None, false) => bail!("it has neither okapi nor cmd="),
            (Some(_), false) => {
                if let Some(word) = &self.only_okapi {
                    bail!("'{word}' is for okapi; a UCI engine has option.NAME=VALUE");
                }
            }
            (None, true) => {
                ensure!(self.options.is_empty() && self.directory.is_none(), "dir= and option.NAME= are for cmd=");
            }
        }
        Ok(())
    }

    /// The limits, those for all where the words have none.
    fn limits(&self, shared: TimeControl) -> anyhow::Result<TimeControl> {
        let time_control = if self.time_control.is_unlimited() { shared } else { self.time_control };
        ensure!(!time_control.is_unlimited(), "it has no limit: tc=, movetime=, nodes= or depth=");
        Ok(time_control)
    }

    /// Starts the player once, so that the match does not begin with one that cannot play.
    fn enter(self, shared: TimeControl) -> anyhow::Result<MatchPlayer> {
        let time_control = self.limits(shared)?;
        let mut player = match &self.command {
            Some(command) => self.external(self.command_of(command)?)?.0,
            None => self.in_process()?,
        };
        player.time_control = time_control;
        player.description.limits = time_control.to_string();
        player.description.name = self.name.unwrap_or(player.description.name);
        Ok(player)
    }

    /// The command with what else the words say of it.
    fn command_of(&self, text: &str) -> anyhow::Result<EngineCommand> {
        let mut command = EngineCommand::parse(text)?;
        command.options.clone_from(&self.options);
        command.directory.clone_from(&self.directory);
        Ok(command)
    }

    /// A player that is a program of its own, and that program, started.
    fn external(&self, command: EngineCommand) -> anyhow::Result<(MatchPlayer, UciEngine)> {
        let timeouts = self.timeouts;
        let engine = UciEngine::start(&command, timeouts).map_err(|fault| anyhow!("the engine {fault}"))?;
        let unreadable = || format!("cannot read the program {}", command.program);
        let program = program::external(&command.program, engine.name()).with_context(unreadable)?;
        let files = vec![program::resolve(&command.program).with_context(unreadable)?];
        let directory = command.directory.as_ref().map_or(String::new(), |folder| format!(" in {}", folder.display()));
        let description = described(engine.name(), format!("{command}{directory}"), program);
        let start = move || UciEngine::start(&command, timeouts);
        let factory: PlayerFactory = Box::new(move || start().map(|engine| Box::new(engine) as Box<dyn Player>));
        Ok((MatchPlayer { description, time_control: TimeControl::default(), factory, files }, engine))
    }

    fn in_process(&self) -> anyhow::Result<MatchPlayer> {
        let made_of = self.spec.describe()?;
        Ok(MatchPlayer {
            description: described("okapi", made_of, provenance::program()),
            time_control: TimeControl::default(),
            factory: InProcess::factory(self.spec.clone()),
            files: self.spec.files().map(Path::to_owned).collect(),
        })
    }
}

/// Whether a word of this name is one of a player.
fn is_known(name: &str) -> bool {
    let of_all = PLAYER_WORDS.iter().chain(&LIMIT_WORDS).any(|known| *known == name);
    of_all || name == "cmd" || name.starts_with("option.") || KEYS.iter().any(|key| key.name == name)
}

/// The settings of Okapi, or of a UCI engine, in a sentence.
fn known_words(is_okapi: bool) -> String {
    let list = |names: &[&str]| names.iter().map(|name| format!("{name}=")).collect::<Vec<_>>().join(", ");
    if is_okapi {
        let keys: Vec<&str> = KEYS.iter().map(|key| key.name).collect();
        format!("okapi has name=, {}, {}", list(&LIMIT_WORDS), list(&keys))
    } else {
        format!(
            "a UCI engine has {}, {} and option.NAME=, and the arguments of its program stand in cmd=\"PROGRAM ARGUMENTS\"",
            list(&PLAYER_WORDS),
            list(&LIMIT_WORDS)
        )
    }
}

fn described(name: &str, engine: String, program: String) -> PlayerDescription {
    PlayerDescription { name: name.to_owned(), engine, limits: String::new(), program }
}

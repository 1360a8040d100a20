//! Reads `--player`: words as in a shell, `NAME=VALUE` or `okapi`.

use crate::cli::Switch;
use crate::in_process::InProcess;
use crate::r#match::runner::MatchPlayer;
use crate::r#match::time_control::TimeControl;
use crate::uci::Recipe;
use crate::uci::options::{LARGEST_HASH, MOST_THREADS};
use crate::uci::recipe::spelled;
use anyhow::{Context, anyhow, bail, ensure};
use clap::ValueEnum;
use player::{EngineCommand, Player, PlayerFactory, Timeouts, UciEngine};
use std::path::PathBuf;

/// What the help says of the words.
pub(super) const SYNTAX: &str = "\
A player is named in words, quoted as in a shell:
  okapi                                 this program, in its own process
  value-net= policy-net= eval= policy= search= selective= hash=
                                        what it is made of, instead of the options of these names
  threads=N                             search threads (1)
  seed=N                                decides between quiet moves of which it knows nothing (0)
  cmd=\"PROGRAM ARGUMENTS\"               or any program that speaks UCI
  dir=FOLDER                            where it runs
  \"option.NAME=VALUE\"                   its UCI options
  tc= movetime= nodes= depth=           its limits, instead of those for all
  name=NAME                             what the record calls it
for example:
  okapi match --games 100 --openings book.epd --player \"okapi nodes=2000\" \\
      --player \"cmd='gnuchess --uci' name=gnu tc=2+0.02 option.Hash=16\"";

/// A player, and what the state file says of it.
pub(super) struct Entry {
    pub(super) player: MatchPlayer,
    pub(super) description: String,
}

/// What the words say.
struct Words {
    name: Option<String>,
    time_control: TimeControl,
    okapi: bool,
    recipe: Recipe,
    command: Option<String>,
    directory: Option<PathBuf>,
    options: Vec<(String, String)>,
}

/// Reads one player, whose defaults are the limits for all and the engine of the command line.
pub(super) fn read(text: &str, shared: TimeControl, recipe: &Recipe) -> anyhow::Result<Entry> {
    let read = || {
        let words = shlex::split(text).ok_or_else(|| anyhow!("a quote is left open"))?;
        words_of(&words, recipe)?.enter(shared)
    };
    read().with_context(|| format!("--player '{text}'"))
}

fn words_of(words: &[String], recipe: &Recipe) -> anyhow::Result<Words> {
    let mut said = Words {
        name: None,
        time_control: TimeControl::default(),
        okapi: false,
        recipe: recipe.clone(),
        command: None,
        directory: None,
        options: Vec::new(),
    };
    let mut only_okapi = None;
    for word in words {
        if word == "okapi" {
            said.okapi = true;
            continue;
        }
        let (key, value) = word.split_once('=').with_context(|| format!("'{word}' is neither okapi nor NAME=VALUE"))?;
        ensure!(!value.is_empty() || key.starts_with("option."), "'{word}' has no value");
        if let Some(name) = key.strip_prefix("option.") {
            said.options.push((name.to_owned(), value.to_owned()));
            continue;
        }
        if said.time_control.set(key, value)? {
            continue;
        }
        match key {
            "name" => said.name = Some(value.to_owned()),
            "cmd" => said.command = Some(value.to_owned()),
            "dir" => said.directory = Some(PathBuf::from(value)),
            _ => {
                let settings = &mut said.recipe.settings;
                match key {
                    "value-net" => said.recipe.net = Some(PathBuf::from(value)),
                    "policy-net" => said.recipe.move_net = Some(PathBuf::from(value)),
                    "eval" => settings.eval = kind(word, value)?,
                    "policy" => settings.policy = kind(word, value)?,
                    "selective" => settings.selective = kind::<Switch>(word, value)? == Switch::On,
                    "search" => settings.search = kind(word, value)?,
                    "seed" => {
                        settings.seed = value.parse().ok().with_context(|| format!("'{word}' is no whole number"))?;
                    }
                    "threads" => {
                        let number =
                            value.parse().ok().filter(|&threads| (1..=MOST_THREADS as usize).contains(&threads));
                        said.recipe.threads =
                            number.with_context(|| format!("'{word}' is no number from 1 to {MOST_THREADS}"))?;
                    }
                    "hash" => {
                        let size = value.parse().ok().filter(|&size| (1..=LARGEST_HASH as usize).contains(&size));
                        said.recipe.hash_megabytes =
                            size.with_context(|| format!("'{word}' is no size from 1 to {LARGEST_HASH} MB"))?;
                    }
                    _ => bail!("'{word}' is not a setting of a player"),
                }
                only_okapi = Some(word);
            }
        }
    }
    match (&said.command, said.okapi) {
        (Some(_), true) => bail!("it is either okapi or cmd="),
        (None, false) => bail!("it says neither okapi nor cmd="),
        (Some(_), false) => {
            if let Some(word) = only_okapi {
                bail!("'{word}' is for okapi; a program has option.NAME=VALUE");
            }
        }
        (None, true) => {
            ensure!(said.options.is_empty() && said.directory.is_none(), "dir= and option.NAME= are for cmd=");
        }
    }
    Ok(said)
}

fn kind<K: ValueEnum>(word: &str, value: &str) -> anyhow::Result<K> {
    K::from_str(value, true).map_err(|_| {
        let known: Vec<_> = K::value_variants().iter().map(spelled).collect();
        anyhow!("'{word}' is not one of {}", known.join(", "))
    })
}

impl Words {
    /// Starts the player once, so that what is wrong with it is known before the match.
    fn enter(self, shared: TimeControl) -> anyhow::Result<Entry> {
        let time_control = if self.time_control.is_unlimited() { shared } else { self.time_control };
        ensure!(!time_control.is_unlimited(), "it has no limit: tc=, movetime=, nodes= or depth=");
        let (own_name, made_of, maker) = match &self.command {
            Some(command) => self.program(command)?,
            None => self.in_process()?,
        };
        let name = self.name.unwrap_or(own_name);
        let description = format!("{name}: {made_of}; {time_control}");
        Ok(Entry { player: MatchPlayer { name, time_control, maker }, description })
    }

    fn program(&self, command: &str) -> anyhow::Result<(String, String, PlayerFactory)> {
        let mut command = EngineCommand::parse(command)?;
        command.options.clone_from(&self.options);
        command.directory.clone_from(&self.directory);
        let engine = UciEngine::start(&command, Timeouts::default()).map_err(|fault| anyhow!("the engine {fault}"))?;
        let name = engine.name().to_owned();
        let directory = command.directory.as_ref().map_or(String::new(), |folder| format!(" in {}", folder.display()));
        let made_of = format!("{command}{directory}");
        let start = move || UciEngine::start(&command, Timeouts::default());
        Ok((name, made_of, Box::new(move || start().map(|engine| Box::new(engine) as Box<dyn Player>))))
    }

    fn in_process(&self) -> anyhow::Result<(String, String, PlayerFactory)> {
        Ok(("okapi".to_owned(), self.recipe.describe()?, InProcess::maker(self.recipe.clone())))
    }
}

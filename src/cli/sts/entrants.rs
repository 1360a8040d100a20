//! Which engines take part: Okapi in process, and programs that speak UCI.

use crate::in_process::InProcess;
use crate::uci::Recipe;
use anyhow::{anyhow, ensure};
use clap::Args;
use player::{EngineCommand, Fault, Player, Timeouts, UciEngine};
use std::time::Duration;
use sts::run::Entrant;

#[derive(Debug, Args)]
pub(super) struct EntrantArgs {
    /// A UCI engine, as "PROGRAM ARGUMENTS"; may be given again. It gets --hash and --threads if it has such options
    #[arg(long = "engine", value_name = "COMMAND")]
    engines: Vec<String>,
    /// What the table calls an engine instead of its own name, in their order (Okapi is the first); may be given again
    #[arg(long = "name", value_name = "NAME")]
    names: Vec<String>,
    /// Set an option of every --engine, or with "N:" before it of the Nth; may be given again
    #[arg(long = "option", value_name = "[N:]NAME=VALUE")]
    options: Vec<EngineOption>,
    /// Okapi takes part beside the engines
    #[arg(long)]
    okapi: bool,
    /// Threads of each engine
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1024))]
    threads: u64,
    /// Seconds without a word after which an engine that searches without a limit of time is given up
    #[arg(long, value_name = "S", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    timeout: u64,
}

/// An option for one engine or for all.
#[derive(Debug, Clone)]
struct EngineOption {
    /// Which `--engine`, from 1; `None` for all.
    engine: Option<usize>,
    name: String,
    value: String,
}

impl std::str::FromStr for EngineOption {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (name, value) = text.split_once('=').ok_or("it is not of the form NAME=VALUE or N:NAME=VALUE")?;
        let numbered = name.split_once(':').and_then(|(number, name)| Some((number.trim().parse().ok()?, name)));
        let (engine, name) = numbered.map_or((None, name), |(number, name)| (Some(number), name));
        Ok(Self { engine, name: name.trim().to_owned(), value: value.trim().to_owned() })
    }
}

impl EntrantArgs {
    /// The threads that an engine searches with.
    pub(super) fn threads(&self) -> u64 {
        self.threads
    }

    /// Starts every engine once, so that what is wrong with any is known before the run.
    pub(super) fn enter(&self, recipe: &Recipe, note: &mut dyn FnMut(&str)) -> anyhow::Result<Vec<Entrant>> {
        let okapi = self.okapi || self.engines.is_empty();
        let all = self.engines.len() + usize::from(okapi);
        ensure!(self.names.len() <= all, "there are {} names for {all} engines", self.names.len());
        let unknown =
            self.options.iter().filter_map(|option| option.engine).find(|n| !(1..=self.engines.len()).contains(n));
        if let Some(number) = unknown {
            anyhow::bail!("--option is for engine {number}, but --engine is given {} times", self.engines.len());
        }
        ensure!(self.options.is_empty() || !self.engines.is_empty(), "--option is for an --engine, and there is none");
        let mut names = self.names.iter().cloned();
        let mut entrants = Vec::with_capacity(all);
        if okapi {
            let recipe = Recipe { threads: self.threads as usize, ..recipe.clone() };
            entrants.push(Entrant::new(names.next(), recipe.describe()?, InProcess::maker(recipe))?);
        }
        for (text, number) in self.engines.iter().zip(1..) {
            entrants.push(self.external(text, number, names.next(), recipe.hash_megabytes as u64, note)?);
        }
        tell_apart(&mut entrants);
        Ok(entrants)
    }

    fn external(
        &self,
        text: &str,
        number: usize,
        name: Option<String>,
        hash: u64,
        note: &mut dyn FnMut(&str),
    ) -> anyhow::Result<Entrant> {
        let named = |fault: Fault| anyhow!("the engine '{text}' {fault}");
        let mut command = EngineCommand::parse(text).map_err(named)?;
        for option in self.options.iter().filter(|option| option.engine.is_none_or(|engine| engine == number)) {
            command = command.with_option(&option.name, &option.value);
        }
        let timeouts = Timeouts { search: Duration::from_secs(self.timeout), ..Timeouts::default() };
        let setup = Setup { command, timeouts, hash, threads: self.threads };
        let (engine, hash, threads) = setup.start().map_err(named)?;
        if threads.is_none() && self.threads > 1 {
            note(&format!("the engine '{text}' has no option Threads"));
        }
        let set = [("Hash", hash), ("Threads", threads)];
        let set = set.into_iter().filter_map(|(name, value)| Some(format!(" {name}={}", value?)));
        let command = set.fold(setup.command.to_string(), |command, option| command + &option);
        let name = name.unwrap_or_else(|| engine.name().to_owned());
        let maker = move || setup.start().map(|(engine, ..)| Box::new(engine) as Box<dyn Player>);
        Ok(Entrant { name, command, maker: Box::new(maker) })
    }
}

/// How an engine is started.
struct Setup {
    command: EngineCommand,
    timeouts: Timeouts,
    hash: u64,
    threads: u64,
}

impl Setup {
    /// The engine, and the sizes of table and threads that were set. An `--option` of the same name comes first.
    fn start(&self) -> Result<(UciEngine, Option<i64>, Option<i64>), Fault> {
        let mut engine = UciEngine::start(&self.command, self.timeouts)?;
        let free = |name: &str| !self.command.options.iter().any(|(given, _)| given.eq_ignore_ascii_case(name));
        let threads = if free("Threads") { engine.set_threads(self.threads)? } else { None };
        let hash = if free("Hash") { engine.set_hash(self.hash)? } else { None };
        Ok((engine, hash, threads))
    }
}

/// Numbers engines of the same name.
fn tell_apart(entrants: &mut [Entrant]) {
    for index in 1..entrants.len() {
        let name = entrants[index].name.clone();
        let mut number = 1;
        while entrants[..index].iter().any(|earlier| earlier.name == entrants[index].name) {
            number += 1;
            entrants[index].name = format!("{name} ({number})");
        }
    }
}

//! The engines that take part: Okapi in process, and UCI programs.

use crate::players::read_suite_program;
use anyhow::{Context, anyhow, ensure};
use clap::Args;
use engine::EngineSpec;
use engine::in_process::InProcess;
use engine::provenance;
use player::{EngineCommand, Fault, Player, Timeouts, UciEngine};
use std::path::PathBuf;
use std::time::Duration;
use sts::run::SuiteEngine;
use support::program;

#[derive(Debug, Args)]
pub(super) struct EngineListArgs {
    /// A UCI engine as "PROGRAM ARGUMENTS", or as the words of a match's player, "cmd=PROGRAM name=NAME option.Hash=16"; may be given several
    /// times. Its options Hash and Threads are set to --hash and --threads if it has them
    #[arg(long = "engine", value_name = "WORDS")]
    commands: Vec<String>,
    /// The name of an engine in the reports, in the order of the engines (Okapi is the first); may be given several times;
    /// default: the engine's own name
    #[arg(long = "name", value_name = "NAME")]
    names: Vec<String>,
    /// Set a UCI option of every --engine, or with "N:" of the Nth one; may be given several times
    #[arg(long = "option", value_name = "[N:]NAME=VALUE")]
    options: Vec<EngineOption>,
    /// Score Okapi together with the --engine programs
    #[arg(long)]
    okapi: bool,
    /// Search threads of each engine
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1024))]
    threads: u64,
    /// Seconds that an engine may take to start
    #[arg(long, value_name = "S", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    start_timeout: u64,
    /// Seconds without output after which an engine that searches without --movetime is stopped
    #[arg(long, value_name = "S", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    timeout: u64,
}

/// A UCI option for one engine or for all.
#[derive(Debug, Clone)]
struct EngineOption {
    /// The number of the `--engine`, from 1; `None` for all.
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

impl EngineListArgs {
    /// The search threads of each engine.
    pub(super) fn threads(&self) -> u64 {
        self.threads
    }

    /// The program files of the engines, as far as they can be found.
    pub(super) fn programs(&self) -> Vec<PathBuf> {
        let programs = self.commands.iter().filter_map(|text| read_suite_program(text).ok());
        programs.filter_map(|program| program::resolve(&program.command.program).ok()).collect()
    }

    /// Starts every engine once, so that errors are found before the run.
    pub(super) fn start(&self, spec: &EngineSpec, note: &mut dyn FnMut(&str)) -> anyhow::Result<Vec<SuiteEngine>> {
        let okapi = self.okapi || self.commands.is_empty();
        let all = self.commands.len() + usize::from(okapi);
        ensure!(self.names.len() <= all, "there are {} names for {all} engines", self.names.len());
        let mut numbers = self.options.iter().filter_map(|option| option.engine);
        if let Some(number) = numbers.find(|number| !(1..=self.commands.len()).contains(number)) {
            anyhow::bail!("--option is for engine {number}, but --engine is given {} times", self.commands.len());
        }
        ensure!(self.options.is_empty() || !self.commands.is_empty(), "--option needs an --engine");
        let mut names = self.names.iter().cloned();
        let mut engines = Vec::with_capacity(all);
        if okapi {
            let spec = EngineSpec { threads: self.threads as usize, ..spec.clone() };
            let (description, factory) = (spec.describe()?, InProcess::factory(spec));
            engines.push(SuiteEngine::new(names.next(), description, provenance::program(), factory)?);
        }
        for (text, number) in self.commands.iter().zip(1..) {
            engines.push(self.external(text, number, names.next(), spec.hash_megabytes as u64, note)?);
        }
        number_equal_names(&mut engines);
        Ok(engines)
    }

    fn external(
        &self,
        text: &str,
        number: usize,
        name: Option<String>,
        hash: u64,
        note: &mut dyn FnMut(&str),
    ) -> anyhow::Result<SuiteEngine> {
        let named = |fault: Fault| anyhow!("the engine '{text}' {fault}");
        let read = read_suite_program(text).with_context(|| format!("--engine '{text}'"))?;
        let (mut command, name) = (read.command, name.or(read.name));
        for option in self.options.iter().filter(|option| option.engine.is_none_or(|engine| engine == number)) {
            command = command.with_option(&option.name, &option.value);
        }
        let (search, start) = (Duration::from_secs(self.timeout), Duration::from_secs(self.start_timeout));
        let start = read.start.unwrap_or(start);
        let timeouts = Timeouts { search, start, ..Timeouts::default() };
        let setup = Setup { command, timeouts, hash, threads: self.threads };
        let (engine, hash, threads) = setup.start().map_err(named)?;
        if threads.is_none() && self.threads > 1 {
            note(&format!("the engine '{text}' has no option Threads"));
        }
        let set = [("Hash", hash), ("Threads", threads)];
        let set = set.into_iter().filter_map(|(name, value)| Some(format!(" {name}={}", value?)));
        let command = set.fold(setup.command.to_string(), |command, option| command + &option);
        let program = program::external(&setup.command.program, engine.name())
            .with_context(|| format!("cannot read the program of the engine '{text}'"))?;
        let name = name.unwrap_or_else(|| engine.name().to_owned());
        let factory = move || setup.start().map(|(engine, ..)| Box::new(engine) as Box<dyn Player>);
        Ok(SuiteEngine { name, command, program, factory: Box::new(factory) })
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
    /// The engine, and the values of Hash and Threads that were set. An `--option` of the same name takes precedence.
    fn start(&self) -> Result<(UciEngine, Option<i64>, Option<i64>), Fault> {
        let mut engine = UciEngine::start(&self.command, self.timeouts)?;
        let free = |name: &str| !self.command.options.iter().any(|(given, _)| given.eq_ignore_ascii_case(name));
        let threads = if free("Threads") { engine.set_threads(self.threads)? } else { None };
        let hash = if free("Hash") { engine.set_hash(self.hash)? } else { None };
        Ok((engine, hash, threads))
    }
}

/// Numbers engines with equal names.
fn number_equal_names(engines: &mut [SuiteEngine]) {
    for index in 1..engines.len() {
        let name = engines[index].name.clone();
        let mut number = 1;
        while engines[..index].iter().any(|earlier| earlier.name == engines[index].name) {
            number += 1;
            engines[index].name = format!("{name} ({number})");
        }
    }
}

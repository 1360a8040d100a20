//! `okapi train contracts`: games that branch from kept ones, in which one side must win.

use crate::engine_args::TeachingArgs;
use anyhow::{bail, ensure};
use clap::Args;
use engine::provenance;
use learn::data::contracts::{Contract, ContractPlayers, FORM, branches};
use serde_json::{Map, Value, json};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use support::interrupt::{Interrupt, Interrupted};
use support::journal::{Journal, LineHeader, PartOfRecord};
use support::part::Part;
use support::progress::Progress;
use support::{output, pool};

/// The format of the file.
const VERSION: u64 = 1;

#[derive(Debug, Args)]
pub struct Contracts {
    /// Folders of kept games (`okapi train play`)
    #[arg(value_name = "DIR", required = true)]
    data: Vec<PathBuf>,
    /// The file of the games, to which each is appended; the same command continues it
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// How many games branch
    #[arg(long, value_name = "N", default_value_t = 5_000, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    games: u32,
    /// Play only part k of K of the games, for `okapi merge`
    #[arg(long, value_name = "k/K", default_value_t = Part::WHOLE)]
    shard: Part,
    /// Nodes of a move
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Seed of the choice of branches
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Threads; the games do not depend on their number [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    #[command(flatten)]
    engine: TeachingArgs,
}

impl Contracts {
    pub(super) fn run(&self) -> anyhow::Result<()> {
        let interrupt = Interrupt::install()?;
        let spec = &self.engine.spec;
        let inputs: Vec<&Path> = spec.files().collect();
        output::check_appended(&self.out, &inputs)?;
        let all = branches(&self.data, spec, self.seed, self.games as usize)?;
        ensure!(all.len() == self.games as usize, "the games have {} branches, fewer than {}", all.len(), self.games);
        let mut known = vec![false; all.len()];
        let mut journal = self.journal(&mut known)?;
        let mine = self.shard.count(all.len() as u64);
        let missing: Vec<usize> =
            (0..all.len()).filter(|number| self.shard.has(*number as u64) && !known[*number]).collect();
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let player = |_| ContractPlayers::new(spec, self.nodes);
        let mut players =
            (0..self.threads.map_or(cores, usize::from)).map(player).collect::<anyhow::Result<Vec<_>>>()?;
        let mut done = mine - missing.len() as u64;
        let mut progress = Progress::new("games", Some(mine), done).writing_to(&self.out);
        let (mut failed, mut fulfilled) = (None, 0_u64);
        pool::run(
            &missing,
            &mut players,
            &|| interrupt.raised(),
            |players, number, stop| players.play(number as u64, &all[number], stop),
            |contract: Option<Contract>| {
                let Some(contract) = contract else { return ControlFlow::Break(()) };
                fulfilled += u64::from(contract.result == -contract.worth);
                // A contract is text and numbers, which can always be written.
                failed = journal.append(&[serde_json::to_string(&contract).unwrap_or_default()]).err();
                done += 1;
                progress.show(done, || format!("{fulfilled} contracts fulfilled"));
                if failed.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            },
        );
        progress.finish();
        failed.map_or(Ok(()), Err)?;
        if done < mine {
            bail!(Interrupted::new(format!("interrupted after {done} of {mine} games; the same command continues")));
        }
        let out = self.out.display();
        support::say!("{out}: all {done} games are there; {fulfilled} contracts fulfilled in this session");
        Ok(())
    }

    fn journal(&self, known: &mut [bool]) -> anyhow::Result<Journal> {
        let mut setup = Map::new();
        setup.insert("engine".to_owned(), json!(self.engine.spec.describe()?));
        setup.insert("program".to_owned(), json!(provenance::program()));
        setup.insert("nodes".to_owned(), json!(self.nodes));
        setup.insert("seed".to_owned(), json!(self.seed));
        let rest = Value::Object(setup).to_string();
        let whole = format!("{}{VERSION},{}", FORM.mark, &rest[1..]);
        let all = known.len() as u64;
        let line = PartOfRecord { part: self.shard, records: self.shard.count(all), all }.header(&whole);
        let header = LineHeader { what: FORM.what, mark: FORM.mark, line, mixable: &[] };
        let mut each = |line: &str| {
            let contract: Contract = serde_json::from_str(line).map_err(|error| error.to_string())?;
            if let Some(known) = known.get_mut(contract.number as usize) {
                *known = true;
            }
            Ok(())
        };
        Ok(Journal::open(&self.out, &header, false, &mut each)?)
    }
}

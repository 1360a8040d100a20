//! `okapi mcts`: measurements of the Monte-Carlo tree search.

use crate::engine_args::PartsArgs;
use anyhow::ensure;
use clap::{Args, Subcommand};
use engine::{Engine, EngineSpec, SearchKind, provenance};
use learn::data::game_generator::tree_megabytes;
use learn::tasks::curve::curve_game::{CurveGame, CurveSetup, Kind};
use learn::tasks::curve::curve_record::{CurveFile, CurveRecord};
use learn::tasks::curve::curve_report::CurveReport;
use search::mcts::search_contempt::INFINITE;
use std::collections::{BTreeSet, HashSet};
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use support::interrupt::{Interrupt, Interrupted};
use support::output::{self, Output};
use support::pool;
use support::progress::Progress;

#[derive(Debug, Subcommand)]
pub(super) enum Mcts {
    /// Over the limit of search-contempt: how many games are decided, how many repeat others, and the strength
    Curve(Curve),
}

impl Mcts {
    pub(super) fn run(&self) -> anyhow::Result<()> {
        let Self::Curve(curve) = self;
        curve.run()
    }
}

#[derive(Debug, Args)]
pub(super) struct Curve {
    /// The limits (--sc-limit), with commas between; `puct` is the search without one
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "1,2,5,10,28,100,puct", value_parser = limit)]
    limits: Vec<u32>,
    /// Games of each limit against itself, from the standard start
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(..=10_000_000))]
    games: u64,
    /// Games of each limit against PUCT, from random openings that are played with both colors; even
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = even)]
    strength_games: u64,
    /// Visits of each search
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    nodes: u64,
    /// The seed of all draws; games of the same number have the same draws with every limit
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// The number of games played at the same time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    concurrency: u16,
    /// Record each game in this file as it ends; the same command continues from it, also with more games or limits
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    /// Continue a record even if it was made by another program
    #[arg(long)]
    mixed: bool,
    /// Write the rows to this file as CSV (`-`: standard output)
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Draw the curves to this file (`-`: standard output)
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Replace a --csv or --svg file that exists
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    engine: PartsArgs,
}

fn limit(text: &str) -> Result<u32, String> {
    if text == "puct" {
        return Ok(INFINITE);
    }
    let number = text.parse().ok().filter(|number| (1..=INFINITE).contains(number));
    number.ok_or_else(|| format!("a limit is a number from 1 to {INFINITE}, or puct"))
}

fn even(text: &str) -> Result<u64, String> {
    let number = text.parse().ok().filter(|number: &u64| number.is_multiple_of(2) && *number <= 10_000_000);
    number.ok_or_else(|| "it must be an even number from 0 to 10000000".to_owned())
}

impl Curve {
    fn run(&self) -> anyhow::Result<()> {
        let interrupt = Interrupt::install()?;
        let setup = self.setup()?;
        let inputs: Vec<&Path> = setup.spec.files().collect();
        let mut games: Vec<CurveRecord> = Vec::new();
        let open = |path: &Path| {
            output::check_appended(path, &inputs)?;
            CurveFile::open(path, &setup, &provenance::program(), self.mixed, &mut |record| games.push(record))
        };
        let mut file = self.state.as_deref().map(open).transpose()?;
        // A record may have games of other limits, or more of them.
        let wanted = self.wanted();
        games.retain(|record| wanted.contains(&record.game));
        let [csv, svg] = self.outputs(&inputs, &self.report(&games))?;

        self.play(&setup, &wanted, &mut games, file.as_mut(), &interrupt)?;
        let report = self.report(&games);
        if let Some(csv) = &csv {
            csv.write(report.csv().as_bytes())?;
        }
        if let Some(svg) = &svg {
            svg.write(report.svg()?.as_bytes())?;
        }
        write!(output::report_stream([&csv, &svg].into_iter().flatten()), "{report}")?;
        let next = match self.state {
            Some(_) => "the same command continues it",
            None => "without --state it cannot be continued",
        };
        let (done, all) = (games.len(), wanted.len());
        ensure!(done == all, Interrupted::new(format!("interrupted after {done} of {all} games; {next}")));
        Ok(())
    }

    /// What all games have in common.
    fn setup(&self) -> anyhow::Result<CurveSetup> {
        let given = &self.engine.spec;
        ensure!(
            given.contempt_limit == INFINITE,
            "--sc-limit is the limit of one search; name those of the curve by --limits"
        );
        if given.temperature == 0.0 && given.root_noise == 0.0 {
            support::say!(
                "note: without --temperature or --root-noise the games of PUCT against itself are all much the same"
            );
        }
        let spec = EngineSpec { search: SearchKind::Mcts, hash_megabytes: tree_megabytes(self.nodes), ..given.clone() };
        Ok(CurveSetup { spec, nodes: self.nodes, seed: self.seed })
    }

    /// All games.
    fn wanted(&self) -> BTreeSet<CurveGame> {
        let of_kind = |kind, games, limit| (0..games).map(move |game| CurveGame { kind, limit, game });
        let of_limit = |limit| {
            // Against itself PUCT has no strength to measure.
            let against_puct = if limit == INFINITE { 0 } else { self.strength_games };
            of_kind(Kind::Own, self.games, limit).chain(of_kind(Kind::Puct, against_puct, limit))
        };
        self.limits.iter().flat_map(|limit| of_limit(*limit)).collect()
    }

    fn report(&self, games: &[CurveRecord]) -> CurveReport {
        CurveReport::new(games, &self.limits, self.nodes)
    }

    /// The CSV file and the figure. Those that an earlier run wrote, of the games that the record has, are renewed without --force.
    fn outputs(&self, inputs: &[&Path], known: &CurveReport) -> anyhow::Result<[Option<Output>; 2]> {
        let check = |path: &Option<PathBuf>, other: &Option<PathBuf>, written: &str| {
            let others: Vec<&Path> =
                inputs.iter().copied().chain(self.state.as_deref()).chain(other.as_deref()).collect();
            path.as_deref().map(|path| Output::renew(path, &others, self.force, written)).transpose()
        };
        let svg = known.svg().unwrap_or_default();
        Ok([check(&self.csv, &self.svg, &known.csv())?, check(&self.svg, &self.csv, &svg)?])
    }

    /// Plays what is missing until the end or an interrupt, and records each game as it ends.
    fn play(
        &self,
        setup: &CurveSetup,
        wanted: &BTreeSet<CurveGame>,
        games: &mut Vec<CurveRecord>,
        mut file: Option<&mut CurveFile>,
        interrupt: &Interrupt,
    ) -> anyhow::Result<()> {
        let known: HashSet<CurveGame> = games.iter().map(|record| record.game).collect();
        let missing: Vec<CurveGame> = wanted.iter().filter(|game| !known.contains(game)).copied().collect();
        let workers = usize::from(self.concurrency).min(missing.len());
        let mut engines = (0..workers)
            .map(|_| Ok([setup.spec.build()?, setup.spec.build()?]))
            .collect::<anyhow::Result<Vec<[Engine; 2]>>>()?;
        let mut progress = Progress::new("games", Some(wanted.len() as u64), games.len() as u64);
        if let Some(state) = &self.state {
            progress = progress.writing_to(state);
        }
        let work = |engines: &mut [Engine; 2], game: CurveGame, stop: &pool::Stop| {
            let (result, moves) = game.play(setup, engines, stop)?;
            Some(CurveRecord { game, result, moves: moves.join(" ") })
        };
        let mut saved = Ok(());
        pool::run(&missing, &mut engines, &|| interrupt.raised(), work, |played| {
            let Some(record) = played else { return ControlFlow::Continue(()) };
            saved = file.as_mut().map_or(Ok(()), |file| file.add(&record));
            games.push(record);
            progress.show(games.len() as u64, String::new);
            if saved.is_err() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        progress.finish();
        Ok(saved?)
    }
}

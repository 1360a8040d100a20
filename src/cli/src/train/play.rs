//! `okapi train play`: self-play games that are kept in shards, and `okapi train data`: what is in them.

use crate::engine_args::TeachingPartsArgs;
use anyhow::{Context, bail, ensure};
use clap::Args;
use engine::{EngineSpec, SearchKind};
use learn::data::data_set::{DataSet, DataSize, GAMES_PER_SHARD, HISTOGRAM, Statistics, shards};
use learn::data::game_generator::{Generator, tree_megabytes};
use learn::data::merge_games;
use learn::data::part_file::PartFile;
use learn::data::shard_folders::oddities;
use learn::data::start_files;
use learn::run::folder::{self, Content};
use pgn::position_file;
use std::collections::HashSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use support::atomic_file::sync_folder;
use support::hash::short_sha256;
use support::interrupt::{Interrupt, Interrupted};
use support::part::Part;
use support::progress::Progress;

/// MB of the transposition table of each thread: a search of a few hundred nodes needs no more, and it is cleared per game.
const HASH: usize = 1;

/// The options of `okapi train play`.
#[derive(Debug, Args)]
pub struct Play {
    /// The folder of the data set; shards that are there already are kept
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Games of the data set
    #[arg(long, value_name = "N", default_value_t = 20_480, value_parser = clap::value_parser!(u64).range(1..))]
    games: u64,
    /// Games of a file (a shard), the last one has what remains; fewer where there are more machines than files
    #[arg(long, value_name = "N", default_value_t = GAMES_PER_SHARD, value_parser = clap::value_parser!(u64).range(1..=65_536))]
    games_per_file: u64,
    /// Play only every K-th file, beginning with the k-th: K processes with k from 1 to K, each with a folder of its own, play the
    /// whole data set, and `okapi merge` joins them
    #[arg(long, value_name = "k/K", default_value_t = Part::WHOLE)]
    shard: Part,
    /// Nodes of each search; with --search mcts visits, which are kept with the games
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Games or positions to start from (PGN or EPD, .zst allowed) [default: openings of 2 to 12 random plies]
    #[arg(long, value_name = "FILE")]
    starts: Option<PathBuf>,
    /// Random legal moves after each start position of --starts
    #[arg(long, value_name = "N", default_value_t = 1)]
    random_moves: u32,
    /// EPD files of positions that are never started from and never labeled; may be given again
    #[arg(long, value_name = "FILE")]
    exclude: Vec<PathBuf>,
    /// Seed of all random choices
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Threads; the games do not depend on their number [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    #[command(flatten)]
    engine: TeachingPartsArgs,
}

impl Play {
    /// The folder that it fills.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Runs the command.
    ///
    /// # Errors
    /// If a file cannot be used, or an option contradicts what is there.
    pub fn run(&self) -> anyhow::Result<()> {
        let interrupt = Interrupt::install()?;
        let is_tree = self.engine.spec.search == SearchKind::Mcts;
        let hash_megabytes = if is_tree { tree_megabytes(self.nodes) } else { HASH };
        let spec = EngineSpec { hash_megabytes, ..self.engine.spec.clone() };
        let excluded = position_file::keys(self.exclude.iter().map(PathBuf::as_path))?;
        let mut data_spec = vec![
            ("program".to_owned(), engine::provenance::program()),
            ("engine".to_owned(), spec.describe()?),
            ("nodes".to_owned(), self.nodes.to_string()),
        ];
        let mut generator =
            Generator { seed: self.seed, nodes: self.nodes, random_moves: 0, starts: Vec::new(), excluded, tree: None };
        generator.tree = is_tree.then(|| spec.clone());
        if let Some(starts) = &self.starts {
            let started = start_files::read(starts, &generator.excluded, self.seed)?;
            started.refused.iter().for_each(|sentence| support::say!("note: {}: {sentence}", starts.display()));
            generator.starts = started.positions;
            generator.random_moves = self.random_moves;
            let fens: String = generator.starts.iter().map(|position| position.to_fen(true) + "\n").collect();
            data_spec.push(("starts".to_owned(), short_sha256(fens.as_bytes())));
            data_spec.push(("random moves".to_owned(), self.random_moves.to_string()));
        }
        data_spec.push(("excluded".to_owned(), hash_of_keys(&generator.excluded)));
        let size = DataSize { games: self.games, per_shard: self.games_per_file };
        folder::refuse_others(&self.folder, &[Content::Games])?;
        let data = DataSet::open(&self.folder, self.seed, data_spec, size)?;
        let missing = data.missing()?;
        let mut part = PartFile::begin(merge_games::TASK, self.shard, data.fields());
        if !self.shard.is_whole() {
            part.write(&self.folder)?;
        }
        let mine: Vec<_> = missing.into_iter().filter(|shard| self.shard.has(*shard)).collect();
        let threads =
            self.threads.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from);
        let mut engines = (0..threads).map(|_| spec.build()).collect::<anyhow::Result<Vec<_>>>()?;
        let total = mine.iter().map(|&shard| data.games(shard).count() as u64).sum();
        let progress = Mutex::new(Progress::new("games", Some(total), 0).writing_to(&self.folder));
        let (done, positions) = (AtomicU64::new(0), AtomicU64::new(0));
        for shard in mine {
            let played = |plies: usize| {
                let positions = positions.fetch_add(plies as u64, Relaxed) + plies as u64;
                let games = done.fetch_add(1, Relaxed) + 1;
                if let Ok(mut progress) = progress.lock() {
                    progress.show(games, || format!("{positions} positions"));
                }
            };
            let Some(games) = generator.games(&mut engines, data.games(shard), &interrupt, &played) else { break };
            data.write(shard, &games)?;
        }
        if let Ok(progress) = progress.lock() {
            progress.finish();
        }
        let (left, folder) = (data.missing()?, self.folder.display());
        let mine = left.iter().filter(|shard| self.shard.has(**shard)).count();
        ensure!(
            mine == 0,
            Interrupted::new(format!("{folder}: {mine} shards are missing; the same command plays them"))
        );
        if !self.shard.is_whole() {
            part.complete = true;
            part.write(&self.folder)?;
        }
        // A run before this one may have ended before the name of its last shard was on the disk.
        sync_folder(&self.folder).with_context(|| format!("cannot use {folder}"))?;
        let shard = self.shard;
        match left.len() {
            0 => support::say!("{folder}: all {} games are there", self.games),
            1 => support::say!("{folder}: --shard {shard} is complete; 1 shard of others is missing"),
            left => support::say!("{folder}: --shard {shard} is complete; {left} shards of others are missing"),
        }
        Ok(())
    }
}

fn hash_of_keys(keys: &HashSet<u64>) -> String {
    let mut sorted: Vec<_> = keys.iter().collect();
    sorted.sort_unstable();
    short_sha256(&sorted.into_iter().flat_map(|key| key.to_le_bytes()).collect::<Vec<_>>())
}

/// The options of `okapi train data`.
#[derive(Debug, Args)]
pub struct Data {
    /// The folder of the data set
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

impl Data {
    /// Runs the command.
    ///
    /// # Errors
    /// If a file cannot be used, or an option contradicts what is there.
    pub fn run(&self) -> anyhow::Result<()> {
        let files = shards(&self.folder).with_context(|| format!("cannot read {}", self.folder.display()))?;
        ensure!(!files.is_empty(), "{} has no shards of training games", self.folder.display());
        // A damaged shard is counted and named below.
        let odd = oddities(std::slice::from_ref(&self.folder)).unwrap_or_default();
        odd.iter().for_each(|sentence| support::say!("note: {sentence}"));
        let mut statistics = Statistics::default();
        let mut progress = Progress::new("shards", Some(files.len() as u64), 0);
        for (number, file) in files.iter().enumerate() {
            statistics.add_file(file);
            progress.show(number as u64 + 1, String::new);
        }
        progress.finish();
        print(&self.folder, files.len(), &statistics)?;
        match statistics.damaged.len() {
            0 => Ok(()),
            1 => bail!("1 damaged file or game (listed above)"),
            damaged => bail!("{damaged} damaged files or games (listed above)"),
        }
    }
}

fn print(folder: &Path, files: usize, data: &Statistics) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    let percent = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
    let bytes = data.bytes as f64 / data.positions.max(1) as f64;
    writeln!(out, "{}: {files} shards, {} bytes, {bytes:.2} per position", folder.display(), data.bytes)?;
    writeln!(out, "games       {}", data.games)?;
    let [lost, drawn, won] = data.results.map(|results| percent(results, data.games));
    writeln!(out, "results     White wins {won:.1} %, draws {drawn:.1} %, Black wins {lost:.1} %")?;
    let plies = data.positions as f64 / data.games.max(1) as f64;
    writeln!(out, "positions   {}, {plies:.1} per game", data.positions)?;
    writeln!(out, "labeled     {} ({:.1} %)", data.labeled, percent(data.labeled, data.positions))?;
    writeln!(out, "quiet       {} ({:.1} % of the labeled)", data.quiet, percent(data.quiet, data.labeled))?;
    writeln!(out, "mates       {} ({:.1} % of the labeled)", data.mates, percent(data.mates, data.labeled))?;
    writeln!(out, "visited     {} ({:.1} %)", data.visited, percent(data.visited, data.positions))?;
    writeln!(out, "duplicates  {} ({:.1} % of the labeled)", data.duplicates, percent(data.duplicates, data.labeled))?;
    writeln!(out, "value for the side to move:")?;
    for (bar, count) in data.values.iter().enumerate() {
        let from = -1.0 + 2.0 * bar as f64 / HISTOGRAM as f64;
        let share = percent(*count, data.labeled);
        writeln!(out, "  {from:5.2}  {share:5.1} %  {}", "#".repeat(share.round() as usize))?;
    }
    for damage in &data.damaged {
        writeln!(out, "damaged: {damage}")?;
    }
    Ok(())
}

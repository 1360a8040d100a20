//! `okapi analyse`: searches every position of games, and writes them annotated or as pages.

mod analysts;

use super::engine_args::EngineArgs;
use analysis::{
    Entry, Judgement, Neighbors, PositionAnalysis, Summary, accuracy_tags, annotations, index, judge, page, summaries,
};
use analysts::{Chosen, Wanted};
use anyhow::{Context, bail, ensure};
use board::Game;
use clap::Args;
use pgn::{self, AnnotatedGame, Faults, PgnError, PgnGame};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use sts::select::LineRanges;
use support::interrupt::{Interrupt, Interrupted};
use support::journal::{Journal, LineHeader};
use support::output::{self, Output};
use support::pool;
use support::progress::Progress;

/// The lines of each position on a page, if no number is given.
const DEFAULT_LINES: u8 = 3;
/// How every header of a record begins.
const MARK: &str = "{\"okapi_analyse\":";
/// The page with all games.
const INDEX: &str = "index.html";
/// The format of a record.
const VERSION: u64 = 2;

const EXAMPLES: &str = "\
Verdicts: ?! gives away 0.05 points of expected score, ? 0.10, ?? 0.15; ! is a best move to which the policy network gives less than 5 %.
Examples:
  okapi analyse game.pgn                                          annotated, on standard output
  okapi analyse games.pgn --pgn annotated.pgn --html pages --threads 4 --state analysis.state
  okapi analyse game.pgn --html pages --engine \"cmd=stockfish option.Hash=64\" --movetime 500";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Analyse {
    /// The games (.pgn or .pgn.zst)
    #[arg(value_name = "GAMES.pgn")]
    games: PathBuf,
    /// Write the games with evaluations, glyphs and better lines to this file (default without --html: standard output)
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// Write one page for each game into this folder, 1.html, 2.html, ... (01.html of ten games or more), and index.html with all of them
    #[arg(long, value_name = "FOLDER")]
    html: Option<PathBuf>,
    /// Only the games with these numbers in the file, such as 3,7-9 (from 1; 5- means to the end)
    #[arg(long = "games", value_name = "NUMBERS")]
    games_of: Option<LineRanges>,
    /// Nodes for each position (default: 100000, without --movetime)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Milliseconds for each position
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..=86_400_000))]
    movetime: Option<u64>,
    /// The best lines of each position that are searched, which share its nodes (default: 3 with --html, else 1)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..))]
    lines: Option<u8>,
    /// Analyse with this UCI engine instead of Okapi: its command, or the WORDS of a match's player (okapi match --help). What it does not
    /// say is left out: move probabilities, and win, draw and loss unless it has UCI_ShowWDL
    #[arg(long = "engine", value_name = "WORDS")]
    program: Option<String>,
    /// The number of positions searched at the same time (default: one for each processor)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Record each position in this file; the same command continues from it
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    /// Replace files that exist
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    engine: EngineArgs,
}

/// A line of the record.
#[derive(Serialize, Deserialize)]
struct Line {
    /// The game's number in the file, from 1.
    game: u64,
    /// Moves before the position.
    ply: usize,
    #[serde(flatten)]
    analysis: PositionAnalysis,
}

/// What is known of earlier runs, and where more is recorded.
struct Record {
    known: HashMap<(u64, usize), PositionAnalysis>,
    journal: Option<Journal>,
}

/// Where games are written.
struct Outputs {
    pgn: Option<Output>,
    html: Option<PathBuf>,
}

impl Analyse {
    pub(super) fn run(&self) -> anyhow::Result<()> {
        let inputs: Vec<&Path> = self.engine.spec.files().chain([self.games.as_path()]).collect();
        let (games, faults) = self.read()?;
        faults.notes(&self.games).iter().for_each(|note| support::say!("note: {note}"));
        ensure!(!games.is_empty(), "{} has no game that can be read", self.games.display());
        let engine = self.wanted().chosen()?;
        let files = engine.files();
        let inputs: Vec<&Path> = inputs.into_iter().chain(files.iter().map(PathBuf::as_path)).collect();
        let mut record = self.record(&inputs, &engine)?;
        let annotator = engine.annotator.clone();
        let outputs = self.outputs(&inputs, &games, &record, &annotator)?;
        let text = self.analyse_all(&games, &mut record, &outputs, engine)?;
        match &outputs.pgn {
            Some(output) => output.write(text.as_bytes())?,
            None if outputs.html.is_none() => std::io::stdout().lock().write_all(text.as_bytes())?,
            None => {}
        }
        Ok(())
    }

    fn wanted(&self) -> Wanted<'_> {
        Wanted {
            program: self.program.as_deref(),
            spec: &self.engine.spec,
            nodes: self.nodes,
            movetime: self.movetime,
            lines: self.lines(),
            threads: self.threads,
        }
    }

    /// The lines of each position.
    fn lines(&self) -> u8 {
        self.lines.unwrap_or(if self.html.is_some() { DEFAULT_LINES } else { 1 })
    }

    /// Analyses all games and writes their pages; returns the annotated games.
    fn analyse_all(
        &self,
        games: &[PgnGame],
        record: &mut Record,
        outputs: &Outputs,
        engine: Chosen,
    ) -> anyhow::Result<String> {
        let interrupt = Interrupt::install()?;
        let annotator = engine.annotator.clone();
        let mut analysts = self.wanted().analysts(engine)?;
        let total = games.iter().map(|game| positions(game).len() as u64).sum();
        let mut done = record.known.len() as u64;
        let mut progress = Progress::new("positions", Some(total), done);
        if let Some(path) = self.state.as_deref().or(outputs.html.as_deref()) {
            progress = progress.writing_to(path);
        }
        let (mut text, mut summaries) = (String::new(), Vec::new());
        for (place, game) in games.iter().enumerate() {
            let line = positions(game);
            let mut found: Vec<Option<PositionAnalysis>> =
                (0..line.len()).map(|ply| record.known.remove(&(game.number, ply))).collect();
            let missing: Vec<usize> = (0..line.len()).filter(|ply| found[*ply].is_none()).collect();
            let mut failed = None;
            pool::run(
                &missing,
                &mut analysts,
                &|| interrupt.raised(),
                |analyst, ply, stop| (ply, analyst.analyse(&line[ply], game.chess960, stop)),
                |(ply, analysis)| {
                    let analysis = match analysis {
                        Ok(Some(analysis)) => analysis,
                        Ok(None) => return ControlFlow::Break(()),
                        Err(error) => {
                            failed.get_or_insert(error.context(format!("game {}, ply {ply}", game.number)));
                            return ControlFlow::Break(());
                        }
                    };
                    failed = failed.take().or(record.add(game.number, ply, &analysis).err());
                    found[ply] = Some(analysis);
                    done += 1;
                    progress.show(done, || format!("game {}", game.number));
                    if failed.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                },
            );
            failed.map_or(Ok(()), Err)?;
            let Some(analyses) = found.into_iter().collect::<Option<Vec<_>>>() else {
                progress.finish();
                let kept = if self.state.is_some() {
                    "; the same command continues"
                } else {
                    "; --state FILE would have kept them"
                };
                bail!(Interrupted::new(format!("interrupted after {done} of {total} positions{kept}")));
            };
            let explained = Explained::new(games, place, &line, &analyses, &annotator);
            text += &explained.pgn;
            summaries.push(explained.players);
            if let Some(folder) = &outputs.html {
                let file = folder.join(page_name(games, game));
                support::atomic_file::write(&file, explained.html.as_bytes())
                    .with_context(|| format!("cannot write {}", file.display()))?;
            }
        }
        progress.finish();
        if let Some(folder) = &outputs.html {
            let file = folder.join(INDEX);
            support::atomic_file::write(&file, index_of(games, &summaries, &annotator).as_bytes())
                .with_context(|| format!("cannot write {}", file.display()))?;
        }
        Ok(text)
    }

    /// The games, and what could not be read of them.
    fn read(&self) -> anyhow::Result<(Vec<PgnGame>, Faults)> {
        let (mut games, mut faults, mut last) = (Vec::new(), Faults::default(), 0);
        for game in pgn::read(&self.games)?.with_annotations() {
            last += 1;
            match game {
                Ok(game) if self.games_of.as_ref().is_some_and(|games| !games.contains(game.number as usize)) => {}
                Ok(game) => {
                    faults.add(&game);
                    games.push(game);
                }
                Err(error @ PgnError::Game { .. }) => faults.refuse(&error),
                Err(error) => return Err(error).with_context(|| self.games.display().to_string()),
            }
        }
        if let Some(beyond) = self.games_of.as_ref().and_then(|games| games.beyond(last)) {
            ensure!(last > 0, "{} has no game", self.games.display());
            bail!("--games {beyond}: the last game of {} is {last}", self.games.display());
        }
        Ok((games, faults))
    }

    /// The outputs, checked. Those that an earlier run wrote, by what the record has, are renewed without --force.
    fn outputs(
        &self,
        inputs: &[&Path],
        games: &[PgnGame],
        record: &Record,
        annotator: &str,
    ) -> anyhow::Result<Outputs> {
        let written: Vec<Option<Explained>> =
            (0..games.len()).map(|place| record.explained(games, place, annotator)).collect();
        let is_ours = |path: &Path, text: &str| {
            path.is_file() && std::fs::read_to_string(path).is_ok_and(|found| !text.is_empty() && found == text)
        };
        let pgn: Option<String> = written.iter().map(|game| Some(game.as_ref()?.pgn.as_str())).collect();
        let pgn = pgn.unwrap_or_default();
        let check = |path: &Path| Output::check(path, inputs, self.force || is_ours(path, &pgn));
        let pgn = self.pgn.as_deref().map(check).transpose()?;
        if let Some(folder) = &self.html {
            ensure!(folder.is_dir() || !folder.exists(), "{} is not a folder", folder.display());
            for (game, written) in games.iter().zip(&written) {
                let file = folder.join(page_name(games, game));
                let ours = written.as_ref().is_some_and(|written| is_ours(&file, &written.html));
                ensure!(self.force || ours || !file.exists(), "{} exists already; --force replaces it", file.display());
            }
            let players: Option<Vec<[Summary; 2]>> = written.iter().map(|game| Some(game.as_ref()?.players)).collect();
            let index = players.map_or(String::new(), |players| index_of(games, &players, annotator));
            let file = folder.join(INDEX);
            let ours = self.force || is_ours(&file, &index) || !file.exists();
            ensure!(ours, "{} exists already; --force replaces it", file.display());
            std::fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
        }
        Ok(Outputs { pgn, html: self.html.clone() })
    }

    /// Opens or begins the record.
    fn record(&self, inputs: &[&Path], engine: &Chosen) -> anyhow::Result<Record> {
        let mut known = HashMap::new();
        let Some(path) = &self.state else { return Ok(Record { known, journal: None }) };
        let others: Vec<&Path> = inputs.iter().copied().chain(self.pgn.as_deref()).collect();
        output::check_appended(path, &others)?;
        let mut setup = Map::new();
        setup.insert("games".to_owned(), json!(support::hash::file_sha256(&self.games)?));
        setup.insert("engine".to_owned(), json!(engine.engine));
        setup.insert("program".to_owned(), json!(engine.program));
        setup.insert("limits".to_owned(), json!(engine.limits.to_string()));
        setup.insert("lines".to_owned(), json!(self.lines()));
        let rest = Value::Object(setup).to_string();
        let line = format!("{MARK}{VERSION},{}", &rest[1..]);
        let header = LineHeader { what: "the record of an analysis", mark: MARK, line, mixable: &[] };
        let mut each = |line: &str| {
            let Line { game, ply, analysis } = serde_json::from_str(line).map_err(|error| error.to_string())?;
            known.insert((game, ply), analysis);
            Ok(())
        };
        let journal = Journal::open(path, &header, false, &mut each)?;
        Ok(Record { known, journal: Some(journal) })
    }
}

/// A game with its explanations, in both forms.
struct Explained {
    pgn: String,
    html: String,
    players: [Summary; 2],
}

impl Explained {
    /// The game at this place of all; `line` has it at each position, `analyses` what was found there.
    fn new(games: &[PgnGame], place: usize, line: &[Game], analyses: &[PositionAnalysis], annotator: &str) -> Self {
        let game = &games[place];
        let judgements = judgements(game, line, analyses);
        let players = summaries(game, &judgements);
        let tags = accuracy_tags(&players);
        let name = |place: usize| games.get(place).map(|game| page_name(games, game));
        let neighbors = Neighbors {
            previous: place.checked_sub(1).and_then(name),
            next: name(place + 1),
            index: Some(INDEX.to_owned()),
        };
        let pgn = AnnotatedGame {
            annotations: &game.annotations,
            tags: &tags,
            annotator,
            start: &game.start,
            chess960: game.chess960,
            moves: &game.moves,
            behind: &annotations(game, analyses, &judgements),
            result: game.result,
        };
        Self { pgn: pgn.to_string(), html: page(game, analyses, &judgements, annotator, &neighbors), players }
    }
}

impl Record {
    /// A game with its explanations, if all of its positions are known.
    fn explained(&self, games: &[PgnGame], place: usize, annotator: &str) -> Option<Explained> {
        let game = &games[place];
        let line = positions(game);
        let known = |ply| self.known.get(&(game.number, ply)).cloned();
        let analyses = (0..line.len()).map(known).collect::<Option<Vec<_>>>()?;
        Some(Explained::new(games, place, &line, &analyses, annotator))
    }

    fn add(&mut self, game: u64, ply: usize, analysis: &PositionAnalysis) -> anyhow::Result<()> {
        let Some(journal) = &mut self.journal else { return Ok(()) };
        let line = serde_json::to_string(&Line { game, ply, analysis: analysis.clone() })?;
        Ok(journal.append(&[line])?)
    }
}

/// The page of a game: its number, with as many digits as that of the last game.
fn page_name(games: &[PgnGame], game: &PgnGame) -> String {
    let digits = games.iter().map(|game| game.number).max().unwrap_or_default().to_string().len();
    format!("{:0digits$}.html", game.number)
}

/// The list of the games.
fn index_of(games: &[PgnGame], players: &[[Summary; 2]], annotator: &str) -> String {
    let entry = |(game, players): (_, &[Summary; 2])| {
        let game: &PgnGame = game;
        let opening = pgn::opening(&game.start, &game.moves);
        Entry { game, file: page_name(games, game), players: *players, opening }
    };
    index(&games.iter().zip(players).map(entry).collect::<Vec<_>>(), annotator)
}

/// The game at each position that has a legal move.
fn positions(game: &PgnGame) -> Vec<Game> {
    let mut at = Game::new(game.start.clone());
    let mut line = vec![at.clone()];
    for &mv in &game.moves {
        at.play(mv);
        line.push(at.clone());
    }
    line.retain(|at| at.position().has_legal_move());
    line
}

/// What each move was worth; `line` has the game at each position.
fn judgements(game: &PgnGame, line: &[Game], analyses: &[PositionAnalysis]) -> Vec<Judgement> {
    let judged = |(ply, &mv): (usize, &board::Move)| {
        let mut after = line[ply].clone();
        after.play(mv);
        judge(&analyses[ply], &line[ply], mv, &after, analyses.get(ply + 1))
    };
    game.moves.iter().enumerate().map(judged).collect()
}

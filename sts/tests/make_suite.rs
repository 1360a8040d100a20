//! `sts make` with a fake engine: the same suite for any concurrency and after any interruption.

use board::{Game, Move, Position};
use player::Fault;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use sts::make::analysis::{Analysis, Analyzer, Iteration, MoveValue};
use sts::make::counts::SampleCounts;
use sts::make::error::MakeError;
use sts::make::pipeline::{MadeSuite, MakeProgress, make};
use sts::make::quiet::is_noisy;
use sts::make::sample::Candidate;
use sts::make::sample::Sampler;
use sts::make::saved_analyses::SavedAnalyses;
use sts::make::settings::MakeSettings;
use sts::make::suite;
use support::journal::JournalError;
use support::pool::Stop;

fn settings() -> MakeSettings {
    let mut settings =
        MakeSettings { per_theme: 6, least: 3, themes: 5, stride: 3, moves: (2, 60), ..MakeSettings::default() };
    settings.analysis.engine = "Oracle".to_owned();
    settings.analysis.quick_nodes = 100;
    settings.analysis.nodes = 1000;
    settings
}

/// Positions of random games.
fn candidates(settings: &MakeSettings, games: usize) -> (Vec<Candidate>, SampleCounts) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
    let mut sampler = Sampler::new(settings, HashSet::new());
    for _ in 0..games {
        let mut game = Game::new(Position::start());
        while game.outcome().is_none() && game.moves().len() < 60 {
            let moves = game.position().legal_moves();
            game.play(moves[random.random_range(0..moves.len())]);
        }
        sampler.game(game.start(), game.moves());
    }
    sampler.finish()
}

/// Values moves by a hash of position and move, so that every instance gives the same analysis.
#[derive(Clone, Default)]
struct Oracle {
    /// How often each position was analyzed with a node limit.
    asked: Arc<Mutex<HashMap<(String, u64), usize>>>,
    /// The number of searches that still fail.
    faults: Arc<AtomicUsize>,
    /// The number of searches after which the run is stopped.
    wanted: usize,
    stop: Arc<AtomicBool>,
}

impl Analyzer for Oracle {
    fn analyze(&mut self, position: &Position, nodes: u64, _: &Stop) -> Result<Analysis, Fault> {
        let mut asked = self.asked.lock().unwrap();
        *asked.entry((position.to_fen(false), nodes)).or_default() += 1;
        self.stop.store(asked.len() >= self.wanted, Ordering::Relaxed);
        let key = position.key();
        let one_less = self.faults.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        if one_less.is_ok() {
            return Err(Fault::Crash("on purpose".to_owned()));
        }
        let hash = |text: String| text.bytes().fold(key, |hash, byte| hash.wrapping_mul(31) ^ u64::from(byte)) % 97;
        let worth = |mv: &Move| hash(mv.to_string());
        let mut moves: Vec<Move> = position.legal_moves().into_iter().filter(|&mv| !is_noisy(position, mv)).collect();
        moves.sort_by_key(worth);
        let lines: Vec<MoveValue> = moves
            .iter()
            .take(8)
            .enumerate()
            .map(|(rank, &mv)| MoveValue { uci: position.uci(mv, false), cp: Some(40 - 11 * rank as i32), mate: None })
            .collect();
        let best = lines[0].uci.clone();
        // Every fifth changes its mind late.
        let late = if key.is_multiple_of(5) { nodes * 3 / 4 } else { nodes / 4 };
        let iterations = vec![
            Iteration { depth: 1, nodes: 1, best: lines[1].uci.clone() },
            Iteration { depth: 2, nodes: late, best: best.clone() },
        ];
        Ok(Analysis { best, nodes, lines, iterations })
    }
}

struct Run {
    made: Result<MadeSuite, MakeError>,
    progress: Vec<MakeProgress>,
    asked: HashMap<(String, u64), usize>,
}

/// A run whose engine fails in its first `faults` searches, and that is stopped after `wanted` searches.
fn run(state: &mut SavedAnalyses, concurrency: usize, faults: usize, wanted: usize) -> Run {
    let settings = settings();
    let (candidates, counts) = candidates(&settings, 150);
    assert!(candidates.len() > 256, "only {} candidates, less than two chunks", candidates.len());
    let oracle = Oracle { faults: Arc::new(AtomicUsize::new(faults)), wanted, ..Oracle::default() };
    let factory = || -> Result<Box<dyn Analyzer>, Fault> { Ok(Box::new(oracle.clone())) };
    let mut progress = Vec::new();
    let made = make(
        &settings,
        (&candidates, counts),
        state,
        (&factory, concurrency),
        &|| oracle.stop.load(Ordering::Relaxed),
        &mut |now| progress.push(now),
    );
    let asked = std::mem::take(&mut *oracle.asked.lock().unwrap());
    Run { made, progress, asked }
}

fn whole() -> MadeSuite {
    run(&mut SavedAnalyses::in_memory(), 1, 0, usize::MAX).made.unwrap()
}

#[test]
fn a_suite_has_full_themes_of_quiet_positions() {
    let made = whole();
    let settings = settings();
    let filled = made.themes.values().filter(|&&count| count >= settings.least).count();
    assert!(filled >= settings.themes, "{:?}", made.themes);
    assert!(made.themes.values().all(|&count| count <= settings.per_theme));
    let counts = &made.counts;
    assert_eq!(counts.sampled, counts.accepted + counts.rejected.values().sum::<usize>(), "{counts}");
    assert_eq!(counts.accepted, made.positions.len());
    assert!(counts.rejected.contains_key(&sts::make::counts::Rejection::Unstable), "{counts}");
    let text = suite::epd(&made.positions);
    let read = sts::suite::Suite::read("made", text.as_bytes()).unwrap();
    assert!(read.defects.is_empty(), "{:?}", read.defects);
    assert_eq!(text.lines().count(), made.positions.len());
    for (line, scored) in text.lines().zip(&made.positions) {
        let (position, _) = Position::from_epd(line).unwrap();
        assert_eq!(position, scored.candidate.position);
        assert!(line.contains(&format!(" bm {};", position.san(scored.moves[0].0))), "{line}");
        assert_eq!(scored.moves[0].1, 10);
        assert!(scored.moves[1..].iter().all(|&(_, points)| (1..=8).contains(&points)), "{line}");
    }
}

#[test]
fn concurrency_and_faults_do_not_change_the_suite() {
    let wanted = whole();
    for concurrency in [2, 5] {
        let found = run(&mut SavedAnalyses::in_memory(), concurrency, 0, usize::MAX);
        assert_eq!(found.made.unwrap(), wanted, "{concurrency} at once");
        assert!(found.asked.values().all(|&times| times == 1), "a position was analyzed twice");
    }
    assert_eq!(run(&mut SavedAnalyses::in_memory(), 1, 1, usize::MAX).made.unwrap(), wanted);
    let broken = run(&mut SavedAnalyses::in_memory(), 1, 2, usize::MAX).made;
    assert!(matches!(broken, Err(MakeError::Engine { .. })), "{broken:?}");
}

#[test]
fn an_interrupted_run_continues() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.jsonl");
    let analysis = settings().analysis;
    let (mut asked, mut interruptions) = (HashMap::<_, usize>::new(), 0);
    let made = loop {
        let mut state = SavedAnalyses::open(&path, &analysis, false).unwrap();
        let before = state.len();
        let this = run(&mut state, 2, 0, 60);
        for (what, times) in this.asked {
            *asked.entry(what).or_default() += times;
        }
        match this.made {
            Ok(made) => break made,
            Err(MakeError::Interrupted) => interruptions += 1,
            Err(error) => panic!("{error}"),
        }
        assert!(state.len() > before, "no progress");
        // Cut off in the middle of a line.
        let whole = std::fs::read(&path).unwrap();
        std::fs::write(&path, [&whole[..], b"{\"pass\":\"deep\",\"epd\":\"8/8"].concat()).unwrap();
    };
    assert!(interruptions > 2);
    assert_eq!(made, whole());
    assert!(asked.values().all(|&times| times == 1), "a finished analysis was lost");
}

#[test]
fn analyses_with_other_settings_or_a_damaged_line_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.jsonl");
    let analysis = settings().analysis;
    assert!(SavedAnalyses::open(&path, &analysis, false).unwrap().is_empty());
    let mut other = analysis.clone();
    other.nodes += 1;
    assert!(matches!(SavedAnalyses::open(&path, &other, false), Err(JournalError::Different { .. })));
    let text = std::fs::read_to_string(&path).unwrap() + "nonsense\n";
    std::fs::write(&path, text).unwrap();
    let error = SavedAnalyses::open(&path, &analysis, false).unwrap_err().to_string();
    assert!(error.starts_with("line 2 of "), "{error}");
    // A foreign file, and one of this run that is in use.
    std::fs::write(&path, "mine, without an end of line").unwrap();
    let error = SavedAnalyses::open(&path, &analysis, false).unwrap_err().to_string();
    assert!(error.contains("is not "), "{error}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine, without an end of line");
    std::fs::remove_file(&path).unwrap();
    let _first = SavedAnalyses::open(&path, &analysis, false).unwrap();
    assert!(matches!(SavedAnalyses::open(&path, &analysis, false), Err(JournalError::Busy(_))));
}

#[test]
fn chess960_positions_are_not_candidates() {
    for (fen, standard) in [
        ("bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1", false),
        ("bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w - - 0 1", true),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", true),
    ] {
        assert_eq!(Candidate::of(&Position::from_fen(fen).unwrap()).is_some(), standard, "{fen}");
    }
}

#[test]
fn excluded_and_duplicate_positions_are_rejected() {
    let settings = settings();
    let (found, _) = candidates(&settings, 20);
    let excluded: HashSet<u64> = found.iter().step_by(2).map(|candidate| candidate.position.key()).collect();
    let mut sampler = Sampler::new(&settings, excluded.clone());
    for candidate in found.iter().chain(&found) {
        sampler.position(&candidate.position);
    }
    let (left, counts) = sampler.finish();
    assert_eq!(left.len(), found.len() - excluded.len());
    assert!(left.iter().all(|candidate| !excluded.contains(&candidate.position.key())));
    assert_eq!(counts.rejected[&sts::make::counts::Rejection::Excluded], 2 * excluded.len());
    assert_eq!(counts.rejected[&sts::make::counts::Rejection::Duplicate], left.len());
}

#[test]
fn the_progress_of_a_run_ends_with_all_that_was_done() {
    let Run { made, progress, asked } = run(&mut SavedAnalyses::in_memory(), 1, 0, usize::MAX);
    let (made, settings) = (made.unwrap(), settings());
    let searches = |nodes: u64| asked.keys().filter(|(_, limit)| *limit == nodes).count();
    let (quick, deep) = (searches(100), searches(1000));
    let candidates = candidates(&settings, 150).0.len();
    let mut counts: Vec<usize> = made.themes.values().map(|&count| count.min(settings.least)).collect();
    counts.sort_unstable();
    let taken = counts.iter().rev().take(settings.themes).sum();
    let nodes = 100 * quick as u64 + 1000 * deep as u64;
    let last = MakeProgress { quick: (quick, candidates), deep, places: (taken, 3 * 5), nodes };
    assert_eq!(progress.last(), Some(&last));
    assert_eq!(progress[0], MakeProgress { quick: (0, candidates), deep: 0, places: (0, 15), nodes: 0 });
    // Whole chunks, and one report for each search.
    assert!(quick == candidates || quick % 256 == 0, "{quick}");
    let done = |now: &MakeProgress| now.quick.0 + now.deep;
    assert!(progress.windows(2).all(|two| done(&two[0]) <= done(&two[1]) && done(&two[1]) <= done(&two[0]) + 1));
    // Saved analyses count as done, and cost no nodes.
    let mut state = SavedAnalyses::in_memory();
    run(&mut state, 1, 0, usize::MAX).made.unwrap();
    assert_eq!(state.len(), quick + deep);
    let again = run(&mut state, 1, 0, usize::MAX);
    assert_eq!((again.made.unwrap(), again.asked.len()), (made, 0));
    assert_eq!(again.progress.last(), Some(&MakeProgress { nodes: 0, ..last }));
}

#[test]
fn a_seed_gives_the_same_suite_on_every_machine() {
    let made = whole();
    let expected = "   2941  positions sampled
      6  duplicate
    345  after a capture or promotion
     54  too few legal moves
   2113  a capture wins material
     13  deep pass: best move not stable
    362  not needed: theme full, or enough found
      2  theme with too few positions
     46  accepted";
    assert_eq!(made.counts.to_string(), expected);
    // Values fall by 11 centipawns from 40: 0.029 of the score, and 0.015 of it is a point.
    let line = "rnbq1bnr/1p1ppkp1/7p/p1p5/4P3/N7/PPPPKPPP/R1BQ2NR b - - bm Kf6; acd 2; acn 1000; ce 40; \
                id \"Okapi: King Safety and Activity.001\"; c0 \"Kf6=10, h5=8, b6=6, b5=4, e6=2\"; \
                c7 \"Kf6 h5 b6 b5 e6\"; c8 \"10 8 6 4 2\"; c9 \"f7f6 h6h5 b7b6 b7b5 e7e6\";\n";
    assert_eq!(suite::epd(&made.positions[..1]), line);
}

#[test]
fn games_are_sampled_every_few_plies_among_their_moves() {
    // Shuffles of knights: the position after each ply is quiet.
    let mut game = Game::new(Position::start());
    for ply in 0..40 {
        let mv = ["g1f3", "g8f6", "b1c3", "b8c6", "f3g1", "f6g8", "c3b1", "c6b8"][ply % 8];
        game.play(game.position().parse_uci(mv).unwrap());
    }
    let sampled = |stride: usize, moves: (u16, u16), games: usize| {
        let settings = MakeSettings { stride, moves, ..settings() };
        let mut sampler = Sampler::new(&settings, HashSet::new());
        (0..games).for_each(|_| sampler.game(game.start(), game.moves()));
        sampler.finish().1.sampled
    };
    // After ply p the move number is 1 + p / 2: 40 plies end at number 21.
    assert_eq!([sampled(1, (1, 99), 1), sampled(4, (1, 99), 1), sampled(8, (1, 99), 1)], [40, 10, 5]);
    // Those with the numbers 6 to 9 are after plies 10 to 17.
    assert_eq!(sampled(1, (6, 9), 1), 8);
    // The first ply differs from game to game: eight games of one sample each, at one of sixteen plies.
    let settings = MakeSettings { stride: 16, moves: (1, 8), ..settings() };
    let firsts: HashSet<String> = (1..=8)
        .map(|games| {
            let mut sampler = Sampler::new(&settings, HashSet::new());
            (1..games).for_each(|_| sampler.game(&Position::start(), &[]));
            sampler.game(game.start(), game.moves());
            sampler.finish().0.iter().map(|candidate| candidate.epd.clone()).collect()
        })
        .collect();
    assert!(firsts.len() > 2, "{firsts:?}");
    // After a capture or a promotion nothing is sampled.
    let mut sampler = Sampler::new(&settings, HashSet::new());
    let captures = ["e2e4", "d7d5", "e4d5", "d8d5"];
    let mut game = Game::new(Position::start());
    captures.iter().for_each(|mv| game.play(game.position().parse_uci(mv).unwrap()));
    let every = MakeSettings { stride: 1, moves: (1, 99), ..settings.clone() };
    let mut all = Sampler::new(&every, HashSet::new());
    all.game(game.start(), game.moves());
    assert_eq!(all.finish().1.rejected[&sts::make::counts::Rejection::AfterCapture], 2);
    sampler.game(game.start(), &[]);
    assert_eq!(sampler.finish().1, SampleCounts::default());
}

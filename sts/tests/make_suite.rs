//! The making as a whole, with an engine that is none: the same suite for any concurrency, however often it is cut off.

use board::{Game, Move, Position};
use player::Fault;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use sts::make::analysis::{Iteration, Line};
use sts::make::quiet::is_noisy;
use sts::make::sample::Sampler;
use sts::make::tally::Tally;
use sts::make::{Analyser, Analysis, Candidate, Made, MakeError, Settings, State, make, suite};

fn settings() -> Settings {
    let mut settings = Settings { per_theme: 6, least: 3, themes: 5, stride: 3, moves: (2, 60), ..Settings::default() };
    settings.effort.engine = "Oracle".to_owned();
    settings.effort.quick_nodes = 100;
    settings.effort.nodes = 1000;
    settings
}

/// Positions of random games.
fn candidates(settings: &Settings, games: usize) -> (Vec<Candidate>, Tally) {
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

/// Values moves by a number made of position and move, so that every instance says the same.
#[derive(Clone, Default)]
struct Oracle {
    /// How often each position was asked about, with so many nodes.
    asked: Arc<Mutex<HashMap<(String, u64), usize>>>,
    /// How many searches still fail.
    faults: Arc<AtomicUsize>,
    /// After how many searches somebody asks to stop.
    wanted: usize,
    stop: Arc<AtomicBool>,
}

impl Analyser for Oracle {
    fn analyse(&mut self, position: &Position, nodes: u64) -> Result<Analysis, Fault> {
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
        let lines: Vec<Line> = moves
            .iter()
            .take(8)
            .enumerate()
            .map(|(rank, &mv)| Line { uci: position.uci(mv, false), cp: Some(40 - 11 * rank as i32), mate: None })
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
    made: Result<Made, MakeError>,
    asked: HashMap<(String, u64), usize>,
}

/// A run whose engine fails so many times at first, and that somebody stops after so many searches.
fn run(state: &mut State, concurrency: usize, faults: usize, wanted: usize) -> Run {
    let settings = settings();
    let (candidates, tally) = candidates(&settings, 150);
    assert!(candidates.len() > 256, "only {} candidates, less than two chunks", candidates.len());
    let oracle = Oracle { faults: Arc::new(AtomicUsize::new(faults)), wanted, ..Oracle::default() };
    let maker = || -> Result<Box<dyn Analyser>, Fault> { Ok(Box::new(oracle.clone())) };
    let made = make(
        &settings,
        (&candidates, tally),
        state,
        (&maker, concurrency),
        &|| oracle.stop.load(Ordering::Relaxed),
        &mut |_| {},
    );
    let asked = std::mem::take(&mut *oracle.asked.lock().unwrap());
    Run { made, asked }
}

fn whole() -> Made {
    run(&mut State::in_memory(), 1, 0, usize::MAX).made.unwrap()
}

#[test]
fn a_suite_has_full_themes_of_quiet_positions() {
    let made = whole();
    let settings = settings();
    let filled = made.themes.values().filter(|&&count| count >= settings.least).count();
    assert!(filled >= settings.themes, "{:?}", made.themes);
    assert!(made.themes.values().all(|&count| count <= settings.per_theme));
    let tally = &made.tally;
    assert_eq!(tally.looked_at, tally.taken + tally.rejected.values().sum::<usize>(), "{tally}");
    assert_eq!(tally.taken, made.questions.len());
    assert!(tally.rejected.contains_key(&sts::make::tally::Reason::Unstable), "{tally}");
    let text = suite::epd(&made.questions);
    let read = sts::suite::Suite::read("made", text.as_bytes()).unwrap();
    assert!(read.defects.is_empty(), "{:?}", read.defects);
    assert_eq!(text.lines().count(), made.questions.len());
    for (line, question) in text.lines().zip(&made.questions) {
        let (position, _) = Position::from_epd(line).unwrap();
        assert_eq!(position, question.candidate.position);
        assert!(line.contains(&format!(" bm {};", position.san(question.moves[0].0))), "{line}");
        assert_eq!(question.moves[0].1, 10);
        assert!(question.moves[1..].iter().all(|&(_, points)| (1..=8).contains(&points)), "{line}");
    }
}

#[test]
fn concurrency_and_engines_that_break_are_no_difference() {
    let wanted = whole();
    for concurrency in [2, 5] {
        let found = run(&mut State::in_memory(), concurrency, 0, usize::MAX);
        assert_eq!(found.made.unwrap(), wanted, "{concurrency} at once");
        assert!(found.asked.values().all(|&times| times == 1), "a position was analysed twice");
    }
    assert_eq!(run(&mut State::in_memory(), 1, 1, usize::MAX).made.unwrap(), wanted);
    let broken = run(&mut State::in_memory(), 1, 2, usize::MAX).made;
    assert!(matches!(broken, Err(MakeError::Engine { .. })), "{broken:?}");
}

#[test]
fn a_making_that_was_cut_off_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.jsonl");
    let effort = settings().effort;
    let (mut asked, mut interruptions) = (HashMap::<_, usize>::new(), 0);
    let made = loop {
        let mut state = State::open(&path, &effort).unwrap();
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
fn a_state_of_other_settings_or_with_a_damaged_line_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.jsonl");
    let effort = settings().effort;
    assert!(State::open(&path, &effort).unwrap().is_empty());
    let mut other = effort.clone();
    other.nodes += 1;
    assert!(matches!(State::open(&path, &other), Err(MakeError::OtherState { .. })));
    let text = std::fs::read_to_string(&path).unwrap() + "nonsense\n";
    std::fs::write(&path, text).unwrap();
    let error = State::open(&path, &effort).unwrap_err().to_string();
    assert!(error.starts_with("line 2 of the state file"), "{error}");
    // A foreign file, and one of this run that is in use.
    std::fs::write(&path, "mine, without an end of line").unwrap();
    let error = State::open(&path, &effort).unwrap_err().to_string();
    assert!(error.starts_with("line 1 of the state file"), "{error}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine, without an end of line");
    std::fs::remove_file(&path).unwrap();
    let _first = State::open(&path, &effort).unwrap();
    assert!(matches!(State::open(&path, &effort), Err(MakeError::StateInUse { .. })));
}

#[test]
fn positions_of_chess960_are_no_candidates() {
    for (fen, standard) in [
        ("bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1", false),
        ("bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w - - 0 1", true),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", true),
    ] {
        assert_eq!(Candidate::of(&Position::from_fen(fen).unwrap()).is_some(), standard, "{fen}");
    }
}

#[test]
fn excluded_and_repeated_positions_are_left_out() {
    let settings = settings();
    let (found, _) = candidates(&settings, 20);
    let excluded: HashSet<u64> = found.iter().step_by(2).map(|candidate| candidate.position.key()).collect();
    let mut sampler = Sampler::new(&settings, excluded.clone());
    for candidate in found.iter().chain(&found) {
        sampler.position(&candidate.position);
    }
    let (left, tally) = sampler.finish();
    assert_eq!(left.len(), found.len() - excluded.len());
    assert!(left.iter().all(|candidate| !excluded.contains(&candidate.position.key())));
    assert_eq!(tally.rejected[&sts::make::tally::Reason::Excluded], 2 * excluded.len());
    assert_eq!(tally.rejected[&sts::make::tally::Reason::Duplicate], left.len());
}

//! Runs of fake players: workers, faults, stopping, saving and resuming.

use board::{Game, Position};
use player::{Fault, InfoLine, MoveLimits, Player, PlayerFactory, Reply};
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;
use sts::result::{PositionResult, SuiteResult};
use sts::run::{Answer, RunError, RunSettings, SuiteEngine, run};
use sts::saved_answers::SavedAnswers;
use sts::suite::Suite;
use support::journal::{JournalError, PartOfRecord};
use support::part::Part;
use support::pool::Stop;

const WHOLE: PartOfRecord = PartOfRecord { part: Part::WHOLE, records: 0, all: 0 };

const FENS: [&str; 4] = [
    "r3k2r/pppq1ppp/2n2n2/3pp3/3PP3/2N2N2/PPPQ1PPP/R3K2R w KQkq - bm O-O O-O-O dxe5; id \"Castles.1\";",
    "r3k2r/pppq1ppp/2n2n2/3pp3/3PP3/2N2N2/PPPQ1PPP/R3K2R b KQkq - bm O-O exd4 dxe4; id \"Castles.2\";",
    "8/P1k5/8/8/8/8/8/2K5 w - - bm a8=Q a8=N+ Kd2; id \"Pawn.1\";",
    "4k3/8/8/8/8/8/4P3/4K3 w - - am e4 Kd1; id \"Pawn.2\";",
];

/// Chooses its move by position, nodes and seed alone; crashes on one position.
struct Fake {
    seed: u64,
    crash_on: Option<Position>,
}

impl Player for Fake {
    fn name(&self) -> &str {
        "Fake"
    }

    fn new_game(&mut self, _: bool) -> Result<(), Fault> {
        Ok(())
    }

    fn go(&mut self, game: &Game, limits: &MoveLimits, _: &Stop) -> Result<Reply, Fault> {
        if self.crash_on.as_ref() == Some(game.position()) {
            return Err(Fault::Crash("signal 11".to_owned()));
        }
        let nodes = limits.nodes.unwrap();
        let moves = game.position().legal_moves();
        let mixed = (game.position().key() ^ self.seed).wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(nodes);
        let mixed = (mixed ^ (mixed >> 32)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 32;
        std::thread::sleep(Duration::from_micros(mixed % 500));
        let info = InfoLine { nodes: Some(nodes + mixed % 100), ..InfoLine::default() };
        Ok(Reply { best: moves[mixed as usize % moves.len()], ponder: None, info, elapsed: Duration::from_millis(1) })
    }
}

fn suite() -> Suite {
    Suite::read("fens.epd", (FENS.join("\n") + "\n").repeat(20).as_bytes()).unwrap()
}

fn fake(seed: u64) -> SuiteEngine {
    SuiteEngine::new(
        None,
        format!("fake {seed}"),
        "v1".to_owned(),
        Box::new(move || Ok(Box::new(Fake { seed, crash_on: None }))),
    )
    .unwrap()
}

fn settings(concurrency: usize) -> RunSettings {
    RunSettings { limits: MoveLimits { nodes: Some(500), ..MoveLimits::default() }, repetitions: 2, concurrency }
}

fn run_through(suite: &Suite, engines: &[SuiteEngine], settings: &RunSettings) -> SuiteResult {
    run(suite, engines, settings, Vec::new(), &|| false, &mut |_, _| Ok(())).unwrap()
}

#[test]
fn any_number_of_workers_gives_the_same_result() {
    let (suite, engines) = (suite(), [fake(1), fake(2)]);
    let one = run_through(&suite, &engines, &settings(1));
    assert_eq!(one.limits, "500 nodes a position");
    let themes: Vec<_> = one.themes.iter().map(|theme| (theme.theme.as_str(), theme.maximum)).collect();
    assert_eq!(themes, [("Castles", 40), ("Pawn", 40)]);
    for engine in &one.engines {
        let order: Vec<_> = engine.positions.iter().map(|answer| (answer.repetition, answer.line)).collect();
        assert_eq!(
            order,
            (1..=2).flat_map(|repetition| (1..=80).map(move |line| (repetition, line))).collect::<Vec<_>>()
        );
        let points: u32 = engine.positions.iter().map(|answer| answer.points).sum();
        assert!(points > 0 && points < 160, "{points}");
    }
    assert_ne!(one.engines[0].positions, one.engines[1].positions);
    for workers in [2, 5] {
        let many = run_through(&suite, &engines, &settings(workers));
        assert_eq!(many.engines, one.engines);
    }
}

#[test]
fn castling_is_reported_king_to_square() {
    let suite = Suite::read("x", b"4k3/8/8/8/8/8/7P/4K2R w K - bm O-O; id \"x.1\";").unwrap();
    let results: Vec<_> = (0..60).map(|seed| run_through(&suite, &[fake(seed)], &settings(1))).collect();
    let castled: Vec<&PositionResult> =
        results.iter().flat_map(|result| &result.engines[0].positions).filter(|answer| answer.points == 1).collect();
    assert!(!castled.is_empty() && castled.iter().all(|answer| answer.played.as_deref() == Some("e1g1")));
}

#[test]
fn a_player_with_a_fault_is_recorded_and_replaced() {
    let suite = suite();
    let made = Arc::new(AtomicU32::new(0));
    let factory = {
        let (made, crash_on) = (made.clone(), Some(suite.positions[2].position.clone()));
        move || {
            made.fetch_add(1, Ordering::Relaxed);
            Ok(Box::new(Fake { seed: 1, crash_on: crash_on.clone() }) as Box<dyn Player>)
        }
    };
    let breaking =
        SuiteEngine::new(Some("Breaker".to_owned()), "x".to_owned(), "v1".to_owned(), Box::new(factory)).unwrap();
    let result = run_through(&suite, &[breaking], &settings(1));
    let positions = &result.engines[0].positions;
    assert_eq!(positions.len(), 160);
    for answer in positions {
        let crashed = answer.id == "Pawn.1";
        assert_eq!(answer.fault.as_deref(), crashed.then_some("exited unexpectedly (signal 11)"));
        assert_eq!(answer.played.is_none(), crashed);
        assert!(!crashed || answer.points == 0);
    }
    // Once for its name, once for the run, once after each of the 40 crashes; nothing follows none of them.
    assert_eq!(made.load(Ordering::Relaxed), 42);
}

/// Asks for the end of the run while it searches.
struct Last(Arc<AtomicBool>);

impl Player for Last {
    fn name(&self) -> &str {
        "Last"
    }

    fn new_game(&mut self, _: bool) -> Result<(), Fault> {
        Ok(())
    }

    fn go(&mut self, _: &Game, _: &MoveLimits, stop: &Stop) -> Result<Reply, Fault> {
        assert!(!stop());
        self.0.store(true, Ordering::Relaxed);
        if stop() { Err(Fault::Stopped) } else { Err(Fault::Crash("nobody listens".to_owned())) }
    }
}

#[test]
fn a_search_that_is_stopped_leaves_no_answer() {
    let over = Arc::new(AtomicBool::new(false));
    let player = over.clone();
    let factory: PlayerFactory = Box::new(move || Ok(Box::new(Last(player.clone()))));
    let engine = SuiteEngine::new(None, "last".to_owned(), "v1".to_owned(), factory).unwrap();
    let stop = || over.load(Ordering::Relaxed);
    let stopped = run(&suite(), &[engine], &settings(1), Vec::new(), &stop, &mut |_, answer| panic!("{answer:?}"));
    assert!(matches!(stopped, Err(RunError::Stopped { done: 0, .. })), "{stopped:?}");
}

#[test]
fn an_engine_that_cannot_be_started_ends_the_run() {
    let never = || Err(Fault::Start("no such file".to_owned()));
    let error =
        SuiteEngine::new(None, "nowhere".to_owned(), "v1".to_owned(), Box::new(never)).err().unwrap().to_string();
    assert_eq!(error, "the engine nowhere cannot be started: no such file");
    let times = AtomicU32::new(0);
    let once = move || match times.fetch_add(1, Ordering::Relaxed) {
        0 => Ok(Box::new(Fake { seed: 1, crash_on: None }) as Box<dyn Player>),
        _ => Err(Fault::Start("gone".to_owned())),
    };
    let engine = SuiteEngine::new(None, "x".to_owned(), "v1".to_owned(), Box::new(once)).unwrap();
    let end = run(&suite(), &[engine], &settings(2), Vec::new(), &|| false, &mut |_, _| Ok(()));
    assert_eq!(end.unwrap_err().to_string(), "the engine Fake cannot be started: gone");
}

#[test]
fn an_engine_that_starts_at_the_third_attempt_is_waited_for() {
    let suite = Suite::read("x", FENS[0].as_bytes()).unwrap();
    let tries = Arc::new(AtomicU32::new(0));
    let counted = tries.clone();
    // The first is asked for its name.
    let start = move || match counted.fetch_add(1, Ordering::Relaxed) {
        1 | 2 => Err(Fault::Start("not yet".to_owned())),
        _ => Ok(Box::new(Fake { seed: 1, crash_on: None }) as Box<dyn Player>),
    };
    let engine = SuiteEngine::new(None, "slow".to_owned(), "v1".to_owned(), Box::new(start)).unwrap();
    assert_eq!(run_through(&suite, &[engine], &settings(1)).engines[0].positions.len(), 2);
    assert_eq!(tries.load(Ordering::Relaxed), 4);
}

/// Runs with a file, stopping after `wanted` answers.
fn run_saved(
    path: &std::path::Path,
    engines: &[SuiteEngine],
    settings: &RunSettings,
    wanted: usize,
) -> Result<SuiteResult, RunError> {
    let suite = suite();
    let stop = AtomicBool::new(false);
    let (mut saved, known) = SavedAnswers::open(path, &suite, engines, settings, WHOLE, false)?;
    let mut new = 0;
    run(&suite, engines, settings, known, &|| stop.load(Ordering::Relaxed), &mut |engine, answer| {
        new += 1;
        stop.fetch_or(new >= wanted, Ordering::Relaxed);
        saved.add(engine, answer)
    })
}

#[test]
fn a_stopped_run_is_resumed_and_a_torn_line_dropped() {
    let engines = [fake(1), fake(2)];
    let whole = run_through(&suite(), &engines, &settings(2));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("answers");
    let mut stops = 0;
    let resumed = loop {
        match run_saved(&path, &engines, &settings(2), 37) {
            Ok(result) => break result,
            Err(RunError::Stopped { done, all, .. }) => {
                assert!(done >= 36 * (stops + 1) && done < all && all == 320, "{done} of {all}");
                stops += 1;
                let mut text = fs::read(&path).unwrap();
                text.truncate(text.len() - 20);
                fs::write(&path, text).unwrap();
            }
            Err(error) => panic!("{error}"),
        }
    };
    assert!(stops >= 3, "{stops}");
    assert_eq!(resumed, whole);
    // More repetitions continue the run; all known answers are kept.
    let more = RunSettings { repetitions: 3, ..settings(1) };
    // Answers that were in progress when the run stopped are kept too.
    assert!(matches!(run_saved(&path, &engines, &more, 1), Err(RunError::Stopped { done: 321..480, all: 480, .. })));
    assert_eq!(run_saved(&path, &engines, &more, usize::MAX).unwrap(), run_through(&suite(), &engines, &more));
}

#[test]
fn a_torn_header_is_written_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("answers");
    run_saved(&path, &[fake(1)], &settings(1), 1).unwrap_err();
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..30]).unwrap();
    assert!(run_saved(&path, &[fake(1)], &settings(1), usize::MAX).is_ok());
    assert!(fs::read(&path).unwrap().starts_with(&whole[..60]));
}

#[test]
fn answers_of_another_run_are_refused_and_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("answers");
    run_saved(&path, &[fake(1)], &settings(1), 5).unwrap_err();
    let before = fs::read(&path).unwrap();
    let error = |engines: &[SuiteEngine], settings: &RunSettings| {
        run_saved(&path, engines, settings, 1).unwrap_err().to_string()
    };
    let sentence = error(&[fake(3)], &settings(1));
    let expected = r#"engines is ["fake 1"] there and ["fake 3"] here (--mixed continues it all the same)"#;
    assert!(sentence.ends_with(expected), "{sentence}");
    let limits = MoveLimits { depth: Some(3), movetime: Some(Duration::from_millis(50)), ..MoveLimits::default() };
    let other = RunSettings { limits, ..settings(1) };
    let sentence = error(&[fake(1)], &other);
    let expected = r#"limits is "500 nodes a position" there and "50 ms or depth 3 a position" here"#;
    assert!(sentence.ends_with(expected), "{sentence}");
    let other = Suite::read("other.epd", FENS[0].as_bytes()).unwrap();
    let opened = SavedAnswers::open(&path, &other, &[fake(1)], &settings(1), WHOLE, false);
    assert!(matches!(opened, Err(JournalError::Different { .. })));
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn other_files_are_refused_and_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("precious");
    for text in ["a letter", "a letter\nof two lines", "{}\n", "[1, 2]\n", "\n\n"] {
        fs::write(&path, text).unwrap();
        let opened = SavedAnswers::open(&path, &suite(), &[fake(1)], &settings(1), WHOLE, false);
        assert!(matches!(opened, Err(JournalError::Foreign { .. })), "{text:?}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
    let nowhere = folder.path().join("no").join("such");
    assert!(matches!(
        SavedAnswers::open(&nowhere, &suite(), &[fake(1)], &settings(1), WHOLE, false),
        Err(JournalError::Io { .. })
    ));
}

#[test]
fn a_damaged_line_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("answers");
    run_saved(&path, &[fake(1)], &settings(1), 5).unwrap_err();
    let text = fs::read_to_string(&path).unwrap().replacen("\"points\"", "\"pints\"", 1);
    fs::write(&path, text).unwrap();
    let opened = SavedAnswers::open(&path, &suite(), &[fake(1)], &settings(1), WHOLE, false);
    assert!(matches!(opened, Err(JournalError::Damaged { line: 2, .. })));
}

#[test]
fn two_runs_do_not_share_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("answers");
    let first: (SavedAnswers, Vec<Answer>) =
        SavedAnswers::open(&path, &suite(), &[fake(1)], &settings(1), WHOLE, false).unwrap();
    assert!(matches!(
        SavedAnswers::open(&path, &suite(), &[fake(1)], &settings(1), WHOLE, false),
        Err(JournalError::Busy(_))
    ));
    drop(first);
    assert!(SavedAnswers::open(&path, &suite(), &[fake(1)], &settings(1), WHOLE, false).is_ok());
}

#[test]
fn answers_of_other_versions_are_continued_only_when_mixed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("answers");
    run_saved(&path, &[fake(1)], &settings(1), 5).unwrap_err();
    let newer = [SuiteEngine { program: "v2".to_owned(), ..fake(1) }];
    let open =
        |engines: &[SuiteEngine], mixed| SavedAnswers::open(&path, &suite(), engines, &settings(1), WHOLE, mixed);
    assert!(matches!(open(&newer, false), Err(JournalError::Different { .. })));
    let (saved, answers) = open(&newer, true).unwrap();
    assert!(answers.len() >= 5);
    assert_eq!(saved.mixed_from(), ["fake 1 (v1)", "fake 1 (v2)"]);
    drop(saved);
    // The newer version continues its own file; the older one needs permission again.
    assert!(open(&newer, false).is_ok());
    assert!(open(&[fake(1)], false).is_err());
    // Another number of engines is never continued.
    assert!(open(&[fake(1), fake(2)], true).is_err());
}

#[test]
fn answers_of_older_files_need_permission_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("answers");
    run_saved(&path, &[fake(1)], &settings(1), 5).unwrap_err();
    let text = fs::read_to_string(&path).unwrap().replacen(",\"programs\":[\"v1\"]", "", 1);
    fs::write(&path, text).unwrap();
    let open = |mixed| SavedAnswers::open(&path, &suite(), &[fake(1)], &settings(1), WHOLE, mixed);
    assert!(open(false).is_err());
    assert_eq!(open(true).unwrap().0.mixed_from(), ["fake 1 (unknown version)", "fake 1 (v1)"]);
    assert!(open(false).is_ok());
}

//! Monte-Carlo tree search with the shipped networks, as an engine and over UCI.

use assert_cmd::Command;
use board::{Game, Position};
use engine::{EngineSpec, LeafKind, SearchKind};
use search::{SearchLimits, Silent, Value};
use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{Child, ChildStdout, Command as Process, Stdio};

fn spec() -> EngineSpec {
    EngineSpec { search: SearchKind::Mcts, hash_megabytes: 16, ..EngineSpec::default() }
}

fn visits(count: u64) -> SearchLimits {
    SearchLimits { nodes: Some(count), ..SearchLimits::default() }
}

/// What the program says to these lines, whose searches it ends because something follows them.
fn session(lines: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_okapi"))
        .args(["--search", "mcts", "--hash", "16"])
        .write_stdin(format!("{lines}\nposition startpos\n"))
        .output()
        .unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn mates_are_found_and_proven_with_the_networks() {
    for leaf in [LeafKind::Quiescence, LeafKind::Static, LeafKind::Search(64)] {
        let mut engine = EngineSpec { leaf, ..spec() }.build().unwrap();
        for (fen, best, moves) in [
            ("6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1", "a1a8", 1),
            ("r1bq2rk/pp3pbp/2p1p1pQ/7P/3P4/2PB1N2/PP3PPR/2KR4 w - - 0 1", "h6h7", 2),
            ("r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1", "f6a6", 3),
            ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", "a1a6", 2),
        ] {
            engine.new_game();
            let game = Game::new(Position::from_fen(fen).unwrap());
            let answer = engine.search(&game, &visits(100_000), &mut Silent);
            let mv = answer.best().map(|mv| game.position().uci(mv, false));
            assert_eq!((mv.as_deref(), answer.value.mate_moves()), (Some(best), Some(moves)), "{leaf:?} {answer:?}");
        }
    }
}

#[test]
fn the_same_search_again_finds_the_same() {
    let game = Game::new(Position::start());
    let find = || {
        let mut engine = spec().build().unwrap();
        let answer = engine.search(&game, &visits(2_000), &mut Silent);
        (answer.pv, answer.value, answer.nodes, answer.evaluations)
    };
    let first = find();
    assert_eq!(find(), first);
    assert!(first.2 == 2_000 && first.1.to_f32().abs() < 0.3, "{first:?}");
}

#[test]
fn what_a_draw_is_worth_is_averaged_too() {
    let drawn = Game::new(Position::from_fen("8/8/8/4k3/8/4K3/4B3/8 w - - 0 1").unwrap());
    let level = Game::new(Position::start());
    let value = |score, game: &Game| {
        let mut engine = EngineSpec { draw_score: score, ..spec() }.build().unwrap();
        engine.search(game, &visits(500), &mut Silent).value
    };
    assert_eq!(value(0.0, &drawn), Value::DRAW);
    assert!(value(-0.5, &level) < value(0.0, &level) && value(0.0, &level) < value(0.5, &level));
}

#[test]
fn over_uci_visits_are_counted_and_shown() {
    let said = session(
        "setoption name VerboseMoveStats value true\nsetoption name UCI_ShowWDL value true\nposition startpos\ngo nodes 800",
    );
    let moves: Vec<&str> = said.lines().filter(|line| line.contains(" N: ")).collect();
    assert_eq!(moves.len(), 20, "{said}");
    let visits =
        |line: &str| line.split("N:").nth(1).unwrap().split_whitespace().next().unwrap().parse::<u32>().unwrap();
    let counts: Vec<u32> = moves.iter().map(|line| visits(line)).collect();
    assert!(counts.is_sorted() && counts.iter().sum::<u32>() == 799, "{counts:?}");
    let last = said.lines().rfind(|line| line.contains(" pv ")).unwrap();
    assert!(last.contains(" nodes 800 ") && last.contains(" wdl "), "{last}");
    let wdl: Vec<u32> =
        last.split(" wdl ").nth(1).unwrap().split(' ').take(3).map(|chance| chance.parse().unwrap()).collect();
    assert!(wdl.iter().sum::<u32>() == 1_000 && wdl.iter().all(|chance| *chance > 0), "{wdl:?}");
    let best = said.lines().find_map(|line| line.strip_prefix("bestmove ")).unwrap();
    assert!(moves[19].contains(&format!(" {} ", &best[..4])), "{best} {}", moves[19]);
}

#[test]
fn limits_threads_and_options_are_answered() {
    for (options, go) in [
        ("", "go nodes 1"),
        ("", "go nodes 2"),
        ("setoption name RootNoise value 25", "go nodes 100"),
        ("setoption name Threads value 2", "go nodes 5000"),
        ("setoption name ScLimit value 5", "go nodes 2000"),
        ("setoption name Temperature value 100", "go nodes 300"),
        ("setoption name Leaf value static", "go depth 8"),
        ("setoption name Leaf value search:64", "go nodes 200"),
        ("setoption name Leaf value search:1048576", "go movetime 50"),
        ("setoption name MultiPV value 4", "go movetime 50"),
        ("setoption name Hash value 1", "go movetime 300"),
        ("setoption name UCI_LimitStrength value true", "go wtime 1000 btime 1000"),
        (
            "setoption name Search value depth\nsetoption name Search value mcts",
            "go wtime 300 btime 300 winc 10 binc 10",
        ),
    ] {
        let said = session(&format!("{options}\nposition startpos moves e2e4\n{go}"));
        let best = said.lines().find_map(|line| line.strip_prefix("bestmove "));
        assert!(best.is_some_and(|best| !best.starts_with('(')), "{options} {go}: {said}");
        assert!(!said.contains("info string setoption"), "{said}");
    }
    for (name, value, expected) in [
        ("ScLimit", "0", "a number from 1 to 1000000000"),
        ("ScLimit", "1000000001", "a number from 1 to 1000000000"),
        ("ScLimit", "infinite", "a number from 1 to 1000000000"),
        ("Search", "puct", "one of probability, depth, mcts"),
        ("VerboseMoveStats", "maybe", "true or false"),
        ("Temperature", "1001", "a number from 0 to 1000"),
        ("RootNoise", "-1", "a number from 0 to 100"),
        ("Leaf", "deep", "quiescence, static or search:B, B a number from 1 to 1048576"),
        ("Leaf", "search:0", "quiescence, static or search:B"),
        ("Temperature", "-1", "a number from 0 to 1000"),
        ("RootNoise", "101", "a number from 0 to 100"),
    ] {
        let said = session(&format!("setoption name {name} value {value}\ngo nodes 5"));
        assert!(said.contains(&format!("option {name} takes {expected}")), "{said}");
        assert!(said.contains("\nbestmove "), "{said}");
    }
}

/// A search that is under way until it is told to stop.
struct Running {
    program: Child,
    said: Lines<BufReader<ChildStdout>>,
}

impl Running {
    fn go(options: &[&str], lines: &str) -> Self {
        let mut program = Process::new(env!("CARGO_BIN_EXE_okapi"))
            .args(["--search", "mcts"])
            .args(options)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let said = BufReader::new(program.stdout.take().unwrap()).lines();
        let mut running = Self { program, said };
        running.tell(lines);
        running
    }

    fn tell(&mut self, lines: &str) {
        let input = self.program.stdin.as_mut().unwrap();
        input.write_all(format!("{lines}\n").as_bytes()).unwrap();
        input.flush().unwrap();
    }

    /// The next line that is wanted.
    fn until(&mut self, wanted: impl Fn(&str) -> bool) -> String {
        let mut lines = self.said.by_ref().map(Result::unwrap);
        lines.find(|line| wanted(line)).expect("the program goes on")
    }

    fn best_move(&mut self) -> String {
        let line = self.until(|line| line.starts_with("bestmove "));
        line.split(' ').nth(1).unwrap().to_owned()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

#[test]
fn a_search_without_an_end_goes_on_in_a_full_tree_until_it_is_stopped() {
    for (options, go) in [
        (&["--hash", "1"][..], "go infinite"),
        (&["--hash", "1"], "setoption name Threads value 2\ngo infinite"),
        (&["--hash", "1", "--sc-limit", "3"], "go infinite"),
        (&["--hash", "1", "--leaf", "static"], "go nodes 1000000000"),
        (&["--hash", "16", "--leaf", "search:64"], "setoption name Threads value 2\ngo nodes 1000000000"),
    ] {
        let mut running = Running::go(options, &format!("position startpos moves e2e4\n{go}"));
        let is_full = |line: &str| {
            let after = line.split(" hashfull ").nth(1).and_then(|rest| rest.split(' ').next());
            after.is_some_and(|full| full.parse::<u32>().unwrap() >= 990)
        };
        running.until(|line| if options[1] == "1" { is_full(line) } else { line.starts_with("info depth 8 ") });
        running.tell("stop");
        let best = running.best_move();
        let position = Position::start().play(Position::start().parse_uci("e2e4").unwrap());
        assert!(position.parse_uci(&best).is_ok(), "{options:?} {go}: {best}");
        // Nothing is lost: it answers, and a root that is proven ends the next search.
        running.tell("isready\nposition fen 6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1\ngo nodes 1000000000");
        running.until(|line| line == "readyok");
        assert_eq!(running.best_move(), "a1a8");
    }
}

#[test]
fn the_least_tree_has_room_for_any_root() {
    // 218 moves, and one.
    let most = "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1";
    for (fen, count) in [(most, 218), ("7k/6Q1/8/8/8/8/8/K7 b - - 0 1", 1)] {
        let position = Position::from_fen(fen).unwrap();
        assert_eq!(position.legal_moves().len(), count);
        for (nodes, threads) in [(1, 1), (1, 2), (2, 1), (2, 2), (3_000, 1), (3_000, 2)] {
            let mut engine = EngineSpec { hash_megabytes: 1, threads, ..spec() }.build().unwrap();
            let answer = engine.search(&Game::new(position.clone()), &visits(nodes), &mut Silent);
            assert!(answer.best().is_some_and(|mv| position.is_legal(mv)), "{fen} {nodes} {answer:?}");
            assert!(answer.nodes <= nodes, "{answer:?}");
        }
    }
}

#[test]
fn bad_values_on_the_command_line_are_named() {
    for (option, value, said) in [
        ("--sc-limit", "0", "1..=1000000000"),
        ("--sc-limit", "infinite", "invalid value"),
        ("--temperature", "1001", "0..=1000"),
        ("--root-noise", "-1", "0..=100"),
        ("--leaf", "search", "--leaf takes quiescence, static or search:B"),
        ("--search", "puct", "possible values: probability, depth, mcts"),
        ("--hash", "0", "1..="),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_okapi")).arg(format!("{option}={value}")).output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && told.contains(said), "{option} {value}: {told}");
    }
}

#[test]
fn the_next_turn_begins_with_what_is_known() {
    let mut engine = spec().build().unwrap();
    let mut game = Game::new(Position::start());
    let first = engine.search(&game, &visits(3_000), &mut Silent);
    first.pv.iter().take(2).for_each(|mv| game.play(*mv));
    let kept = engine.search(&game, &visits(1), &mut Silent);
    let new = spec().build().unwrap().search(&game, &visits(1), &mut Silent);
    assert!(kept.pv.len() > 1 && new.pv.len() == 1, "{kept:?} {new:?}");
}

//! Monte-Carlo tree search with the shipped networks, as an engine and over UCI.

use assert_cmd::Command;
use board::{Game, Position};
use engine::{EngineSpec, LeafKind, SearchKind};
use search::{SearchLimits, Silent, Value};

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

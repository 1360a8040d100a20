//! `okapi match --odds`: what is played, recorded and refused.

mod common;

use common::okapi;
use std::fs;
use std::path::Path;
use std::process::Command;

const PLAYERS: [&str; 5] =
    ["match", "--player", "okapi name=A nodes=60 hash=1", "--player", "okapi name=B nodes=20 hash=1"];

fn play(folder: &Path, more: &[&str]) {
    okapi(folder, &[&PLAYERS[..], &["--games", "4", "--seed", "2"], more].concat());
}

/// What a command that fails says.
fn failure(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_okapi")).args(arguments).current_dir(folder).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn the_player_that_is_named_gives_odds_with_both_colors() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (odds, white, black) in [
        (
            "queen:A",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR w KQkq",
            "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq",
        ),
        (
            "pawn-move:A",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPP1PP/RNBQKBNR b KQkq",
            "rnbqkbnr/ppppp1pp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq",
        ),
    ] {
        play(folder, &["--odds", odds, "--pgn", "games.pgn", "--force"]);
        let games = fs::read_to_string(folder.join("games.pgn")).unwrap();
        let tags = |name: &str| {
            let begin = format!("[{name} \"");
            let values = games.lines().filter_map(|line| line.strip_prefix(&begin)?.strip_suffix("\"]"));
            values.map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(
            (tags("White"), tags("SetUp")),
            (["A", "B", "A", "B"].map(str::to_owned).to_vec(), vec!["1".to_owned(); 4])
        );
        let expected = [white, black, white, black].map(|fen| format!("{fen} - 0 1"));
        assert_eq!(tags("FEN"), expected, "{odds}");
        assert_eq!(pgn::read(&folder.join("games.pgn")).unwrap().filter(Result::is_ok).count(), 4);
    }
}

#[test]
fn a_record_goes_on_with_the_same_odds_only() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let state = ["--state", "match.state"];
    play(folder, &[&state[..], &["--odds", "rook:B"]].concat());
    play(folder, &[&state[..], &["--odds", "rook:B"]].concat());
    let before = fs::read(folder.join("match.state")).unwrap();
    for odds in [&["--odds", "knight:B"][..], &["--odds", "rook:A"], &[]] {
        let told = failure(folder, &[&PLAYERS[..], &["--games", "4", "--seed", "2"], &state, odds].concat());
        assert!(told.contains("odds"), "{told}");
    }
    assert_eq!(fs::read(folder.join("match.state")).unwrap(), before);
}

#[test]
fn odds_that_cannot_be_given_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (odds, said) in [
        ("queen", "'queen' is not odds: KIND:NAME"),
        ("bishop:A", "KIND one of queen, rook, knight, pawn-move"),
        ("queen:C", "'C' is none of the players: A, B"),
    ] {
        let told = failure(folder, &[&PLAYERS[..], &["--odds", odds]].concat());
        assert!(told.contains(said) && told.lines().count() == 1, "{told}");
    }
    let positions = "4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 1\nrnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n";
    fs::write(folder.join("book.epd"), positions).unwrap();
    let arguments = [&PLAYERS[..], &["--games", "4", "--odds", "queen:B", "--openings", "book.epd"]].concat();
    let output = Command::new(env!("CARGO_BIN_EXE_okapi")).args(&arguments).current_dir(folder).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && said.contains("in line 1 White has no queen to give"), "{said}");
}

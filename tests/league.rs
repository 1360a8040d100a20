//! `okapi league`: learning from game to game, the same after any number of kills, and refusals.

mod common;

use common::{okapi, outlives_progress};
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

const POOL: &str = r#"
games = 14
nodes = 60
random-openings = true
symmetric = true
replay = 2
checkpoints = [0, 5]
[[opponent]]
name = "material"
player = "okapi eval=material nodes=40 hash=1"
[[opponent]]
name = "linear"
player = "okapi eval=linear nodes=40 hash=1"
rating = 1650.0
"#;

fn league(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_okapi"));
    command.arg("league").args(arguments).current_dir(folder);
    command
}

fn said(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn a_league_that_is_killed_loses_no_game_and_learns_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(at.join("pool.toml"), POOL).unwrap();
    let table = okapi(at, &["league", "whole", "--config", "pool.toml"]);
    assert!(
        table.starts_with("14 games, rating ") && table.contains("\nmaterial ") && table.contains("\nlinear "),
        "{table}"
    );
    let mut kills = 0;
    loop {
        let mut process = league(at, &["killed", "--config", "pool.toml"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // After another game, at a random moment of the next or of what is saved between them.
        let record = || fs::metadata(at.join("killed/games.jsonl")).map_or(0, |file| file.len());
        if !outlives_progress(&mut process, record, Duration::from_millis(7 * kills % 40)) {
            assert!(process.wait().unwrap().success());
            break;
        }
        process.kill().unwrap();
        process.wait().unwrap();
        kills += 1;
    }
    assert!(kills >= 5, "{kills} kills of 14 games");
    for name in ["games.jsonl", "net.safetensors", "checkpoints/000000.safetensors", "checkpoints/000005.safetensors"] {
        assert!(
            fs::read(at.join("whole").join(name)).unwrap() == fs::read(at.join("killed").join(name)).unwrap(),
            "{name}"
        );
    }
    let [start, end] =
        ["checkpoints/000000.safetensors", "net.safetensors"].map(|name| fs::read(at.join("whole").join(name)));
    assert_ne!(start.unwrap(), end.unwrap());
    assert!(fs::read_to_string(at.join("whole/curve.svg")).unwrap().contains("Rating in the league"));
    // The page of a league, rated on a panel or not.
    fs::write(at.join("whole/panel.csv"), "games,elo\n0,1650\n5,1712.8\n").unwrap();
    let summary = okapi(at, &["report", "whole", "killed"]);
    assert!(summary.starts_with("whole: 14 games; rating 1,650 to "), "{summary}");
    let page = fs::read_to_string(at.join("whole/report.html")).unwrap();
    assert!(
        page.contains("Elo on the panel") && page.contains("<td>1,713</td>") && page.contains("Mean value"),
        "{page}"
    );
    fs::write(at.join("killed/panel.csv"), "games,elo\n0,high\n").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_okapi")).args(["report", "killed"]).current_dir(at).output().unwrap();
    assert!(!output.status.success() && said(&output).contains("panel.csv has no rows of games and elo"));
    // More games go on where it ended; the first games stay.
    let before = fs::read_to_string(at.join("whole/games.jsonl")).unwrap();
    assert!(okapi(at, &["league", "whole", "--games", "16"]).starts_with("16 games, "));
    let after = fs::read_to_string(at.join("whole/games.jsonl")).unwrap();
    assert!(after.starts_with(&before) && after.lines().count() == 17);
    let curve = fs::read_to_string(at.join("whole/curve.svg")).unwrap();
    assert!(curve.contains("Elo on the panel") && curve.contains("panel\n"), "{curve}");
    // The network plays.
    let value =
        okapi(at, &["eval", "startpos", "--eval", "linear", "--value-net", "whole/net.safetensors", "--nodes", "50"]);
    assert!(value.contains("search of "), "{value}");
}

/// With so many nodes a few searches end just after another move has proved better, without a line of its own.
#[test]
fn the_move_that_is_played_is_that_of_the_value_and_the_line() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(at.join("pool.toml"), POOL.replace("nodes = 60\n", "nodes = 400\n")).unwrap();
    okapi(at, &["league", "games", "--config", "pool.toml"]);
    let mut turns = 0;
    for game in fs::read_to_string(at.join("games/games.jsonl")).unwrap().lines().skip(1) {
        let game: serde_json::Value = serde_json::from_str(game).unwrap();
        for turn in game["turns"].as_array().unwrap() {
            assert_eq!(turn["line"][0], game["moves"][turn["ply"].as_u64().unwrap() as usize], "{turn} of {game}");
            turns += 1;
        }
    }
    assert!(turns > 500, "{turns}");
}

#[test]
fn a_book_changes_the_games() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    // It learns nothing but the book: without one, all its games would begin alike.
    fs::write(
        at.join("pool.toml"),
        POOL.replace("random-openings = true", "alpha = 0.0")
            .replace("replay = 2", "")
            // Its book leaves a move after losses.
            .replace("nodes=40", "nodes=400")
            .replace("games = 14", "games = 24"),
    )
    .unwrap();
    okapi(at, &["league", "plain", "--config", "pool.toml"]);
    okapi(at, &["league", "book", "--config", "pool.toml", "--book"]);
    assert!(fs::read_to_string(at.join("book/league.toml")).unwrap().contains("book = true"));
    let openings = |name: &str| {
        let games = fs::read_to_string(at.join(name).join("games.jsonl")).unwrap();
        let games = games.lines().skip(1).map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let first = games.filter(|game| game["white"] == true).map(|game| game["moves"][0].to_string());
        first.collect::<std::collections::BTreeSet<_>>().len()
    };
    assert_eq!(openings("plain"), 1);
    assert!(openings("book") > 1);
}

#[test]
fn both_sides_learn_in_self_play() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(at.join("pool.toml"), POOL).unwrap();
    assert!(okapi(at, &["league", "own", "--config", "pool.toml", "--self", "--games", "1"]).contains("\nitself "));
    fs::write(at.join("self.toml"), "games = 3\nnodes = 40\nself-play = true\nstages = 4\nstart = \"pawns\"\n")
        .unwrap();
    let table = okapi(at, &["league", "self", "--config", "self.toml"]);
    assert!(table.starts_with("3 games, rating 1650") && table.contains("\nitself "), "{table}");
    assert!(okapi(at, &["net", "info", "self/net.safetensors"]).contains("54712-1"));
}

#[test]
fn what_is_no_league_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let refused = |arguments: &[&str]| {
        let output = league(at, arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        said(&output)
    };
    assert!(
        refused(&["none"])
            .contains("the league none: a league has opponents ([[opponent]] of --config, or --opponent)")
    );
    for (text, expected) in [
        ("games = 1\n", "a league has opponents"),
        (
            "[[opponent]]\nname = \"a\"\nplayer = \"cmd=no-such-program nodes=1\"\n",
            "the opponent a: --player 'cmd=no-such-program",
        ),
        ("[[opponent]]\nname = \"a\"\nplayer = \"okapi\"\n", "it has no limit"),
        ("initial = \"none.safetensors\"\nself-play = true\n", "none.safetensors"),
        ("start = \"queens\"\nself-play = true\n", "line 1: invalid value 'queens' for '--start <WORD>'"),
        ("stages = 3\nself-play = true\n", "a linear evaluator has 1 stage or 4"),
    ] {
        fs::write(at.join("bad.toml"), text).unwrap();
        let found = refused(&["bad", "--config", "bad.toml"]);
        assert!(found.contains(expected), "{found}");
        assert!(!at.join("bad").exists(), "{text}");
    }
    let network = okapi(at, &["net", "info", concat!(env!("CARGO_MANIFEST_DIR"), "/nets/trained/value.safetensors")]);
    assert!(network.contains("19x19"));
    fs::write(
        at.join("net.toml"),
        format!("initial = \"{}/nets/trained/value.safetensors\"\nself-play = true\n", env!("CARGO_MANIFEST_DIR")),
    )
    .unwrap();
    assert!(refused(&["net", "--config", "net.toml"]).contains("a league's learner is a linear evaluator"));
    // Another pool in the same folder.
    fs::write(at.join("self.toml"), "games = 1\nnodes = 20\nself-play = true\n").unwrap();
    okapi(at, &["league", "self", "--config", "self.toml"]);
    fs::write(at.join("other.toml"), "games = 1\nnodes = 30\nself-play = true\n").unwrap();
    let said = refused(&["self", "--config", "other.toml"]);
    assert!(said.contains("self/league.toml was made by other options: nodes is 20 in the file, but 30 now"), "{said}");
}

#[test]
fn an_opponent_that_fails_teaches_nothing_and_ends_the_league() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let program = "while read line; do case $line in uci) echo uciok;; isready) echo readyok;; go*) echo bestmove none;; \
                   quit) exit;; esac; done";
    fs::write(at.join("engine.sh"), program).unwrap();
    let pool = "nodes = 40\n[[opponent]]\nname = \"silent\"\nplayer = \"cmd='sh engine.sh' nodes=1\"\n";
    fs::write(at.join("pool.toml"), pool).unwrap();
    let output = league(at, &["silent", "--config", "pool.toml"]).output().unwrap();
    assert!(said(&output).contains("silent failed in the last 3 games of the league"), "{}", said(&output));
    assert_eq!(fs::read_to_string(at.join("silent/games.jsonl")).unwrap().lines().count(), 4);
}

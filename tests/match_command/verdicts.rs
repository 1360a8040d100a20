//! What a match says of its players, and how it is asked.

use crate::common::{Files, QUICK, failure, okapi, report, toy};
use serde_json::json;

const STRONG: &str = "okapi eval=material hash=1 nodes=1500 name=strong";
const WEAK: &str = "okapi eval=material hash=1 depth=1 name=weak";

#[test]
fn the_same_match_has_the_same_games_at_any_concurrency() {
    let play = |concurrency, seed| {
        let files = Files::new();
        let other = "okapi eval=material hash=1 nodes=300 policy=uniform name=other";
        let arguments = ["--player", QUICK, "--player", other, "--games", "12", "--concurrency", concurrency];
        okapi(&arguments).args(["--seed", seed]).args(files.arguments()).assert().success();
        (files.games(), files.report())
    };
    let one = play("1", "1");
    assert_eq!(one, play("2", "1"));
    assert_ne!(one.0, play("2", "2").0);
}

/// Two games of a pair differ in nothing but the names: nothing is left over from earlier games, and no color is favoured.
#[test]
fn an_engine_against_itself_plays_each_opening_twice_the_same_way() {
    let files = Files::new();
    let twin = QUICK.replace("name=quick", "name=twin");
    let arguments = ["--player", QUICK, "--player", &twin, "--games", "16", "--concurrency", "2"];
    okapi(&arguments).args(files.arguments()).assert().success();
    assert_eq!(files.report()["encounters"][0]["pairs"], json!([0, 0, 8, 0, 0]));
    let games: Vec<_> = pgn::read(&files.pgn).unwrap().map(Result::unwrap).collect();
    assert!(games.chunks(2).all(|pair| pair[0].moves == pair[1].moves));
}

#[test]
fn more_games_than_cores_distort_times_and_nothing_else() {
    let said = |limit| {
        let twin = format!("okapi eval=material hash=1 {limit} name=twin");
        report(&["--player", QUICK, "--player", &twin, "--games", "2", "--concurrency", "1024"]).1
    };
    assert_eq!(said("nodes=200"), "");
    let warning = said("movetime=1");
    let begins = "okapi: 1024 games at once on ";
    assert!(warning.starts_with(begins) && warning.contains(" cores distort time controls\n"), "{warning}");
}

#[test]
fn a_seed_makes_another_player_and_always_the_same() {
    let twin = format!("{} seed=7", QUICK.replace("name=quick", "name=twin"));
    let play = |concurrency| {
        let files = Files::new();
        let arguments = ["--player", QUICK, "--player", &twin, "--games", "16", "--concurrency", concurrency];
        okapi(&arguments).args(files.arguments()).assert().success();
        let games: Vec<_> = pgn::read(&files.pgn).unwrap().map(|game| game.unwrap().moves).collect();
        games
    };
    let games = play("1");
    assert!(games.chunks(2).any(|pair| pair[0] != pair[1]));
    assert_eq!(games, play("2"));
}

#[test]
fn the_sequential_test_stops_a_lopsided_match_at_the_same_game_at_any_concurrency() {
    let play = |first, second, concurrency| {
        let arguments = ["--player", first, "--player", second, "--games", "400", "--concurrency", concurrency];
        report(&[&arguments[..], &["--sprt", "elo0=0", "elo1=100"]].concat()).0
    };
    let won = play(STRONG, WEAK, "1");
    assert_eq!(won["sprt"]["verdict"], "AcceptH1", "{won}");
    assert!(won["games"].as_u64().unwrap() < 200, "{won}");
    assert_eq!(won, play(STRONG, WEAK, "2"));
    let lost = play(WEAK, STRONG, "2");
    assert_eq!(lost["sprt"]["verdict"], "AcceptH0", "{lost}");
}

#[test]
fn adjudication_ends_games_early_only_when_asked() {
    let play = |more: &[&str]| report(&[&["--player", STRONG, "--player", WEAK, "--games", "12"], more].concat()).0;
    let endings = play(&[])["endings"].clone();
    assert_eq!((&endings["win-adjudicated"], &endings["draw-adjudicated"]), (&json!(null), &json!(null)));
    let endings = play(&["--adjudicate-win", "score=500", "moves=2"])["endings"].clone();
    assert!(endings["win-adjudicated"].as_u64() > Some(0) && endings["draw-adjudicated"].is_null(), "{endings}");
    let endings = play(&["--adjudicate-draw", "score=100 moves=1 from=6"])["endings"].clone();
    assert!(endings["draw-adjudicated"].as_u64() > Some(0), "{endings}");
}

#[test]
fn several_players_get_a_table_and_runs_are_merged() {
    let files = Files::new();
    let toy = toy("toy", "", "depth=1");
    let players = ["--player", STRONG, "--player", WEAK, "--player", &toy, "--games", "4"];
    okapi(&players).args(["--tournament", "round-robin"]).args(files.arguments()).assert().success();
    let all = files.report();
    assert_eq!((all["games"].as_u64(), all["encounters"].as_array().unwrap().len()), (Some(12), 3));
    assert_eq!(all["ratings"]["players"][0]["player"], "strong");

    let [again, gauntlet] = [(); 2].map(|()| Files::new());
    okapi(&players).args(again.arguments()).assert().success();
    okapi(&players).args(["--seed", "2"]).args(gauntlet.arguments()).assert().success();
    assert_eq!(gauntlet.report()["games"], 8);
    let json = Files::new();
    let states = [&files.state, &gauntlet.state, &again.state].map(|path| path.to_str().unwrap());
    // The same seed plays the same games, which must not count twice.
    let twice = failure(&["--merge", states[2], states[2]]);
    assert!(twice.contains("has 8 of the games of") && twice.contains("they would count twice"), "{twice}");
    assert!(failure(&["--merge", states[0], states[1], states[2]]).contains("play more games with another --seed"));
    let table = ["--json", json.json.to_str().unwrap(), "--merge", states[0], states[1]];
    let done = okapi(&table).assert().success();
    assert!(String::from_utf8_lossy(&done.get_output().stdout).starts_with("games      20\n"));
    let merged = json.report();
    let pairs = |report: &serde_json::Value| -> Vec<u64> {
        let count = |met: &serde_json::Value| met["pairs"].as_array().unwrap().iter().filter_map(|n| n.as_u64()).sum();
        report["encounters"].as_array().unwrap().iter().map(count).collect()
    };
    assert_eq!(pairs(&all), [2, 2, 2]);
    assert_eq!(pairs(&merged), [4, 4, 2]);
}

#[test]
fn the_text_tells_the_verdict() {
    let done = okapi(&["--player", STRONG, "--player", WEAK, "--games", "4"]).assert().success();
    let text = String::from_utf8(done.get_output().stdout.clone()).unwrap();
    let labels: Vec<_> = text.lines().map(|line| line.split_whitespace().next().unwrap()).collect();
    assert_eq!(labels, ["games", "strong", "Elo", "LOS", "pairs", "colors", "White", "endings"], "{text}");
    assert_eq!(done.get_output().stderr, b"");
}

#[test]
fn equal_names_are_numbered() {
    let done = okapi(&["--player", QUICK, "--player", "okapi depth=1 name=quick", "--games", "2"]).assert().success();
    let text = String::from_utf8(done.get_output().stdout.clone()).unwrap();
    assert!(text.contains("quick (2)"), "{text}");
}

#[test]
fn a_player_that_cannot_be_read_gets_a_sentence() {
    let with = |words| failure(&["--player", QUICK, "--player", words]);
    for (words, part) in [
        ("okapi name=x", "it has no limit"),
        ("name=x depth=1", "it has neither okapi nor cmd="),
        ("okapi cmd=x depth=1", "it has both okapi and cmd="),
        ("okapi depth=0", "'0' is not a number of plies above 0"),
        ("okapi tc=1:x", "'1:x' is not a time control"),
        ("okapi depth=1 eval=magic", "'eval=magic' is not one of network, linear, material"),
        ("okapi depth=1 color=blue", "'color=blue' is not a setting of a player: okapi has name=, tc="),
        ("okapi depth=1 hash=0", "'hash=0' is not a number from 1 to"),
        ("okapi depth=1 value-net=/nowhere", "cannot read the net /nowhere"),
        ("okapi depth=1 option.Hash=1", "dir= and option.NAME= are for cmd="),
        ("cmd=x depth=1 hash=4", "'hash=4' is for okapi"),
        ("okapi 'depth=1", "a quote is not closed"),
        ("okapi depth=1 sloppy", "'sloppy' is neither okapi nor NAME=VALUE"),
    ] {
        let said = with(words);
        assert!(said.contains(part), "{words}: {said}");
    }
}

#[test]
fn a_match_that_cannot_be_played_gets_a_sentence() {
    let with = |more: &[&str]| failure(&[&["--player", STRONG, "--player", WEAK, "--games", "2"], more].concat());
    assert!(with(&["--sprt", "elo0=5", "elo1=0"]).contains("elo0"));
    assert!(with(&["--adjudicate-win", "score=5"]).contains("adjudication setting moves= is missing"));
    assert!(with(&["--openings", "/nowhere.epd"]).contains("cannot read the openings /nowhere.epd"));
    assert!(with(&["--json", "/nowhere/x.json"]).contains("cannot write /nowhere/x.json: there is no folder /nowhere"));
    assert!(with(&["--state", "/nowhere/x"]).contains("cannot write /nowhere/x: there is no folder /nowhere"));
    assert!(failure(&["--player", STRONG]).contains("a match needs two players"));
    let three = ["--player", STRONG, "--player", WEAK, "--player", QUICK, "--sprt", "elo0=0", "elo1=5"];
    assert!(failure(&three).contains("--sprt needs two players, and there are 3"));
    okapi(&["--player", STRONG, "--player", WEAK, "--games", "3"]).assert().code(2);
    okapi(&[]).assert().code(2);
}

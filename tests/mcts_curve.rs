//! `okapi mcts curve` as its user meets it.

mod common;

use common::okapi;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const CURVE: [&str; 13] = [
    "mcts",
    "curve",
    "--limits",
    "1,puct",
    "--nodes",
    "16",
    "--temperature",
    "100",
    "--games",
    "6",
    "--strength-games",
    "4",
    "--leaf",
];

fn curve<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&CURVE[..], &["static"], more].concat()
}

fn fails(folder: &Path, arguments: &[&str]) -> (Output, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_okapi")).args(arguments).current_dir(folder).output().unwrap();
    let said = String::from_utf8(output.stderr.clone()).unwrap();
    assert!(!output.status.success(), "{said}");
    (output, said)
}

#[test]
fn a_curve_is_the_same_for_any_threads_and_when_it_is_continued() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let whole = okapi(folder, &curve(&["--csv", "one.csv", "--svg", "one.svg"]));
    let two = curve(&["--concurrency", "2", "--state", "curve.state", "--csv", "two.csv", "--svg", "two.svg"]);
    assert_eq!(okapi(folder, &two), whole);
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    assert_eq!((read("one.csv"), read("one.svg")), (read("two.csv"), read("two.svg")));
    let formats = include_str!("../docs/formats.md");
    let described = formats.lines().find(|line| line.starts_with("| `mcts curve --csv`")).unwrap();
    for column in read("one.csv").lines().next().unwrap().split(',') {
        assert!(described.contains(&format!("`{column}`")), "docs/formats.md says nothing of {column}");
    }
    let rows: Vec<Vec<String>> =
        read("one.csv").lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect();
    assert_eq!(rows.len(), 2);
    assert_eq!((&*rows[0][0], &*rows[0][1], &*rows[1][0], &*rows[1][1]), ("1", "6", "1000000000", "6"));
    let games_against_puct = |row: &[String]| row[13].clone();
    assert_eq!((games_against_puct(&rows[0]), games_against_puct(&rows[1])), ("4".to_owned(), "0".to_owned()));
    assert!(whole.contains("PUCT") && whole.contains("(w+l)/d"), "{whole}");

    // A torn end and games that are gone are played again, to the same.
    let state = read("curve.state");
    let lines: Vec<&str> = state.lines().collect();
    assert_eq!(lines.len(), 1 + 6 + 4 + 6);
    fs::write(folder.join("curve.state"), lines[..8].join("\n") + "\n" + &lines[8][..20]).unwrap();
    assert_eq!(okapi(folder, &curve(&["--concurrency", "2", "--state", "curve.state"])), whole);
    // The same games and more.
    let more = curve(&["--state", "curve.state"]);
    let more: Vec<&str> = more.iter().map(|word| if *word == "6" { "7" } else { word }).collect();
    assert!(okapi(folder, &more).contains("      7 "));

    let (_, said) = fails(folder, &curve(&["--state", "curve.state", "--seed", "2"]));
    assert!(said.contains("games_seed is \"1\" there and \"2\" here"), "{said}");
    let (_, said) = fails(folder, &curve(&["--svg", "two.csv"]));
    assert!(said.contains("two.csv exists already"), "{said}");
}

#[test]
fn bad_values_get_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, status, said) in [
        (&["--limits", "0"][..], 2, "a limit is a number from 1 to 1000000000, or puct"),
        (&["--limits", "5,infinite"], 2, "a limit is a number"),
        (&["--strength-games", "3"], 2, "even number"),
        (&["--nodes", "0"], 2, "1..=1000000000"),
        (&["--sc-limit", "5"], 1, "name those of the curve by --limits"),
        (&["--leaf", "search:0"], 2, "quiescence, static or search:B"),
        (&["--root-noise", "101"], 2, "0..=100"),
        (&["--temperature", "x"], 2, "invalid value"),
    ] {
        let (output, told) = fails(folder.path(), &[&["mcts", "curve"], arguments].concat());
        assert!(output.status.code() == Some(status) && told.contains(said), "{arguments:?}: {told}");
    }
}

//! Jobs that several processes do in parts (`--shard k/K`), and `okapi merge`: the same bytes as of one process.

mod common;

use common::{GAMES, small_policy, text, write_games};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn run(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_okapi")).args(arguments).current_dir(folder).output().expect("the program runs")
}

fn okapi(folder: &Path, arguments: &[&str]) {
    let output = run(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// What a command that fails says.
fn refused(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {said}");
    assert_eq!(said.trim().lines().count(), 1, "{said}");
    said
}

/// The names and bytes of a folder's files, without the lock.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry"));
    let mut files: Vec<_> = entries
        .map(|entry| (entry.file_name().into_string().expect("a name"), fs::read(entry.path()).expect("a file")))
        .filter(|(name, _)| name != "lock")
        .collect();
    files.sort();
    files
}

/// The folders or files of seven parts.
fn seven(name: &str) -> Vec<String> {
    (1..=7).map(|part| format!("{name}{part}")).collect()
}

fn merge(parts: &[String], out: &str) -> Vec<String> {
    let mut command = vec!["merge".to_owned()];
    command.extend(parts.iter().cloned());
    command.extend(["--out".to_owned(), out.to_owned()]);
    command
}

fn words(command: &[String]) -> Vec<&str> {
    command.iter().map(String::as_str).collect()
}

const PLAY: [&str; 8] = ["--games", "30", "--games-per-file", "4", "--nodes", "10", "--threads", "2"];

fn play(folder: &Path, name: &str, more: &[&str]) {
    okapi(folder, &[&["train", "play", name], &PLAY[..], more].concat());
}

#[test]
fn kept_games_of_seven_processes_are_those_of_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    play(folder, "one", &[]);
    for (part, name) in (1..).zip(seven("part")) {
        play(folder, &name, &["--shard", &format!("{part}/7")]);
    }
    let parts = seven("part");
    okapi(folder, &words(&merge(&parts, "whole")));
    assert!(files(&folder.join("whole")) == files(&folder.join("one")));
    assert_eq!(files(&folder.join("one")).len(), 8);
    // One part is lost and made again; a merge that was stopped is repeated.
    fs::remove_dir_all(folder.join("part3")).expect("a folder");
    let said = refused(folder, &words(&merge(&parts, "whole")));
    assert!(said.contains("there is no part3"), "{said}");
    let without = [&parts[..2], &parts[3..]].concat();
    let said = refused(folder, &words(&merge(&without, "again")));
    assert!(said.contains("part 3/7 is missing"), "{said}");
    play(folder, "part3", &["--shard", "3/7"]);
    fs::remove_file(folder.join("whole/games-000005.okapi")).expect("a file");
    okapi(folder, &words(&merge(&parts, "whole")));
    assert!(files(&folder.join("whole")) == files(&folder.join("one")));
}

#[test]
fn parts_of_kept_games_that_do_not_fit_are_refused_in_a_sentence() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    for part in ["1", "2"] {
        play(folder, part, &["--shard", &format!("{part}/2")]);
    }
    let merged = |parts: &[&str]| refused(folder, &[&["merge"], parts, &["--out", "out"]].concat());
    play(folder, "seed", &["--shard", "2/2", "--seed", "5"]);
    assert!(merged(&["1", "seed"]).contains("seed is \"5\" in the one and \"1\" in the other"));
    play(folder, "net", &["--shard", "2/2", "--eval", "material"]);
    assert!(merged(&["1", "net"]).contains("engine is "));
    assert!(merged(&["1", "1", "2"]).contains("are both part 1/2"));
    fs::copy(folder.join("1/games-000002.okapi"), folder.join("2/games-000002.okapi")).expect("a copy");
    assert!(merged(&["1", "2"]).contains("games-000002.okapi is in 1 and in 2"));
    fs::remove_file(folder.join("1/games-000002.okapi")).expect("a file");
    fs::remove_file(folder.join("2/games-000002.okapi")).expect("a file");
    assert!(merged(&["1", "2"]).contains("games-000002.okapi is missing, of part 1/2"));
    play(folder, "1", &["--shard", "1/2"]);
    // Another program's file in place of this one's.
    let path = folder.join("2/games-000001.okapi");
    let bytes = fs::read(&path).expect("a file");
    let net = fs::read(folder.join("net/games-000001.okapi")).expect("a file");
    fs::write(&path, net).expect("a file");
    assert!(merged(&["1", "2"]).contains("was made otherwise than the others: engine is "));
    fs::write(&path, &bytes[..bytes.len() - 1]).expect("a file");
    assert!(merged(&["1", "2"]).contains("is damaged"));
    fs::write(&path, bytes).expect("a file");
    play(folder, "plain", &[]);
    assert!(merged(&["plain", "2"]).contains("it was made without --shard"));
    fs::remove_dir_all(folder.join("out")).expect("a folder");
    okapi(folder, &["merge", "1", "2", "--out", "out"]);
}

#[test]
fn nodes_and_labels_of_seven_processes_are_those_of_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    write_games(&folder.join("games.pgn"), &GAMES);
    let options = small_policy(["900", "150"], ["60", "90"]);
    let policy = |name: &str, stage: &str, more: &[&str]| {
        let words = ["train", "policy", name, "--stage", stage, "--starts", "games.pgn", "--searches", "460"];
        okapi(folder, &[&words, &options[..], more].concat());
    };
    for stage in ["sample", "label"] {
        policy("one", stage, &[]);
        for (part, name) in (1..).zip(seven("part")) {
            policy(&name, stage, &["--shard", &format!("{part}/7")]);
        }
    }
    let parts = seven("part");
    okapi(folder, &words(&merge(&parts, "whole")));
    let one = files(&folder.join("one"));
    assert!(files(&folder.join("whole")) == one);
    assert_eq!(
        one.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(),
        ["training.labels", "training.nodes", "validation.labels", "validation.nodes"]
    );
    let lines = |name: &str| fs::read_to_string(folder.join("one").join(name)).expect("a file").lines().count();
    assert!(lines("training.nodes") > 901, "the labels are bounded");
    assert_eq!(lines("training.labels"), 901);
    // A part that was lost is made again, stage by stage.
    fs::remove_dir_all(folder.join("part5")).expect("a folder");
    let without = [&parts[..4], &parts[5..]].concat();
    assert!(refused(folder, &words(&merge(&without, "again"))).contains("part 5/7 is missing"));
    policy("part5", "sample", &["--shard", "5/7"]);
    assert!(refused(folder, &words(&merge(&parts, "again"))).contains("part5 were made differently"));
    policy("part5", "label", &["--shard", "5/7"]);
    fs::remove_dir_all(folder.join("again")).expect("a folder");
    okapi(folder, &words(&merge(&parts, "again")));
    assert!(files(&folder.join("again")) == one);
    // Without its part a folder of a part is not continued.
    let sample = ["train", "policy", "part5", "--stage", "sample", "--starts", "games.pgn"];
    assert!(refused(folder, &sample).contains("continue it with --shard 5/7"));
}

/// A record without what is measured: times, and when the games were played.
fn timeless(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).expect("a record");
    let mut lines = text.lines();
    let header = lines.next().expect("a header").to_owned();
    let record = |line: &str| {
        let mut value: serde_json::Value = serde_json::from_str(line).expect("JSON");
        if let Some(answer) = value.get_mut("answer").and_then(serde_json::Value::as_object_mut) {
            answer.remove("seconds");
        }
        if let Some(game) = value.as_object_mut().filter(|game| game.contains_key("pgn")) {
            game.remove("pgn");
            game.remove("limit_uses");
        }
        value.to_string()
    };
    std::iter::once(header).chain(lines.map(record)).collect()
}

fn check_record(job: &[&str], state: &[&str]) {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let command = |name: &str, more: &[&str]| okapi(folder, &[job, state, &[name], more].concat());
    command("one", &[]);
    for (part, name) in (1..).zip(seven("part")) {
        command(&name, &["--shard", &format!("{part}/7")]);
    }
    let parts: Vec<String> = seven("part");
    okapi(folder, &words(&merge(&parts, "whole")));
    assert_eq!(timeless(&folder.join("whole")), timeless(&folder.join("one")));
    // Nothing is left to do.
    let before = fs::read(folder.join("whole")).expect("a record");
    command("whole", &[]);
    assert!(fs::read(folder.join("whole")).expect("a record") == before);
    let without = [&parts[..6], &[]].concat();
    assert!(refused(folder, &words(&merge(&without, "again"))).contains("part 7/7 is missing"));
    let double = [&parts[..], &parts[..1]].concat();
    assert!(refused(folder, &words(&merge(&double, "again"))).contains("are both part 1/7"));
    // A part is continued by its own command alone.
    let said = refused(folder, &[job, state, &["part2"]].concat());
    assert!(said.contains("made by something else"), "{said}");
    let path: PathBuf = folder.join("part2");
    let record = fs::read_to_string(&path).expect("a record");
    let (cut, _) = record.trim_end().rsplit_once('\n').expect("lines");
    fs::write(&path, format!("{cut}\n")).expect("a file");
    assert!(refused(folder, &words(&merge(&parts, "again"))).contains("the same command continues it"));
    command("part2", &["--shard", "2/7"]);
    okapi(folder, &words(&merge(&parts, "again")));
    assert_eq!(timeless(&folder.join("again")), timeless(&folder.join("one")));
    assert!(!text(&path).is_empty());
}

#[test]
fn a_match_in_seven_parts_is_the_match() {
    let players = ["--player", "okapi name=a", "--player", "okapi name=b policy=static"];
    check_record(&[&["match"], &players[..], &["--nodes", "50", "--games", "16"]].concat(), &["--state"]);
}

#[test]
fn a_suite_in_seven_parts_is_the_suite() {
    check_record(&["sts", "--nodes", "100", "--positions", "1-30", "--repeat", "2"], &["--state"]);
}

#[test]
fn contracts_in_seven_parts_are_those_of_one_process() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    okapi(folder.path(), &["train", "play", text(&data), "--games", "40", "--nodes", "20"]);
    let job = ["train", "contracts", text(&data), "--games", "9", "--nodes", "20", "--threads", "1"];
    check_record(&job, &["--out"]);
}

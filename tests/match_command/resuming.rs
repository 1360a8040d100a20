//! A match that is killed or interrupted goes on from its state file, and comes to the same end.

use crate::common::{Files, OKAPI, failure, okapi};
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

const A: &str = "okapi eval=material hash=1 nodes=1500 name=A";
const B: &str = "okapi eval=material hash=1 nodes=500 name=B";
const MATCH: [&str; 6] = ["--player", A, "--player", B, "--games", "24"];

fn lines(path: &Path) -> usize {
    fs::read(path).map_or(0, |bytes| bytes.iter().filter(|&&byte| byte == b'\n').count())
}

/// Starts the match and waits until it has recorded a few games.
fn begin(files: &Files) -> Child {
    let mut command = Command::new(OKAPI);
    command.arg("match").args(MATCH).args(files.arguments()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let begun = Instant::now();
    while lines(&files.state) < 4 {
        assert!(begun.elapsed() < Duration::from_secs(120) && child.try_wait().unwrap().is_none());
        sleep(Duration::from_millis(2));
    }
    child
}

fn finish(files: &Files, concurrency: &str) {
    okapi(&MATCH).args(files.arguments()).args(["--concurrency", concurrency]).assert().success();
}

#[test]
fn a_killed_match_comes_to_the_same_end_as_an_undisturbed_one_at_any_concurrency() {
    let undisturbed = Files::new();
    finish(&undisturbed, "1");
    let killed = Files::new();
    let mut child = begin(&killed);
    child.kill().unwrap();
    child.wait().unwrap();
    let recorded = lines(&killed.state);
    assert!(recorded < 25, "it was over before it could be killed");
    // What a kill in the midst of a line leaves.
    let mut bytes = fs::read(&killed.state).unwrap();
    bytes.extend(b"{\"game\":24,\"whi");
    fs::write(&killed.state, bytes).unwrap();
    finish(&killed, "2");
    assert_eq!(lines(&killed.state), 25);
    assert_eq!(killed.report(), undisturbed.report());
    assert_eq!(killed.games(), undisturbed.games());
    // Once more, it plays nothing.
    let state = fs::read(&killed.state).unwrap();
    finish(&killed, "1");
    assert_eq!(fs::read(&killed.state).unwrap(), state);
    assert_eq!(killed.report(), undisturbed.report());
}

#[cfg(unix)]
#[test]
fn an_interrupted_match_says_how_to_go_on() {
    let files = Files::new();
    let child = begin(&files);
    // Not SIGINT, which a process that a shell's `&` started ignores.
    assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(143), "{said}");
    let recorded = lines(&files.state) - 1;
    let sentence = format!("okapi: interrupted after {recorded} of 24 games; the same command continues it\n");
    assert!(said.ends_with(&sentence), "{said}");
    assert!(String::from_utf8(output.stdout).unwrap().starts_with(&format!("games      {recorded} of 24\n")));
    // A longer match of the same players begins with its games.
    let longer = [&MATCH[..5], &["26"]].concat();
    okapi(&longer).args(files.arguments()).assert().success();
    assert_eq!((files.report()["games"].as_u64(), lines(&files.state)), (Some(26), 27));
}

/// Whoever thinks, in this process or in another, a move of a minute is not waited for.
#[cfg(unix)]
#[test]
fn an_interrupted_match_ends_in_the_midst_of_a_move() {
    for white in ["okapi", &format!("cmd={OKAPI}")] {
        let files = Files::new();
        let player = |words: &str, name: &str| format!("{words} name={name} movetime=60000");
        let mut command = Command::new(OKAPI);
        command.args(["match", "--player", &player(white, "A"), "--player", &player("okapi", "B"), "--games", "2"]);
        command.arg("--state").arg(&files.state).stdout(Stdio::null()).stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        let begun = Instant::now();
        while lines(&files.state) == 0 {
            assert!(begun.elapsed() < Duration::from_secs(30));
            sleep(Duration::from_millis(2));
        }
        // The game begins.
        sleep(Duration::from_secs(1));
        let asked = Instant::now();
        assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
        let output = child.wait_with_output().unwrap();
        assert!(asked.elapsed() < Duration::from_secs(20), "{white}: {:?}", asked.elapsed());
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), lines(&files.state)), (Some(143), 1), "{white}: {said}");
        assert!(said.ends_with("interrupted after 0 of 2 games; the same command continues it\n"), "{white}: {said}");
    }
}

#[test]
fn a_state_file_belongs_to_its_match() {
    let files = Files::new();
    let two = ["--player", A, "--player", B, "--games", "2"];
    okapi(&two).args(files.arguments()).assert().success();
    let state = files.state.to_str().unwrap();
    let other = failure(&[&two[..], &["--state", state, "--seed", "2"]].concat());
    assert!(other.contains("openings is \"random, seed 1\" there and \"random, seed 2\" here"), "{other}");
    let third = failure(&["--player", A, "--player", "okapi depth=2", "--state", state]);
    assert!(third.contains("the list of players is A, B there and A, okapi here"), "{third}");
    // The PGN file is not written over by another match.
    let pgn = failure(&[&two[..], &["--pgn", files.pgn.to_str().unwrap()]].concat());
    assert!(pgn.contains("games.pgn exists already; --force replaces it"), "{pgn}");
}

#[test]
fn a_record_of_another_program_goes_on_only_when_programs_may_be_mixed() {
    let files = Files::new();
    let two = ["--player", A, "--player", B, "--games"];
    let state = files.state.to_str().unwrap();
    okapi(&two).args(["2", "--state", state]).assert().success();
    let recorded = fs::read_to_string(&files.state).unwrap();
    fs::write(&files.state, recorded.replace("okapi bench=", "okapi bench=9")).unwrap();
    let refused = failure(&[&two[..], &["4", "--state", state]].concat());
    assert!(refused.contains("the program of A is okapi bench=9") && refused.contains("(--mixed"), "{refused}");
    let report = |more: &[&str]| {
        let done = okapi(&[&two[..], &["4", "--json", "-", "--state", state], more].concat()).assert().success();
        serde_json::from_slice::<serde_json::Value>(&done.get_output().stdout).unwrap()
    };
    let mixed = report(&["--mixed"]);
    assert_eq!((mixed["games"].as_u64(), mixed["mixed"]["A"].as_array().map(Vec::len)), (Some(4), Some(2)), "{mixed}");
    // From then on it goes on silently, and the report still tells.
    assert_eq!(report(&[]), mixed);
    let merge = ["--merge", state];
    assert!(failure(&merge).contains("A is not the same in all these games"));
    okapi(&merge).arg("--mixed").assert().success();
}

#[test]
fn outputs_never_replace_inputs_or_other_files() {
    let files = Files::new();
    let [pgn, state, json] = [&files.pgn, &files.state, &files.json].map(|path| path.to_str().unwrap());
    fs::write(&files.pgn, "1. e4 e5 *\n").unwrap();
    let two = ["--player", A, "--player", B, "--games", "2"];
    for arguments in [["--json", pgn], ["--pgn", pgn], ["--state", pgn]] {
        let refused = failure(&[&two[..], &["--force", "--openings", pgn], &arguments].concat());
        assert!(refused.contains("is the same file as"), "{refused}");
    }
    let refused = failure(&[&two[..], &["--state", state, "--json", state]].concat());
    assert!(refused.contains("is the same file as"), "{refused}");
    assert!(failure(&[&two[..], &["--json", pgn]].concat()).contains("exists already; --force replaces it"));
    okapi(&[&two[..], &["--json", json, "--pgn", pgn, "--force"]].concat()).assert().success();
    assert!(files.games().contains("okapi match") && !files.games().contains("e5 *"));
}

//! The rule for outputs, for every file that `okapi sts` and `okapi sts make` write.

use crate::common::{OKAPI, failure, output, script, sts, suite, text};
use assert_cmd::Command;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// The four output options, with a file each.
const OUTPUTS: [(&str, &str); 4] =
    [("--json", "a.json"), ("--csv", "a.csv"), ("--markdown", "a.md"), ("--svg", "a.svg")];

#[test]
fn an_output_never_replaces_an_input() {
    let (folder, suite) = suite(2);
    let old = folder.path().join("old.json");
    output(&[text(&suite), "--depth", "1", "--json", text(&old)]);
    let net = concat!(env!("CARGO_MANIFEST_DIR"), "/nets/trained/value.safetensors");
    let net_exists = Path::new(net).exists();
    let (suite_before, old_before) = (fs::read(&suite).unwrap(), fs::read(&old).unwrap());
    for (flag, _) in OUTPUTS.into_iter().chain([("--state", "")]) {
        let force: &[&str] = if flag == "--state" { &[] } else { &["--force"] };
        let run = |arguments: &[&str]| failure(&[arguments, force].concat());
        let message = run(&[text(&suite), "--depth", "1", flag, text(&suite)]);
        assert!(message.contains("is the same file as"), "{flag}: {message}");
        let message = run(&[text(&suite), "--depth", "1", "--compare", text(&old), flag, text(&old)]);
        assert!(message.contains("is the same file as"), "{flag}: {message}");
        let message = run(&[text(&suite), "--depth", "1", "--engine", OKAPI, flag, OKAPI]);
        assert!(message.contains("is the same file as"), "{flag}: {message}");
        if net_exists {
            let message = run(&[text(&suite), "--depth", "1", "--value-net", net, flag, net]);
            assert!(message.contains("is the same file as"), "{flag}: {message}");
        }
    }
    assert_eq!((fs::read(&suite).unwrap(), fs::read(&old).unwrap()), (suite_before, old_before));
}

#[test]
fn an_existing_output_is_replaced_only_with_force() {
    let (folder, suite) = suite(2);
    for (flag, name) in OUTPUTS {
        let path = folder.path().join(name);
        fs::write(&path, "precious").unwrap();
        let arguments = [text(&suite), "--depth", "1", flag, text(&path)];
        assert!(failure(&arguments).contains("exists already; --force replaces it"), "{flag}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "precious");
        output(&[&arguments[..], &["--force"]].concat());
        assert_ne!(fs::read_to_string(&path).unwrap(), "precious");
    }
}

#[test]
fn outputs_of_one_command_are_different_files() {
    let (folder, suite) = suite(2);
    let path = folder.path().join("one");
    for [first, second] in [["--json", "--csv"], ["--markdown", "--svg"], ["--state", "--json"]] {
        let message = failure(&[text(&suite), "--depth", "1", first, text(&path), second, text(&path)]);
        assert!(message.contains("is the same file as"), "{message}");
    }
    let message = failure(&[text(&suite), "--depth", "1", "--json", "-", "--csv", "-"]);
    assert!(message.contains("only one can be"), "{message}");
}

#[test]
fn a_dash_writes_to_standard_output() {
    let (_folder, suite) = suite(2);
    for (flag, _) in OUTPUTS {
        let done = sts(&[text(&suite), "--depth", "1", flag, "-"]).assert().success();
        let (stdout, stderr) = (done.get_output().stdout.clone(), done.get_output().stderr.clone());
        let (stdout, stderr) = (String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap());
        assert!(stderr.contains("total"), "{stderr}");
        match flag {
            "--json" => assert_eq!(serde_json::from_str::<Value>(&stdout).unwrap()["schema"], 2),
            "--csv" => assert!(stdout.starts_with("engine,repetition,"), "{stdout}"),
            "--markdown" => assert!(stdout.starts_with("## "), "{stdout}"),
            _ => assert!(stdout.starts_with("<svg"), "{stdout}"),
        }
    }
}

#[test]
#[cfg(unix)]
fn fifos_and_symbolic_links_are_written_through() {
    let (folder, suite) = suite(2);
    let [fifo, link, file] = ["fifo", "link", "file"].map(|name| folder.path().join(name));
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let reader = std::thread::spawn({
        let fifo = fifo.clone();
        move || fs::read_to_string(fifo).unwrap()
    });
    output(&[text(&suite), "--depth", "1", "--csv", text(&fifo)]);
    assert!(reader.join().unwrap().starts_with("engine,"));
    std::os::unix::fs::symlink("file", &link).unwrap();
    output(&[text(&suite), "--depth", "1", "--csv", text(&link)]);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(fs::read_to_string(&file).unwrap().starts_with("engine,"));
}

#[test]
#[cfg(unix)]
fn sts_make_checks_its_outputs_before_it_starts() {
    let (folder, suite) = suite(2);
    let [out, state] = ["out.epd", "state"].map(|name| folder.path().join(name));
    let engine = script(folder.path(), "engine", "echo bestmove 0000");
    let make = |arguments: &[&str]| {
        let mut command = Command::new(OKAPI);
        let done = command.args(["sts", "make", "--engine", &engine, "--epd", text(&suite)]).args(arguments).assert();
        String::from_utf8(done.code(1).get_output().stderr.clone()).unwrap()
    };
    fs::write(&out, "precious").unwrap();
    for (arguments, expected) in [
        (vec!["--out", text(&out)], "exists already; --force replaces it"),
        (vec!["--out", text(&suite), "--force"], "is the same file as"),
        (vec!["--out", text(&out), "--exclude", text(&out), "--force"], "is the same file as"),
        (vec!["--out", text(&out), "--state", text(&out), "--force"], "is the same file as"),
        (vec!["--out", "-", "--state", text(&suite)], "is the same file as"),
        (vec!["--out", text(folder.path()), "--state", text(&state)], "is a folder, not a file to write"),
    ] {
        let message = make(&arguments);
        assert!(message.contains(expected), "{arguments:?}: {message}");
    }
    assert_eq!(fs::read_to_string(&out).unwrap(), "precious");
    assert!(!state.exists());
}

#[test]
fn a_curve_has_one_run_for_each_number_of_nodes_and_goes_on() {
    let (folder, suite) = suite(3);
    let [state, svg] = ["answers", "curve.svg"].map(|name| folder.path().join(name));
    let arguments = [text(&suite), "--curve=200,50", "--svg", text(&svg), "--force"];
    let table = output(&[&arguments[..], &["--state", text(&state)]].concat());
    let heading = table.lines().find(|line| line.starts_with("solved by nodes")).unwrap();
    assert_eq!(heading.split_whitespace().collect::<Vec<_>>(), ["solved", "by", "nodes", "50", "200"]);
    assert!(fs::read_to_string(&svg).unwrap().contains("nodes per position"));
    let saved = ["50", "200"].map(|nodes| fs::read(format!("{}.{nodes}", text(&state))).unwrap());
    assert_eq!(output(&[&arguments[..], &["--state", text(&state)]].concat()), table);
    assert_eq!(["50", "200"].map(|nodes| fs::read(format!("{}.{nodes}", text(&state))).unwrap()), saved);
    for (flag, value) in [("--nodes", "9"), ("--csv", "a.csv"), ("--compare", "old.json")] {
        let refused = sts(&[&arguments[..], &[flag, value]].concat()).assert().code(2);
        assert!(String::from_utf8_lossy(&refused.get_output().stderr).contains("cannot be used with"), "{flag}");
    }
}

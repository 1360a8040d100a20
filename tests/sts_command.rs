//! The command `okapi sts`: tables and files, several engines, engines with faults, stopped and killed runs.

use assert_cmd::Command;
use board::Position;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::Value;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const OKAPI: &str = env!("CARGO_BIN_EXE_okapi");
const STS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data/sts/STS1-STS15_LAN_v3.epd");

/// Arguments that make runs fast and equal on every machine.
const FAST: [&str; 6] = ["sts", "--eval", "material", "--hash", "1", "--quiet"];

fn sts(arguments: &[&str]) -> Command {
    let mut command = Command::new(OKAPI);
    command.args(FAST).args(arguments);
    command
}

fn output(arguments: &[&str]) -> String {
    let done = sts(arguments).assert().success();
    assert_eq!(String::from_utf8_lossy(&done.get_output().stderr), "", "{arguments:?}");
    String::from_utf8(done.get_output().stdout.clone()).unwrap()
}

/// The error message of a failing command, which must be one line.
fn failure(arguments: &[&str]) -> String {
    let done = sts(arguments).assert().code(1);
    let text = String::from_utf8(done.get_output().stderr.clone()).unwrap();
    assert!(text.starts_with("okapi: ") && text.lines().count() == 1, "{text}");
    text
}

/// A folder with a suite of random positions in five themes; two moves of each position have points.
fn suite(positions: usize) -> (TempDir, PathBuf) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
    let mut text = String::new();
    for number in 1..=positions {
        let mut position = Position::start();
        for _ in 0..rng.random_range(8..50) {
            let moves = position.legal_moves();
            let next = position.play(moves[rng.random_range(0..moves.len())]);
            if next.legal_moves().len() < 3 {
                break;
            }
            position = next;
        }
        let moves = position.legal_moves();
        let two = [0, moves.len() / 2].map(|index| position.san(moves[index]));
        let (fen, theme) = (position.to_fen(false), number % 5);
        writeln!(text, "{fen}; id \"Theme {theme}.{number:03}\"; c7 \"{} {}\"; c8 \"10 4\";", two[0], two[1]).unwrap();
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("suite.epd");
    fs::write(&path, text).unwrap();
    (folder, path)
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn read_json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// The answers of a report without their times.
fn answers(report: &Value) -> Vec<Vec<Value>> {
    let answers = report["engines"].as_array().unwrap().iter().map(|engine| {
        let mut positions = engine["positions"].as_array().unwrap().clone();
        for position in &mut positions {
            position.as_object_mut().unwrap().remove("seconds").unwrap();
        }
        positions
    });
    answers.collect()
}

#[test]
fn the_embedded_suite_is_the_default_and_every_format_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let [json, csv, markdown, svg] = ["a.json", "a.csv", "a.md", "a.svg"].map(|name| folder.path().join(name));
    let files = ["--json", text(&json), "--csv", text(&csv), "--markdown", text(&markdown), "--svg", text(&svg)];
    let table = output(&[&["--nodes", "200"][..], &files].concat());
    let report = read_json(&json);
    let (total, maximum) = (report["total"].as_u64().unwrap(), report["maximum"].as_u64().unwrap());
    assert!(maximum > 0 && total <= maximum);
    assert!(table.contains(&total.to_string()) && table.contains("200 nodes a position"), "{table}");
    let positions = report["engines"][0]["positions"].as_array().unwrap().len();
    assert_eq!(maximum, 10 * positions as u64);
    assert!(fs::read_to_string(&csv).unwrap().lines().count() > positions);
    assert!(fs::read_to_string(&markdown).unwrap().contains("| ---"));
    assert!(fs::read_to_string(&svg).unwrap().starts_with("<svg"));
    let compared = output(&["--nodes", "200", "--compare", text(&json)]);
    assert!(compared.len() > table.len(), "{compared}");
}

#[test]
fn any_concurrency_gives_the_same_answers() {
    let (folder, suite) = suite(40);
    let json = folder.path().join("a.json");
    let run = |concurrency: &str| {
        output(&[
            text(&suite),
            "--nodes",
            "3000",
            "--repeat",
            "2",
            "--concurrency",
            concurrency,
            "--json",
            text(&json),
            "--force",
        ]);
        answers(&read_json(&json))
    };
    let one = run("1");
    assert_eq!(one[0].len(), 80);
    assert_eq!(one, run("2"));
    assert_eq!(one, run("3"));
}

#[test]
fn okapi_in_process_and_as_a_program_give_the_same_answers() {
    let (folder, suite) = suite(25);
    let json = folder.path().join("a.json");
    let engine = format!("'{OKAPI}' --eval material");
    let names = ["--name", "Inside", "--name", "Outside"];
    let arguments = [text(&suite), "--okapi", "--engine", &engine, "--nodes", "2000", "--json", text(&json)];
    let table = output(&[&arguments[..], &names].concat());
    assert!(table.contains("Inside") && table.contains("Outside"), "{table}");
    let report = read_json(&json);
    let [inside, outside] = &answers(&report)[..] else { panic!("two engines") };
    assert_eq!(inside.len(), 25);
    let said = |answers: &[Value]| -> Vec<_> {
        answers
            .iter()
            .map(|answer| (answer["line"].clone(), answer["played"].clone(), answer["points"].clone()))
            .collect()
    };
    assert_eq!(said(inside), said(outside));
    let command = report["engines"][1]["command"].as_str().unwrap();
    assert!(command.contains("--eval material Hash=1"), "{command}");
}

#[test]
fn themes_and_lines_select_positions() {
    let (folder, suite) = suite(30);
    let json = folder.path().join("a.json");
    let chosen = ["--theme", "Theme 3", "--theme", "2", "--positions", "1-12,28", "--depth", "1"];
    output(&[&[text(&suite), "--json", text(&json)], &chosen[..]].concat());
    let answers = answers(&read_json(&json));
    let lines: Vec<_> = answers[0].iter().map(|answer| answer["line"].as_u64().unwrap()).collect();
    // Number 1 of the themes is that of the first line, "Theme 1".
    assert_eq!(lines, [2, 3, 7, 8, 12, 28]);
    assert!(
        failure(&[text(&suite), "--theme", "Rooks"]).contains("the suite has no theme \"Rooks\"; it has 1 Theme 1,")
    );
    assert!(failure(&[text(&suite), "--positions", "31-"]).contains("no position on these lines"));
}

#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared/data")]
fn the_defects_of_the_strategic_test_suite_are_reported() {
    let mut command = Command::new(OKAPI);
    let done =
        command.args(["sts", "--eval", "material", "--depth", "1", "--positions", "80-90", STS]).assert().success();
    let notes = String::from_utf8(done.get_output().stderr.clone()).unwrap();
    assert_eq!(notes.lines().count(), 7, "{notes}");
    assert!(notes.contains("line 86: Rc8 is listed twice, with 1 and with 3 points"), "{notes}");
    let message = failure(&["--strict", STS]);
    assert!(message.contains("has 7 defects; the first is on line 86: "), "{message}");
}

#[test]
fn every_error_has_a_clear_message() {
    let (folder, suite) = suite(2);
    let suite = text(&suite);
    let cases = [
        (vec!["no/such.epd"], "cannot read the suite no/such.epd"),
        (vec![suite, "--json", "no/such/a.json"], "cannot write no/such/a.json: there is no folder no/such"),
        (vec![suite, "--svg", text(folder.path())], "is a folder, not a file to write"),
        (vec![suite, "--compare", "no/such.json"], "cannot read the earlier run no/such.json"),
        (vec![suite, "--compare", suite], "cannot compare with "),
        (vec![suite, "--name", "a", "--name", "b"], "there are 2 names for 1 engines"),
        (vec![suite, "--option", "Hash=3"], "--option needs an --engine"),
        (vec![suite, "--engine", OKAPI, "--option", "2:Hash=3"], "--option is for engine 2"),
        (vec![suite, "--engine", OKAPI, "--option", "Wings=3"], "it has no option 'Wings'"),
        (vec![suite, "--engine", OKAPI, "--option", "Hash=many"], "its option 'Hash' takes"),
        (vec![suite, "--engine", "a 'b"], "a quote is not closed"),
        (vec![suite, "--value-net", "no/such.safetensors"], "no/such.safetensors"),
        (vec![suite, "--state", suite], "is the same file as"),
    ];
    for (arguments, sentence) in cases {
        let message = failure(&arguments);
        assert!(message.contains(sentence), "{arguments:?}: {message}");
    }
    for wrong in [["--positions", "3-1"], ["--option", "Hash"], ["--movetime", "0"], ["--concurrency", "0"]] {
        sts(&[&[suite], &wrong[..]].concat()).assert().code(2);
    }
}

#[test]
fn a_program_that_is_not_an_engine_is_named_within_seconds() {
    let (_folder, suite) = suite(2);
    for engine in ["no/such-engine", "true", "cat"] {
        let begun = Instant::now();
        let message = failure(&[text(&suite), "--okapi", "--engine", engine]);
        assert!(message.starts_with(&format!("okapi: the engine '{engine}' ")), "{message}");
        assert!(begun.elapsed() < Duration::from_secs(10), "{engine}: {:?}", begun.elapsed());
    }
}

/// A shell script that speaks UCI and answers each search with what `answer` prints.
#[cfg(unix)]
fn script(folder: &Path, name: &str, answer: &str) -> String {
    let path = folder.join(name);
    let text = format!(
        "while read -r word rest; do case $word in\n\
         uci) echo id name {name}; echo uciok;;\n isready) echo readyok;;\n quit) exit;;\n\
         position) position=$rest;;\n go) {answer};;\n esac; done\n"
    );
    fs::write(&path, text).unwrap();
    format!("sh '{}'", path.display())
}

#[test]
#[cfg(unix)]
fn faults_of_engines_are_reported_and_the_run_continues() {
    let (folder, suite) = suite(6);
    let json = folder.path().join("a.json");
    let breaks = [("illegal", "echo bestmove a1a1"), ("crash", "exit 3"), ("none", "echo bestmove 0000")];
    let engines = breaks.map(|(name, answer)| script(folder.path(), name, answer));
    let mut arguments = vec![text(&suite), "--okapi", "--depth", "1", "--json", text(&json)];
    engines.iter().for_each(|engine| arguments.extend(["--engine", engine]));
    let done = sts(&arguments).assert().success();
    let message = String::from_utf8(done.get_output().stderr.clone()).unwrap();
    assert_eq!(message.lines().count(), 18, "{message}");
    for sentence in [
        "illegal on line 1 (Theme 1.001): answered 'a1a1', which is not a legal move\n",
        "crash on line 5 (Theme 0.005): exited unexpectedly (exit status: 3)\n",
        "none on line 6 (Theme 1.006): answered 'bestmove 0000' although there are legal moves\n",
    ] {
        assert!(message.contains(sentence), "{message}");
    }
    let report = read_json(&json);
    assert!(report["engines"][0]["positions"][0]["fault"].is_null());
    for engine in &report["engines"].as_array().unwrap()[1..] {
        let positions = engine["positions"].as_array().unwrap();
        assert_eq!(positions.len(), 6);
        assert!(positions.iter().all(|answer| answer["fault"].is_string() && answer["points"] == 0));
    }
}

#[test]
#[cfg(unix)]
fn an_engine_that_hangs_once_is_restarted() {
    let (folder, suite) = suite(4);
    let json = folder.path().join("a.json");
    let fen = fs::read_to_string(&suite).unwrap().lines().nth(1).unwrap().split(' ').next().unwrap().to_owned();
    let answer = format!("case $position in *{fen}*) sleep 1000;; *) echo bestmove 0000;; esac");
    let engine = script(folder.path(), "hangs", &answer);
    let arguments = [text(&suite), "--engine", &engine, "--nodes", "9", "--timeout", "1", "--json", text(&json)];
    sts(&arguments).timeout(Duration::from_secs(60)).assert().success();
    let report = read_json(&json);
    let faults = report["engines"][0]["positions"].as_array().unwrap().iter().map(|answer| answer["fault"].as_str());
    let stalled: Vec<_> = faults.map(|fault| fault.unwrap().starts_with("did not answer for ")).collect();
    assert_eq!(stalled, [false, true, false, false]);
}

/// Starts a run.
fn start(arguments: &[&str]) -> Child {
    let mut command = std::process::Command::new(OKAPI);
    command.args(FAST).args(arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

fn length(path: &Path) -> u64 {
    path.metadata().map_or(0, |data| data.len())
}

/// Waits until the file has this length; `false` if the run ends before.
fn wait_for(path: &Path, bytes: u64, run: &mut Child) -> bool {
    let deadline = Instant::now() + Duration::from_secs(120);
    while length(path) < bytes {
        assert!(Instant::now() < deadline, "the run answers nothing");
        if run.try_wait().unwrap().is_some() {
            return false;
        }
        std::thread::sleep(Duration::from_micros(200));
    }
    true
}

#[test]
fn a_run_killed_twenty_times_has_the_same_answers() {
    let (folder, suite) = suite(500);
    let [whole, resumed, saved] = ["whole.json", "resumed.json", "answers"].map(|name| folder.path().join(name));
    let limits = [text(&suite), "--nodes", "4000", "--concurrency", "2"];
    let uninterrupted = output(&[&limits[..], &["--json", text(&whole)]].concat());
    let arguments = [&limits[..], &["--state", text(&saved), "--json", text(&resumed), "--force"]].concat();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(20);
    for kill in 1..=20 {
        let mut run = start(&arguments);
        let more = rng.random_range(0..2000);
        assert!(wait_for(&saved, length(&saved) + more, &mut run), "the run ended before kill {kill}");
        // At a random moment of an answer.
        std::thread::sleep(Duration::from_micros(rng.random_range(0..3000)));
        run.kill().unwrap();
        run.wait().unwrap();
    }
    assert!(!resumed.exists());
    let lines = fs::read_to_string(&saved).unwrap().lines().count();
    assert!((20..500).contains(&lines), "{lines} lines before the last run");
    let table = output(&arguments);
    assert_eq!(answers(&read_json(&resumed)), answers(&read_json(&whole)));
    assert_eq!(without_times(&table), without_times(&uninterrupted));
    // No position is left to search, and the report is the same again.
    let before = fs::read(&saved).unwrap();
    assert_eq!(output(&arguments), table);
    assert_eq!(fs::read(&saved).unwrap(), before);
}

/// A table without its decimal numbers: times and means.
fn without_times(table: &str) -> String {
    let is_time = |word: &&str| !word.contains('.') || word.parse::<f64>().is_err();
    table.lines().map(|line| line.split_whitespace().filter(is_time).collect::<Vec<_>>().join(" ") + "\n").collect()
}

#[test]
#[cfg(unix)]
fn an_interrupted_run_says_how_to_continue() {
    let (folder, suite) = suite(200);
    let [saved, begun] = ["answers", "begun"].map(|name| folder.path().join(name));
    let mut run = start(&[text(&suite), "--nodes", "100000", "--state", text(&saved)]);
    assert!(wait_for(&saved, 1500, &mut run));
    let message = interrupted(run);
    assert!(
        message.ends_with(" of 200 answers; they are saved, and the same command continues the run\n"),
        "{message}"
    );
    let answers = fs::read_to_string(&saved).unwrap();
    assert!(answers.ends_with('\n') && answers.lines().count() > 2, "{answers}");

    let slow = format!("echo >'{}' yes; sleep 0.2; echo bestmove 0000", begun.display());
    let mut run = start(&[text(&suite), "--engine", &script(folder.path(), "slow", &slow)]);
    assert!(wait_for(&begun, 1, &mut run));
    let message = interrupted(run);
    let expected = " of 200 answers; they are lost: --state FILE saves them\n";
    assert!(message.ends_with(expected), "{message}");
}

/// Interrupts a run as Ctrl-C does, and returns its last message.
#[cfg(unix)]
fn interrupted(run: Child) -> String {
    let interrupt = std::process::Command::new("kill").args(["-INT", &run.id().to_string()]).status().unwrap();
    assert!(interrupt.success());
    let done = run.wait_with_output().unwrap();
    let message = String::from_utf8(done.stderr).unwrap();
    assert_eq!(done.status.code(), Some(1), "{message}");
    let last = message.rfind("okapi: stopped after ").unwrap_or_else(|| panic!("{message}"));
    message[last..].to_owned()
}

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
fn saved_answers_of_other_engines_need_mixed_and_are_reported() {
    let (folder, suite) = suite(4);
    let [state, json] = ["answers", "a.json"].map(|name| folder.path().join(name));
    let run = |hash: &'static str, positions: &'static str| {
        vec![text(&suite), "--nodes", "50", "--hash", hash, "--positions", positions, "--state", text(&state)]
    };
    let arguments = |hash, positions, more: &[&'static str]| [&run(hash, positions)[..], more].concat();
    let start = |arguments: &[&str]| {
        let mut command = Command::new(OKAPI);
        command.args(["sts", "--eval", "material", "--quiet"]).args(arguments);
        command.output().unwrap()
    };
    assert!(start(&arguments("1", "1-2", &[])).status.success());
    assert!(start(&arguments("1", "1-3", &[])).status.success(), "the same engine continues");
    let refused = start(&arguments("2", "1-4", &[]));
    let message = String::from_utf8(refused.stderr).unwrap();
    assert!(message.contains("(--mixed continues it all the same)"), "{message}");
    let mixed = start(&[&arguments("2", "1-4", &["--mixed"])[..], &["--json", text(&json)]].concat());
    let table = String::from_utf8(mixed.stdout).unwrap();
    assert!(table.contains("Mixed: the answers come from several versions: "), "{table}");
    assert_eq!(read_json(&json)["mixed_from"].as_array().unwrap().len(), 2);
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

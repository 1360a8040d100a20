//! `okapi sts` as a whole: tables and files, engines side by side, engines that break, runs that are stopped and killed.

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

/// Fast, and the same on every machine.
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

/// What a failing command says, one sentence on one line.
fn failure(arguments: &[&str]) -> String {
    let done = sts(arguments).assert().code(1);
    let text = String::from_utf8(done.get_output().stderr.clone()).unwrap();
    assert!(text.starts_with("okapi: ") && text.lines().count() == 1, "{text}");
    text
}

/// A folder with a suite of as many random positions in five themes, in which two moves of each have points.
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

/// The answers of a report without what clocks say.
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
fn the_embedded_suite_needs_no_file_and_every_form_is_written() {
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
fn any_concurrency_answers_the_same() {
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
        ]);
        answers(&read_json(&json))
    };
    let one = run("1");
    assert_eq!(one[0].len(), 80);
    assert_eq!(one, run("2"));
    assert_eq!(one, run("3"));
}

#[test]
fn okapi_in_process_and_as_a_program_answer_the_same_side_by_side() {
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
fn a_part_of_a_suite_is_named_by_theme_and_lines() {
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
fn the_strategic_test_suite_tells_its_defects() {
    let mut command = Command::new(OKAPI);
    let done =
        command.args(["sts", "--eval", "material", "--depth", "1", "--positions", "80-90", STS]).assert().success();
    let notes = String::from_utf8(done.get_output().stderr.clone()).unwrap();
    assert_eq!(notes.lines().count(), 7, "{notes}");
    assert!(notes.contains("line 86: Rc8 is listed twice, with 1 and with 3 points"), "{notes}");
    let told = failure(&["--strict", STS]);
    assert!(told.contains("has 7 defects, the first on line 86: "), "{told}");
}

#[test]
fn what_cannot_be_done_gets_a_sentence() {
    let (folder, suite) = suite(2);
    let suite = text(&suite);
    let cases = [
        (vec!["no/such.epd"], "cannot read the suite no/such.epd"),
        (vec![suite, "--json", "no/such/a.json"], "cannot write in no/such"),
        (vec![suite, "--svg", text(folder.path())], "is a folder, not a file to write"),
        (vec![suite, "--compare", "no/such.json"], "cannot read the earlier run no/such.json"),
        (vec![suite, "--compare", suite], "cannot compare with "),
        (vec![suite, "--name", "a", "--name", "b"], "there are 2 names for 1 engines"),
        (vec![suite, "--option", "Hash=3"], "--option is for an --engine"),
        (vec![suite, "--engine", OKAPI, "--option", "2:Hash=3"], "--option is for engine 2"),
        (vec![suite, "--engine", OKAPI, "--option", "Wings=3"], "it has no option 'Wings'"),
        (vec![suite, "--engine", OKAPI, "--option", "Hash=many"], "its option 'Hash' takes"),
        (vec![suite, "--engine", "a 'b"], "a quote is not closed"),
        (vec![suite, "--value-net", "no/such.safetensors"], "no/such.safetensors"),
        (vec![suite, "--state", suite], "is no file of saved answers"),
    ];
    for (arguments, sentence) in cases {
        let told = failure(&arguments);
        assert!(told.contains(sentence), "{arguments:?}: {told}");
    }
    for wrong in [["--positions", "3-1"], ["--option", "Hash"], ["--movetime", "0"], ["--concurrency", "0"]] {
        sts(&[&[suite], &wrong[..]].concat()).assert().code(2);
    }
}

#[test]
fn an_engine_that_is_none_is_named_within_seconds() {
    let (_folder, suite) = suite(2);
    for engine in ["no/such-engine", "true", "cat"] {
        let begun = Instant::now();
        let told = failure(&[text(&suite), "--okapi", "--engine", engine]);
        assert!(told.starts_with(&format!("okapi: the engine '{engine}' ")), "{told}");
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
fn engines_that_break_are_named_and_the_run_goes_on() {
    let (folder, suite) = suite(6);
    let json = folder.path().join("a.json");
    let breaks = [("illegal", "echo bestmove a1a1"), ("crash", "exit 3"), ("none", "echo bestmove 0000")];
    let engines = breaks.map(|(name, answer)| script(folder.path(), name, answer));
    let mut arguments = vec![text(&suite), "--okapi", "--depth", "1", "--json", text(&json)];
    engines.iter().for_each(|engine| arguments.extend(["--engine", engine]));
    let done = sts(&arguments).assert().success();
    let told = String::from_utf8(done.get_output().stderr.clone()).unwrap();
    assert_eq!(told.lines().count(), 18, "{told}");
    for sentence in [
        "illegal on line 1 (Theme 1.001): answered 'a1a1', which is not a legal move\n",
        "crash on line 5 (Theme 0.005): exited unexpectedly (exit status: 3)\n",
        "none on line 6 (Theme 1.006): answered 'bestmove 0000' although there are legal moves\n",
    ] {
        assert!(told.contains(sentence), "{told}");
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

/// A run on its way.
fn start(arguments: &[&str]) -> Child {
    let mut command = std::process::Command::new(OKAPI);
    command.args(FAST).args(arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

fn length(path: &Path) -> u64 {
    path.metadata().map_or(0, |data| data.len())
}

/// Waits until the file is as long; `false` if the run ends before.
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
    let arguments = [&limits[..], &["--state", text(&saved), "--json", text(&resumed)]].concat();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(20);
    for kill in 1..=20 {
        let mut run = start(&arguments);
        let more = rng.random_range(0..2000);
        assert!(wait_for(&saved, length(&saved) + more, &mut run), "the run ended before kill {kill}");
        // Somewhere in or between two answers.
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
    // Nothing is left to be searched, and the table is there again.
    let before = fs::read(&saved).unwrap();
    assert_eq!(output(&arguments), table);
    assert_eq!(fs::read(&saved).unwrap(), before);
}

/// A table without its numbers that have a fraction: times, rates and means.
fn without_times(table: &str) -> String {
    let is_time = |word: &&str| !word.contains('.') || word.parse::<f64>().is_err();
    table.lines().map(|line| line.split_whitespace().filter(is_time).collect::<Vec<_>>().join(" ") + "\n").collect()
}

#[test]
#[cfg(unix)]
fn an_interrupted_run_says_how_to_go_on() {
    let (folder, suite) = suite(200);
    let [saved, begun] = ["answers", "begun"].map(|name| folder.path().join(name));
    let mut run = start(&[text(&suite), "--nodes", "100000", "--state", text(&saved)]);
    assert!(wait_for(&saved, 1500, &mut run));
    let told = interrupted(run);
    assert!(told.ends_with(" of 200 answers, which are saved: the same command goes on from there\n"), "{told}");
    let answers = fs::read_to_string(&saved).unwrap();
    assert!(answers.ends_with('\n') && answers.lines().count() > 2, "{answers}");

    let slow = format!("echo >'{}' yes; sleep 0.2; echo bestmove 0000", begun.display());
    let mut run = start(&[text(&suite), "--engine", &script(folder.path(), "slow", &slow)]);
    assert!(wait_for(&begun, 1, &mut run));
    let told = interrupted(run);
    let expected = " of 200 answers, which are lost: with --state FILE a run can go on where it was stopped\n";
    assert!(told.ends_with(expected), "{told}");
}

/// Ends a run as Ctrl-C does, and says what it says last.
#[cfg(unix)]
fn interrupted(run: Child) -> String {
    let interrupt = std::process::Command::new("kill").args(["-INT", &run.id().to_string()]).status().unwrap();
    assert!(interrupt.success());
    let done = run.wait_with_output().unwrap();
    let told = String::from_utf8(done.stderr).unwrap();
    assert_eq!(done.status.code(), Some(1), "{told}");
    let last = told.rfind("okapi: stopped after ").unwrap_or_else(|| panic!("{told}"));
    told[last..].to_owned()
}

//! Scores, selections, reports and error messages.

use crate::common::{OKAPI, STS, answers, failure, output, read_json, sts, suite, text};
use assert_cmd::Command;
use serde_json::Value;
use std::fs;

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
fn a_book_is_a_suite_with_the_weights_of_its_moves_as_points() {
    // 1. e4 with weight 1 and, after it, c5 with 3 and e5 with 1: keys that the format publishes.
    let entries: [(u64, u16, u16); 3] =
        [(0x463b_9618_1691_fc9c, 0o1434, 1), (0x823c_9b50_fd11_4196, 0o6242, 3), (0x823c_9b50_fd11_4196, 0o6444, 1)];
    let bytes = |(key, mv, weight): (u64, u16, u16)| {
        [&key.to_be_bytes()[..], &mv.to_be_bytes(), &weight.to_be_bytes(), &[0; 4]].concat()
    };
    let folder = tempfile::tempdir().unwrap();
    let [book, json] = ["two.bin", "a.json"].map(|name| folder.path().join(name));
    fs::write(&book, entries.map(bytes).concat()).unwrap();
    let table = output(&[text(&book), "--depth", "1", "--json", text(&json)]);
    assert!(table.contains("Move 1") && table.contains("200"), "{table}");
    let answers = &answers(&read_json(&json))[0];
    let maxima: Vec<_> = answers.iter().map(|answer| (answer["line"].as_u64(), answer["maximum"].as_u64())).collect();
    assert_eq!(maxima, [(Some(1), Some(100)), (Some(2), Some(100))]);
    fs::write(&book, "no book").unwrap();
    assert!(failure(&[text(&book)]).contains("two.bin: it is not a PolyGlot book"));
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
        (vec!["no/such.bin"], "cannot read the suite no/such.bin"),
        (
            vec![suite, "--engine", "toga2 optoin.Hash=4"],
            "'optoin.Hash=4' is not a setting of a player: a UCI engine has name=",
        ),
        (vec![suite, "--engine", "cmd=toga2 optoin.Hash=4"], "depth= and option.NAME=, and the arguments"),
    ];
    for (arguments, sentence) in cases {
        let message = failure(&arguments);
        assert!(message.contains(sentence), "{arguments:?}: {message}");
    }
    for wrong in [["--positions", "3-1"], ["--option", "Hash"], ["--movetime", "0"], ["--concurrency", "0"]] {
        sts(&[&[suite], &wrong[..]].concat()).assert().code(2);
    }
}

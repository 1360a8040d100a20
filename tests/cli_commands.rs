//! The subcommands and their error sentences.

use assert_cmd::Command;
use std::collections::HashSet;
use std::fs;

fn okapi(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_okapi"));
    command.args(arguments);
    command
}

fn output(arguments: &[&str]) -> String {
    let done = okapi(arguments).assert().success();
    String::from_utf8(done.get_output().stdout.clone()).unwrap()
}

/// What a failing command says, one sentence on one line.
fn failure(arguments: &[&str]) -> String {
    let done = okapi(arguments).assert().code(1);
    let text = String::from_utf8(done.get_output().stderr.clone()).unwrap();
    assert!(text.starts_with("okapi: ") && text.lines().count() == 1, "{text}");
    text
}

#[test]
fn perft_counts_any_position() {
    assert!(output(&["perft", "3"]).starts_with("nodes 8902\n"));
    assert!(output(&["perft", "0"]).starts_with("nodes 1\n"));
    let kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    assert!(output(&["perft", "2", kiwipete]).starts_with("nodes 2039\n"));
    let mut words = vec!["perft", "2"];
    words.extend(kiwipete.split(' '));
    assert!(output(&words).starts_with("nodes 2039\n"));
}

#[test]
fn perft_divides_into_every_move() {
    let text = output(&["perft", "--divide", "2"]);
    assert_eq!(text.lines().filter(|line| line.ends_with(": 20")).count(), 20, "{text}");
    assert!(text.contains("\nnodes 400\n"));
}

#[test]
fn perft_suites_name_the_line_that_differs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("suite.epd");
    let file = path.to_str().unwrap();
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    fs::write(&path, format!("{start} ;D1 20 ;D2 400\n\n{start};D3 8902; D4 1\n")).unwrap();
    assert!(output(&["perft", "--suite", file, "--max-depth", "3"]).starts_with("3 of 3 counts are correct"));
    let told = failure(&["perft", "--suite", file]);
    assert!(told.contains("line 3: depth 4 has 197281 nodes instead of 1"), "{told}");
    fs::write(&path, format!("{start} ;D1 20\n{start} ;D1 many\n")).unwrap();
    assert!(failure(&["perft", "--suite", file]).contains("line 2: a count is not of the form"));
    fs::write(&path, "").unwrap();
    assert!(failure(&["perft", "--suite", file]).contains("has no count"));
    assert!(failure(&["perft", "--suite", "no/such.epd"]).contains("cannot read the suite no/such.epd"));
}

#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared/data")]
fn perft_agrees_with_the_standard_suite() {
    let suite = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data/perft/standard.epd");
    let text = output(&["perft", "--suite", suite, "--max-depth", "3"]);
    let (right, all) = text.split_once(" counts are correct").unwrap().0.split_once(" of ").unwrap();
    assert_eq!(right, all);
    assert!(all.parse::<u32>().unwrap() >= 300, "{text}");
}

#[test]
fn eval_shows_the_value_and_every_move() {
    let folder = tempfile::tempdir().unwrap();
    let svg = folder.path().join("board.svg");
    let fen = "4k3/8/8/8/8/8/8/Q3K3 w - - 0 1";
    let text = output(&["eval", "--eval", "material", "--nodes", "500", "--svg", svg.to_str().unwrap(), fen]);
    assert!(text.starts_with("evaluation for white: value +0."), "{text}");
    assert!(text.contains("search of 500 nodes: value +0.") && text.matches("  played").count() == 1, "{text}");
    // 21 moves of the queen but those that the king bars, and the king's.
    let moves = board::Position::from_fen(fen).unwrap().legal_moves().len();
    let shares = text.lines().skip(3).map(|line| line[15..21].trim().parse::<f64>().unwrap());
    assert_eq!(text.lines().count(), 3 + moves);
    assert!((shares.sum::<f64>() - 100.0).abs() < 0.5, "{text}");
    assert!(std::fs::read_to_string(&svg).unwrap().contains("<svg"));
    let again = ["eval", "--nodes", "0", "--svg", svg.to_str().unwrap(), fen];
    assert!(failure(&again).contains("board.svg exists already; --force replaces it"));
    output(&[&again[..], &["--force"]].concat());
    let input = failure(&[&again[..], &["--force", "--value-net", svg.to_str().unwrap()]].concat());
    assert!(input.contains("board.svg"), "{input}");
    assert!(std::fs::read_to_string(&svg).unwrap().contains("<svg"), "an input stays as it is");
    assert!(output(&["eval", "--nodes", "0", "--svg", "-", fen]).starts_with("<svg"));
    assert_eq!(output(&["eval", "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"]).lines().count(), 1, "no move, no table");
    assert!(failure(&["eval", "8/8/8/8/8/8/8/K1k5"]).contains("side to move"));
}

#[test]
fn a_missing_net_is_named() {
    for command in [
        &["net", "info", "no/such.net"] as &[&str],
        &["eval", "--value-net", "no/such.net", "8/8/8/8/8/8/8/K1k5 w - -"],
    ] {
        let told = failure(command);
        assert!(told.contains("no/such.net"), "{told}");
    }
}

#[test]
fn eval_searches_as_it_is_told() {
    // Two searches may find the same in one position.
    let fens = [
        "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3",
        "r1bq1rk1/ppp2ppp/2np1n2/2b1p3/2B1P3/2PP1N2/PP3PPP/RNBQ1RK1 w - - 0 7",
        "6r1/kbp1np2/1pq1pQ2/p2pPn1P/3P4/P1PB1N2/P4P1B/2R4K w - - 7 26",
    ];
    let found = |options: &[&str]| {
        fens.map(|fen| {
            let text = output(&[&["eval", "--nodes", "8000", fen], options].concat());
            text.lines().find(|line| line.starts_with("search of ")).expect(&text).to_owned()
        })
    };
    let by_probability = ["--search", "probability"];
    let options: [&[&str]; 5] =
        [&[], &["--policy", "linear"], &["--policy", "static"], &["--policy", "uniform"], &by_probability];
    let all: HashSet<[String; 3]> = options.map(found).into();
    assert_eq!(all.len(), 5, "{all:?}");
}

#[test]
fn unknown_usages_exit_with_two() {
    for arguments in
        [&["fly"] as &[&str], &["perft"], &["perft", "x"], &["--hash", "0"], &["--eval", "luck"], &["eval"]]
    {
        okapi(arguments).assert().code(2);
    }
    // What a command has no use for is not taken in silence.
    for arguments in [
        &["train", "bootstrap", "--out", "x.net", "--selective", "off"] as &[&str],
        &["report", "run", "--policy", "uniform"],
        &["--search", "depth", "bench"],
        &["perft", "2", "--hash", "4"],
        &["bench", "--eval", "suite.epd", "--selective", "off"],
        &["net", "info", "--eval", "network"],
    ] {
        okapi(arguments).assert().code(2);
    }
    okapi(&["--help"]).assert().success();
    okapi(&["--version"]).assert().success();
}

#[test]
fn without_a_subcommand_it_speaks_uci() {
    for arguments in [&[] as &[&str], &["uci"]] {
        let done = okapi(arguments).write_stdin("uci\nquit\n").assert().success();
        assert!(String::from_utf8_lossy(&done.get_output().stdout).ends_with("uciok\n"));
    }
}

#[test]
fn the_version_names_networks_and_bench() {
    assert_eq!(output(&["-V"]).lines().count(), 1);
    let text = output(&["--version"]);
    let bench = include_str!("../src/engine/signature.txt").trim();
    assert!(text.starts_with("okapi 0.1.0") && text.contains(&format!("\nbench {bench}\n")), "{text}");
    for net in ["value", "moves", "linear"] {
        let file = format!("{}/nets/trained/{net}.safetensors", env!("CARGO_MANIFEST_DIR"));
        let info = output(&["net", "info", &file]);
        let name = info.lines().find_map(|line| line.strip_prefix("name")).expect("a name").trim();
        assert!(name.len() == 16 && info.contains(&format!("sha256      {name}")), "{info}");
        assert!(text.contains(&format!(" {name}\n")), "{text}");
    }
    assert!(text.lines().last().unwrap().starts_with("instruction set "), "{text}");
}

#[test]
fn completions_and_manual_pages_follow_the_command_line() {
    for shell in ["bash", "zsh", "fish"] {
        let text = output(&["completions", shell]);
        assert!(text.contains("okapi") && text.contains("perft") && text.contains("movetime"), "{shell}");
    }
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().to_str().unwrap();
    assert_eq!(output(&["man", at]), "");
    let page = std::fs::read_to_string(std::path::Path::new(at).join("okapi.1")).unwrap();
    let options = page.split_once(".SH \"UCI OPTIONS\"\n").expect("the UCI options").1;
    assert!(
        options.contains(
            "\n.TP\n\\fBMultiPV\\fR\nThe number of principal variations to show (spin default 1 min 1 max 256)\n"
        ),
        "{options}"
    );
    assert!(
        options.contains("\n.TP\n\\fBHash\\fR\n") && options.contains("\n.TP\n\\fBMove Overhead\\fR\n"),
        "{options}"
    );
    let page = fs::read_to_string(folder.path().join("okapi-sts.1")).unwrap();
    assert!(page.contains(".TH") && page.contains("movetime"), "{page}");
    assert!(folder.path().join("okapi.1").exists());
    let entries = || fs::read_dir(folder.path()).unwrap().count();
    let pages = entries();
    assert!(failure(&["man", at]).contains(".1 exists already; --force replaces it"));
    okapi(&["man", at, "--force"]).assert().success();
    assert_eq!(entries(), pages);
    assert!(failure(&["man", "no/such/folder"]).contains("there is no folder no/such/folder"));
}

#[test]
fn a_perft_has_a_bound() {
    let refused = okapi(&["perft", "100000"]).assert().code(2);
    let said = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
    assert!(said.contains("100000 is not in 0..=30"), "{said}");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep.epd");
    fs::write(&path, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;D100000 8902\n").unwrap();
    let message = failure(&["perft", "--suite", path.to_str().unwrap()]);
    assert!(message.contains("line 1: a count is not of the form 'D<depth> <count>' with a depth of at most 30"));
}

#[test]
fn a_perft_suite_without_counts_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("empty.epd");
    let at = path.to_str().unwrap();
    fs::write(&path, "").unwrap();
    assert_eq!(failure(&["perft", "--suite", at]), format!("okapi: {at} has no count\n"));
    fs::write(&path, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;D3 8902\n").unwrap();
    let message = failure(&["perft", "--suite", at, "--max-depth", "2"]);
    assert_eq!(message, format!("okapi: {at} has no count up to depth 2\n"));
}

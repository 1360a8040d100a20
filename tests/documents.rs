//! README.md and docs show what the program does: the pictures, the commands, and the names of options.

mod common;

use common::okapi;
use engine::spec::Group;
use kernels::Isa;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(file: &str) -> String {
    fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// README.md and the documents in docs.
fn documents() -> Vec<String> {
    let mut files: Vec<String> = fs::read_dir(root().join("docs"))
        .unwrap()
        .map(|entry| format!("docs/{}", entry.unwrap().file_name().into_string().unwrap()))
        .filter(|file| file.ends_with(".md"))
        .collect();
    files.push("README.md".to_owned());
    files.sort();
    files
}

/// The arguments of every command line of Okapi in the indented blocks of a document. A line that ends in `\` continues in the next.
fn commands(document: &str) -> Vec<Vec<String>> {
    let joined = read(document).replace("\\\n", " ");
    let blocks = joined.lines().filter(|line| line.starts_with("    "));
    let words = blocks.map(|line| shlex::split(line).unwrap_or_else(|| panic!("{document}: {line}")));
    words.filter(|words| words[0] == "target/release/okapi").map(|mut words| words.split_off(1)).collect()
}

/// The only command of README.md that begins so.
fn command(words: &[&str]) -> Vec<String> {
    let mut found = commands("README.md");
    found.retain(|command| command.len() > words.len() && command.iter().zip(words).all(|(a, b)| a == b));
    assert_eq!(found.len(), 1, "README.md has one command okapi {}", words.join(" "));
    found.remove(0)
}

/// Replaces the value of an option.
fn set(command: &mut [String], option: &str, value: &str) {
    let place = command.iter().position(|word| word == option).expect("the option is given");
    command[place + 1] = value.to_owned();
}

/// The number behind a word and a space in a text.
fn number_after(text: &str, word: &str) -> f64 {
    let rest = text.split_once(word).unwrap_or_else(|| panic!("{word} in {text}")).1.trim_start();
    let end = rest.find([' ', ',', ';', '\n']).unwrap_or(rest.len());
    rest[..end].parse().unwrap_or_else(|_| panic!("{word} in {text}"))
}

#[test]
fn the_network_in_python_has_the_values_of_the_program() {
    let Ok(python) = Command::new("python3").arg("--version").output() else {
        eprintln!("ignored: there is no python3");
        return;
    };
    assert!(python.status.success());
    for fen in [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "6k1/5ppp/8/8/8/8/r4PPP/1R4K1 b - - 0 1",
    ] {
        let features = Command::new(env!("CARGO_BIN_EXE_okapi")).args(["eval", fen, "--features"]).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&features.stdout).lines().count(), 363);
        let folder = tempfile::tempdir().unwrap();
        let inputs = folder.path().join("inputs");
        fs::write(&inputs, &features.stdout).unwrap();
        let mut script = Command::new("python3");
        script.arg(root().join("docs/net_value.py")).arg(root().join("nets/trained/value.safetensors")).arg(fen);
        let computed = script.stdin(fs::File::open(&inputs).unwrap()).output().unwrap();
        let computed = String::from_utf8_lossy(&computed.stdout).into_owned();
        let shown = Command::new(env!("CARGO_BIN_EXE_okapi")).args(["eval", fen, "--nodes", "0"]).output().unwrap();
        let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
        let difference = number_after(&computed, "value ") - number_after(&shown, "value ");
        assert!(difference.abs() < 0.01, "{fen}: {computed} is not {shown}");
        let difference = number_after(&computed, "draw if even ") - number_after(&shown, "draw if even ");
        assert!(difference.abs() < 0.01, "{fen}: {computed} is not {shown}");
    }
}

#[test]
fn a_position_may_be_followed_by_moves() {
    let eval = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_okapi"))
            .arg("eval")
            .args(arguments)
            .args(["--nodes", "0"])
            .output()
            .unwrap();
        (
            output.status.success(),
            String::from_utf8_lossy(&output.stdout).into_owned(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )
    };
    let fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
    let plain = eval(&[fen]);
    assert!(plain.0 && plain.1.contains("Nf3"), "{plain:?}");
    assert_eq!(eval(&["startpos", "moves", "e2e4", "e7e5"]), plain);
    assert_eq!(eval(&["rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 moves e2e4 e7e5"]), plain);
    let wrong = eval(&["startpos", "moves", "e2e4", "e7e4"]);
    assert!(!wrong.0 && wrong.2.contains("move 2: \"e7e4\" is not a legal move"), "{wrong:?}");
}

#[test]
fn the_board_is_what_the_command_draws_on_every_instruction_set() {
    let mut eval = command(&["eval"]);
    set(&mut eval, "--svg", "-");
    for isa in Isa::ALL.into_iter().filter(|isa| isa.is_available()) {
        let mut program = Command::new(env!("CARGO_BIN_EXE_okapi"));
        let output = program.args(&eval).env("OKAPI_ISA", isa.to_string()).output().unwrap();
        assert!(output.status.success(), "{isa}");
        let drawn = String::from_utf8(output.stdout).unwrap();
        assert!(
            drawn == read("docs/board.svg"),
            "{isa}: docs/board.svg is old; okapi {} draws it again",
            eval.join(" ")
        );
    }
}

#[test]
fn the_picture_is_of_the_page_that_the_command_writes() {
    let folder = tempfile::tempdir().unwrap();
    let mut analyse = command(&["analyse"]);
    set(&mut analyse, "--html", "pages");
    analyse[1] = common::text(&root().join(&analyse[1])).to_owned();
    okapi(folder.path(), &analyse.iter().map(String::as_str).collect::<Vec<_>>());
    let page = fs::read_to_string(folder.path().join("pages/1.html")).unwrap();
    // The name of the program has its commit.
    let (before, after) = page.split_once("\"annotator\":\"").unwrap();
    let page = format!("{before}\"annotator\":\"{}", &after[after.find('"').unwrap()..]);
    let expected = format!("page-sha256\0{}", support::hash::sha256(page.as_bytes()));
    let picture = fs::read(root().join("docs/analysis.png")).unwrap();
    assert!(
        picture.windows(expected.len()).any(|bytes| bytes == expected.as_bytes()),
        "docs/analysis.png is of another page; python3 tests/tools/page_picture.py draws it again"
    );
}

/// Whether the command line is understood; with `--help` nothing else happens.
fn parses(arguments: &[String]) -> Result<(), String> {
    let output = Command::new(env!("CARGO_BIN_EXE_okapi")).args(arguments).arg("--help").output().unwrap();
    if output.status.success() { Ok(()) } else { Err(String::from_utf8(output.stderr).unwrap()) }
}

#[test]
fn every_command_is_understood() {
    let mut checked = 0;
    for document in documents() {
        // A word with `$` is a variable of the shell.
        for arguments in commands(&document).iter().filter(|words| !words.concat().contains('$')) {
            parses(arguments).unwrap_or_else(|said| panic!("{document}: okapi {}: {said}", arguments.join(" ")));
            checked += 1;
        }
    }
    assert!(checked >= 30, "only {checked} commands were found");
    assert!(parses(&["bench".to_owned(), "--depht".to_owned(), "3".to_owned()]).is_err());
}

#[test]
fn every_uci_option_and_subcommand_is_described() {
    let (uci, parts) = (read("docs/uci-options.md"), read("docs/parts.md"));
    let said = assert_cmd::Command::new(env!("CARGO_BIN_EXE_okapi")).write_stdin("uci\nquit\n").output().unwrap();
    let said = String::from_utf8(said.stdout).unwrap();
    let rows: String =
        uci.lines().filter(|line| line.starts_with("| ")).filter_map(|line| line.split('|').nth(1)).collect();
    let is_part = |name: &str| parts.contains(&format!("| {name} |"));
    let names: Vec<&str> = said
        .lines()
        .filter_map(|line| line.strip_prefix("option name ")?.split_once(" type ").map(|(name, _)| name))
        .collect();
    assert!(names.len() >= 30, "{said}");
    for name in names {
        assert!(rows.contains(name) || is_part(name), "docs/uci-options.md has no row of {name}");
    }
    let help = okapi(root(), &["match", "--help"]);
    for key in engine::spec::KEYS {
        assert!(help.contains(&format!(" {}={}", key.name, key.value_name)), "{} in {help}", key.name);
        let row = format!("| `--{}` |", key.name);
        assert!(key.more.group == Group::Player || parts.contains(&row), "docs/parts.md has no row of {}", key.name);
    }
    let all: String = documents().iter().map(|file| read(file)).collect();
    let help = okapi(root(), &["--help"]);
    let list = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    for name in
        list.lines().filter_map(|line| line.split_whitespace().next()).filter(|name| !["help", "uci"].contains(name))
    {
        assert!(all.contains(&format!("okapi {name}")), "no document has okapi {name}");
    }
}

#[test]
fn links_lead_to_files() {
    for document in documents() {
        let folder = PathBuf::from(&document).parent().unwrap().to_owned();
        let text = read(&document);
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = link.split('#').next().unwrap();
            let exists = file.is_empty() || file.starts_with("http") || root().join(&folder).join(file).exists();
            assert!(exists, "{document}: {link} leads nowhere");
        }
    }
}

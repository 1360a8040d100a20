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

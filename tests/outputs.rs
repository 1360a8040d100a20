//! The rule of outputs, tried on every command: an output never replaces an input, nor an existing file unless told to, and a
//! command that fails leaves no folder.

mod common;

use common::{GAMES, text, write_games};
use std::fs;
use std::path::Path;
use std::process::Command;

/// A folder with an input of every kind.
fn inputs() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    write_games(&at("games.pgn"), &GAMES);
    fs::write(at("suite.epd"), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - bm e4; id \"a\";\n").unwrap();
    fs::write(at("book.epd"), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n").unwrap();
    for net in ["value", "moves"] {
        let from = format!("{}/nets/trained/{net}.safetensors", env!("CARGO_MANIFEST_DIR"));
        fs::copy(from, at(&format!("{net}.net"))).unwrap();
    }
    let tiny = "train tdleaf run --initial shipped --starts games.pgn --iterations 1 --positions 2 --nodes 20 --suite-minutes 0";
    assert!(run(folder.path(), tiny, &[]).0);
    folder
}

/// `(command, option of an output, an input of it)`.
const COMMANDS: [(&str, &str, &str); 16] = [
    ("eval startpos --nodes 0 --value-net value.net", "--svg", "value.net"),
    ("eval startpos --nodes 0 --policy-net moves.net", "--svg", "moves.net"),
    ("sts suite.epd --nodes 1 --quiet", "--json", "suite.epd"),
    ("sts suite.epd --nodes 1 --quiet", "--csv", "suite.epd"),
    ("sts suite.epd --nodes 1 --quiet", "--markdown", "suite.epd"),
    ("sts suite.epd --nodes 1 --quiet", "--svg", "suite.epd"),
    ("sts suite.epd --nodes 1 --quiet --value-net value.net", "--json", "value.net"),
    ("sts suite.epd --curve=1,2 --quiet", "--json", "suite.epd"),
    (
        "match --player okapi --player \"okapi seed=1 name=b\" --games 2 --nodes 1 --openings book.epd",
        "--json",
        "book.epd",
    ),
    (
        "match --player okapi --player \"okapi seed=1 name=b\" --games 2 --nodes 1 --openings book.epd",
        "--pgn",
        "book.epd",
    ),
    ("match --player okapi --player \"okapi value-net=value.net name=b\" --games 2 --nodes 1", "--json", "value.net"),
    ("analyse games.pgn --nodes 1", "--pgn", "games.pgn"),
    ("analyse games.pgn --nodes 1 --value-net value.net", "--pgn", "value.net"),
    ("report run", "--out", "run/log.csv"),
    ("report run", "--svg", "run/log.csv"),
    ("train bootstrap --steps 1", "--out", ""),
];

fn run(folder: &Path, command: &str, more: &[&str]) -> (bool, String) {
    let words = shlex::split(command).unwrap();
    let output =
        Command::new(env!("CARGO_BIN_EXE_okapi")).args(&words).args(more).current_dir(folder).output().unwrap();
    (output.status.success(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn no_output_replaces_an_input_or_without_force_any_file() {
    let folder = inputs();
    let at = folder.path();
    for (command, option, input) in COMMANDS {
        let full = format!("{command} {option}");
        let existing = at.join("existing");
        fs::write(&existing, "precious").unwrap();
        let (succeeded, said) = run(at, command, &[option, "existing"]);
        assert!(!succeeded && said.contains("existing exists already; --force replaces it"), "{full}: {said}");
        assert_eq!(fs::read_to_string(&existing).unwrap(), "precious", "{full}");
        if input.is_empty() {
            continue;
        }
        let before = fs::read(at.join(input)).unwrap();
        // By its name, by another path to it, and by a link.
        let _ = fs::remove_file(at.join("link"));
        fs::hard_link(at.join(input), at.join("link")).unwrap();
        for name in [input.to_owned(), format!("./run/../{input}"), "link".to_owned()] {
            let (succeeded, said) = run(at, command, &[option, &name, "--force"]);
            assert!(!succeeded && said.contains("is the same file as"), "{full} {name}: {said}");
        }
        assert_eq!(fs::read(at.join(input)).unwrap(), before, "{full}");
    }
}

#[test]
#[cfg(unix)]
fn devices_are_written_through_and_stay() {
    let folder = inputs();
    let link = folder.path().join("out");
    std::os::unix::fs::symlink("/dev/stdout", &link).unwrap();
    for (command, option, _) in
        COMMANDS.into_iter().filter(|row| row.0.starts_with("eval") || row.0.starts_with("train"))
    {
        let (succeeded, said) = run(folder.path(), command, &[option, "out"]);
        assert!(succeeded, "{command}: {said}");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink(), "{command}");
    }
}

#[test]
fn trainers_that_fail_leave_no_folder() {
    let folder = inputs();
    let at = folder.path();
    for command in [
        "train values none --out made",
        "train values none --out made --initial none",
        "train tdleaf made --initial none",
        "train tdleaf made --starts none",
        "train policy made",
        "train policy made --starts none",
        "train policy made --starts book.epd",
        "train play made --starts none",
        "train play made --value-net none",
    ] {
        let (succeeded, said) = run(at, command, &[]);
        assert!(!succeeded && said.starts_with("okapi: "), "{command}: {said}");
        assert!(!at.join("made").exists(), "{command}");
    }
    // A folder that was there stays, with what was in it.
    fs::create_dir(at.join("mine")).unwrap();
    fs::write(at.join("mine/notes"), "precious").unwrap();
    let (succeeded, _) = run(at, "train tdleaf", &[text(&at.join("mine"))]);
    assert!(!succeeded);
    assert_eq!(fs::read_to_string(at.join("mine/notes")).unwrap(), "precious");
}

/// A log on a full disk (`2> log`) costs the messages, not the job.
#[cfg(target_os = "linux")]
#[test]
fn a_job_whose_messages_nobody_can_keep_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_okapi"));
    command.args(["train", "play", "games", "--games", "2", "--nodes", "20"]).current_dir(folder.path()).stderr(full);
    assert!(command.status().unwrap().success());
    assert!(folder.path().join("games/games-000000.okapi").exists());
}

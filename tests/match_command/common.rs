//! Runs matches and reads what they leave.

use assert_cmd::Command;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use tempfile::TempDir;

pub const OKAPI: &str = env!("CARGO_BIN_EXE_okapi");

/// A quick engine in process that plays the same every time.
pub const QUICK: &str = "okapi eval=material hash=1 nodes=200 name=quick";

pub fn okapi(arguments: &[&str]) -> Command {
    let mut command = Command::new(OKAPI);
    command.arg("match").args(arguments);
    command
}

/// The toy engine as `--player` wants it, misbehaving as told; built if it is not there.
pub fn toy(name: &str, misbehaviour: &str, limits: &str) -> String {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    let path = PATH.get_or_init(|| {
        let tests = std::env::current_exe().unwrap();
        let profile = tests.parent().and_then(Path::parent).unwrap();
        let path = profile.join("examples").join(format!("toy_engine{}", std::env::consts::EXE_SUFFIX));
        if !path.exists() {
            let mut cargo = Command::new(std::env::var("CARGO").unwrap_or("cargo".to_owned()));
            cargo.args(["build", "--package", "player", "--example", "toy_engine", "--target-dir"]);
            cargo.arg(profile.parent().unwrap());
            if profile.ends_with("release") {
                cargo.arg("--release");
            }
            cargo.assert().success();
        }
        path
    });
    format!("cmd=\"'{}' {misbehaviour}\" name={name} {limits}", path.display())
}

/// Where a match writes.
pub struct Files {
    _folder: TempDir,
    pub pgn: PathBuf,
    pub state: PathBuf,
    pub json: PathBuf,
}

impl Files {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let [pgn, state, json] = ["games.pgn", "match.state", "report.json"].map(|name| folder.path().join(name));
        Self { _folder: folder, pgn, state, json }
    }

    pub fn arguments(&self) -> [&str; 6] {
        let Self { pgn, state, json, .. } = self;
        ["--pgn", pgn.to_str().unwrap(), "--state", state.to_str().unwrap(), "--json", json.to_str().unwrap()]
    }

    pub fn report(&self) -> Value {
        serde_json::from_slice(&fs::read(&self.json).unwrap()).unwrap()
    }

    /// The games, without the times in the comments.
    pub fn games(&self) -> String {
        let words = fs::read_to_string(&self.pgn).unwrap();
        let timeless = words.split_whitespace().filter(|word| !word.ends_with("s}"));
        timeless.collect::<Vec<_>>().join(" ")
    }
}

/// Plays a match that ends well: its report and what it said on standard error.
pub fn report(arguments: &[&str]) -> (Value, String) {
    let files = Files::new();
    let done = okapi(arguments).args(files.arguments()).assert().success();
    (files.report(), String::from_utf8(done.get_output().stderr.clone()).unwrap())
}

/// What a failing command says, one sentence on one line.
pub fn failure(arguments: &[&str]) -> String {
    let done = okapi(arguments).assert().code(1);
    let text = String::from_utf8(done.get_output().stderr.clone()).unwrap();
    assert!(text.starts_with("okapi: ") && text.lines().count() == 1, "{text}");
    text
}

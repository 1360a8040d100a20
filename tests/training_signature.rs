//! The training signature: tiny fixed runs of every trainer, and the hashes of the nets that they make.
//!
//! It is under learning what the bench is under play: a commit that changes no learning leaves every hash as it is, one
//! that does writes the new ones into `src/learn/signature.txt` and says why. The test prints the rows that it found.

mod common;

use common::{GAMES, okapi, small_policy, text, write_games};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

const EXPECTED: &str = include_str!("../src/learn/signature.txt");

const EXCLUDED: &str = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq -
rnbqkbnr/pp2pppp/3p4/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq -
rnbqkb1r/ppp2ppp/4pn2/3p4/2PP4/2N5/PP2PPPP/R1BQKBNR w KQkq -
";

/// `(row, flags)` of the runs of TD-Leaf, each of which changes one option of the first.
const TD_LEAF: [(&str, &[&str]); 14] = [
    ("tdleaf", &[]),
    ("tdleaf loss", &["--loss", "l1"]),
    ("tdleaf replay", &["--replay", "0"]),
    ("tdleaf average", &["--average", "0"]),
    ("tdleaf rate", &["--rate", "7", "--rho", "0.9", "--epsilon", "1e-8"]),
    ("tdleaf rate schedule", &["--decay-start", "2"]),
    ("tdleaf lambda", &["--lambda", "0.2"]),
    ("tdleaf stride", &["--stride", "2"]),
    ("tdleaf knightcap", &["--stride", "2", "--knightcap"]),
    ("tdleaf leaves", &["--leaves", "first"]),
    ("tdleaf result", &["--result", "--positions", "2", "--nodes", "50", "--iterations", "2"]),
    ("tdleaf random_moves", &["--random-moves", "0"]),
    ("tdleaf exclude", &["--exclude", "EXCLUDED"]),
    ("tdleaf topology", &["--topology", "19x19+216x56+128x32-64-1"]),
];

/// `(row, flags)` of the policy's learning from the same nodes, each of which changes one option of the first.
const POLICY: [(&str, &[&str]); 7] = [
    ("policy", &[]),
    ("policy target", &["--target", "best"]),
    ("policy output", &["--output", "sigmoid"]),
    ("policy passes", &["--passes", "2"]),
    ("policy mirror", &["--mirror", "false"]),
    ("policy linear", &["--stage", "linear"]),
    ("policy dropout", &["--hash-move-dropout", "0", "--batch", "16"]),
];

/// What the runs share: a folder with games and positions.
struct Files {
    folder: tempfile::TempDir,
    games: PathBuf,
    excluded: PathBuf,
}

impl Files {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let (games, excluded) = (folder.path().join("games.pgn"), folder.path().join("excluded.epd"));
        write_games(&games, &GAMES);
        fs::write(&excluded, EXCLUDED).expect("a file of positions");
        Self { folder, games, excluded }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name.replace(' ', "-"))
    }

    fn okapi(&self, arguments: &[&str]) {
        okapi(self.folder.path(), arguments);
    }

    /// The hash of the network that a run has learned.
    fn hash(&self, row: &str) -> String {
        let file = if row == "policy linear" { "linear.safetensors" } else { "net.safetensors" };
        common::hash(self.folder.path(), text(&self.path(row).join(file)))
    }

    fn bootstrap(&self) -> String {
        let net = self.path("bootstrap.safetensors");
        self.okapi(&["train", "bootstrap", "--out", text(&net), "--steps", "5", "--threads", "2"]);
        common::hash(self.folder.path(), text(&net))
    }

    fn td_leaf(&self, row: &str, flags: &[&str]) -> String {
        let run = self.path(row);
        let mut arguments = vec!["train", "tdleaf", text(&run), "--initial", "shipped", "--starts", text(&self.games)];
        arguments.extend(["--positions", "6", "--plies", "5", "--nodes", "120", "--hash-kilobytes", "64"]);
        arguments.extend(["--replay", "2", "--average", "3", "--iterations", "4", "--suite-minutes", "0"]);
        arguments.extend(["--threads", "2"]);
        // A flag that is given twice is refused: what a row changes takes the first one's place.
        for flag in flags.iter().filter(|flag| flag.starts_with("--")) {
            if let Some(place) = arguments.iter().position(|given| given == flag) {
                arguments.drain(place..place + 2);
            }
        }
        arguments.extend(flags.iter().map(|flag| if *flag == "EXCLUDED" { text(&self.excluded) } else { flag }));
        self.okapi(&arguments);
        self.hash(row)
    }

    fn resumed(&self) -> String {
        let run = self.path("tdleaf resume");
        self.td_leaf("tdleaf resume", &["--iterations", "2"]);
        let resume = ["--resume", "--iterations", "4", "--suite-minutes", "0", "--threads", "1"];
        self.okapi(&[&["train", "tdleaf", text(&run)], &resume[..]].concat());
        self.hash("tdleaf resume")
    }

    fn policy(&self, row: &str, flags: &[&str]) -> String {
        let (run, sampled) = (self.path(row), self.path("policy"));
        if run != sampled {
            fs::create_dir(&run).expect("a folder");
            for entry in fs::read_dir(&sampled).expect("the first run's folder") {
                let path = entry.expect("an entry").path();
                if path.extension().is_some_and(|kind| kind == "nodes" || kind == "labels") {
                    fs::copy(&path, run.join(path.file_name().expect("a name"))).expect("a copy");
                }
            }
        }
        let mut arguments = vec!["train", "policy", text(&run), "--starts", text(&self.games), "--threads", "2"];
        arguments.extend(small_policy(["120", "20"], ["200", "300"]));
        arguments.extend(["--epochs", "2"]);
        if !flags.contains(&"--batch") {
            arguments.extend(["--batch", "32"]);
        }
        arguments.extend(flags);
        self.okapi(&arguments);
        self.hash(row)
    }
}

#[test]
fn the_nets_of_tiny_runs_are_as_recorded() {
    let files = Files::new();
    let mut found = BTreeMap::new();
    found.insert("bootstrap", files.bootstrap());
    for (row, flags) in TD_LEAF {
        found.insert(row, files.td_leaf(row, flags));
    }
    found.insert("tdleaf resume", files.resumed());
    for (row, flags) in POLICY {
        found.insert(row, files.policy(row, flags));
    }
    assert_eq!(
        found["tdleaf resume"], found["tdleaf"],
        "a run that is resumed learns what it would have learned anyway"
    );
    let others = found.iter().filter(|(row, _)| **row != "tdleaf resume");
    let distinct: BTreeSet<_> = others.clone().map(|(_, hash)| hash).collect();
    assert_eq!(distinct.len(), others.count(), "an option changes nothing: {found:#?}");
    let rows: String = found.iter().map(|(row, hash)| format!("{row}: {hash}\n")).collect();
    assert_eq!(rows, EXPECTED, "found:\n{rows}");
}

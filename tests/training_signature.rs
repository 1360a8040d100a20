//! The training signature: tiny fixed runs of every trainer, and the hashes of the nets that they make.
//!
//! It is under learning what the bench is under play: a commit that changes no learning leaves every hash as it is, one
//! that does writes the new ones into `src/learn/signature.txt` and says why. The test prints the rows that it found.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const EXPECTED: &str = include_str!("../src/learn/signature.txt");

/// Openings that go apart early.
const GAMES: [&str; 8] = [
    "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6",
    "1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6 6. Be3 e5 7. Nb3 Be6",
    "1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Bg5 Be7 5. e3 O-O 6. Nf3 h6 7. Bh4 b6",
    "1. d4 Nf6 2. c4 g6 3. Nc3 Bg7 4. e4 d6 5. Nf3 O-O 6. Be2 e5 7. O-O Nc6",
    "1. c4 e5 2. Nc3 Nf6 3. g3 d5 4. cxd5 Nxd5 5. Bg2 Nb6 6. Nf3 Nc6 7. O-O Be7",
    "1. e4 e6 2. d4 d5 3. Nc3 Bb4 4. e5 c5 5. a3 Bxc3+ 6. bxc3 Ne7 7. Qg4 Qc7",
    "1. e4 c6 2. d4 d5 3. Nc3 dxe4 4. Nxe4 Bf5 5. Ng3 Bg6 6. h4 h6 7. Nf3 Nd7",
    "1. Nf3 d5 2. g3 Nf6 3. Bg2 e6 4. O-O Be7 5. d3 O-O 6. Nbd2 c5 7. e4 Nc6",
];

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
const POLICY: [(&str, &[&str]); 6] = [
    ("policy", &[]),
    ("policy target", &["--target", "best"]),
    ("policy output", &["--output", "sigmoid"]),
    ("policy passes", &["--passes", "2"]),
    ("policy mirror", &["--mirror", "false"]),
    ("policy dropout", &["--hash-move-dropout", "0", "--batch", "16"]),
];

/// Runs the program and returns what it says on standard output.
fn okapi(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_okapi")).args(arguments).output().expect("the program runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "okapi {}: {said}", arguments.join(" "));
    String::from_utf8(output.stdout).expect("text")
}

/// The hash of a net's parameters, whatever else its file says.
fn hash(net: &Path) -> String {
    let info = okapi(&["net", "info", text(net)]);
    let hash = info.lines().find_map(|line| line.strip_prefix("sha256 ")).expect("a net has a hash");
    hash.trim().to_owned()
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path of plain text")
}

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
        let moves = GAMES.map(|moves| format!("[Event \"?\"]\n[Result \"*\"]\n\n{moves} *\n\n"));
        fs::write(&games, moves.concat()).expect("a file of games");
        fs::write(&excluded, EXCLUDED).expect("a file of positions");
        Self { folder, games, excluded }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name.replace(' ', "-"))
    }

    fn bootstrap(&self) -> String {
        let net = self.path("bootstrap.safetensors");
        okapi(&["train", "bootstrap", "--out", text(&net), "--steps", "5", "--threads", "2"]);
        hash(&net)
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
        okapi(&arguments);
        hash(&run.join("net.safetensors"))
    }

    fn resumed(&self) -> String {
        let run = self.path("tdleaf resume");
        self.td_leaf("tdleaf resume", &["--iterations", "2"]);
        let resume = ["--resume", "--iterations", "4", "--suite-minutes", "0", "--threads", "1"];
        okapi(&[&["train", "tdleaf", text(&run)], &resume[..]].concat());
        hash(&run.join("net.safetensors"))
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
        arguments.extend([
            "--seed",
            "5",
            "--sample-search-nodes",
            "200",
            "--min-depth",
            "2",
            "--nodes-per-search",
            "4",
        ]);
        arguments.extend([
            "--training-nodes",
            "120",
            "--validation-nodes",
            "20",
            "--label-search-nodes",
            "200",
            "--validation-search-nodes",
            "300",
        ]);
        arguments.extend(["--epochs", "2", "--topology", "19x16+216x16+128x16-16-8-1"]);
        if !flags.contains(&"--batch") {
            arguments.extend(["--batch", "32"]);
        }
        arguments.extend(flags);
        okapi(&arguments);
        hash(&run.join("net.safetensors"))
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
        "a run that is resumed learns what it would have learnt anyway"
    );
    let others = found.iter().filter(|(row, _)| **row != "tdleaf resume");
    let distinct: BTreeSet<_> = others.clone().map(|(_, hash)| hash).collect();
    assert_eq!(distinct.len(), others.count(), "an option changes nothing: {found:#?}");
    let rows: String = found.iter().map(|(row, hash)| format!("{row}: {hash}\n")).collect();
    assert_eq!(rows, EXPECTED, "found:\n{rows}");
}

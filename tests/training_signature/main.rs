//! The training signature: tiny fixed runs of every trainer, and the hashes of the nets that they make.
//!
//! It is under learning what the bench is under play: a commit that changes no learning leaves every hash as it is, one
//! that does writes the new ones into `src/learn/signature.txt` and says why. The test prints the rows that it found.
//!
//! A row `NAME resume` is the run of the row `NAME` in several sessions, with another number of threads. Its hash must be
//! the same.

#[path = "../common/mod.rs"]
mod common;
mod league;
mod mcts;
mod played;
mod policy;
mod td_leaf;
mod values;
mod wdl;

use common::{GAMES, okapi, text, write_games};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

const EXPECTED: &str = include_str!("../../src/learn/signature.txt");

const EXCLUDED: &str = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq -
rnbqkbnr/pp2pppp/3p4/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq -
rnbqkb1r/ppp2ppp/4pn2/3p4/2PP4/2N5/PP2PPPP/R1BQKBNR w KQkq -
";

/// The folders of kept games, and the seeds with which they are played.
const KEPT: [(&str, &str); 2] = [("kept-one", "3"), ("kept-two", "4")];

/// How the name of a row ends whose run has several sessions.
const RESUME: &str = " resume";

/// What the runs share: a folder with games, positions and kept games; and the rows so far.
struct Runs {
    folder: tempfile::TempDir,
    games: PathBuf,
    /// The hash of every row.
    found: BTreeMap<String, String>,
}

impl Runs {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let games = folder.path().join("games.pgn");
        write_games(&games, &GAMES);
        fs::write(folder.path().join("excluded.epd"), EXCLUDED).expect("a file of positions");
        let runs = Self { folder, games, found: BTreeMap::new() };
        for (name, seed) in KEPT {
            let flags = ["--games", "60", "--nodes", "30", "--seed", seed, "--threads", "2"];
            runs.okapi(&[&["train", "play", name], &flags[..]].concat());
        }
        runs
    }

    /// The file or folder of a row.
    fn path(&self, row: &str) -> PathBuf {
        self.folder.path().join(row.replace(' ', "-"))
    }

    /// Runs the program, in the folder of all runs.
    fn okapi(&self, arguments: &[&str]) {
        okapi(self.folder.path(), arguments);
    }

    /// Adds the row of a run that has written this network.
    fn add_net(&mut self, row: &str, net: &str) {
        let hash = common::hash(self.folder.path(), net);
        self.found.insert(row.to_owned(), hash);
    }

    /// Adds the row of a run that has written this network into its folder.
    fn add_net_in_folder(&mut self, row: &str, net: &str) {
        self.add_net(row, text(&self.path(row).join(net)));
    }

    fn bootstrap(&mut self) {
        let net = self.path("bootstrap.safetensors");
        self.okapi(&["train", "bootstrap", "--out", text(&net), "--steps", "5", "--threads", "2"]);
        self.add_net("bootstrap", text(&net));
    }
}

/// The arguments and flags of a command. A flag that is given twice is refused: a flag with a value among `flags` takes the
/// place of the same one among the arguments.
fn with_flags<'a>(arguments: &[&'a str], flags: &[&'a str]) -> Vec<&'a str> {
    let mut all = arguments.to_vec();
    for flag in flags.iter().filter(|flag| flag.starts_with("--")) {
        if let Some(place) = all.iter().position(|given| given == flag) {
            all.drain(place..place + 2);
        }
    }
    all.extend(flags);
    all
}

#[test]
fn the_nets_of_tiny_runs_are_as_recorded() {
    let mut runs = Runs::new();
    runs.bootstrap();
    values::add_rows(&mut runs);
    td_leaf::add_rows(&mut runs);
    policy::add_rows(&mut runs);
    wdl::add_rows(&mut runs);
    played::add_rows(&mut runs);
    league::add_rows(&mut runs);
    mcts::add_rows(&mut runs);
    let found = &runs.found;
    let (resumed, others): (Vec<_>, Vec<_>) = found.iter().partition(|(row, _)| row.ends_with(RESUME));
    for (row, hash) in resumed {
        let uninterrupted = &found[row.trim_end_matches(RESUME)];
        assert_eq!(hash, uninterrupted, "{row}: a run that is resumed learns what it would have learned anyway");
    }
    let distinct: BTreeSet<_> = others.iter().map(|(_, hash)| hash).collect();
    assert_eq!(distinct.len(), others.len(), "an option changes nothing: {found:#?}");
    let rows: String = found.iter().map(|(row, hash)| format!("{row}: {hash}\n")).collect();
    assert_eq!(rows, EXPECTED, "found:\n{rows}");
}

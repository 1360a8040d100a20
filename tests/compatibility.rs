//! Files that an earlier Okapi wrote (commit 22ce19f) go on: what is learnt, played and scored from them is what that
//! program itself learnt, played and scored when it went on with them.
//!
//! | file of `tests/compatibility` | made by 22ce19f with |
//! |---|---|
//! | `tdleaf` | `train tdleaf`, 3 iterations, small net (its configuration lies beside it) |
//! | `policy` | `train policy`, 2 epochs of 59 nodes |
//! | `match.state` | `match`, 4 games |
//! | `sts.save` | `sts --nodes 100 --lines 1-3` (now `--positions 1-3`) |

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What 22ce19f made of the same files.
const TD_LEAF_AFTER_6: &str = "d74a0843969ecba494c97dc882ff88c968f191a6d63c95261d783fe805ef4421";
const TD_LEAF_AFTER_3: &str = "cbbd345bd47f8104e9fb5e2643b117dbc62927399226def5ca5f4b61dd2a957b";
const POLICY_AFTER_4: &str = "b25bacb5848b34e33b0c4b7d8800dc9e4a28bd9dfbbbf5633661e72b0fa63acc";
const RESULTS: [&str; 8] = ["1-0", "0-1", "1-0", "0-1", "0-1", "0-1", "1/2-1/2", "0-1"];
const PLAYED: [&str; 6] = ["g7g5", "e1g1", "e1e2", "f8d6", "e8g8", "d1g1"];

/// A copy of the old files that a test may change.
fn copy(folder: &Path) {
    let old = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/compatibility");
    for place in ["", "tdleaf", "policy"] {
        fs::create_dir_all(folder.join(place)).expect("a folder");
        for entry in fs::read_dir(old.join(place)).expect("the old files") {
            let path = entry.expect("an entry").path();
            if path.is_file() {
                fs::copy(&path, folder.join(place).join(path.file_name().expect("a name"))).expect("a copy");
            }
        }
    }
}

/// Runs the program in a folder, and returns what it says.
fn okapi(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_okapi")).args(arguments).current_dir(folder).output();
    let output = output.expect("the program runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "okapi {}: {said}", arguments.join(" "));
    String::from_utf8(output.stdout).expect("text")
}

/// The hash of the parameters of a net.
fn hash(folder: &Path, net: &str) -> String {
    let info = okapi(folder, &["net", "info", net]);
    info.lines().find_map(|line| line.strip_prefix("sha256 ")).expect("a hash").trim().to_owned()
}

fn files() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    copy(folder.path());
    let path = folder.path().to_owned();
    (folder, path)
}

#[test]
fn an_old_run_of_td_leaf_learns_on() {
    let (_kept, folder) = files();
    let resumed = ["train", "tdleaf", "tdleaf", "--resume", "--mixed", "--iterations", "6", "--threads", "2"];
    okapi(&folder, &resumed);
    assert_eq!(hash(&folder, "tdleaf/net.safetensors"), TD_LEAF_AFTER_6);
}

#[test]
fn an_old_run_of_the_move_network_learns_on() {
    let (_kept, folder) = files();
    let packed = fs::File::open(folder.join("policy/checkpoint.okapi.zst")).expect("the old checkpoint");
    let mut checkpoint = Vec::new();
    let mut unpacked = ruzstd::decoding::StreamingDecoder::new(packed).expect("zstd");
    unpacked.read_to_end(&mut checkpoint).expect("zstd");
    fs::write(folder.join("policy/checkpoint.okapi"), checkpoint).expect("a file");
    okapi(
        &folder,
        &[
            "train",
            "policy",
            "policy",
            "--starts",
            "games.pgn",
            "--seed",
            "5",
            "--sample-search-nodes",
            "200",
            "--min-depth",
            "2",
            "--nodes-per-search",
            "4",
            "--training-nodes",
            "60",
            "--validation-nodes",
            "12",
            "--label-search-nodes",
            "200",
            "--validation-search-nodes",
            "300",
            "--batch",
            "16",
            "--topology",
            "19x16+216x16+128x16-16-8-1",
            "--epochs",
            "4",
            "--mixed",
        ],
    );
    assert_eq!(hash(&folder, "policy/net.safetensors"), POLICY_AFTER_4);
}

#[test]
fn an_old_match_is_played_on() {
    let (_kept, folder) = files();
    let (a, b) = ("okapi name=a nodes=60", "okapi name=b nodes=40 policy=static");
    let flags = ["--games", "8", "--seed", "3", "--state", "match.state", "--hash", "1", "--mixed"];
    okapi(&folder, &[&["match", "--player", a, "--player", b], &flags[..]].concat());
    let state = fs::read_to_string(folder.join("match.state")).expect("the record");
    let results: Vec<String> = state
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"))
        .filter_map(|line| Some(line.get("result")?.as_str()?.to_owned()))
        .collect();
    assert_eq!(results, RESULTS);
}

#[test]
fn an_old_run_through_a_suite_goes_on() {
    let (_kept, folder) = files();
    okapi(&folder, &["sts", "--nodes", "100", "--positions", "1-6", "--state", "sts.save", "--mixed"]);
    let answers = fs::read_to_string(folder.join("sts.save")).expect("the answers");
    let played: Vec<String> = answers
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"))
        .filter_map(|line| Some(line.get("answer")?.get("played")?.as_str()?.to_owned()))
        .collect();
    assert_eq!(played, PLAYED);
}

#[test]
fn an_old_net_plays() {
    let (_kept, folder) = files();
    assert_eq!(hash(&folder, "tdleaf/net.safetensors"), TD_LEAF_AFTER_3);
    let position = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3";
    okapi(&folder, &["eval", "--value-net", "tdleaf/net.safetensors", "--nodes", "100", position]);
}

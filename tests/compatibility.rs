//! Files that an earlier Okapi wrote (commit 22ce19f) go on: what is learned, played and scored from them is what that
//! program itself learned, played and scored when it went on with them.
//!
//! | file of `tests/compatibility` | made by 22ce19f with |
//! |---|---|
//! | `tdleaf` | `train tdleaf`, 3 iterations, small net (its configuration lies beside it) |
//! | `policy` | `train policy`, 2 epochs of 59 nodes |
//! | `match.state` | `match`, 4 games |
//! | `sts.save` | `sts --nodes 100 --lines 1-3` (now `--positions 1-3`) |

mod common;

use common::{hash, okapi, small_policy};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The value net that 22ce19f shipped.
const SHIPPED_THEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/nets/runs/tdleaf-3/value.safetensors");
/// The policy network that shipped then.
const POLICY_THEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/nets/runs/moves-2/net.safetensors");

/// What 22ce19f made of the same files.
const TD_LEAF_AFTER_6: &str = "d74a0843969ecba494c97dc882ff88c968f191a6d63c95261d783fe805ef4421";
const TD_LEAF_AFTER_3: &str = "cbbd345bd47f8104e9fb5e2643b117dbc62927399226def5ca5f4b61dd2a957b";
const POLICY_AFTER_4: &str = "b25bacb5848b34e33b0c4b7d8800dc9e4a28bd9dfbbbf5633661e72b0fa63acc";
const RESULTS: [&str; 8] = ["1-0", "0-1", "1-0", "0-1", "0-1", "0-1", "1/2-1/2", "1/2-1/2"];
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
    let small = small_policy(["60", "12"], ["200", "300"]);
    let flags = ["--starts", "games.pgn", "--batch", "16", "--epochs", "4", "--mixed"];
    let nets = ["--value-net", SHIPPED_THEN, "--policy-net", POLICY_THEN];
    okapi(&folder, &[&["train", "policy", "policy"], &small[..], &flags, &nets].concat());
    assert_eq!(hash(&folder, "policy/net.safetensors"), POLICY_AFTER_4);
}

#[test]
fn an_old_match_is_played_on() {
    let (_kept, folder) = files();
    let a = format!("okapi name=a nodes=60 value-net={SHIPPED_THEN} policy-net={POLICY_THEN}");
    let b = format!("okapi name=b nodes=40 policy=static value-net={SHIPPED_THEN}");
    let flags = ["--games", "8", "--seed", "3", "--state", "match.state", "--hash", "1", "--mixed"];
    okapi(&folder, &[&["match", "--player", &a, "--player", &b], &flags[..]].concat());
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
    let net = ["--value-net", SHIPPED_THEN];
    let flags = ["--nodes", "100", "--positions", "1-6", "--state", "sts.save", "--mixed"];
    okapi(&folder, &[&["sts"], &flags[..], &net].concat());
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

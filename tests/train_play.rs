//! `okapi train play` and `okapi train data` as their user meets them.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn okapi(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_okapi")).args(arguments).output().expect("the program runs")
}

fn play(folder: &Path, more: &[&str]) -> Output {
    let folder = folder.to_str().expect("a path of plain text");
    okapi(&[&["train", "play", folder, "--nodes", "30", "--seed", "3"], more].concat())
}

fn succeed(output: &Output) -> String {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn shard(folder: &Path, number: u64) -> Vec<u8> {
    fs::read(folder.join(format!("games-{number:06}.okapi"))).expect("a shard")
}

#[test]
fn games_do_not_depend_on_threads_interruptions_or_machines() {
    let folder = tempfile::tempdir().expect("a folder");
    let (one, two) = (folder.path().join("one"), folder.path().join("two"));
    succeed(&play(&one, &["--games", "2060", "--threads", "2"]));
    // Two machines, of which the second is started with a smaller data set first.
    succeed(&play(&two, &["--games", "2053", "--threads", "1", "--shard", "2/2"]));
    assert!(!two.join("games-000000.okapi").exists());
    succeed(&play(&two, &["--games", "2060", "--threads", "1", "--shard", "2/2"]));
    assert!(shard(&one, 1) == shard(&two, 1));
    fs::copy(two.join("games-000001.okapi"), one.join("games-000001.okapi")).expect("a copy");
    let told = succeed(&okapi(&["train", "data", one.to_str().expect("a path")]));
    assert!(told.contains("games       2060") && told.contains("2 shards"), "{told}");
    let per_position =
        told.split(" bytes, ").nth(1).and_then(|rest| rest.split(' ').next()).expect("bytes per position");
    assert!(per_position.parse::<f64>().expect("a number") < 8.0, "{told}");
}

#[test]
fn other_options_are_refused_and_damage_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    succeed(&play(&data, &["--games", "4"]));
    let before = shard(&data, 0);
    let refused =
        okapi(&["train", "play", data.to_str().expect("a path"), "--nodes", "31", "--seed", "3", "--games", "4"]);
    let told = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && told.contains("nodes is \"30\" there and \"31\" here"), "{told}");
    assert!(shard(&data, 0) == before);
    let mut damaged = before.clone();
    // The first game begins soon after the header, which ends with the braces of its JSON.
    let first = damaged.windows(3).position(|bytes| bytes == b"]]}").expect("a header") + 40;
    damaged[first] ^= 1;
    fs::write(data.join("games-000000.okapi"), damaged).expect("a file");
    let shown = okapi(&["train", "data", data.to_str().expect("a path")]);
    let told = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(!shown.status.success() && told.contains("game 0: the record is damaged"), "{told}");
    assert!(told.contains("delete this file, and the `okapi train play`"), "{told}");
    let said = String::from_utf8_lossy(&shown.stderr).into_owned();
    assert!(said.contains("okapi: 1 damaged file or game (listed above)"), "{said}");
    let again = play(&data, &["--games", "4"]);
    let said = String::from_utf8_lossy(&again.stderr).into_owned();
    assert!(
        !again.status.success() && said.contains("games-000000.okapi has 1 damaged game; delete this file"),
        "{said}"
    );
    assert!(told.contains("games       3"), "{told}");
}

#[test]
fn excluded_positions_are_not_labeled() {
    let folder = tempfile::tempdir().expect("a folder");
    let (starts, data) = (folder.path().join("starts.epd"), folder.path().join("data"));
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n";
    fs::write(&starts, format!("{start}rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -\n")).expect("a file");
    let excluded = folder.path().join("excluded.epd");
    fs::write(&excluded, start).expect("a file");
    let flags = ["--starts", starts.to_str().expect("a path"), "--exclude", excluded.to_str().expect("a path")];
    succeed(&play(&data, &[&["--games", "3", "--random-moves", "0"], &flags[..]].concat()));
    let bytes = shard(&data, 0);
    let text = String::from_utf8_lossy(&bytes);
    assert!(!text.contains("RNBQKBNR w HAha") && text.contains("RNBQKBNR b HAha"));
}

/// Games of the tree search, whose visits a policy learns.
#[test]
fn tree_searches_keep_visits_for_any_number_of_threads() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("a path of plain text").to_owned();
    let tree = ["--search", "mcts", "--sc-limit", "5", "--temperature", "100", "--root-noise", "25", "--games", "12"];
    let (one, two) = (folder.path().join("one"), folder.path().join("two"));
    succeed(&play(&one, &[&tree[..], &["--threads", "1"]].concat()));
    succeed(&play(&two, &[&tree[..], &["--threads", "2"]].concat()));
    assert!(shard(&one, 0) == shard(&two, 0));
    assert_eq!(shard(&one, 0)[..12], *b"OKAPIGMS\x02\0\0\0");
    let other = folder.path().join("other");
    succeed(&play(&other, &[&tree[..4], &["--temperature", "0", "--root-noise", "25", "--games", "12"]].concat()));
    assert!(shard(&one, 0) != shard(&other, 0));
    let told = succeed(&okapi(&["train", "data", &path("one")]));
    let number = |name: &str| -> u64 {
        let line = told.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_else(|| panic!("{told}"));
        line.split_whitespace().next().and_then(|word| word.trim_end_matches(',').parse().ok()).expect("a number")
    };
    assert!(number("visited") == number("positions") && number("visited") > 100, "{told}");
    // The first move from one position is not always the same.
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n";
    fs::write(path("start.epd"), start).expect("a file");
    let starts = path("start.epd");
    let from = [&tree[..], &["--starts", &starts, "--random-moves", "0"]].concat();
    succeed(&play(&folder.path().join("start"), &from));
    let games = learn::data::shard::Shard::load(&folder.path().join("start/games-000000.okapi")).expect("a shard");
    let firsts: std::collections::HashSet<String> =
        (0..games.len()).map(|index| games.game(index).expect("a game").plies[0].mv.to_string()).collect();
    assert!(firsts.len() > 2, "{firsts:?}");

    let policy = |folder: &str, more: &[&str]| okapi(&[&["train", "policy", &path(folder)], more].concat());
    succeed(&policy("policy", &["--stage", "visits", "--kept", &path("one")]));
    let read = |name: &str| fs::read_to_string(folder.path().join("policy").join(name)).expect("a file");
    let before = ["training.nodes", "training.labels", "validation.nodes", "validation.labels"].map(read);
    let lines: usize = [&before[0], &before[2]].map(|text| text.lines().count() - 1).iter().sum();
    // Positions with one legal move have nothing to learn.
    assert!((number("visited") / 2..=number("visited")).contains(&(lines as u64)), "{lines}: {told}");
    assert!(before[0].lines().count() == before[1].lines().count() && before[2].lines().count() > 1);
    // The same again, and no other games in their place.
    succeed(&policy("policy", &["--stage", "visits", "--kept", &path("one")]));
    assert_eq!(before, ["training.nodes", "training.labels", "validation.nodes", "validation.labels"].map(read));
    let refused = policy("policy", &["--stage", "visits", "--kept", &path("other")]);
    let told = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && told.contains("visits is"), "{told}");
    let small = ["--topology", "19x16+216x16+128x16-16-8-1", "--epochs", "2", "--batch", "16", "--target", "nodes"];
    succeed(&policy("policy", &[&["--stage", "learn"], &small[..]].concat()));
    assert!(folder.path().join("policy/net.safetensors").exists());

    succeed(&play(&folder.path().join("plain"), &["--games", "2"]));
    for (kept, said) in [(Some("plain"), "these games have no visits"), (None, "--stage visits needs the folders")] {
        let kept = kept.map(path);
        let kept = kept.iter().flat_map(|kept| ["--kept", kept.as_str()]);
        let arguments: Vec<&str> = ["--stage", "visits"].into_iter().chain(kept).collect();
        let refused = policy("none", &arguments);
        let told = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(!refused.status.success() && told.contains(said), "{told}");
    }
}

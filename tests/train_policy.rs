//! `okapi train policy` as its user meets it: any number of threads gives the same files, and killed and taken up again it
//! samples, labels and learns what it would have anyway.

mod common;

use common::{GAMES, lengths, outlives_progress, small_policy, write_games};
use safetensors::SafeTensors;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

/// All that the stages leave but for the log, which has clock times.
const FILES: [&str; 6] =
    ["training.nodes", "training.labels", "validation.nodes", "validation.labels", CHECKPOINT, "net.safetensors"];
const CHECKPOINT: &str = "checkpoint.okapi";

fn start(starts: &Path, folder: &Path, threads: &str) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_okapi"));
    command.args(["train", "policy"]).arg(folder).arg("--starts").arg(starts).args(["--threads", threads]);
    command.args(small_policy(["400", "60"], ["300", "600"])).args(["--epochs", "4", "--batch", "32"]);
    command.args(["--checkpoint-minutes", "0.0001"]);
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the program starts")
}

fn finish(child: Child) {
    let output = child.wait_with_output().expect("the program ends");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn files(folder: &Path) -> Vec<Vec<u8>> {
    let read = |name: &&str| {
        let bytes = fs::read(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        if *name == CHECKPOINT { timeless(&bytes) } else { bytes }
    };
    FILES.iter().map(read).collect()
}

/// A checkpoint's tensors and what it says before the seconds that learning took.
fn timeless(checkpoint: &[u8]) -> Vec<u8> {
    let (_, header) = SafeTensors::read_metadata(checkpoint).expect("a header");
    let entry = &header.metadata().as_ref().expect("an entry")["okapi.checkpoint"];
    let (seconds, rest): (Vec<&str>, Vec<&str>) = entry.lines().partition(|line| line.contains("seconds = "));
    let number = seconds[0].strip_prefix("seconds = ").and_then(|number| number.parse::<f64>().ok());
    assert!(seconds.len() == 2 && number.is_some_and(|number| number > 0.0), "{seconds:?}");
    let tensors = SafeTensors::deserialize(checkpoint).expect("tensors");
    let data = |name| tensors.tensor(name).expect("a tensor").data().to_vec();
    let data = ["adadelta.squared_gradient", "adadelta.squared_step", "average", "params"].into_iter().flat_map(data);
    rest.concat().bytes().chain(data).collect()
}

/// The epochs that the log has, in order.
fn epochs(folder: &Path) -> Vec<String> {
    let log = fs::read_to_string(folder.join("log.csv")).expect("a log");
    log.lines().skip(1).map(|line| line.split(',').next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn any_threads_and_any_kills_leave_the_same_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let (starts, whole) = (folder.path().join("games.pgn"), folder.path().join("1"));
    write_games(&starts, &GAMES);
    finish(start(&starts, &whole, "1"));
    let expected = files(&whole);
    assert!(expected.iter().all(|bytes| bytes.len() > 1_000), "every stage has left something");

    for threads in ["2", "64"] {
        let other = folder.path().join(threads);
        finish(start(&starts, &other, threads));
        for ((name, bytes), expected) in FILES.iter().zip(files(&other)).zip(&expected) {
            assert!(bytes == *expected, "{name} with {threads} threads");
        }
    }

    let broken = folder.path().join("broken");
    let mut kills = 0;
    for attempt in 0_u64.. {
        let mut child = start(&starts, &broken, "2");
        // Moments spread over all stages and their writing, later and later so that it comes to an end.
        let longer = Duration::from_millis(attempt * 31 + attempt * 67 % 90);
        if !outlives_progress(&mut child, || lengths(&broken), longer) {
            finish(child);
            break;
        }
        child.kill().expect("it is ours to kill");
        child.wait().expect("a child");
        kills += 1;
    }
    assert!(kills > 2, "{kills}");
    for ((name, bytes), expected) in FILES.iter().zip(files(&broken)).zip(&expected) {
        assert!(bytes == *expected, "{name} after {kills} kills");
    }
    assert_eq!(epochs(&broken), epochs(&whole), "the log after {kills} kills");
    let report = Command::new(env!("CARGO_BIN_EXE_okapi")).arg("report").arg(&whole).output().expect("a report");
    let page = fs::read_to_string(whole.join("report.html")).expect("a page");
    assert!(report.status.success() && page.contains("Best move among the first three"), "{report:?}");
    assert!(whole.join("best.safetensors").exists());
}

/// Runs stages one at a time.
fn stage(folder: &Path, stage: &str, options: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_okapi"));
    command.args(["train", "policy"]).arg(folder).args(["--stage", stage, "--threads", "2", "--seed", "5"]);
    command.args(options).output().expect("the program runs")
}

/// What a stage says that ends well.
fn said(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    said
}

#[test]
fn stages_take_what_is_asked_of_what_is_there_and_take_nothing_away() {
    let folder = tempfile::tempdir().expect("a folder");
    let (starts, run) = (folder.path().join("games.pgn"), folder.path().join("run"));
    write_games(&starts, &GAMES);
    let refused = |output: Output, why: &str| {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(why), "{said}");
    };
    for other in ["label", "learn", "validate"] {
        refused(stage(&run, other, &[]), "there is no folder");
        assert!(!run.exists());
    }
    fs::create_dir(&run).expect("a folder");
    refused(stage(&run, "label", &[]), "cannot read");
    assert!(!run.join("training.labels").exists(), "labels of nothing");

    let starts = starts.to_str().expect("a name");
    let sampling = ["--starts", starts, "--sample-search-nodes", "200", "--min-depth", "2", "--training-nodes"];
    let sample =
        |nodes: &str| said(&stage(&run, "sample", &[&sampling, &[nodes, "--validation-nodes", "20"][..]].concat()));
    sample("300");
    let nodes = fs::read(run.join("training.nodes")).expect("nodes");
    sample("100");
    assert!(fs::read(run.join("training.nodes")).expect("nodes") == nodes, "fewer are asked for than there are");

    let labelling = [
        "--training-nodes",
        "200",
        "--validation-nodes",
        "10",
        "--label-search-nodes",
        "300",
        "--validation-search-nodes",
        "600",
    ];
    said(&stage(&run, "label", &labelling));
    let small = ["--training-nodes", "150", "--epochs", "1", "--topology", "19x16+216x16+128x16-16-8-1"];
    let learn = |more: &[&str]| stage(&run, "learn", &[&small, more].concat());
    let mirrored = said(&learn(&["--passes", "2", "--output", "sigmoid"]));
    assert!(mirrored.contains("pass 2, hash move known") && mirrored.contains("; 10 validation nodes"), "{mirrored}");
    let taught: u64 = mirrored.split(' ').next().and_then(|number| number.parse().ok()).expect("a number of nodes");
    assert!((100..=150).contains(&taught), "{taught} of the first 150, but for what is held out");
    refused(learn(&["--passes", "1"]), "passes is 2 in the file, but 1 now");
    let sampled_before = fs::metadata(run.join("training.nodes")).expect("nodes").len();
    refused(stage(&run, "all", &[&sampling, &["9999"][..]].concat()), "made by other options");
    assert_eq!(fs::metadata(run.join("training.nodes")).expect("nodes").len(), sampled_before, "refused at once");

    let net = run.join("net.safetensors");
    let examined = said(&stage(&run, "validate", &["--policy-net", net.to_str().expect("a name")]));
    let of_net = |said: &str| said.split_once("pass 1").expect("a pass").1.to_owned();
    assert_eq!(of_net(&examined), of_net(&mirrored), "the net that was learnt is the one that is examined");

    // A position that is held out is not learnt from, labelled or not.
    fs::copy(run.join("training.nodes"), run.join("validation.nodes")).expect("nodes");
    let labels = fs::read_to_string(run.join("training.labels")).expect("labels");
    let labels: String = labels.split_inclusive('\n').take(6).collect();
    fs::write(run.join("validation.labels"), labels).expect("labels of five");
    for checkpoint in ["checkpoint.okapi", "checkpoint-older.okapi"] {
        let _ = fs::remove_file(run.join(checkpoint));
    }
    refused(learn(&[]), "has a log but no checkpoint to continue from");
    fs::remove_file(run.join("log.csv")).expect("a log");
    refused(learn(&[]), "has a net but no checkpoint to continue from");
    fs::remove_file(&net).expect("a net");
    refused(learn(&[]), "there is no labeled node to learn from");
}

#[test]
fn regret_weighs_the_nodes_where_it_is_labeled() {
    let folder = tempfile::tempdir().expect("a folder");
    let (starts, run) = (folder.path().join("games.pgn"), folder.path().join("run"));
    write_games(&starts, &GAMES);
    let small = small_policy(["200", "40"], ["300", "600"]);
    let run_stage = |name: &str, more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_okapi"));
        command.args(["train", "policy"]).arg(&run).args(["--stage", name, "--threads", "2", "--epochs", "1"]);
        command.arg("--starts").arg(&starts).args(&small).args(more).output().expect("the program runs")
    };
    let refused = |output: &Output, why: &str| {
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains(why), "{said}");
    };
    said(&run_stage("sample", &[]));
    said(&run_stage("label", &[]));
    refused(&run_stage("learn", &["--regret-weight", "0.5"]), "--regret-weight needs labels with a second search");
    refused(&run_stage("label", &["--second-search-nodes", "300"]), "second");
    for labels in ["training.labels", "validation.labels"] {
        fs::remove_file(run.join(labels)).expect("labels");
    }
    said(&run_stage("label", &["--second-search-nodes", "300"]));
    let learned = said(&run_stage("learn", &["--regret-weight", "0.5"]));
    assert!(learned.contains("% of the regret outside the first three"), "{learned}");
    refused(&run_stage("learn", &[]), "regret_weight is 0.5 in the file, but 0 now");
    let linear = said(&run_stage("linear", &["--regret-weight", "0.5"]));
    assert!(linear.contains("3 epochs done"), "{linear}");
    let folder = run.join("linear");
    let net = fs::read(folder.join("net.safetensors")).expect("a policy");
    assert!(String::from_utf8_lossy(&net).contains("regret_weight = 0.5"), "the provenance says how it was learned");
    // The same command continues; another one is refused.
    assert!(said(&run_stage("linear", &["--regret-weight", "0.5", "--linear-epochs", "4"])).contains("4 epochs done"));
    assert_eq!(epochs(&folder), ["1", "2", "3", "4"]);
    refused(&run_stage("linear", &["--regret-weight", "0.2"]), "regret_weight is 0.5 in the file, but 0.2 now");
    assert!(folder.join("best.safetensors").exists());
    let report = Command::new(env!("CARGO_BIN_EXE_okapi")).arg("report").arg(&folder).output().expect("a report");
    let page = fs::read_to_string(folder.join("report.html")).expect("a page");
    assert!(report.status.success() && page.contains("Best move among the first three"), "{report:?}");
}

#[test]
fn too_few_games_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let starts = folder.path().join("games.pgn");
    write_games(&starts, &GAMES[..1]);
    let output = start(&starts, &folder.path().join("run"), "1").wait_with_output().expect("the program ends");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("games.pgn has too few games (1)"), "{said}");
}

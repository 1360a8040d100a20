//! The folder: begun once, resumed where it was, taken by one process, foreign ones left alone.

use crate::checkpoint;
use crate::names;
use crate::options;
use crate::row;
use crate::save;
use crate::sentence;
use crate::trained_by_another;
use crate::unchanged;
use learn::run::folder::{log_path, net_path};
use learn::run::options::TaskOptions;
use learn::tasks::td_leaf::td_leaf_checkpoint::Checkpoint;
use learn::tasks::td_leaf::td_leaf_folder::{RunFolder, checkpoint_path, checkpoints};
use learn::tasks::td_leaf::td_leaf_log as log;
use learn::tasks::td_leaf::td_leaf_options::Options;
use std::fs;
use std::path::Path;

/// A run of this many iterations with a checkpoint after every tenth.
fn run(path: &Path, iterations: u64) {
    let mut folder = RunFolder::create(path, &options()).unwrap();
    for iteration in 1..=iterations {
        folder.log(&row(iteration)).unwrap();
        if iteration.is_multiple_of(10) {
            save(&mut folder, &checkpoint(iteration)).unwrap();
        }
    }
}

fn resume(path: &Path) -> (RunFolder, learn::tasks::td_leaf::td_leaf_folder::Resumed) {
    RunFolder::resume(path, &unchanged, false).unwrap()
}

#[test]
fn a_run_goes_on_from_its_newest_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a/new/run");
    run(&path, 57);
    assert_eq!(checkpoints(&path).unwrap(), [50, 40, 30], "as many as are kept");
    let expected =
        ["checkpoint-30.okapi", "checkpoint-40.okapi", "checkpoint-50.okapi", "config.toml", "lock", "log.csv"];
    assert_eq!(names(&path), [expected.as_slice(), &["net.safetensors"]].concat());
    let (net, metadata) = nets::file::load(&net_path(&path)).unwrap();
    assert_eq!(Some(net), checkpoint(50).average);
    assert_eq!(metadata.provenance, "a small run");
    let (run, resumed) = resume(&path);
    assert_eq!(resumed.checkpoint, Some(checkpoint(50)));
    assert!(resumed.damaged.is_empty());
    assert_eq!(run.options(), &options());
    assert_eq!(log::read(&log_path(&path)).unwrap().len(), 50);
}

#[test]
fn a_run_killed_before_its_first_checkpoint_begins_again() {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), 0);
    fs::write(folder.path().join(".okapi-left"), "half a checkpoint").unwrap();
    let (_run, resumed) = resume(folder.path());
    assert_eq!(resumed.checkpoint, None);
    assert!(log::read(&log_path(folder.path())).unwrap().is_empty());
    assert_eq!(names(folder.path()), ["config.toml", "lock", "log.csv"], "what was left half written is gone");
}

#[test]
fn a_run_whose_checkpoints_are_gone_never_begins_again_at_1() {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), 10);
    fs::remove_file(checkpoint_path(folder.path(), 10)).unwrap();
    let refused = |what: &str| {
        let told = sentence(RunFolder::resume(folder.path(), &unchanged, false));
        assert!(told.contains(&format!("has a {what} but no checkpoint to continue from")), "{told}");
    };
    refused("log");
    fs::remove_file(log_path(folder.path())).unwrap();
    refused("net");
    assert!(net_path(folder.path()).exists(), "a refusal removes nothing");
}

#[test]
fn a_missing_configuration_and_a_short_log_are_reported_and_the_run_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), 10);
    fs::remove_file(folder.path().join("config.toml")).unwrap();
    let log = fs::read_to_string(log_path(folder.path())).unwrap();
    let short: String = log.split_inclusive('\n').take(4).collect();
    fs::write(log_path(folder.path()), short).unwrap();
    let (resumed_run, resumed) = resume(folder.path());
    let [configuration, rows] = resumed.notes.as_slice() else { panic!("{:?}", resumed.notes) };
    assert!(
        configuration.contains("config.toml is missing: it is written again from the checkpoint"),
        "{configuration}"
    );
    assert!(rows.contains("has no rows after iteration 3, but the checkpoint is of iteration 10"), "{rows}");
    assert_eq!(resumed_run.options(), &options());
    assert_eq!(Options::read(&folder.path().join("config.toml")).unwrap(), options());
    drop(resumed_run);
    fs::remove_file(log_path(folder.path())).unwrap();
    let (_run, resumed) = resume(folder.path());
    assert!(resumed.notes[0].contains("has no rows after iteration 0"), "{:?}", resumed.notes);
}

#[test]
fn a_program_that_learns_differently_continues_only_if_that_is_allowed() {
    let folder = tempfile::tempdir().unwrap();
    let mut run = RunFolder::create(folder.path(), &options()).unwrap();
    save(&mut run, &Checkpoint { history: trained_by_another(), ..checkpoint(4) }).unwrap();
    drop(run);
    let told = sentence(RunFolder::resume(folder.path(), &unchanged, false));
    assert!(told.contains("checkpoint-4.okapi was trained with the training signature f00"), "{told}");
    assert!(told.ends_with("--mixed continues all the same"), "{told}");
    let (_run, resumed) = RunFolder::resume(folder.path(), &unchanged, true).unwrap();
    assert!(resumed.checkpoint.unwrap().history.is_mixed());
}

#[test]
fn damaged_checkpoints_are_named_and_an_older_one_stands_in() {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), 57);
    let damage = |iteration: u64, length: usize| {
        let path = checkpoint_path(folder.path(), iteration);
        let bytes = fs::read(&path).unwrap();
        fs::write(&path, &bytes[..bytes.len() - length]).unwrap();
    };
    damage(50, 1);
    // A copy of an older one under a newer name is not that iteration's.
    fs::copy(checkpoint_path(folder.path(), 30), checkpoint_path(folder.path(), 40)).unwrap();
    let (mut run, resumed) = resume(folder.path());
    assert_eq!(resumed.checkpoint.map(|checkpoint| checkpoint.iteration), Some(30));
    let [first, second] = resumed.damaged.as_slice() else { panic!("{:?}", resumed.damaged) };
    assert!(first.contains("checkpoint-50.okapi is not a whole safetensors file"), "{first}");
    assert!(second.contains("checkpoint-40.okapi is that of iteration 30"), "{second}");
    assert_eq!(log::read(&log_path(folder.path())).unwrap().len(), 30);
    // The next save removes what the run has stepped back from, and nothing that is good.
    save(&mut run, &checkpoint(35)).unwrap();
    assert_eq!(checkpoints(folder.path()).unwrap(), [35, 30]);
    drop(run);
    damage(35, 9);
    damage(30, 9);
    let told = sentence(RunFolder::resume(folder.path(), &unchanged, false));
    assert!(told.contains("no checkpoint in ") && told.contains("checkpoint-35.okapi"), "{told}");
    assert_eq!(checkpoints(folder.path()).unwrap(), [35, 30], "a refusal removes nothing");
}

#[test]
fn one_trainer_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let first = RunFolder::create(folder.path(), &options()).unwrap();
    let told = sentence(RunFolder::resume(folder.path(), &unchanged, false));
    assert!(told.contains(&format!("in use by another trainer (process {})", std::process::id())), "{told}");
    drop(first);
    resume(folder.path());
}

#[test]
fn folders_of_others_are_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("thesis.tex"), "mine").unwrap();
    let told = sentence(RunFolder::create(folder.path(), &options()));
    assert!(told.contains("holds \"thesis.tex\" but no run of Okapi"), "{told}");
    let told = sentence(RunFolder::resume(folder.path(), &unchanged, false));
    assert!(told.contains("holds no run"), "{told}");
    assert_eq!(names(folder.path()), ["thesis.tex"]);
    let file = folder.path().join("thesis.tex");
    assert!(sentence(RunFolder::create(&file, &options())).contains("cannot create the folder"));
    let nowhere = folder.path().join("nowhere");
    assert!(sentence(RunFolder::resume(&nowhere, &unchanged, false)).contains("holds no run"));
    assert!(!nowhere.exists());
}

#[test]
fn a_run_is_not_begun_twice_nor_changed_in_what_it_learns() {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), 10);
    assert!(sentence(RunFolder::create(folder.path(), &options())).contains("holds a run already"));
    let told =
        sentence(RunFolder::resume(folder.path(), &|options| Ok(Options { lambda: 0.8, ..options.clone() }), false));
    assert!(told.contains("config.toml was made by other options: lambda is 0.7 in the file, but 0.8 now"), "{told}");
    let longer = |options: &Options| Ok(Options { minutes: Some(90.0), keep_checkpoints: 2, ..options.clone() });
    let (changed, _) = RunFolder::resume(folder.path(), &longer, false).unwrap();
    let expected = Options { minutes: Some(90.0), keep_checkpoints: 2, ..options() };
    assert_eq!(changed.options(), &expected);
    drop(changed);
    assert_eq!(Options::read(&folder.path().join("config.toml")).unwrap(), expected, "echoed");
    // A configuration edited by hand no longer fits the checkpoint.
    let edited = Options { lambda: 0.8, ..options() };
    fs::write(folder.path().join("config.toml"), edited.to_toml()).unwrap();
    let told = sentence(RunFolder::resume(folder.path(), &unchanged, false));
    assert!(told.contains("checkpoint-10.okapi was made by other options: lambda is 0.7 in the file"), "{told}");
    fs::write(folder.path().join("config.toml"), "lamda = 1\n").unwrap();
    assert!(sentence(RunFolder::resume(folder.path(), &unchanged, false)).contains("unknown key `lamda`"));
}

#[test]
fn only_checkpoints_by_name_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    for name in [
        "checkpoint-7.okapi",
        "checkpoint-007.okapi",
        "checkpoint-.okapi",
        "checkpoint-+3.okapi",
        "checkpoint-9.okapi.bak",
    ] {
        fs::write(folder.path().join(name), "").unwrap();
    }
    assert_eq!(checkpoints(folder.path()).unwrap(), [7]);
    assert!(Checkpoint::load(&checkpoint_path(folder.path(), 7)).unwrap_err().is_damage());
}

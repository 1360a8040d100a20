//! Runs of TD-Leaf: every option changes what is learned, and a run that is stopped learns what it would have learned anyway.

use anyhow::Result;
use board::Position;
use learn::data::start_positions::StartPositions;
use learn::run::folder::net_path;
use learn::run::observer::Observer;
use learn::run::team::Team;
use learn::tasks::td_leaf::td_leaf_folder::{RunFolder, checkpoints};
use learn::tasks::td_leaf::td_leaf_kinds::{Initial, Leaves, TargetKind};
use learn::tasks::td_leaf::td_leaf_options::Options;
use learn::tasks::td_leaf::td_leaf_run::TrainingRun;
use learn::tasks::values::values_options::Positions;
use learn::train::loss::Loss;
use nets::{NetworkTopology, ValueNet};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use support::interrupt::Interrupt;

/// Shows nothing.
struct Quiet;

impl Observer for Quiet {
    fn say(&mut self, _: &str) {}

    fn progress_until(&mut self, _: &'static str, _: u64, _: Option<u64>, _: Option<Duration>, _: &dyn Fn() -> String) {
    }
}

fn interrupt() -> Interrupt {
    Interrupt::from_flag(Arc::new(AtomicBool::new(false)))
}

/// A folder with a small random net and start positions, and the options of a small run from there.
fn begin() -> (tempfile::TempDir, Options) {
    let folder = tempfile::tempdir().unwrap();
    let topology = NetworkTopology::new([4, 8, 4], 8).unwrap();
    let net = folder.path().join("initial.safetensors");
    nets::file::save(&net, &ValueNet::random(topology, 1), "random").unwrap();
    let starts = folder.path().join("starts.epd");
    let lines: Vec<String> = starts_of(8).iter().map(|start| start.to_fen(false) + "\n").collect();
    std::fs::write(&starts, lines.concat()).unwrap();
    std::fs::write(folder.path().join("excluded.epd"), lines[..4].concat()).unwrap();
    let options = Options {
        positions: 6,
        plies: 5,
        nodes: 60,
        replay: 2,
        average: 3,
        topology: topology.into(),
        initial: Initial::File(net),
        starts: Some(starts),
        iterations: Some(4),
        suite_minutes: 0.0,
        threads: Some(1),
        hash_kilobytes: 16,
        ..Options::default()
    };
    (folder, options)
}

/// Positions after a move from the beginning.
fn starts_of(count: usize) -> Vec<Position> {
    let start = Position::start();
    start.legal_moves().iter().take(count).map(|mv| start.play(*mv)).collect()
}

/// Runs to the end, and returns the bytes of the parameters of its net.
fn run(path: &Path, options: &Options) -> Result<Vec<u32>> {
    let mut run = TrainingRun::begin(path, options, &interrupt(), &mut Quiet, &Team::alone())?;
    run.run(&interrupt(), &mut Quiet)?;
    Ok(bits(&net_path(path)))
}

fn bits(net: &Path) -> Vec<u32> {
    let (net, _) = nets::file::load(net).unwrap();
    net.params().values().iter().map(|value| value.to_bits()).collect()
}

#[test]
fn every_option_of_learning_changes_what_is_learned() {
    let (folder, options) = begin();
    let with = |change: &dyn Fn(&mut Options)| {
        let mut changed = options.clone();
        change(&mut changed);
        changed
    };
    let excluded: PathBuf = folder.path().join("excluded.epd");
    let runs: Vec<(&str, Options)> = vec![
        ("none", options.clone()),
        ("seed", with(&|options| options.seed = 2)),
        ("positions", with(&|options| options.positions = 7)),
        ("plies", with(&|options| options.plies = 6)),
        ("nodes", with(&|options| options.nodes = 90)),
        ("policy", with(&|options| options.policy = engine::PolicyKind::Uniform)),
        ("random_moves", with(&|options| options.random_moves = 0)),
        ("more random_moves", with(&|options| options.random_moves = 2)),
        ("lambda", with(&|options| options.lambda = 0.2)),
        ("stride", with(&|options| options.stride = 2)),
        ("knightcap", with(&|options| (options.stride, options.knightcap) = (2, true))),
        ("leaves", with(&|options| options.leaves = Leaves::First)),
        ("root", with(&|options| options.targets = TargetKind::Root)),
        ("tree", with(&|options| options.targets = TargetKind::Tree)),
        ("mixed", with(&|options| options.targets = TargetKind::Mixed)),
        ("tree nodes", with(&|options| (options.targets, options.tree_nodes) = (TargetKind::Tree, 2))),
        ("tree level", with(&|options| (options.targets, options.tree_level) = (TargetKind::Tree, 1.0))),
        (
            "tree positions",
            with(&|options| (options.targets, options.tree_positions) = (TargetKind::Tree, Positions::All)),
        ),
        ("first trees", with(&|options| (options.targets, options.leaves) = (TargetKind::Tree, Leaves::First))),
        ("loss", with(&|options| options.loss = Loss::L1)),
        ("logistic loss", with(&|options| options.loss = Loss::Logistic)),
        ("result", with(&|options| options.result = true)),
        ("replay", with(&|options| options.replay = 0)),
        ("less replay", with(&|options| options.replay = 1)),
        ("average", with(&|options| options.average = 0)),
        ("shorter average", with(&|options| options.average = 2)),
        ("starts", with(&|options| options.starts = None)),
        ("exclude", with(&|options| options.exclude = vec![excluded.clone()])),
        ("rho", with(&|options| options.rho = 0.9)),
        ("epsilon", with(&|options| options.epsilon = 1e-8)),
        ("rate", with(&|options| options.rate = 30.0)),
        ("decay_start", with(&|options| options.decay_start = 2)),
    ];
    let mut learned = BTreeMap::new();
    for (name, options) in runs {
        let net = run(&folder.path().join(name), &options).unwrap();
        if let Some(other) = learned.insert(net, name) {
            panic!("{name} learns the same as {other}");
        }
    }
}

#[test]
fn a_run_that_is_stopped_learns_what_it_would_have_learned_anyway() {
    let (folder, options) = begin();
    // Generated games go on from iteration to iteration, and a result makes no difference to that.
    let generated = Options { starts: None, ..options.clone() };
    let unaveraged = Options { average: 0, ..options.clone() };
    let [tree, mixed] = [TargetKind::Tree, TargetKind::Mixed].map(|targets| Options { targets, ..options.clone() });
    let begun =
        [("database", options), ("generated", generated), ("unaveraged", unaveraged), ("tree", tree), ("mixed", mixed)];
    for (name, options) in begun {
        let whole = run(&folder.path().join(name), &options).unwrap();
        for stop in 1..4 {
            let path = folder.path().join(format!("{name} {stop}"));
            let part = run(&path, &Options { iterations: Some(stop), ..options.clone() }).unwrap();
            assert_ne!(part, whole);
            let unchanged = |_: &Options| Ok(options.clone());
            let team = Team::alone();
            let mut resumed = TrainingRun::resume(&path, &unchanged, false, &interrupt(), &mut Quiet, &team).unwrap();
            resumed.run(&interrupt(), &mut Quiet).unwrap();
            assert_eq!(bits(&net_path(&path)), whole, "{name}, stopped after {stop}");
            if let StartPositions::Generated(games) = resumed.learner().starts() {
                assert!(games.iter().any(Option::is_some), "no game was under way");
            }
        }
    }
}

#[test]
fn a_checkpoint_has_the_net_that_learns_and_the_mean_that_plays() {
    let (folder, options) = begin();
    let path = folder.path().join("run");
    let played = run(&path, &options).unwrap();
    assert!(!checkpoints(&path).unwrap().is_empty());
    let unchanged = |_: &Options| Ok(options.clone());
    let (_folder, resumed) = RunFolder::resume(&path, &unchanged, false).unwrap();
    let checkpoint = resumed.checkpoint.unwrap();
    let bits = |net: &ValueNet| net.params().values().iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    let average = bits(checkpoint.average.as_ref().unwrap());
    assert!(average != bits(&checkpoint.net));
    assert!(average == played, "the file has the mean, its neurons in another order at most");
}

#[test]
fn checkpoints_of_trees_have_the_same_bytes_on_any_number_of_threads_and_after_a_stop() {
    let (folder, options) = begin();
    for targets in [TargetKind::Root, TargetKind::Tree, TargetKind::Mixed] {
        // Without what differs from run to run by itself.
        let last = |path: &Path| {
            let (_folder, resumed) = RunFolder::resume(path, &|options: &Options| Ok(options.clone()), false).unwrap();
            let mut checkpoint = resumed.checkpoint.unwrap();
            assert_eq!((checkpoint.iteration, checkpoint.counters.learned_nodes > 0), (4, true));
            (checkpoint.counters.seconds, checkpoint.options.threads) = (0.0, None);
            checkpoint.to_bytes().unwrap()
        };
        let with = |threads| Options { targets, threads: Some(threads), ..options.clone() };
        let path = |name: &str| folder.path().join(format!("{targets:?} {name}"));
        let whole: Vec<_> = (1..=3)
            .map(|threads| {
                let path = path(&threads.to_string());
                run(&path, &with(threads)).unwrap();
                last(&path)
            })
            .collect();
        assert!(whole[0] == whole[1] && whole[0] == whole[2], "{targets:?}");
        let path = path("stopped");
        run(&path, &Options { iterations: Some(2), ..with(3) }).unwrap();
        let team = Team::alone();
        let mut resumed = TrainingRun::resume(&path, &|_| Ok(with(2)), false, &interrupt(), &mut Quiet, &team).unwrap();
        resumed.run(&interrupt(), &mut Quiet).unwrap();
        drop(resumed);
        assert!(last(&path) == whole[0], "{targets:?}, stopped after 2");
    }
}

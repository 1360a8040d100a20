//! Runs of TD-Leaf: every option changes what is learned, and a run that is stopped learns what it would have learned anyway.

use anyhow::Result;
use board::Position;
use learn::data::example::Example;
use learn::data::start_positions::StartPositions;
use learn::run::folder::{best_path, log_path, net_path};
use learn::run::observer::{Observer, Silent};
use learn::run::team::Team;
use learn::tasks::td_leaf::td_leaf_folder::{RunFolder, checkpoint_path, checkpoints, holds_run};
use learn::tasks::td_leaf::td_leaf_kinds::{Initial, Leaves, TargetKind};
use learn::tasks::td_leaf::td_leaf_log::{self, Row};
use learn::tasks::td_leaf::td_leaf_options::Options;
use learn::tasks::td_leaf::td_leaf_run::{Ended, TrainingRun};
use learn::tasks::values::values_options::Positions;
use learn::train::loss::Loss;
use nets::{NetworkTopology, ValueNet};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;
use support::interrupt::Interrupt;

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
    let mut run = TrainingRun::begin(path, options, &interrupt(), &mut Silent, &Team::alone())?;
    run.run(&interrupt(), &mut Silent)?;
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
            let mut resumed = TrainingRun::resume(&path, &unchanged, false, &interrupt(), &mut Silent, &team).unwrap();
            resumed.run(&interrupt(), &mut Silent).unwrap();
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
        let mut resumed =
            TrainingRun::resume(&path, &|_| Ok(with(2)), false, &interrupt(), &mut Silent, &team).unwrap();
        resumed.run(&interrupt(), &mut Silent).unwrap();
        drop(resumed);
        assert!(last(&path) == whole[0], "{targets:?}, stopped after 2");
    }
}

/// Keeps what a run shows, and stops it after so many iterations.
#[derive(Default)]
struct Shown {
    said: Vec<String>,
    /// Of every iteration: units done, their total, the time left, and what is shown.
    lines: Vec<(u64, Option<u64>, Option<Duration>, String)>,
    stop: Option<(usize, Arc<AtomicBool>)>,
}

impl Observer for Shown {
    fn say(&mut self, sentence: &str) {
        self.said.push(sentence.to_owned());
    }

    fn progress_until(
        &mut self,
        unit: &'static str,
        done: u64,
        total: Option<u64>,
        left: Option<Duration>,
        message: &dyn Fn() -> String,
    ) {
        assert_eq!(unit, "iterations");
        self.lines.push((done, total, left, message()));
        if let Some((_, flag)) = self.stop.as_ref().filter(|(most, _)| *most == self.lines.len()) {
            flag.store(true, Relaxed);
        }
    }
}

/// Runs to the end or until it is stopped, and returns the run, its rows and what it shows.
fn run_shown(path: &Path, options: &Options, most: usize) -> (TrainingRun, Ended, Vec<Row>, Shown) {
    let flag = Arc::new(AtomicBool::new(false));
    let mut shown = Shown { stop: Some((most, flag.clone())), ..Shown::default() };
    let interrupt = Interrupt::from_flag(flag);
    let mut run = TrainingRun::begin(path, options, &interrupt, &mut shown, &Team::alone()).unwrap();
    let ended = run.run(&interrupt, &mut shown).unwrap();
    let rows = td_leaf_log::read(&log_path(path)).unwrap();
    (run, ended, rows, shown)
}

fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-6 * expected.abs(), "{found} {expected}");
}

#[test]
fn a_run_counts_its_work_and_shows_the_time_left() {
    let (folder, options) = begin();
    let options = Options { targets: TargetKind::Mixed, decay_start: 1, ..options };
    let (run, ended, rows, shown) = run_shown(&folder.path().join("four"), &options, usize::MAX);
    assert_eq!((ended, rows.len(), shown.lines.len()), (Ended::Done, 4, 4));
    let (mut seconds, mut searches) = (0.0, 0);
    for (row, (done, total, left, line)) in rows.iter().zip(&shown.lines) {
        assert_eq!((row.iteration, *done, *total), (row.iteration, row.iteration, Some(4)));
        // At the pace so far.
        near(left.unwrap().as_secs_f64() + 1.0, (4 - done) as f64 * row.seconds / *done as f64 + 1.0);
        let expected = format!(
            "{:.0} searches/s, loss {:.4}, temporal error {:.4}, mean |value| {:.3}, material correlation {:.3}",
            row.searches_per_second, row.loss, row.temporal_error, row.mean_abs_value, row.material_correlation
        );
        assert_eq!(line, &expected);
        near(row.searches_per_second * (row.seconds - seconds), (row.searches - searches) as f64);
        // The rate falls with the root of the iteration.
        near(f64::from(row.learning_rate), 60.0 / (row.iteration as f64).sqrt());
        near(f64::from(row.rate_schedule), 1.0 / (row.iteration as f64).sqrt());
        (seconds, searches) = (row.seconds, row.searches);
    }
    let (counters, session, last) = (run.counters(), run.session(), rows[3]);
    assert!((1..=4 * 30).contains(&counters.searches) && counters.leaves > 0 && counters.learned_nodes > 0);
    assert_eq!((counters.searches, counters.leaves), (session.searches, session.leaves));
    assert_eq!(counters.learned_nodes, session.learned_nodes);
    assert_eq!((last.searches, last.leaves), (counters.searches, counters.leaves));
    assert_eq!((last.learned_nodes, last.seconds), (counters.learned_nodes, counters.seconds));
    near(session.elapsed.as_secs_f64(), counters.seconds);
    assert_eq!((session.iterations, session.rollouts, run.learner().state().iteration), (4, 24, 4));
    assert_eq!(run.path(), folder.path().join("four"));
}

#[test]
fn a_run_ends_after_its_minutes_or_at_a_signal() {
    let (folder, options) = begin();
    let short = Options { minutes: Some(1e-9), ..options.clone() };
    let (_, ended, rows, shown) = run_shown(&folder.path().join("short"), &short, usize::MAX);
    assert_eq!((ended, rows.len(), shown.lines[0].2), (Ended::Done, 1, Some(Duration::ZERO)));
    let long = Options { minutes: Some(10.0), iterations: None, ..options.clone() };
    let (_, ended, rows, shown) = run_shown(&folder.path().join("long"), &long, 2);
    assert_eq!((ended, rows.len()), (Ended::Interrupted, 2));
    for (row, (_, total, left, _)) in rows.iter().zip(&shown.lines) {
        assert_eq!(*total, None);
        near(left.unwrap().as_secs_f64(), 600.0 - row.seconds);
    }
    let endless = Options { iterations: None, ..options };
    let (_, ended, rows, shown) = run_shown(&folder.path().join("endless"), &endless, 1);
    assert_eq!((ended, rows.len(), shown.lines[0].2), (Ended::Interrupted, 1, None));
}

#[test]
fn checkpoints_and_suites_come_as_often_as_is_asked() {
    let (folder, options) = begin();
    let suite = folder.path().join("suite.epd");
    let lines = "4k3/8/8/3q4/4P3/8/8/4K3 w - - id \"a.1\"; c0 \"exd5=7, Kd2=1\";\n";
    std::fs::write(&suite, lines).unwrap();
    let options = Options { iterations: Some(3), suite_nodes: 2, sts: Some(suite), ..options };
    let scored = |name: &str, suite_minutes: f64, checkpoint_minutes: f64| {
        let path = folder.path().join(name);
        let options = Options { suite_minutes, checkpoint_minutes, ..options.clone() };
        let (_, _, rows, shown) = run_shown(&path, &options, usize::MAX);
        for (row, (.., line)) in rows.iter().zip(&shown.lines) {
            // The latest scores stay on show.
            let [sts, own] = [rows[0].sts, rows[0].own_suite].map(|score| score.map(|score| score.to_string()));
            let is_shown = |name: &str, score: &Option<String>| {
                assert_eq!(line.contains(&format!(", {name} ")), score.is_some(), "{line}");
                assert!(
                    row.sts.is_some() || score.iter().all(|score| line.contains(&format!(", {name} {score}"))),
                    "{line}"
                );
            };
            is_shown("STS", &sts);
            is_shown("built-in suite", &own);
        }
        let has_best = best_path(&path).exists();
        let rows: Vec<_> = rows.iter().map(|row| (row.sts.is_some(), row.own_suite.is_some())).collect();
        (rows, checkpoints(&path).unwrap(), has_best)
    };
    assert_eq!(scored("never", 0.0, 1e7), (vec![(false, false); 3], vec![3, 0], false));
    let first = vec![(true, true), (false, false), (false, false)];
    assert_eq!(scored("once", 1e7, 1e7), (first, vec![3, 0], true));
    assert_eq!(scored("always", 1e-9, 0.0), (vec![(true, true); 3], vec![3, 2, 1, 0], true));
}

#[test]
fn the_memory_of_a_run_is_the_sum_of_its_parts() {
    let (folder, options) = begin();
    let options = Options { threads: Some(3), iterations: Some(1), ..options };
    let (database, ..) = run_shown(&folder.path().join("database"), &options, usize::MAX);
    let generated = Options { starts: None, ..options };
    let (generated, ..) = run_shown(&folder.path().join("generated"), &generated, usize::MAX);
    let parameters = database.learner().state().net.params().values().len();
    // Of 6 rollouts of 5 plies in 3 iterations; the tables and stacks of 3 threads; 16 shards and 7 vectors more.
    let common = 90 * Example::BYTES + 3 * (16_384 + 1_048_576) + 92 * parameters;
    for (run, starts) in [(database, 8), (generated, 6)] {
        assert_eq!(run.memory(), common + starts * (size_of::<Position>() + 16));
    }
}

#[test]
fn a_run_that_cannot_begin_leaves_its_folder_free_and_one_with_other_inputs_does_not_go_on() {
    let (folder, options) = begin();
    let path = folder.path().join("run");
    let raised = Interrupt::from_flag(Arc::new(AtomicBool::new(true)));
    let refused = TrainingRun::begin(&path, &options, &raised, &mut Silent, &Team::alone()).err().unwrap();
    assert_eq!(refused.to_string(), "interrupted before the first iteration");
    assert!(!holds_run(&path));
    run(&path, &options).unwrap();
    assert!(holds_run(&path) && !holds_run(folder.path()));
    let resume = || {
        let mut shown = Shown::default();
        let unchanged = |_: &Options| Ok(options.clone());
        let run = TrainingRun::resume(&path, &unchanged, false, &interrupt(), &mut shown, &Team::alone());
        (run.map(drop).map_err(|error| error.to_string()), shown.said)
    };
    let newest = checkpoint_path(&path, 4);
    let whole = std::fs::read(&newest).unwrap();
    std::fs::write(&newest, &whole[..100]).unwrap();
    let (resumed, said) = resume();
    assert!(resumed.is_ok() && said[0].ends_with("; an older one is taken"), "{said:?}");
    let starts = options.starts.as_ref().unwrap();
    let text = std::fs::read_to_string(starts).unwrap();
    std::fs::write(starts, text.lines().next().unwrap().to_owned() + "\n").unwrap();
    assert!(resume().0.unwrap_err().starts_with("the run began with other start positions: "));
}

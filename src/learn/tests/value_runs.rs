//! Trainings of a value network from kept games: every option changes what is learned, one that is stopped learns what it would have
//! learned anyway, and its log says what it learned from.

#[path = "common/kept_games.rs"]
mod kept_games;
#[path = "common/stops_after.rs"]
mod stops_after;

use anyhow::Result;
use kept_games::{GAMES, SEED, write_kept_games};
use learn::data::data_set::{Statistics, shards};
use learn::data::game_subset::GameSubset;
use learn::data::kept_game::{TrainingGame, TrainingPly};
use learn::run::epoch_row::EpochRow;
use learn::run::epochs::{Session, SessionOptions};
use learn::run::folder::{best_path, log_path, net_path};
use learn::run::log;
use learn::run::team::Team;
use learn::tasks::values::values_options::{Options, Positions};
use learn::tasks::values::values_run::train;
use learn::train::loss::Loss;
use learn::train::optimizer::OptimizerKind;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use stops_after::StopsAfter;
use support::interrupt::{Interrupt, Interrupted};

/// A folder with kept games, which are returned by their numbers, and the options of a small training.
fn begin() -> (tempfile::TempDir, Vec<TrainingGame>, Options) {
    let folder = tempfile::tempdir().unwrap();
    let games = write_kept_games(&folder.path().join("kept"));
    let session = SessionOptions { patience: None, checkpoint_minutes: 1e6, threads: Some(2), mixed: false };
    let options = Options {
        epochs: 2,
        topology: "19x8+216x8+128x8-8-1".parse().unwrap(),
        batch: 200,
        window: 2,
        positions: Positions::All,
        session,
        ..Options::default()
    };
    (folder, games, options)
}

/// Trains in the folder of this name, until so many steps were shown.
fn run_until(folder: &Path, name: &str, options: &Options, steps: usize) -> Result<()> {
    let flag = Arc::new(AtomicBool::new(false));
    let interrupt = Interrupt::from_flag(flag.clone());
    let observer = &mut StopsAfter { left: steps, flag };
    let session = Session { epochs: options.epochs, options: options.session, interrupt: &interrupt, observer };
    let data: [PathBuf; 1] = [folder.join("kept")];
    options.session.pool()?.install(|| train(&folder.join(name), options, &data, session, &Team::alone()))
}

fn run(folder: &Path, name: &str, options: &Options) -> Vec<u32> {
    run_until(folder, name, options, usize::MAX).unwrap();
    bits(&net_path(&folder.join(name)))
}

fn bits(net: &Path) -> Vec<u32> {
    let (net, _) = nets::file::load(net).unwrap();
    net.params().values().iter().map(|value| value.to_bits()).collect()
}

/// The rows of a log without what a clock says.
fn rows(folder: &Path, name: &str) -> Vec<EpochRow> {
    let rows: Vec<EpochRow> = log::read(&log_path(&folder.join(name))).unwrap();
    rows.into_iter().map(|row| EpochRow { seconds: 0.0, positions_per_second: 0.0, ..row }).collect()
}

#[test]
fn every_option_of_learning_changes_what_is_learned() {
    let (folder, _, options) = begin();
    let with = |change: &dyn Fn(&mut Options)| {
        let mut changed = options.clone();
        change(&mut changed);
        changed
    };
    let shipped = folder.path().join("none").join("net.safetensors").to_string_lossy().into_owned();
    let runs: Vec<(&str, Options)> = vec![
        ("none", options.clone()),
        ("epochs", with(&|options| options.epochs = 3)),
        ("topology", with(&|options| options.topology = "19x8+216x8+128x8-9-1".parse().unwrap())),
        ("placement", with(&|options| options.topology = "19x8+216x8+128x8-8+768x32-1x8".parse().unwrap())),
        ("linear", with(&|options| options.topology = "54712-1".parse().unwrap())),
        ("initial", with(&|options| options.initial.clone_from(&shipped))),
        ("result_weight", with(&|options| options.result_weight = 0.3)),
        ("return_weight", with(&|options| options.return_weight = 0.4)),
        ("lambda", with(&|options| (options.return_weight, options.lambda) = (0.4, 0.5))),
        ("positions", with(&|options| options.positions = Positions::Quiet)),
        ("loss", with(&|options| options.loss = Loss::L1)),
        ("squared loss", with(&|options| options.loss = Loss::Squared)),
        ("optimizer", with(&|options| options.optimizer = OptimizerKind::AdaDelta)),
        ("rate", with(&|options| options.rate = Some(0.003))),
        ("final_rate", with(&|options| options.final_rate = 0.5)),
        ("batch", with(&|options| options.batch = 150)),
        ("window", with(&|options| options.window = 1)),
        ("seed", with(&|options| options.seed = 2)),
    ];
    let mut learned = BTreeMap::new();
    for (name, options) in runs {
        let net = run(folder.path(), name, &options);
        if let Some(other) = learned.insert(net, name) {
            panic!("{name} learns the same as {other}");
        }
    }
}

#[test]
fn a_training_that_is_stopped_anywhere_learns_what_it_would_have_learned_anyway() {
    let (folder, _, options) = begin();
    for (name, options) in [
        ("two windows", options.clone()),
        ("one window", Options { window: 3, ..options.clone() }),
        ("adadelta", Options { optimizer: OptimizerKind::AdaDelta, ..options }),
    ] {
        let whole = run(folder.path(), name, &options);
        for steps in [1, 9, 17, 25, 30] {
            let part = format!("{name} {steps}");
            let stopped = run_until(folder.path(), &part, &options, steps).unwrap_err();
            assert!(stopped.is::<Interrupted>(), "{stopped}");
            assert_ne!(bits(&net_path(&folder.path().join(&part))), whole);
            // Then on another number of threads.
            let threads = SessionOptions { threads: Some(1), ..options.session };
            assert_eq!(run(folder.path(), &part, &Options { session: threads, ..options.clone() }), whole, "{part}");
            assert_eq!(rows(folder.path(), &part), rows(folder.path(), name), "{part}");
        }
    }
}

#[test]
fn the_log_says_what_was_learned_from_and_what_it_brought() {
    let (folder, games, options) = begin();
    let options = Options { epochs: 6, window: 3, rate: Some(0.01), ..options };
    run(folder.path(), "run", &options);
    let found = rows(folder.path(), "run");
    let is_training = |number: &usize| GameSubset::Training.has(SEED, *number as u64);
    let positions_of = |game: &TrainingGame| game.plies.iter().filter(|ply| ply.labeled).count();
    let learned: usize = (0..games.len()).filter(is_training).map(|number| positions_of(&games[number])).sum();
    // What does not fill a batch waits.
    let positions = (learned / options.batch * options.batch) as u64;
    for (index, row) in found.iter().enumerate() {
        assert_eq!((row.epoch, row.positions), (index as u64 + 1, positions));
        let done = row.epoch as f32 / 6.0;
        let rate = 0.01 * (1.0 - done * (1.0 - options.final_rate));
        assert!((row.learning_rate - rate).abs() < 1e-6, "{row:?}");
        assert!((row.rate_schedule - rate / 0.01).abs() < 1e-4, "{row:?}");
    }
    assert_eq!(found.len(), 6);
    assert!(found.is_sorted_by(|before, after| before.training_loss > after.training_loss), "{found:?}");
    // The best epoch's net is kept, and a training may end when no better one comes.
    let losses: Vec<f64> = found.iter().map(|row| row.loss.unwrap()).collect();
    let best = (0..losses.len()).min_by(|a, b| losses[*a].total_cmp(&losses[*b])).unwrap() as u64 + 1;
    let [of_best, of_last] = [best_path, net_path].map(|path| bits(&path(&folder.path().join("run"))));
    assert_eq!(of_best == of_last, best == 6, "{losses:?}");
    let impatient = SessionOptions { patience: Some(2), ..options.session };
    // So fast that the loss rises after the first epoch, or stays.
    let options = Options { rate: Some(0.5), epochs: 12, session: impatient, ..options };
    run(folder.path(), "impatient", &options);
    let losses: Vec<f64> = rows(folder.path(), "impatient").iter().map(|row| row.loss.unwrap()).collect();
    let best = losses.iter().copied().fold(f64::INFINITY, f64::min);
    let first = losses.iter().position(|loss| *loss == best).unwrap();
    assert!(losses.len() == first + 3 && losses.len() < 12, "{losses:?}");
}

#[test]
fn statistics_count_every_position_of_kept_games() {
    let (folder, games, _) = begin();
    let mut found = Statistics::default();
    let files = shards(&folder.path().join("kept")).unwrap();
    files.iter().for_each(|file| found.add_file(file));
    let plies = || games.iter().flat_map(|game| &game.plies);
    let labeled = || plies().filter(|ply| ply.labeled);
    let count = |is_counted: fn(&&TrainingPly) -> bool| labeled().filter(is_counted).count() as u64;
    assert_eq!((found.games, found.lost_games, found.visited), (GAMES, 0, 0));
    let results = [-1, 0, 1].map(|result| games.iter().filter(|game| game.result == result).count() as u64);
    assert_eq!(found.results, results);
    assert_eq!(found.positions, plies().count() as u64);
    assert_eq!(found.labeled, labeled().count() as u64);
    assert_eq!((found.quiet, found.mates), (count(|ply| ply.quiet), count(|ply| ply.mate)));
    assert_eq!(found.values.iter().sum::<u64>(), found.labeled);
    let negative = count(|ply| (ply.value * 32_767.0).round() < 0.0);
    assert_eq!(found.values[..10].iter().sum::<u64>(), negative);
    let bytes: u64 = files.iter().map(|file| std::fs::metadata(file).unwrap().len()).sum();
    assert_eq!(found.bytes, bytes);
    // A shard that is cut is named, and so is one whose byte was changed.
    let cut = folder.path().join("kept/games-000009.okapi");
    let whole = std::fs::read(&files[0]).unwrap();
    std::fs::write(&cut, &whole[..10]).unwrap();
    found.add_file(&cut);
    assert_eq!((found.damaged.len(), found.games), (1, GAMES));
}

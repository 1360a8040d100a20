//! A run's folder, its checkpoints, its log and its options, under everything that can happen to them.

mod checkpoint;
mod folder;
mod log;
mod options;
mod process;
mod report;

use learn::run::history::History;
use learn::tasks::td_leaf::td_leaf_checkpoint::{Checkpoint, Counters};
use learn::tasks::td_leaf::td_leaf_folder::RunFolder;
use learn::tasks::td_leaf::td_leaf_log::Row;
use learn::tasks::td_leaf::td_leaf_options::Options;
use learn::train::optimizer::{Optimizer, OptimizerKind};
use nets::{NetworkTopology, Topology, ValueNet};
use std::path::Path;

/// A small run after this many iterations, with numbers of every size in it.
fn checkpoint(iteration: u64) -> Checkpoint {
    let topology = Topology::from(NetworkTopology::new([1, 2, 1], 3).unwrap());
    let mut net = ValueNet::random(topology, 5);
    let mut optimizer = Optimizer::new(OptimizerKind::AdaDelta, topology.parameters());
    for step in 0..=iteration.min(50) {
        let gradient: Vec<f32> = (0..topology.parameters())
            .map(|i| ((i as f32 + step as f32) * 0.37).sin() * 1e-3_f32.powi(i as i32 % 9))
            .collect();
        optimizer.step(net.params_mut().values_mut(), &gradient, 1.0);
    }
    let counters = Counters {
        searches: 3_072 * iteration,
        leaves: 3_000 * iteration,
        learned_nodes: 24_000 * iteration,
        seconds: iteration as f64 / 7.0,
    };
    let average = iteration.is_multiple_of(2).then(|| ValueNet::random(topology, 6));
    Checkpoint {
        iteration,
        net,
        average,
        optimizer,
        counters,
        options: options(),
        history: History::begin(),
        extra: (0..=255).collect(),
    }
}

/// Saves a checkpoint with its net, as a run does.
fn save(run: &mut RunFolder, checkpoint: &Checkpoint) -> anyhow::Result<()> {
    run.save(checkpoint, checkpoint.average.as_ref().unwrap_or(&checkpoint.net), "a small run")
}

fn options() -> Options {
    Options { topology: NetworkTopology::new([1, 2, 1], 3).unwrap().into(), keep_checkpoints: 3, ..Options::default() }
}

fn row(iteration: u64) -> Row {
    let x = iteration as f64;
    Row {
        iteration,
        seconds: x / 3.0,
        learning_rate: 0.1,
        rate_schedule: 0.3,
        searches: 3_072 * iteration,
        leaves: 3_000 * iteration,
        loss: 0.1 / x,
        temporal_error: 1e-9 * x,
        mean_abs_value: 0.3,
        material_correlation: -0.25,
        weight_norm: 12.5,
        gradient_norm: f64::MIN_POSITIVE,
        dead_units: 4,
        searches_per_second: 6_000.0,
        sts: iteration.is_multiple_of(10).then_some(6_000.0 + x),
        own_suite: None,
        learned_nodes: 24_000 * iteration,
        inside_bounds: Some(0.625),
    }
}

/// Options that a run continues with as they were.
fn unchanged(options: &Options) -> anyhow::Result<Options> {
    Ok(options.clone())
}

/// The history of a run that a program with another training signature trained.
fn trained_by_another() -> History {
    serde_json::from_str(r#"[{"after":0,"build":"okapi 0.0.1","training_signature":"f00"}]"#).unwrap()
}

/// The names in a folder, sorted.
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        folder.read_dir().unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// The sentence of an error, which is on one line.
fn sentence<T>(result: Result<T, impl std::fmt::Display>) -> String {
    let text = format!("{:#}", result.err().expect("refused"));
    assert!(!text.contains('\n'), "{text}");
    text
}

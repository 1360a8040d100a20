//! The options of a training of policies that takes moments.

use learn::run::epochs::SessionOptions;
use learn::tasks::policy::policy_options::Options;

pub fn options() -> Options {
    Options {
        training_nodes: 120,
        validation_nodes: 20,
        sample_search_nodes: 200,
        nodes_per_search: 4,
        min_depth: 2,
        label_search_nodes: 200,
        validation_search_nodes: 300,
        second_search_nodes: 100,
        epochs: 2,
        linear_epochs: 2,
        batch: 32,
        topology: "19x16+216x16+128x16-16-8-1".parse().unwrap(),
        session: SessionOptions { patience: None, checkpoint_minutes: 1e6, threads: Some(2), mixed: false },
        ..Options::default()
    }
}

//! The provenance of a net, as its file states it: the program, the options and the inputs. Files are named without their
//! folders, which belong to one machine; their hashes identify the content.

use crate::run::history::build;
use crate::tasks::td_leaf::td_leaf_checkpoint::Checkpoint;
use crate::tasks::td_leaf::td_leaf_config::{Config, Initial};
use std::path::PathBuf;

/// The inputs of a run, by SHA-256 in hexadecimal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin {
    /// That of the initial net's parameters; `None` for random weights.
    pub initial: Option<String>,
    /// That of the database of start positions; `None` for generated ones.
    pub starts: Option<String>,
    /// That of the policy network's file; `None` for a policy without a network.
    pub policy: Option<String>,
}

impl Origin {
    /// The provenance of the net of a checkpoint.
    pub fn provenance(&self, checkpoint: &Checkpoint) -> String {
        let mut text = format!(
            "{} train tdleaf, iteration {}: {} searches, {} leaves, {:.0} seconds; ",
            build(),
            checkpoint.iteration,
            checkpoint.counters.searches,
            checkpoint.counters.leaves,
            checkpoint.counters.seconds,
        );
        let config = toml::to_string(&without_folders(checkpoint.config.clone())).unwrap_or_default();
        text += &config.trim_end().replace('\n', "; ");
        for (what, hash) in
            [("initial net", &self.initial), ("start positions", &self.starts), ("policy network", &self.policy)]
        {
            text += &hash.as_ref().map_or(String::new(), |hash| format!("; sha256 of the {what} {hash}"));
        }
        text
    }
}

/// The configuration with the names of its files alone.
fn without_folders(mut config: Config) -> Config {
    let paths = config.starts.iter_mut().chain(&mut config.exclude).chain(&mut config.sts);
    let initial = if let Initial::File(path) = &mut config.initial { Some(path) } else { None };
    for path in paths.chain(initial) {
        *path = path.file_name().map_or_else(PathBuf::new, PathBuf::from);
    }
    config
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::history::History;
    use crate::tasks::td_leaf::td_leaf_checkpoint::Counters;
    use crate::train::optimizer::{Optimizer, OptimizerKind};
    use nets::{Topology, ValueNet};

    #[test]
    fn files_are_named_without_their_folders() {
        let net = ValueNet::random(Topology::THESIS, 1);
        let checkpoint = Checkpoint {
            iteration: 7,
            optimizer: Optimizer::new(OptimizerKind::AdaDelta, net.params().values().len()),
            net,
            average: None,
            counters: Counters { searches: 11, leaves: 12, seconds: 13.0 },
            config: Config {
                initial: Initial::File("/home/me/first.net".into()),
                starts: Some("../data/games.pgn.zst".into()),
                exclude: vec!["a/b.epd".into(), "c.epd".into()],
                sts: Some("../../sts.epd".into()),
                ..Config::default()
            },
            history: History::begin(),
            extra: Vec::new(),
        };
        let origin = Origin { initial: Some("f00".to_owned()), ..Origin::default() };
        let text = origin.provenance(&checkpoint);
        assert!(text.contains("iteration 7: 11 searches, 12 leaves, 13 seconds; seed = 1; "), "{text}");
        assert!(
            text.contains(r#"initial = "first.net"; starts = "games.pgn.zst"; exclude = ["b.epd", "c.epd"]"#),
            "{text}"
        );
        assert!(text.contains(r#"sts = "sts.epd""#) && !text.contains("../") && !text.contains("/home"), "{text}");
        assert!(text.ends_with("; sha256 of the initial net f00"), "{text}");
    }
}

//! The provenance of a net, as its file states it: the program, the options and the inputs. Files are named without their
//! folders, which belong to one machine; their hashes identify the content. What a run took of a machine (time, threads) is in its log, so
//! that equal nets have equal files.

use crate::run::history::build;
use crate::run::options::{TaskOptions, in_line};
use crate::tasks::td_leaf::td_leaf_checkpoint::Checkpoint;
use crate::tasks::td_leaf::td_leaf_kinds::Initial;
use crate::tasks::td_leaf::td_leaf_options::Options;
use std::path::PathBuf;

/// The inputs of a run, by SHA-256 in hexadecimal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin {
    /// That of the initial net's parameters; `None` for random weights.
    pub initial: Option<String>,
    /// That of the database of start positions; `None` for generated ones.
    pub starts: Option<String>,
    /// That of the policy network's parameters; `None` for a policy without a network.
    pub policy: Option<String>,
}

impl Origin {
    /// The provenance of the net of a checkpoint.
    pub fn provenance(&self, checkpoint: &Checkpoint) -> String {
        let mut text = format!(
            "{} train tdleaf, iteration {}: {}; ",
            build(),
            checkpoint.iteration,
            checkpoint.counters.sentence(),
        );
        text += &in_line(&without_folders(checkpoint.options.clone()).learning());
        for (what, hash) in
            [("initial net", &self.initial), ("start positions", &self.starts), ("policy network", &self.policy)]
        {
            text += &hash.as_ref().map_or(String::new(), |hash| format!("; sha256 of the {what} {hash}"));
        }
        text
    }
}

/// The options with the names of its files alone.
fn without_folders(mut options: Options) -> Options {
    let paths = options.starts.iter_mut().chain(&mut options.exclude);
    let initial = if let Initial::File(path) = &mut options.initial { Some(path) } else { None };
    for path in paths.chain(initial) {
        *path = path.file_name().map_or_else(PathBuf::new, PathBuf::from);
    }
    options
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
            counters: Counters { searches: 11, leaves: 12, learned_nodes: 0, seconds: 13.0 },
            options: Options {
                initial: Initial::File("/home/me/first.net".into()),
                starts: Some("../data/games.pgn.zst".into()),
                exclude: vec!["a/b.epd".into(), "c.epd".into()],
                ..Options::default()
            },
            history: History::begin(),
            extra: Vec::new(),
        };
        let origin = Origin { initial: Some("f00".to_owned()), ..Origin::default() };
        let text = origin.provenance(&checkpoint);
        assert!(text.contains("iteration 7: 11 searches, 12 leaves; average = 2000; "), "{text}");
        assert!(
            text.contains(r#"; exclude = ["b.epd", "c.epd"]; hash_kilobytes = 256; initial = "first.net"; "#),
            "{text}"
        );
        assert!(text.contains(r#"; starts = "games.pgn.zst"; "#) && !text.contains("../"), "{text}");
        assert!(text.ends_with("; sha256 of the initial net f00"), "{text}");
    }
}

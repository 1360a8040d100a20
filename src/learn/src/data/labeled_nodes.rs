//! Labeled nodes in memory, and the learning target of each.

use crate::data::policy_node::{LABELS, LABELS_MARK, Label, NODES, NODES_MARK, Node};
use anyhow::{Context, ensure};
use board::{Move, Position};
use std::collections::HashSet;
use std::path::Path;
use support::choice::Choice;
use support::journal;
use toml::Table;

/// The probabilities that the network learns for a node's moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// 1 for the best move.
    Best,
    /// The mean of the other two.
    Mixed,
    /// Each move's fraction of the deeper search's nodes, or of a tree search's visits.
    Nodes,
}

impl Choice for Target {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Best, "best", "1 for the best move, 0 for the others"),
        (
            Self::Nodes,
            "nodes",
            "Each move's fraction of the labeling search's nodes, which are the visits of --stage visits",
        ),
        (Self::Mixed, "mixed", "The mean of the other two"),
    ];
}

/// A labeled node.
#[derive(Debug, Clone)]
pub struct Example {
    /// The node.
    pub node: Node,
    /// The index of the best of its legal moves.
    pub best: usize,
    /// `(legal move)`: the fraction of the labeling search's nodes that it spent on the move.
    pub fractions: Vec<f32>,
    /// How much the value falls without the best move, 0 to 2, if it was labeled.
    pub regret: Option<f32>,
    /// The factor of its loss; its mean over a training set is 1.
    pub weight: f32,
}

impl Example {
    /// `(legal move)`: the target probability; the sum is 1.
    pub fn target(&self, target: Target) -> impl Iterator<Item = f32> + '_ {
        let certain = match target {
            Target::Best => 1.0,
            Target::Mixed => 0.5,
            Target::Nodes => 0.0,
        };
        let of_move = move |(index, fraction): (usize, &f32)| {
            (1.0 - certain) * fraction + if index == self.best { certain } else { 0.0 }
        };
        self.fractions.iter().enumerate().map(of_move)
    }

    /// The best move.
    pub fn best_move(&self) -> Move {
        self.node.position.legal_moves()[self.best]
    }
}

/// Weighs each example by its regret r, so that the policy learns the part of a move in what would be lost without the best
/// moves of such nodes, rather than how often it is the best: its weight is 1 - share + share r / mean r.
///
/// # Errors
/// If `share` is above 0 and an example has no regret.
pub fn weigh(examples: &mut [Example], share: f32) -> anyhow::Result<()> {
    if share == 0.0 {
        return Ok(());
    }
    let regrets: Option<Vec<f32>> = examples.iter().map(|example| example.regret).collect();
    let regrets = regrets.context("--regret-weight needs labels with a second search (--second-search-nodes)")?;
    let mean = regrets.iter().map(|regret| f64::from(*regret)).sum::<f64>() / regrets.len().max(1) as f64;
    ensure!(mean > 0.0, "no node loses anything without its best move: --regret-weight must be 0");
    for (example, regret) in examples.iter_mut().zip(regrets) {
        example.weight = 1.0 - share + share * regret / mean as f32;
    }
    Ok(())
}

/// Reads the first `most` labeled nodes of a pair of files, and the options in the files' headers; `unwanted` positions
/// are left out.
///
/// # Errors
/// If a file cannot be read or a line is no node or label.
pub fn read(
    nodes: &Path,
    labels: &Path,
    most: u64,
    unwanted: impl Fn(&Position) -> bool,
) -> anyhow::Result<(Vec<Example>, Table)> {
    let mut lines = Vec::new();
    let how_labeled = journal::read(labels, LABELS_MARK, LABELS, &mut |line| {
        if (lines.len() as u64) < most {
            lines.push(line.to_owned());
        }
        Ok(())
    })?;
    let (mut examples, mut labels) = (Vec::with_capacity(lines.len()), lines.iter());
    let failed = |error: anyhow::Error| format!("{error:#}");
    let how_sampled = journal::read(nodes, NODES_MARK, NODES, &mut |line| {
        let Some(label) = labels.next() else { return Ok(()) };
        let node = Node::from_line(line).map_err(failed)?;
        let label = Label::from_line(label, &node.position.legal_moves()).map_err(failed)?;
        let Label { best, value, nodes, second } = label;
        let total = nodes.iter().sum::<u64>().max(1) as f64;
        if !unwanted(&node.position) {
            examples.push(Example {
                node,
                best,
                fractions: nodes.iter().map(|nodes| (*nodes as f64 / total) as f32).collect(),
                regret: second.map(|second| (value - second).max(0.0)),
                weight: 1.0,
            });
        }
        Ok(())
    })?;
    let mut made = of_words("nodes", &how_sampled[0]);
    made.extend(of_words("labels", &how_labeled[0]));
    Ok((examples, made))
}

/// The values of a header's `NAME=VALUE` words by their names behind `prefix`; the other words together are `format`.
fn of_words(prefix: &str, header: &str) -> Table {
    let (values, others): (Vec<&str>, Vec<&str>) = header.split_whitespace().partition(|word| word.contains('='));
    let format = others.join(" ");
    let pairs = values.into_iter().filter_map(|word| word.split_once('=')).chain([("format", &*format)]);
    pairs.map(|(name, value)| (format!("{prefix}.{name}"), value.into())).collect()
}

/// The keys of the positions of a file of nodes, labeled or not.
///
/// # Errors
/// If the file cannot be read or a line is no node.
pub fn keys(nodes: &Path) -> anyhow::Result<HashSet<u64>> {
    let mut keys = HashSet::new();
    journal::read(nodes, NODES_MARK, NODES, &mut |line| {
        keys.insert(Node::from_line(line).map_err(|error| format!("{error:#}"))?.position.key());
        Ok(())
    })?;
    Ok(keys)
}

#[cfg(test)]
mod tests {
    use super::*;
    use search::QuietHints;

    fn examples(regrets: &[Option<f32>]) -> Vec<Example> {
        let example = |regret: &Option<f32>| {
            let position = Position::start();
            let node = Node { search: 0, game: 0, draft: 17, position, hash: None, known: Vec::new() };
            Example { node, best: 0, fractions: Vec::new(), regret: *regret, weight: 1.0 }
        };
        regrets.iter().map(example).collect()
    }

    #[test]
    fn weights_follow_regret_and_their_mean_is_one() {
        let weights = |regrets: &[Option<f32>], share| {
            let mut examples = examples(regrets);
            weigh(&mut examples, share).map(|()| examples.iter().map(|example| example.weight).collect::<Vec<_>>())
        };
        let regrets = [Some(0.0), Some(0.5), Some(1.0)];
        assert_eq!(weights(&regrets, 0.0).unwrap(), [1.0, 1.0, 1.0]);
        assert_eq!(weights(&regrets, 0.5).unwrap(), [0.5, 1.0, 1.5]);
        assert_eq!(weights(&regrets, 1.0).unwrap(), [0.0, 1.0, 2.0]);
        assert_eq!(weights(&[None], 0.0).unwrap(), [1.0]);
        let refused = |regrets: &[Option<f32>]| weights(regrets, 0.5).unwrap_err().to_string();
        assert!(refused(&[Some(0.5), None]).contains("--second-search-nodes"));
        assert!(refused(&[Some(0.0)]).contains("must be 0"));
    }

    #[test]
    fn a_target_by_hand() {
        let mut example = examples(&[None]).remove(0);
        (example.best, example.fractions) = (1, vec![0.25, 0.5, 0.25]);
        let target = |target| example.target(target).collect::<Vec<_>>();
        assert_eq!(target(Target::Best), [0.0, 1.0, 0.0]);
        assert_eq!(target(Target::Nodes), [0.25, 0.5, 0.25]);
        assert_eq!(target(Target::Mixed), [0.125, 0.75, 0.125]);
        assert_eq!(example.best_move(), Position::start().legal_moves()[1]);
    }

    #[test]
    fn labels_belong_to_the_nodes_of_the_same_lines() {
        let folder = tempfile::tempdir().unwrap();
        let [nodes, labels] = ["nodes", "labels"].map(|name| folder.path().join(name));
        // Kings and a pawn have few moves.
        let position = |fen| Position::from_fen(fen).unwrap();
        let positions = ["7k/8/8/8/8/8/8/K7 w - - 0 1", "7k/8/8/8/8/8/8/K7 b - - 0 1", "7k/8/8/8/8/7P/8/K7 w - - 0 1"];
        let positions = positions.map(position);
        let node = |(position, number): (&Position, u64)| {
            let known = vec![QuietHints::default(); position.legal_moves().len()];
            Node { search: number, game: number, draft: 9, position: position.clone(), hash: None, known }.to_line()
                + "\n"
        };
        let lines: String = positions.iter().zip(0..).map(node).collect();
        std::fs::write(&nodes, format!("{NODES_MARK}seed=1 net=a words alone\n{lines}")).unwrap();
        let label = |index: usize, best, value, nodes: [u64; 3], second| {
            let nodes = nodes.into_iter().chain([0]).take(positions[index].legal_moves().len()).collect();
            Label { best, value, nodes, second }.to_line(&positions[index].legal_moves()) + "\n"
        };
        let lines = [
            label(0, 2, 0.5, [1, 0, 3], Some(0.25)),
            label(1, 0, -0.5, [0, 0, 0], Some(0.25)),
            label(2, 1, 0.75, [2, 5, 1], None),
        ];
        std::fs::write(&labels, format!("{LABELS_MARK}net=b nodes=8\n{}", lines.concat())).unwrap();
        let found = |most, unwanted: &dyn Fn(&Position) -> bool| {
            let (examples, made) = read(&nodes, &labels, most, unwanted).unwrap();
            let of = |example: Example| {
                (example.node.search, example.best, example.fractions, example.regret, example.weight)
            };
            (examples.into_iter().map(of).collect::<Vec<_>>(), made)
        };
        let expected = [
            (0, 2, vec![0.25, 0.0, 0.75], Some(0.25), 1.0),
            // A best move that is worth less than the others loses nothing.
            (1, 0, vec![0.0, 0.0, 0.0], Some(0.0), 1.0),
            (2, 1, vec![0.25, 0.625, 0.125, 0.0], None, 1.0),
        ];
        let (examples, made) = found(9, &|_| false);
        assert_eq!(examples, expected);
        let mut made: Vec<String> =
            made.iter().map(|(name, value)| format!("{name} = {}", value.as_str().unwrap())).collect();
        made.sort_unstable();
        let words = [
            "labels.format = okapi labels 2",
            "labels.net = b",
            "labels.nodes = 8",
            "nodes.format = okapi nodes 5 words alone",
            "nodes.net = a",
            "nodes.seed = 1",
        ];
        assert_eq!(made, words);
        assert_eq!(found(2, &|_| false).0, expected[..2]);
        assert_eq!(found(9, &|position| *position == positions[1]).0, [expected[0].clone(), expected[2].clone()]);
        assert_eq!(keys(&nodes).unwrap(), positions.iter().map(Position::key).collect());
    }
}

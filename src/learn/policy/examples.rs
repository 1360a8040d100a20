//! Labeled nodes in memory, and the learning target of each.

use crate::learn::policy::node::{LABELS, LABELS_MARK, Label, NODES, NODES_MARK, Node};
use crate::learn::run::fields::Fields;
use board::{Move, Position};
use std::collections::HashSet;
use std::path::Path;
use support::choice::Choice;
use support::journal;

/// The probabilities that the network learns for a node's moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// 1 for the best move.
    Best,
    /// The mean of the other two.
    Mixed,
    /// Each move's fraction of the deeper search's nodes.
    Nodes,
}

impl Choice for Target {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Best, "best", "1 for the best move, 0 for the others"),
        (Self::Nodes, "nodes", "Each move's fraction of the labeling search's nodes"),
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
) -> anyhow::Result<(Vec<Example>, Fields)> {
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
        let Label { best, nodes, .. } = Label::from_line(label, &node.position.legal_moves()).map_err(failed)?;
        let total = nodes.iter().sum::<u64>().max(1) as f64;
        if !unwanted(&node.position) {
            examples.push(Example {
                node,
                best,
                fractions: nodes.iter().map(|nodes| (*nodes as f64 / total) as f32).collect(),
            });
        }
        Ok(())
    })?;
    let made = Fields::of_words("nodes.", &how_sampled[0]).and(Fields::of_words("labels.", &how_labeled[0]));
    Ok((examples, made))
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

//! Labelled nodes in memory, and what the network learns from each.

use crate::learn::moves::line_file;
use crate::learn::moves::node::{Label, Node};
use board::{Move, Position};
use clap::ValueEnum;
use std::collections::HashSet;
use std::path::Path;

/// What the network is to say of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Target {
    /// The best move, for certain.
    Best,
    /// Half of that, and half the distribution of the deeper search's nodes.
    Mixed,
    /// That distribution.
    Nodes,
}

/// A labelled node.
#[derive(Debug, Clone)]
pub struct Example {
    /// The node.
    pub node: Node,
    /// The index of the best of its legal moves.
    pub best: usize,
    /// `(legal move)`: the nodes that the label's search spent on it, in shares of all.
    pub spent: Vec<f32>,
}

impl Example {
    /// `(legal move)`: what the network is to say; it sums to 1.
    pub fn target(&self, target: Target) -> impl Iterator<Item = f32> + '_ {
        let certain = match target {
            Target::Best => 1.0,
            Target::Mixed => 0.5,
            Target::Nodes => 0.0,
        };
        let of_move = move |(index, spent): (usize, &f32)| {
            (1.0 - certain) * spent + if index == self.best { certain } else { 0.0 }
        };
        self.spent.iter().enumerate().map(of_move)
    }

    /// The best move.
    pub fn best_move(&self) -> Move {
        self.node.position.legal_moves()[self.best]
    }
}

/// Reads the first `most` labelled nodes of a pair of files, and how the files say they were made; `unwanted` positions are
/// left out.
///
/// # Errors
/// If a file cannot be read or a line is no node or label.
pub fn read(
    nodes: &Path,
    labels: &Path,
    most: u64,
    unwanted: impl Fn(&Position) -> bool,
) -> anyhow::Result<(Vec<Example>, String)> {
    let mut lines = Vec::new();
    let how_labelled = line_file::read(labels, |line| {
        if (lines.len() as u64) < most {
            lines.push(line.to_owned());
        }
        Ok(())
    })?;
    let (mut examples, mut labels) = (Vec::with_capacity(lines.len()), lines.iter());
    let how_sampled = line_file::read(nodes, |line| {
        let Some(label) = labels.next() else { return Ok(()) };
        let node = Node::from_line(line)?;
        let Label { best, nodes, .. } = Label::from_line(label, &node.position.legal_moves())?;
        let total = nodes.iter().sum::<u64>().max(1) as f64;
        if !unwanted(&node.position) {
            examples.push(Example {
                node,
                best,
                spent: nodes.iter().map(|nodes| (*nodes as f64 / total) as f32).collect(),
            });
        }
        Ok(())
    })?;
    Ok((examples, format!("{how_sampled}; {how_labelled}")))
}

/// The keys of the positions of a file of nodes, labelled or not.
///
/// # Errors
/// If the file cannot be read or a line is no node.
pub fn keys(nodes: &Path) -> anyhow::Result<HashSet<u64>> {
    let mut keys = HashSet::new();
    line_file::read(nodes, |line| {
        keys.insert(Node::from_line(line)?.position.key());
        Ok(())
    })?;
    Ok(keys)
}

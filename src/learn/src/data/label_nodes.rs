//! The second stage: a deeper search of every sampled node gives its best move and the nodes spent on each move; another
//! one, without the best move, gives the value that is left without it.

use crate::data::node_searcher::SearchSetup;
use crate::data::policy_node::{LABELS, LABELS_MARK, Label, NODES, NODES_MARK, Node};
use crate::run::lines::words_header;
use anyhow::ensure;
use board::{Game, Move, MoveList, Position};
use rayon::prelude::*;
use search::{Handler, SearchLimits, Searcher, Silent, Stop, Table, TableError};
use std::path::Path;
use support::journal::{self, Journal};

/// The names by which a part states how many nodes are labeled at most, `[training, validation]`.
pub(crate) const LABELED: [&str; 2] = ["training nodes", "validation nodes"];

/// Bytes of table for each node of a search: an entry.
const TABLE_BYTES: u64 = 16;

/// The searches that label a node.
#[derive(Debug, Clone, Copy)]
pub struct Labeling {
    /// Nodes of the search for the best move.
    pub nodes: u64,
    /// Nodes of the search without it; 0: there is none.
    pub second_nodes: u64,
}

impl Labeling {
    /// As in the header of a file of labels.
    pub fn words(&self, setup: &SearchSetup) -> String {
        let Self { nodes, second_nodes } = self;
        let second = if *second_nodes == 0 { String::new() } else { format!(" second={second_nodes}") };
        format!("{} nodes={nodes}{second}", setup.words)
    }
}

/// A file of labels that grows beside its file of nodes.
#[derive(Debug)]
pub struct Labels {
    file: Journal,
    /// The nodes without a label yet, the next one last.
    left: Vec<Node>,
    total: u64,
}

impl Labels {
    /// Opens or creates the labels of the first `most` nodes of a file.
    ///
    /// # Errors
    /// If the system refuses, or if a file was made with other options.
    pub fn open([nodes, path]: [&Path; 2], words: &str, mixed: bool, most: u64) -> anyhow::Result<Self> {
        let (mut left, mut number) = (Vec::new(), 0);
        journal::read(nodes, NODES_MARK, NODES, &mut |line| {
            number += 1;
            if number <= most {
                left.push(Node::from_line(line).map_err(|error| format!("{error:#}"))?);
            }
            Ok(())
        })?;
        let header = words_header(LABELS, LABELS_MARK, words);
        let file = Journal::open(path, &header, mixed, &mut |_| Ok(()))?;
        ensure!(file.records() <= number, "{} has more labels than {} nodes", path.display(), nodes.display());
        left.drain(..left.len().min(file.records() as usize));
        left.reverse();
        Ok(Self { total: file.records() + left.len() as u64, file, left })
    }

    /// The labels so far, and those in the end.
    pub fn progress(&self) -> (u64, u64) {
        (self.file.records(), self.total)
    }

    /// Adds up to `chunk` labels; returns whether more are missing.
    ///
    /// # Errors
    /// If a table cannot be allocated or the system refuses.
    pub fn extend(&mut self, setup: &SearchSetup, labeling: &Labeling, chunk: usize) -> anyhow::Result<bool> {
        let next = self.left.split_off(self.left.len().saturating_sub(chunk));
        let labeled = next
            .par_iter()
            .rev()
            .with_max_len(1)
            .map(|node| Ok(label(&node.position, setup, labeling)?.to_line(&node.position.legal_moves())))
            .collect::<Result<Vec<String>, TableError>>()?;
        self.file.append(&labeled)?;
        Ok(!self.left.is_empty())
    }
}

/// The label of a position with at least two legal moves, from an empty table; its second search knows the table of the first.
fn label(position: &Position, setup: &SearchSetup, labeling: &Labeling) -> Result<Label, TableError> {
    let Labeling { nodes, second_nodes } = *labeling;
    let table = Table::with_kilobytes((TABLE_BYTES * (nodes + second_nodes)).div_ceil(1024) as usize)?;
    let moves = position.legal_moves();
    let mut counter = RootNodes { nodes: vec![0; moves.len()], moves, at: None };
    let limits = SearchLimits { nodes: Some(nodes), ..SearchLimits::default() };
    let mut searcher = setup.searcher();
    let game = Game::new(position.clone());
    let answer = searcher.search(&table, &game, &limits, &mut counter);
    counter.turn_to(None, answer.nodes);
    let best = answer.best().and_then(|best| counter.moves.iter().position(|mv| *mv == best)).unwrap_or(0);
    let second = (second_nodes > 0).then(|| {
        let mut others = counter.moves.to_vec();
        others.remove(best);
        let limits = SearchLimits { nodes: Some(second_nodes), searchmoves: others, ..SearchLimits::default() };
        searcher.search(&table, &game, &limits, &mut Silent).value.to_f32()
    });
    Ok(Label { best, value: answer.value.to_f32(), nodes: counter.nodes, second })
}

/// Counts the nodes below each root move, `(legal move)`.
struct RootNodes {
    moves: MoveList,
    nodes: Vec<u64>,
    /// The move that the search is at, and the nodes when it turned there.
    at: Option<(usize, u64)>,
}

impl RootNodes {
    fn turn_to(&mut self, mv: Option<Move>, nodes: u64) {
        if let Some((index, before)) = self.at {
            self.nodes[index] += nodes - before;
        }
        self.at = mv.and_then(|mv| self.moves.iter().position(|other| *other == mv)).map(|index| (index, nodes));
    }
}

impl Handler for RootNodes {
    fn poll(&mut self, _nodes: u64) -> Result<(), Stop> {
        Ok(())
    }

    fn root_move(&mut self, _depth: u32, mv: Move, _number: usize, nodes: u64) {
        self.turn_to(Some(mv), nodes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::evaluators::NetworkEvaluator;
    use engine::{PolicyKind, shipped_policy, shipped_value_net};

    #[test]
    fn a_label_names_the_mate_and_counts_every_node() {
        let position = Position::from_fen("6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1").unwrap();
        for policy in [PolicyKind::Static, PolicyKind::Network] {
            let setup = SearchSetup {
                net: NetworkEvaluator::new(shipped_value_net().unwrap()),
                policy: policy.build(&shipped_policy().unwrap()),
                selectivity: policy.selectivity(),
                words: String::new(),
            };
            for second_nodes in [0, 1_000] {
                let label = label(&position, &setup, &Labeling { nodes: 3_000, second_nodes }).unwrap();
                assert_eq!(position.legal_moves()[label.best], position.parse_uci("a1a8").unwrap());
                assert_eq!((label.value, label.nodes.iter().sum::<u64>()), (1.0, 3_000));
                assert_eq!(label.second.is_some(), second_nodes > 0);
                assert!(label.second.is_none_or(|second| second > 0.0 && second < 1.0), "{:?}", label.second);
            }
        }
    }
}

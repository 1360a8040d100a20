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
    use search::QuietHints;

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

    fn setup() -> SearchSetup {
        SearchSetup {
            net: NetworkEvaluator::new(shipped_value_net().unwrap()),
            policy: PolicyKind::Static.build(&shipped_policy().unwrap()),
            selectivity: PolicyKind::Static.selectivity(),
            words: "net=a".to_owned(),
        }
    }

    #[test]
    fn labels_follow_their_nodes_a_few_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let [nodes, labels] = ["nodes", "labels"].map(|name| folder.path().join(name));
        let start = Position::start();
        let positions: Vec<Position> = start.legal_moves().iter().take(4).map(|mv| start.play(*mv)).collect();
        let node = |(position, number): (&Position, u64)| {
            let known = vec![QuietHints::default(); position.legal_moves().len()];
            Node { search: number, game: number, draft: 9, position: position.clone(), hash: None, known }.to_line()
                + "\n"
        };
        let lines: String = positions.iter().zip(0..).map(node).collect();
        std::fs::write(&nodes, format!("{NODES_MARK}seed=1\n{lines}")).unwrap();
        let labeling = Labeling { nodes: 300, second_nodes: 0 };
        let words = labeling.words(&setup());
        assert_eq!(words, "net=a nodes=300");
        assert_eq!(Labeling { second_nodes: 50, ..labeling }.words(&setup()), "net=a nodes=300 second=50");
        let open = |most| Labels::open([&nodes, &labels], &words, false, most);
        let mut file = open(3).unwrap();
        assert_eq!(file.progress(), (0, 3));
        assert!(file.extend(&setup(), &labeling, 2).unwrap());
        assert_eq!(file.progress(), (2, 3));
        drop(file);
        let mut file = open(3).unwrap();
        assert_eq!(file.progress(), (2, 3));
        assert!(!file.extend(&setup(), &labeling, 2).unwrap());
        assert_eq!(file.progress(), (3, 3));
        drop(file);
        let text = std::fs::read_to_string(&labels).unwrap();
        let expected = positions[..3].iter().map(|position| {
            let label = label(position, &setup(), &labeling).unwrap();
            // The value of the best move is that of the search.
            let mut searcher = setup().searcher();
            let limits = SearchLimits { nodes: Some(300), ..SearchLimits::default() };
            // 4,800 bytes of entries in whole kilobytes.
            let table = Table::with_kilobytes(5).unwrap();
            let answer = searcher.search(&table, &Game::new(position.clone()), &limits, &mut Silent);
            let best = position.legal_moves()[label.best];
            assert_eq!((answer.best(), answer.value.to_f32()), (Some(best), label.value));
            assert_eq!(label.nodes.iter().sum::<u64>(), answer.nodes);
            label.to_line(&position.legal_moves())
        });
        assert!(text.lines().skip(1).eq(expected.collect::<Vec<_>>().iter().map(String::as_str)), "{text}");
        // Fewer labels are wanted than there are.
        assert_eq!(open(1).unwrap().progress(), (3, 3));
        std::fs::write(&nodes, format!("{NODES_MARK}seed=1\n{}\n", lines.lines().next().unwrap())).unwrap();
        let refusal = open(3).unwrap_err().to_string();
        assert_eq!(refusal, format!("{} has more labels than {} nodes", labels.display(), nodes.display()));
    }

    #[test]
    fn the_nodes_of_a_move_are_those_between_its_turns() {
        let moves = Position::start().legal_moves();
        let (first, third) = (moves[0], moves[2]);
        let mut counter = RootNodes { nodes: vec![0; moves.len()], moves, at: None };
        for (mv, nodes) in [(first, 3), (third, 10), (first, 15), (third, 40)] {
            counter.root_move(1, mv, 1, nodes);
        }
        counter.turn_to(None, 45);
        assert_eq!(counter.nodes[..4], [7 + 25, 0, 5 + 5, 0]);
    }
}

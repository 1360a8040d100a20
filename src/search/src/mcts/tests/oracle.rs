//! The oracle: a second, plain implementation in Python, to which every tree is given.

use super::{KIWIPETE, Material, game, search, small, visits};
use crate::evaluator::{Evaluator, leaf_value};
use crate::mcts::arena::{Arena, ROOT};
use crate::mcts::edges::Edges;
use crate::mcts::node::{Node, fixed};
use crate::mcts::search_contempt::INFINITE;
use crate::mcts::{LeafKind, MctsSettings};
use board::{History, Outcome, Position};
use std::io::Write;
use std::process::{Command, Stdio};

/// A tree as `tests/tools/mcts_oracle.py` reads it.
struct Dump<'a> {
    arena: &'a Arena,
    lines: Vec<String>,
    visits: Vec<u32>,
}

impl Dump<'_> {
    /// Writes the node of a position, so many plies from the root, after those of a history; returns its number.
    fn write(&mut self, node: &Node, position: &Position, history: &History, plies: u16) -> usize {
        let number = self.lines.len();
        self.lines.push(String::new());
        self.visits.push(node.visits());
        let repeated = plies > 0 && history.is_repetition(position);
        let (value, result) = match position.outcome() {
            Some(Outcome::Mated) => (-1.0, "L0"),
            Some(Outcome::Stalemate | Outcome::InsufficientMaterial) => (0.0, "D"),
            Some(_) => (0.0, "-"),
            None if repeated => (0.0, "-"),
            None => (leaf_value(Material.logit(&mut (), position)).to_f32(), "-"),
        };
        let mut line = format!("{number} {} {result}", fixed(value));
        if node.edges() != 0 {
            let edges = Edges::at(self.arena, node.edges());
            for move_number in 0..edges.len() {
                let child = edges.child(self.arena, move_number).filter(|child| child.visits() > 0);
                let child = child.map_or("-".to_owned(), |child| {
                    let mut history = history.clone();
                    history.push(position.key());
                    self.write(child, &position.play(edges.mv(move_number)), &history, plies + 1).to_string()
                });
                line += &format!(" {}:{child}", f64::from(edges.prior(move_number)));
            }
        }
        self.lines[number] = line;
        number
    }
}

/// The whole tree is that of a second, plain implementation, also after mates, stalemates and repetitions.
#[test]
fn an_oracle_in_python_visits_the_same_nodes() {
    let tool = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/tools/mcts_oracle.py");
    for (fen, count) in [
        ("8/8/8/4k3/8/8/4P3/4K3 w - - 0 1", 1_000),
        ("7k/8/5K2/8/8/8/8/6R1 w - - 0 1", 1_000),
        ("k7/2Q5/8/1K6/8/8/8/8 w - - 0 1", 400),
        (KIWIPETE, 600),
    ] {
        for contempt_limit in [INFINITE, 1, 4, 28] {
            let settings = MctsSettings { leaf: LeafKind::Static, contempt_limit, ..MctsSettings::default() };
            let (mut searching, game) = (small(settings), game(fen));
            let done = search(&mut searching, &game, &visits(count)).nodes;
            let arena = searching.arena();
            let mut dump = Dump { arena, lines: Vec::new(), visits: Vec::new() };
            dump.write(arena.node(ROOT), game.position(), game.history(), 0);
            let head = format!("{done} {contempt_limit} 5 {}\n", game.position().key());
            let mut oracle = Command::new("python3");
            let oracle = oracle.arg(tool).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
            let Ok(mut oracle) = oracle else {
                eprintln!("ignored: there is no python3");
                return;
            };
            oracle.stdin.take().unwrap().write_all((head + &dump.lines.join("\n")).as_bytes()).unwrap();
            let output = oracle.wait_with_output().unwrap();
            let error = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{fen}, limit {contempt_limit}: {error}");
            let text = String::from_utf8(output.stdout).unwrap();
            let found: Vec<u32> = text.lines().map(|line| line.split_once(' ').unwrap().1.parse().unwrap()).collect();
            assert_eq!(found.len(), dump.visits.len());
            assert_eq!(found, dump.visits, "{fen}, limit {contempt_limit}");
        }
    }
}

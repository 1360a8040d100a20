//! Trees made by hand: the order of their moves, lines, reports and statistics, and the move that is played.

use super::MctsSettings;
use crate::alpha_beta::worker::Memory;
use crate::doubles::Recorder;
use crate::draws::Draws;
use crate::evaluator::Evaluator;
use crate::mcts::arena::{Arena, ROOT};
use crate::mcts::crew::{Crew, Parts};
use crate::mcts::edges::{Edges, edge_units};
use crate::mcts::node::{Gain, Node, fixed};
use crate::mcts::proof::Proof;
use crate::mcts::root::{RootLine, statistics};
use crate::mcts::visit::Visitor;
use crate::policy::StaticPolicy;
use crate::table::Table;
use crate::value::Value;
use board::{Color, Game, Position};
use std::sync::atomic::{AtomicBool, AtomicU64};

/// Every position is even, and a draw is worth a quarter to White.
pub struct Even;

impl Evaluator for Even {
    type State = ();

    fn root(&self, _: &Position) {}

    fn logit(&self, (): &mut (), _: &Position) -> f32 {
        0.0
    }

    fn draw_value(&self, (): &(), position: &Position) -> Value {
        Value::from_evaluation(if position.side_to_move() == Color::White { 0.25 } else { -0.25 })
    }
}

/// Gives a node these moves, with their priors.
fn list(arena: &Arena, node: &Node, position: &Position, moves: &[(&str, f32)]) {
    let index = arena.allocate(edge_units(moves.len())).unwrap();
    let edges = Edges::start(arena, index, moves.len());
    for (number, (text, prior)) in moves.iter().enumerate() {
        edges.write(number, position.parse_uci(text).unwrap(), *prior);
    }
    node.set_edges(index);
}

/// Adds visits of a node's move, of this value for the node's side.
fn visit(arena: &Arena, node: &Node, number: usize, visits: u32, (value, draw): (f32, f32)) {
    let child = Edges::at(arena, node.edges()).child_or_allocate(arena, number).unwrap();
    for _ in 0..visits {
        child.add_visit(Gain { value: fixed(-value), draw: fixed(draw) }, true);
        node.add_visit(Gain { value: fixed(value), draw: fixed(draw) }, true);
    }
}

fn child(arena: &Arena, number: usize) -> &Node {
    Edges::at(arena, arena.node(ROOT).edges()).child(arena, number).unwrap()
}

/// The start position with four moves: three were visited, two of them equally often, and the replies to one of these.
fn four_moves() -> Arena {
    let (arena, position) = (Arena::with_bytes(0).unwrap(), Position::start());
    let root = arena.node(ROOT);
    root.add_visit(Gain::default(), true);
    list(&arena, root, &position, &[("e2e4", 0.4), ("d2d4", 0.3), ("c2c4", 0.2), ("b2b4", 0.1)]);
    visit(&arena, root, 0, 6, (-0.25, 0.5));
    visit(&arena, root, 2, 3, (0.25, 0.25));
    visit(&arena, root, 1, 1, (0.5, 0.25));
    // Both replies were visited once, and the second is better.
    let reply = child(&arena, 1);
    list(&arena, reply, &position.play(position.parse_uci("d2d4").unwrap()), &[("d7d5", 0.6), ("g8f6", 0.4)]);
    visit(&arena, reply, 0, 1, (-0.75, 0.25));
    visit(&arena, reply, 1, 1, (-0.25, 0.25));
    for value in [0.75, 0.25] {
        root.add_visit(Gain { value: fixed(value), draw: fixed(0.25) }, true);
    }
    arena
}

/// What `work` finds by a thread at the root, and what its handler was told.
fn by_visitor<R>(
    arena: &Arena,
    settings: MctsSettings,
    work: impl FnOnce(&mut Visitor<Even, StaticPolicy>) -> R,
) -> (R, Recorder) {
    let (game, table) = (Game::new(Position::start()), Table::with_kilobytes(64).unwrap());
    let (mut memory, mut recorder) = (Memory::seeded(5, false), Recorder { shows: true, ..Recorder::default() });
    memory.next_search(&game);
    let parts = Parts {
        evaluator: &Even,
        policy: &StaticPolicy,
        arena,
        tablebase: None,
        table: &table,
        root: game.position(),
        settings,
        seed: 5,
        alone: true,
    };
    let found = work(&mut parts.visitor(&mut memory, &mut recorder));
    (found, recorder)
}

fn text(lines: Vec<RootLine>) -> Vec<String> {
    let of = |line: RootLine| {
        let moves: Vec<String> = line.moves.iter().map(ToString::to_string).collect();
        let mate = line.value.mate_plies().map_or(String::new(), |plies| format!(", mate {plies}"));
        format!("{}: {:.4}{mate}", moves.join(" "), line.value.to_f32())
    };
    lines.into_iter().map(of).collect()
}

#[test]
fn a_helper_visits_until_the_limit_or_the_end_of_the_search() {
    for (is_over, wanted) in [(false, 50), (true, 0)] {
        let arena = Arena::with_bytes(0).unwrap();
        let over = AtomicBool::new(is_over);
        let crew = Crew { visits: AtomicU64::new(0), before: 0, limit: 50, over };
        by_visitor(&arena, MctsSettings::default(), |visitor| visitor.help(&crew));
        assert_eq!((arena.node(ROOT).visits(), crew.count()), (wanted, u64::from(wanted)));
    }
}

#[test]
fn lines_are_ordered_by_proofs_then_visits_then_values() {
    let arena = four_moves();
    let lines = |most| text(by_visitor(&arena, MctsSettings::default(), |visitor| visitor.lines(most)).0);
    // The move that was not visited is worth what the root is: (6 x -0.25 + 3 x 0.25 + 3 x 0.5) / 13.
    let wanted = ["e2e4: -0.2500", "d2d4 g8f6: 0.5000", "c2c4: 0.2500", "b2b4: 0.0577"];
    assert_eq!(lines(9), wanted);
    assert_eq!(lines(2), wanted[..2]);
    child(&arena, 0).set_proof(Some(Proof::Win(1)));
    child(&arena, 2).set_proof(Some(Proof::Loss(2)));
    let wanted = ["c2c4: 1.0000, mate 3", "d2d4 g8f6: 0.5000", "e2e4: -1.0000, mate -2", "b2b4: 0.0577"];
    assert_eq!(lines(9), wanted);
    child(&arena, 1).set_proof(Some(Proof::Draw));
    assert_eq!(lines(9)[1], "d2d4 g8f6: 0.2500", "what a draw is worth to White");
}

#[test]
fn a_report_has_ranks_and_the_mean_chances_of_each_line() {
    let (arena, settings) = (four_moves(), MctsSettings::default());
    let ((), recorder) = by_visitor(&arena, settings, |visitor| visitor.report(7, 13, 2));
    // Ten units of 2,048: the root, 2 for four moves, 1 + 2 for their nodes, 1 for two moves, 1 + 2 for their nodes.
    let wanted = ["depth 7, line 1 at 13, 4 per mille", "depth 7, line 2 at 13, 4 per mille"];
    assert_eq!((arena.bytes(), &recorder.lines[..]), (320, &wanted.map(String::from)[..]));
    // Won (1 + E - D) / 2 and lost (1 - E - D) / 2.
    let chances: Vec<String> = recorder.found.iter().map(|found| found.2.unwrap().to_string()).collect();
    assert_eq!(chances, ["125 500 375", "625 250 125"]);
}

#[test]
fn statistics_are_those_of_the_formula_the_least_visited_first() {
    let arena = four_moves();
    child(&arena, 0).set_proof(Some(Proof::Win(1)));
    child(&arena, 2).set_proof(Some(Proof::Loss(2)));
    let found: Vec<String> = statistics(&arena, arena.node(ROOT))
        .iter()
        .map(|of| {
            let mate = of.mate.map_or("none".to_owned(), |mate| mate.to_string());
            let numbers = format!("{:.4} {:.4} {:.3} {:.4}", of.prior, of.value, of.draw, of.bonus);
            format!("{} {} {numbers} {mate} {}", of.mv, of.visits, of.is_proven)
        })
        .collect();
    // c(13) sqrt(12) = 6.04938, by 1.745 + 3.894 ln(38752 / 38739); the first play urgency is 0.05769 - 0.33 sqrt(0.9).
    let wanted = [
        "b2b4 0 0.1000 -0.2554 0.000 0.6050 none false",
        "c2c4 3 0.2000 0.2500 0.250 0.3025 2 true",
        "d2d4 3 0.3000 0.5000 0.250 0.4538 none false",
        "e2e4 6 0.4000 -0.2500 0.500 0.3457 -1 true",
    ];
    assert_eq!(found, wanted);
    let none = Arena::with_bytes(0).unwrap();
    assert!(statistics(&none, none.node(ROOT)).is_empty());
}

#[test]
fn the_move_that_is_played_is_drawn_from_powers_of_the_visits() {
    let arena = four_moves();
    let play = |temperature, seed| {
        let settings = MctsSettings { temperature, ..MctsSettings::default() };
        let of = |visitor: &mut Visitor<Even, StaticPolicy>| {
            visitor.seed = seed;
            visitor.move_to_play()
        };
        by_visitor(&arena, settings, of).0
    };
    // Of the moves by rank, 0, 1 and 2, with 6, 3 and 3 visits: where the next begins.
    let is_as_drawn = |temperature, bounds: [f64; 2], moves: [usize; 3]| {
        (0..100).all(|seed| {
            let drawn = Draws::of(seed, Position::start().key(), Draws::PLAYED).unit();
            play(temperature, seed) == Some(moves[bounds.iter().filter(|bound| drawn >= **bound).count()])
        })
    };
    assert!(is_as_drawn(1.0, [6.0 / 12.0, 9.0 / 12.0], [0, 1, 2]));
    assert!(is_as_drawn(0.5, [36.0 / 54.0, 45.0 / 54.0], [0, 1, 2]));
    assert!((0..100).all(|seed| play(0.0, seed) == Some(0)));
    // A lost move is not played, and a won one always.
    child(&arena, 1).set_proof(Some(Proof::Win(1)));
    assert!(is_as_drawn(1.0, [6.0 / 9.0, 1.0], [0, 2, 2]));
    child(&arena, 2).set_proof(Some(Proof::Loss(0)));
    assert!((0..100).all(|seed| play(1.0, seed) == Some(2)));
    let empty = Arena::with_bytes(0).unwrap();
    assert_eq!(by_visitor(&empty, MctsSettings::default(), |visitor| visitor.move_to_play()).0, None);
}

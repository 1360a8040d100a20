//! Two threads at one node of the tree, in the orders with at most three interruptions that loom can
//! tell apart: `RUSTFLAGS="--cfg loom" cargo test -p search --lib models`.

use crate::mcts::arena::{Arena, ROOT};
use crate::mcts::edges::{Edges, edge_units};
use crate::mcts::node::{Gain, fixed};
use crate::shared_memory::atomic::Ordering::Relaxed;
use board::{Move, Square};
use loom::sync::Arc;
use loom::thread;

/// Does the same in two threads, given their numbers, and returns what both return.
fn in_two_threads<R: 'static>(
    arena: &Arc<Arena>,
    work: impl Fn(&Arena, usize) -> R + Copy + Send + Sync + 'static,
) -> [R; 2] {
    let shared = arena.clone();
    let other = thread::spawn(move || work(&shared, 1));
    let own = work(arena, 0);
    [own, other.join().unwrap()]
}

/// Checks a model, whose threads are interrupted three times at most: more takes minutes.
fn check(model: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(model);
}

/// A list of two moves in the arena, not yet a node's.
fn two_moves(arena: &Arena) -> u32 {
    let index = arena.allocate(edge_units(2)).unwrap();
    let edges = Edges::start(arena, index, 2);
    for number in 0..2 {
        edges.write(number, Move { from: Square::E2, to: Square::index(20 + number), promotion: None }, 0.5);
    }
    index
}

#[test]
fn a_node_that_two_threads_expand_has_one_whole_list_of_moves() {
    check(|| {
        let arena = Arc::new(Arena::with_units(8).unwrap());
        let lists = in_two_threads(&arena, |arena, _| {
            let root = arena.node(ROOT);
            if root.edges() == 0 {
                root.offer_edges(two_moves(arena));
            }
            let edges = Edges::at(arena, root.edges());
            assert_eq!((edges.len(), edges.mv(0).to, edges.mv(1).to), (2, Square::index(20), Square::index(21)));
            assert_eq!((edges.prior(0), edges.prior(1)), (0.5, 0.5));
            root.edges()
        });
        assert_eq!(lists[0], lists[1]);
    });
}

#[test]
fn two_threads_that_visit_a_move_add_to_one_new_node() {
    check(|| {
        let arena = Arc::new(Arena::with_units(8).unwrap());
        arena.node(ROOT).set_edges(two_moves(&arena));
        in_two_threads(&arena, |arena, number| {
            let node = Edges::at(arena, arena.node(ROOT).edges()).child_or_allocate(arena, 0).unwrap();
            node.begin_visit();
            node.end_visit();
            node.add_visit(Gain { value: fixed(1.0) >> number, draw: fixed(0.5) }, false);
            // The other thread may have added a half.
            assert!(node.value().abs() <= 1.0 && (0.0..=1.0).contains(&node.draw()) && node.visits() > 0);
        });
        let node = Edges::at(&arena, arena.node(ROOT).edges()).child(&arena, 0).unwrap();
        assert_eq!((node.visits(), node.in_flight(), node.value(), node.draw()), (2, 0, 0.75, 0.5));
    });
}

#[test]
fn counts_that_two_threads_freeze_are_whole_those_of_one() {
    check(|| {
        let arena = Arc::new(Arena::with_units(8).unwrap());
        arena.node(ROOT).set_edges(two_moves(&arena));
        let frozen = in_two_threads(&arena, |arena, number| {
            let edges = Edges::at(arena, arena.node(ROOT).edges());
            let own = [1 + number as u32, 5 + number as u32];
            let counts = edges.freeze(arena, &own).unwrap();
            counts.iter().map(|count| count.load(Relaxed)).collect::<Vec<_>>()
        });
        assert_eq!(frozen[0], frozen[1]);
        assert!(frozen[0] == [1, 5] || frozen[0] == [2, 6], "{frozen:?}");
    });
}

#[test]
fn a_block_is_handed_out_to_one_of_two_threads() {
    check(|| {
        // The root, a list and a node: nothing is left but what is released.
        let arena = Arc::new(Arena::with_units(3).unwrap());
        let list = two_moves(&arena);
        Edges::at(&arena, list).child_or_allocate(&arena, 0).unwrap();
        arena.release(list);
        let mut blocks = in_two_threads(&arena, |arena, _| arena.allocate(1));
        blocks.sort_unstable();
        assert_eq!(blocks, [Some(1), Some(2)]);
        assert_eq!(arena.allocate(1), None);
    });
}

#[test]
fn a_proof_beside_a_visit_keeps_the_count_and_the_range() {
    check(|| {
        let arena = Arc::new(Arena::with_units(2).unwrap());
        let won = Gain { value: fixed(1.0), draw: 0 };
        arena.node(ROOT).add_visit(Gain { value: fixed(-1.0), draw: fixed(0.5) }, true);
        in_two_threads(&arena, move |arena, number| {
            let node = arena.node(ROOT);
            if number == 0 {
                node.add_visit(Gain { value: fixed(0.5), draw: fixed(0.5) }, false);
            } else {
                node.correct(won);
            }
        });
        let node = arena.node(ROOT);
        assert_eq!(node.visits(), 2);
        assert!(node.value().abs() <= 1.0 && (0.0..=1.0).contains(&node.draw()));
    });
}

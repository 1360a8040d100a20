//! How long the probabilities of a node's moves take: the network alone, in one pass or two, and the whole policy, from
//! the move list to the sorted moves, at nodes of 35 moves from random games.
//!
//! `cargo bench -p benches --bench policy`, with `OKAPI_ISA=naive|wide|avx2` for one instruction set.

use board::Position;
use board::random_positions::RandomPositions;
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use engine::network_policy::logits;
use engine::shipped_policy;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use search::{Budget, MoveHistory, Policy, ScoredMoves};
use std::hint::black_box;

const POSITIONS: usize = 500;
const MOVES: usize = 35;

fn nodes() -> Vec<(Position, ScoredMoves)> {
    let (mut games, memory) = (RandomPositions::new(Xoshiro256PlusPlus::seed_from_u64(1)), MoveHistory::new());
    let positions = std::iter::repeat_with(|| games.next_position().clone());
    let nodes = positions.map(|position| {
        let mut moves = ScoredMoves::new();
        memory.score_moves(&position, None, 0, &mut moves);
        (position, moves)
    });
    nodes.filter(|(_, moves)| moves.len() == MOVES).take(POSITIONS).collect()
}

fn moves(criterion: &mut Criterion) {
    let (policy, nodes) = (shipped_policy().expect("the shipped nets are readable"), nodes());
    let net = policy.net();
    let mut group = criterion.benchmark_group(format!("{MOVES} moves"));
    let isa = kernels::active().expect("kernels for this machine").isa;
    let mut index = 0;
    let mut next = move || {
        index = (index + 1) % POSITIONS;
        index
    };
    for (passes, name) in [(1, "logits"), (2, "logits in two passes")] {
        group.bench_function(format!("{name} {isa}"), |bencher| {
            let run = |index: usize| logits(net, black_box(&nodes[index].0), &nodes[index].1, passes);
            bencher.iter_batched(&mut next, run, BatchSize::SmallInput);
        });
    }
    group.bench_function(format!("whole {isa}"), |bencher| {
        let mut setup = || {
            let index = next();
            (index, nodes[index].1.clone())
        };
        let run = |(index, mut moves): (usize, ScoredMoves)| {
            policy.allocate(black_box(&nodes[index].0), Budget::new(1_000.0), &mut moves);
            moves
        };
        bencher.iter_batched(&mut setup, run, BatchSize::SmallInput);
    });
    group.finish();
}

criterion_group!(benches, moves);
criterion_main!(benches);

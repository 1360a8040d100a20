//! How long the parts of a node take beside its evaluation and the policy network, each alone, at a middlegame's moves: listing and
//! scoring them, sorting, exchanges, the linear policy, making them.
//!
//! `cargo bench -p benches --bench moves`, with `OKAPI_ISA=naive|wide|avx2` for one instruction set.

use board::Position;
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use engine::shipped::shipped_linear_policy;
use search::scored_move::{ScoredMoves, sort};
use search::{MoveHistory, Policy};
use std::hint::black_box;

const MIDDLEGAME: &str = "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10";

fn parts_alone(criterion: &mut Criterion) {
    let position = Position::from_fen(MIDDLEGAME).expect("a position");
    let (history, linear) = (MoveHistory::new(), shipped_linear_policy().expect("the policy that ships with Okapi"));
    let mut moves = ScoredMoves::new();
    history.list_moves(&position, None, 0, &mut moves);
    let mut group = criterion.benchmark_group(format!("{} moves", moves.len()));
    group.bench_function("listed and scored", |bencher| {
        let mut listed = ScoredMoves::new();
        bencher.iter(|| history.list_moves(black_box(&position), None, 0, &mut listed));
    });
    group.bench_function("sorted", |bencher| {
        bencher.iter_batched_ref(|| moves.clone(), |moves| sort(moves), BatchSize::SmallInput);
    });
    group.bench_function("exchanges", |bencher| {
        bencher.iter(|| moves.iter().filter(|scored| position.see_at_least(black_box(scored.mv), 0)).count());
    });
    group.bench_function("linear policy", |bencher| {
        bencher.iter_batched_ref(
            || moves.clone(),
            |moves| linear.priors(black_box(&position), moves),
            BatchSize::SmallInput,
        );
    });
    group.bench_function("made", |bencher| {
        bencher.iter(|| {
            moves.iter().map(|scored| position.play(black_box(scored.mv)).key()).fold(0, |all, key| all ^ key)
        });
    });
    group.finish();
}

criterion_group!(benches, parts_alone);
criterion_main!(benches);

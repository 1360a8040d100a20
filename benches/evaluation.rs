//! How long an evaluation takes: the features, the network, and both, on positions of random games.
//!
//! `cargo bench -p benches --bench evaluation`, with `OKAPI_ISA=naive|wide|avx2` for one instruction set.

use board::random_positions::RandomPositions;
use board::{MoverView, Position};
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use engine::shipped_value_net;
use feature_maps::ExtractRows;
use feature_maps::rows::Rows;
use kernels::activations::tanh;
use nets::QuantizedValueNet;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use std::hint::black_box;

const POSITIONS: usize = 1_000;

fn evaluation(criterion: &mut Criterion) {
    let mut games = RandomPositions::new(Xoshiro256PlusPlus::seed_from_u64(1));
    let positions: Vec<_> = (0..POSITIONS).map(|_| games.next_position().clone()).collect();
    let net = shipped_value_net().expect("the shipped net is readable");
    let rows: Vec<_> = positions.iter().map(|position| rows_of(&net, position)).collect();
    let mut group = criterion.benchmark_group("evaluation");
    let mut index = 0;
    let mut next = move || {
        index = (index + 1) % POSITIONS;
        index
    };
    group.bench_function(format!("features {}", net.kernels().isa), |bencher| {
        bencher.iter_batched(&mut next, |index| rows_of(&net, black_box(&positions[index])), BatchSize::SmallInput);
    });
    group.bench_function(format!("network {}", net.kernels().isa), |bencher| {
        bencher.iter_batched(
            &mut next,
            |index| tanh(net.logit_of_rows(black_box(&rows[index]))),
            BatchSize::SmallInput,
        );
    });
    group.bench_function(format!("whole {}", net.kernels().isa), |bencher| {
        bencher.iter_batched(&mut next, |index| net.evaluate(black_box(&positions[index])), BatchSize::SmallInput);
    });
    group.finish();
}

fn rows_of(net: &QuantizedValueNet, position: &Position) -> Rows {
    net.kernels().run(ExtractRows(&MoverView::of(position)))
}

criterion_group!(benches, evaluation);
criterion_main!(benches);

//! How long an evaluation takes: the features, the network, and both, on positions of random games.
//!
//! `cargo bench --bench evaluation`, with `OKAPI_ISA=naive|wide|avx2` for one instruction set.

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use feature_maps::layout::INPUTS;
use okapi::engine::shipped_net;
use okapi::learn::random_games::RandomGames;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use std::hint::black_box;

const POSITIONS: usize = 1_000;

fn evaluation(criterion: &mut Criterion) {
    let mut games = RandomGames::new(Xoshiro256PlusPlus::seed_from_u64(1));
    let positions: Vec<_> = (0..POSITIONS).map(|_| games.next_position().clone()).collect();
    let net = shipped_net().expect("the shipped net is readable");
    let mut features = [0.0; INPUTS];
    let vectors: Vec<_> = positions
        .iter()
        .map(|position| {
            feature_maps::extract(position, &mut features);
            features
        })
        .collect();
    let mut group = criterion.benchmark_group("evaluation");
    let mut index = 0;
    let mut next = move || {
        index = (index + 1) % POSITIONS;
        index
    };
    group.bench_function("features", |bencher| {
        bencher.iter_batched(
            &mut next,
            |index| feature_maps::extract(black_box(&positions[index]), &mut features),
            BatchSize::SmallInput,
        );
    });
    group.bench_function(format!("network {}", net.kernels().isa), |bencher| {
        bencher.iter_batched(&mut next, |index| net.evaluate(black_box(&vectors[index])), BatchSize::SmallInput);
    });
    group.bench_function(format!("whole {}", net.kernels().isa), |bencher| {
        bencher.iter_batched(
            &mut next,
            |index| {
                feature_maps::extract(black_box(&positions[index]), &mut features);
                net.evaluate(&features)
            },
            BatchSize::SmallInput,
        );
    });
    group.finish();
}

criterion_group!(benches, evaluation);
criterion_main!(benches);

//! How many evaluations and training steps a second each instruction set makes on this core, for the thesis' network,
//! for the same with a piece placement, and for larger ones.
//!
//! `cargo run --release -p nets --example speed`

use std::hint::black_box;
use std::time::Instant;

use board::Position;
use feature_maps::Features;
use feature_maps::layout::INPUTS;
use kernels::{Isa, Kernels};
use nets::{BATCH, FeatureSource, NetworkTopology, QuantizedValueNet, ValueBatch, ValueBatchWeights, ValueNet};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// As many positions as keep a branch predictor from learning them.
const POSITIONS: usize = 2_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let positions = positions();
    let features: Vec<Features> = positions
        .iter()
        .map(|position| {
            let mut features = [0.0; INPUTS];
            feature_maps::extract(position, &mut features);
            features
        })
        .collect();
    for topology in [
        NetworkTopology::THESIS,
        NetworkTopology::THESIS.with_placement(1, 512)?,
        NetworkTopology::new([38, 108, 64], 128)?,
        NetworkTopology::new([76, 216, 128], 256)?,
    ] {
        let net = ValueNet::random(topology, 1);
        for isa in Isa::ALL.into_iter().filter(|isa| isa.is_available()) {
            let kernels = Kernels::for_isa(isa)?;
            let quantized = QuantizedValueNet::new(&net, kernels);
            let evaluations = rate(&positions, |position| quantized.evaluate(position));
            let (mut batch, weights) = (ValueBatch::new(&topology.into(), kernels), ValueBatchWeights::new(&net));
            let inputs: Vec<_> = positions.iter().zip(features.iter().map(FeatureSource::Features)).collect();
            let batches: Vec<_> = inputs.chunks_exact(BATCH).collect();
            let steps = BATCH as f64
                * rate(&batches, |inputs| {
                    batch.fill_with(inputs.iter().copied());
                    let slopes = batch.forward(&weights).to_vec();
                    batch.backward(&weights, &slopes);
                    slopes[0]
                });
            println!("{topology} {isa}: {evaluations:.0} evaluations/s, {steps:.0} training positions/s");
            let quantization: Vec<f64> = (0..21)
                .map(|_| {
                    let start = Instant::now();
                    black_box(QuantizedValueNet::new(black_box(&net), kernels));
                    start.elapsed().as_secs_f64()
                })
                .collect();
            let least = quantization.into_iter().fold(f64::MAX, f64::min);
            println!("{topology} {isa}: quantization {:.2} ms", 1e3 * least);
        }
    }
    Ok(())
}

/// Positions of random games.
fn positions() -> Vec<Position> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut position = Position::start();
    let next = |_| {
        let moves = position.legal_moves();
        position = match moves.len() as u64 {
            0 => Position::start(),
            count => position.play(moves[(rng.next_u64() % count) as usize]),
        };
        position.clone()
    };
    (0..POSITIONS).map(next).collect()
}

/// The median over 21 rounds of calls a second.
fn rate<T>(items: &[T], mut call: impl FnMut(&T) -> f32) -> f64 {
    let mut rates: Vec<f64> = (0..21)
        .map(|_| {
            let start = Instant::now();
            for item in items {
                black_box(call(black_box(item)));
            }
            items.len() as f64 / start.elapsed().as_secs_f64()
        })
        .collect();
    rates.sort_by(f64::total_cmp);
    rates[rates.len() / 2]
}

//! How many evaluations and training steps a second each instruction set makes on this core.
//!
//! `cargo run --release -p nets --example speed`

use std::hint::black_box;
use std::time::Instant;

use feature_maps::layout::INPUTS;
use kernels::{Isa, Kernels};
use nets::{PackedNet, Params, Scratch, Topology, ValueNet};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// As many positions as keep a branch predictor from learning them.
const POSITIONS: usize = 512;

/// The share of features that are zero in positions of games, in percent, and the length of their runs (slots).
const ZEROS: u64 = 45;
const RUN: usize = 5;

fn main() -> Result<(), kernels::IsaError> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut positions = vec![[0.0_f32; INPUTS]; POSITIONS];
    for x in positions.iter_mut().flat_map(|x| x.chunks_mut(RUN)) {
        if rng.next_u64() % 100 >= ZEROS {
            x.fill_with(|| (1 + rng.next_u64() % 100) as f32 / 100.0);
        }
    }
    let net = ValueNet::random(Topology::THESIS, 1);
    for isa in Isa::ALL.into_iter().filter(|isa| isa.is_available()) {
        let kernels = Kernels::for_isa(isa)?;
        let packed = PackedNet::new(&net, kernels);
        let evaluations = rate(&positions, |x| packed.evaluate(x));
        let (mut scratch, mut gradient) = (Scratch::new(&Topology::THESIS, kernels), Params::zeros(Topology::THESIS));
        let steps = rate(&positions, |x| {
            let value = net.forward(x, &mut scratch);
            net.backward(x, &mut scratch, value, &mut gradient);
            value
        });
        println!("{isa}: {evaluations:.0} evaluations/s, {steps:.0} forward and backward passes/s");
    }
    Ok(())
}

/// The median over 101 rounds of calls a second.
fn rate(positions: &[[f32; INPUTS]], mut call: impl FnMut(&[f32; INPUTS]) -> f32) -> f64 {
    let mut rates: Vec<f64> = (0..101)
        .map(|_| {
            let start = Instant::now();
            for x in positions {
                black_box(call(black_box(x)));
            }
            positions.len() as f64 / start.elapsed().as_secs_f64()
        })
        .collect();
    rates.sort_by(f64::total_cmp);
    rates[rates.len() / 2]
}

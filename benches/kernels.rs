//! How long the kernels of an evaluation take, each alone, in the sizes of the thesis' network.
//!
//! `cargo bench --bench kernels`, with `OKAPI_ISA=naive|wide|avx2` for one instruction set.

use criterion::{Criterion, criterion_group, criterion_main};
use feature_maps::feature_set::POSITION;
use feature_maps::layout::GROUPS;
use kernels::vector::padded;
use kernels::words::padded_words;
use kernels::{Backend, PAIRS_BLOCK, RowList, Task};
use nets::NetworkTopology;
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use std::hint::black_box;

/// `(group)`: the rows of a position, on average.
const ROWS: [usize; GROUPS] = [6, 47, 64];

struct SumRows<'a> {
    /// `(row, outputs)`.
    table: &'a [i16],
    rows: &'a [u16],
    /// `(outputs)`.
    y: &'a mut [i16],
}

impl Task for SumRows<'_> {
    type Output = ();

    #[inline(always)]
    fn run<B: Backend>(self) {
        B::sum_rows(self.table, &RowList::new(self.rows), self.y);
    }
}

struct DensePairs<'a> {
    /// `(inputs)`.
    x: &'a [i16],
    /// `(inputs / 2, outputs, 2)`.
    weights: &'a [i16],
    /// `(outputs)`.
    bias: &'a [i32],
    /// `(outputs)`.
    y: &'a mut [i32],
}

impl Task for DensePairs<'_> {
    type Output = ();

    #[inline(always)]
    fn run<B: Backend>(self) {
        B::dense_pairs(self.x, self.weights, self.bias, self.y);
    }
}

struct Output<'a> {
    /// `(inputs)`.
    x: &'a [i32],
    /// `(inputs)`.
    weights: &'a [f32],
}

impl Task for Output<'_> {
    type Output = f32;

    #[inline(always)]
    fn run<B: Backend>(self) -> f32 {
        B::rectified_dot(self.x, self.weights)
    }
}

fn kernels_alone(criterion: &mut Criterion) {
    let kernels = kernels::active().expect("kernels for this machine");
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut group = criterion.benchmark_group("kernels");

    for ((inputs, count), (_, outputs)) in POSITION.groups.iter().zip(ROWS).zip(NetworkTopology::THESIS.groups()) {
        let (height, width) = (inputs.schema().rows(), padded_words(outputs));
        let table: Vec<i16> = (0..height * width).map(|_| random.random_range(-99..=99)).collect();
        let rows: Vec<u16> = (0..count).map(|_| random.random_range(0..height) as u16).collect();
        let mut y = vec![0; width];
        group.bench_function(format!("sum of {count} rows of {width} {}", kernels.isa), |bencher| {
            bencher.iter(|| kernels.run(SumRows { table: &table, rows: black_box(&rows), y: black_box(&mut y) }));
        });
    }

    let (inputs, hidden) = NetworkTopology::THESIS.shape(nets::Layer::Hidden);
    let (inputs, hidden) = (inputs.next_multiple_of(PAIRS_BLOCK), padded(hidden));
    // Of pairs: outputs of a first layer are active together.
    for active in [0.25, 1.0] {
        let mut x = vec![0; inputs];
        x.chunks_exact_mut(2).filter(|_| random.random_bool(active)).for_each(|pair| pair.fill(100));
        let weights: Vec<i16> = (0..inputs * hidden).map(|_| random.random_range(-99..=99)).collect();
        let (bias, mut y) = (vec![1; hidden], vec![0; hidden]);
        let (x, weights, bias) = (&x[..], &weights[..], &bias[..]);
        let name = format!("{inputs} to {hidden}, {:.0} % of pairs active {}", 100.0 * active, kernels.isa);
        group.bench_function(name, |bencher| {
            bencher.iter(|| kernels.run(DensePairs { x: black_box(x), weights, bias, y: black_box(&mut y) }));
        });
    }

    let x: Vec<i32> = (0..hidden).map(|_| random.random_range(-9_999..=9_999)).collect();
    let weights: Vec<f32> = (0..hidden).map(|_| random.random_range(-1.0..1.0)).collect();
    group.bench_function(format!("{hidden} to 1 {}", kernels.isa), |bencher| {
        bencher.iter(|| kernels.run(Output { x: black_box(&x), weights: &weights }));
    });
    group.finish();
}

criterion_group!(benches, kernels_alone);
criterion_main!(benches);

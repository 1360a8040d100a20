//! How long the kernels of an evaluation take, each alone, in the sizes of the thesis' network.
//!
//! `cargo bench -p benches --bench kernels`, with `OKAPI_ISA=naive|wide|avx2` for one instruction set.

use criterion::{Criterion, criterion_group, criterion_main};
use feature_maps::feature_set::POSITION;
use feature_maps::layout::GROUPS;
use feature_maps::placement::PLACES;
use kernels::vector::padded;
use kernels::words::{SUMS, padded_words};
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

struct ChangeRows<'a> {
    /// `(row, outputs)`.
    table: &'a [i16],
    changes: [&'a [u16]; 2],
    /// `(outputs)`.
    from: &'a [i16],
    /// `(outputs)`.
    to: &'a mut [i16],
}

impl Task for ChangeRows<'_> {
    type Output = ();

    #[inline(always)]
    fn run<B: Backend>(self) {
        let [added, removed] = self.changes.map(RowList::new);
        B::change_rows(self.table, [&added, &removed], self.from, self.to);
    }
}

struct OutputOfWords<'a> {
    /// `(inputs)`.
    x: &'a [i16],
    /// `(inputs)`.
    weights: &'a [i16],
}

impl Task for OutputOfWords<'_> {
    type Output = [i32; SUMS];

    #[inline(always)]
    fn run<B: Backend>(self) -> [i32; SUMS] {
        B::rectified_dot_of_words(self.x, self.weights)
    }
}

struct SortedPlaces<'a> {
    /// `(keys)`.
    keys: &'a [i32],
    /// `(keys)`.
    places: &'a mut [i32],
}

impl Task for SortedPlaces<'_> {
    type Output = ();

    #[inline(always)]
    fn run<B: Backend>(self) {
        B::sorted_places(self.keys, self.places);
    }
}

/// Outputs of the piece placement for one view.
const PLACEMENT: usize = 512;

/// Moves of a node.
const MOVES: usize = 32;

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

    let table: Vec<i16> = (0..PLACES * PLACEMENT).map(|_| random.random_range(-99..=99)).collect();
    let (from, mut to) = (vec![1; PLACEMENT], vec![0; PLACEMENT]);
    let rows: [u16; 3] = std::array::from_fn(|_| random.random_range(0..PLACES) as u16);
    let (added, removed) = rows.split_at(1);
    group.bench_function(format!("{PLACEMENT} sums after a capture {}", kernels.isa), |bencher| {
        let (table, from) = (&table[..], &from[..]);
        bencher.iter(|| kernels.run(ChangeRows { table, changes: black_box([added, removed]), from, to: &mut to }));
    });
    let weights: Vec<i16> = (0..PLACEMENT).map(|_| random.random_range(-99..=99)).collect();
    group.bench_function(format!("{PLACEMENT} words to 1 {}", kernels.isa), |bencher| {
        bencher.iter(|| kernels.run(OutputOfWords { x: black_box(&table[..PLACEMENT]), weights: &weights }));
    });
    let keys: Vec<i32> = (0..MOVES).map(|_| random.random_range(0..i32::MAX)).collect();
    let mut places = vec![0; MOVES];
    group.bench_function(format!("places of {MOVES} keys {}", kernels.isa), |bencher| {
        bencher.iter(|| kernels.run(SortedPlaces { keys: black_box(&keys), places: black_box(&mut places) }));
    });
    group.finish();
}

criterion_group!(benches, kernels_alone);
criterion_main!(benches);

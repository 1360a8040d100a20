//! Many lists through a small network: every backend against the scalar reference, bit for bit, in the sizes that have code of
//! their own and in others, with extreme values among the rows.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::{backends, bits, words};
use kernels::{Backend, Isa, PAIRS_BLOCK, RowNet, Task, naive};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Rows of a list, without its last.
const ROWS: usize = 5;

struct Outputs<'a> {
    net: RowNet<'a>,
    base: &'a [i16],
    lists: &'a [[u16; ROWS]],
    lasts: &'a [u16],
}

impl Task for Outputs<'_> {
    type Output = Vec<f32>;

    #[inline(always)]
    fn run<B: Backend>(self) -> Vec<f32> {
        let mut y = vec![9.0; self.lists.len()];
        B::row_net(&self.net, self.base, self.lists, self.lasts, &mut y);
        y
    }
}

#[test]
fn outputs_are_bit_equal() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let sizes = [(64, 32), (16, 8), (64, 40), (48, 32), (128, 128), (128, 32)];
    for round in 0..300 {
        let (width, hidden) = sizes[round % sizes.len()];
        let (rows, count) = (rng.random_range(1..40_u16), rng.random_range(0..60));
        let table = words(&mut rng, usize::from(rows) * width);
        let mut weights = words(&mut rng, width * hidden);
        weights.resize(width.next_multiple_of(PAIRS_BLOCK) * hidden, 7);
        let bias: Vec<i32> = (0..hidden).map(|_| rng.random_range(-1 << 30..1 << 30)).collect();
        let output: Vec<f32> = (0..hidden).map(|_| rng.random_range(-1.0..1.0)).collect();
        let net = RowNet { table: &table, weights: &weights, bias: &bias, output: &output, output_bias: 0.25 };
        let base = words(&mut rng, width);
        let lists: Vec<[u16; ROWS]> = (0..count).map(|_| std::array::from_fn(|_| rng.random_range(0..rows))).collect();
        let lasts: Vec<u16> = (0..count).map(|_| rng.random_range(0..rows)).collect();
        let mut expected = vec![0.0; count];
        naive::row_net(&net, &base, &lists, &lasts, &mut expected);
        for kernels in backends() {
            let y = kernels.run(Outputs { net, base: &base, lists: &lists, lasts: &lasts });
            assert_eq!(bits(&y), bits(&expected), "{}, round {round}: {width} -> {hidden}", kernels.isa);
        }
    }
}

/// Kernels read without checks what they have checked before.
#[test]
fn what_does_not_fit_panics() {
    let (words, bias, output) = ([1_i16; 64 * PAIRS_BLOCK], [0_i32; 32], [0.0_f32; 32]);
    for kernels in backends() {
        for (width, hidden) in [(64, 32), (64, 24)] {
            let panics = |table: usize, weights: usize, outputs: usize, list: u16, last: u16| {
                let (table, weights, output) = (&words[..table], &words[..weights], &output[..outputs]);
                let net = RowNet { table, weights, bias: &bias[..hidden], output, output_bias: 0.0 };
                let (base, lists, lasts) = (&words[..width], [[0, 0, list, 0, 0]], [last]);
                let call = || drop(kernels.run(Outputs { net, base, lists: &lists, lasts: &lasts }));
                catch_unwind(AssertUnwindSafe(call)).is_err()
            };
            let (of, whole) = (format!("{}, {hidden}", kernels.isa), PAIRS_BLOCK * hidden);
            assert!(!panics(3 * width, whole, hidden, 2, 2), "{of}: what fits");
            assert!(panics(3 * width, whole, hidden, 3, 0), "{of}: a row after the last");
            assert!(panics(3 * width, whole, hidden, 0, 3), "{of}: a last row after the last");
            assert!(panics(3 * width - 1, whole, hidden, 2, 0), "{of}: a row that is not whole");
            assert!(panics(3 * width, width * hidden - 1, hidden, 0, 0), "{of}: too few weights");
            if kernels.isa != Isa::Naive {
                assert!(panics(3 * width, whole, hidden - 8, 0, 0), "{of}: too few outputs' weights");
            }
        }
    }
}

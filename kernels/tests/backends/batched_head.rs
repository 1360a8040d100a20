//! The batched head: every backend against the scalar reference, bit for bit, in the sizes that have code of
//! their own and in others, with extreme values among the rows.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::{backends, bits, words};
use kernels::{Backend, BatchedHead, Isa, PAIRS_BLOCK, Task, naive};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Rows of a list, without its last.
const ROWS: usize = 5;

struct Outputs<'a> {
    net: BatchedHead<'a>,
    base: &'a [i16],
    lists: &'a [[u16; ROWS]],
    ranks: &'a [u16],
}

impl Task for Outputs<'_> {
    type Output = Vec<f32>;

    #[inline(always)]
    fn run<B: Backend>(self) -> Vec<f32> {
        let mut y = vec![9.0; self.lists.len()];
        B::batched_head(&self.net, self.base, self.lists, self.ranks, None, &mut y);
        y
    }
}

/// The same with kept sums, and what they give with other last rows.
struct Again<'a> {
    first: Outputs<'a>,
    ranks: &'a [u16],
}

impl Task for Again<'_> {
    type Output = [Vec<f32>; 2];

    #[inline(always)]
    fn run<B: Backend>(self) -> [Vec<f32>; 2] {
        let Outputs { net, base, lists, ranks } = self.first;
        let mut kept = vec![5; lists.len() * base.len()];
        let mut y = [vec![9.0; lists.len()], vec![9.0; lists.len()]];
        B::batched_head(&net, base, lists, ranks, Some(&mut kept), &mut y[0]);
        B::batched_head_repeat(&net, &kept, self.ranks, &mut y[1]);
        y
    }
}

struct Kept<'a> {
    net: BatchedHead<'a>,
    kept: &'a [i16],
    ranks: &'a [u16],
}

impl Task for Kept<'_> {
    type Output = ();

    #[inline(always)]
    fn run<B: Backend>(self) {
        B::batched_head_repeat(&self.net, self.kept, self.ranks, &mut vec![9.0; self.ranks.len()]);
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
        let net = BatchedHead { table: &table, weights: &weights, bias: &bias, output: &output, output_bias: 0.25 };
        let base = words(&mut rng, width);
        let lists: Vec<[u16; ROWS]> = (0..count).map(|_| std::array::from_fn(|_| rng.random_range(0..rows))).collect();
        let ranks: Vec<u16> = (0..count).map(|_| rng.random_range(0..rows)).collect();
        let others: Vec<u16> = ranks.iter().rev().copied().collect();
        let [mut expected, mut again] = [vec![0.0; count], vec![0.0; count]];
        naive::batched_head(&net, &base, &lists, &ranks, None, &mut expected);
        naive::batched_head(&net, &base, &lists, &others, None, &mut again);
        for kernels in backends() {
            let of = format!("{}, round {round}: {width} -> {hidden}", kernels.isa);
            let first = || Outputs { net, base: &base, lists: &lists, ranks: &ranks };
            assert_eq!(bits(&kernels.run(first())), bits(&expected), "{of}");
            let y = kernels.run(Again { first: first(), ranks: &others });
            assert_eq!(y.map(|y| bits(&y)), [bits(&expected), bits(&again)], "{of}, sums kept");
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
                let net = BatchedHead { table, weights, bias: &bias[..hidden], output, output_bias: 0.0 };
                let (base, lists, ranks) = (&words[..width], [[0, 0, list, 0, 0]], [last]);
                let call = || drop(kernels.run(Outputs { net, base, lists: &lists, ranks: &ranks }));
                catch_unwind(AssertUnwindSafe(call)).is_err()
            };
            let (of, whole) = (format!("{}, {hidden}", kernels.isa), PAIRS_BLOCK * hidden);
            assert!(!panics(3 * width, whole, hidden, 2, 2), "{of}: what fits");
            assert!(panics(3 * width, whole, hidden, 3, 0), "{of}: a row after the last");
            assert!(panics(3 * width, whole, hidden, 0, 3), "{of}: a last row after the last");
            assert!(panics(3 * width - 1, whole, hidden, 2, 0), "{of}: a row that is not whole");
            assert!(panics(3 * width, width * hidden - 1, hidden, 0, 0), "{of}: too few weights");
            let again_panics = |kept: usize, last: u16| {
                let (weights, table) = (&words[..whole], &words[..3 * width]);
                let net =
                    BatchedHead { table, weights, bias: &bias[..hidden], output: &output[..hidden], output_bias: 0.0 };
                let call = || kernels.run(Kept { net, kept: &words[..kept], ranks: &[0, last] });
                catch_unwind(AssertUnwindSafe(call)).is_err()
            };
            assert!(!again_panics(2 * width, 2), "{of}: kept sums that fit");
            assert!(again_panics(2 * width, 3), "{of}: again a last row after the last");
            if kernels.isa != Isa::Naive {
                assert!(panics(3 * width, whole, hidden - 8, 0, 0), "{of}: too few outputs' weights");
                assert!(again_panics(2 * width - 1, 0), "{of}: a kept sum that is not whole");
            }
        }
    }
}

//! Every backend against the scalar reference, bit for bit, over ragged sizes, zeros of both signs and extreme values.

/// A kernel as a task.
macro_rules! task {
    ($name:ident { $($field:ident: $type:ty),* }, $output:ty, |$self:ident, $backend:ident| $call:expr) => {
        #[derive(Clone, Copy)]
        struct $name<'a> { $($field: $type),* }

        impl Task for $name<'_> {
            type Output = $output;

            #[inline(always)]
            fn run<$backend: Backend>($self) -> $output {
                $call
            }
        }
    };
}

mod batched_head;
mod nonzeros;
mod one_position;

use std::panic::{AssertUnwindSafe, catch_unwind};

use kernels::activations;
use kernels::nonzeros::Nonzeros;
use kernels::product::{Left, Right, Sum};
use kernels::vector::LANES;
use kernels::words::{SUMS, WORDS};
use kernels::{Backend, Isa, Kernels, PAIRS_BLOCK, RowList, Task, naive};
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// All backends of this machine.
fn backends() -> Vec<&'static Kernels> {
    Isa::ALL.into_iter().filter_map(|isa| Kernels::for_isa(isa).ok()).collect()
}

/// Values as they occur: almost half zeros (a few of them -0), the rest of several magnitudes.
fn values(rng: &mut impl Rng, length: usize) -> Vec<f32> {
    let value = |rng: &mut _| match RngExt::random_range(rng, 0..20) {
        0..8 => 0.0,
        8 => -0.0,
        9 => RngExt::random_range(rng, -1e3_f32..1e3),
        10 => RngExt::random_range(rng, -1e-30_f32..1e-30),
        _ => RngExt::random_range(rng, -1.0_f32..1.0),
    };
    (0..length).map(|_| value(rng)).collect()
}

/// Numbers as they occur: mostly small, now and then one of the extremes (-32767 is the least weight there is).
fn words(rng: &mut impl Rng, length: usize) -> Vec<i16> {
    let word = |rng: &mut _| match RngExt::random_range(rng, 0..20) {
        0 => i16::MAX,
        1 => -i16::MAX,
        2..8 => 0,
        _ => RngExt::random_range(rng, -900..900),
    };
    (0..length).map(|_| word(rng)).collect()
}

/// Any i32, the extremes among them.
fn sums(rng: &mut impl Rng, length: usize) -> Vec<i32> {
    let sum = |rng: &mut _| match RngExt::random_range(rng, 0..10) {
        0 => i32::MAX,
        1 => i32::MIN,
        2 => 0,
        // Not exact in f32: the rounding of the conversion counts.
        3 => 0x0100_0001,
        _ => RngExt::random(rng),
    };
    (0..length).map(|_| sum(rng)).collect()
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

task!(BitCodes { planes: &'a [u64; 6], weights: &'a [u8; 6] }, [u8; 64], |self, B| {
    B::bit_codes(*self.planes, *self.weights)
});
task!(SumRows { table: &'a [i16], rows: &'a [u16], outputs: usize }, Vec<i16>, |self, B| {
    let mut y = vec![-1; self.outputs];
    B::sum_rows(self.table, &RowList::new(self.rows), &mut y);
    y
});
task!(AddRows { table: &'a [i16], rows: &'a [u16], sums: &'a [i16] }, Vec<i16>, |self, B| {
    let mut sums = self.sums.to_vec();
    B::add_rows(self.table, &RowList::new(self.rows), &mut sums);
    sums
});
task!(ChangeRows { table: &'a [i16], changes: [&'a [u16]; 2], from: &'a [i16] }, Vec<i16>, |self, B| {
    let mut to = vec![-1; self.from.len()];
    let [added, removed] = self.changes.map(RowList::new);
    B::change_rows(self.table, [&added, &removed], self.from, &mut to);
    to
});
task!(DensePairs { x: &'a [i16], weights: &'a [i16], bias: &'a [i32] }, Vec<i32>, |self, B| {
    let mut y = vec![-1; self.bias.len()];
    B::dense_pairs(self.x, self.weights, self.bias, &mut y);
    y
});
task!(RectifiedDot { x: &'a [i32], weights: &'a [f32] }, f32, |self, B| B::rectified_dot(self.x, self.weights));
task!(RectifiedDotOfWords { x: &'a [i16], weights: &'a [i16] }, [i32; SUMS], |self, B| {
    B::rectified_dot_of_words(self.x, self.weights)
});

task!(SortedPlaces { keys: &'a [i32] }, Vec<i32>, |self, B| {
    let mut places = vec![-1; self.keys.len()];
    B::sorted_places(self.keys, &mut places);
    places
});

task!(Bits { values: &'a [f32] }, u64, |self, B| B::nonzeros(self.values));

task!(BothWays { y: &'a [f32], d: &'a [f32] }, (Vec<f32>, Vec<f32>, [u64; 2]), |self, B| {
    let (mut y, mut d) = (self.y.to_vec(), self.d.to_vec());
    let found = [B::relu(&mut y), B::relu_backward(&mut d, &y)];
    (y, d, found)
});

task!(AddProduct { a: Left<'a>, b: Right<'a>, c: &'a [f32], stride: usize }, Vec<f32>, |self, B| {
    let mut c = self.c.to_vec();
    B::add_product(self.a, self.b, Sum { values: &mut c, stride: self.stride });
    c
});

task!(FloatRows { table: &'a [f32], rows: &'a [u16], y: &'a [f32] }, Vec<f32>, |self, B| {
    let mut y = self.y.to_vec();
    B::add_float_rows(self.table, self.rows, &mut y);
    y
});

#[test]
fn rows_of_floats_are_added_in_their_order() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(14);
    for round in 0..500 {
        let (width, height) = (rng.random_range(0..200), rng.random_range(1..20));
        let (table, y) = (values(&mut rng, width * height), values(&mut rng, width));
        // Some of them more than once.
        let rows: Vec<u16> = (0..rng.random_range(0..30)).map(|_| rng.random_range(0..height as u16)).collect();
        let mut expected = y.clone();
        naive::add_float_rows(&table, &rows, &mut expected);
        for kernels in backends() {
            let sums = kernels.run(FloatRows { table: &table, rows: &rows, y: &y });
            assert_eq!(bits(&sums), bits(&expected), "{}, {round}: {width} wide", kernels.isa);
        }
        if width > 0 {
            for kernels in backends() {
                let rows = [height as u16];
                let beyond = || drop(kernels.run(FloatRows { table: &table, rows: &rows, y: &y }));
                assert!(catch_unwind(AssertUnwindSafe(beyond)).is_err(), "{}: a row after the last", kernels.isa);
            }
        }
    }
}

#[test]
fn sorted_places_are_equal() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(12);
    for round in 0..500 {
        // Many equal keys, or few.
        let range = if round % 2 == 0 { -3..4 } else { i32::MIN..i32::MAX };
        let keys: Vec<i32> = (0..SUMS * rng.random_range(0..9)).map(|_| rng.random_range(range.clone())).collect();
        let mut expected = vec![0; keys.len()];
        naive::sorted_places(&keys, &mut expected);
        let mut order: Vec<usize> = (0..keys.len()).collect();
        order.sort_by_key(|at| keys[*at]);
        assert!(order.iter().enumerate().all(|(place, at)| expected[*at] == place as i32), "round {round}");
        for kernels in backends() {
            assert_eq!(kernels.run(SortedPlaces { keys: &keys }), expected, "{}, round {round}", kernels.isa);
        }
    }
}

#[test]
fn nonzeros_are_equal() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(9);
    for length in (0..=64).cycle().take(650) {
        let mut values = values(&mut rng, length);
        values.iter_mut().step_by(17).for_each(|value| *value = f32::NAN);
        let expected = naive::nonzeros(&values);
        for kernels in backends() {
            assert_eq!(kernels.run(Bits { values: &values }), expected, "{}: {values:?}", kernels.isa);
        }
    }
}

#[test]
fn relu_and_its_gradient_are_bit_equal_and_find_what_is_left() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(10);
    for length in (0..=64).step_by(LANES).cycle().take(300) {
        let [mut y, mut d] = [values(&mut rng, length), values(&mut rng, length)];
        y.iter_mut().step_by(13).for_each(|y| *y = f32::NAN);
        d.iter_mut().step_by(11).for_each(|d| *d = f32::INFINITY);
        let (mut expected_y, mut expected_d) = (y.clone(), d.clone());
        let expected = [naive::relu_all(&mut expected_y), naive::relu_backward(&mut expected_d, &expected_y)];
        assert!(expected_y.iter().zip(&y).all(|(relu, y)| relu.to_bits() == activations::relu(*y).to_bits()));
        for kernels in backends() {
            let (y, d, found) = kernels.run(BothWays { y: &y, d: &d });
            assert_eq!(
                (bits(&y), bits(&d), found),
                (bits(&expected_y), bits(&expected_d), expected),
                "{}",
                kernels.isa
            );
        }
    }
}

#[test]
fn products_that_pass_zeros_by_are_bit_equal_from_either_side() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(8);
    for round in 0..500 {
        let (rows, depth) = (rng.random_range(0..=150), rng.random_range(1..=200));
        let width = LANES * rng.random_range(0..=20);
        let gap = rng.random_range(0..3);
        let a = values(&mut rng, rows * (depth + gap) + depth);
        let (mut straight, mut transposed) = (Nonzeros::default(), Nonzeros::default());
        straight.set::<kernels::Scalar>(depth, a.chunks_exact(depth + gap).take(rows).map(|row| &row[..depth]));
        transposed.set_transposed(&straight);
        let sides = [
            (rows, depth, Left { values: &a, nonzeros: &straight, row_stride: depth + gap, depth_stride: 1 }),
            (depth, rows, Left { values: &a, nonzeros: &transposed, row_stride: 1, depth_stride: depth + gap }),
        ];
        for (rows, depth, a) in sides {
            let stride = (width + LANES * gap).max(1);
            let (b, c) = (values(&mut rng, depth * stride + width), values(&mut rng, rows * stride));
            let b = Right { values: &b, stride, width };
            let mut expected = c.clone();
            naive::add_product(a, b, Sum { values: &mut expected, stride });
            for kernels in backends() {
                let product = kernels.run(AddProduct { a, b, c: &c, stride });
                assert_eq!(bits(&product), bits(&expected), "{}, {round}: {rows} {depth} {width}", kernels.isa);
            }
        }
    }
}

#[test]
fn bit_codes_are_equal() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    for round in 0..2_000 {
        let planes: [u64; 6] = std::array::from_fn(|_| match rng.random_range(0..4) {
            0 => 0,
            1 => !0,
            _ => rng.random(),
        });
        // The sum of all weights is below 256, as it has to be.
        let weights: [u8; 6] = std::array::from_fn(|_| rng.random_range(0..=42));
        let expected = naive::bit_codes(planes, weights);
        for kernels in backends() {
            let codes = kernels.run(BitCodes { planes: &planes, weights: &weights });
            assert_eq!(codes, expected, "{}, round {round}", kernels.isa);
        }
    }
}

#[test]
fn sums_of_rows_are_equal() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    for round in 0..1_200 {
        let (outputs, rows) = (WORDS * rng.random_range(1..35), rng.random_range(1..40));
        // One number more in front, so that the table begins at any address.
        let table = words(&mut rng, rows * outputs + 1);
        let list: Vec<u16> = (0..rng.random_range(0..130)).map(|_| rng.random_range(0..rows as u16)).collect();
        let mut expected = vec![0; outputs];
        naive::sum_rows(&table[1..], &list, &mut expected);
        for kernels in backends() {
            let y = kernels.run(SumRows { table: &table[1..], rows: &list, outputs });
            assert_eq!(y, expected, "{}, round {round}: {rows} rows of {outputs}", kernels.isa);
        }
        let begun = words(&mut rng, outputs);
        let mut expected = begun.clone();
        naive::add_rows(&table[1..], &list, &mut expected);
        for kernels in backends() {
            let sums = kernels.run(AddRows { table: &table[1..], rows: &list, sums: &begun });
            assert_eq!(sums, expected, "{}, round {round}: {rows} rows of {outputs}", kernels.isa);
        }
        // Those of a quiet move, of a capture, and any others.
        let most = list.len();
        let ends =
            [(1, 2), (1, 3), (rng.random_range(0..=5), most)].map(|(added, all)| (added.min(most), all.min(most)));
        for (added, all) in ends {
            let changes = list[..all].split_at(added);
            let mut expected = vec![0; outputs];
            naive::change_rows(&table[1..], changes.into(), &begun, &mut expected);
            for kernels in backends() {
                let sums = kernels.run(ChangeRows { table: &table[1..], changes: changes.into(), from: &begun });
                assert_eq!(sums, expected, "{}, round {round}: {added} of {all} rows of {outputs}", kernels.isa);
            }
        }
    }
}

#[test]
fn a_part_of_a_list_sums_its_own_rows() {
    let (table, rows) = ((0..5 * WORDS as i16).collect::<Vec<_>>(), [4, 0, 2, 2, 3]);
    let list = RowList::new(&rows);
    assert_eq!(list.part(1..4).rows(), [0, 2, 2]);
    let mut expected = [0; WORDS];
    naive::sum_rows(&table, &rows[1..4], &mut expected);
    for kernels in backends() {
        let y = kernels.run(SumRows { table: &table, rows: list.part(1..4).rows(), outputs: WORDS });
        assert_eq!(y, expected, "{}", kernels.isa);
    }
}

#[test]
fn dense_pairs_are_equal() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    for round in 0..600 {
        let (inputs, outputs) = (PAIRS_BLOCK * rng.random_range(0..4), SUMS * rng.random_range(1..40));
        // An activation is never negative; the kernel does not know that.
        let x = words(&mut rng, inputs);
        let (weights, bias) = (words(&mut rng, inputs * outputs + 1), sums(&mut rng, outputs));
        let mut expected = vec![0; outputs];
        naive::dense_pairs(&x, &weights[1..], &bias, &mut expected);
        for kernels in backends() {
            let y = kernels.run(DensePairs { x: &x, weights: &weights[1..], bias: &bias });
            assert_eq!(y, expected, "{}, round {round}: {inputs} -> {outputs}", kernels.isa);
        }
    }
}

#[test]
fn pairs_of_which_one_is_zero_count() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(4);
    let (weights, bias) = (words(&mut rng, PAIRS_BLOCK * SUMS), sums(&mut rng, SUMS));
    for at in 0..PAIRS_BLOCK {
        let mut x = [0; PAIRS_BLOCK];
        x[at] = if at % 3 == 0 { i16::MIN } else { 1 + at as i16 };
        let mut expected = [0; SUMS];
        naive::dense_pairs(&x, &weights, &bias, &mut expected);
        for kernels in backends() {
            let y = kernels.run(DensePairs { x: &x, weights: &weights, bias: &bias });
            assert_eq!(y, expected, "{}, input {at}", kernels.isa);
        }
    }
}

#[test]
fn rectified_dots_are_bit_equal() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
    for round in 0..2_000 {
        let length = LANES * rng.random_range(0..70);
        let (x, weights) = (sums(&mut rng, length), values(&mut rng, length));
        let expected = naive::rectified_dot(&x, &weights);
        for kernels in backends() {
            let dot = kernels.run(RectifiedDot { x: &x, weights: &weights });
            assert_eq!(dot.to_bits(), expected.to_bits(), "{}, round {round}: {length}", kernels.isa);
        }
        let length = WORDS * rng.random_range(0..70);
        let (x, weights) = (words(&mut rng, length), words(&mut rng, length));
        let expected = naive::rectified_dot_of_words(&x, &weights);
        for kernels in backends() {
            let dot = kernels.run(RectifiedDotOfWords { x: &x, weights: &weights });
            assert_eq!(dot, expected, "{}, round {round}: {length} words", kernels.isa);
        }
    }
}

/// Kernels read without checks what they have checked before: nothing that does not fit gets so far.
#[test]
fn what_does_not_fit_panics() {
    let panics = |call: &dyn Fn()| catch_unwind(AssertUnwindSafe(call)).is_err();
    let (words, sums, floats) = ([0_i16; 4 * PAIRS_BLOCK * SUMS], [0_i32; 4 * SUMS], [0.0_f32; 4 * LANES]);
    for kernels in backends() {
        let isa = kernels.isa;
        let rows = |table: usize, rows: &[u16], outputs: usize| {
            let rows = rows.to_vec();
            panics(&|| drop(kernels.run(SumRows { table: &words[..table], rows: &rows, outputs })))
        };
        assert!(!rows(3 * WORDS, &[0, 2], WORDS), "{isa}: the last row is in the table");
        assert!(rows(3 * WORDS, &[0, 3, 1], WORDS), "{isa}: a row after the last");
        assert!(rows(3 * WORDS - 1, &[2], WORDS), "{isa}: a row that is not whole");
        assert!(rows(3 * WORDS, &[u16::MAX], 2 * WORDS), "{isa}: the largest number");
        let pairs = |x: usize, weights: usize, bias: usize| {
            panics(&|| {
                drop(kernels.run(DensePairs { x: &words[..x], weights: &words[..weights], bias: &sums[..bias] }));
            })
        };
        assert!(!pairs(PAIRS_BLOCK, PAIRS_BLOCK * SUMS, SUMS), "{isa}: what fits");
        assert!(pairs(PAIRS_BLOCK, PAIRS_BLOCK * SUMS - 1, SUMS), "{isa}: too few weights");
        // A (2, 3) of strides 3 and 1, B (3, 8), C (2, 8).
        let product = |left: usize, right: usize, sum: usize, width: usize| {
            let mut nonzeros = Nonzeros::default();
            nonzeros.set::<kernels::Scalar>(3, [[1.0; 3]; 2].iter().map(<[f32; 3]>::as_slice));
            let a = Left { values: &floats[..left], nonzeros: &nonzeros, row_stride: 3, depth_stride: 1 };
            let b = Right { values: &floats[..right], stride: LANES, width };
            panics(&|| drop(kernels.run(AddProduct { a, b, c: &floats[..sum], stride: LANES })))
        };
        assert!(!product(6, 3 * LANES, 2 * LANES, LANES), "{isa}: what fits");
        assert!(product(5, 3 * LANES, 2 * LANES, LANES), "{isa}: a left matrix that is too short");
        assert!(product(6, 3 * LANES - 1, 2 * LANES, LANES), "{isa}: a right matrix that is too short");
        if isa != Isa::Naive {
            assert!(pairs(PAIRS_BLOCK - 1, PAIRS_BLOCK * SUMS, SUMS), "{isa}: inputs that are not whole blocks");
            assert!(pairs(PAIRS_BLOCK, PAIRS_BLOCK * (SUMS - 1), SUMS - 1), "{isa}: outputs that are not whole");
            assert!(product(6, 3 * LANES, 2 * LANES - 1, LANES), "{isa}: a sum that is too short");
            assert!(product(6, 3 * LANES, 2 * LANES, LANES - 1), "{isa}: columns that are not whole");
            let dot = |x: usize, weights: usize| {
                panics(&|| assert!(kernels.run(RectifiedDot { x: &sums[..x], weights: &floats[..weights] }) == 0.0))
            };
            assert!(!dot(LANES, LANES) && dot(LANES, 2 * LANES) && dot(LANES - 1, LANES - 1), "{isa}: products");
        }
    }
}

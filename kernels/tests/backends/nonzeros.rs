//! Nonzeros of a matrix and of its transpose, and the product that skips zeros, by hand.

use kernels::nonzeros::{Nonzeros, WORD};
use kernels::product::{Left, Right, Sum};
use kernels::{Backend, Scalar, Task, naive};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::{backends, values};

#[test]
fn bits_are_those_of_the_elements_either_way_round() {
    let element = |row: usize, column: usize| if (row * 131 + column * 17) % 5 < 3 { 0.0 } else { -1.5 };
    for (rows, depth) in [(1, 1), (3, 64), (64, 65), (41, 216), (0, 9), (65, 3), (200, 130)] {
        let matrix: Vec<Vec<f32>> =
            (0..rows).map(|row| (0..depth).map(|column| element(row, column)).collect()).collect();
        let (mut nonzeros, mut transposed) = (Nonzeros::default(), Nonzeros::default());
        nonzeros.set::<Scalar>(depth, matrix.iter().map(Vec::as_slice));
        transposed.set_transposed(&nonzeros);
        assert_eq!(nonzeros.rows().len(), rows);
        for (row, bits) in nonzeros.rows().enumerate() {
            for column in 0..depth {
                let set = element(row, column) != 0.0;
                assert_eq!(bits[column / WORD] >> (column % WORD) & 1 != 0, set, "{row} {column}");
                let transposed = transposed.rows().nth(column).expect("a row for every column");
                assert_eq!(transposed[row / WORD] >> (row % WORD) & 1 != 0, set, "{row} {column}, transposed");
            }
        }
        let mut any = Vec::new();
        nonzeros.unite(&mut any);
        for column in 0..depth {
            let expected = (0..rows).any(|row| element(row, column) != 0.0);
            assert_eq!(any[column / WORD] >> (column % WORD) & 1 != 0, expected);
        }
    }
}

#[test]
fn a_product_that_passes_zeros_by() {
    // ((1, 2), (0, 4)) ((5), (6)) + ((100), (200)), and with the left matrix transposed.
    let values = [1.0, 2.0, 0.0, 4.0];
    let (mut straight, mut transposed) = (Nonzeros::default(), Nonzeros::default());
    straight.set::<Scalar>(2, values.chunks(2));
    transposed.set_transposed(&straight);
    let b = Right { values: &[5.0, 6.0], stride: 1, width: 1 };
    let mut c = [100.0, 200.0];
    let a = Left { values: &values, nonzeros: &straight, row_stride: 2, depth_stride: 1 };
    naive::add_product(a, b, Sum { values: &mut c, stride: 1 });
    assert_eq!(c, [117.0, 224.0]);
    let mut c = [100.0, 200.0];
    let a = Left { values: &values, nonzeros: &transposed, row_stride: 1, depth_stride: 2 };
    naive::add_product(a, b, Sum { values: &mut c, stride: 1 });
    assert_eq!(c, [105.0, 234.0]);
}

task!(WholeMatrix { depth: usize, y: &'a [f32], d: &'a [f32] }, ([Vec<f32>; 2], [Nonzeros; 2]), |self, B| {
    let (mut y, mut d) = (self.y.to_vec(), self.d.to_vec());
    let mut found = [Nonzeros::default(), Nonzeros::default()];
    // What was there before does not matter.
    found.iter_mut().for_each(|found| found.set::<B>(3, [[1.0; 3]; 5].iter().map(<[f32; 3]>::as_slice)));
    found[0].set_relu::<B>(self.depth, &mut y);
    found[1].set_relu_backward::<B>(self.depth, &mut d, &y);
    ([y, d], found)
});

#[test]
fn relu_of_a_matrix_finds_its_nonzeros() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(15);
    for depth in [8, 64, 72, 136] {
        let [before, gradient] = [values(&mut rng, 3 * depth), values(&mut rng, 3 * depth)];
        let y: Vec<f32> = before.iter().map(|y| y.max(0.0)).collect();
        let d: Vec<f32> = y.iter().zip(&gradient).map(|(y, d)| if *y > 0.0 { *d } else { 0.0 }).collect();
        for kernels in backends() {
            let (found, nonzeros) = kernels.run(WholeMatrix { depth, y: &before, d: &gradient });
            assert_eq!(found, [y.clone(), d.clone()], "{}, {depth}", kernels.isa);
            for (nonzeros, values) in nonzeros.iter().zip([&y, &d]) {
                assert_eq!((nonzeros.depth(), nonzeros.rows().len()), (depth, 3));
                for (bits, row) in nonzeros.rows().zip(values.chunks(depth)) {
                    for (column, value) in row.iter().enumerate() {
                        assert_eq!(bits[column / WORD] >> (column % WORD) & 1 != 0, *value != 0.0, "{depth} {column}");
                    }
                }
            }
        }
    }
}

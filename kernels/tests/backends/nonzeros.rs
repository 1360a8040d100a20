//! Nonzeros of a matrix and of its transpose, and the product that skips zeros, by hand.

use kernels::nonzeros::{Nonzeros, WORD};
use kernels::product::{Left, Right, Sum};
use kernels::{Scalar, naive};

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

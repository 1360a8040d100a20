//! The vector products and layers of a single position, for callers without a batch.

use crate::{backends, bits, values};
use kernels::{Backend, Task, naive};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

task!(Dot { a: &'a [f32], b: &'a [f32] }, f32, |self, B| B::dot(self.a, self.b));

#[test]
fn dot_is_bit_equal() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(6);
    for length in 0..200 {
        let (a, b) = (values(&mut rng, length), values(&mut rng, length));
        for kernels in backends() {
            let (got, expected) = ((kernels.dot)(&a, &b), naive::dot(&a, &b));
            assert_eq!(got.to_bits(), expected.to_bits(), "{}, length {length}", kernels.isa);
            let of_task = kernels.run(Dot { a: &a, b: &b });
            assert_eq!(of_task.to_bits(), expected.to_bits(), "{}, length {length}, in a task", kernels.isa);
        }
    }
}

#[test]
fn layers_of_one_position_are_bit_equal() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
    for round in 0..300 {
        let (inputs, outputs) = (rng.random_range(1..120), rng.random_range(1..90));
        let (x, bias) = (values(&mut rng, inputs), values(&mut rng, outputs));
        let weights = values(&mut rng, inputs * outputs);
        let mut expected = vec![0.0; outputs];
        naive::dense_relu(&x, &weights, &bias, &mut expected);
        for kernels in backends() {
            let mut y = vec![0.0; outputs];
            (kernels.affine)(&x, &weights, &bias, &mut y);
            let rectified: Vec<_> = y.iter().map(|y| kernels::activations::relu(*y)).collect();
            assert_eq!(bits(&rectified), bits(&expected), "{}, round {round}: {inputs} -> {outputs}", kernels.isa);
        }
    }
}

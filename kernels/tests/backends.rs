//! Every backend against the scalar reference, bit for bit, over ragged sizes, zeros of both signs and extreme values.

use kernels::restricted::Shape;
use kernels::vector::LANES;
use kernels::{Isa, Kernels, naive};
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

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

#[test]
fn dense_relu_is_bit_equal() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    for round in 0..600 {
        let (inputs, outputs) = (rng.random_range(0..150), LANES * rng.random_range(1..20));
        let (x, bias) = (values(&mut rng, inputs), values(&mut rng, outputs));
        let weights = values(&mut rng, inputs * outputs);
        let mut expected = vec![f32::NAN; outputs];
        naive::dense_relu(&x, &weights, &bias, &mut expected);
        for kernels in backends() {
            let mut y = vec![f32::NAN; outputs];
            (kernels.dense_relu)(&x, &weights, &bias, &mut y);
            assert_eq!(bits(&y), bits(&expected), "{}, round {round}: {inputs} -> {outputs}", kernels.isa);
        }
    }
}

#[test]
fn dense_relu_does_not_depend_on_alignment() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    let (x, bias, weights) = (values(&mut rng, 20), values(&mut rng, 17), values(&mut rng, 20 * 16 + 1));
    let mut expected = [0.0; 16];
    naive::dense_relu(&x, &weights[1..], &bias[1..], &mut expected);
    for kernels in backends() {
        let mut y = [0.0; 17];
        (kernels.dense_relu)(&x, &weights[1..], &bias[1..], &mut y[1..]);
        assert_eq!(bits(&y[1..]), bits(&expected), "{}", kernels.isa);
    }
}

#[test]
fn dot_is_bit_equal() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    for length in 0..200 {
        let (a, b) = (values(&mut rng, length), values(&mut rng, length));
        for kernels in backends() {
            let (got, expected) = ((kernels.dot)(&a, &b), naive::dot(&a, &b));
            assert_eq!(got.to_bits(), expected.to_bits(), "{}, length {length}", kernels.isa);
        }
    }
}

#[test]
fn a_whole_network_is_bit_equal() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(4);
    for round in 0..300 {
        let groups: Vec<_> =
            (0..rng.random_range(1..4)).map(|_| (rng.random_range(1..230), LANES * rng.random_range(1..9))).collect();
        let shape = Shape { groups: &groups, hidden: LANES * rng.random_range(1..12) };
        assert!(shape.is_valid());
        let (x, packed) = (values(&mut rng, shape.inputs()), values(&mut rng, shape.packed_len()));
        // Small enough that tanh does not hide everything behind ±1.
        let packed: Vec<_> = packed.into_iter().map(|w| w * 1e-2).collect();
        let expected = naive::restricted(&shape, &packed, &x);
        for kernels in backends() {
            let value = (kernels.restricted)(&shape, &packed, &x);
            assert_eq!(value.to_bits(), expected.to_bits(), "{}, round {round}: {shape:?}", kernels.isa);
        }
    }
}

#[test]
fn training_is_bit_equal_and_follows_its_equations() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
    for round in 0..300 {
        let (inputs, outputs) = (rng.random_range(1..120), rng.random_range(1..90));
        let (x, dy) = (values(&mut rng, inputs), values(&mut rng, outputs));
        let (weights, bias) = (values(&mut rng, inputs * outputs), values(&mut rng, outputs));
        let before = values(&mut rng, inputs * outputs);
        for kernels in backends() {
            let context = format!("{}, round {round}: {inputs} -> {outputs}", kernels.isa);
            let mut relu = vec![0.0; outputs];
            naive::dense_relu(&x, &weights, &bias, &mut relu);
            let mut y = vec![0.0; outputs];
            (kernels.affine)(&x, &weights, &bias, &mut y);
            let rectified: Vec<_> = y.iter().map(|y| kernels::activations::relu(*y)).collect();
            assert_eq!(bits(&rectified), bits(&relu), "forward, {context}");

            let (mut d_weights, mut d_bias) = (before.clone(), bias.clone());
            (kernels.parameter_gradient)(&x, &dy, &mut d_weights, &mut d_bias);
            for (j, dy) in dy.iter().enumerate() {
                assert_eq!(d_bias[j], bias[j] + dy, "bias {j}, {context}");
                for (i, x) in x.iter().enumerate() {
                    let at = i * outputs + j;
                    assert_eq!(d_weights[at], before[at] + x * dy, "weight ({i}, {j}), {context}");
                }
            }
            let mut dx = vec![0.0; inputs];
            (kernels.input_gradient)(&weights, &dy, &mut dx);
            for (i, dx) in dx.iter().enumerate() {
                let expected = naive::dot(&weights[i * outputs..][..outputs], &dy);
                assert_eq!(dx.to_bits(), expected.to_bits(), "input {i}, {context}");
            }
        }
    }
}

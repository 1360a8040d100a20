//! The scalar reference: the shortest code that is obviously right. It is the oracle of every other backend and the
//! fallback of every machine, and its order of operations is the contract that the others keep bit for bit.

use crate::activations::{relu, tanh};
use crate::restricted::{Shape, take};
use crate::vector::LANES;

/// One dense layer with ReLU: `y[j] = relu(b[j] + x[0] w[0][j] + x[1] w[1][j] + ...)`, added from left to right.
///
/// Shapes: `x` (inputs), `weights` (inputs, outputs), `bias` (outputs), `y` (outputs).
pub fn dense_relu(x: &[f32], weights: &[f32], bias: &[f32], y: &mut [f32]) {
    let outputs = y.len();
    for (j, y) in y.iter_mut().enumerate() {
        let mut sum = bias[j];
        for (i, x) in x.iter().enumerate() {
            sum += x * weights[i * outputs + j];
        }
        *y = relu(sum);
    }
}

/// The dot product of `a` and `b` in the fixed order of the project: lane `l` adds the products of elements `l`,
/// `l + 8`, `l + 16`, ... to zero, and [`tree`] adds the lanes.
pub fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut lanes = [0.0; LANES];
    for (i, (a, b)) in a.iter().zip(b).enumerate() {
        lanes[i % LANES] += a * b;
    }
    tree(lanes)
}

/// The fixed reduction tree: `((l0 + l4) + (l2 + l6)) + ((l1 + l5) + (l3 + l7))`, halves upon halves.
#[inline(always)]
pub fn tree(l: [f32; LANES]) -> f32 {
    ((l[0] + l[4]) + (l[2] + l[6])) + ((l[1] + l[5]) + (l[3] + l[7]))
}

/// A whole network of restricted connectivity; see [`restricted`](crate::restricted) for the packed layout.
///
/// `x` has [`Shape::inputs`] values, `packed` [`Shape::packed_len`]; the result is in `[-1, 1]`.
pub fn restricted(shape: &Shape<'_>, packed: &[f32], x: &[f32]) -> f32 {
    let (mut x, mut packed) = (x, packed);
    let mut first = Vec::new();
    for &(inputs, outputs) in shape.groups {
        let bias = take(&mut packed, outputs);
        let mut y = vec![0.0; outputs];
        dense_relu(take(&mut x, inputs), take(&mut packed, inputs * outputs), bias, &mut y);
        first.extend(y);
    }
    let mut hidden = vec![0.0; shape.hidden];
    let bias = take(&mut packed, shape.hidden);
    dense_relu(&first, take(&mut packed, first.len() * shape.hidden), bias, &mut hidden);
    let output = take(&mut packed, shape.hidden);
    tanh(dot(&hidden, output) + packed[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layer_by_hand() {
        // x = (1, 2), W = ((1, -1, 0), (10, -10, .5)), b = (.5, .5, -.5): y = relu(21.5, -20.5, .5).
        let mut y = [9.0; 3];
        dense_relu(&[1.0, 2.0], &[1.0, -1.0, 0.0, 10.0, -10.0, 0.5], &[0.5, 0.5, -0.5], &mut y);
        assert_eq!(y, [21.5, 0.0, 0.5]);
    }

    #[test]
    fn the_lanes_and_the_tree_of_a_dot_product() {
        // Lane 0 takes elements 0 and 8: 1e8 - 1e8 = 0 there, while from left to right the 1 would be lost.
        let a = [1e8, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1e8];
        assert_eq!(dot(&a, &[1.0; 9]), 1.0);
        assert_eq!(tree([1e8, 0.0, 0.0, 1.0, -1e8, 0.0, 0.0, 0.0]), 1.0);
    }

    #[test]
    fn a_network_by_hand() {
        // Groups x0 -> 2 x0 + 1 and x1 -> 3 x1, hidden (first0 + first1) - 1, output .125 hidden + .25.
        let shape = Shape { groups: &[(1, 1), (1, 1)], hidden: 1 };
        let packed = [1.0, 2.0, 0.0, 3.0, -1.0, 1.0, 1.0, 0.125, 0.25];
        assert_eq!(packed.len(), shape.packed_len());
        assert_eq!(restricted(&shape, &packed, &[0.5, 1.0]), tanh(0.75));
        assert_eq!(restricted(&shape, &packed, &[-5.0, -5.0]), tanh(0.25));
    }
}

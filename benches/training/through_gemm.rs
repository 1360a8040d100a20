//! The value network's batch as [`nets::ValueBatch`] does it, but with all products made by the crate `gemm`, on one
//! thread.

use feature_maps::Features;
use feature_maps::layout::INPUTS;
use gemm::Parallelism;
use kernels::activations::{relu, tanh, tanh_slope};
use nets::{Layer, NetworkTopology, Params, Topology, ValueNet};

/// A matrix of any strides, so that a transpose is only another view.
#[derive(Clone, Copy)]
struct View<'a> {
    values: &'a [f32],
    row_stride: usize,
    column_stride: usize,
}

impl<'a> View<'a> {
    /// Rows that follow each other at this distance.
    fn of(values: &'a [f32], row_stride: usize) -> Self {
        View { values, row_stride, column_stride: 1 }
    }

    fn transposed(self) -> Self {
        View { row_stride: self.column_stride, column_stride: self.row_stride, ..self }
    }
}

/// What a product does with what stands in its place.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Overwrite,
    Add,
}

/// `C = A B` or `C += A B`. Shapes: A (rows, depth), B (depth, columns), C (rows, columns), its rows `stride` apart.
fn product(shape: [usize; 3], a: View<'_>, b: View<'_>, c: &mut [f32], stride: usize, place: Place) {
    let [rows, depth, columns] = shape;
    let fits = |view: View<'_>, rows, columns| {
        (rows - 1) * view.row_stride + (columns - 1) * view.column_stride < view.values.len()
    };
    assert!(fits(a, rows, depth) && fits(b, depth, columns) && fits(View::of(c, stride), rows, columns));
    let of = |view: View<'_>| (view.values.as_ptr(), view.column_stride as isize, view.row_stride as isize);
    let ((a, a_columns, a_rows), (b, b_columns, b_rows)) = (of(a), of(b));
    let (c, read) = (c.as_mut_ptr(), place == Place::Add);
    let (alpha, beta, threads) = (f32::from(read), 1.0, Parallelism::None);
    // SAFETY: all three matrices lie within their slices, as has just been asserted, and only C is written, which is
    // borrowed alone.
    unsafe {
        gemm::gemm(
            rows,
            columns,
            depth,
            c,
            1,
            stride as isize,
            read,
            a,
            a_columns,
            a_rows,
            b,
            b_columns,
            b_rows,
            alpha,
            beta,
            false,
            false,
            false,
            threads,
        );
    }
}

/// A network, a batch of a fixed number of positions in work, and the sum of the gradients of all batches.
pub struct ThroughGemm {
    topology: NetworkTopology,
    params: Params<Topology>,
    gradient: Params<Topology>,
    positions: usize,
    /// `(position, first outputs)`, after ReLU.
    first: Vec<f32>,
    /// `(position, hidden)`, after ReLU.
    hidden: Vec<f32>,
    /// `(position)`.
    values: Vec<f32>,
    /// `(position)`.
    d_sum: Vec<f32>,
    /// `(position, first outputs)`.
    d_first: Vec<f32>,
    /// `(position, hidden)`.
    d_hidden: Vec<f32>,
}

impl ThroughGemm {
    /// Room for batches of this number of positions.
    pub fn new(net: &ValueNet, positions: usize) -> Self {
        let topology = *net.params().topology().network().expect("a network");
        let room = |width: usize| vec![0.0; positions * width];
        ThroughGemm {
            params: net.params().clone(),
            topology,
            gradient: Params::zeros(topology),
            positions,
            first: room(topology.first_outputs()),
            hidden: room(topology.hidden()),
            values: room(1),
            d_sum: room(1),
            d_first: room(topology.first_outputs()),
            d_hidden: room(topology.hidden()),
        }
    }

    /// The sum of the gradients of all batches.
    pub fn gradient(&self) -> &Params<Topology> {
        &self.gradient
    }

    /// The values of all positions.
    pub fn forward(&mut self, features: &[Features]) -> &[f32] {
        self.first_products(features);
        let biases: Vec<f32> = Layer::GROUPS.iter().flat_map(|layer| self.params.layer(*layer).1).copied().collect();
        activate(&mut self.first, &biases, relu);
        self.hidden_product();
        activate(&mut self.hidden, self.params.layer(Layer::Hidden).1, relu);
        self.output_product();
        activate(&mut self.values, self.params.layer(Layer::Output).1, tanh);
        &self.values
    }

    /// Adds the derivatives of a loss with these slopes in the values, `(position)`.
    pub fn backward(&mut self, features: &[Features], slopes: &[f32]) {
        for (d_sum, (value, slope)) in self.d_sum.iter_mut().zip(self.values.iter().zip(slopes)) {
            *d_sum = slope * tanh_slope(*value);
        }
        let (hidden, output) = (self.topology.hidden(), self.params.layer(Layer::Output).0);
        for (d_hidden, d_sum) in self.d_hidden.chunks_exact_mut(hidden).zip(&self.d_sum) {
            d_hidden.iter_mut().zip(output).for_each(|(d, w)| *d = w * d_sum);
        }
        mask(&mut self.d_hidden, &self.hidden);
        self.hidden_backward();
        mask(&mut self.d_first, &self.first);
        self.first_backward(features);
        add_rows(&self.d_sum, 0, 1, self.gradient.layer_mut(Layer::Output).1);
        add_rows(&self.d_hidden, 0, hidden, self.gradient.layer_mut(Layer::Hidden).1);
        let (mut from, width) = (0, self.topology.first_outputs());
        for layer in Layer::GROUPS {
            let bias = self.gradient.layer_mut(layer).1;
            add_rows(&self.d_first, from, width, bias);
            from += bias.len();
        }
    }

    /// Only the products of a forward and a backward pass.
    pub fn products(&mut self, features: &[Features]) {
        self.first_products(features);
        self.hidden_product();
        self.output_product();
        self.hidden_backward();
        self.first_backward(features);
    }

    fn first_products(&mut self, features: &[Features]) {
        let (mut from, width) = ([0, 0], self.topology.first_outputs());
        for layer in Layer::GROUPS {
            let (inputs, outputs) = self.topology.shape(layer);
            let x = View::of(&features.as_flattened()[from[0]..], INPUTS);
            let weights = View::of(self.params.layer(layer).0, outputs);
            let shape = [self.positions, inputs, outputs];
            product(shape, x, weights, &mut self.first[from[1]..], width, Place::Overwrite);
            from = [from[0] + inputs, from[1] + outputs];
        }
    }

    fn hidden_product(&mut self) {
        let (inputs, outputs) = self.topology.shape(Layer::Hidden);
        let (x, weights) = (View::of(&self.first, inputs), View::of(self.params.layer(Layer::Hidden).0, outputs));
        product([self.positions, inputs, outputs], x, weights, &mut self.hidden, outputs, Place::Overwrite);
    }

    fn output_product(&mut self) {
        let inputs = self.topology.hidden();
        let (x, weights) = (View::of(&self.hidden, inputs), View::of(self.params.layer(Layer::Output).0, 1));
        product([self.positions, inputs, 1], x, weights, &mut self.values, 1, Place::Overwrite);
    }

    fn hidden_backward(&mut self) {
        let (inputs, outputs) = self.topology.shape(Layer::Hidden);
        let (d_hidden, weights) = (View::of(&self.d_hidden, outputs), self.params.layer(Layer::Hidden).0);
        let (hidden, d_sum) = (View::of(&self.hidden, outputs).transposed(), View::of(&self.d_sum, 1));
        let to = self.gradient.layer_mut(Layer::Output).0;
        product([outputs, self.positions, 1], hidden, d_sum, to, 1, Place::Add);
        let (first, to) = (View::of(&self.first, inputs).transposed(), self.gradient.layer_mut(Layer::Hidden).0);
        product([inputs, self.positions, outputs], first, d_hidden, to, outputs, Place::Add);
        let weights = View::of(weights, outputs).transposed();
        let shape = [self.positions, outputs, inputs];
        product(shape, d_hidden, weights, &mut self.d_first, inputs, Place::Overwrite);
    }

    fn first_backward(&mut self, features: &[Features]) {
        let (mut from, width) = ([0, 0], self.topology.first_outputs());
        for layer in Layer::GROUPS {
            let (inputs, outputs) = self.topology.shape(layer);
            let x = View::of(&features.as_flattened()[from[0]..], INPUTS).transposed();
            let d_first = View::of(&self.d_first[from[1]..], width);
            let to = self.gradient.layer_mut(layer).0;
            product([inputs, self.positions, outputs], x, d_first, to, outputs, Place::Add);
            from = [from[0] + inputs, from[1] + outputs];
        }
    }
}

/// Adds the bias to every row and takes it through the function.
fn activate(sums: &mut [f32], bias: &[f32], function: impl Fn(f32) -> f32) {
    for row in sums.chunks_exact_mut(bias.len()) {
        row.iter_mut().zip(bias).for_each(|(sum, bias)| *sum = function(*sum + bias));
    }
}

/// The derivative of ReLU, from its output `y`.
fn mask(d: &mut [f32], y: &[f32]) {
    d.iter_mut().zip(y).for_each(|(d, y)| *d = if *y > 0.0 { *d } else { 0.0 });
}

/// Adds a column range of every row to `sum`.
fn add_rows(rows: &[f32], from: usize, width: usize, sum: &mut [f32]) {
    for row in rows.chunks_exact(width) {
        sum.iter_mut().zip(&row[from..]).for_each(|(sum, value)| *sum += value);
    }
}

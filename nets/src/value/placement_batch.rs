//! The piece placement of a batch of positions, forward and backward: sums of rows instead of products, because a view has
//! one row for each piece out of hundreds.
//!
//! ```text
//! y = relu(b + rows of W)     sum += y . w     d_y = d_sum w, where y > 0     dW[row] += d_y     db += d_y     dw += y d_sum
//! ```
//! Every sum is made in the order of positions, views and pieces: the same bits on every instruction set.

use board::Position;
use feature_maps::placement::Placement;
use kernels::Backend;
use kernels::activations::relu;

use crate::layers::LayerGradient;
use crate::value::topology::NetworkTopology;

/// The placements of a batch, and what their layer gives.
#[derive(Clone, Debug)]
pub struct PlacementBatch {
    topology: NetworkTopology,
    /// Outputs of a view.
    width: usize,
    /// `(position)`.
    placements: Vec<Placement>,
    /// `(position, [us, them], width)`, after ReLU.
    sums: Vec<f32>,
    /// `(width)`: the gradient before ReLU of one view.
    slopes: Vec<f32>,
}

impl PlacementBatch {
    /// Room for a network of these sizes; `None` if it has no piece placement.
    pub fn new(topology: &NetworkTopology) -> Option<PlacementBatch> {
        let (topology, width) = (*topology, topology.placement());
        let slopes = vec![0.0; width];
        (width > 0).then(|| PlacementBatch { topology, width, placements: Vec::new(), sums: Vec::new(), slopes })
    }

    pub fn clear(&mut self) {
        self.placements.clear();
    }

    pub fn push(&mut self, position: &Position) {
        self.placements.push(Placement::of(position, self.topology.king_buckets()));
    }

    /// The number of pieces of a position.
    #[inline(always)]
    pub fn pieces(&self, position: usize) -> usize {
        self.placements[position].pieces()
    }

    /// The layer of all positions.
    #[inline(always)]
    pub fn forward<B: Backend>(&mut self, (weights, bias): (&[f32], &[f32])) {
        let PlacementBatch { width, placements, sums, .. } = self;
        sums.resize(2 * placements.len() * *width, 0.0);
        let views = placements.iter().flat_map(Placement::rows);
        for (rows, sums) in views.zip(sums.chunks_exact_mut(*width)) {
            sums.copy_from_slice(bias);
            B::add_float_rows(weights, rows, sums);
            sums.iter_mut().for_each(|sum| *sum = relu(*sum));
        }
    }

    /// A sum with what the placement of a position adds by its weights in the output, `([us, them], width)`.
    #[inline(always)]
    pub fn add_to<B: Backend>(&self, mut sum: f32, position: usize, weights: &[f32]) -> f32 {
        let views = self.sums[2 * position * self.width..].chunks_exact(self.width);
        for (view, weights) in views.zip(weights.chunks_exact(self.width)) {
            sum += B::dot(view, weights);
        }
        sum
    }

    /// Adds to the gradients of the output's weights and of the layer, from those of the sums, `(position)`. `weights` are
    /// all of the output's.
    #[inline(always)]
    pub fn backward<B: Backend>(
        &mut self,
        weights: &[f32],
        d_sums: impl Iterator<Item = f32>,
        d_weights: &mut [f32],
        layer: &mut LayerGradient,
    ) {
        let PlacementBatch { topology, width, placements, sums, slopes } = self;
        for ((placement, sums), d_sum) in placements.iter().zip(sums.chunks_exact(2 * *width)).zip(d_sums) {
            let of = topology.output_weights(placement.pieces());
            let of = of.start + topology.hidden()..of.end;
            let outputs = weights[of.clone()].chunks_exact(*width).zip(d_weights[of].chunks_exact_mut(*width));
            for ((rows, y), (weights, d_weights)) in
                placement.rows().into_iter().zip(sums.chunks_exact(*width)).zip(outputs)
            {
                d_weights.iter_mut().zip(y).for_each(|(d, y)| *d += y * d_sum);
                for ((slope, y), weight) in slopes.iter_mut().zip(y).zip(weights) {
                    *slope = if *y > 0.0 { weight * d_sum } else { 0.0 };
                }
                layer.bias.iter_mut().zip(&*slopes).for_each(|(d, slope)| *d += slope);
                B::add_to_float_rows(&mut layer.weights, rows, slopes);
            }
        }
    }
}

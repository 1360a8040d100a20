//! The piece placement of a batch of positions, forward and backward: sums of rows instead of products, because a view has
//! one row for each piece out of hundreds.
//!
//! ```text
//! y = relu(b + rows of W)     sum += y . w     d_y = d_sum w, where y > 0     dW[row] += d_y     db += d_y     dw += y d_sum
//! ```
//! Every sum is made in the order of positions, views and pieces: the same bits on every instruction set. The layer's gradient is a sum
//! of rows, too: of `d_y`, for each of its rows those of the views that have it. Both go through the columns in
//! [blocks](super::column_blocks).

use board::Position;
use feature_maps::placement::{MAX_PIECES, Placement};
use kernels::Backend;
use kernels::activations::relu;

use super::column_blocks::{blocks, place};
use crate::layers::{BATCH, LayerGradient};
use crate::value::topology::{Layer, NetworkTopology};

// Lists of views, and their places, are numbers of u16.
const _: () = assert!(2 * BATCH * MAX_PIECES <= u16::MAX as usize);

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
    /// `(block, position, [us, them], column)`: the gradient before ReLU.
    slopes: Vec<f32>,
    views: ViewsOfRows,
}

/// For each row of the layer the views that have it, in their order.
#[derive(Clone, Debug, Default)]
struct ViewsOfRows {
    /// All rows' lists, one behind the other.
    views: Vec<u16>,
    /// `(row)`: where its list ends, and the next one begins.
    ends: Vec<u16>,
}

impl ViewsOfRows {
    /// Sets the lists to those of a batch, for a layer of so many rows.
    fn set(&mut self, rows: usize, placements: &[Placement]) {
        let ViewsOfRows { views, ends } = self;
        let lists = || placements.iter().flat_map(Placement::rows);
        ends.clear();
        ends.resize(rows, 0);
        lists().flatten().for_each(|row| ends[usize::from(*row)] += 1);
        // At first where each list begins; its views move that to its end.
        let mut total = 0;
        for end in &mut *ends {
            (*end, total) = (total, total + *end);
        }
        views.resize(total.into(), 0);
        for (view, rows) in (0..).zip(lists()) {
            for row in rows {
                let end = &mut ends[usize::from(*row)];
                views[usize::from(*end)] = view;
                *end += 1;
            }
        }
    }

    /// `(row)`: its list.
    fn iter(&self) -> impl Iterator<Item = &[u16]> {
        let starts = [0].into_iter().chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| &self.views[start.into()..(*end).into()])
    }
}

impl PlacementBatch {
    /// Room for a network of these sizes; `None` if it has no piece placement.
    pub fn new(topology: &NetworkTopology) -> Option<PlacementBatch> {
        let (topology, width) = (*topology, topology.placement());
        (width > 0).then(|| PlacementBatch {
            topology,
            width,
            placements: Vec::new(),
            sums: Vec::new(),
            slopes: Vec::new(),
            views: ViewsOfRows::default(),
        })
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

    /// The layer of all positions, from its weights in blocks and its bias.
    #[inline(always)]
    pub fn forward<B: Backend>(&mut self, weights: &[f32], bias: &[f32]) {
        let PlacementBatch { topology, width, placements, sums, .. } = self;
        sums.resize(2 * placements.len() * *width, 0.0);
        let (table, _) = topology.shape(Layer::Placement);
        for columns in blocks(*width) {
            let weights = &weights[place(table, &columns)];
            let views = placements.iter().flat_map(Placement::rows);
            for (rows, sums) in views.zip(sums.chunks_exact_mut(*width)) {
                let sums = &mut sums[columns.clone()];
                sums.copy_from_slice(&bias[columns.clone()]);
                B::add_float_rows(weights, rows, sums);
                sums.iter_mut().for_each(|sum| *sum = relu(*sum));
            }
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
        let PlacementBatch { topology, width, placements, sums, slopes, views } = self;
        let number = 2 * placements.len();
        slopes.resize(number * *width, 0.0);
        for (position, (placement, d_sum)) in placements.iter().zip(d_sums).enumerate() {
            let of = topology.output_weights(placement.pieces());
            let of = of.start + topology.hidden()..of.end;
            let outputs = weights[of.clone()].chunks_exact(*width).zip(d_weights[of].chunks_exact_mut(*width));
            let views = (2 * position..).zip(sums[2 * position * *width..].chunks_exact(*width));
            for ((view, y), (weights, d_weights)) in views.zip(outputs) {
                d_weights.iter_mut().zip(y).for_each(|(d, y)| *d += y * d_sum);
                for columns in blocks(*width) {
                    let to = &mut slopes[place(number, &columns)][view * columns.len()..][..columns.len()];
                    let (y, weights) = (&y[columns.clone()], &weights[columns.clone()]);
                    for (((to, y), weight), d) in to.iter_mut().zip(y).zip(weights).zip(&mut layer.bias[columns]) {
                        let slope = weight * d_sum;
                        *to = if *y > 0.0 { slope } else { 0.0 };
                        *d += *to;
                    }
                }
            }
        }
        let (table, _) = topology.shape(Layer::Placement);
        views.set(table, placements);
        for columns in blocks(*width) {
            let slopes = &slopes[place(number, &columns)];
            let gradient = layer.weights[place(table, &columns)].chunks_exact_mut(columns.len());
            // A small batch has few of the rows.
            for (gradient, views) in gradient.zip(views.iter()).filter(|(_, views)| !views.is_empty()) {
                B::add_float_rows(slopes, views, gradient);
            }
        }
    }
}

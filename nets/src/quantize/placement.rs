//! The piece placement for play: sums of table rows in i16, and their part of the output.
//! [`placement_line`](super::placement_line) has the sums along a line of play.
//!
//! CITE: Nasu 2018 (see [`feature_maps::placement`]).

use board::Position;
use feature_maps::placement::{MAX_PIECES, PLACES, Place, Placement, View};
use kernels::vector::tree;
use kernels::words::{SUMS, WORDS};
use kernels::{Backend, RowList};

use super::scale::{largest_scale, round};
use super::trunk::{CacheLine, cache_lines};
use crate::shape::MAX_WIDTH;
use crate::value::forward::ValueNet;
use crate::value::topology::{Layer, NetworkTopology, output_bucket};

/// The most pieces that a move takes away, and the most that it puts down: those of castling, or a capture.
pub(super) const MOST_CHANGES: usize = 2;

/// The most pieces of a side.
const SIDE: usize = MAX_PIECES / 2;

/// The first layer of the piece placement, and its part of the output.
#[derive(Clone, Debug)]
pub struct QuantizedPlacement {
    pub(super) buckets: usize,
    pub(super) width: usize,
    output_buckets: usize,
    /// `(row, width)`.
    table: Vec<CacheLine>,
    /// `(width)`.
    bias: Vec<i16>,
    /// `(bucket, [us, them], width)`: the output's weights over the scales of the sums, in `unit`s.
    output: Vec<i16>,
    /// What a unit of the output's integer sums adds to the logit.
    unit: f32,
}

impl QuantizedPlacement {
    /// Quantizes the placement of a network of these sizes, if it has one.
    pub fn new(net: &ValueNet, topology: &NetworkTopology) -> Option<QuantizedPlacement> {
        let (buckets, width) = (topology.king_buckets(), topology.placement());
        if width == 0 {
            return None;
        }
        let (weights, bias) = net.params().layer(Layer::Placement);
        let (output, _) = net.params().layer(Layer::Output);
        let of_views = output.chunks_exact(topology.output_weights(0).len()).map(|bucket| &bucket[topology.hidden()..]);
        let mut output: Vec<f64> = of_views.flatten().map(|weight| f64::from(*weight)).collect();
        let mut quantized = QuantizedPlacement {
            buckets,
            width,
            output_buckets: topology.output_buckets(),
            table: cache_lines(weights.len()),
            bias: Vec::with_capacity(width),
            output: Vec::with_capacity(output.len()),
            unit: 1.0,
        };
        let table: &mut [i16] = bytemuck::cast_slice_mut(&mut quantized.table);
        for (j, bias) in bias.iter().enumerate() {
            let column = || weights.iter().skip(j).step_by(width).map(|weight| f64::from(*weight));
            let scale = scale(f64::from(*bias), column, buckets);
            table[j..].iter_mut().step_by(width).zip(column()).for_each(|(to, weight)| *to = round(scale * weight));
            quantized.bias.push(round(scale * f64::from(*bias)));
            output[j..].iter_mut().step_by(width).for_each(|weight| *weight /= scale);
        }
        let scale = output_scale(&output, width);
        quantized.output.extend(output.iter().map(|weight| round(scale * weight)));
        quantized.unit = (1.0 / scale) as f32;
        Some(quantized)
    }

    /// What the placement adds to the logit of a position.
    #[inline(always)]
    pub fn logit<B: Backend>(&self, position: &Position) -> f32 {
        let placement = Placement::of(position, self.buckets);
        let mut sums = [0; MAX_WIDTH];
        let sums = &mut sums[..self.width];
        let mut logit = 0.0;
        for (rows, weights) in placement.rows().into_iter().zip(self.weights(position)) {
            self.sum::<B>(rows, sums);
            logit += self.output::<B>(sums, weights);
        }
        logit
    }

    /// What one view adds to the logit.
    #[inline(always)]
    pub(super) fn output<B: Backend>(&self, sums: &[i16], weights: &[i16]) -> f32 {
        let mut lanes = [0.0; SUMS];
        // A loop: a closure that is not inlined loses the instruction set.
        for (lane, sum) in lanes.iter_mut().zip(B::rectified_dot_of_words(sums, weights)) {
            *lane = sum as f32;
        }
        self.unit * tree(lanes)
    }

    /// The output's weights for a position: for the view of the side to move, then for the other.
    #[inline(always)]
    pub(super) fn weights(&self, position: &Position) -> [&[i16]; 2] {
        let bucket = output_bucket(position.occupied().len() as usize, self.output_buckets);
        let weights = &self.output[2 * self.width * bucket..][..2 * self.width];
        let (us, them) = weights.split_at(self.width);
        [us, them]
    }

    #[inline(always)]
    pub(super) fn sum<B: Backend>(&self, rows: &[u16], sums: &mut [i16]) {
        sums.copy_from_slice(&self.bias);
        B::add_rows(self.table(), &RowList::new(rows), sums);
    }

    /// `(viewer, width)`: the sums of some views after some pieces were put down and others taken away.
    #[inline(always)]
    pub(super) fn change<B: Backend, const WHITE: bool, const BLACK: bool>(
        &self,
        views: [View; 2],
        added: &[Place],
        removed: &[Place],
        from: &[i16],
        to: &mut [i16],
    ) {
        for (viewer, is_wanted) in [WHITE, BLACK].into_iter().enumerate() {
            if is_wanted {
                let (view, at) = (views[viewer], viewer * self.width);
                let (from, to) = (&from[at..][..self.width], &mut to[at..][..self.width]);
                let (mut added_rows, mut removed_rows) = ([0; MOST_CHANGES], [0; MOST_CHANGES]);
                for (row, place) in added_rows.iter_mut().zip(added) {
                    *row = view.row_of(*place);
                }
                for (row, place) in removed_rows.iter_mut().zip(removed) {
                    *row = view.row_of(*place);
                }
                let lists = [&added_rows[..added.len()], &removed_rows[..removed.len()]].map(RowList::new);
                B::change_rows(self.table(), [&lists[0], &lists[1]], from, to);
            }
        }
    }

    #[inline(always)]
    fn table(&self) -> &[i16] {
        &bytemuck::cast_slice(&self.table)[..self.buckets * PLACES * self.width]
    }
}

/// The largest scale with which no sum of any position leaves i16: each side has at most sixteen pieces, all of them in one
/// bucket, and every row that is added is rounded.
fn scale<I: Iterator<Item = f64>>(bias: f64, column: impl Fn() -> I, buckets: usize) -> f64 {
    let (mut low, mut high) = (0.0_f64, 0.0_f64);
    for bucket in 0..buckets {
        let (mut least, mut most) = (bias.min(0.0), bias.max(0.0));
        for side in [0, PLACES / 2] {
            let mut weights: Vec<f64> = column().skip(bucket * PLACES + side).take(PLACES / 2).collect();
            weights.select_nth_unstable_by(SIDE, f64::total_cmp);
            least += weights[..SIDE].iter().map(|weight| weight.min(0.0)).sum::<f64>();
            weights.select_nth_unstable_by(PLACES / 2 - SIDE, f64::total_cmp);
            most += weights[PLACES / 2 - SIDE..].iter().map(|weight| weight.max(0.0)).sum::<f64>();
        }
        (low, high) = (low.min(least), high.max(most));
    }
    let room = f64::from(i16::MAX) - (MAX_PIECES + 1) as f64 / 2.0;
    largest_scale(&[(room, high.max(-low))])
}

/// The largest scale with which the output's weights are in i16, and the sums of each lane in i32 whatever the inputs.
fn output_scale(output: &[f64], width: usize) -> f64 {
    let most = f64::from(i16::MAX);
    let (mut largest, mut lane_sum) = (0.0_f64, 0.0_f64);
    for view in output.chunks_exact(width) {
        let mut lanes = [0.0; SUMS];
        for (i, weight) in view.iter().enumerate() {
            lanes[i / 2 % SUMS] += most * weight.abs();
            largest = largest.max(weight.abs());
        }
        lane_sum = lanes.into_iter().fold(lane_sum, f64::max);
    }
    let rounding = most * (width / SUMS) as f64 / 2.0;
    largest_scale(&[(f64::from(i32::MAX) - rounding, lane_sum), (most, largest)])
}

const _: () = assert!(MAX_WIDTH.is_multiple_of(WORDS));

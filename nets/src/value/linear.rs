//! The linear evaluator: a value network without hidden layers, whose inputs are the rows of the feature sets.
//!
//! ```text
//! value = tanh(b + sum of theta[stage][row] over the position's rows)
//! ```
//! A position has about 117 of the 13,678 rows of all groups ([`feature_maps::rows`]), and a stage by the number of its pieces.
//!
//! CITE: Baxter, Tridgell and Weaver 1999, KnightCap: a linear evaluation of thousands of features, with its own weights in each of
//! four stages of the game. One step of the gradient over the number of active features: Silver, Sutton and Mueller 2012.

use board::{MoverView, Position};
use feature_maps::ExtractRows;
use feature_maps::feature_set::POSITION;
use feature_maps::layout::MATERIAL;
use feature_maps::rows::Rows;
use kernels::{Backend, Kernels};

use crate::layers::LayerGradient;
use crate::params::Params;
use crate::value::forward::ValueNet;
use crate::value::topology::{Layer, LinearTopology, ROWS, Topology};

/// Stages end with every so many pieces.
const STAGE_PIECES: usize = 8;
/// Pieces of a side's two rooks, bishops or knights, and of its pawns: the units of the material features.
const UNITS: [f32; 5] = [1.0, 2.0, 2.0, 2.0, 8.0];

/// The stage of a position: 0 with 25 pieces or more, 3 with 8 or fewer.
#[inline(always)]
fn stage(stages: usize, position: &Position) -> usize {
    if stages == 1 { 0 } else { (32 - position.occupied().len() as usize) / STAGE_PIECES }
}

/// Calls `each` with the number of every row of a position, among those of all groups and stages.
#[inline(always)]
fn each_row<B: Backend>(position: &Position, stages: usize, each: impl FnMut(usize)) {
    let mut rows = Rows::EMPTY;
    rows.set::<B>(&MoverView::of(position));
    each_of(&rows, position, stages, each);
}

/// The same with the rows of the position's groups.
#[inline(always)]
fn each_of(rows: &Rows, position: &Position, stages: usize, mut each: impl FnMut(usize)) {
    let mut first = stage(stages, position) * ROWS;
    for (list, group) in rows.lists().iter().zip(&POSITION.groups) {
        list.rows().iter().for_each(|row| each(first + usize::from(*row)));
        first += group.schema().rows();
    }
}

impl ValueNet {
    /// The linear evaluator that counts material: the logits of queen, rook, bishop, knight and pawn are `values`.
    pub fn material(topology: LinearTopology, values: [f32; 5]) -> ValueNet {
        let mut params = Params::<Topology>::zeros(topology);
        let (weights, _) = params.layer_mut(Layer::Linear);
        for stage in weights.chunks_exact_mut(ROWS) {
            let mut stage = stage.iter_mut();
            for group in &POSITION.groups {
                let schema = group.schema();
                for (row, weight) in (0..schema.rows()).zip(&mut stage) {
                    *weight = schema.parts(row).iter().map(|part| material(*part, values)).sum();
                }
            }
        }
        ValueNet::new(params)
    }
}

/// What a feature adds to the logit of material.
fn material((feature, value): (usize, f32), values: [f32; 5]) -> f32 {
    let of_side = |(side, sign): (usize, f32)| {
        let piece = feature.checked_sub(MATERIAL[side]).filter(|piece| *piece < values.len())?;
        Some(sign * value * UNITS[piece] * values[piece])
    };
    [(0, 1.0), (1, -1.0)].into_iter().find_map(of_side).unwrap_or_default()
}

/// A linear evaluator for play: the f32 weights as they are, summed in the order of the rows.
#[derive(Clone, Debug)]
pub struct LinearTable {
    stages: usize,
    weights: Vec<f32>,
    bias: f32,
}

impl LinearTable {
    /// That of a network of these sizes.
    pub fn new(net: &ValueNet, topology: &LinearTopology) -> LinearTable {
        let (weights, bias) = net.params().layer(Layer::Linear);
        LinearTable { stages: topology.stages(), weights: weights.to_vec(), bias: bias[0] }
    }

    /// The logit of a position.
    pub fn logit(&self, kernels: &Kernels, position: &Position) -> f32 {
        let mut sum = self.bias;
        self.each_row(kernels, position, |row| sum += self.weights[row]);
        sum
    }

    /// The weights of all rows, `(stage, row)`.
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }

    /// The logit of a position, and the sum of other weights of its rows.
    pub fn logit_and_product(&self, kernels: &Kernels, position: &Position, others: &[f32]) -> (f32, f32) {
        let (mut sum, mut product) = (self.bias, 0.0);
        self.each_row(kernels, position, |row| {
            sum += self.weights[row];
            product += others[row];
        });
        (sum, product)
    }

    /// Calls `each` with the number of every row of a position.
    pub fn each_row(&self, kernels: &Kernels, position: &Position, each: impl FnMut(usize)) {
        each_of(&rows_of(kernels, position), position, self.stages, each);
    }
}

/// The rows of a position's groups.
#[inline(never)]
fn rows_of(kernels: &Kernels, position: &Position) -> Rows {
    kernels.run(ExtractRows(&MoverView::of(position)))
}

/// The rows of a batch of positions.
#[derive(Clone, Debug)]
pub struct LinearBatch {
    stages: usize,
    positions: Vec<Position>,
}

impl LinearBatch {
    pub fn new(topology: &LinearTopology) -> LinearBatch {
        LinearBatch { stages: topology.stages(), positions: Vec::new() }
    }

    pub fn clear(&mut self) {
        self.positions.clear();
    }

    pub fn push(&mut self, position: &Position) {
        self.positions.push(position.clone());
    }

    /// Hands the logit of every position to `take`.
    #[inline(always)]
    pub fn forward<B: Backend>(&self, (weights, bias): (&[f32], &[f32]), mut take: impl FnMut(f32)) {
        for position in &self.positions {
            let mut sum = bias[0];
            each_row::<B>(position, self.stages, |row| sum += weights[row]);
            take(sum);
        }
    }

    /// Adds to the gradient from the slopes of the logits, `(position)`.
    #[inline(always)]
    pub fn backward<B: Backend>(&self, slopes: impl Iterator<Item = f32>, gradient: &mut LayerGradient) {
        for (position, slope) in self.positions.iter().zip(slopes) {
            gradient.bias[0] += slope;
            each_row::<B>(position, self.stages, |row| gradient.weights[row] += slope);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rows_are_those_of_all_groups() {
        assert_eq!(POSITION.groups.iter().map(|group| group.schema().rows()).sum::<usize>(), ROWS);
    }

    #[test]
    fn stages_are_by_the_number_of_pieces() {
        let stage_of = |fen: &str| stage(4, &Position::from_fen(fen).expect("a position"));
        assert_eq!(stage(4, &Position::start()), 0);
        assert_eq!(stage_of("4k3/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1"), 0);
        assert_eq!(stage_of("4k3/pppppppp/8/8/8/8/PPPPPPPP/RNBQK3 w - - 0 1"), 1);
        assert_eq!(stage_of("4k3/pppppp2/8/8/8/8/PPPPPPPP/4K3 w - - 0 1"), 2);
        assert_eq!(stage_of("4k3/8/8/8/8/8/PPPPPP2/4K3 w - - 0 1"), 3);
        assert_eq!(stage(1, &Position::from_fen("4k3/8/8/8/8/8/8/4K3 w - - 0 1").expect("a position")), 0);
    }
}

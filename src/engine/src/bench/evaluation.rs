//! The speed of the evaluation, in positions per second: the features, the network, and both together as in the search.
//! Every position is evaluated in full, without a cache and without reuse of the position before.

use board::{MoverView, Position};
use feature_maps::ExtractRows;
use feature_maps::rows::Rows;
use kernels::Kernels;
use kernels::activations::tanh;
use nets::QuantizedValueNet;
use std::hint::black_box;
use std::time::Instant;
use support::choice::Choice;

/// The default number of rounds, of which the median counts.
pub const ROUNDS: u32 = 9;
/// The default minimum number of evaluations per round; a round makes whole passes over the positions.
pub const ROUND: usize = 150_000;

/// Positions per second on one core, the median of all rounds.
#[derive(Debug, Clone, Copy)]
pub struct Rates {
    /// From a position to its rows.
    pub features: f64,
    /// From rows to the value.
    pub network: f64,
    /// From a position to its value.
    pub whole: f64,
}

/// A part of the evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// From a position to its rows.
    Features,
    /// From rows to the value.
    Network,
    /// From a position to its value.
    Whole,
}

impl Choice for Part {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Features, "features", "From a position to its rows"),
        (Self::Network, "network", "From rows to the value"),
        (Self::Whole, "whole", "From a position to its value"),
    ];
}

/// Evaluates `positions` (at least one) `passes` times, only the given part, and returns positions per second. The
/// difference of the instruction counts of two runs of different length gives the cost of one evaluation.
pub fn repeat(net: &QuantizedValueNet, positions: &[Position], part: Part, passes: usize) -> f64 {
    match part {
        Part::Features => rate(positions, passes, |position| rows_of(net.kernels(), position)),
        Part::Network => rate(&rows_of_all(net, positions), passes, |rows| tanh(net.logit_of_rows(rows))),
        Part::Whole => rate(positions, passes, |position| net.evaluate(position)),
    }
}

/// Measures the evaluation of `positions` (at least one) with the kernels of `net`.
///
/// A round makes `round` evaluations or a few more. The three parts take turns, so that other load on the machine affects
/// all of them.
pub fn measure(net: &QuantizedValueNet, positions: &[Position], rounds: u32, round: usize) -> Rates {
    let (kernels, rows) = (net.kernels(), rows_of_all(net, positions));
    let passes = round.div_ceil(positions.len()).max(1);
    let (mut features, mut network, mut whole) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds.max(1) {
        features.push(rate(positions, passes, |position| rows_of(kernels, position)));
        network.push(rate(&rows, passes, |rows| tanh(net.logit_of_rows(rows))));
        whole.push(rate(positions, passes, |position| net.evaluate(position)));
    }
    Rates { features: median(features), network: median(network), whole: median(whole) }
}

fn rows_of_all(net: &QuantizedValueNet, positions: &[Position]) -> Vec<Rows> {
    positions.iter().map(|position| rows_of(net.kernels(), position)).collect()
}

fn rows_of(kernels: &Kernels, position: &Position) -> Rows {
    kernels.run(ExtractRows(&MoverView::of(position)))
}

/// Calls per second.
fn rate<T, R>(items: &[T], passes: usize, call: impl Fn(&T) -> R) -> f64 {
    let start = Instant::now();
    for _ in 0..passes {
        for item in items {
            black_box(call(black_box(item)));
        }
    }
    (items.len() * passes) as f64 / start.elapsed().as_secs_f64()
}

fn median(mut rates: Vec<f64>) -> f64 {
    rates.sort_by(f64::total_cmp);
    rates[rates.len() / 2]
}

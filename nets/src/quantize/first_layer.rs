//! The tables of the first layers. Training quantizes its net after every step, so the threads that play for it share
//! the work: one pass over the categorical features for the ranges of their sums, and one, with the scales that follow,
//! for the integers.

use std::ops::Range;

use feature_maps::feature_set::{InputGroup, POSITION};
use feature_maps::schema::Schema;
use kernels::words::padded_words;
use kernels::{Backend, Kernels, Task};
use rayon::prelude::*;

use super::scale::{Input, largest_scale, round};
use crate::params::Params;
use crate::shape::Shape;
use crate::value::topology::{Layer, Topology};

/// A first layer, to be quantized.
pub struct FirstLayer<'a> {
    /// All parameters.
    pub params: &'a Params<Topology>,
    /// The group of features that the layer takes.
    pub group: usize,
    /// `(output)`: which of the layer's outputs stands there.
    pub order: &'a [usize],
    /// `(row, width)`, zeros, to be set: at least the group's rows, of the outputs padded to whole [`Words`].
    ///
    /// [`Words`]: kernels::words::Words
    pub table: &'a mut [i16],
}

impl FirstLayer<'_> {
    /// Sets the table. The result is `(output)`, in its order.
    pub fn quantize(self, kernels: &'static Kernels) -> Vec<Input> {
        let FirstLayer { params, group, order, table } = self;
        let (schema, width) = (POSITION.groups[group].schema(), padded_words(order.len()));
        let columns = Columns::new(params, group, order);
        let categorical = || schema.categorical().iter().cloned().enumerate();

        // (output): over all categorical features, the least and the most.
        let (mut low, mut high) = (vec![0.0; width], vec![0.0; width]);
        let ranges = each(categorical().collect(), |(n, rows)| {
            kernels.run(RangeOf { columns: &columns, schema, rows, with_bias: n == 0 })
        });
        for (least, most) in ranges {
            low.iter_mut().zip(&least).for_each(|(low, least)| *low += least);
            high.iter_mut().zip(&most).for_each(|(high, most)| *high += most);
        }
        // Each of the summands is at most half a unit further away when it is rounded.
        let room = f64::from(i16::MAX) - schema.categorical().len() as f64 / 2.0;
        let scales: Vec<f64> =
            high.iter().zip(&low).map(|(high, low)| largest_scale(&[(room, high.max(-low))])).collect();

        let mut rest = table;
        let parts = categorical().map(|(n, rows)| {
            let table;
            (table, rest) = std::mem::take(&mut rest).split_at_mut(rows.len() * width);
            (n, rows, table)
        });
        let ranges = each(parts.collect(), |(n, rows, table)| {
            let rows = RangeOf { columns: &columns, schema, rows, with_bias: n == 0 };
            kernels.run(Round { rows, scales: &scales, table })
        });
        let (mut low, mut high) = (vec![0; width], vec![0; width]);
        for (least, most) in ranges {
            low.iter_mut().zip(&least).for_each(|(low, least)| *low += i64::from(*least));
            high.iter_mut().zip(&most).for_each(|(high, most)| *high += i64::from(*most));
        }
        let in_i16 = |sum: &i64| (i64::from(i16::MIN)..=i64::from(i16::MAX)).contains(sum);
        assert!(low.iter().chain(&high).all(in_i16), "a first layer's sums stay in i16");
        let inputs = scales.into_iter().zip(high).map(|(scale, high)| Input { scale, bound: high as i16 });
        inputs.take(order.len()).collect()
    }
}

/// The results of the work on each item, in order: on all threads of this thread's pool, or here if it is in none.
fn each<T: Send, R: Send>(items: Vec<T>, work: impl Fn(T) -> R + Sync + Send) -> Vec<R> {
    if rayon::current_thread_index().is_some() {
        items.into_par_iter().map(work).collect()
    } else {
        items.into_iter().map(work).collect()
    }
}

/// The task of finding the least and the most that a categorical feature's rows add to every output, 0 included,
/// `(width)` each.
struct RangeOf<'a> {
    columns: &'a Columns,
    schema: &'static Schema,
    rows: Range<usize>,
    with_bias: bool,
}

impl Task for RangeOf<'_> {
    type Output = (Vec<f64>, Vec<f64>);

    #[inline(always)]
    fn run<B: Backend>(self) -> (Vec<f64>, Vec<f64>) {
        let width = self.columns.width;
        let (mut least, mut most, mut sums) = (vec![0.0; width], vec![0.0; width], vec![0.0; width]);
        for row in self.rows {
            self.columns.sum(self.schema.parts(row), self.with_bias, &mut sums);
            for ((least, most), sum) in least.iter_mut().zip(&mut most).zip(&sums) {
                *least = if sum < least { *sum } else { *least };
                *most = if sum > most { *sum } else { *most };
            }
        }
        (least, most)
    }
}

/// The task of writing a categorical feature's rows at these scales, `(row, width)`. Returns the least and the most of
/// the integers.
struct Round<'a> {
    rows: RangeOf<'a>,
    scales: &'a [f64],
    table: &'a mut [i16],
}

impl Task for Round<'_> {
    type Output = (Vec<i16>, Vec<i16>);

    #[inline(always)]
    fn run<B: Backend>(self) -> (Vec<i16>, Vec<i16>) {
        let RangeOf { columns, schema, rows, with_bias } = self.rows;
        let width = columns.width;
        let (mut least, mut most, mut sums) = (vec![0; width], vec![0; width], vec![0.0; width]);
        for (row, to) in rows.zip(self.table.chunks_exact_mut(width)) {
            columns.sum(schema.parts(row), with_bias, &mut sums);
            for ((to, sum), scale) in to.iter_mut().zip(&sums).zip(self.scales) {
                *to = round(scale * sum);
            }
            for ((least, most), row) in least.iter_mut().zip(&mut most).zip(&*to) {
                (*least, *most) = ((*row).min(*least), (*row).max(*most));
            }
        }
        (least, most)
    }
}

/// The weights of a first layer, whose outputs stand in another order.
struct Columns {
    /// `(feature, width)`.
    weights: Vec<f64>,
    /// `(width)`.
    bias: Vec<f64>,
    width: usize,
    first_feature: usize,
}

impl Columns {
    #[inline(always)]
    fn new(params: &Params<Topology>, group: usize, order: &[usize]) -> Columns {
        let InputGroup { inputs: features, constant, .. } = &POSITION.groups[group];
        let layer = Layer::Group(group);
        let (first_feature, (inputs, outputs)) = (features.start, params.topology().shape(layer));
        let width = padded_words(order.len());
        let (from, from_bias) = params.layer(layer);
        let (mut weights, mut bias) = (vec![0.0; inputs * width], vec![0.0; width]);
        for (to, from) in weights.chunks_exact_mut(width).zip(from.chunks_exact(outputs)) {
            to.iter_mut().zip(order).for_each(|(to, &output)| *to = f64::from(from[output]));
        }
        for (n, (to, &output)) in bias.iter_mut().zip(order).enumerate() {
            let constant = constant
                .map_or(0.0, |(feature, value)| f64::from(value) * weights[(feature - first_feature) * width + n]);
            *to = f64::from(from_bias[output]) + constant;
        }
        Columns { weights, bias, width, first_feature }
    }

    /// `(width)`: what a row adds to every output, in units of 1.
    #[inline(always)]
    fn sum(&self, parts: &[(usize, f32)], with_bias: bool, sums: &mut [f64]) {
        sums.fill(0.0);
        for (feature, value) in parts {
            let weights = &self.weights[(feature - self.first_feature) * self.width..][..self.width];
            let value = f64::from(*value);
            sums.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += value * weight);
        }
        if with_bias {
            sums.iter_mut().zip(&self.bias).for_each(|(sum, bias)| *sum += bias);
        }
    }
}

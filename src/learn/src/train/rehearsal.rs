//! One lesson after another, without forgetting: the network learns its targets, held to its old values on other positions
//! (rehearsal) and near its old weights where they matter (the Fisher diagonal).
//!
//! ```text
//! loss = mean 1/2 (v - target)^2 + r mean 1/2 (v - v_old)^2 + 1/2 c sum F_i (w_i - w_i,old)^2,    F_i = mean (dv / dw_i)^2
//! ```
// CITE: Kirkpatrick et al. 2017, Overcoming catastrophic forgetting in neural networks, equation 3 (the Fisher diagonal). The mean of
// squared gradients is that of batches with random signs: Hutchinson 1990.

use crate::streams::stream;
use anyhow::Result;
use board::Position;
use board::random_positions::RandomPositions;
use kernels::adam::Adam;
use nets::{BATCH, Layer, Params, Shape, Topology, ValueBatch, ValueBatchWeights, ValueNet};
use rand::RngExt;
use support::choice::Choice;

/// Streams of random numbers.
const REHEARSAL: u64 = 1;
const SIGNS: u64 = 2;
const ORDER: u64 = 3;

/// What learns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LearnedWeights {
    /// The last layer alone.
    #[default]
    Output,
    /// All layers.
    All,
}

impl Choice for LearnedWeights {
    const ALL: &'static [(Self, &'static str, &'static str)] =
        &[(Self::Output, "output", "The last layer alone"), (Self::All, "all", "All layers")];
}

/// A position and what its value should be, both for its side to move.
#[derive(Debug, Clone)]
pub struct Lesson {
    /// The leaf of a search.
    pub position: Position,
    /// [-1, 1].
    pub target: f32,
}

/// How much is learned, and how much kept.
#[derive(Debug, Clone, Copy)]
pub struct UpdateOptions {
    /// What learns.
    pub weights: LearnedWeights,
    /// Adam's rate.
    pub rate: f32,
    /// How often every lesson is learned.
    pub epochs: u64,
    /// Positions that keep their values; as many others measure the drift.
    pub rehearsal: usize,
    /// The weight `r` of rehearsal.
    pub rehearsal_weight: f32,
    /// The weight `c` of the distance.
    pub distance: f32,
    /// Determines the rehearsal's positions and the order of the lessons.
    pub seed: u64,
}

/// What an update did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effect {
    /// The root of the mean squared error on the lessons that were learned, before and after.
    pub learned: [f64; 2],
    /// The same on those that were held out.
    pub held_out: [f64; 2],
    /// The root of the mean squared change of values on positions that were neither learned nor rehearsed.
    pub drift: f64,
}

/// The largest drift of a network that may replace the old one.
pub const MAX_DRIFT: f64 = 0.01;

impl Effect {
    /// Whether something was learned and nothing forgotten.
    pub fn is_good(&self) -> bool {
        self.held_out[1] < self.held_out[0] && self.drift <= MAX_DRIFT
    }
}

/// A network as it is evaluated in batches.
struct Evaluation {
    weights: ValueBatchWeights,
    batch: ValueBatch,
}

impl Evaluation {
    fn new(net: &ValueNet) -> Result<Self> {
        let batch = ValueBatch::new(net.params().topology(), kernels::active()?);
        Ok(Self { weights: ValueBatchWeights::new(net), batch })
    }

    fn values<'a>(&mut self, positions: impl ExactSizeIterator<Item = &'a Position> + Clone) -> &[f32] {
        for (position, features) in positions.clone().zip(self.batch.begin(positions.len())) {
            feature_maps::extract(position, features);
        }
        self.batch.place(positions);
        self.batch.forward(&self.weights)
    }

    /// The values of any number of positions.
    fn all(&mut self, positions: &[Position]) -> Vec<f32> {
        positions.chunks(BATCH).flat_map(|part| self.values(part.iter()).to_vec()).collect()
    }
}

/// The network after `learned`; `held_out` are lessons of other games.
///
/// # Errors
/// If the kernels cannot be used.
pub fn update(
    net: &ValueNet,
    learned: &[Lesson],
    held_out: &[Lesson],
    options: &UpdateOptions,
) -> Result<(ValueNet, Effect)> {
    let mut random = RandomPositions::new(stream(options.seed, REHEARSAL, 0));
    let mut positions = || (0..options.rehearsal).map(|_| random.next_position().clone()).collect::<Vec<_>>();
    let (rehearsal, others) = (positions(), positions());
    let mut old = Evaluation::new(net)?;
    let (kept, before_others) = (old.all(&rehearsal), old.all(&others));
    let fisher = fisher(&mut old, net, &rehearsal, options);
    let mut new = net.clone();
    let start = net.params().values().to_vec();
    let mut adam = Adam::new(start.len());
    let mut gradient = Params::zeros(*net.params().topology());
    let mut evaluation = Evaluation::new(&new)?;
    let mut order: Vec<usize> = (0..learned.len()).collect();
    let mut rehearsed = 0;
    for epoch in 0..options.epochs {
        let mut random = stream(options.seed, ORDER, epoch);
        for place in (1..order.len()).rev() {
            order.swap(place, random.random_range(0..=place));
        }
        for lessons in order.chunks(BATCH) {
            evaluation.weights.set(&new);
            let part = 1.0 / lessons.len() as f32;
            let values = evaluation.values(lessons.iter().map(|number| &learned[*number].position));
            let slopes: Vec<f32> =
                values.iter().zip(lessons).map(|(value, number)| part * (value - learned[*number].target)).collect();
            evaluation.batch.backward(&evaluation.weights, &slopes);
            if !rehearsal.is_empty() {
                let from = rehearsed % rehearsal.len();
                let to = rehearsal.len().min(from + BATCH);
                rehearsed += BATCH;
                let part = options.rehearsal_weight / (to - from) as f32;
                let values = evaluation.values(rehearsal[from..to].iter());
                let slopes: Vec<f32> =
                    values.iter().zip(&kept[from..to]).map(|(value, kept)| part * (value - kept)).collect();
                evaluation.batch.backward(&evaluation.weights, &slopes);
            }
            gradient.values_mut().fill(0.0);
            evaluation.batch.take_gradient(&mut gradient);
            let distances = new.params().values().iter().zip(&start).zip(&fisher);
            for (slope, ((now, before), fisher)) in gradient.values_mut().iter_mut().zip(distances) {
                *slope += options.distance * fisher * (now - before);
            }
            keep_layers(&mut gradient, options.weights);
            adam.step(new.params_mut().values_mut(), gradient.values(), options.rate);
        }
    }
    let mut after = Evaluation::new(&new)?;
    let drift = rms(after.all(&others).iter().zip(&before_others).map(|(now, before)| now - before));
    let learned = [error(&mut old, learned), error(&mut after, learned)];
    let held_out = [error(&mut old, held_out), error(&mut after, held_out)];
    Ok((new, Effect { learned, held_out, drift }))
}

/// The diagonal of Fisher's information: the mean squared derivative of the value in each weight.
fn fisher(old: &mut Evaluation, net: &ValueNet, positions: &[Position], options: &UpdateOptions) -> Vec<f32> {
    let mut squares = vec![0.0; net.params().values().len()];
    let mut gradient = Params::zeros(*net.params().topology());
    let mut random = stream(options.seed, SIGNS, 0);
    for part in positions.chunks(BATCH) {
        old.values(part.iter());
        let signs: Vec<f32> = part.iter().map(|_| if random.random::<bool>() { 1.0 } else { -1.0 }).collect();
        old.batch.backward(&old.weights, &signs);
        gradient.values_mut().fill(0.0);
        old.batch.take_gradient(&mut gradient);
        squares.iter_mut().zip(gradient.values()).for_each(|(sum, slope)| *sum += slope * slope);
    }
    let number = positions.len().max(1) as f32;
    squares.iter_mut().for_each(|sum| *sum /= number);
    squares
}

/// Removes the gradient of what does not learn.
fn keep_layers(gradient: &mut Params<Topology>, weights: LearnedWeights) {
    if weights == LearnedWeights::Output {
        let layers = gradient.topology().layers();
        for &layer in layers.iter().filter(|layer| **layer != Layer::Output) {
            let (weights, bias) = gradient.layer_mut(layer);
            weights.fill(0.0);
            bias.fill(0.0);
        }
    }
}

fn error(evaluation: &mut Evaluation, lessons: &[Lesson]) -> f64 {
    let positions: Vec<Position> = lessons.iter().map(|lesson| lesson.position.clone()).collect();
    rms(evaluation.all(&positions).iter().zip(lessons).map(|(value, lesson)| value - lesson.target))
}

fn rms(differences: impl ExactSizeIterator<Item = f32>) -> f64 {
    let number = differences.len().max(1) as f64;
    (differences.map(|difference| f64::from(difference).powi(2)).sum::<f64>() / number).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::SHIPPED_VALUE_NET;

    fn lessons(seed: u64, net: &ValueNet, bias: f32) -> Vec<Lesson> {
        let mut random = RandomPositions::new(stream(seed, 9, 9));
        let positions: Vec<Position> = (0..1024).map(|_| random.next_position().clone()).collect();
        let values = Evaluation::new(net).unwrap().all(&positions);
        let lesson = |(position, value): (Position, f32)| Lesson { position, target: (value + bias).clamp(-1.0, 1.0) };
        positions.into_iter().zip(values).map(lesson).collect()
    }

    fn options(weights: LearnedWeights) -> UpdateOptions {
        UpdateOptions { weights, rate: 3e-4, epochs: 5, rehearsal: 512, rehearsal_weight: 1.0, distance: 0.0, seed: 1 }
    }

    #[test]
    fn what_is_taught_is_learned_and_only_where_it_may() {
        let net = nets::file::from_bytes("shipped", SHIPPED_VALUE_NET).unwrap().0;
        let (learned, held_out) = (lessons(1, &net, 0.1), lessons(2, &net, 0.1));
        for weights in [LearnedWeights::Output, LearnedWeights::All] {
            let options = UpdateOptions { rehearsal_weight: 0.0, ..options(weights) };
            let (new, effect) = update(&net, &learned, &held_out, &options).unwrap();
            assert!(effect.learned[1] < 0.8 * effect.learned[0], "{effect:?}");
            assert!(effect.held_out[1] < effect.held_out[0], "{effect:?}");
            let same = new.params().layer(Layer::Hidden) == net.params().layer(Layer::Hidden);
            assert_eq!(same, weights == LearnedWeights::Output);
            assert_eq!(update(&net, &learned, &held_out, &options).unwrap().0, new);
        }
    }

    #[test]
    fn rehearsal_and_distance_hold_the_network() {
        let net = nets::file::from_bytes("shipped", SHIPPED_VALUE_NET).unwrap().0;
        let learned = lessons(1, &net, 0.3);
        let drift = |rehearsal_weight, distance| {
            let options = UpdateOptions { rehearsal_weight, distance, ..options(LearnedWeights::All) };
            update(&net, &learned, &learned, &options).unwrap().1.drift
        };
        let free = drift(0.0, 0.0);
        assert!(drift(10.0, 0.0) < free && drift(0.0, 1_000.0) < free, "{free}");
    }

    #[test]
    fn nothing_to_learn_changes_next_to_nothing() {
        let net = nets::file::from_bytes("shipped", SHIPPED_VALUE_NET).unwrap().0;
        let learned = lessons(1, &net, 0.0);
        let (_, effect) = update(&net, &learned, &learned, &options(LearnedWeights::Output)).unwrap();
        assert!(effect.learned[0] < 1e-6 && !effect.is_good(), "{effect:?}");
    }
}

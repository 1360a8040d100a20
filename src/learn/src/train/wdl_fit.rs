//! Fits the second output and kappa to results, by Adam on the mean of `-ln P(result)`.
//!
//! A batch is cut into a fixed number of shards whose gradients are summed in order: the same bits for any number of threads.

use crate::data::result_samples::{Outcome, ResultSample};
use crate::streams::stream;
use crate::train::draw_model::DrawModel;
use kernels::adam::Adam;
use rand::RngExt;
use rayon::prelude::*;
use search::Chances;

/// Positions of a step.
const BATCH: usize = 16_384;
/// How many shards a batch is cut into.
pub(crate) const SHARDS: usize = 8;
/// Adam's rate at the first step; it falls linearly to nothing.
const RATE: f32 = 0.01;
/// The least chance that a prediction gives a result, so that no single game decides a mean.
const LEAST: f64 = 1e-6;

/// A fit under way.
#[derive(Debug, Clone)]
pub struct Fit {
    /// `(hidden + 2)`: the weights, the bias, and the logarithm of kappa.
    parameters: Vec<f32>,
    adam: Adam,
    keeps_weights: bool,
}

/// `-ln P(outcome)` of chances.
pub fn loss(chances: Chances, outcome: Outcome) -> f64 {
    -probability(chances, outcome).max(LEAST).ln()
}

fn probability(chances: Chances, outcome: Outcome) -> f64 {
    match outcome {
        Outcome::Win => chances.win(),
        Outcome::Draw => chances.draw(),
        Outcome::Loss => chances.loss(),
        Outcome::NotWon => 1.0 - chances.win(),
        Outcome::NotLost => 1.0 - chances.loss(),
    }
}

/// The derivatives of the loss in the logit of q and in the value's logit; that in the logarithm of kappa is the last one times the logit.
pub(crate) fn slopes(logit: f64, drawn: f64, kappa: f64, outcome: Outcome) -> (f64, f64) {
    let chances = Chances::of_outputs(logit as f32, drawn as f32, kappa as f32);
    let Chances { expected: e, drawn: q } = chances;
    let (draw_of_e, draw_of_q) = chances.draw_slopes();
    let (win, loss) = (0.5 * (1.0 - draw_of_e), 0.5 * (-1.0 - draw_of_e));
    let (p_of_e, p_of_q) = match outcome {
        Outcome::Draw => (draw_of_e, draw_of_q),
        Outcome::Win => (win, -0.5 * draw_of_q),
        Outcome::Loss => (loss, -0.5 * draw_of_q),
        Outcome::NotWon => (-win, 0.5 * draw_of_q),
        Outcome::NotLost => (-loss, 0.5 * draw_of_q),
    };
    let of_p = -1.0 / probability(chances, outcome).max(LEAST);
    (of_p * p_of_q * q * (1.0 - q), of_p * p_of_e * (1.0 - e * e) * kappa)
}

impl Fit {
    /// A fit that begins with this model.
    pub fn new(head: &DrawModel) -> Self {
        let mut parameters = head.weights.clone();
        parameters.extend([head.bias, head.kappa.ln()]);
        let adam = Adam::new(parameters.len());
        Self { parameters, adam, keeps_weights: false }
    }

    /// Only the bias and kappa learn.
    pub fn keep_weights(&mut self) {
        self.keeps_weights = true;
    }

    /// The model as it is now.
    pub fn model(&self) -> DrawModel {
        let hidden = self.parameters.len() - 2;
        let kappa = libm::expf(self.parameters[hidden + 1]);
        DrawModel { weights: self.parameters[..hidden].to_vec(), bias: self.parameters[hidden], kappa }
    }

    /// Learns from all samples once, in an order that seed and epoch determine; `epoch` counts from 0 to `epochs`. Returns the mean
    /// loss, each batch's before its step.
    pub fn epoch(&mut self, samples: &[ResultSample], seed: u64, epoch: u64, epochs: u64) -> f64 {
        in_batches(samples.len(), seed, epoch, epochs, |batch, rate| self.step(samples, batch, rate))
    }

    /// One step; returns the sum of the losses.
    fn step(&mut self, samples: &[ResultSample], batch: &[u32], rate: f32) -> f64 {
        let head = self.model();
        let shards: Vec<(Vec<f64>, f64)> =
            batch.par_chunks(batch.len().div_ceil(SHARDS)).map(|shard| gradient(samples, shard, &head)).collect();
        let mut sum = vec![0.0; self.parameters.len()];
        let mut losses = 0.0;
        for (gradient, loss) in shards {
            sum.iter_mut().zip(gradient).for_each(|(sum, part)| *sum += part);
            losses += loss;
        }
        if self.keeps_weights {
            sum[..head.weights.len()].fill(0.0);
        }
        self.descend(&sum, batch.len(), rate);
        losses
    }

    /// Takes a step against a gradient that is summed over so many samples.
    pub(crate) fn descend(&mut self, sum: &[f64], samples: usize, rate: f32) {
        let gradient: Vec<f32> = sum.iter().map(|sum| (sum / samples as f64) as f32).collect();
        self.adam.step(&mut self.parameters, &gradient, rate);
    }
}

/// Takes a step with each batch of an epoch, in an order that seed and epoch determine, at the rate of that moment. `step` returns the sum
/// of a batch's losses; the result is the mean.
pub(crate) fn in_batches(
    samples: usize,
    seed: u64,
    epoch: u64,
    epochs: u64,
    mut step: impl FnMut(&[u32], f32) -> f64,
) -> f64 {
    let mut order: Vec<u32> = (0..samples as u32).collect();
    let mut random = stream(seed, epoch, 0);
    for place in (1..order.len()).rev() {
        order.swap(place, random.random_range(0..=place));
    }
    let batches = order.len().div_ceil(BATCH);
    let mut sum = 0.0;
    for (number, batch) in order.chunks(BATCH).enumerate() {
        let done = (epoch as f64 + number as f64 / batches as f64) / epochs as f64;
        sum += step(batch, RATE * (1.0 - done) as f32);
    }
    sum / samples.max(1) as f64
}

/// The summed gradient and loss of some samples.
fn gradient(samples: &[ResultSample], numbers: &[u32], head: &DrawModel) -> (Vec<f64>, f64) {
    let hidden = head.weights.len();
    let (mut sum, mut losses) = (vec![0.0; hidden + 2], 0.0);
    for number in numbers {
        let sample = &samples[*number as usize];
        let drawn = head.output(&sample.hidden);
        losses += loss(Chances::of_outputs(sample.logit, drawn, head.kappa), sample.outcome);
        let (of_drawn, of_logit) =
            slopes(f64::from(sample.logit), f64::from(drawn), f64::from(head.kappa), sample.outcome);
        sum.iter_mut().zip(&sample.hidden).for_each(|(sum, unit)| *sum += of_drawn * f64::from(*unit));
        sum[hidden] += of_drawn;
        sum[hidden + 1] += of_logit * f64::from(sample.logit);
    }
    (sum, losses)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::Rng;
    use search::wdl::logistic;

    fn sample(logit: f32, hidden: Vec<f32>, outcome: Outcome) -> ResultSample {
        ResultSample { game: 0, pieces: 20, outcome, logit, drawn: 0.0, hidden, position: None }
    }

    const ALL: [Outcome; 5] = [Outcome::Win, Outcome::Draw, Outcome::Loss, Outcome::NotWon, Outcome::NotLost];

    #[test]
    fn slopes_agree_with_finite_differences() {
        let h = 1e-3;
        for logit in [-1.5, -0.3, 0.0, 0.8] {
            for drawn in [-1.0, 0.2, 1.5] {
                for outcome in ALL {
                    let of = |drawn: f64, logit: f64, log_kappa: f64| {
                        let kappa = libm::exp(log_kappa);
                        let chances = Chances { expected: libm::tanh(kappa * logit), drawn: logistic(drawn) };
                        loss(chances, outcome)
                    };
                    let (of_drawn, of_logit) = slopes(logit, drawn, 1.3, outcome);
                    let log_kappa = libm::log(1.3);
                    let by = |d: f64, l: f64, k: f64| {
                        (of(drawn + d, logit + l, log_kappa + k) - of(drawn - d, logit - l, log_kappa - k)) / (2.0 * h)
                    };
                    let pairs =
                        [(of_drawn, by(h, 0.0, 0.0)), (of_logit, by(0.0, h, 0.0)), (of_logit * logit, by(0.0, 0.0, h))];
                    for (found, expected) in pairs {
                        assert!((found - expected).abs() < 1e-4, "{found} {expected}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_known_truth_is_found_again_and_threads_do_not_matter() {
        // Two kinds of positions, one much more drawn than the other, on a scale of 1.5.
        let mut random = stream(7, 0, 0);
        let mut uniform = || (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
        let samples: Vec<ResultSample> = (0..20_000)
            .map(|_| {
                let (logit, kind) = (2.0 * uniform() - 1.0, f64::from(u8::from(uniform() < 0.5)));
                let truth = Chances { expected: libm::tanh(1.5 * logit), drawn: logistic(-1.0 + 2.0 * kind) };
                let x = uniform();
                let outcome = match x {
                    x if x < truth.win() => Outcome::Win,
                    x if x < truth.win() + truth.draw() => Outcome::Draw,
                    _ => Outcome::Loss,
                };
                sample(logit as f32, vec![kind as f32], outcome)
            })
            .collect();
        let fitted = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut fit = Fit::new(&DrawModel::neutral(1));
                for epoch in 0..500 {
                    fit.epoch(&samples, 1, epoch, 500);
                }
                fit.model()
            })
        };
        let head = fitted(1);
        assert_eq!(fitted(3), head);
        assert!((head.kappa - 1.5).abs() < 0.1, "{head:?}");
        assert!((head.bias + 1.0).abs() < 0.15 && (head.weights[0] - 2.0).abs() < 0.25, "{head:?}");
    }
}

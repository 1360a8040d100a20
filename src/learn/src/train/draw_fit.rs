//! Fits a model of draws and kappa to results, by Adam on the mean of `-ln P(result)`: of the second output of a network whose other
//! layers stay, or of the few inputs of a simpler prediction.

use crate::data::result_samples::ResultSample;
use crate::streams::{shuffled, stream};
use crate::train::draw_model::DrawModel;
use crate::train::optimizer::{Optimizer, OptimizerKind};
use crate::train::reduce::{self, Reduction};
use crate::train::schedule::{Progress, Schedule};
use crate::train::wdl_loss::{loss, slopes};
use search::Chances;

/// Positions of a step.
pub const BATCH: usize = 16_384;
/// How many shards a batch is cut into.
pub const SHARDS: usize = 8;
/// Adam's rate at the first step; it falls linearly to nothing.
pub const RATE: f32 = 0.01;

/// The rate when this part of the fit is done, [0, 1].
pub fn rate(done: f64) -> f32 {
    Schedule::Linear { last: 0.0 }.rate(RATE, Progress { step: 0, done })
}

/// The order in which an epoch, from 0, takes so many samples.
pub fn order(samples: usize, seed: u64, epoch: u64) -> Vec<u32> {
    shuffled(samples, &mut stream(seed, epoch, 0))
}

/// A fit under way.
pub struct DrawFit {
    /// `(input + 2)`: the weights, the bias, and the logarithm of kappa.
    parameters: Vec<f32>,
    optimizer: Optimizer,
    keeps_weights: bool,
    reduction: Reduction<Shard>,
}

/// A part of a batch.
struct Shard {
    /// `(input + 2)`.
    gradient: Vec<f64>,
    loss: f64,
}

impl DrawFit {
    /// A fit that begins with this model.
    pub fn new(head: &DrawModel) -> Self {
        let parameters = [&head.weights[..], &[head.bias, head.kappa.ln()]].concat();
        let optimizer = Optimizer::new(OptimizerKind::Adam, parameters.len());
        Self::restore(parameters, optimizer)
    }

    /// A fit that continues with these parameters, `(input + 2)`, and their optimizer.
    pub fn restore(parameters: Vec<f32>, optimizer: Optimizer) -> Self {
        let zeros = vec![0.0; parameters.len()];
        let shard = || Shard { gradient: zeros.clone(), loss: 0.0 };
        let reduction = Reduction::new(zeros.clone(), SHARDS, shard);
        Self { parameters, optimizer, keeps_weights: false, reduction }
    }

    /// Only the bias and kappa learn.
    pub fn keep_weights(&mut self) {
        self.keeps_weights = true;
    }

    /// The parameters, `(input + 2)`, and their optimizer.
    pub fn memory(&self) -> (&[f32], &Optimizer) {
        (&self.parameters, &self.optimizer)
    }

    /// The model as it is now.
    pub fn model(&self) -> DrawModel {
        let inputs = self.parameters.len() - 2;
        let kappa = libm::expf(self.parameters[inputs + 1]);
        DrawModel { weights: self.parameters[..inputs].to_vec(), bias: self.parameters[inputs], kappa }
    }

    /// Learns from all samples so many times, each in an order that the seed determines.
    pub fn learn(&mut self, samples: &[ResultSample], seed: u64, epochs: u64) {
        for epoch in 0..epochs {
            let order = order(samples.len(), seed, epoch);
            let steps = order.len().div_ceil(BATCH);
            for (step, numbers) in order.chunks(BATCH).enumerate() {
                let (gradient, _) = self.gradient(samples, numbers);
                self.descend(
                    &gradient,
                    numbers.len(),
                    rate((epoch as f64 + step as f64 / steps as f64) / epochs as f64),
                );
            }
        }
    }

    /// The sums of the gradients, `(input + 2)`, and of the losses of the samples of these numbers.
    pub fn gradient(&mut self, samples: &[ResultSample], numbers: &[u32]) -> (Vec<f64>, f64) {
        let head = self.model();
        let work = |part, shard: &mut Shard| shard.add(samples, &numbers[part], &head);
        let (shards, sum) = self.reduction.reduce(numbers.len(), work);
        (sum.clone(), shards.iter().map(|shard| shard.loss).sum())
    }

    /// Takes a step against a gradient that is summed over so many samples.
    pub fn descend(&mut self, sum: &[f64], samples: usize, rate: f32) {
        let mut gradient: Vec<f32> = sum.iter().map(|sum| (sum / samples as f64) as f32).collect();
        if self.keeps_weights {
            gradient[..sum.len() - 2].fill(0.0);
        }
        self.optimizer.step(&mut self.parameters, &gradient, rate);
    }
}

impl Shard {
    fn add(&mut self, samples: &[ResultSample], numbers: &[u32], head: &DrawModel) {
        let Self { gradient, loss: losses } = self;
        let inputs = head.weights.len();
        *losses = 0.0;
        for number in numbers {
            let sample = &samples[*number as usize];
            let drawn = head.output(&sample.hidden);
            *losses += loss(Chances::of_outputs(sample.logit, drawn, head.kappa), sample.outcome);
            let (of_drawn, of_logit) = slopes(sample.logit.into(), drawn.into(), head.kappa.into(), sample.outcome);
            gradient.iter_mut().zip(&sample.hidden).for_each(|(sum, unit)| *sum += of_drawn * f64::from(*unit));
            gradient[inputs] += of_drawn;
            gradient[inputs + 1] += of_logit * f64::from(sample.logit);
        }
    }
}

impl reduce::Shard for Shard {
    type Sum = Vec<f64>;

    fn merge(&mut self, other: &mut Self) {
        let slopes = self.gradient.iter_mut().zip(&mut other.gradient);
        slopes.for_each(|(sum, part)| *sum += std::mem::take(part));
    }

    fn add_gradient(&mut self, sum: &mut Vec<f64>) {
        sum.iter_mut().zip(&self.gradient).for_each(|(sum, part)| *sum += part);
        self.gradient.fill(0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::example::Outcome;
    use rand::Rng;
    use search::wdl::logistic;

    fn sample(logit: f32, hidden: Vec<f32>, outcome: Outcome) -> ResultSample {
        ResultSample { game: 0, pieces: 20, outcome, logit, drawn: 0.0, hidden, example: None }
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
                let mut fit = DrawFit::new(&DrawModel::neutral(1));
                fit.learn(&samples, 1, 500);
                fit.model()
            })
        };
        let head = fitted(1);
        assert_eq!(fitted(3), head);
        assert!((head.kappa - 1.5).abs() < 0.1, "{head:?}");
        assert!((head.bias + 1.0).abs() < 0.15 && (head.weights[0] - 2.0).abs() < 0.25, "{head:?}");
    }

    #[test]
    fn a_gradient_is_the_slope_of_the_sum_of_losses() {
        let samples = [
            sample(0.6, vec![0.0, 1.0], Outcome::Win),
            sample(-0.4, vec![2.0, 0.5], Outcome::Draw),
            sample(0.9, vec![1.0, 0.0], Outcome::Loss),
            sample(-1.2, vec![0.3, 0.7], Outcome::NotWon),
        ];
        let numbers = [3, 0, 1, 2, 1];
        let mut fit = DrawFit::new(&DrawModel { weights: vec![0.3, -0.2], bias: -0.5, kappa: 1.4 });
        let (gradient, losses) = fit.gradient(&samples, &numbers);
        let parameters = [0.3, -0.2, -0.5, libm::log(1.4)];
        let sum_at = |index: usize, change: f64| -> f64 {
            let mut moved = parameters;
            moved[index] += change;
            let [first, second, bias, log_kappa] = moved;
            let loss_of = |number: &u32| {
                let sample = &samples[*number as usize];
                let [one, other] = [0, 1].map(|unit| f64::from(sample.hidden[unit]));
                let expected = libm::tanh(libm::exp(log_kappa) * f64::from(sample.logit));
                loss(Chances { expected, drawn: logistic(first * one + second * other + bias) }, sample.outcome)
            };
            numbers.iter().map(loss_of).sum()
        };
        assert!((losses - sum_at(0, 0.0)).abs() < 1e-5, "{losses}");
        for (index, found) in gradient.iter().enumerate() {
            let expected = (sum_at(index, 1e-4) - sum_at(index, -1e-4)) / 2e-4;
            assert!((found - expected).abs() < 1e-4, "{index}: {found} {expected}");
        }
        assert_eq!(gradient.len(), 4);
        assert_eq!(fit.gradient(&samples, &numbers), (gradient, losses), "nothing is left of the sums before");
    }

    #[test]
    fn a_step_by_hand() {
        let mut fit = DrawFit::restore(vec![1.0, 2.0, 3.0, 0.0], Optimizer::Descent);
        fit.descend(&[4.0, 8.0, 2.0, -4.0], 4, 0.5);
        assert_eq!(fit.memory().0, [0.5, 1.0, 2.75, 0.5]);
        assert_eq!(fit.model(), DrawModel { weights: vec![0.5, 1.0], bias: 2.75, kappa: libm::expf(0.5) });
        fit.keep_weights();
        fit.descend(&[4.0, 8.0, 2.0, -4.0], 2, 0.5);
        assert_eq!(fit.memory().0, [0.5, 1.0, 2.25, 1.5]);
    }

    #[test]
    fn the_rate_falls_from_step_to_step_over_all_epochs() {
        assert_eq!([0.0, 0.5, 1.0].map(rate), [0.01, 0.005, 0.0]);
        let mut sorted = order(9, 3, 1);
        assert_ne!(sorted, order(9, 3, 2));
        sorted.sort_unstable();
        assert_eq!(sorted, (0..9).collect::<Vec<_>>());
        // Two steps in each epoch.
        let outcomes = [Outcome::Win, Outcome::Draw, Outcome::Loss];
        let samples: Vec<ResultSample> =
            (0..17_000).map(|n| sample((n % 7) as f32 / 4.0 - 0.7, vec![(n % 5) as f32], outcomes[n % 3])).collect();
        let [mut learned, mut by_hand] = [0, 1].map(|_| DrawFit::new(&DrawModel::neutral(1)));
        learned.learn(&samples, 3, 2);
        for (epoch, parts) in [(0, [1.0, 0.75]), (1, [0.5, 0.25])] {
            for (numbers, part) in order(samples.len(), 3, epoch).chunks(BATCH).zip(parts) {
                let (gradient, _) = by_hand.gradient(&samples, numbers);
                by_hand.descend(&gradient, numbers.len(), RATE * part);
            }
        }
        assert_eq!(learned.model(), by_hand.model());
    }
}

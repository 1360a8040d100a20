//! The whole network learns from results: the second output and kappa as in [`fit`](crate::train::wdl_fit), and the trunk and the first output
//! with them, at a small part of their rate.
//!
//! A batch is cut into a fixed number of shards whose gradients are summed in order: the same bits for any number of threads.

use crate::data::result_samples::ResultSample;
use crate::train::draw_model::DrawModel;
use crate::train::wdl_fit::{Fit, SHARDS, in_batches, loss, slopes};
use anyhow::Result;
use kernels::adam::Adam;
use nets::{BATCH, Params, Topology, ValueBatch, ValueBatchWeights, ValueNet};
use rayon::prelude::*;
use search::Chances;

/// A fit of a whole network under way.
pub struct JointFit {
    net: ValueNet,
    weights: ValueBatchWeights,
    /// The second output and kappa.
    fit: Fit,
    /// Of all other parameters.
    adam: Adam,
    /// The part of the rate at which all but the second output learns.
    part: f32,
    shards: Vec<Shard>,
}

/// A part of a batch.
struct Shard {
    batch: ValueBatch,
    gradient: Params<Topology>,
    /// `(hidden + 2)`: that of the second output and of the logarithm of kappa. In f64 up to the step.
    fit_gradient: Vec<f64>,
    loss: f64,
}

impl JointFit {
    /// A fit that begins with this network, which has a second output.
    ///
    /// # Errors
    /// If the kernels cannot be used.
    pub fn new(net: &ValueNet, part: f32) -> Result<Self> {
        let (topology, kernels) = (*net.params().topology(), kernels::active()?);
        let shard = || Shard {
            batch: ValueBatch::new(&topology, kernels),
            gradient: Params::zeros(topology),
            fit_gradient: Vec::new(),
            loss: 0.0,
        };
        let (mut net, fit) = (net.clone(), Fit::new(&DrawModel::of(net)));
        // Kappa is the one that the fit has, which learns its logarithm.
        fit.model().store(&mut net);
        Ok(Self {
            weights: ValueBatchWeights::new(&net),
            net,
            fit,
            adam: Adam::new(topology.without_draw().parameters()),
            part,
            shards: std::iter::repeat_with(shard).take(SHARDS).collect(),
        })
    }

    /// The network as it is now.
    pub fn into_net(self) -> ValueNet {
        self.net
    }

    /// As [`Fit::epoch`], of samples with their positions.
    pub fn epoch(&mut self, samples: &[ResultSample], seed: u64, epoch: u64, epochs: u64) -> f64 {
        in_batches(samples.len(), seed, epoch, epochs, |batch, rate| self.step(samples, batch, rate))
    }

    /// The mean loss on samples with their positions.
    pub fn mean_loss(&mut self, samples: &[ResultSample]) -> f64 {
        let numbers: Vec<u32> = (0..samples.len() as u32).collect();
        self.evaluate(samples, &numbers, false);
        self.shards.iter().map(|shard| shard.loss).sum::<f64>() / samples.len().max(1) as f64
    }

    /// One step; returns the sum of the losses.
    fn step(&mut self, samples: &[ResultSample], batch: &[u32], rate: f32) -> f64 {
        self.evaluate(samples, batch, true);
        let first = self.net.params().topology().without_draw().parameters();
        let mut gradient = vec![0.0; first];
        let mut fit_gradient = vec![0.0; self.shards[0].fit_gradient.len()];
        for shard in &self.shards {
            gradient.iter_mut().zip(shard.gradient.values()).for_each(|(sum, part)| *sum += part);
            fit_gradient.iter_mut().zip(&shard.fit_gradient).for_each(|(sum, part)| *sum += part);
        }
        let number = batch.len() as f32;
        gradient.iter_mut().for_each(|slope| *slope /= number);
        self.adam.step(&mut self.net.params_mut().values_mut()[..first], &gradient, self.part * rate);
        self.fit.descend(&fit_gradient, batch.len(), rate);
        self.fit.model().store(&mut self.net);
        self.weights.set(&self.net);
        self.shards.iter().map(|shard| shard.loss).sum()
    }

    /// Every shard's loss and, if `backward`, its gradients.
    fn evaluate(&mut self, samples: &[ResultSample], numbers: &[u32], backward: bool) {
        let (kappa, weights) = (self.net.kappa(), &self.weights);
        let size = numbers.len().div_ceil(SHARDS);
        self.shards.par_iter_mut().enumerate().for_each(|(index, shard)| {
            let end = numbers.len().min((index + 1) * size);
            shard.evaluate(samples, &numbers[end.min(index * size)..end], weights, kappa, backward);
        });
    }
}

impl Shard {
    fn evaluate(
        &mut self,
        samples: &[ResultSample],
        numbers: &[u32],
        weights: &ValueBatchWeights,
        kappa: f32,
        backward: bool,
    ) {
        self.gradient.values_mut().fill(0.0);
        self.loss = 0.0;
        let mut log_kappa_slope = 0.0;
        for part in numbers.chunks(BATCH) {
            let samples: Vec<&ResultSample> = part.iter().map(|number| &samples[*number as usize]).collect();
            let positions = samples.iter().filter_map(|sample| sample.position.as_ref());
            self.batch.fill(positions);
            let values = self.batch.forward(weights).to_vec();
            let (mut of_values, mut of_drawn) = (Vec::with_capacity(part.len()), Vec::with_capacity(part.len()));
            for ((sample, value), drawn) in samples.iter().zip(values).zip(self.batch.draw_outputs(weights)) {
                // A value of 1 has no logit, and no slope.
                let value = f64::from(value).clamp(-LARGEST, LARGEST);
                let (logit, drawn) = (libm::atanh(value), f64::from(drawn));
                self.loss += loss(Chances::of_outputs(logit as f32, drawn as f32, kappa), sample.outcome);
                let (drawn_slope, logit_slope) = slopes(logit, drawn, f64::from(kappa), sample.outcome);
                of_values.push((logit_slope / (1.0 - value * value)) as f32);
                of_drawn.push(drawn_slope);
                log_kappa_slope += logit_slope * logit;
            }
            if backward {
                self.batch.backward_both(weights, &of_values, &of_drawn);
            }
        }
        self.fit_gradient.clear();
        self.fit_gradient.extend(self.batch.draw_gradient());
        self.fit_gradient.push(log_kappa_slope);
        self.batch.take_gradient(&mut self.gradient);
    }
}

/// The largest value whose logit is used.
const LARGEST: f64 = 1.0 - 1e-6;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::result_samples::Outcome;
    use crate::streams::stream;
    use board::random_positions::RandomPositions;
    use engine::SHIPPED_VALUE_NET;

    fn samples(number: u32) -> Vec<ResultSample> {
        let mut random = RandomPositions::new(stream(5, 0, 0));
        let play = engine::shipped_value_net().unwrap();
        let sample = |game| {
            let position = random.next_position().clone();
            let pieces = position.occupied().len() as u8;
            // Not what is next to impossible, whose loss is cut off.
            let value = play.evaluate(&position);
            let outcome = if value.abs() > 0.8 { Outcome::of_result(value.signum() as i8) } else { Outcome::Draw };
            ResultSample { game, pieces, outcome, logit: 0.0, drawn: 0.0, hidden: Vec::new(), position: Some(position) }
        };
        (0..number).map(sample).collect()
    }

    #[test]
    fn gradients_agree_with_finite_differences() {
        let net = nets::file::from_bytes("shipped", SHIPPED_VALUE_NET).unwrap().0;
        let samples = samples(60);
        let numbers: Vec<u32> = (0..60).collect();
        let mut fit = JointFit::new(&net, 1.0).unwrap();
        fit.evaluate(&samples, &numbers, true);
        let mut gradient = Params::<Topology>::zeros(*net.params().topology());
        for shard in &fit.shards {
            gradient.values_mut().iter_mut().zip(shard.gradient.values()).for_each(|(sum, part)| *sum += part);
        }
        let mut checked = 0;
        for layer in nets::Layer::NETWORK {
            // The weight of the layer with the steepest slope.
            let slopes = gradient.layer(layer).0;
            let Some(at) = (0..slopes.len()).max_by(|a, b| slopes[*a].abs().total_cmp(&slopes[*b].abs())) else {
                continue;
            };
            let sum_at = |change: f32| {
                let mut moved = net.clone();
                moved.params_mut().layer_mut(layer).0[at] += change;
                JointFit::new(&moved, 1.0).unwrap().mean_loss(&samples) * 60.0
            };
            let h = 3e-4;
            let expected = (sum_at(h) - sum_at(-h)) / (2.0 * f64::from(h));
            let found = f64::from(slopes[at]);
            assert!((found - expected).abs() < 0.02 * expected.abs() + 1e-3, "{layer:?}: {found} {expected}");
            checked += 1;
        }
        assert!(checked >= 6);
    }

    #[test]
    fn threads_do_not_matter_and_a_part_of_nothing_keeps_the_trunk() {
        let net = nets::file::from_bytes("shipped", SHIPPED_VALUE_NET).unwrap().0;
        let samples = samples(300);
        let fitted = |threads, part| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut fit = JointFit::new(&net, part).unwrap();
                let before = fit.mean_loss(&samples);
                (0..3).for_each(|epoch| {
                    fit.epoch(&samples, 1, epoch, 3);
                });
                assert!(fit.mean_loss(&samples) < before);
                fit.into_net()
            })
        };
        let joint = fitted(1, 0.1);
        let first_output = |net: &ValueNet| net.clone().without_draw();
        assert!(joint == fitted(3, 0.1) && first_output(&joint) != first_output(&net));
        let frozen = fitted(2, 0.0);
        assert!(first_output(&frozen) == first_output(&net) && frozen != net);
    }
}

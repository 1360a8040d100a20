//! A network learns from results: the second output and kappa, and, if they are to, the other layers with them at a part of the rate.
//!
//! While the other layers stay, a sample has what they say, and only [`DrawFit`] works.

use crate::data::result_samples::ResultSample;
use crate::train::draw_fit::{DrawFit, SHARDS};
use crate::train::draw_model::DrawModel;
use crate::train::loss::Loss;
use crate::train::optimizer::{Optimizer, OptimizerKind};
use crate::train::value_trainer::{ValueTrainer, Weighted, freeze_layers};
use kernels::Kernels;
use nets::{Layer, ValueNet};

/// A network that learns.
pub struct WdlLearner {
    /// The network as it is now.
    pub net: ValueNet,
    /// The second output and kappa.
    pub head: DrawFit,
    /// All other layers, if they learn too.
    pub trunk: Option<Trunk>,
}

/// The layers but for the second output.
pub struct Trunk {
    trainer: ValueTrainer,
    /// Of all parameters, where those of the second output have no slope.
    pub optimizer: Optimizer,
    /// The part of the rate at which they learn.
    part: f32,
}

impl Trunk {
    /// The layers of a network of these sizes, which learn at this part of the rate; without `optimizer` with a fresh one.
    pub fn new(net: &ValueNet, part: f32, optimizer: Option<Optimizer>, kernels: &'static Kernels) -> Self {
        let fresh = || Optimizer::new(OptimizerKind::Adam, net.params().values().len());
        let trainer = ValueTrainer::new(net, Loss::Results, SHARDS, kernels);
        Self { trainer, optimizer: optimizer.unwrap_or_else(fresh), part }
    }
}

impl WdlLearner {
    /// A learner that begins or continues with this network, which has a second output.
    pub fn new(mut net: ValueNet, head: Option<DrawFit>, trunk: Option<Trunk>) -> Self {
        let head = head.unwrap_or_else(|| DrawFit::new(&DrawModel::of(&net)));
        // Kappa is the one that the fit has, which learns its logarithm.
        head.model().store(&mut net);
        Self { net, head, trunk }
    }

    /// Takes a step by the samples of these numbers at this rate, on the threads of the present `rayon` pool; returns the sum of the losses.
    pub fn step(&mut self, samples: &[ResultSample], numbers: &[u32], rate: f32) -> f64 {
        let Self { net, head, trunk } = self;
        let (gradient, loss) = match trunk {
            None => head.gradient(samples, numbers),
            Some(Trunk { trainer, optimizer, part }) => {
                let number = numbers.len() as f32;
                let adjust = |_: &ValueNet, sum: &mut _| mean_without_second(sum, number);
                let statistics = trainer.step((net, optimizer), *part * rate, &examples(samples, numbers), adjust);
                (trainer.second().to_vec(), statistics.loss_sum)
            }
        };
        head.descend(&gradient, numbers.len(), rate);
        head.model().store(net);
        loss
    }

    /// The mean loss on samples.
    pub fn mean_loss(&mut self, samples: &[ResultSample]) -> f64 {
        let numbers: Vec<u32> = (0..samples.len() as u32).collect();
        let sum = match &mut self.trunk {
            None => self.head.gradient(samples, &numbers).1,
            Some(trunk) => trunk.trainer.gradient(&self.net, &examples(samples, &numbers)).1.loss_sum,
        };
        sum / samples.len().max(1) as f64
    }
}

/// Divides by the number of samples, and freezes the second output, which has a step of its own.
fn mean_without_second(sum: &mut nets::Params<nets::Topology>, number: f32) {
    sum.values_mut().iter_mut().for_each(|slope| *slope /= number);
    freeze_layers(sum, |layer| layer == Layer::Draw);
}

fn examples<'a>(samples: &'a [ResultSample], numbers: &[u32]) -> Vec<Weighted<'a>> {
    numbers.iter().filter_map(|number| Some((samples[*number as usize].example.as_ref()?, 1.0))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::example::{Example, Outcome};
    use crate::streams::stream;
    use crate::train::draw_fit::{order, rate};
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
            let example = Some(Example::of_outcome(position, outcome));
            ResultSample { game, pieces, outcome, logit: 0.0, drawn: 0.0, hidden: Vec::new(), example }
        };
        (0..number).map(sample).collect()
    }

    fn joint(net: &ValueNet, part: f32) -> WdlLearner {
        let trunk = Trunk::new(net, part, None, kernels::active().unwrap());
        WdlLearner::new(net.clone(), None, Some(trunk))
    }

    #[test]
    fn gradients_agree_with_finite_differences() {
        let net = nets::file::from_bytes("shipped", SHIPPED_VALUE_NET).unwrap().0;
        let samples = samples(60);
        let numbers: Vec<u32> = (0..60).collect();
        let mut trunk = joint(&net, 1.0).trunk.unwrap();
        let gradient = trunk.trainer.gradient(&net, &examples(&samples, &numbers)).0.clone();
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
                joint(&moved, 1.0).mean_loss(&samples) * 60.0
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
                let mut fit = joint(&net, part);
                let before = fit.mean_loss(&samples);
                (0..3).for_each(|epoch| {
                    fit.step(&samples, &order(samples.len(), 1, epoch), rate(epoch as f64 / 3.0));
                });
                assert!(fit.mean_loss(&samples) < before);
                fit.net
            })
        };
        let joint = fitted(1, 0.1);
        let first_output = |net: &ValueNet| net.clone().without_draw();
        assert!(joint == fitted(3, 0.1) && first_output(&joint) != first_output(&net));
        let frozen = fitted(2, 0.0);
        assert!(first_output(&frozen) == first_output(&net) && frozen != net);
    }
}

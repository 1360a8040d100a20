//! Learning from new games without forgetting: the network learns its targets, held to its old values on other positions
//! (rehearsal) and near its old weights where they matter (the Fisher diagonal).
//!
//! ```text
//! loss = mean 1/2 (v - target)^2 + r mean 1/2 (v - v_old)^2 + 1/2 c sum F_i (w_i - w_i,old)^2,    F_i = mean (dv / dw_i)^2
//! ```
// CITE: Kirkpatrick et al. 2017, Overcoming catastrophic forgetting in neural networks, equation 3 (the Fisher diagonal). The mean of
// squared gradients is that of batches with random signs: Hutchinson 1990.

use crate::data::example::Example;
use crate::run::option_values::{choice, number, part, positive, within};
use crate::streams::{shuffle, stream};
use crate::train::loss::Loss;
use crate::train::optimizer::{Optimizer, OptimizerKind};
use crate::train::value_trainer::{ValueTrainer, Weighted, freeze_layers, values};
use anyhow::Result;
use board::Position;
use board::random_positions::RandomPositions;
use clap::Args;
use kernels::Kernels;
use nets::{Layer, ValueNet};
use rand::RngExt;
use support::choice::Choice;

/// Positions of a step, beside which as many are rehearsed, and of a gradient whose square is a part of Fisher's information.
const STEP: usize = 64;

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

/// How much is learned, and how much kept.
#[derive(Debug, Clone, Copy, Args)]
pub struct UpdateOptions {
    /// What learns
    #[arg(long, value_parser = choice::<LearnedWeights>(), default_value = LearnedWeights::default().word(), value_name = "WORD")]
    pub weights: LearnedWeights,
    /// Adam's learning rate, 0 to 1
    #[arg(long, value_name = "X", default_value_t = 1e-4, value_parser = part)]
    pub rate: f32,
    /// How often every turn is learned
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = positive::<u64>)]
    pub epochs: u64,
    /// Positions that keep their values, drawn from random games (as many others measure the drift)
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = within::<usize>(1..=10_000_000))]
    pub rehearsal: usize,
    /// The weight of these against that of the games
    #[arg(long, value_name = "X", default_value_t = 1.0, value_parser = within::<f32>(0.0..=1e9))]
    pub rehearsal_weight: f32,
    /// The weight of the distance from the old network
    #[arg(long, value_name = "X", default_value_t = 1.0, value_parser = within::<f32>(0.0..=1e9))]
    pub distance: f32,
    /// Seed of the rehearsal and of the order of learning
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = number::<u64>)]
    pub seed: u64,
}

/// What an update did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effect {
    /// The root of the mean squared error on the examples that were learned, before and after.
    pub learned: [f64; 2],
    /// The same on those that were held out.
    pub held_out: [f64; 2],
    /// The root of the mean squared change of values on positions that were neither learned nor rehearsed.
    pub drift: f64,
}

/// The largest drift of a network that may replace the old one.
const MAX_DRIFT: f64 = 0.01;

impl Effect {
    /// Why the new network may not replace the old one; `None` if something was learned and nothing forgotten.
    pub fn reason(&self) -> Option<String> {
        let ([before, after], drift) = (self.held_out, self.drift);
        match after < before {
            false => Some(format!("the error on held-out games would be {after:.5} instead of {before:.5}")),
            true if drift <= MAX_DRIFT => None,
            true => Some(format!("values on other positions would change by {drift:.5}, more than {MAX_DRIFT}")),
        }
    }
}

/// The network after `learned`; `held_out` are examples of other games.
///
/// # Errors
/// If the kernels cannot be used.
pub fn update(
    net: &ValueNet,
    learned: &[Example],
    held_out: &[Example],
    options: &UpdateOptions,
) -> Result<(ValueNet, Effect)> {
    let kernels = kernels::active()?;
    let mut random = RandomPositions::new(stream(options.seed, REHEARSAL, 0));
    let mut rehearsal = || {
        let positions: Vec<Position> = (0..options.rehearsal).map(|_| random.next_position().clone()).collect();
        let kept = values(net, &positions, |position| position, kernels);
        positions.into_iter().zip(kept).map(|(position, value)| Example::new(position, value)).collect::<Vec<_>>()
    };
    let (rehearsal, others) = (rehearsal(), rehearsal());
    let mut trainer = ValueTrainer::new(net, Loss::Squared, 1, kernels);
    let fisher = fisher(&mut trainer, net, &rehearsal, options);
    let mut new = net.clone();
    let mut adam = Optimizer::new(OptimizerKind::Adam, fisher.len());
    let mut order: Vec<usize> = (0..learned.len()).collect();
    let mut rehearsed = 0;
    for epoch in 0..options.epochs {
        shuffle(&mut order, &mut stream(options.seed, ORDER, epoch));
        for numbers in order.chunks(STEP) {
            let part = 1.0 / numbers.len() as f32;
            let mut batch: Vec<Weighted<'_>> = numbers.iter().map(|number| (&learned[*number], part)).collect();
            if !rehearsal.is_empty() {
                let from = rehearsed % rehearsal.len();
                let kept = &rehearsal[from..rehearsal.len().min(from + STEP)];
                rehearsed += STEP;
                let part = options.rehearsal_weight / kept.len() as f32;
                batch.extend(kept.iter().map(|example| (example, part)));
            }
            trainer.step((&mut new, &mut adam), options.rate, &batch, |now, gradient| {
                let distances = now.params().values().iter().zip(net.params().values()).zip(&fisher);
                for (slope, ((now, before), fisher)) in gradient.values_mut().iter_mut().zip(distances) {
                    *slope += options.distance * fisher * (now - before);
                }
                freeze_layers(gradient, |layer| options.weights == LearnedWeights::Output && layer != Layer::Output);
            });
        }
    }
    let errors = |examples: &[Example]| [error(net, examples, kernels), error(&new, examples, kernels)];
    Ok((
        new.clone(),
        Effect { learned: errors(learned), held_out: errors(held_out), drift: error(&new, &others, kernels) },
    ))
}

/// The diagonal of Fisher's information: the mean squared derivative of the value in each weight.
fn fisher(trainer: &mut ValueTrainer, net: &ValueNet, examples: &[Example], options: &UpdateOptions) -> Vec<f32> {
    let mut squares = vec![0.0; net.params().values().len()];
    let mut random = stream(options.seed, SIGNS, 0);
    for part in examples.chunks(STEP) {
        // Half the squared error of a value of 1 or -1 against 0 has the slope 1 or -1, whatever the net says.
        let mut sign = || if random.random::<bool>() { 1.0 } else { -1.0 };
        let signs: Vec<Example> =
            part.iter().map(|example| Example::new(example.position.clone(), 0.0).compared_with(sign())).collect();
        let (gradient, _) = trainer.gradient(net, &signs.iter().map(|example| (example, 1.0)).collect::<Vec<_>>());
        squares.iter_mut().zip(gradient.values()).for_each(|(sum, slope)| *sum += slope * slope);
    }
    let number = examples.len().max(1) as f32;
    squares.iter_mut().for_each(|sum| *sum /= number);
    squares
}

/// The root of a net's mean squared error.
fn error(net: &ValueNet, examples: &[Example], kernels: &'static Kernels) -> f64 {
    let values = values(net, examples, |example| &example.position, kernels);
    let squares = values.iter().zip(examples).map(|(value, example)| f64::from(value - example.target).powi(2));
    (squares.sum::<f64>() / examples.len().max(1) as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::SHIPPED_VALUE_NET;

    fn examples(seed: u64, net: &ValueNet, bias: f32) -> Vec<Example> {
        let mut random = RandomPositions::new(stream(seed, 9, 9));
        let positions: Vec<Position> = (0..1024).map(|_| random.next_position().clone()).collect();
        let values = values(net, &positions, |position| position, kernels::active().unwrap());
        let example = |(position, value): (Position, f32)| Example::new(position, (value + bias).clamp(-1.0, 1.0));
        positions.into_iter().zip(values).map(example).collect()
    }

    fn options(weights: LearnedWeights) -> UpdateOptions {
        UpdateOptions { weights, rate: 3e-4, epochs: 5, rehearsal: 512, rehearsal_weight: 1.0, distance: 0.0, seed: 1 }
    }

    #[test]
    fn what_is_taught_is_learned_and_only_where_it_may() {
        let net = nets::file::from_bytes("shipped", SHIPPED_VALUE_NET).unwrap().0;
        let (learned, held_out) = (examples(1, &net, 0.1), examples(2, &net, 0.1));
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
        let learned = examples(1, &net, 0.3);
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
        let learned = examples(1, &net, 0.0);
        let (_, effect) = update(&net, &learned, &learned, &options(LearnedWeights::Output)).unwrap();
        assert!(effect.learned[0] < 1e-6 && effect.reason().is_some(), "{effect:?}");
    }

    #[test]
    fn what_learned_nothing_or_forgot_has_a_reason() {
        let reason = |before, after, drift| Effect { learned: [0.0; 2], held_out: [before, after], drift }.reason();
        assert_eq!(reason(0.5, 0.25, 0.01), None);
        assert_eq!(
            reason(0.5, 0.25, 0.02).unwrap(),
            "values on other positions would change by 0.02000, more than 0.01"
        );
        for (before, after) in [(0.25, 0.5), (0.5, 0.5), (0.5, f64::NAN)] {
            let expected = format!("the error on held-out games would be {after:.5} instead of {before:.5}");
            assert_eq!(reason(before, after, 0.0), Some(expected));
        }
    }

    #[test]
    fn the_root_of_the_mean_squared_error_and_fishers_information_by_their_definitions() {
        let kernels = kernels::active().unwrap();
        let net = ValueNet::random("19x4+216x4+128x4-8-1".parse::<nets::Topology>().unwrap(), 5);
        let taught: Vec<Example> = examples(3, &net, 0.0).into_iter().take(10).collect();
        let moved: Vec<Example> = taught
            .iter()
            .zip([0.1, -0.3].iter().cycle())
            .map(|(of, by)| Example::new(of.position.clone(), of.target + by))
            .collect();
        // The root of (0.1^2 + 0.3^2) / 2.
        assert!((error(&net, &moved, kernels) - libm::sqrt(0.05)).abs() < 1e-6);
        assert_eq!(error(&net, &[], kernels), 0.0);
        let mut trainer = ValueTrainer::new(&net, Loss::Squared, 1, kernels);
        let mut of = |examples: &[Example]| fisher(&mut trainer, &net, examples, &options(LearnedWeights::All));
        let one = of(&taught[..1]);
        // Of one position: the square of the value's slope, whatever its sign.
        let slopes = ValueTrainer::new(&net, Loss::Squared, 1, kernels)
            .gradient(&net, &[(&Example::new(taught[0].position.clone(), 0.0).compared_with(1.0), 1.0)])
            .0
            .values()
            .to_vec();
        assert!(
            one.iter().zip(&slopes).all(|(fisher, slope)| *fisher == slope * slope) && one.iter().any(|it| *it > 0.0)
        );
        assert_eq!(of(&[]), vec![0.0; one.len()]);
        // The same position twice as often has the same mean, but for signs that differ.
        let many = of(&vec![taught[0].clone(); 40 * STEP]);
        let ratio = many.iter().sum::<f32>() / one.iter().sum::<f32>();
        assert!((ratio - 1.0).abs() < 0.6, "{ratio}");
    }
}

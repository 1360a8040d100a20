//! The short-term memory of simulations, and what one of them teaches it.

use crate::short_term::last_layer::LastLayer;
use crate::td_search::settings::TdSettings;
use board::Position;
use kernels::activations::tanh;
use std::sync::Arc;

/// The least part of an update that is still passed on to an earlier position.
const LEAST_TRACE: f32 = 0.001;
/// From chances and the logarithm of their odds, which is twice a logit, to values and logits.
const OF_CHANCES: f32 = 0.25;

/// Weights of the last layer's inputs.
pub struct TdWeights {
    layer: Arc<dyn LastLayer>,
    /// `(input)`: theta.
    theta: Vec<f32>,
    /// The same as the evaluator reads it.
    read: Vec<f32>,
}

impl TdWeights {
    /// Zeros.
    pub fn new(layer: Arc<dyn LastLayer>) -> Self {
        let theta = vec![0.0; layer.width()];
        let read = layer.weights_as_read(&theta);
        Self { layer, theta, read }
    }

    /// As the evaluator reads them.
    pub fn read(&self) -> &[f32] {
        &self.read
    }

    /// `(input)`.
    pub fn theta(&self) -> &[f32] {
        &self.theta
    }

    /// What the weights add to the logit of a position.
    pub fn product(&self, position: &Position) -> f32 {
        self.layer.product(position, &self.read)
    }

    /// Keeps this part of every weight.
    pub fn keep(&mut self, part: f32) {
        if part != 1.0 {
            self.theta.iter_mut().for_each(|weight| *weight *= part);
            self.read = self.layer.weights_as_read(&self.theta);
        }
    }

    /// The sum of these inputs.
    fn sum(&self, inputs: &[(u32, f32)]) -> f32 {
        inputs.iter().map(|(number, value)| self.theta[*number as usize] * value).sum()
    }

    /// Adds the inputs, times `gain`.
    fn add(&mut self, inputs: &[(u32, f32)], gain: f32) {
        for (number, value) in inputs {
            let weight = &mut self.theta[*number as usize];
            *weight += gain * value;
            self.layer.change_read(&mut self.read, *number as usize, *weight);
        }
    }
}

/// A position of a simulation.
#[derive(Debug, Clone, Default)]
struct Step {
    /// The long-term memory's logit, for its side to move; 0 without one.
    logit: f32,
    /// The value, if it does not depend on the weights: of the end of a game, or where a simulation is cut.
    fixed: Option<f32>,
    inputs: Vec<(u32, f32)>,
    /// `|phi|^2`
    square: f32,
}

/// The positions of a simulation, each of which teaches those before it.
#[derive(Default)]
pub struct Lesson {
    /// `(ply)`, of which so many are in use.
    steps: Vec<Step>,
    plies: usize,
}

impl Lesson {
    /// Another simulation begins.
    pub fn begin(&mut self) {
        self.plies = 0;
    }

    /// The simulation reached this position, with the long-term memory's logit, and goes on.
    pub fn go_on(&mut self, weights: &mut TdWeights, settings: &TdSettings, position: &Position, logit: f32) {
        let step = self.next_step();
        (step.logit, step.fixed) = (logit, None);
        weights.layer.inputs(position, &mut step.inputs);
        step.square = step.inputs.iter().map(|(_, value)| value * value).sum();
        self.learn_from_last(weights, settings);
    }

    /// The simulation ended with this value, for the side to move at its last position: all positions that have not been compared with a
    /// later one are compared with it.
    pub fn end(&mut self, weights: &mut TdWeights, settings: &TdSettings, value: f32) {
        let step = self.next_step();
        (step.fixed, step.square) = (Some(value), 0.0);
        step.inputs.clear();
        self.learn_from_last(weights, settings);
        let last = self.plies - 1;
        for ply in (last + 1).saturating_sub(settings.span)..last {
            self.learn(weights, settings, ply, self.value(weights, last));
        }
    }

    fn next_step(&mut self) -> &mut Step {
        if self.steps.len() == self.plies {
            self.steps.push(Step::default());
        }
        self.plies += 1;
        &mut self.steps[self.plies - 1]
    }

    /// Compares the last position with the one `span` plies before.
    fn learn_from_last(&self, weights: &mut TdWeights, settings: &TdSettings) {
        let last = self.plies - 1;
        if let Some(ply) = last.checked_sub(settings.span) {
            self.learn(weights, settings, ply, self.value(weights, last));
        }
    }

    /// Moves the value at a ply towards a target, both as the side to move at the root sees them, and with lambda the values before it.
    fn learn(&self, weights: &mut TdWeights, settings: &TdSettings, ply: usize, target: f32) {
        let gain = OF_CHANCES * settings.step * (target - self.value(weights, ply));
        let mut trace = 1.0;
        for ply in (0..=ply).rev() {
            let Step { inputs, square, .. } = &self.steps[ply];
            if *square > 0.0 {
                weights.add(inputs, sign(ply) * gain * trace / square);
            }
            trace *= settings.lambda;
            if trace < LEAST_TRACE {
                break;
            }
        }
    }

    /// The value at a ply, as the side to move at the root sees it.
    fn value(&self, weights: &TdWeights, ply: usize) -> f32 {
        let Step { logit, fixed, inputs, .. } = &self.steps[ply];
        sign(ply) * fixed.unwrap_or_else(|| tanh(logit + weights.sum(inputs)))
    }
}

/// 1 where the side to move is that of the root.
fn sign(ply: usize) -> f32 {
    if ply.is_multiple_of(2) { 1.0 } else { -1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::short_term::counts::Counts;
    use board::Piece;

    /// A simulation of one position, which its side to move loses, teaches `theta` of three pawns:
    /// the value goes from tanh(3 theta) towards -1 by a step of 4 * 0.25, over the square of the inputs, 9.
    #[test]
    fn a_value_is_that_of_the_weighted_inputs() {
        let mut weights = TdWeights::new(Arc::new(Counts { norm: 1.0 }));
        let settings = TdSettings { step: 4.0, span: 1, lambda: 0.0, ..TdSettings::default() };
        let pawns = Position::from_fen("4k3/8/8/8/8/8/PPP5/4K3 w - - 0 1").expect("a position");
        let mut lesson = Lesson::default();
        let mut theta = 0.0_f32;
        for _ in 0..3 {
            lesson.begin();
            lesson.go_on(&mut weights, &settings, &pawns, 0.0);
            lesson.end(&mut weights, &settings, 1.0);
            theta += 3.0 / 9.0 * (-1.0 - (3.0 * theta).tanh());
            let learnt = weights.theta()[Piece::Pawn as usize];
            assert!((learnt - theta).abs() < 1e-6, "{learnt} {theta}");
        }
    }
}

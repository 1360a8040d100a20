//! From logits to probabilities, and the losses' slopes.
//!
//! ```text
//! p = softmax(z), loss = -sum t ln p, dloss/dz = p - t          (t: the target, which sums to 1)
//! p = s(z) / sum s(z), loss = -sum t ln s(z) + (1 - t) ln(1 - s(z)), dloss/dz = s(z) - t         (the thesis')
//! ```

use crate::network::softmax;
use clap::ValueEnum;
use kernels::activations::{LEAST_EXP, exp};
use std::ops::Range;

/// From logits to probabilities.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Output {
    /// The moves share one distribution.
    Softmax,
    /// Each by itself, then normalised, as in the thesis.
    Sigmoid,
}

/// The probabilities of a node's moves.
pub fn probabilities(output: Output, logits: &[f32], to: &mut Vec<f32>) -> Range<usize> {
    let start = to.len();
    match output {
        Output::Softmax => {
            to.extend_from_slice(logits);
            softmax(&mut to[start..], 1.0);
        }
        Output::Sigmoid => {
            to.extend(logits.iter().map(|logit| sigmoid(*logit)));
            let sum: f32 = to[start..].iter().sum();
            to[start..].iter_mut().for_each(|p| *p /= sum);
        }
    }
    start..to.len()
}

/// Adds the slopes of a node's logits, and returns the loss.
pub fn slopes_of(output: Output, logits: &[f32], targets: &[f32], slopes: &mut Vec<f32>) -> f64 {
    let mut loss = 0.0;
    match output {
        Output::Softmax => {
            let places = probabilities(output, logits, slopes);
            for (slope, target) in slopes[places].iter_mut().zip(targets) {
                if *target > 0.0 {
                    loss -= f64::from(*target) * f64::from(slope.max(f32::MIN_POSITIVE)).ln();
                }
                *slope -= target;
            }
        }
        Output::Sigmoid => slopes.extend(logits.iter().zip(targets).map(|(logit, target)| {
            let (p, t) = (sigmoid(*logit), f64::from(*target));
            let ln = |p: f32| f64::from(p.max(f32::MIN_POSITIVE)).ln();
            loss -= t * ln(p) + (1.0 - t) * ln(1.0 - p);
            p - target
        })),
    }
    loss
}

fn sigmoid(logit: f32) -> f32 {
    let e = exp((-f64::from(logit).abs()).max(LEAST_EXP));
    let p = if logit >= 0.0 { 1.0 / (1.0 + e) } else { e / (1.0 + e) };
    p as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_are_the_losses_differences() {
        let (logits, targets) = ([0.3, -1.2, 0.9_f32], [0.25, 0.0, 0.75]);
        for output in [Output::Softmax, Output::Sigmoid] {
            let mut slopes = Vec::new();
            slopes_of(output, &logits, &targets, &mut slopes);
            for (index, slope) in slopes.iter().enumerate() {
                let at = |h: f32| {
                    let mut moved = logits;
                    moved[index] += h;
                    slopes_of(output, &moved, &targets, &mut Vec::new())
                };
                let difference = (at(0.01) - at(-0.01)) / 0.02;
                assert!((difference - f64::from(*slope)).abs() < 1e-3, "{output:?} {index}: {slope}, {difference}");
            }
        }
    }
}

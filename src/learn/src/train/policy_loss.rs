//! The losses' slopes in the logits.
//!
//! ```text
//! p = softmax(z), loss = -sum t ln p, dloss/dz = p - t          (t: the target, which sums to 1)
//! p = s(z) / sum s(z), loss = -sum t ln s(z) + (1 - t) ln(1 - s(z)), dloss/dz = s(z) - t         (the thesis')
//! ```

use engine::network_policy::{probabilities, sigmoid};
use nets::PolicyOutput;

/// Adds the slopes of a node's logits, and returns the loss.
pub fn slopes_of(output: PolicyOutput, logits: &[f32], targets: &[f32], slopes: &mut Vec<f32>) -> f64 {
    let mut loss = 0.0;
    match output {
        PolicyOutput::Softmax => {
            let start = slopes.len();
            slopes.extend_from_slice(logits);
            probabilities(output, &mut slopes[start..]);
            for (slope, target) in slopes[start..].iter_mut().zip(targets) {
                if *target > 0.0 {
                    loss -= f64::from(*target) * f64::from(slope.max(f32::MIN_POSITIVE)).ln();
                }
                *slope -= target;
            }
        }
        PolicyOutput::Sigmoid => slopes.extend(logits.iter().zip(targets).map(|(logit, target)| {
            let (p, t) = (sigmoid(*logit), f64::from(*target));
            let ln = |p: f32| f64::from(p.max(f32::MIN_POSITIVE)).ln();
            loss -= t * ln(p) + (1.0 - t) * ln(1.0 - p);
            p - target
        })),
    }
    loss
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_are_the_losses_differences() {
        let (logits, targets) = ([0.3, -1.2, 0.9_f32], [0.25, 0.0, 0.75]);
        for output in [PolicyOutput::Softmax, PolicyOutput::Sigmoid] {
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

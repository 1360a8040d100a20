//! AdaDelta: a step for every parameter from the history of its gradients `g` and of its own steps `s`, all f32.
//!
//! ```text
//! E[g2] <- rho E[g2] + (1 - rho) g^2
//! s      = -sqrt(E[s2] + eps) / sqrt(E[g2] + eps) * g
//! E[s2] <- rho E[s2] + (1 - rho) s^2
//! w     <- w + s
//! ```
//! CITE: Zeiler 2012, ADADELTA: An Adaptive Learning Rate Method, Algorithm 1 (arXiv:1212.5701). The constants are
//! those of Giraffe; its rate of 1 is the algorithm as published, so there is no rate here.

/// The decay of both running means.
pub const RHO: f32 = 0.99;

/// Added under both roots: it conditions the quotient and gives the very first step its size.
pub const EPSILON: f32 = 1e-8;

/// The optimiser's memory for a fixed number of parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct AdaDelta {
    /// E[g2], one for each parameter.
    squared_gradient: Vec<f32>,
    /// E[s2], one for each parameter.
    squared_step: Vec<f32>,
}

impl AdaDelta {
    /// A fresh optimiser for this many parameters.
    pub fn new(parameters: usize) -> Self {
        AdaDelta { squared_gradient: vec![0.0; parameters], squared_step: vec![0.0; parameters] }
    }

    /// Moves every parameter one step against its gradient. The bits are the same on every machine.
    ///
    /// # Panics
    /// If `parameters` or `gradient` is not of the length that the optimiser was made for.
    pub fn step(&mut self, parameters: &mut [f32], gradient: &[f32]) {
        assert_eq!(parameters.len(), self.squared_step.len(), "one optimiser serves one set of parameters");
        assert_eq!(gradient.len(), parameters.len(), "every parameter has a gradient");
        let means = self.squared_gradient.iter_mut().zip(&mut self.squared_step);
        for ((w, g), (mean_g2, mean_s2)) in parameters.iter_mut().zip(gradient).zip(means) {
            *mean_g2 = RHO * *mean_g2 + (1.0 - RHO) * g * g;
            let step = -((*mean_s2 + EPSILON).sqrt() / (*mean_g2 + EPSILON).sqrt()) * g;
            *mean_s2 = RHO * *mean_s2 + (1.0 - RHO) * step * step;
            *w += step;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_steps_by_hand() {
        let mut optimiser = AdaDelta::new(2);
        let mut w = [1.0, -1.0];
        // g = 2: E[g2] = .04, s = -sqrt(1e-8) / sqrt(.04 + 1e-8) * 2 = -1e-4 / .2 * 2 = -.001 (nearly), E[s2] = 1e-8.
        optimiser.step(&mut w, &[2.0, 0.0]);
        assert!((w[0] - 0.999).abs() < 1e-6, "{}", w[0]);
        assert_eq!(w[1], -1.0, "no gradient, no step");
        assert!((optimiser.squared_gradient[0] - 0.04).abs() < 1e-6);
        assert!((optimiser.squared_step[0] - 1e-8).abs() < 1e-13);
        // g = -1: E[g2] = .0396 + .01 = .0496, s = sqrt(2e-8) / sqrt(.0496) = 1.41421e-4 / .222711 = 6.3500e-4.
        optimiser.step(&mut w, &[-1.0, 0.0]);
        assert!((w[0] - 0.999_635).abs() < 1e-6, "{}", w[0]);
    }

    #[test]
    fn it_descends_a_parabola() {
        let (mut optimiser, mut w) = (AdaDelta::new(1), [3.0_f32]);
        for _ in 0..20_000 {
            let gradient = [w[0] - 1.0];
            optimiser.step(&mut w, &gradient);
        }
        assert!((w[0] - 1.0).abs() < 0.05, "{}", w[0]);
    }
}

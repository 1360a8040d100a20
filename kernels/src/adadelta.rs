//! AdaDelta: a step for every parameter from the history of its gradients `g` and of its own steps `s`, all f32.
//!
//! ```text
//! E[g2] <- rho E[g2] + (1 - rho) g^2
//! s      = -sqrt(E[s2] + eps) / sqrt(E[g2] + eps) * g
//! E[s2] <- rho E[s2] + (1 - rho) s^2
//! w     <- w + rate s
//! ```
//! CITE: Zeiler 2012, ADADELTA: An Adaptive Learning Rate Method, Algorithm 1 (arXiv:1212.5701), which has no rate: a
//! rate of 1. The default constants are those of Giraffe.

/// The constants of the algorithm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rule {
    /// The decay of both running means, [0, 1).
    pub rho: f32,
    /// Added under both roots, above 0: it conditions the quotient and gives the very first step its size.
    pub epsilon: f32,
    /// What each step is multiplied by before it is taken.
    pub rate: f32,
}

impl Default for Rule {
    fn default() -> Self {
        Rule { rho: 0.99, epsilon: 1e-8, rate: 1.0 }
    }
}

/// The optimizer's memory for a fixed number of parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct AdaDelta {
    rule: Rule,
    /// `E[g2]`, one for each parameter.
    squared_gradient: Vec<f32>,
    /// `E[s2]`, one for each parameter.
    squared_step: Vec<f32>,
}

impl AdaDelta {
    /// A fresh optimizer for this many parameters, with the default constants.
    pub fn new(parameters: usize) -> Self {
        AdaDelta::from_memory(vec![0.0; parameters], vec![0.0; parameters])
    }

    /// The same optimizer with other constants.
    pub fn with_rule(self, rule: Rule) -> Self {
        AdaDelta { rule, ..self }
    }

    /// Multiplies the steps from now on by another rate.
    pub fn set_rate(&mut self, rate: f32) {
        self.rule.rate = rate;
    }

    /// The optimizer that remembers these two running means, `E[g2]` and `E[s2]`, each one for each parameter.
    ///
    /// # Panics
    /// If the two have different lengths.
    pub fn from_memory(squared_gradient: Vec<f32>, squared_step: Vec<f32>) -> Self {
        assert_eq!(squared_gradient.len(), squared_step.len(), "both means have one value for each parameter");
        AdaDelta { rule: Rule::default(), squared_gradient, squared_step }
    }

    /// The two running means, `E[g2]` and `E[s2]`: all that it remembers.
    pub fn memory(&self) -> [&[f32]; 2] {
        [&self.squared_gradient, &self.squared_step]
    }

    /// Moves every parameter one step against its gradient. The bits are the same on every machine.
    ///
    /// # Panics
    /// If `parameters` or `gradient` is not of the length that the optimizer was made for.
    pub fn step(&mut self, parameters: &mut [f32], gradient: &[f32]) {
        assert_eq!(parameters.len(), self.squared_step.len(), "one optimizer serves one set of parameters");
        assert_eq!(gradient.len(), parameters.len(), "every parameter has a gradient");
        let Rule { rho, epsilon, rate } = self.rule;
        let means = self.squared_gradient.iter_mut().zip(&mut self.squared_step);
        for ((w, g), (mean_g2, mean_s2)) in parameters.iter_mut().zip(gradient).zip(means) {
            *mean_g2 = rho * *mean_g2 + (1.0 - rho) * g * g;
            let step = -((*mean_s2 + epsilon).sqrt() / (*mean_g2 + epsilon).sqrt()) * g;
            *mean_s2 = rho * *mean_s2 + (1.0 - rho) * step * step;
            *w += rate * step;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_steps_by_hand() {
        let mut optimizer = AdaDelta::new(2);
        let mut w = [1.0, -1.0];
        // g = 2: E[g2] = .04, s = -sqrt(1e-8) / sqrt(.04 + 1e-8) * 2 = -1e-4 / .2 * 2 = -.001 (nearly), E[s2] = 1e-8.
        optimizer.step(&mut w, &[2.0, 0.0]);
        assert!((w[0] - 0.999).abs() < 1e-6, "{}", w[0]);
        assert_eq!(w[1], -1.0, "no gradient, no step");
        assert!((optimizer.squared_gradient[0] - 0.04).abs() < 1e-6);
        assert!((optimizer.squared_step[0] - 1e-8).abs() < 1e-13);
        // g = -1: E[g2] = .0396 + .01 = .0496, s = sqrt(2e-8) / sqrt(.0496) = 1.41421e-4 / .222711 = 6.3500e-4.
        optimizer.step(&mut w, &[-1.0, 0.0]);
        assert!((w[0] - 0.999_635).abs() < 1e-6, "{}", w[0]);
    }

    #[test]
    fn it_descends_a_parabola() {
        let (mut optimizer, mut w) = (AdaDelta::new(1), [3.0_f32]);
        for _ in 0..20_000 {
            let gradient = [w[0] - 1.0];
            optimizer.step(&mut w, &gradient);
        }
        assert!((w[0] - 1.0).abs() < 0.05, "{}", w[0]);
    }

    #[test]
    fn other_constants_by_hand() {
        // g = 2: E[g2] = .5 * 4 = 2, s = -sqrt(1) / sqrt(3) * 2 = -1.1547005, E[s2] = .5 * 4/3, w = 1 - .5 * 1.1547005.
        let mut optimizer = AdaDelta::new(1).with_rule(Rule { rho: 0.5, epsilon: 1.0, rate: 0.5 });
        let mut w = [1.0_f32];
        optimizer.step(&mut w, &[2.0]);
        assert!((w[0] - 0.422_649_75).abs() < 1e-6, "{}", w[0]);
        // g = -1: E[g2] = 1 + .5, s = sqrt(5/3) / sqrt(5/2) = sqrt(2/3), E[s2] = 1/3 + .5 * 2/3, w = .4226497 + 2 *
        // .8164966.
        optimizer.set_rate(2.0);
        optimizer.step(&mut w, &[-1.0]);
        assert!((w[0] - 2.055_642_9).abs() < 1e-6, "{}", w[0]);
        let [squared_gradient, squared_step] = optimizer.memory();
        assert!(
            (squared_gradient[0] - 1.5).abs() < 1e-6 && (squared_step[0] - 2.0 / 3.0).abs() < 1e-6,
            "{optimizer:?}"
        );
        let again = AdaDelta::from_memory(vec![1.5], vec![0.25]);
        assert_eq!(again.memory(), [&[1.5], &[0.25]]);
    }
}

//! Adam: a step for every parameter from the running means of its gradients `g` and of their squares, all f32.
//!
//! ```text
//! m <- b1 m + (1 - b1) g        v <- b2 v + (1 - b2) g^2
//! w <- w - rate (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + eps)
//! ```
//! CITE: Kingma and Ba 2015, Adam: A Method for Stochastic Optimization, Algorithm 1 (arXiv:1412.6980), with its default
//! constants but for the rate.

/// The decay of the mean of the gradients.
const BETA_1: f32 = 0.9;
/// The decay of the mean of their squares.
const BETA_2: f32 = 0.999;
/// Added to the root of the mean square.
const EPSILON: f32 = 1e-8;

/// The optimizer's memory for a fixed number of parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Adam {
    /// Steps taken.
    steps: u64,
    /// `m`, one for each parameter.
    mean: Vec<f32>,
    /// `v`, one for each parameter.
    mean_square: Vec<f32>,
}

impl Adam {
    /// A fresh optimizer for this many parameters.
    pub fn new(parameters: usize) -> Self {
        Adam::from_memory(0, vec![0.0; parameters], vec![0.0; parameters])
    }

    /// The optimizer that has taken so many steps and remembers `m` and `v`, each one for each parameter.
    ///
    /// # Panics
    /// If the two have different lengths.
    pub fn from_memory(steps: u64, mean: Vec<f32>, mean_square: Vec<f32>) -> Self {
        assert_eq!(mean.len(), mean_square.len(), "both means have one value for each parameter");
        Adam { steps, mean, mean_square }
    }

    /// How many steps it has taken.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// `m` and `v`: all that it remembers but for the number of steps.
    pub fn memory(&self) -> [&[f32]; 2] {
        [&self.mean, &self.mean_square]
    }

    /// Moves every parameter one step against its gradient. The bits are the same on every machine.
    ///
    /// # Panics
    /// If `parameters` or `gradient` is not of the length that the optimizer was made for.
    pub fn step(&mut self, parameters: &mut [f32], gradient: &[f32], rate: f32) {
        assert_eq!(parameters.len(), self.mean.len(), "one optimizer serves one set of parameters");
        assert_eq!(gradient.len(), parameters.len(), "every parameter has a gradient");
        self.steps += 1;
        let (rate, root) = (rate / unbiased(BETA_1, self.steps), unbiased(BETA_2, self.steps).sqrt());
        let means = self.mean.iter_mut().zip(&mut self.mean_square);
        for ((w, g), (mean, mean_square)) in parameters.iter_mut().zip(gradient).zip(means) {
            *mean = BETA_1 * *mean + (1.0 - BETA_1) * g;
            *mean_square = BETA_2 * *mean_square + (1.0 - BETA_2) * g * g;
            *w -= rate * *mean / (mean_square.sqrt() / root + EPSILON);
        }
    }
}

/// `1 - beta^steps`, by repeated squaring: no library function, whose bits differ between machines.
fn unbiased(beta: f32, steps: u64) -> f32 {
    let (mut power, mut square, mut left) = (1.0, f64::from(beta), steps);
    while left > 0 {
        if left & 1 == 1 {
            power *= square;
        }
        square *= square;
        left >>= 1;
    }
    (1.0 - power) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_steps_by_hand() {
        let mut optimizer = Adam::new(2);
        let mut w = [1.0, -1.0];
        // The first step is the rate against the gradient's sign, whatever its size.
        optimizer.step(&mut w, &[2.0, 0.0], 0.01);
        assert!((w[0] - 0.99).abs() < 1e-6 && w[1] == -1.0, "{w:?}");
        // m = .9 * .2 - .1 = .08, over .19: .421053; v = .999 * .004 + .001 = .004996, over .001999: 2.499250, root 1.580902.
        optimizer.step(&mut w, &[-1.0, 0.0], 0.01);
        assert!((w[0] - (0.99 - 0.01 * 0.421_053 / 1.580_902)).abs() < 1e-6, "{}", w[0]);
    }

    #[test]
    fn powers_by_squaring() {
        for steps in [1, 2, 7, 1_000] {
            let expected = 1.0 - f64::from(0.9_f32).powi(steps as i32);
            assert!((f64::from(unbiased(0.9, steps)) - expected).abs() < 1e-6, "{steps}");
        }
    }

    #[test]
    fn it_descends_a_parabola() {
        let (mut optimizer, mut w) = (Adam::new(1), [3.0_f32]);
        for _ in 0..2_000 {
            let gradient = [w[0] - 1.0];
            optimizer.step(&mut w, &gradient, 0.01);
        }
        assert!((w[0] - 1.0).abs() < 0.01, "{}", w[0]);
    }

    #[test]
    fn tiny_gradients_are_damped_and_the_memory_is_what_it_was() {
        // g = 1e-8: both means over their biases are 1e-8, to which 1e-8 is added: half of the rate.
        let (mut optimizer, mut w) = (Adam::new(1), [0.0_f32]);
        optimizer.step(&mut w, &[1e-8], 1.0);
        assert!((w[0] + 0.5).abs() < 1e-4, "{}", w[0]);
        // m = .9 * 2 + .1 * 4 = 2.2 and v = .999 * 3 + .001 * 16 = 3.013; over 1 - .9^3 = .271 and 1 - .999^3 =
        // .002997001: 8.118081 and 1005.33834, root 31.707071.
        let mut optimizer = Adam::from_memory(2, vec![2.0], vec![3.0]);
        let mut w = [1.0_f32];
        optimizer.step(&mut w, &[4.0], 0.5);
        assert_eq!(optimizer.steps(), 3);
        let [mean, mean_square] = optimizer.memory();
        assert!((mean[0] - 2.2).abs() < 1e-5 && (mean_square[0] - 3.013).abs() < 1e-5, "{optimizer:?}");
        assert!((w[0] - (1.0 - 0.5 * 8.118_081 / 31.707_071)).abs() < 1e-5, "{}", w[0]);
    }
}

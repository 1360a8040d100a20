//! What makes steps of gradients: an optimizer with what it remembers, the same for every trainer.

use kernels::adadelta::{AdaDelta, Rule};
use kernels::adam::Adam;
use support::choice::Choice;

/// The optimizers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OptimizerKind {
    /// AdaDelta.
    AdaDelta,
    /// Adam.
    #[default]
    Adam,
    /// Gradient descent without memory.
    Descent,
}

impl Choice for OptimizerKind {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Self::AdaDelta, "adadelta", "AdaDelta (rho 0.99, epsilon 1e-8; default rate 1)"),
        (Self::Adam, "adam", "Adam (beta 0.9 and 0.999, epsilon 1e-8; default rate 0.001)"),
        (Self::Descent, "sgd", "Gradient descent without memory (default rate 0.1)"),
    ];
}

impl OptimizerKind {
    /// The default rate of its first steps.
    pub fn default_rate(self) -> f32 {
        match self {
            Self::AdaDelta => 1.0,
            Self::Adam => 0.001,
            Self::Descent => 0.1,
        }
    }
}

/// An optimizer with its memory, for one set of parameters.
#[derive(Debug, Clone, PartialEq)]
pub enum Optimizer {
    /// AdaDelta.
    AdaDelta(AdaDelta),
    /// Adam.
    Adam(Adam),
    /// `w <- w - rate g`.
    Descent,
}

/// The names of what AdaDelta remembers.
const ADADELTA: [&str; 2] = ["adadelta.squared_gradient", "adadelta.squared_step"];
/// The names of what Adam remembers.
const ADAM: [&str; 2] = ["adam.mean", "adam.mean_square"];

impl Optimizer {
    /// A fresh optimizer for this many parameters.
    pub fn new(kind: OptimizerKind, parameters: usize) -> Self {
        match kind {
            OptimizerKind::AdaDelta => Self::AdaDelta(AdaDelta::new(parameters)),
            OptimizerKind::Adam => Self::Adam(Adam::new(parameters)),
            OptimizerKind::Descent => Self::Descent,
        }
    }

    /// The same optimizer with these constants, if it is AdaDelta.
    pub fn with_adadelta(self, rho: f32, epsilon: f32) -> Self {
        match self {
            Self::AdaDelta(adadelta) => Self::AdaDelta(adadelta.with_rule(Rule { rho, epsilon, rate: 1.0 })),
            other => other,
        }
    }

    /// Moves every parameter one step against its gradient. The bits are the same on every machine.
    ///
    /// # Panics
    /// If `parameters` or `gradient` is not of the length that the optimizer was made for.
    pub fn step(&mut self, parameters: &mut [f32], gradient: &[f32], rate: f32) {
        match self {
            Self::AdaDelta(adadelta) => {
                adadelta.set_rate(rate);
                adadelta.step(parameters, gradient);
            }
            Self::Adam(adam) => adam.step(parameters, gradient, rate),
            Self::Descent => {
                assert_eq!(gradient.len(), parameters.len(), "every parameter has a gradient");
                // Without a slope, -0 becomes 0.
                parameters.iter_mut().zip(gradient).for_each(|(w, g)| *w += 0.0 - rate * g);
            }
        }
    }

    /// How many steps it has taken, if it counts them.
    pub fn steps(&self) -> Option<u64> {
        if let Self::Adam(adam) = self { Some(adam.steps()) } else { None }
    }

    /// The vectors that it remembers, `(parameters)`, with their names, which are those of tensors in checkpoints. A vector
    /// whose name has `square` in it is never negative.
    pub fn memory(&self) -> Vec<(&'static str, &[f32])> {
        match self {
            Self::AdaDelta(adadelta) => ADADELTA.into_iter().zip(adadelta.memory()).collect(),
            Self::Adam(adam) => ADAM.into_iter().zip(adam.memory()).collect(),
            Self::Descent => Vec::new(),
        }
    }

    /// The optimizer that has taken as many steps as `steps` says, if it counts them, and remembers the vectors that `read`
    /// gives by their names.
    ///
    /// # Errors
    /// Those of `steps` and `read`.
    ///
    /// # Panics
    /// If the vectors have different lengths.
    pub fn restore<E>(
        kind: OptimizerKind,
        steps: impl FnOnce() -> Result<u64, E>,
        mut read: impl FnMut(&'static str) -> Result<Vec<f32>, E>,
    ) -> Result<Self, E> {
        Ok(match kind {
            OptimizerKind::AdaDelta => Self::AdaDelta(AdaDelta::from_memory(read(ADADELTA[0])?, read(ADADELTA[1])?)),
            OptimizerKind::Adam => Self::Adam(Adam::from_memory(steps()?, read(ADAM[0])?, read(ADAM[1])?)),
            OptimizerKind::Descent => Self::Descent,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_optimizer_descends_and_goes_on_from_its_memory() {
        for (kind, ..) in OptimizerKind::ALL {
            let mut optimizer = Optimizer::new(*kind, 1);
            let mut w = [3.0_f32];
            let step = |optimizer: &mut Optimizer, w: &mut [f32; 1]| {
                let gradient = [w[0] - 1.0];
                optimizer.step(w, &gradient, kind.default_rate());
            };
            (0..20).for_each(|_| step(&mut optimizer, &mut w));
            assert!(w[0] < 3.0, "{kind:?}");
            let read = |name| {
                let memory = optimizer.memory();
                memory.iter().find(|memory| memory.0 == name).map(|memory| memory.1.to_vec()).ok_or(name)
            };
            let mut again =
                Optimizer::restore(*kind, || optimizer.steps().ok_or("steps"), read).expect("its own memory");
            assert_eq!(again, optimizer);
            let mut other = w;
            step(&mut optimizer, &mut w);
            step(&mut again, &mut other);
            assert_eq!(w, other, "{kind:?}");
            let is_right = |(name, values): &(&str, &[f32])| !name.contains("square") || values[0] >= 0.0;
            assert!(optimizer.memory().iter().all(is_right), "{kind:?}");
        }
    }

    #[test]
    fn descent_by_hand() {
        let mut w = [1.0, -2.0, -0.0_f32];
        Optimizer::Descent.step(&mut w, &[0.5, -1.0, 0.0], 0.1);
        assert_eq!(w.map(f32::to_bits), [0.95, -1.9, 0.0_f32].map(f32::to_bits));
    }

    #[test]
    fn first_steps_by_hand() {
        let stepped = |kind: OptimizerKind, rho: f32| {
            let (mut w, mut optimizer) = ([1.0_f32], Optimizer::new(kind, 1).with_adadelta(rho, 1e-2));
            optimizer.step(&mut w, &[2.0], 0.5);
            (w[0], optimizer.steps())
        };
        // Adam's first step is as long as its rate.
        let (adam, steps) = stepped(OptimizerKind::Adam, 0.5);
        assert!((adam - 0.5).abs() < 1e-6 && steps == Some(1), "{adam}");
        // AdaDelta's is rate * sqrt(epsilon) / sqrt((1 - rho) g^2 + epsilon) * g.
        let (adadelta, steps) = stepped(OptimizerKind::AdaDelta, 0.75);
        assert!((adadelta - (1.0 - 0.1 / 1.01_f32.sqrt())).abs() < 1e-6 && steps.is_none(), "{adadelta}");
        assert_eq!(stepped(OptimizerKind::Descent, 0.5), (0.0, None));
        let rates = OptimizerKind::ALL.iter().map(|(kind, ..)| kind.default_rate());
        assert_eq!(rates.collect::<Vec<_>>(), [1.0, 0.001, 0.1]);
    }
}

//! How the learning rate changes during a training.

/// A schedule of the learning rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Schedule {
    /// It stays.
    Constant,
    /// It falls in a straight line to this part of the first rate.
    Linear {
        /// The last rate, as a part of the first.
        last: f32,
    },
    /// From this step on, it falls with the inverse square root of the step; 0: never.
    InverseRoot {
        /// The last step at the first rate.
        start: u64,
    },
    /// It is the first rate over the number of the step.
    Harmonic,
}

/// How far a training is.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Progress {
    /// The number of the step, from 1; of a training whose rate stays for an iteration or an epoch, that of these.
    pub step: u64,
    /// The part of the training that is done, [0, 1].
    pub done: f64,
}

impl Schedule {
    /// The rate of a training that begins with the rate `first`.
    pub fn rate(self, first: f32, Progress { step, done }: Progress) -> f32 {
        match self {
            Self::Linear { last } => first * (1.0 - done as f32 * (1.0 - last)),
            Self::InverseRoot { start } if start > 0 && step > start => first * (start as f32 / step as f32).sqrt(),
            Self::Harmonic => first / step as f32,
            Self::Constant | Self::InverseRoot { .. } => first,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_by_hand() {
        let rate = |schedule: Schedule, step, done| schedule.rate(0.5, Progress { step, done });
        assert_eq!(rate(Schedule::Constant, 9, 0.9), 0.5);
        assert_eq!([0.0, 0.5, 1.0].map(|done| rate(Schedule::Linear { last: 0.5 }, 1, done)), [0.5, 0.375, 0.25]);
        assert_eq!([1, 10, 40].map(|step| rate(Schedule::InverseRoot { start: 10 }, step, 0.0)), [0.5, 0.5, 0.25]);
        assert_eq!(rate(Schedule::InverseRoot { start: 0 }, 40, 0.0), 0.5);
        assert_eq!([1, 4].map(|step| rate(Schedule::Harmonic, step, 0.0)), [0.5, 0.125]);
    }
}

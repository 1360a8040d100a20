//! The progress of a policy's training, as its checkpoint states it.

use crate::learn::run::fields::Fields;

/// How far a training is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Progress {
    /// Epochs done.
    pub epoch: u64,
    /// Steps of the epoch under way.
    pub step: u64,
    /// The sum of these steps' mean losses.
    pub loss: f64,
    /// Time spent on learning.
    pub seconds: f64,
}

impl Progress {
    /// As named values.
    pub fn fields(&self) -> Fields {
        let fields = Fields::default().with("epoch", self.epoch).with("step", self.step);
        fields.with("loss_sum", self.loss).with("seconds", self.seconds)
    }

    /// From named values; `None` if one is missing.
    pub fn read(fields: &Fields) -> Option<Self> {
        let (epoch, step) = (fields.parse("epoch")?, fields.parse("step")?);
        Some(Self { epoch, step, loss: fields.parse("loss_sum")?, seconds: fields.parse("seconds")? })
    }
}

//! The best epoch of a training so far, by its loss on the validation set, and whether more are worthwhile (early stopping).
//!
//! CITE: Prechelt 1998, Early Stopping, But When? (Neural Networks: Tricks of the Trade).

/// The validation losses of the epochs that a log has.
#[derive(Debug, Clone)]
pub struct BestEpoch {
    losses: Vec<f64>,
    patience: Option<u64>,
}

impl BestEpoch {
    /// The epochs so far; a training ends after `patience` epochs without a lower loss, `None`: never.
    pub fn new(losses: Vec<f64>, patience: Option<u64>) -> Self {
        Self { losses, patience }
    }

    /// Adds an epoch, and says whether it is the best so far.
    pub fn add(&mut self, loss: f64) -> bool {
        self.losses.push(loss);
        self.since_best() == 0
    }

    /// Whether the last epochs have found no lower loss.
    pub fn is_over(&self) -> bool {
        self.patience.is_some_and(|patience| !self.losses.is_empty() && self.since_best() >= patience)
    }

    /// How many epochs came after the first with the lowest loss.
    fn since_best(&self) -> u64 {
        let best = self.losses.iter().copied().fold(f64::INFINITY, f64::min);
        let first = self.losses.iter().position(|loss| *loss == best);
        first.map_or(0, |first| (self.losses.len() - 1 - first) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_training_ends_when_the_loss_has_not_fallen_for_so_many_epochs() {
        let mut best = BestEpoch::new(vec![0.5], Some(2));
        assert!(!best.is_over());
        let said = [0.4, 0.6, 0.3, 0.3].map(|loss| (best.add(loss), best.is_over()));
        assert_eq!(
            said,
            [(true, false), (false, false), (true, false), (false, false)],
            "an equal loss is no lower one"
        );
        assert!(!best.add(0.31) && best.is_over());
        assert!(!BestEpoch::new(vec![0.1, 0.2, 0.3, 0.4], None).is_over());
        assert!(!BestEpoch::new(Vec::new(), Some(1)).is_over());
    }
}

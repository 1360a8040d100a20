//! Warns when the scale of the values collapses: v = 0 everywhere is consistent with itself, and learning from its own
//! values can lead a net there.

use crate::tasks::td_leaf::td_leaf_log::Row;

/// The mean |value| is smoothed over about this many iterations before it is judged.
const SMOOTHING: f64 = 100.0;
/// Below this fraction of its greatest value so far, the scale has collapsed.
const COLLAPSE: f64 = 0.25;

/// The scale so far.
#[derive(Default)]
pub struct Scale {
    smooth: Option<f64>,
    greatest: f64,
    warned: bool,
}

impl Scale {
    /// A sentence when the scale begins to collapse.
    pub fn judge(&mut self, row: &Row) -> Option<String> {
        let smooth = self.smooth.map_or(row.mean_abs_value, |old| old + (row.mean_abs_value - old) / SMOOTHING);
        self.smooth = Some(smooth);
        self.greatest = self.greatest.max(smooth);
        let collapses = smooth < COLLAPSE * self.greatest;
        let warn = collapses && !self.warned;
        self.warned = collapses;
        warn.then(|| {
            format!(
                "iteration {}: the mean |value| has fallen from {:.3} to {smooth:.3}: the scale of the values collapses",
                row.iteration, self.greatest
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_collapse_is_reported_once() {
        let mut scale = Scale::default();
        let row = |mean_abs_value| Row { mean_abs_value, ..Row::default() };
        assert!((0..300).all(|_| scale.judge(&row(0.4)).is_none()));
        let warnings = (0..1000).filter(|_| scale.judge(&row(0.01)).is_some()).count();
        assert_eq!(warnings, 1);
    }

    #[test]
    fn a_collapse_is_said_in_numbers_and_said_again_after_a_recovery() {
        let mut scale = Scale::default();
        let mut judge = |iteration, mean_abs_value| scale.judge(&Row { iteration, mean_abs_value, ..Row::default() });
        assert_eq!(judge(1, 0.4), None);
        // 0.01 + 0.39 * 0.99^n is below 0.1 at n = 146.
        assert!((2..=146).all(|iteration| judge(iteration, 0.01).is_none()));
        let said = "iteration 147: the mean |value| has fallen from 0.400 to 0.100: the scale of the values collapses";
        assert_eq!(judge(147, 0.01).as_deref(), Some(said));
        assert!((148..300).all(|iteration| judge(iteration, 0.01).is_none()));
        assert!((300..400).all(|iteration| judge(iteration, 0.4).is_none()));
        assert!((400..700).any(|iteration| judge(iteration, 0.0).is_some()));
    }
}

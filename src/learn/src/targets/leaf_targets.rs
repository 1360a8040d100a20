//! The targets of an episode: at the leaf of every search, the value that the episode's later values suggest.

use crate::data::episode::Step;
use crate::data::example::Example;
use crate::targets::knightcap::RiseRule;
use crate::targets::lambda_returns::LambdaReturns;
use crate::tasks::td_leaf::td_leaf_kinds::Leaves;
use crate::tasks::td_leaf::td_leaf_options::Options;

/// How targets are computed from an episode's values.
#[derive(Debug, Clone, Copy)]
pub struct LeafTargets {
    returns: LambdaReturns,
    leaves: Leaves,
    rule: RiseRule,
}

impl LeafTargets {
    /// Those of the options.
    pub fn new(options: &Options) -> Self {
        let returns = LambdaReturns { lambda: options.lambda, stride: options.stride as usize };
        let rule = if options.knightcap { RiseRule::KnightCap } else { RiseRule::None };
        Self { returns, leaves: options.leaves, rule }
    }

    /// The leaves with their targets, for the leaves' side to move; a search without a leaf gives none.
    pub fn examples(&self, steps: &[Step]) -> Vec<Example> {
        let values: Vec<f32> = steps.iter().map(|step| step.value).collect();
        let mut targets = vec![0.0; values.len()];
        // The side to move is the first mover at even t.
        let is_cut = |t: usize, difference: f32| {
            let rise = if t.is_multiple_of(2) { difference } else { -difference };
            self.rule.cuts(rise, steps[t].predicted, false)
        };
        self.returns.targets(&values, is_cut, &mut targets);
        let count = match self.leaves {
            Leaves::Every => steps.len(),
            Leaves::First => 1,
        };
        let examples = steps.iter().zip(targets).take(count).filter_map(|(step, target)| {
            let sign = step.leaf.as_ref()?.sign;
            Some(step.example(target)?.compared_with(sign * step.value).with_features())
        });
        examples.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::episode::Leaf;
    use board::Position;

    #[test]
    fn a_leaf_has_its_target_for_its_own_side() {
        let step = |value: f32, sign: Option<f32>, predicted: bool| Step {
            value,
            leaf: sign.map(|sign| Leaf { position: Position::start(), sign }),
            predicted,
        };
        let steps = [step(0.0, Some(1.0), false), step(0.5, None, true), step(0.2, Some(-1.0), true)];
        let taught = |options: &Options| {
            let hundredths = |value: f32| (100.0 * value).round() as i32;
            let examples = LeafTargets::new(options).examples(&steps);
            let of = |example: &Example| (hundredths(example.target), example.value.map(hundredths));
            examples.iter().map(of).collect::<Vec<_>>()
        };
        // 0.5 - 0.7 * 0.3 = 0.29; the last value has no later one.
        let options = Options { lambda: 0.7, stride: 1, knightcap: false, leaves: Leaves::Every, ..Options::default() };
        assert_eq!(taught(&options), [(29, Some(0)), (-20, Some(-20))]);
        assert_eq!(taught(&Options { leaves: Leaves::First, ..options.clone() }), [(29, Some(0))]);
        // The rise of 0.5 came from a reply that was not foreseen.
        assert_eq!(taught(&Options { knightcap: true, ..options.clone() }), [(-21, Some(0)), (-20, Some(-20))]);
        // The fall from 0.5 to 0.2 is a rise for the other side, which moved there, and it was not foreseen.
        let steps = [step(0.0, Some(1.0), true), step(0.5, None, false), step(0.2, Some(-1.0), true)];
        let examples = LeafTargets::new(&Options { knightcap: true, ..options }).examples(&steps);
        assert_eq!(examples.iter().map(|example| example.target).collect::<Vec<_>>(), [0.5, -0.2]);
    }
}

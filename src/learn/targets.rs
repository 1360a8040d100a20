//! What a rollout teaches: at the leaf of every search, the value that the rollout's later values make of it.

use crate::learn::config::{Config, Leaves};
use crate::learn::lambda_returns::LambdaReturns;
use crate::learn::rollout::{Leaf, Moment};
use crate::learn::update::gradient::Example;

/// How targets are made of a rollout's values.
#[derive(Debug, Clone, Copy)]
pub struct Targets {
    returns: LambdaReturns,
    leaves: Leaves,
    /// Whether a rise counts only after a reply that was foreseen.
    knightcap: bool,
}

impl Targets {
    /// As the configuration says.
    pub fn new(config: &Config) -> Self {
        let returns = LambdaReturns { lambda: config.lambda, stride: config.stride as usize };
        Self { returns, leaves: config.leaves, knightcap: config.knightcap }
    }

    /// The leaves with their targets, for the leaves' side to move; a search without a leaf teaches nothing.
    pub fn examples(&self, moments: &[Moment]) -> Vec<Example> {
        let values: Vec<f32> = moments.iter().map(|moment| moment.value).collect();
        let mut targets = vec![0.0; values.len()];
        // A rise for the side to move that came from a reply it did not foresee is the opponent's blunder, not its own
        // insight (KnightCap, section 4.2). The side to move is the first mover at even t.
        let blunder = |t: usize, difference: f32| {
            let rise = if t.is_multiple_of(2) { difference > 0.0 } else { difference < 0.0 };
            self.knightcap && rise && !moments[t].predicted
        };
        self.returns.targets(&values, blunder, &mut targets);
        let taught = match self.leaves {
            Leaves::Every => moments.len(),
            Leaves::First => 1,
        };
        let examples = moments.iter().zip(targets).take(taught).filter_map(|(moment, target)| {
            let Leaf { position, sign } = moment.leaf.as_ref()?;
            Some(Example::new(position.clone(), sign * target, Some(sign * moment.value)))
        });
        examples.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use board::Position;

    #[test]
    fn a_leaf_has_its_target_for_its_own_side() {
        let moment = |value: f32, sign: Option<f32>, predicted: bool| Moment {
            value,
            leaf: sign.map(|sign| Leaf { position: Position::start(), sign }),
            predicted,
        };
        let moments = [moment(0.0, Some(1.0), false), moment(0.5, None, true), moment(0.2, Some(-1.0), true)];
        let taught = |config: &Config| {
            let hundredths = |value: f32| (100.0 * value).round() as i32;
            let examples = Targets::new(config).examples(&moments);
            let of = |example: &Example| (hundredths(example.target), example.value.map(hundredths));
            examples.iter().map(of).collect::<Vec<_>>()
        };
        // 0.5 - 0.7 * 0.3 = 0.29; the last value has no later one.
        let config = Config { lambda: 0.7, stride: 1, knightcap: false, leaves: Leaves::Every, ..Config::default() };
        assert_eq!(taught(&config), [(29, Some(0)), (-20, Some(-20))]);
        assert_eq!(taught(&Config { leaves: Leaves::First, ..config.clone() }), [(29, Some(0))]);
        // The rise of 0.5 came from a reply that was not foreseen.
        assert_eq!(taught(&Config { knightcap: true, ..config }), [(-21, Some(0)), (-20, Some(-20))]);
    }
}

//! Win, draw and loss of what a search reports: by the value network's two outputs at the end of the principal variation.

use board::{Move, Position};
use nets::QuantizedValueNet;
use search::{Chances, Value, Wdl};
use std::sync::Arc;

const _: () = assert!(search::wdl::DEFAULT_DRAW == nets::DEFAULT_DRAW);

/// Knows chances.
#[derive(Clone, Default)]
pub struct ChanceModel {
    /// The value network; `None` for an evaluator without one.
    net: Option<Arc<QuantizedValueNet>>,
    /// Whether values are the network's, and not utilities by another worth of a draw.
    utilities: bool,
}

impl ChanceModel {
    /// The chances by a network, or where there is none by the value alone. `utilities` says that values are not expected scores.
    pub fn new(net: Option<Arc<QuantizedValueNet>>, utilities: bool) -> Self {
        Self { net, utilities }
    }

    /// The chances of a position by the network's outputs alone; `None` without a network.
    pub fn of_position(&self, position: &Position) -> Option<Chances> {
        let net = self.net.as_ref()?;
        Some(Chances::of_outputs(net.logit(position), net.draw_output(position), net.kappa()))
    }

    /// The chances for the side to move at the root of a search that found this value and line.
    pub fn wdl(&self, root: &Position, value: Value, line: &[Move]) -> Wdl {
        let leaf = line.iter().fold(root.clone(), |position, mv| position.play(*mv));
        let is_known = value.is_mate() || value.is_table_win() || value == Value::DRAW;
        match &self.net {
            Some(net) if !is_known && leaf.outcome().is_none() => {
                let turn = if line.len().is_multiple_of(2) { 1.0 } else { -1.0 };
                let logit = if self.utilities { net.logit(&leaf) } else { turn * logit(value) };
                let chances = Chances::of_outputs(logit, net.draw_output(&leaf), net.kappa());
                Chances { expected: f64::from(turn) * chances.expected, ..chances }.wdl()
            }
            _ if leaf.outcome().is_some() && !value.is_mate() => Value::DRAW.wdl(),
            _ => value.wdl(),
        }
    }
}

/// The logit of a value that is no mate.
fn logit(value: Value) -> f32 {
    libm::atanh(f64::from(value.to_f32()).clamp(-1.0 + 1e-7, 1.0 - 1e-7)) as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shipped_value_net;

    #[test]
    fn chances_are_those_of_the_leaf_for_the_roots_side() {
        let net = shipped_value_net().unwrap();
        let model = ChanceModel::new(Some(net.clone()), false);
        let root = Position::start();
        let line = [root.parse_uci("e2e4").unwrap()];
        let leaf = root.play(line[0]);
        let outputs = |logit| Chances::of_outputs(logit, net.draw_output(&leaf), net.kappa()).wdl();
        let of_leaf = outputs(net.logit(&leaf));
        let found = model.wdl(&root, -Value::from_evaluation(net.evaluate(&leaf)), &line);
        assert_eq!(found, Wdl { win: of_leaf.loss, draw: of_leaf.draw, loss: of_leaf.win });
        // A utility says nothing of the expected score.
        let utilities = ChanceModel::new(Some(net.clone()), true);
        assert_eq!(utilities.wdl(&root, Value::from_evaluation(0.9), &line), found);
    }

    #[test]
    fn what_is_certain_is_said() {
        for model in [ChanceModel::default(), ChanceModel::new(shipped_value_net().ok(), false)] {
            let root = Position::start();
            assert_eq!(model.wdl(&root, Value::mates_at(3), &[]).win, 1000);
            assert_eq!(model.wdl(&root, Value::mated_at(2), &[]).loss, 1000);
            assert_eq!(model.wdl(&root, Value::DRAW, &[]).draw, 1000);
        }
        let stalemate = Position::from_fen("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1").unwrap();
        let model = ChanceModel::new(shipped_value_net().ok(), true);
        assert_eq!(model.wdl(&stalemate, Value::from_evaluation(-1.0), &[]).draw, 1000);
    }
}

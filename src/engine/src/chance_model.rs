//! Win, draw and loss of what a search reports: by the value network's two outputs at the end of the principal variation.
//!
//! A line that ends in a repetition or another draw by the rules says that the position is even, not that it is drawn: its chances
//! are those of an even position that is as drawn as the network says of the root. Only a root that is known to be drawn, by
//! the rules, by the endings that [`crate::endgames`] knows, or by endgame tables, has no other chance.

use crate::endgames;
use crate::syzygy::Syzygy;
use board::{Move, Position};
use nets::QuantizedValueNet;
use search::{Chances, TableResult, Value, Wdl};
use std::sync::Arc;

const _: () = assert!(search::wdl::DEFAULT_DRAW == nets::DEFAULT_DRAW);

/// Knows chances.
#[derive(Clone, Default)]
pub struct ChanceModel {
    /// The value network; `None` for an evaluator without one.
    net: Option<Arc<QuantizedValueNet>>,
    /// Whether values are the network's, and not utilities by another worth of a draw.
    utilities: bool,
    /// The endgame tables in use.
    tables: Option<Arc<Syzygy>>,
}

impl ChanceModel {
    /// The chances by a network, or where there is none by the value alone. `utilities` says that values are not expected scores.
    pub fn new(net: Option<Arc<QuantizedValueNet>>, utilities: bool) -> Self {
        Self { net, utilities, tables: None }
    }

    /// The same, which also knows the draws of these tables.
    #[must_use]
    pub fn with_tables(self, tables: Option<Arc<Syzygy>>) -> Self {
        Self { tables, ..self }
    }

    /// The chances of a position by the network's outputs alone; `None` without a network.
    pub fn of_position(&self, position: &Position) -> Option<Chances> {
        let net = self.net.as_ref()?;
        Some(Chances::of_outputs(net.logit(position), net.draw_output(position), net.kappa()))
    }

    /// The chances for the side to move at the root of a search that found this value and line.
    pub fn wdl(&self, root: &Position, value: Value, line: &[Move]) -> Wdl {
        let leaf = line.iter().fold(root.clone(), |position, mv| position.play(*mv));
        if value == Value::DRAW || leaf.outcome().is_some() && !value.is_mate() {
            return if line.is_empty() || self.is_drawn(root) { Value::DRAW.wdl() } else { self.even(root).wdl() };
        }
        match &self.net {
            Some(net) if !value.is_mate() && !value.is_table_win() => {
                let turn = if line.len().is_multiple_of(2) { 1.0 } else { -1.0 };
                let logit = if self.utilities { net.logit(&leaf) } else { turn * logit(value) };
                let chances = Chances::of_outputs(logit, net.draw_output(&leaf), net.kappa());
                Chances { expected: f64::from(turn) * chances.expected, ..chances }.wdl()
            }
            _ => value.wdl(),
        }
    }

    /// Even chances, as drawn as the position.
    fn even(&self, position: &Position) -> Chances {
        let chances = self.of_position(position).unwrap_or(Chances::of_expected(0.0));
        Chances { expected: 0.0, ..chances }
    }

    /// Whether a position is known to be drawn.
    fn is_drawn(&self, position: &Position) -> bool {
        // What is not known is not a number.
        position.outcome().is_some()
            || endgames::known_or(position, || f32::NAN) == 0.0
            || self
                .tables
                .as_ref()
                .and_then(|tables| tables.root(position, &[]))
                .is_some_and(|known| known.result == TableResult::Draw)
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
    fn a_line_that_ends_in_a_repetition_has_the_chances_of_its_root() {
        let net = shipped_value_net().unwrap();
        let root = Position::from_fen("r1bq1rk1/ppp2ppp/2np1n2/2b1p3/2B1P3/2NP1N2/PPP2PPP/R1BQ1RK1 w - - 0 7").unwrap();
        let line: Vec<Move> = ["c3d5", "f6d5"]
            .iter()
            .scan(root.clone(), |at, text| {
                let mv = at.parse_uci(text).unwrap();
                *at = at.play(mv);
                Some(mv)
            })
            .collect();
        let with_net = ChanceModel::new(Some(net.clone()), false);
        let found = with_net.wdl(&root, Value::DRAW, &line);
        let expected = Chances { expected: 0.0, drawn: net_drawn(&net, &root) }.wdl();
        assert_eq!(found, expected);
        assert!(found.win > 50 && found.win.abs_diff(found.loss) <= 1, "{found}");
        assert!(ChanceModel::default().wdl(&root, Value::DRAW, &line).draw < 600);
    }

    fn net_drawn(net: &QuantizedValueNet, position: &Position) -> f64 {
        Chances::of_outputs(net.logit(position), net.draw_output(position), net.kappa()).drawn
    }

    #[test]
    fn a_dead_draw_has_no_other_chance() {
        let model = ChanceModel::new(shipped_value_net().ok(), false);
        let after = |fen: &str, mv: &str| {
            let root = Position::from_fen(fen).unwrap();
            model.wdl(&root, Value::DRAW, &[root.parse_uci(mv).unwrap()]).draw
        };
        // Neither side can mate; two knights; a pawn on the edge.
        assert_eq!(after("8/8/4k3/8/8/3BK3/8/8 w - - 0 1", "e3e4"), 1000);
        assert_eq!(after("8/8/4k3/8/8/3NK1N1/8/8 w - - 0 1", "e3f4"), 1000);
        assert_eq!(after("k7/8/K7/P7/8/8/8/8 w - - 0 1", "a6b6"), 1000);
        // A king on the sixth rank before its pawn wins.
        assert!(after("4k3/8/4K3/4P3/8/8/8/8 b - - 0 1", "e8d8") < 1000);
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

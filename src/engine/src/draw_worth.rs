//! A draw that is worth something: an evaluator whose values are utilities, around the network's.
//!
//! ```text
//! u = E + x D        logit = atanh u
//! ```
//! with `x` in [-1, 1] what a draw is worth to the side to move: for the root's side `x`, for the other `-x`, so that values stay
//! those of a zero-sum game. With `CommonSense` the paper's `lambda` also takes from `x` a part of the root's advantage: the side
//! that stands better wants more than a draw, `x_root = clamp(x - lambda alpha, -1, 1)`.
//!
//! With `x = 0` this evaluator is not used at all. The paper's agent averages the winrate over the range of `x` that common sense adds:
//!
//! ```text
//! mu = (ln(1 + e^(beta (alpha + b))) - ln(1 + e^(beta (alpha + a)))) / (beta (b - a))      u = 2 mu - 1
//! ```
//! from a = `x` to b = `x_root`. So does Monte-Carlo tree search, which averages, too; in alpha-beta, which only compares values, the end of
//! the range is used.
// CITE: Morandin et al. 2019, SAI, sections 2 and 3 (agents with parameter lambda).

use crate::endgames::{is_known, known_or};
use crate::evaluators::NetworkEvaluator;
use board::{Color, Move, Position};
use nets::{PlacementLine, QuantizedValueNet};
use search::{Chances, Evaluator, LastLayer, Value, Wdl};
use std::sync::Arc;

/// What a draw is worth to the side that searches.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct DrawWorth {
    /// `x`: -1 as much as a loss, 0 half a win, 1 as much as a win.
    pub score: f64,
    /// `lambda`, 0 to 1.
    pub common_sense: f64,
}

impl DrawWorth {
    /// Half a win, whatever the position: what a draw is worth in a tournament.
    pub fn is_neutral(self) -> bool {
        self == Self::default()
    }

    /// The worth for the side to move of a root with these chances.
    fn at_root(self, chances: Chances) -> f64 {
        let advantage = if self.common_sense == 0.0 { 0.0 } else { self.common_sense * chances.margin().0 };
        (self.score - advantage).clamp(-1.0, 1.0)
    }
}

/// The network's chances, valued by what a draw is worth.
#[derive(Clone)]
pub struct WorthEvaluator {
    inner: NetworkEvaluator,
    net: Arc<QuantizedValueNet>,
    worth: DrawWorth,
    /// Whether values are means over the range of worths.
    averages: bool,
}

/// What a thread keeps along its line: that of the network, and what a draw is worth to White, with and without common sense.
pub struct WorthState {
    line: PlacementLine,
    white: f64,
    plain: f64,
}

impl WorthEvaluator {
    /// An evaluator by this network.
    pub fn new(net: Arc<QuantizedValueNet>, worth: DrawWorth) -> Self {
        Self { inner: NetworkEvaluator::new(net.clone()), net, worth, averages: false }
    }

    /// The same for a search that averages: with common sense its values are means over the range of worths.
    pub fn averaging(net: Arc<QuantizedValueNet>, worth: DrawWorth) -> Self {
        Self { averages: worth.common_sense != 0.0, ..Self::new(net, worth) }
    }

    /// What a draw is worth to the side to move, from the first to the second worth.
    fn range(state: &WorthState, position: &Position) -> [f64; 2] {
        let sign = if position.side_to_move() == Color::White { 1.0 } else { -1.0 };
        [sign * state.plain, sign * state.white]
    }

    /// The chances of the position at which the line stands; `None` of a known draw.
    fn chances(&self, line: &mut PlacementLine, position: &Position) -> Option<Chances> {
        let mut drawn = None;
        let logit = known_or(position, || {
            let outputs = self.net.outputs_along(line, position);
            drawn = Some(outputs.1);
            outputs.0
        });
        // Exactly 0 is a known draw.
        (logit != 0.0).then(|| {
            let drawn = drawn.unwrap_or_else(|| self.net.draw_output(position));
            Chances::of_outputs(logit, drawn, self.net.kappa())
        })
    }
}

impl Evaluator for WorthEvaluator {
    type State = WorthState;

    fn root(&self, position: &Position) -> WorthState {
        let mut line = self.inner.root(position);
        let worth = self.chances(&mut line, position).map_or(self.worth.score, |chances| self.worth.at_root(chances));
        let sign = if position.side_to_move() == Color::White { 1.0 } else { -1.0 };
        WorthState { line, white: sign * worth, plain: sign * self.worth.score }
    }

    #[inline]
    fn make(&self, state: &mut WorthState, parent: &Position, mv: Move, child: &Position) {
        self.inner.make(&mut state.line, parent, mv, child);
    }

    #[inline]
    fn make_null(&self, state: &mut WorthState, child: &Position) {
        self.inner.make_null(&mut state.line, child);
    }

    #[inline]
    fn unmake(&self, state: &mut WorthState) {
        self.inner.unmake(&mut state.line);
    }

    fn logit(&self, state: &mut WorthState, position: &Position) -> f32 {
        let range = Self::range(state, position);
        let chances = self.chances(&mut state.line, position);
        let utility = if self.averages {
            chances.map_or(0.5 * (range[0] + range[1]), |chances| mean_utility(chances, range))
        } else {
            chances.map_or(range[1], |chances| chances.utility(range[1]))
        };
        libm::atanh(utility.clamp(-LARGEST, LARGEST)) as f32
    }

    fn logit_and_product(&self, state: &mut WorthState, position: &Position, read: &[f32]) -> (f32, f32) {
        (self.logit(state, position), self.product(position, read))
    }

    fn draw_value(&self, state: &WorthState, position: &Position) -> Value {
        let [plain, worth] = Self::range(state, position);
        Value::from_evaluation(if self.averages { 0.5 * (plain + worth) } else { worth } as f32)
    }

    fn draw_chance(&self, state: &mut WorthState, position: &Position, _: f32) -> f32 {
        self.chances(&mut state.line, position).map_or(1.0, |chances| chances.draw() as f32)
    }

    fn mean_chances(&self, state: &WorthState, position: &Position, value: f64, draw: f64) -> Wdl {
        // Exact but for averages, whose utility is not linear in the worth.
        let worth = f64::from(self.draw_value(state, position).to_f32());
        Wdl::of_score(value - worth * draw, draw)
    }

    fn key_salt(&self, state: &WorthState) -> u64 {
        // A bijection of the bits that leaves 0 as it is.
        (state.white + 0.0).to_bits().wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

/// That of the network, without inputs in known endings; what is learned is added to the logit of utilities.
impl LastLayer for WorthEvaluator {
    fn width(&self) -> usize {
        self.inner.width()
    }

    fn norm(&self) -> f32 {
        self.inner.norm()
    }

    fn inputs(&self, position: &Position, inputs: &mut Vec<(u32, f32)>) {
        if is_known(position) {
            inputs.clear();
        } else {
            self.inner.inputs(position, inputs);
        }
    }

    fn weights_as_read(&self, weights: &[f32]) -> Vec<f32> {
        self.inner.weights_as_read(weights)
    }

    fn change_read(&self, read: &mut [f32], number: usize, weight: f32) {
        self.inner.change_read(read, number, weight);
    }

    fn product(&self, position: &Position, read: &[f32]) -> f32 {
        if is_known(position) { 0.0 } else { self.inner.product(position, read) }
    }
}

/// The mean utility over a range of worths.
fn mean_utility(chances: Chances, [from, to]: [f64; 2]) -> f64 {
    let (alpha, beta) = chances.margin();
    // ln(1 + e^z), without overflow.
    let integral = |worth: f64| {
        let z = beta * (alpha + worth);
        z.max(0.0) + libm::log1p(libm::exp(-z.abs()))
    };
    let width = to - from;
    if width.abs() < 1e-6 {
        return 2.0 * search::wdl::logistic(beta * (alpha + from)) - 1.0;
    }
    2.0 * (integral(to) - integral(from)) / (beta * width) - 1.0
}

/// The largest utility of an evaluation: below 1, so that its logit is finite.
const LARGEST: f64 = 1.0 - 1e-7;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shipped_value_net;
    use search::evaluator::leaf_value;

    fn evaluator(score: f64, common_sense: f64) -> WorthEvaluator {
        WorthEvaluator::new(shipped_value_net().unwrap(), DrawWorth { score, common_sense })
    }

    fn value(evaluator: &WorthEvaluator, root: &Position, position: &Position) -> f64 {
        let mut state = evaluator.root(root);
        state.line = evaluator.inner.root(position);
        f64::from(leaf_value(evaluator.logit(&mut state, position)).to_f32())
    }

    #[test]
    fn utilities_follow_the_worth_of_a_draw_and_mirror() {
        let start = Position::start();
        let reply = start.play(start.parse_uci("e2e4").unwrap());
        let [loss, half, win] = [-1.0, 0.0, 1.0].map(|worth| evaluator(worth, 0.0));
        for position in [&start, &reply] {
            let net = &half.net;
            let chances = Chances::of_outputs(net.logit(position), net.draw_output(position), net.kappa());
            let sign = if position.side_to_move() == Color::White { 1.0 } else { -1.0 };
            for (evaluator, worth) in [(&loss, -1.0), (&half, 0.0), (&win, 1.0)] {
                let found = value(evaluator, &start, position);
                assert!((found - chances.utility(sign * worth)).abs() < 1e-5, "{found}");
                // The colors exchanged, root and position alike.
                assert_eq!(value(evaluator, &start.mirror(), &position.mirror()), found);
            }
        }
        assert!(value(&loss, &start, &start) < value(&half, &start, &start));
        assert!(value(&win, &start, &start) > value(&half, &start, &start));
    }

    #[test]
    fn rule_draws_and_known_ones_are_worth_as_much() {
        let drawn = Position::from_fen("8/8/4k3/8/8/2NK4/2N5/8 w - - 0 1").unwrap();
        for worth in [-1.0, -0.25, 0.5] {
            let evaluator = evaluator(worth, 0.0);
            let state = evaluator.root(&drawn);
            assert_eq!(evaluator.draw_value(&state, &drawn), Value::from_evaluation(worth as f32));
            let reply = drawn.null_move().unwrap();
            assert_eq!(evaluator.draw_value(&state, &reply), Value::from_evaluation(-worth as f32));
            assert!((value(&evaluator, &drawn, &drawn) - worth).abs() < 1e-6);
        }
    }

    #[test]
    fn common_sense_asks_more_of_the_side_that_stands_better() {
        let better = Position::from_fen("4k3/pppp4/8/8/8/8/PPPPPPP1/4K3 w - - 0 1").unwrap();
        let white = |common_sense| evaluator(0.0, common_sense).root(&better).white;
        assert_eq!(white(0.0), 0.0);
        assert!(white(0.5) < 0.0 && white(1.0) <= white(0.5) && white(1.0) >= -1.0);
        // Black to move stands worse and is content with a draw: the same worth to White.
        let black = evaluator(0.0, 0.5).root(&better.null_move().unwrap());
        assert!(black.white < 0.0);
    }

    /// The formula of the specification, and the mean of many winrates.
    #[test]
    fn means_over_worths_are_those_of_the_paper() {
        for (alpha, beta, y) in [(0.8, 1.3, -0.5), (2.0, 0.7, -1.0), (-1.5, 2.0, 0.9), (0.1, 1.0, -0.3)] {
            let found = 0.5 * (1.0 + mean_utility(Chances::of_margin(alpha, beta), [0.0, y]));
            let steps = 100_000;
            let at = |step: i32| search::wdl::logistic(beta * (alpha + y * (f64::from(step) + 0.5) / f64::from(steps)));
            let mean: f64 = (0..steps).map(at).sum::<f64>() / f64::from(steps);
            assert!((found - mean).abs() < 1e-6, "{found} is not {mean}");
            let (a, b) = (f64::abs(alpha), f64::abs(alpha + y));
            let ln_sigma = |z: f64| search::wdl::logistic(z).ln();
            let paper = 0.5 + (b - a) / (2.0 * y) - (ln_sigma(beta * b) - ln_sigma(beta * a)) / (beta * y);
            assert!((found - paper).abs() < 1e-9, "{found} is not {paper}");
            // For the other side the same.
            let other = 0.5 * (1.0 + mean_utility(Chances::of_margin(-alpha, beta), [0.0, -y]));
            assert!((found + other - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn keys_differ_by_worth_and_are_plain_without() {
        let salt = |score| {
            let evaluator = evaluator(score, 0.0);
            evaluator.key_salt(&evaluator.root(&Position::start()))
        };
        assert_eq!(salt(0.0), 0);
        assert_eq!(salt(-0.0), 0);
        assert!(salt(0.5) != salt(-0.5) && salt(0.5) != 0);
    }
}

//! The target of a position of a kept game: a mixture of what the search said there, what it said later in the game, and how
//! the game ended.
//!
//! ```text
//! target_t = (1 - a - b) w_t + a G_t + b r        G_t = (1 - lambda) w_{t+1} + lambda G_{t+1}        G_T = r
//! ```
//! with w_t the search's value, G_t the lambda-return and r the result, all in White's view.
//!
//! CITE: Sutton and Barto 2018, Reinforcement Learning, section 12.1 (the lambda-return).

use crate::data::kept_game::TrainingGame;
use crate::targets::lambda_returns::LambdaReturns;
use board::Color;

/// The weights of a target's parts; the search's value has what they leave of 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TargetMixture {
    /// The weight of the lambda-return, [0, 1].
    pub returns: f32,
    /// Its lambda, [0, 1].
    pub lambda: f32,
    /// The weight of the game's result, [0, 1].
    pub result: f32,
}

impl TargetMixture {
    /// Writes a target for each ply of a game, for the side to move there, `(plies)`.
    pub fn targets(&self, game: &TrainingGame, targets: &mut Vec<f32>) {
        let first = game.start.side_to_move();
        let sign = |ply: usize| if (first == Color::White) == ply.is_multiple_of(2) { 1.0 } else { -1.0 };
        let result = f32::from(game.result);
        let mut values: Vec<f32> = game.plies.iter().enumerate().map(|(ply, it)| sign(ply) * it.value).collect();
        values.push(result);
        let returns = LambdaReturns { lambda: self.lambda, stride: 1 };
        targets.clear();
        targets.resize(values.len(), 0.0);
        returns.targets(&values, |_, _| false, targets);
        targets.pop();
        for (ply, (target, value)) in targets.iter_mut().zip(values).enumerate() {
            let search = 1.0 - self.returns - self.result;
            *target = sign(ply) * (search * value + self.returns * *target + self.result * result);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::kept_game::TrainingPly;
    use board::Position;

    #[test]
    fn parts_by_hand() {
        let mut start = Position::start();
        let values = [0.2, -0.1, 0.4];
        let plies = values.map(|value| {
            let mv = start.legal_moves()[0];
            start = start.play(mv);
            TrainingPly { mv, value, quiet: true, labeled: true, mate: false }
        });
        let game = TrainingGame { start: Position::start(), result: -1, plies: plies.to_vec(), visits: Vec::new() };
        let targets = |returns, lambda, result| {
            let mut targets = Vec::new();
            TargetMixture { returns, lambda, result }.targets(&game, &mut targets);
            targets.iter().map(|target| (1_000.0 * target).round() as i32).collect::<Vec<_>>()
        };
        assert_eq!(targets(0.0, 0.5, 0.0), [200, -100, 400], "the search");
        assert_eq!(targets(0.0, 0.5, 1.0), [-1000, 1000, -1000], "the result");
        // In White's view .2, .1, .4, -1: G_2 = -1, G_1 = .5 * .4 - .5 = -.3, G_0 = .5 * .1 - .15 = -.1.
        assert_eq!(targets(1.0, 0.5, 0.0), [-100, 300, -1000], "the return");
        assert_eq!(targets(1.0, 1.0, 0.0), targets(0.0, 0.0, 1.0));
        // .5 * .2 + .3 * -.1 + .2 * -1 = -.13
        assert_eq!(targets(0.3, 0.5, 0.2)[0], -130, "a mixture");
    }
}

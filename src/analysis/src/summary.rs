//! How each player played a game: accuracy, mean loss, and the moves that gave something away.
//!
//! The accuracy of a move that gives away `d` percent of expected score is
//!
//! ```text
//! 103.1668 exp(-0.04354 d) - 3.1669, from 0 to 100
//! ```
//!
//! and a player's accuracy is the mean over its moves: 100 for moves that give nothing away, 64 where each gives away a tenth of a point.
// CITE: lichess.org, "Lichess Accuracy metric" (the curve; its accuracy of a game also weighs moves by the volatility around them).

use super::judge::{Judgement, Verdict};
use board::Color;
use pgn::PgnGame;
use serde::Serialize;

/// One player's moves.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Summary {
    /// How many.
    pub moves: u32,
    /// The mean accuracy, in percent; 0 without a move.
    pub accuracy: f64,
    /// The mean expected score that a move gave away, 0 to 1.
    pub loss: f64,
    /// Moves that gave away 0.05 points or more.
    pub inaccuracies: u32,
    /// 0.10 or more.
    pub mistakes: u32,
    /// 0.15 or more.
    pub blunders: u32,
}

impl Summary {
    fn add(&mut self, judgement: &Judgement) {
        self.moves += 1;
        // Sums, until all moves are there.
        self.accuracy += accuracy(judgement.loss);
        self.loss += judgement.loss;
        match judgement.verdict {
            Some(Verdict::Inaccuracy) => self.inaccuracies += 1,
            Some(Verdict::Mistake) => self.mistakes += 1,
            Some(Verdict::Blunder) => self.blunders += 1,
            Some(Verdict::HardToFind) | None => {}
        }
    }
}

/// The summaries of White and Black, by the judgement of each move.
pub fn summaries(game: &PgnGame, judgements: &[Judgement]) -> [Summary; 2] {
    let first = usize::from(game.start.side_to_move() == Color::Black);
    let mut players = [Summary::default(); 2];
    for (ply, judgement) in judgements.iter().enumerate() {
        players[(first + ply) % 2].add(judgement);
    }
    for player in &mut players {
        let moves = f64::from(player.moves.max(1));
        (player.accuracy, player.loss) = (player.accuracy / moves, player.loss / moves);
    }
    players
}

/// The accuracy of a move that gives away so much expected score, 0 to 1.
fn accuracy(loss: f64) -> f64 {
    (103.1668 * libm::exp(-0.04354 * 100.0 * loss) - 3.1669).clamp(0.0, 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pgn::read_from;
    use search::Value;

    #[test]
    fn each_player_has_its_own_moves() {
        let text = "[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/4p3/4K3 b - - 0 1\"]\n\n1... Kd7 2. Kxe2 Kd6 *\n";
        let game = read_from(text.as_bytes()).next().unwrap().unwrap();
        let judged = |loss, verdict| Judgement { value: Value::DRAW, loss, verdict };
        let judgements =
            [judged(0.2, Some(Verdict::Blunder)), judged(0.0, None), judged(0.06, Some(Verdict::Inaccuracy))];
        let [white, black] = summaries(&game, &judgements);
        assert_eq!((white.moves, white.blunders, white.loss), (1, 0, 0.0));
        assert!((white.accuracy - 100.0).abs() < 0.001);
        assert_eq!((black.moves, black.inaccuracies, black.mistakes, black.blunders), (2, 1, 0, 1));
        assert!((black.loss - 0.13).abs() < 1e-12);
        // 103.1668 e^-0.8708 - 3.1669 = 40.02; 103.1668 e^-0.26124 - 3.1669 = 76.28.
        assert!((black.accuracy - 58.15).abs() < 0.01, "{}", black.accuracy);
        assert_eq!(summaries(&game, &[])[0], Summary::default());
    }
}

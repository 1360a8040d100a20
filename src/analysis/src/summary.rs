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
    /// The mean accuracy, in percent; `None` without a move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accuracy: Option<f64>,
    /// The mean expected score that a move gave away, 0 to 1; `None` without a move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss: Option<f64>,
    /// Moves that gave away 0.05 points or more.
    pub inaccuracies: u32,
    /// 0.10 or more.
    pub mistakes: u32,
    /// 0.15 or more.
    pub blunders: u32,
}

impl Summary {
    fn of(judgements: &[&Judgement]) -> Self {
        let moves = judgements.len();
        let mean = |of: &dyn Fn(f64) -> f64| {
            (moves > 0).then(|| judgements.iter().map(|judgement| of(judgement.loss)).sum::<f64>() / moves as f64)
        };
        let count = |verdict| judgements.iter().filter(|judgement| judgement.verdict == Some(verdict)).count() as u32;
        Self {
            moves: moves as u32,
            accuracy: mean(&accuracy),
            loss: mean(&|loss| loss),
            inaccuracies: count(Verdict::Inaccuracy),
            mistakes: count(Verdict::Mistake),
            blunders: count(Verdict::Blunder),
        }
    }
}

/// The summaries of White and Black, by the judgement of each move.
pub fn summaries(game: &PgnGame, judgements: &[Judgement]) -> [Summary; 2] {
    let first = usize::from(game.start.side_to_move() == Color::Black);
    [0, 1].map(|player| {
        let own: Vec<&Judgement> = judgements.iter().skip((player + first) % 2).step_by(2).collect();
        Summary::of(&own)
    })
}

/// The accuracies of White and Black as tags; a player without a move has none.
pub fn accuracy_tags(players: &[Summary; 2]) -> Vec<(&'static str, String)> {
    let named = ["WhiteAccuracy", "BlackAccuracy"].into_iter().zip(players);
    named.filter_map(|(name, player)| Some((name, format!("{:.1}", player.accuracy?)))).collect()
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
        assert_eq!((white.moves, white.blunders, white.loss), (1, 0, Some(0.0)));
        assert!((white.accuracy.unwrap() - 100.0).abs() < 0.001);
        assert_eq!((black.moves, black.inaccuracies, black.mistakes, black.blunders), (2, 1, 0, 1));
        assert!((black.loss.unwrap() - 0.13).abs() < 1e-12);
        // 103.1668 e^-0.8708 - 3.1669 = 40.02; 103.1668 e^-0.26124 - 3.1669 = 76.28.
        assert!((black.accuracy.unwrap() - 58.15).abs() < 0.01, "{black:?}");
        let tags = [("WhiteAccuracy", "100.0".to_owned()), ("BlackAccuracy", "58.2".to_owned())];
        assert_eq!(accuracy_tags(&[white, black]), tags);
    }

    #[test]
    fn a_player_without_a_move_has_no_accuracy() {
        let game = read_from(&b"1. e4 *\n"[..]).next().unwrap().unwrap();
        let players = summaries(&game, &[Judgement { value: Value::DRAW, loss: 0.0, verdict: None }]);
        assert_eq!((players[0].moves, players[1]), (1, Summary::default()));
        assert_eq!(accuracy_tags(&players).iter().map(|tag| tag.0).collect::<Vec<_>>(), ["WhiteAccuracy"]);
        let data = serde_json::to_value(players).unwrap();
        assert!(data[0]["accuracy"].is_f64() && data[1].get("accuracy").is_none() && data[1].get("loss").is_none());
    }
}

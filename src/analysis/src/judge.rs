//! What a move was worth: the expected score before it against that after it.
//!
//! The expected score of a value is its chance to win plus half its chance to draw. A move that gives away 0.05, 0.10 or
//! 0.15 points is an inaccuracy, a mistake or a blunder: half of the 0.1, 0.2 and 0.3 of "winning chances" on a scale from
//! -1 to 1 that lichess.org uses. The search's own choice is never one.
// CITE: lichess.org, scalachess and lila, modules/tree/src/main/Advice.scala (CpAdvice).

use super::position::PositionAnalysis;
use board::{Game, Move, Outcome};
use search::Value;

/// A best move that the policy network thinks less probable is hard to find.
const HARD_TO_FIND: f32 = 0.05;
/// Where the expected score is nearer to 0 or 1 than this, no move is hard to find.
const DECIDED: f64 = 0.1;

/// A verdict on a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The search's own choice, to which the policy network gave less than 5 %.
    HardToFind,
    /// It gives away at least 0.05 points.
    Inaccuracy,
    /// It gives away at least 0.10 points.
    Mistake,
    /// It gives away at least 0.15 points.
    Blunder,
}

impl Verdict {
    /// PGN's numeric annotation glyph.
    pub fn glyph(self) -> u8 {
        match self {
            Self::HardToFind => 1,
            Self::Inaccuracy => 6,
            Self::Mistake => 2,
            Self::Blunder => 4,
        }
    }

    /// As it stands behind a move.
    pub fn mark(self) -> &'static str {
        match self {
            Self::HardToFind => "!",
            Self::Inaccuracy => "?!",
            Self::Mistake => "?",
            Self::Blunder => "??",
        }
    }
}

/// What a move was worth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Judgement {
    /// The value after the move, for the side that made it.
    pub value: Value,
    /// The expected score that it gave away, 0 to 1.
    pub loss: f64,
    /// What to call it.
    pub verdict: Option<Verdict>,
}

/// The expected score of the end of a game, 0 to 1.
fn score(value: Value) -> f64 {
    let chances = value.wdl();
    f64::from(chances.win) / 1000.0 + f64::from(chances.draw) / 2000.0
}

/// Judges `mv`, made in the position that `before` is of. `after` is the game behind it, and `next` the analysis of its
/// position, unless the game is over.
pub fn judge(
    before: &PositionAnalysis,
    game: &Game,
    mv: Move,
    after: &Game,
    next: Option<&PositionAnalysis>,
) -> Judgement {
    let value = match (after.outcome(), next) {
        (Some(Outcome::Mated), _) => Value::mates_at(1),
        (Some(_), _) | (None, None) => Value::DRAW,
        (None, Some(next)) => -next.value(),
    };
    let position = game.position();
    let is_choice = before.line.first() == Some(&position.uci(mv, true));
    let expected = before.expected_score();
    let left = match (after.outcome(), next) {
        (None, Some(next)) => 1.0 - next.expected_score(),
        _ => score(value),
    };
    let loss = if is_choice { 0.0 } else { (expected - left).max(0.0) };
    let verdict = match loss {
        0.15.. => Some(Verdict::Blunder),
        0.10.. => Some(Verdict::Mistake),
        0.05.. => Some(Verdict::Inaccuracy),
        _ => {
            let is_open = (DECIDED..=1.0 - DECIDED).contains(&expected);
            let is_improbable = before.probability(position, mv).is_some_and(|probability| probability < HARD_TO_FIND);
            let is_hard = is_choice && is_open && is_improbable;
            is_hard.then_some(Verdict::HardToFind)
        }
    };
    Judgement { value, loss, verdict }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::MoveOpinion;
    use board::Position;

    fn analysis(value: f32, line: &str, probability: f32) -> PositionAnalysis {
        let moves = vec![MoveOpinion { uci: line.to_owned(), probability, value }];
        let chances = Value::from_evaluation(value).wdl();
        let wdl = Some([chances.win, chances.draw, chances.loss]);
        let line = vec![line.to_owned()];
        let evaluation = Some(value);
        PositionAnalysis { value, wdl, line, depth: 1, nodes: 1, evaluation, moves, others: Vec::new() }
    }

    fn judged(mv: &str, before: f32, after: f32, probability: f32) -> (Option<Verdict>, f64) {
        let game = Game::new(Position::start());
        let mv = game.position().parse_uci(mv).unwrap();
        let mut behind = game.clone();
        behind.play(mv);
        let before = analysis(before, "e2e4", probability);
        let judgement = judge(&before, &game, mv, &behind, Some(&analysis(-after, "e7e5", 0.5)));
        (judgement.verdict, judgement.loss)
    }

    #[test]
    fn what_a_move_gives_away_decides() {
        assert_eq!(judged("d2d4", 0.1, 0.1, 0.5), (None, 0.0));
        assert_eq!(judged("d2d4", 0.0, 0.3, 0.5), (None, 0.0));
        let verdicts: Vec<_> = [0.17, 0.07, -0.06, -0.4].map(|after| judged("d2d4", 0.2, after, 0.5).0).to_vec();
        let expected = [None, Some(Verdict::Inaccuracy), Some(Verdict::Mistake), Some(Verdict::Blunder)];
        assert_eq!(verdicts, expected);
        // The search's own choice gave nothing away, whatever the next search finds.
        assert_eq!(judged("e2e4", 0.2, -0.4, 0.5), (None, 0.0));
    }

    #[test]
    fn an_improbable_best_move_is_hard_to_find_while_the_game_is_open() {
        assert_eq!(judged("e2e4", 0.2, 0.2, 0.01).0, Some(Verdict::HardToFind));
        assert_eq!(judged("e2e4", 0.2, 0.2, 0.06).0, None);
        assert_eq!(judged("e2e4", 0.99, 0.99, 0.01).0, None);
        // An engine without move probabilities says of no move that it is hard to find.
        let game = Game::new(Position::start());
        let mv = game.position().parse_uci("e2e4").unwrap();
        let mut after = game.clone();
        after.play(mv);
        let before = PositionAnalysis { moves: Vec::new(), ..analysis(0.2, "e2e4", 0.01) };
        assert_eq!(judge(&before, &game, mv, &after, Some(&analysis(-0.2, "e7e5", 0.5))).verdict, None);
    }

    #[test]
    fn the_end_of_a_game_has_its_own_value() {
        let game = Game::new(Position::from_fen("6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1").unwrap());
        let mate = game.position().parse_uci("a1a8").unwrap();
        let mut after = game.clone();
        after.play(mate);
        let judgement = judge(&analysis(0.9, "a1a7", 0.5), &game, mate, &after, None);
        assert_eq!((judgement.value, judgement.loss), (Value::mates_at(1), 0.0));
        assert_eq!((score(Value::DRAW), score(Value::mates_at(3)), score(Value::mated_at(2))), (0.5, 1.0, 0.0));
    }
}

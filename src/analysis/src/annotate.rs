//! The annotations of a game's moves: `[%eval]` as lichess.org writes it, a glyph, and the better line.

use super::judge::{Judgement, Verdict};
use super::position::PositionAnalysis;
use board::{Color, Game};
use pgn::{Annotation, PgnGame};
use search::Value;

/// The longest variation, in plies.
const LINE: usize = 8;

/// What stands behind each move. `positions` has the analysis before each move, `judgements` what each was worth. The game's
/// own comments, clocks among them, stay; its old evaluations do not, so that all are of one analysis.
pub fn annotations(game: &PgnGame, positions: &[PositionAnalysis], judgements: &[Judgement]) -> Vec<Annotation> {
    let mut at = Game::new(game.start.clone());
    let mut annotations = Vec::with_capacity(game.moves.len());
    for (index, (&mv, judgement)) in game.moves.iter().zip(judgements).enumerate() {
        let position = at.position();
        let white = position.side_to_move() == Color::White;
        let value = if white { judgement.value } else { -judgement.value };
        let kept = without_evaluation(game.annotations.comment(index + 1));
        // The depth of the search that found the value: the next one, or none at the end.
        let depth = positions.get(index + 1).map_or(String::new(), |next| format!(",{}", next.depth));
        let comment = format!("[%eval {}{depth}] {kept}", evaluation(value));
        let is_bad = matches!(judgement.verdict, Some(Verdict::Inaccuracy | Verdict::Mistake | Verdict::Blunder));
        let mut instead = if is_bad { positions[index].line(position) } else { Vec::new() };
        instead.truncate(LINE);
        let glyph = judgement.verdict.map(Verdict::glyph);
        annotations.push(Annotation { glyph, comment: comment.trim_end().to_owned(), instead });
        at.play(mv);
    }
    annotations
}

/// A value for White in pawns, or moves to mate.
fn evaluation(value: Value) -> String {
    match value.mate_moves() {
        Some(moves) => format!("#{moves}"),
        None => format!("{:.2}", f64::from(value.centipawns()) / 100.0),
    }
}

/// A comment without `[%eval ...]`.
fn without_evaluation(comment: &str) -> String {
    let mut kept = String::new();
    let mut rest = comment;
    while let Some((before, command)) = rest.split_once("[%eval ")
        && let Some((_, after)) = command.split_once(']')
    {
        kept += before;
        rest = after;
    }
    (kept + rest).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use pgn::read_from;

    #[test]
    fn words_beside_an_evaluation_stay() {
        for (comment, kept) in [
            ("bad [%eval -0.5,20] [%clk 0:01:00] as Tal showed", "bad [%clk 0:01:00] as Tal showed"),
            ("[%eval 0.1][%eval #3]", ""),
            ("[%eval 0.3 and no end", "[%eval 0.3 and no end"),
        ] {
            assert_eq!(without_evaluation(comment), kept);
        }
    }

    #[test]
    fn values_are_for_white_and_clocks_stay() {
        let text = "1. f3 { [%eval 0.1] [%clk 0:01:00] } e5 2. g4 Qh4# 0-1\n";
        let game = read_from(text.as_bytes()).with_annotations().next().unwrap().unwrap();
        let position = |line: &str| PositionAnalysis {
            value: 0.0,
            wdl: Some([0, 1000, 0]),
            line: line.split(' ').map(str::to_owned).collect(),
            depth: 9,
            nodes: 1,
            evaluation: Some(0.0),
            moves: Vec::new(),
            others: Vec::new(),
        };
        let positions = [position("e2e4 e7e5"), position("e7e5"), position("b1c3 g8f6 e2e4"), position("d8h4")];
        let judgement = |value, verdict| Judgement { value, loss: 0.0, verdict };
        let judgements = [
            judgement(Value::from_evaluation(0.198_f32.tanh()), None),
            judgement(Value::from_evaluation(0.198_f32.tanh()), Some(Verdict::HardToFind)),
            judgement(Value::mated_at(2), Some(Verdict::Blunder)),
            judgement(Value::mates_at(1), None),
        ];
        let found = annotations(&game, &positions, &judgements);
        let comments: Vec<&str> = found.iter().map(|annotation| annotation.comment.as_str()).collect();
        assert_eq!(comments, ["[%eval 1.00,9] [%clk 0:01:00]", "[%eval -1.00,9]", "[%eval #-1,9]", "[%eval #-1]"]);
        let glyphs: Vec<_> = found.iter().map(|annotation| annotation.glyph).collect();
        assert_eq!(glyphs, [None, Some(1), Some(4), None]);
        let lines: Vec<_> = found.iter().map(|annotation| annotation.instead.len()).collect();
        assert_eq!(lines, [0, 0, 3, 0]);
    }
}

//! Writes a game as PGN: the seven tags and those that a match adds, then the moves in lines of at most 80 columns.
//!
//! A move's comment is of the form that other match runners use, from the mover's side: `{+0.35/12 0.041s}` is a score of
//! +0.35 pawns at depth 12 after 0.041 seconds, `{-M3/9 0.002s}` a mate; `{book}` marks the opening's moves.

use super::eco::opening;
use super::result::GameResult;
use board::{Color, Move, Position};
use player::Score;
use std::fmt::{self, Write};
use std::time::Duration;

/// The longest line of moves that the standard allows.
const WIDTH: usize = 80;

/// A space at which no line ends.
pub(super) const UNBROKEN: char = '\u{1}';

/// A player's comment on its move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Comment {
    /// Its score.
    pub score: Option<Score>,
    /// Its search depth, in its own count.
    pub depth: Option<u32>,
    /// The time it took.
    pub elapsed: Duration,
}

impl fmt::Display for Comment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.score {
            Some(Score::Centipawns(hundredths)) => write!(f, "{:+.2}", f64::from(hundredths) / 100.0)?,
            Some(Score::Mate(moves)) if moves > 0 => write!(f, "+M{moves}")?,
            Some(Score::Mate(moves)) => write!(f, "-M{}", moves.unsigned_abs())?,
            None => {}
        }
        match (self.score, self.depth) {
            (Some(_), depth) => write!(f, "/{} ", depth.unwrap_or(0))?,
            (None, Some(depth)) => write!(f, "/{depth} ")?,
            (None, None) => {}
        }
        write!(f, "{:.3}s", self.elapsed.as_secs_f64())
    }
}

/// A game as it will be written; displayed, it is its text with an empty line after it.
#[derive(Debug, Clone)]
pub struct GameText<'a> {
    /// The tag `Event`.
    pub event: &'a str,
    /// The tag `Date`, as in `2026.01.31`; `????.??.??` where it would make equal games differ.
    pub date: &'a str,
    /// The tag `Round`: the number of the game.
    pub round: u64,
    /// The players, `[white, black]`.
    pub players: [&'a str; 2],
    /// Where the game begins.
    pub start: &'a Position,
    /// Whether the game is Chess960.
    pub chess960: bool,
    /// The moves; those of the opening have no comment.
    pub moves: &'a [(Move, Option<Comment>)],
    /// How it ended; `None` for an unfinished game.
    pub result: Option<GameResult>,
    /// The tag `Termination`: `normal`, `adjudication`, `time forfeit`, `rules infraction`, `abandoned`.
    pub termination: &'a str,
    /// Why it ended, in words: the last comment.
    pub reason: &'a str,
    /// The limits of `[white, black]`, as the tag `TimeControl` has them.
    pub time_controls: [&'a str; 2],
}

impl fmt::Display for GameText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let result = self.result.map_or("*", GameResult::as_str);
        tag(f, "Event", self.event)?;
        tag(f, "Site", "?")?;
        tag(f, "Date", self.date)?;
        tag(f, "Round", &self.round.to_string())?;
        tag(f, "White", self.players[0])?;
        tag(f, "Black", self.players[1])?;
        tag(f, "Result", result)?;
        if self.chess960 {
            tag(f, "Variant", "Chess960")?;
        }
        if *self.start != Position::start() {
            tag(f, "SetUp", "1")?;
            tag(f, "FEN", &self.start.to_fen(self.chess960))?;
        }
        let moves: Vec<Move> = self.moves.iter().map(|(mv, _)| *mv).collect();
        if let Some(opening) = opening(self.start, &moves) {
            tag(f, "ECO", &opening.eco)?;
            tag(f, "Opening", &opening.name)?;
        }
        match self.time_controls {
            [white, black] if white == black => tag(f, "TimeControl", white)?,
            [white, black] => {
                tag(f, "WhiteTimeControl", white)?;
                tag(f, "BlackTimeControl", black)?;
            }
        }
        tag(f, "PlyCount", &self.moves.len().to_string())?;
        tag(f, "Termination", self.termination)?;
        f.write_char('\n')?;
        wrapped(f, &self.movetext(result))?;
        f.write_str("\n\n")
    }
}

impl GameText<'_> {
    /// Moves, comments and result, separated by single spaces.
    fn movetext(&self, result: &str) -> String {
        let mut text = String::new();
        let mut position = self.start.clone();
        for (mv, comment) in self.moves {
            let number = position.fullmove_number();
            // Every move has a comment, and after a comment Black's move has its number too.
            let dots = if position.side_to_move() == Color::White { "." } else { "..." };
            // Writing to a String cannot fail.
            let _ = write!(text, "{number}{dots} ");
            text.push_str(&position.san(*mv));
            let _ = match comment {
                Some(comment) => write!(text, " {{{comment}}} "),
                None => write!(text, " {{book}} "),
            };
            position = position.play(*mv);
        }
        if !self.reason.is_empty() {
            let _ = write!(text, "{{{}}} ", self.reason.replace(['{', '}'], "'"));
        }
        text.push_str(result);
        text
    }
}

/// One tag on a line of its own.
pub(super) fn tag(f: &mut fmt::Formatter<'_>, name: &str, value: &str) -> fmt::Result {
    let value = value.replace(|letter: char| letter.is_control(), " ").replace('\\', "\\\\").replace('"', "\\\"");
    writeln!(f, "[{name} \"{value}\"]")
}

/// The words of a text in lines of at most [`WIDTH`] columns, as far as words allow.
pub(super) fn wrapped(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    let mut column = 0;
    for word in text.split_whitespace() {
        let width = word.chars().count();
        if column > 0 {
            let fits = column + 1 + width <= WIDTH;
            f.write_char(if fits { ' ' } else { '\n' })?;
            column = if fits { column + 1 } else { 0 };
        }
        word.split(UNBROKEN).enumerate().try_for_each(|(index, part)| {
            f.write_str(if index > 0 { " " } else { "" })?;
            f.write_str(part)
        })?;
        column += width;
    }
    Ok(())
}

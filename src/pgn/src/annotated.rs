//! Writes a game with annotations: glyphs, comments and variations beside its moves.

use super::annotations::Annotations;
use super::eco::opening;
use super::result::GameResult;
use super::writer::{UNBROKEN, tag, wrapped};
use board::{Color, Move, Position};
use std::fmt::{self, Write};

/// What stands behind a move.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Annotation {
    /// Its numeric annotation glyph: 1 is `!`, 2 `?`, 4 `??`, 6 `?!`.
    pub glyph: Option<u8>,
    /// Its comment, which replaces the game's own.
    pub comment: String,
    /// Moves that could be played instead of it.
    pub instead: Vec<Move>,
}

/// A game as it will be written; displayed, it is its text with an empty line after it.
#[derive(Debug, Clone)]
pub struct AnnotatedGame<'a> {
    /// What the game had: its tags, of which those that say what is written here are replaced, glyphs and variations, and the
    /// comment before its first move.
    pub annotations: &'a Annotations,
    /// More tags, which replace those of the game that have their names.
    pub tags: &'a [(&'static str, String)],
    /// Who annotates: a name, then what it may add behind a space or a comma. The tag `Annotator` has it behind those of the game's
    /// own who are not this program.
    pub annotator: &'a str,
    /// Where the game begins.
    pub start: &'a Position,
    /// Whether the game is Chess960.
    pub chess960: bool,
    /// The moves.
    pub moves: &'a [Move],
    /// `(move)`: what stands behind it.
    pub behind: &'a [Annotation],
    /// How it ended; `None` for an unfinished game.
    pub result: Option<GameResult>,
}

/// The tags that every game has, in the order of the standard.
const ROSTER: [&str; 6] = ["Event", "Site", "Date", "Round", "White", "Black"];
/// The program whose name in an `Annotator` is replaced by the one that annotates now.
const OKAPI: &str = "Okapi";
/// The tags that say what is written here.
const REPLACED: [&str; 5] = ["Result", "Annotator", "FEN", "SetUp", "Variant"];

impl fmt::Display for AnnotatedGame<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tags = &self.annotations.tags;
        let result = self.result.map_or("*", GameResult::as_str);
        for name in ROSTER {
            let value = tags.iter().find(|tag| tag.0 == name).map_or("?", |tag| &tag.1);
            tag(f, name, if name == "Date" && value == "?" { "????.??.??" } else { value })?;
        }
        tag(f, "Result", result)?;
        let is_own = |name: &str| {
            !ROSTER.contains(&name) && !REPLACED.contains(&name) && self.tags.iter().all(|(more, _)| *more != name)
        };
        for (name, value) in tags.iter().filter(|tag| is_own(&tag.0)) {
            tag(f, name, value)?;
        }
        // What the game says of its opening stays.
        let is_named = tags.iter().any(|(name, _)| name == "ECO" || name == "Opening");
        if let Some(opening) = opening(self.start, self.moves).filter(|_| !is_named) {
            tag(f, "ECO", &opening.eco)?;
            tag(f, "Opening", &opening.name)?;
        }
        if self.chess960 {
            tag(f, "Variant", "Chess960")?;
        }
        if *self.start != Position::start() {
            tag(f, "SetUp", "1")?;
            tag(f, "FEN", &self.fen())?;
        }
        tag(f, "Annotator", &self.annotators())?;
        for (name, value) in self.tags {
            tag(f, name, value)?;
        }
        f.write_char('\n')?;
        wrapped(f, &self.movetext(result))?;
        f.write_str("\n\n")
    }
}

impl AnnotatedGame<'_> {
    /// The game's own FEN as it was written, its counters too, if it is a whole one; else the start's.
    fn fen(&self) -> String {
        let own: Vec<&str> = self.annotations.tag("FEN").split_whitespace().collect();
        let is_whole = own.len() == 6 && Position::from_fen(&own.join(" ")).as_ref() == Ok(self.start);
        if is_whole { own.join(" ") } else { self.start.to_fen(self.chess960) }
    }

    /// The game's own annotators, without what this program wrote before, and the one that annotates now.
    fn annotators(&self) -> String {
        let own = self.annotations.tag("Annotator");
        let name = self.annotator.split([' ', ',']).next().unwrap_or_default();
        let is_program = |text: &str| {
            let behind = [name, OKAPI].into_iter().filter_map(|name| text.strip_prefix(name));
            behind.into_iter().any(|rest| rest.is_empty() || rest.starts_with([' ', ',']))
        };
        let mut ends = own.match_indices(", ").map(|(at, comma)| (at, at + comma.len()));
        let kept = match ends.find(|(_, next)| is_program(&own[*next..])) {
            _ if own.is_empty() || is_program(own) => return self.annotator.to_owned(),
            Some((at, _)) => &own[..at],
            None => own,
        };
        format!("{kept}, {}", self.annotator)
    }

    fn movetext(&self, result: &str) -> String {
        let before = self.annotations.beside(0);
        let mut text = comment(&before.comment);
        before.variations.iter().for_each(|own| text += &bracketed(own));
        let mut position = self.start.clone();
        // Black's move has its number where it does not follow White's at once.
        let mut interrupted = true;
        for ((index, mv), behind) in self.moves.iter().enumerate().zip(self.behind) {
            let own = self.annotations.beside(index + 1);
            text += &numbered(&position, *mv, interrupted);
            for glyph in own.glyphs.iter().copied().chain(behind.glyph.filter(|glyph| !own.glyphs.contains(glyph))) {
                // Writing to a String cannot fail.
                let _ = write!(text, "${glyph} ");
            }
            text += &comment(&behind.comment);
            own.variations.iter().for_each(|own| text += &bracketed(own));
            text += &variation(&position, &behind.instead);
            interrupted = !behind.comment.is_empty() || !own.variations.is_empty() || !behind.instead.is_empty();
            position = position.play(*mv);
        }
        text + result
    }
}

fn comment(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("{{ {} }} ", unbroken(&text.replace(['{', '}'], "'"))) }
}

/// A comment whose commands, as `[%clk 0:01:00]`, are one word each.
fn unbroken(text: &str) -> String {
    let mut depth = 0;
    let letter = |letter: char| {
        depth += i32::from(letter == '[') - i32::from(letter == ']');
        if letter == ' ' && depth > 0 { UNBROKEN } else { letter }
    };
    text.chars().map(letter).collect()
}

/// A variation as the game had it.
fn bracketed(text: &str) -> String {
    format!("({text}) ")
}

fn variation(position: &Position, moves: &[Move]) -> String {
    if moves.is_empty() {
        return String::new();
    }
    let (mut position, mut text) = (position.clone(), String::new());
    for (index, mv) in moves.iter().enumerate() {
        text += &numbered(&position, *mv, index == 0);
        position = position.play(*mv);
    }
    format!("({}) ", text.trim_end())
}

fn numbered(position: &Position, mv: Move, always: bool) -> String {
    let (number, san) = (position.fullmove_number(), position.san(mv));
    match position.side_to_move() {
        Color::White => format!("{number}. {san} "),
        Color::Black if always => format!("{number}... {san} "),
        Color::Black => format!("{san} "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read_from;

    #[test]
    fn tags_glyphs_comments_and_variations_are_written_and_read_again() {
        let text = "[Event \"A \\\"b\\\"\"]\n[White \"X\"]\n[Opening \"Ruy\"]\n[Result \"1-0\"]\n\n\
                    {before} 1. e4 { [%clk 0:03:00]  two\nwords } e5 (1... c5 $1 {Sicilian} (1... e6) 2. Nf3) 2. Ke2? ; rest\n Ke7 1-0\n";
        let game = read_from(text.as_bytes()).with_annotations().next().unwrap().unwrap();
        assert_eq!(game.annotations.tag("Opening"), "Ruy");
        assert_eq!((game.annotations.comment(0), game.annotations.comment(1)), ("before", "[%clk 0:03:00] two words"));
        assert_eq!((game.annotations.comment(2), game.annotations.comment(9)), ("", ""));
        let at = game.moves[..2].iter().fold(game.start.clone(), |position, mv| position.play(*mv));
        let better = at.parse_san("Nf3").unwrap();
        let reply = at.play(better).parse_san("Nc6").unwrap();
        let mut behind = vec![Annotation::default(); 4];
        behind[0].comment = "a } b".to_owned();
        behind[2] = Annotation { glyph: Some(4), comment: String::new(), instead: vec![better, reply] };
        let annotated = AnnotatedGame {
            annotations: &game.annotations,
            tags: &[("WhiteAccuracy", "98.0".to_owned())],
            annotator: "Okapi",
            start: &game.start,
            chess960: false,
            moves: &game.moves,
            behind: &behind,
            result: game.result,
        }
        .to_string();
        let moves = "{ before } 1. e4 { a ' b } 1... e5 (1... c5 $1 {Sicilian} (1... e6) 2. Nf3) 2. Ke2 $2 $4 (2. Nf3 Nc6) 2... Ke7 1-0";
        let written = annotated.split("\n\n").nth(1).unwrap().replace('\n', " ");
        assert_eq!(written, moves);
        assert!(annotated.starts_with("[Event \"A \\\"b\\\"\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n"), "{annotated}");
        assert!(
            annotated.contains("[Opening \"Ruy\"]\n[Annotator \"Okapi\"]\n[WhiteAccuracy \"98.0\"]\n"),
            "{annotated}"
        );
        let again = read_from(annotated.as_bytes()).next().unwrap().unwrap();
        assert_eq!((&again.moves, again.result), (&game.moves, game.result));
    }

    #[test]
    fn the_annotators_of_the_user_are_kept() {
        let written = |own: &str, annotator: &str| {
            let text = format!("{own}\n*\n");
            let game = read_from(text.as_bytes()).with_annotations().next().unwrap().unwrap();
            let annotated = AnnotatedGame {
                annotations: &game.annotations,
                tags: &[],
                annotator,
                start: &game.start,
                chess960: false,
                moves: &[],
                behind: &[],
                result: None,
            };
            annotated.to_string().lines().filter(|line| line.starts_with("[Annotator ")).collect::<Vec<_>>().join(" ")
        };
        let okapi = "Okapi 0.1.0, 100 nodes a position";
        for (own, annotator, expected) in [
            ("[White \"A\"]", okapi, okapi),
            ("[Annotator \"?\"]", okapi, okapi),
            ("[Annotator \"Me\"]", okapi, "Me, Okapi 0.1.0, 100 nodes a position"),
            ("[Annotator \"Okapis, Me\"]", okapi, "Okapis, Me, Okapi 0.1.0, 100 nodes a position"),
            ("[Annotator \"Okapi 0.0.9, 7 nodes a position\"]", okapi, okapi),
            (
                "[Annotator \"Doe, J, Okapi 0.0.9, 7 nodes a position\"]",
                okapi,
                "Doe, J, Okapi 0.1.0, 100 nodes a position",
            ),
            (
                "[Annotator \"Me, Okapi 0.0.9, 7 nodes a position\"]",
                "Other 1, 9 ms a position",
                "Me, Other 1, 9 ms a position",
            ),
            (
                "[Annotator \"Me, Other 1, 9 ms a position\"]",
                "Other 2, 8 ms a position",
                "Me, Other 2, 8 ms a position",
            ),
        ] {
            assert_eq!(written(own, annotator), format!("[Annotator \"{expected}\"]"), "{own}");
        }
    }

    #[test]
    fn the_fen_of_the_user_is_kept() {
        let written = |fen: &str| {
            let text = format!("[SetUp \"1\"]\n[FEN \"{fen}\"]\n\n*\n");
            let game = read_from(text.as_bytes()).with_annotations().next().unwrap().unwrap();
            let annotated = AnnotatedGame {
                annotations: &game.annotations,
                tags: &[],
                annotator: "Okapi",
                start: &game.start,
                chess960: false,
                moves: &[],
                behind: &[],
                result: None,
            };
            annotated.to_string().split("[FEN \"").nth(1).unwrap().split('"').next().unwrap().to_owned()
        };
        for fen in ["4k3/8/8/8/8/8/8/R3K3 w - - 110 100", "4k3/8/8/8/4P3/8/8/R3K3 b - e3 0 70000"] {
            assert_eq!(written(fen), fen);
        }
        // What is no whole FEN is written as one.
        assert_eq!(written("4k3/8/8/8/8/8/8/R3K3 w"), "4k3/8/8/8/8/8/8/R3K3 w - - 0 1");
    }
}

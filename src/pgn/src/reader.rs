//! Reads PGN as a stream: every game's start and main line, in constant memory.
//!
//! Moves are read as `board::san` reads them, which is how most programs write them: SAN with or without `=`, `x`, `+` and
//! `e.p.`, long algebraic moves, UCI moves, castling with letters or zeros. A word that is none of these, and a move that
//! cannot be played, is a [fault](PgnGame::faults): the moves before it are kept, and reading continues with the next game.

use super::compressed::open;
use super::lexer::{Lexer, Token, decoded};
use super::main_line::MainLine;
use super::result::GameResult;
use board::{Move, Position};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// One game of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PgnGame {
    /// Its number in its source, from 1; broken games count.
    pub number: u64,
    /// The position before the first move.
    pub start: Position,
    /// Whether it is Chess960, by its tag or its castling rights.
    pub chess960: bool,
    /// The moves of the main line, all legal.
    pub moves: Vec<Move>,
    /// The result, by the end of the moves or else by its tag; `None` if it is unfinished.
    pub result: Option<GameResult>,
    /// Its tags, and what stands beside its moves; empty unless [asked for](Games::with_annotations).
    pub annotations: Annotations,
    /// What could not be read, a sentence each that follows "game N".
    pub faults: Vec<String>,
    /// Whether moves are missing behind those that are here.
    pub is_cut: bool,
}

impl PgnGame {
    /// The faults as sentences that name the game.
    pub fn notes(&self) -> impl Iterator<Item = String> {
        self.faults.iter().map(|fault| format!("game {} {fault}", self.number))
    }
}

/// What a game's text says beside its moves.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Annotations {
    /// Names and values of the tags, in their order.
    pub tags: Vec<(String, String)>,
    /// `(ply)`: what stands before the first move, then behind each move; shorter if nothing stands behind the last ones.
    pub(super) beside: Vec<Beside>,
}

/// What stands behind a move.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Beside {
    /// The comments, joined by spaces.
    pub comment: String,
    /// Numeric annotation glyphs; `!` is 1.
    pub glyphs: Vec<u8>,
    /// The variations, each as its text without the outer parentheses.
    pub variations: Vec<String>,
}

const NOTHING: &Beside = &Beside { comment: String::new(), glyphs: Vec::new(), variations: Vec::new() };

impl Annotations {
    /// The value of a tag; empty if it is absent or unknown (`?`).
    pub fn tag(&self, name: &str) -> &str {
        let value = self.tags.iter().find(|tag| tag.0 == name).map_or("", |tag| &tag.1);
        if value == "?" { "" } else { value }
    }

    /// The comments behind so many moves.
    pub fn comment(&self, moves: usize) -> &str {
        &self.beside(moves).comment
    }

    /// What stands behind so many moves.
    pub fn beside(&self, moves: usize) -> &Beside {
        self.beside.get(moves).unwrap_or(NOTHING)
    }
}

/// Why a game, or the file, cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum PgnError {
    /// The file cannot be opened.
    #[error("cannot open {path}: {reason}", path = path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// The system's error.
        reason: io::Error,
    },
    /// The source fails; reading ends.
    #[error("cannot continue to read the games: {0}")]
    Read(#[from] io::Error),
    /// Nothing of a game can be used; others may follow.
    #[error("game {number} {why}")]
    Game {
        /// The game's number in its source, from 1.
        number: u64,
        /// What is wrong with it: the rest of the sentence.
        why: String,
    },
}

/// The games of a file, which is decompressed if its name ends in `.zst`.
///
/// # Errors
/// [`PgnError::Open`]; the iterator's items are as those of [`read_from`].
pub fn read(path: &Path) -> Result<Games<Box<dyn Read + Send>>, PgnError> {
    let source = open(path).map_err(|reason| PgnError::Open { path: path.to_owned(), reason })?;
    Ok(read_from(source))
}

/// The games of a source, which needs no buffer of its own.
pub fn read_from<R: Read>(source: R) -> Games<R> {
    Games { lexer: Lexer::new(source), waiting: None, annotated: false, number: 0, ended: false }
}

/// An iterator over games. It continues after [`PgnError::Game`] and ends after [`PgnError::Read`].
pub struct Games<R: Read> {
    lexer: Lexer<R>,
    /// A token that ended a game and belongs to the next one.
    waiting: Option<Token>,
    annotated: bool,
    number: u64,
    ended: bool,
}

/// The tags that matter to the moves.
#[derive(Default)]
struct Tags {
    any: bool,
    fen: Option<String>,
    chess960: bool,
    variant: Option<String>,
    result: Option<GameResult>,
    all: Vec<(String, String)>,
}

impl<R: Read> Games<R> {
    /// The same games with their tags, comments, glyphs and variations.
    pub fn with_annotations(mut self) -> Self {
        self.annotated = true;
        self
    }

    fn next_token(&mut self) -> io::Result<Option<Token>> {
        match self.waiting.take() {
            Some(token) => Ok(Some(token)),
            None => self.lexer.next(),
        }
    }

    /// Reads the next game; `None` at the end.
    fn game(&mut self) -> io::Result<Option<Result<PgnGame, String>>> {
        let mut tags = Tags::default();
        let mut comments = Vec::new();
        // Comments may stand between games and before tags.
        let first = loop {
            match self.next_token()? {
                Some(Token::Tag) => self.read_tag(&mut tags),
                Some(Token::Comment { .. }) => comments.push(decoded(self.lexer.text())),
                other => break other,
            }
        };
        if first.is_none() && !tags.any {
            return Ok(None);
        }
        self.waiting = first;
        let (any, result) = (tags.any, tags.result);
        let start = start(&tags);
        let known = start.is_ok();
        let (position, chess960) = start.as_ref().map_or((Position::start(), false), Clone::clone);
        let mut line = MainLine::new(position, self.annotated && known);
        comments.iter().for_each(|comment| line.comment(comment));
        let ended = self.movetext(&mut line)?;
        let (moves, annotations, mut faults, is_cut) = line.finish();
        if let Err(why) = start {
            return Ok(Some(Err(why)));
        }
        if !any && ended.is_none() && moves.is_empty() {
            let why = faults.into_iter().next().map_or(String::new(), |fault| format!(", and {fault}"));
            return Ok(Some(Err(format!("has neither tags nor moves{why}"))));
        }
        let mut result = ended.unwrap_or(result);
        if ended.is_none() && self.lexer.is_cut() && self.waiting.is_none() {
            faults.push("is cut off: the file ends inside it, and its result is not known".to_owned());
            result = None;
        }
        let (start, annotations) = (start.map(|(start, _)| start), Annotations { tags: tags.all, beside: annotations });
        let number = self.number;
        Ok(Some(start.map(|start| PgnGame { number, start, chess960, moves, result, annotations, faults, is_cut })))
    }

    /// Reads the moves of a game to its end; what it says of the result, if it says anything.
    fn movetext(&mut self, line: &mut MainLine) -> io::Result<Option<Option<GameResult>>> {
        while let Some(token) = self.next_token()? {
            let begins_another = match token {
                Token::Tag => true,
                Token::Word => self.lexer.after_empty_line() && line.is_over(self.lexer.text()),
                _ => false,
            };
            if begins_another {
                self.waiting = Some(token);
                return Ok(None);
            }
            let text = self.lexer.text();
            match token {
                Token::Word => line.word(text),
                Token::Comment { closed } => {
                    line.comment(&decoded(text));
                    if !closed {
                        line.fault("has a comment that is never closed".to_owned());
                    }
                }
                Token::Nag => line.glyph(text),
                Token::Open => line.open(),
                Token::Close => line.close(),
                Token::End(result) if line.is_inside() => line.raw(result.map_or("*", GameResult::as_str)),
                Token::End(result) => {
                    self.closing_comments(line)?;
                    return Ok(Some(result));
                }
                Token::Tag => {}
            }
        }
        Ok(None)
    }

    /// Reads the comments that stand directly behind the result.
    fn closing_comments(&mut self, line: &mut MainLine) -> io::Result<()> {
        while let Some(token) = self.next_token()? {
            if !matches!(token, Token::Comment { .. }) || self.lexer.after_empty_line() {
                self.waiting = Some(token);
                break;
            }
            line.closing_comment(&decoded(self.lexer.text()));
        }
        Ok(())
    }

    fn read_tag(&mut self, tags: &mut Tags) {
        tags.any = true;
        let (name, value) = (self.lexer.name(), decoded(self.lexer.text()));
        if self.annotated {
            tags.all.push((decoded(name), value.clone()));
        }
        match name {
            b"FEN" => tags.fen = Some(value),
            b"Result" => tags.result = GameResult::from_text(&value),
            b"Variant" => match value.to_ascii_lowercase().replace([' ', '-', '_'], "").as_str() {
                "chess960" | "fischerandom" | "fischerrandom" | "frc" | "dfrc" => tags.chess960 = true,
                "" | "?" | "chess" | "standard" | "normal" | "fromposition" => {}
                _ => tags.variant = Some(value),
            },
            _ => {}
        }
    }
}

/// Where a game with these tags begins, and whether it is Chess960.
fn start(tags: &Tags) -> Result<(Position, bool), String> {
    let start = match (&tags.variant, &tags.fen) {
        (Some(variant), _) => return Err(format!("is of the variant '{variant}', not of chess or Chess960")),
        (None, Some(fen)) => {
            Position::from_fen(fen).map_err(|error| format!("has a FEN tag that is not a position: {error}"))?
        }
        (None, None) => Position::start(),
    };
    let chess960 = tags.chess960 || start.is_chess960();
    Ok((start, chess960))
}

impl<R: Read> Iterator for Games<R> {
    type Item = Result<PgnGame, PgnError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        self.number += 1;
        match self.game() {
            Ok(Some(Ok(game))) => Some(Ok(game)),
            Ok(Some(Err(why))) => Some(Err(PgnError::Game { number: self.number, why })),
            Ok(None) => {
                self.ended = true;
                None
            }
            Err(error) => {
                self.ended = true;
                Some(Err(PgnError::Read(error)))
            }
        }
    }
}

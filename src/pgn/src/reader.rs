//! Reads PGN as a stream: every game's start and main line, in constant memory.
//!
//! Moves are read as `board::san` reads them, which is how most programs write them: SAN with or without `=`, `x`, `+` and
//! `e.p.`, long algebraic moves, UCI moves, castling with letters or zeros. Besides, an `x` may stand where nothing is captured,
//! castling may have no hyphens, and signs, results and further moves may follow a move without a space. A word that is none of
//! these, and a move that cannot be played, is a [fault](PgnGame::faults): the moves before it are kept, and reading continues
//! with the next game.

use super::annotations::Annotations;
use super::compressed::open;
use super::lexer::{Lexer, Token, decoded};
use super::main_line::MainLine;
use super::result::GameResult;
use board::{Move, Position};
use std::io::{self, Read};
use std::mem::take;
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
    Games { lexer: Lexer::new(source), waiting: None, next_tags: Vec::new(), annotated: false, number: 0, ended: false }
}

/// An iterator over games. It continues after [`PgnError::Game`] and ends after [`PgnError::Read`].
pub struct Games<R: Read> {
    lexer: Lexer<R>,
    /// A token that ended a game and belongs to the next one.
    waiting: Option<Token>,
    /// Tags that followed those of a game without moves and belong to the next one.
    next_tags: Vec<Tag>,
    annotated: bool,
    number: u64,
    ended: bool,
}

/// A tag as it was read.
struct Tag {
    name: String,
    value: String,
    closed: bool,
}

/// What stands before the moves of a game.
#[derive(Default)]
struct Header {
    tags: Vec<Tag>,
    comments: Vec<String>,
    has_open_comment: bool,
    /// Whether the tags of another game follow these without moves between them.
    is_alone: bool,
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
        let Header { tags, comments, has_open_comment, is_alone } = self.header()?;
        if self.waiting.is_none() && tags.is_empty() {
            return Ok(None);
        }
        let start = start(&tags);
        let known = start.is_ok();
        let (position, chess960) = start.as_ref().map_or((Position::start(), false), Clone::clone);
        let mut line = MainLine::new(position, self.annotated && known);
        for Tag { name, .. } in tags.iter().filter(|tag| !tag.closed) {
            line.fault(format!(
                "has the tag {name} without the closing quote and bracket; its value is read to the end of the line"
            ));
        }
        comments.iter().for_each(|comment| line.comment(comment));
        if has_open_comment {
            line.open_comment();
        }
        let ended = if is_alone { None } else { self.movetext(&mut line)? };
        let (moves, annotations, mut faults, is_cut) = line.finish();
        if let Err(why) = start {
            return Ok(Some(Err(why)));
        }
        if tags.is_empty() && ended.is_none() && moves.is_empty() {
            let why = faults.into_iter().next().map_or(String::new(), |fault| format!(", and {fault}"));
            return Ok(Some(Err(format!("has neither tags nor moves{why}"))));
        }
        let (tagged, told) = (value(&tags, "Result").and_then(GameResult::from_text), ended.flatten());
        if let (Some(tagged), Some(told)) = (tagged, told)
            && tagged != told
        {
            let [tagged, told] = [tagged, told].map(GameResult::as_str);
            faults.push(format!("has the result {tagged} in its tag and {told} behind its moves; the tag counts"));
        }
        let mut result = tagged.or(told);
        if ended.is_none() && !is_alone && self.lexer.is_cut() && self.waiting.is_none() {
            faults.push("is cut off: the file ends inside it, and its result is not known".to_owned());
            result = None;
        } else if ended.is_none() && moves.is_empty() && !is_cut {
            faults.push(
                "has tags, but neither moves nor a result behind them; it is read as a game without moves".to_owned(),
            );
        }
        let tags =
            if self.annotated { tags.into_iter().map(|tag| (tag.name, tag.value)).collect() } else { Vec::new() };
        let (start, annotations) = (start.map(|(start, _)| start), Annotations { tags, beside: annotations });
        let number = self.number;
        Ok(Some(start.map(|start| PgnGame { number, start, chess960, moves, result, annotations, faults, is_cut })))
    }

    /// Reads tags, and comments before, between and behind them. Behind an empty line or a comment, a tag of a name that there was
    /// before, or `Event` as the first one, shows that the tags from there on are those of another game.
    fn header(&mut self) -> io::Result<Header> {
        let mut header = Header { tags: take(&mut self.next_tags), ..Header::default() };
        // Where the tags behind the last empty line or comment begin.
        let mut section = 0;
        let mut is_apart = false;
        loop {
            let token = self.next_token()?;
            is_apart |= self.lexer.after_empty_line();
            match token {
                Some(Token::Tag { closed }) => {
                    if take(&mut is_apart) {
                        section = header.tags.len();
                    }
                    let (name, value) = (decoded(self.lexer.name()), decoded(self.lexer.text()));
                    let before = &header.tags[..section];
                    let is_first = section == header.tags.len() && name == "Event";
                    header.is_alone = !before.is_empty() && (is_first || before.iter().any(|tag| tag.name == name));
                    header.tags.push(Tag { name, value, closed });
                    if header.is_alone {
                        self.next_tags = header.tags.split_off(section);
                        return Ok(header);
                    }
                }
                Some(Token::Comment { closed }) => {
                    header.comments.push(decoded(self.lexer.text()));
                    header.has_open_comment |= !closed;
                    is_apart = true;
                }
                other => {
                    self.waiting = other;
                    return Ok(header);
                }
            }
        }
    }

    /// Reads the moves of a game to its end; what it says of the result, if it says anything.
    fn movetext(&mut self, line: &mut MainLine) -> io::Result<Option<Option<GameResult>>> {
        while let Some(token) = self.next_token()? {
            let begins_another = match token {
                Token::Tag { .. } => true,
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
                        line.open_comment();
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
                Token::Tag { .. } => {}
            }
        }
        Ok(None)
    }

    /// Reads the comments that stand directly behind the result.
    fn closing_comments(&mut self, line: &mut MainLine) -> io::Result<()> {
        while let Some(token) = self.next_token()? {
            let closed = match token {
                Token::Comment { closed } if !self.lexer.after_empty_line() => closed,
                _ => {
                    self.waiting = Some(token);
                    break;
                }
            };
            line.closing_comment(&decoded(self.lexer.text()));
            if !closed {
                line.open_comment();
            }
        }
        Ok(())
    }
}

/// The value of a tag; of several, the last one.
fn value<'a>(tags: &'a [Tag], name: &str) -> Option<&'a str> {
    tags.iter().rev().find(|tag| tag.name == name).map(|tag| tag.value.as_str())
}

/// Where a game with these tags begins, and whether it is Chess960.
fn start(tags: &[Tag]) -> Result<(Position, bool), String> {
    let variant = value(tags, "Variant").unwrap_or_default();
    let is_chess960 = match variant.to_ascii_lowercase().replace([' ', '-', '_'], "").as_str() {
        "chess960" | "fischerandom" | "fischerrandom" | "frc" | "dfrc" => true,
        "" | "?" | "chess" | "standard" | "normal" | "fromposition" => false,
        _ => return Err(format!("is of the variant '{variant}', not of chess or Chess960")),
    };
    let start = match value(tags, "FEN") {
        Some(fen) => {
            Position::from_fen(fen).map_err(|error| format!("has a FEN tag that is not a position: {error}"))?
        }
        None => Position::start(),
    };
    let chess960 = is_chess960 || start.is_chess960();
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

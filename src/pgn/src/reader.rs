//! Reads PGN as a stream: every game's start and main line, in constant memory.
//!
//! Annotation glyphs and variations are skipped; tags and comments are kept if asked for. A game with an illegal move is reported by its number and the move's,
//! and reading continues after it. The moves' text is read by `board::san`; text that does not look like a move is skipped,
//! and the next move is then nearly always illegal.

use super::compressed::open;
use super::result::GameResult;
use board::{Move, Position};
use pgn_reader::{Outcome, RawComment, RawTag, Reader, SanPlus, Visitor};
use std::fmt::Write;
use std::io::{self, Read};
use std::ops::ControlFlow;
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
    /// Its tags and comments; empty unless [asked for](Games::with_annotations).
    pub annotations: Annotations,
}

/// What a game's text says beside its moves.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Annotations {
    /// Names and values of the tags, in their order.
    pub tags: Vec<(String, String)>,
    /// `(ply)`: the comments before the first move, then those behind each move, joined by spaces; shorter if the last have none.
    pub comments: Vec<String>,
}

impl Annotations {
    /// The value of a tag; empty if it is absent or unknown (`?`).
    pub fn tag(&self, name: &str) -> &str {
        let value = self.tags.iter().find(|tag| tag.0 == name).map_or("", |tag| &tag.1);
        if value == "?" { "" } else { value }
    }

    /// The comments behind so many moves.
    pub fn comment(&self, moves: usize) -> &str {
        self.comments.get(moves).map_or("", String::as_str)
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
    /// One game is broken; others may follow.
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
    // The PGN standard's 255 bytes a line do not hold long event names and FENs beside them.
    let reader = Reader::build(source).set_supported_tag_line_length(4096).finish();
    Games { reader, follower: Follower::default(), number: 0, ended: false }
}

/// An iterator over games. It continues after [`PgnError::Game`] and ends after [`PgnError::Read`].
pub struct Games<R: Read> {
    reader: Reader<R>,
    follower: Follower,
    number: u64,
    ended: bool,
}

impl<R: Read> Games<R> {
    /// The same games with their tags and comments.
    pub fn with_annotations(mut self) -> Self {
        self.follower.annotated = true;
        self
    }
}

impl<R: Read> Iterator for Games<R> {
    type Item = Result<PgnGame, PgnError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let game = self.reader.read_game(&mut self.follower);
        self.number += 1;
        let number = self.number;
        Some(match game {
            Ok(None) => {
                self.ended = true;
                return None;
            }
            Ok(Some(Ok(line))) => Ok(line.into_game(number)),
            Ok(Some(Err(why))) => Err(PgnError::Game { number, why }),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                Err(PgnError::Game { number, why: format!("cannot be read: {error}") })
            }
            Err(error) => {
                self.ended = true;
                Err(PgnError::Read(error))
            }
        })
    }
}

/// Plays through one game after another.
#[derive(Default)]
struct Follower {
    /// Whether the game before ended without a result.
    open: bool,
    /// Whether tags and comments are kept.
    annotated: bool,
    /// A move's text, kept to save allocations.
    text: String,
}

#[derive(Default)]
struct Tags {
    any: bool,
    fen: Option<String>,
    chess960: bool,
    variant: Option<String>,
    result: Option<GameResult>,
    all: Vec<(String, String)>,
}

/// A game as far as it is read.
struct PartialGame {
    start: Position,
    position: Position,
    chess960: bool,
    tagged: bool,
    /// Whether its result has been read.
    ended: bool,
    moves: Vec<Move>,
    result: Option<GameResult>,
    annotations: Annotations,
}

impl PartialGame {
    fn into_game(self, number: u64) -> PgnGame {
        let Self { start, chess960, moves, result, annotations, .. } = self;
        PgnGame { number, start, chess960, moves, result, annotations }
    }
}

impl Visitor for Follower {
    type Tags = Tags;
    type Movetext = PartialGame;
    type Output = Result<PartialGame, String>;

    fn begin_tags(&mut self) -> ControlFlow<Self::Output, Tags> {
        ControlFlow::Continue(Tags::default())
    }

    fn tag(&mut self, tags: &mut Tags, name: &[u8], value: RawTag<'_>) -> ControlFlow<Self::Output> {
        tags.any = true;
        let value = value.decode_utf8_lossy();
        if self.annotated {
            tags.all.push((String::from_utf8_lossy(name.trim_ascii()).into_owned(), value.clone().into_owned()));
        }
        match name.trim_ascii() {
            b"FEN" => tags.fen = Some(value.into_owned()),
            b"Result" => tags.result = GameResult::from_text(&value),
            b"Variant" => match value.to_ascii_lowercase().replace([' ', '-', '_'], "").as_str() {
                "chess960" | "fischerandom" | "fischerrandom" | "frc" | "dfrc" => tags.chess960 = true,
                "" | "?" | "chess" | "standard" | "normal" | "fromposition" => {}
                _ => tags.variant = Some(value.into_owned()),
            },
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, tags: Tags) -> ControlFlow<Self::Output, PartialGame> {
        let torn = std::mem::take(&mut self.open) && !tags.any;
        let start = match (tags.variant, tags.fen) {
            // An empty line has split one game in two.
            _ if torn => Err("has no tags, and the game before it has no result: they may be one game".to_owned()),
            (Some(variant), _) => Err(format!("is of the variant '{variant}', not of chess or Chess960")),
            (None, Some(fen)) => {
                Position::from_fen(&fen).map_err(|error| format!("has a FEN tag that is not a position: {error}"))
            }
            (None, None) => Ok(Position::start()),
        };
        match start {
            Err(why) => ControlFlow::Break(Err(why)),
            Ok(start) => ControlFlow::Continue(PartialGame {
                position: start.clone(),
                chess960: tags.chess960 || start.is_chess960(),
                tagged: tags.any,
                ended: false,
                moves: Vec::new(),
                result: tags.result,
                annotations: Annotations { tags: tags.all, comments: Vec::new() },
                start,
            }),
        }
    }

    fn san(&mut self, line: &mut PartialGame, san: SanPlus) -> ControlFlow<Self::Output> {
        self.text.clear();
        // Writing to a String cannot fail.
        let _ = write!(self.text, "{}", san.san);
        match line.position.parse_san(&self.text) {
            Ok(mv) => {
                line.position = line.position.play(mv);
                line.moves.push(mv);
                ControlFlow::Continue(())
            }
            Err(reason) => {
                let ply = line.moves.len() + 1;
                ControlFlow::Break(Err(format!("has at ply {ply} a move that cannot be played: {reason}")))
            }
        }
    }

    fn comment(&mut self, line: &mut PartialGame, comment: RawComment<'_>) -> ControlFlow<Self::Output> {
        if self.annotated {
            line.annotations.comments.resize(line.moves.len() + 1, String::new());
            if let Some(last) = line.annotations.comments.last_mut() {
                let text = String::from_utf8_lossy(comment.as_bytes());
                let words = text.split_whitespace();
                words.for_each(|word| last.extend([if last.is_empty() { "" } else { " " }, word]));
            }
        }
        ControlFlow::Continue(())
    }

    fn outcome(&mut self, line: &mut PartialGame, outcome: Outcome) -> ControlFlow<Self::Output> {
        line.ended = true;
        line.result = GameResult::from_text(outcome.as_str());
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, line: PartialGame) -> Self::Output {
        self.open = !line.ended;
        let is_game = line.tagged || line.ended || !line.moves.is_empty();
        is_game.then_some(line).ok_or_else(|| "has neither tags nor moves".to_owned())
    }
}

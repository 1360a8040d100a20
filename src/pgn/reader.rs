//! Reads PGN as a stream: every game's start and main line, in constant memory.
//!
//! Comments, annotations and variations are passed over. A game that cannot be followed is named by its number and its
//! move, and the reading goes on behind it. The moves' text is read by `board::san`; what does not look like a move at
//! all is skipped, and then the next move hardly ever fits.

use super::compressed::open;
use super::result::GameResult;
use board::fen::FenError;
use board::uci::MoveError;
use board::{Move, Position};
use pgn_reader::{Outcome, RawTag, Reader, SanPlus, Visitor};
use std::fmt::Write;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// One game of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PgnGame {
    /// Which game of its source it is, from 1; broken ones count.
    pub number: u64,
    /// Where it begins.
    pub start: Position,
    /// Is it a game of Chess960, by its tag or by its castling rights?
    pub chess960: bool,
    /// The main line, every move legal.
    pub moves: Vec<Move>,
    /// How it ended, by its last word or else by its tag; `None` if it is unfinished.
    pub result: Option<GameResult>,
}

/// What keeps one game from being followed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Broken {
    /// A move.
    #[error("has at ply {ply} a move that cannot be played: {reason}")]
    Move {
        /// Which ply of the game, from 1.
        ply: usize,
        /// Why it cannot be played.
        reason: MoveError,
    },
    /// The FEN tag.
    #[error("has a FEN tag that is no position: {0}")]
    Start(#[from] FenError),
    /// Another game than chess.
    #[error("is of the variant '{0}', not of chess or Chess960")]
    Variant(String),
    /// Moves without tags behind a game that has not come to its result: an empty line has torn the game apart.
    #[error("has no tags, and the game before it no result: they may be one")]
    Torn,
    /// Nothing that belongs to a game.
    #[error("has neither tags nor moves")]
    NoGame,
    /// A tag or a comment that does not end.
    #[error("cannot be read: {0}")]
    Unterminated(String),
}

/// Why a game, or the file, cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum PgnError {
    /// The file cannot be opened.
    #[error("cannot open {path}: {reason}", path = path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: io::Error,
    },
    /// The source fails; nothing comes after this.
    #[error("cannot read the games on: {0}")]
    Read(#[from] io::Error),
    /// One game is broken; others may follow.
    #[error("game {number} {broken}")]
    Game {
        /// Which game of its source, from 1.
        number: u64,
        /// What is wrong with it.
        broken: Broken,
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

/// An iterator over games. After [`PgnError::Game`] it goes on, after [`PgnError::Read`] it has ended.
pub struct Games<R: Read> {
    reader: Reader<R>,
    follower: Follower,
    number: u64,
    ended: bool,
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
            Ok(Some(Err(broken))) => Err(PgnError::Game { number, broken }),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                Err(PgnError::Game { number, broken: Broken::Unterminated(error.to_string()) })
            }
            Err(error) => {
                self.ended = true;
                Err(PgnError::Read(error))
            }
        })
    }
}

/// Follows one game after another.
#[derive(Default)]
struct Follower {
    /// Did the game before stop without its result?
    open: bool,
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
}

/// A game as far as it is followed.
struct Line {
    start: Position,
    position: Position,
    chess960: bool,
    tagged: bool,
    /// Has its result been read?
    ended: bool,
    moves: Vec<Move>,
    result: Option<GameResult>,
}

impl Line {
    fn into_game(self, number: u64) -> PgnGame {
        let Self { start, chess960, moves, result, .. } = self;
        PgnGame { number, start, chess960, moves, result }
    }
}

impl Visitor for Follower {
    type Tags = Tags;
    type Movetext = Line;
    type Output = Result<Line, Broken>;

    fn begin_tags(&mut self) -> ControlFlow<Self::Output, Tags> {
        ControlFlow::Continue(Tags::default())
    }

    fn tag(&mut self, tags: &mut Tags, name: &[u8], value: RawTag<'_>) -> ControlFlow<Self::Output> {
        tags.any = true;
        let value = value.decode_utf8_lossy();
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

    fn begin_movetext(&mut self, tags: Tags) -> ControlFlow<Self::Output, Line> {
        let torn = std::mem::take(&mut self.open) && !tags.any;
        let start = match (tags.variant, tags.fen) {
            _ if torn => Err(Broken::Torn),
            (Some(variant), _) => Err(Broken::Variant(variant)),
            (None, Some(fen)) => Position::from_fen(&fen).map_err(Broken::Start),
            (None, None) => Ok(Position::start()),
        };
        match start {
            Err(broken) => ControlFlow::Break(Err(broken)),
            Ok(start) => ControlFlow::Continue(Line {
                position: start.clone(),
                chess960: tags.chess960 || start.is_chess960(),
                tagged: tags.any,
                ended: false,
                moves: Vec::new(),
                result: tags.result,
                start,
            }),
        }
    }

    fn san(&mut self, line: &mut Line, san: SanPlus) -> ControlFlow<Self::Output> {
        self.text.clear();
        // Writing to a String cannot fail.
        let _ = write!(self.text, "{}", san.san);
        match line.position.parse_san(&self.text) {
            Ok(mv) => {
                line.position = line.position.play(mv);
                line.moves.push(mv);
                ControlFlow::Continue(())
            }
            Err(reason) => ControlFlow::Break(Err(Broken::Move { ply: line.moves.len() + 1, reason })),
        }
    }

    fn outcome(&mut self, line: &mut Line, outcome: Outcome) -> ControlFlow<Self::Output> {
        line.ended = true;
        line.result = GameResult::from_text(outcome.as_str());
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, line: Line) -> Self::Output {
        self.open = !line.ended;
        if line.tagged || line.ended || !line.moves.is_empty() { Ok(line) } else { Err(Broken::NoGame) }
    }
}

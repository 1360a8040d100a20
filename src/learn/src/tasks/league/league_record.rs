//! The record of a league: a journal with a line a game.

use anyhow::anyhow;
use board::{Game, Move, Position};
use matches::termination::Termination;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::path::Path;
use support::journal::{self, Journal, JournalError, LineHeader};

/// How every header begins.
const MARK: &str = "{\"okapi_league\":";
/// The format of the file.
const VERSION: u64 = 1;
/// What it is called in messages.
const WHAT: &str = "the record of a league";

/// A game of the league.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LeagueGame {
    /// Its number, from 1.
    pub game: u64,
    /// The opponent's name; none in self-play.
    pub opponent: Option<String>,
    /// Whether the learner has White.
    pub white: bool,
    /// The learner's score: -1, 0 or 1; White's in self-play. None if the opponent failed, which says nothing of the learner.
    pub result: Option<i8>,
    /// Why the game ended.
    pub termination: Termination,
    /// All moves, from the first position on.
    pub moves: Vec<String>,
    /// What the learner thought, in the order of its turns.
    pub turns: Vec<PlayedTurn>,
}

/// A turn of the learner.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlayedTurn {
    /// The number of moves before it.
    pub ply: usize,
    /// The search's value for the learner, [-1, 1].
    pub value: f32,
    /// Whether it found a mate.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub mate: bool,
    /// The line that led to it, which begins with the move that was played; in games of earlier builds none where another move was.
    pub line: Option<Vec<String>>,
}

impl LeagueGame {
    /// The moves and the position after each, the first one before all of them.
    ///
    /// # Errors
    /// If a move is illegal.
    pub fn replay(&self) -> Result<(Vec<Move>, Vec<Position>), String> {
        let mut at = Game::new(Position::start());
        let (mut moves, mut positions) = (Vec::new(), vec![at.position().clone()]);
        for text in &self.moves {
            let mv = at.position().parse_uci(text).map_err(|error| format!("game {}: {error}", self.game))?;
            at.play(mv);
            moves.push(mv);
            positions.push(at.position().clone());
        }
        Ok((moves, positions))
    }
}

/// The games on the disk.
#[derive(Debug)]
pub struct LeagueRecord(Journal);

/// The header's JSON.
#[derive(Serialize)]
struct FirstLine {
    okapi_league: u64,
    #[serde(flatten)]
    setup: Map<String, Value>,
}

impl LeagueRecord {
    /// Opens or begins the record of the league that `setup` describes, and gives its games to `each`.
    ///
    /// # Errors
    /// If the file cannot be used, is in use, is damaged or is of another league.
    pub fn open(
        path: &Path,
        setup: Map<String, Value>,
        each: &mut dyn FnMut(LeagueGame) -> Result<(), String>,
    ) -> Result<Self, JournalError> {
        // Text and numbers can always be written.
        let line = serde_json::to_string(&FirstLine { okapi_league: VERSION, setup }).unwrap_or_default();
        let header = LineHeader { what: WHAT, mark: MARK, line, mixable: &[] };
        Ok(Self(Journal::open(path, &header, false, &mut in_order(each))?))
    }

    /// Gives the games of a record, which may be growing, to `each`.
    ///
    /// # Errors
    /// If the file cannot be read or is damaged.
    pub fn read(path: &Path, each: &mut dyn FnMut(LeagueGame) -> Result<(), String>) -> Result<(), JournalError> {
        journal::read(path, MARK, WHAT, &mut in_order(each)).map(drop)
    }

    /// Adds a game; when this returns it is on the disk.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn add(&mut self, game: &LeagueGame) -> anyhow::Result<()> {
        self.0.append(&[serde_json::to_string(game).map_err(|error| anyhow!(error))?])?;
        Ok(())
    }
}

/// Reads lines as games, which must follow one another.
fn in_order(each: &mut dyn FnMut(LeagueGame) -> Result<(), String>) -> impl FnMut(&str) -> Result<(), String> {
    let mut number = 0;
    move |line| {
        let game: LeagueGame = serde_json::from_str(line).map_err(|error| error.to_string())?;
        number += 1;
        if game.game != number {
            return Err(format!("game {} follows game {}", game.game, number - 1));
        }
        each(game)
    }
}

//! The options for the rules of a match: limits and adjudication.

use anyhow::Context;
use board::{Color, Position};
use clap::Args;
use engine::syzygy::Syzygy;
use matches::adjudication::{DrawRule, WinRule};
use matches::game::{EndgameTables, Rules};
use matches::time_control::TimeControl;
use pgn::GameResult;
use search::{TableResult, Tablebase};
use std::sync::Arc;
use std::time::Duration;

#[derive(Debug, Args)]
pub(super) struct RuleArgs {
    /// The time control: [MOVES/]TIME[+INCREMENT] in seconds, such as 2+0.02 or 40/60+0.5
    #[arg(long, value_name = "CONTROL")]
    tc: Option<String>,
    /// A fixed time for each move, in milliseconds
    #[arg(long, value_name = "MS")]
    movetime: Option<String>,
    /// A number of nodes for each move
    #[arg(long, value_name = "N")]
    nodes: Option<String>,
    /// A search depth for each move, in plies
    #[arg(long, value_name = "N")]
    depth: Option<String>,
    /// The time by which a move may exceed its limit before the game is lost on time, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 50, value_parser = clap::value_parser!(u64).range(..=60_000))]
    time_margin: u64,
    /// Adjudicate a win when both players report at least SCORE centipawns for one side during MOVES moves in a row:
    /// score=600 moves=5
    #[arg(long, value_name = "WORDS", num_args = 1..=2)]
    adjudicate_win: Vec<String>,
    /// Adjudicate a draw when both players report at most SCORE centipawns for either side during MOVES moves in a row,
    /// from move FROM on: score=10 moves=8 [from=40]
    #[arg(long, value_name = "WORDS", num_args = 1..=3)]
    adjudicate_draw: Vec<String>,
    /// Adjudicate a game by the Syzygy tables in these folders (separated as in PATH) as soon as a capture or pawn move leads to a
    /// position that they know; a win that the fifty-move rule prevents is a draw
    #[arg(long, value_name = "FOLDERS")]
    adjudicate_tables: Option<String>,
    /// Draw a game after so many moves of each player, those of the opening included
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    maxmoves: Option<u32>,
}

impl RuleArgs {
    /// The limits of players that have none of their own.
    pub(super) fn time_control(&self) -> anyhow::Result<TimeControl> {
        let mut shared = TimeControl::default();
        let RuleArgs { tc, movetime, nodes, depth, .. } = self;
        for (name, value) in [("tc", tc), ("movetime", movetime), ("nodes", nodes), ("depth", depth)] {
            if let Some(value) = value {
                shared.set(name, value).with_context(|| format!("--{name}"))?;
            }
        }
        Ok(shared)
    }

    pub(super) fn rules(&self) -> anyhow::Result<Rules> {
        let win = (!self.adjudicate_win.is_empty()).then(|| WinRule::from_words(&self.adjudicate_win));
        let draw = (!self.adjudicate_draw.is_empty()).then(|| DrawRule::from_words(&self.adjudicate_draw));
        let tables = self.adjudicate_tables.as_deref().map(Judge::open).transpose().context("--adjudicate-tables")?;
        Ok(Rules {
            time_margin: Duration::from_millis(self.time_margin),
            win: win.transpose().context("--adjudicate-win")?,
            draw: draw.transpose().context("--adjudicate-draw")?,
            max_moves: self.maxmoves,
            tables: tables.map(|judge| Arc::new(judge) as Arc<dyn EndgameTables>),
        })
    }
}

/// Syzygy tables as the judge of games.
struct Judge(Syzygy);

impl Judge {
    /// The tables of these folders; those that are damaged are named and not used.
    fn open(folders: &str) -> anyhow::Result<Self> {
        let tables = Syzygy::open(folders, 1, true)?;
        for damaged in tables.damaged() {
            support::say!("okapi: a damaged Syzygy table is not used: {damaged}; get it again");
        }
        Ok(Self(tables))
    }
}

/// `10 Syzygy files, up to 4 pieces`, as records have it.
impl std::fmt::Debug for Judge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}, up to {} pieces", self.0, self.0.max_pieces())
    }
}

impl EndgameTables for Judge {
    fn result(&self, position: &Position) -> Option<GameResult> {
        let white_moves = position.side_to_move() == Color::White;
        Some(match self.0.result(position)? {
            TableResult::Draw => GameResult::Draw,
            result if (result == TableResult::Win) == white_moves => GameResult::WhiteWins,
            _ => GameResult::BlackWins,
        })
    }
}

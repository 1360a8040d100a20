//! The games of a curve, and the file that keeps them: a line of JSON each, below a line that says what they depend on.

use crate::tasks::curve::curve_game::{CurveGame, CurveSetup};
use serde::{Deserialize, Serialize};
use std::path::Path;
use support::journal::{Journal, JournalError, LineHeader};

const WHAT: &str = "the record of a curve";
const MARK: &str = "okapi curve 1 ";

/// A game that was played.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CurveRecord {
    /// Which.
    #[serde(flatten)]
    pub game: CurveGame,
    /// The result for White: -1, 0 or 1.
    pub result: i8,
    /// The moves from the standard start, castling as king takes rook, with spaces between.
    pub moves: String,
}

/// The file, open for more games.
pub struct CurveFile(Journal);

impl CurveFile {
    /// Opens or begins a file, and gives its games to `each`.
    ///
    /// # Errors
    /// If it cannot be used, is no such file, or was made with other options or, unless `mixed`, by another program.
    pub fn open(
        path: &Path,
        setup: &CurveSetup,
        program: &str,
        mixed: bool,
        each: &mut dyn FnMut(CurveRecord),
    ) -> anyhow::Result<Self> {
        let CurveSetup { spec, nodes, seed } = setup;
        let program = program.replace(' ', "_");
        let line = format!("{MARK}{} nodes={nodes} games_seed={seed} program={program}", spec.describe()?);
        let header = LineHeader { what: WHAT, mark: MARK, line, mixable: &["program"] };
        let file = Journal::open(path, &header, mixed, &mut |line| {
            each(serde_json::from_str(line).map_err(|error| format!("is no game of a curve ({error})"))?);
            Ok(())
        })?;
        Ok(Self(file))
    }

    /// Adds a game; when this returns it is on the disk.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn add(&mut self, game: &CurveRecord) -> Result<(), JournalError> {
        // Text and numbers can always be written.
        self.0.append(&[serde_json::to_string(game).unwrap_or_default()])
    }
}

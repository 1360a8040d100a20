//! Why a game is over.

use board::{Color, Outcome};
use player::Fault;
use serde::{Deserialize, Serialize};

/// Why a game is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Termination {
    /// Mate.
    Mate,
    /// Stalemate.
    Stalemate,
    /// Fifty moves without a capture or a pawn's move.
    FiftyMoves,
    /// A position for the third time.
    Repetition,
    /// Nobody can mate.
    InsufficientMaterial,
    /// Both players held it to be won.
    WinAdjudicated,
    /// Both players held it to be drawn.
    DrawAdjudicated,
    /// The loser took too long.
    TimeLoss,
    /// The loser's move was none that is legal, or none at all.
    IllegalMove,
    /// The loser ended.
    Crash,
    /// The loser did not answer.
    Stall,
}

impl Termination {
    /// Every termination, in the order of reports.
    pub const ALL: [Self; 11] = [
        Self::Mate,
        Self::Stalemate,
        Self::FiftyMoves,
        Self::Repetition,
        Self::InsufficientMaterial,
        Self::WinAdjudicated,
        Self::DrawAdjudicated,
        Self::TimeLoss,
        Self::IllegalMove,
        Self::Crash,
        Self::Stall,
    ];

    /// How a position or its past has ended the game.
    pub fn by_rule(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Mated => Self::Mate,
            Outcome::Stalemate => Self::Stalemate,
            Outcome::FiftyMoves => Self::FiftyMoves,
            Outcome::InsufficientMaterial => Self::InsufficientMaterial,
            Outcome::Repetition => Self::Repetition,
        }
    }

    /// What a fault counts as.
    pub fn by_fault(fault: &Fault) -> Self {
        match fault {
            Fault::IllegalMove(_) | Fault::NoMove(_) => Self::IllegalMove,
            Fault::Start(_) | Fault::NotUci(_) | Fault::Crash(_) => Self::Crash,
            Fault::Stall(_) => Self::Stall,
        }
    }

    /// Did the loser lose by something other than chess?
    pub fn is_fault(self) -> bool {
        matches!(self, Self::TimeLoss | Self::IllegalMove | Self::Crash | Self::Stall)
    }

    /// The loser is not used again: another is started.
    pub fn breaks_the_player(self) -> bool {
        self.is_fault() && self != Self::TimeLoss
    }

    /// In a word or two, as reports count it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mate => "mate",
            Self::Stalemate => "stalemate",
            Self::FiftyMoves => "fifty moves",
            Self::Repetition => "repetition",
            Self::InsufficientMaterial => "insufficient material",
            Self::WinAdjudicated => "adjudicated win",
            Self::DrawAdjudicated => "adjudicated draw",
            Self::TimeLoss => "loss on time",
            Self::IllegalMove => "illegal move",
            Self::Crash => "crash",
            Self::Stall => "stall",
        }
    }

    /// PGN's tag `Termination`.
    pub fn pgn_tag(self) -> &'static str {
        match self {
            Self::WinAdjudicated | Self::DrawAdjudicated => "adjudication",
            Self::TimeLoss => "time forfeit",
            Self::IllegalMove => "rules infraction",
            Self::Crash | Self::Stall => "abandoned",
            _ => "normal",
        }
    }
}

/// A colour as sentences name it.
pub fn color_name(color: Color) -> &'static str {
    if color == Color::White { "White" } else { "Black" }
}

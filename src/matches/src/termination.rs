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
    /// Fifty moves without a capture or a pawn move.
    FiftyMoves,
    /// A position for the third time.
    Repetition,
    /// Neither side can mate.
    InsufficientMaterial,
    /// Adjudicated as a win.
    WinAdjudicated,
    /// Adjudicated as a draw.
    DrawAdjudicated,
    /// The loser exceeded its time.
    TimeLoss,
    /// The loser's move was illegal, or it gave none.
    IllegalMove,
    /// The loser's program ended.
    Crash,
    /// The loser did not answer.
    Stall,
}

impl Termination {
    /// The termination by a rule of chess.
    pub fn by_rule(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Mated => Self::Mate,
            Outcome::Stalemate => Self::Stalemate,
            Outcome::FiftyMoves => Self::FiftyMoves,
            Outcome::InsufficientMaterial => Self::InsufficientMaterial,
            Outcome::Repetition => Self::Repetition,
        }
    }

    /// The termination by a player's fault.
    pub fn by_fault(fault: &Fault) -> Self {
        match fault {
            Fault::IllegalMove(_) | Fault::NoMove(_) => Self::IllegalMove,
            Fault::Start(_) | Fault::NotUci(_) | Fault::Crash(_) => Self::Crash,
            // Who was stopped has lost no game; whoever stops it drops the game.
            Fault::Stall(_) | Fault::Stopped => Self::Stall,
        }
    }

    /// Whether the loser lost by a fault: time, an illegal move, a crash or a stall.
    pub fn is_fault(self) -> bool {
        matches!(self, Self::TimeLoss | Self::IllegalMove | Self::Crash | Self::Stall)
    }

    /// Whether the loser must be started anew before it plays again.
    pub fn breaks_the_player(self) -> bool {
        self.is_fault() && self != Self::TimeLoss
    }

    /// The name in reports.
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

/// The color's name.
pub fn color_name(color: Color) -> &'static str {
    if color == Color::White { "White" } else { "Black" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn faults_end_games_and_are_told_apart_in_pgn() {
        let fault = |fault: Fault| {
            let by = Termination::by_fault(&fault);
            (by.name(), by.pgn_tag(), by.is_fault(), by.breaks_the_player())
        };
        let illegal = ("illegal move", "rules infraction", true, true);
        assert_eq!(fault(Fault::IllegalMove("e2e5".into())), illegal);
        assert_eq!(fault(Fault::NoMove("(none)".into())), illegal);
        assert_eq!(fault(Fault::Crash("signal".into())), ("crash", "abandoned", true, true));
        assert_eq!(fault(Fault::Stall(Duration::ZERO)), ("stall", "abandoned", true, true));
        let time = Termination::TimeLoss;
        assert_eq!((time.pgn_tag(), time.is_fault(), time.breaks_the_player()), ("time forfeit", true, false));
        for (outcome, name) in [
            (Outcome::Mated, "mate"),
            (Outcome::Stalemate, "stalemate"),
            (Outcome::FiftyMoves, "fifty moves"),
            (Outcome::InsufficientMaterial, "insufficient material"),
            (Outcome::Repetition, "repetition"),
        ] {
            let by = Termination::by_rule(outcome);
            let told = (by.name(), by.pgn_tag(), by.is_fault(), by.breaks_the_player());
            assert_eq!(told, (name, "normal", false, false));
        }
        for adjudicated in [Termination::WinAdjudicated, Termination::DrawAdjudicated] {
            assert_eq!((adjudicated.pgn_tag(), adjudicated.is_fault()), ("adjudication", false));
        }
        assert_eq!(Color::ALL.map(color_name), ["White", "Black"]);
    }
}

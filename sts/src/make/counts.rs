//! How many positions were accepted, and why the others were rejected.

use std::collections::BTreeMap;
use std::fmt;

/// Why a position was rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rejection {
    /// It has castling rights of Chess960.
    Chess960,
    /// It was sampled before.
    Duplicate,
    /// It is in an excluded suite.
    Excluded,
    /// The move before it was a capture or a promotion.
    AfterCapture,
    /// The side to move is in check.
    InCheck,
    /// It has too few legal moves.
    FewMoves,
    /// A capture wins material for either side.
    Hanging,
    /// Quick pass: the best move is a capture, a promotion or a check.
    QuickNoisy,
    /// Quick pass: one of the best moves mates.
    QuickMate,
    /// Quick pass: the game is almost decided.
    QuickDecided,
    /// Quick pass: the best moves are almost equal.
    QuickFlat,
    /// Deep pass: the best move is a capture, a promotion or a check.
    Noisy,
    /// Deep pass: one of the best moves mates.
    Mate,
    /// Deep pass: the game is almost decided.
    Decided,
    /// Deep pass: the second move is almost as good as the first.
    Flat,
    /// Deep pass: the best move changed in the second half of the nodes.
    Unstable,
    /// Deep pass: the engine stopped before its node limit.
    EndedEarly,
    /// Its theme was full, or enough themes had enough positions.
    NotNeeded,
    /// Its theme has too few positions.
    SmallTheme,
}

impl Rejection {
    /// The text of the report.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Chess960 => "not standard chess",
            Self::Duplicate => "duplicate",
            Self::Excluded => "in an excluded suite",
            Self::AfterCapture => "after a capture or promotion",
            Self::InCheck => "in check",
            Self::FewMoves => "too few legal moves",
            Self::Hanging => "a capture wins material",
            Self::QuickNoisy => "quick pass: best move not quiet",
            Self::QuickMate => "quick pass: mate",
            Self::QuickDecided => "quick pass: decided",
            Self::QuickFlat => "quick pass: best moves almost equal",
            Self::Noisy => "deep pass: best move not quiet",
            Self::Mate => "deep pass: mate",
            Self::Decided => "deep pass: decided",
            Self::Flat => "deep pass: second move almost as good",
            Self::Unstable => "deep pass: best move not stable",
            Self::EndedEarly => "deep pass: engine stopped early",
            Self::NotNeeded => "not needed: theme full, or enough found",
            Self::SmallTheme => "theme with too few positions",
        }
    }
}

/// The numbers of sampled, accepted and rejected positions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SampleCounts {
    /// All sampled positions.
    pub sampled: usize,
    /// Positions in the suite.
    pub accepted: usize,
    /// The rejected positions, by reason.
    pub rejected: BTreeMap<Rejection, usize>,
}

impl SampleCounts {
    /// Counts rejected positions.
    pub fn reject(&mut self, reason: Rejection, positions: usize) {
        if positions > 0 {
            *self.rejected.entry(reason).or_default() += positions;
        }
    }
}

impl fmt::Display for SampleCounts {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        writeln!(f, "{:>7}  positions sampled", self.sampled)?;
        for (reason, count) in &self.rejected {
            writeln!(f, "{count:>7}  {}", reason.describe())?;
        }
        write!(f, "{:>7}  accepted", self.accepted)
    }
}

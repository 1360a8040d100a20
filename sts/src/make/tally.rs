//! How many positions went where: a suite's provenance says so.

use std::collections::BTreeMap;
use std::fmt;

/// Why a position is not in the suite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// It is not of standard chess.
    Chess960,
    /// It was met before.
    Duplicate,
    /// It is in a suite that it must not spoil.
    Excluded,
    /// The move before it was a capture or a promotion.
    AfterCapture,
    /// Its side to move is in check.
    InCheck,
    /// There is hardly a choice.
    FewMoves,
    /// A capture wins material for one side or the other.
    Hanging,
    /// The quick pass sees a capture, a promotion or a check as best.
    QuickNoisy,
    /// The quick pass sees a mate among the best moves.
    QuickMate,
    /// The quick pass sees a game that is as good as decided.
    QuickDecided,
    /// The quick pass sees nothing to tell the best moves apart.
    QuickFlat,
    /// The best move is a capture, a promotion or a check.
    Noisy,
    /// There is a mate among the best moves.
    Mate,
    /// The game is as good as decided.
    Decided,
    /// The second move is nearly as good as the first.
    Flat,
    /// The best move changed in the last half of the nodes.
    Unstable,
    /// The engine stopped before its nodes were spent.
    EndedEarly,
    /// Its theme was full, or it was not looked at because enough themes had enough positions.
    NotNeeded,
    /// Its theme has too few positions.
    SmallTheme,
}

impl Reason {
    /// What a report calls it.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Chess960 => "not standard chess",
            Self::Duplicate => "met before",
            Self::Excluded => "in an excluded suite",
            Self::AfterCapture => "after a capture or promotion",
            Self::InCheck => "in check",
            Self::FewMoves => "too few legal moves",
            Self::Hanging => "a capture wins material",
            Self::QuickNoisy => "quick pass: best move not quiet",
            Self::QuickMate => "quick pass: mate",
            Self::QuickDecided => "quick pass: decided",
            Self::QuickFlat => "quick pass: moves equally good",
            Self::Noisy => "deep pass: best move not quiet",
            Self::Mate => "deep pass: mate",
            Self::Decided => "deep pass: decided",
            Self::Flat => "deep pass: second move nearly as good",
            Self::Unstable => "deep pass: best move not stable",
            Self::EndedEarly => "deep pass: ended early",
            Self::NotNeeded => "not needed: theme full, or enough found",
            Self::SmallTheme => "theme with too few positions",
        }
    }
}

/// How many positions were looked at, taken, and turned away by reason.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    /// All positions looked at.
    pub looked_at: usize,
    /// Those in the suite.
    pub taken: usize,
    /// The others, by reason.
    pub rejected: BTreeMap<Reason, usize>,
}

impl Tally {
    /// Counts positions turned away.
    pub fn reject(&mut self, reason: Reason, positions: usize) {
        if positions > 0 {
            *self.rejected.entry(reason).or_default() += positions;
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        writeln!(f, "{:>7}  positions looked at", self.looked_at)?;
        for (reason, count) in &self.rejected {
            writeln!(f, "{count:>7}  {}", reason.describe())?;
        }
        write!(f, "{:>7}  taken", self.taken)
    }
}

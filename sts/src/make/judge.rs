//! Decides which analyzed positions enter the suite, and the points of their moves.

use super::analysis::Analysis;
use super::counts::Rejection;
use super::points::{BEST, expected_score, loss, points};
use super::quiet::is_noisy;
use super::sample::Candidate;
use super::theme::Theme;
use board::Move;

/// The maximum distance of the expected score from 0.5: from 0.2 to 0.8, about 126 centipawns either way.
const UNDECIDED: f64 = 0.3;
/// The minimum loss of the second move in the deep pass: it gets at most 8 points.
const GAP: f64 = 0.0225;
/// The minimum loss of the second move in the quick pass, whose values are less accurate.
const QUICK_GAP: f64 = 0.015;

/// A position with the points of its moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScoredPosition {
    /// The position.
    pub candidate: Candidate,
    /// Its theme.
    pub theme: Theme,
    /// The moves with points, best first: move and points, 1 to 10.
    pub moves: Vec<(Move, u32)>,
    /// The value of the best move in centipawns, for the side to move.
    pub centipawns: i32,
    /// Depth and nodes of the analysis.
    pub effort: (u32, u64),
}

/// The checks of both passes. Returns the best move and its value, or the reason for a rejection by the deep pass.
fn promising(candidate: &Candidate, analysis: &Analysis, gap: f64) -> Result<(Move, i32), Rejection> {
    let first = analysis.lines.first().ok_or(Rejection::EndedEarly)?;
    let best = candidate.position.parse_uci(&first.uci).map_err(|_| Rejection::EndedEarly)?;
    if analysis.lines.iter().any(|line| line.mate.is_some_and(|moves| moves > 0)) {
        return Err(Rejection::Mate);
    }
    let Some(centipawns) = first.cp else { return Err(Rejection::Mate) };
    if (expected_score(centipawns) - 0.5).abs() > UNDECIDED {
        return Err(Rejection::Decided);
    }
    if is_noisy(&candidate.position, best) {
        return Err(Rejection::Noisy);
    }
    // A second move that is mated has no centipawns, and passes.
    let second = analysis.lines.get(1).and_then(|line| line.cp);
    if second.is_some_and(|second| loss(centipawns, second) < gap) {
        return Err(Rejection::Flat);
    }
    Ok((best, centipawns))
}

/// Judges the quick pass: the expected theme of a position that deserves a deep pass.
///
/// # Errors
/// Why the position is rejected.
pub fn preview(candidate: &Candidate, analysis: &Analysis) -> Result<Theme, Rejection> {
    let (best, _) = promising(candidate, analysis, QUICK_GAP).map_err(|reason| match reason {
        Rejection::Decided => Rejection::QuickDecided,
        Rejection::Noisy => Rejection::QuickNoisy,
        Rejection::Flat => Rejection::QuickFlat,
        _ => Rejection::QuickMate,
    })?;
    Ok(Theme::of(&candidate.position, best))
}

/// Judges a deep pass of `nodes` nodes: the position with the points of its moves.
///
/// # Errors
/// Why the position is rejected.
pub fn judge(candidate: &Candidate, analysis: &Analysis, nodes: u64) -> Result<ScoredPosition, Rejection> {
    if analysis.nodes < nodes {
        return Err(Rejection::EndedEarly);
    }
    let (best, centipawns) = promising(candidate, analysis, GAP)?;
    if !analysis.is_stable() {
        return Err(Rejection::Unstable);
    }
    let others = analysis.lines[1..].iter().filter_map(|line| {
        let mv = candidate.position.parse_uci(&line.uci).ok()?;
        Some((mv, points(loss(centipawns, line.cp?))))
    });
    let moves = std::iter::once((best, BEST)).chain(others.filter(|&(_, points)| points > 0)).collect();
    Ok(ScoredPosition {
        theme: Theme::of(&candidate.position, best),
        candidate: candidate.clone(),
        moves,
        centipawns,
        effort: (analysis.depth(), analysis.nodes),
    })
}

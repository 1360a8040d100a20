//! Which analysed positions are worth asking about, and what their moves are worth.

use super::analysis::Analysis;
use super::points::{BEST, expected_score, loss, points};
use super::quiet::is_noisy;
use super::sample::Candidate;
use super::tally::Reason;
use super::theme::Theme;
use board::Move;

/// How far from a half the expected score may lie: between 0.2 and 0.8, about 126 centipawns either way.
const UNDECIDED: f64 = 0.3;
/// The least loss of the second move in the deep pass: the best move has at least 2 points more (8 at most are left).
const GAP: f64 = 0.0225;
/// The least loss of the second move in the quick pass, whose values are less certain.
const QUICK_GAP: f64 = 0.015;

/// A position with the points of its moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The position.
    pub candidate: Candidate,
    /// What it is about.
    pub theme: Theme,
    /// The moves that are worth something, best first: move and points, 1 to 10.
    pub moves: Vec<(Move, u32)>,
    /// The best move's value in centipawns, for the side to move.
    pub centipawns: i32,
    /// The depth and the nodes of the analysis.
    pub effort: (u32, u64),
}

/// What both passes ask: the best move and its value, if the position is undecided and its best move quiet.
fn promising(candidate: &Candidate, analysis: &Analysis, gap: f64) -> Result<(Move, i32), Fails> {
    let first = analysis.lines.first().ok_or(Fails::Early)?;
    let best = candidate.position.parse_uci(&first.uci).map_err(|_| Fails::Early)?;
    if analysis.lines.iter().any(|line| line.mate.is_some_and(|moves| moves > 0)) {
        return Err(Fails::Mate);
    }
    let Some(centipawns) = first.cp else { return Err(Fails::Mate) };
    if (expected_score(centipawns) - 0.5).abs() > UNDECIDED {
        return Err(Fails::Decided);
    }
    if is_noisy(&candidate.position, best) {
        return Err(Fails::Noisy);
    }
    // A second move that is mated loses all there is.
    let second = analysis.lines.get(1).and_then(|line| line.cp);
    if second.is_some_and(|second| loss(centipawns, second) < gap) {
        return Err(Fails::Flat);
    }
    Ok((best, centipawns))
}

/// Why an analysis does not make a question.
enum Fails {
    Early,
    Mate,
    Decided,
    Noisy,
    Flat,
}

/// What the quick pass says: the theme to expect, or why the position is not worth a deep pass.
///
/// # Errors
/// The reason.
pub fn preview(candidate: &Candidate, analysis: &Analysis) -> Result<Theme, Reason> {
    match promising(candidate, analysis, QUICK_GAP) {
        Ok((best, _)) => Ok(Theme::of(&candidate.position, best)),
        Err(Fails::Early | Fails::Mate) => Err(Reason::QuickMate),
        Err(Fails::Decided) => Err(Reason::QuickDecided),
        Err(Fails::Noisy) => Err(Reason::QuickNoisy),
        Err(Fails::Flat) => Err(Reason::QuickFlat),
    }
}

/// What the deep pass of so many nodes says: the question that the position makes.
///
/// # Errors
/// The reason why it makes none.
pub fn judge(candidate: &Candidate, analysis: &Analysis, nodes: u64) -> Result<Question, Reason> {
    if analysis.nodes < nodes {
        return Err(Reason::EndedEarly);
    }
    let (best, centipawns) = promising(candidate, analysis, GAP).map_err(|fails| match fails {
        Fails::Early => Reason::EndedEarly,
        Fails::Mate => Reason::Mate,
        Fails::Decided => Reason::Decided,
        Fails::Noisy => Reason::Noisy,
        Fails::Flat => Reason::Flat,
    })?;
    if !analysis.is_stable() {
        return Err(Reason::Unstable);
    }
    let others = analysis.lines[1..].iter().filter_map(|line| {
        let mv = candidate.position.parse_uci(&line.uci).ok()?;
        Some((mv, points(loss(centipawns, line.cp?))))
    });
    let moves = std::iter::once((best, BEST)).chain(others.filter(|&(_, points)| points > 0)).collect();
    Ok(Question {
        theme: Theme::of(&candidate.position, best),
        candidate: candidate.clone(),
        moves,
        centipawns,
        effort: (analysis.depth(), analysis.nodes),
    })
}

//! The points of a position's moves.
//!
//! The sources are, in order of preference, `c7` (SAN) with `c8`, `c9` (UCI) with `c8`, and `c0` ("Nf3=10, Bd3=7").
//! Without them a `bm` scores 1 and every other move 0; with `am` alone an `am` scores 0 and every other move 1. Texts are
//! parsed into moves before they are compared, so the notation of a move does not matter.
//!
//! If a move is listed twice, its first points count, as in the original scorer of the Strategic Test Suite.
// CITE: Ferdinand Mosca, STS-Rating (github.com/fsmosca/STS-Rating), the scorer of the suite's third version.

use crate::defect::Problem;
use crate::epd::{EpdRecord, OperandValue};
use board::Move;

/// The maximum points of a move. It keeps the sum of any suite far inside 32 bits.
pub const MAX_POINTS: u32 = 10_000;

/// The points of a position's moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Points {
    /// `(move, points)`, each move once.
    listed: Vec<(Move, u32)>,
    /// The points of every other move.
    otherwise: u32,
}

impl Points {
    /// Parses the points of a line; `None` if it has none. All sources are checked, and their defects are added to
    /// `problems`.
    ///
    /// A line whose points are all invalid does not fall back to its `bm`, because that has a different scale.
    pub fn read(record: &EpdRecord, problems: &mut Vec<Problem>) -> Option<Self> {
        let sources = [paired(record, "c7", problems), paired(record, "c9", problems), equations(record, problems)];
        let mut tried = false;
        let mut points = None;
        for pairs in sources.into_iter().flatten() {
            tried = true;
            let listed = Self::from_pairs(record, pairs, problems);
            points = points.or(listed);
        }
        let points = if tried { points } else { Self::from_best_and_avoid(record) };
        points.filter(|points| points.maximum() > 0)
    }

    /// The points of a move.
    pub fn of(&self, mv: Move) -> u32 {
        self.listed.iter().find(|(listed, _)| *listed == mv).map_or(self.otherwise, |&(_, points)| points)
    }

    /// The highest points of any move.
    pub fn maximum(&self) -> u32 {
        self.listed.iter().map(|&(_, points)| points).max().unwrap_or(0).max(self.otherwise)
    }

    /// The listed moves with their points, in the order of the line.
    pub fn listed(&self) -> &[(Move, u32)] {
        &self.listed
    }

    fn from_pairs(record: &EpdRecord, pairs: Pairs, problems: &mut Vec<Problem>) -> Option<Self> {
        let mut listed: Vec<(Move, u32)> = Vec::with_capacity(pairs.moves.len());
        for (text, points) in pairs.moves {
            let mv = match record.position.parse_san(&text) {
                Ok(mv) => mv,
                Err(error) => {
                    problems.push(Problem::wrong_move(pairs.opcode, &error));
                    continue;
                }
            };
            match listed.iter().find(|(earlier, _)| *earlier == mv) {
                None => listed.push((mv, points)),
                Some(&(_, first)) => {
                    let san = record.position.san(mv);
                    let twice =
                        format!("{san} is listed twice, with {first} and with {points} points; the first counts");
                    let twice = Problem(twice);
                    if !problems.contains(&twice) {
                        problems.push(twice);
                    }
                }
            }
        }
        (!listed.is_empty()).then_some(Self { listed, otherwise: 0 })
    }

    /// [`EpdRecord::problems`] reports the defects of `bm` and `am`.
    fn from_best_and_avoid(record: &EpdRecord) -> Option<Self> {
        let moves = |opcode| match record.get(opcode)?.value(&record.position, &mut Vec::new()) {
            OperandValue::Moves(moves) if !moves.is_empty() => Some(moves),
            _ => None,
        };
        let (best, avoid) = (moves("bm"), moves("am").unwrap_or_default());
        let otherwise = u32::from(best.is_none());
        let best = best.unwrap_or_default().into_iter().filter(|mv| !avoid.contains(mv));
        let listed: Vec<_> = best.map(|mv| (mv, 1)).chain(avoid.iter().map(|&mv| (mv, 0))).collect();
        (!listed.is_empty()).then_some(Self { listed, otherwise })
    }
}

/// Moves as text, with their points.
struct Pairs {
    opcode: &'static str,
    moves: Vec<(String, u32)>,
}

/// The moves of `opcode` with the points of `c8`; `None` if either is absent or `c8` contains no number.
fn paired(record: &EpdRecord, opcode: &'static str, problems: &mut Vec<Problem>) -> Option<Pairs> {
    let (moves, points) = (record.text(opcode)?, record.text("c8")?);
    let words: Vec<_> = words(&points).collect();
    if !words.iter().any(|word| parse_points(word).is_some()) {
        return None;
    }
    let moves: Vec<_> = self::words(&moves).map(str::to_owned).collect();
    let wrong = words.iter().find(|word| parse_points(word).is_none());
    if let Some(wrong) = wrong {
        problems.push(wrong_points("c8", wrong));
    } else if moves.len() != words.len() {
        let (found, expected) = (moves.len(), words.len());
        problems.push(Problem(format!("{opcode} has {found} moves for the {expected} points of c8; it is ignored")));
    } else {
        let points = words.into_iter().filter_map(parse_points);
        return Some(Pairs { opcode, moves: moves.into_iter().zip(points).collect() });
    }
    Some(Pairs { opcode, moves: Vec::new() })
}

/// The items of `c0`; `None` if its first item is not of the form `Nf3=10`, because then it is a comment.
fn equations(record: &EpdRecord, problems: &mut Vec<Problem>) -> Option<Pairs> {
    let text = record.text("c0")?;
    let mut items = text.split(',').map(str::trim).filter(|item| !item.is_empty()).peekable();
    items.peek().copied().and_then(equation)?;
    let mut moves = Vec::new();
    for item in items {
        match equation(item) {
            Some(pair) => moves.push(pair),
            None => problems.push(wrong_points("c0", item)),
        }
    }
    Some(Pairs { opcode: "c0", moves })
}

/// The last `=` separates the move from its points: a promotion contains another (`e8=Q=10`).
fn equation(item: &str) -> Option<(String, u32)> {
    let (mv, points) = item.rsplit_once('=')?;
    Some((mv.trim().to_owned(), parse_points(points.trim())?))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty())
}

fn wrong_points(opcode: &str, text: &str) -> Problem {
    Problem::wrong_operand(opcode, text, &format!("points from 0 to {MAX_POINTS}"))
}

fn parse_points(text: &str) -> Option<u32> {
    text.parse().ok().filter(|&points| points <= MAX_POINTS)
}

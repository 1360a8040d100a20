//! What each move of a position is worth.
//!
//! The points stand in `c7` (SAN) or `c9` (UCI) with `c8`, or in `c0` ("Nf3=10, Bd3=7"), in this order of preference. A
//! line without them scores 1 for a `bm` and 0 for every other move, or, with `am` alone, 0 for an `am` and 1
//! otherwise. Moves are compared as moves: how a text writes castling or how much it says of a move is no matter.
//!
//! A move listed twice is worth what it is first, as in the original scorer of the Strategic Test Suite.
// CITE: Ferdinand Mosca, STS-Rating (github.com/fsmosca/STS-Rating), the scorer of the suite's third version.

use crate::defect::Problem;
use crate::epd::{Record, Value, clip};
use board::Move;

/// The most that a move may be worth: sums over any suite stay far inside 32 bits.
pub const MOST: u32 = 10_000;

/// The points of a position's moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Points {
    /// Each move once.
    listed: Vec<(Move, u32)>,
    /// For every other move.
    otherwise: u32,
}

impl Points {
    /// Reads the points of a line, of which all sources are looked through for `problems`; `None` if it has none.
    ///
    /// A line that tries to give points and fails is not scored by its `bm` instead: that is another scale.
    pub fn read(record: &Record, problems: &mut Vec<Problem>) -> Option<Self> {
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

    /// What a move is worth.
    pub fn of(&self, mv: Move) -> u32 {
        self.listed.iter().find(|(listed, _)| *listed == mv).map_or(self.otherwise, |&(_, points)| points)
    }

    /// The most that any move is worth.
    pub fn maximum(&self) -> u32 {
        self.listed.iter().map(|&(_, points)| points).max().unwrap_or(0).max(self.otherwise)
    }

    /// The moves that are named, in the order of the line, with what they are worth.
    pub fn listed(&self) -> &[(Move, u32)] {
        &self.listed
    }

    fn from_pairs(record: &Record, pairs: Pairs, problems: &mut Vec<Problem>) -> Option<Self> {
        let mut listed: Vec<(Move, u32)> = Vec::with_capacity(pairs.moves.len());
        for (text, points) in pairs.moves {
            let mv = match record.position.parse_san(&text) {
                Ok(mv) => mv,
                Err(error) => {
                    problems.push(Problem::Move { opcode: pairs.opcode.to_owned(), error });
                    continue;
                }
            };
            match listed.iter().find(|(earlier, _)| *earlier == mv) {
                None => listed.push((mv, points)),
                Some(&(_, first)) => {
                    let twice = Problem::TwoPrices { mv: record.position.san(mv), first, second: points };
                    if !problems.contains(&twice) {
                        problems.push(twice);
                    }
                }
            }
        }
        (!listed.is_empty()).then_some(Self { listed, otherwise: 0 })
    }

    /// What is wrong with the texts of `bm` and `am`, [`Record::problems`] tells.
    fn from_best_and_avoid(record: &Record) -> Option<Self> {
        let moves = |opcode| match record.get(opcode)?.value(&record.position, &mut Vec::new()) {
            Value::Moves(moves) if !moves.is_empty() => Some(moves),
            _ => None,
        };
        let (best, avoid) = (moves("bm"), moves("am").unwrap_or_default());
        let otherwise = u32::from(best.is_none());
        let best = best.unwrap_or_default().into_iter().filter(|mv| !avoid.contains(mv));
        let listed: Vec<_> = best.map(|mv| (mv, 1)).chain(avoid.iter().map(|&mv| (mv, 0))).collect();
        (!listed.is_empty()).then_some(Self { listed, otherwise })
    }
}

/// Moves as texts and their points.
struct Pairs {
    opcode: &'static str,
    moves: Vec<(String, u32)>,
}

/// The moves of `opcode` with the points of `c8`; `None` if either is absent or `c8` is only a comment.
fn paired(record: &Record, opcode: &'static str, problems: &mut Vec<Problem>) -> Option<Pairs> {
    let (moves, points) = (record.text(opcode)?, record.text("c8")?);
    let words: Vec<_> = words(&points).collect();
    if !words.iter().any(|word| read_points(word).is_some()) {
        return None;
    }
    let moves: Vec<_> = self::words(&moves).map(str::to_owned).collect();
    let wrong = words.iter().find(|word| read_points(word).is_none());
    if let Some(wrong) = wrong {
        problems.push(Problem::Points { opcode: "c8", text: clip(wrong) });
    } else if moves.len() != words.len() {
        problems.push(Problem::Count { moves: opcode, found: moves.len(), expected: words.len() });
    } else {
        let points = words.into_iter().filter_map(read_points);
        return Some(Pairs { opcode, moves: moves.into_iter().zip(points).collect() });
    }
    Some(Pairs { opcode, moves: Vec::new() })
}

/// `c0`, if its first item is of the form `Nf3=10`; else it is a comment.
fn equations(record: &Record, problems: &mut Vec<Problem>) -> Option<Pairs> {
    let text = record.text("c0")?;
    let mut items = text.split(',').map(str::trim).filter(|item| !item.is_empty()).peekable();
    items.peek().copied().and_then(equation)?;
    let mut moves = Vec::new();
    for item in items {
        match equation(item) {
            Some(pair) => moves.push(pair),
            None => problems.push(Problem::Points { opcode: "c0", text: clip(item) }),
        }
    }
    Some(Pairs { opcode: "c0", moves })
}

/// The last `=` parts move and points; a promotion has one of its own (`e8=Q=10`).
fn equation(item: &str) -> Option<(String, u32)> {
    let (mv, points) = item.rsplit_once('=')?;
    Some((mv.trim().to_owned(), read_points(points.trim())?))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty())
}

fn read_points(text: &str) -> Option<u32> {
    text.parse().ok().filter(|&points| points <= MOST)
}

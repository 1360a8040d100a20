//! What cutoffs teach about moves: the main history by squares, capture history, continuation histories, which tell a
//! move by the moves 1, 2, 4 and 6 plies before it, and countermoves, the last good answer to a move.
//!
//! An entry h moves towards its limit L by a bonus b (negative for a move that was tried in vain): `h <- h + b - h |b| / L`.
//
// CITE: Schaeffer, "The history heuristic and alpha-beta search enhancements in practice", IEEE PAMI 11(11), 1989;
// continuation histories as in Stockfish since 2016. Countermoves: Uiterwijk, "The countermove heuristic", ICCA Journal 15(1), 1992.

use crate::alpha_beta::depth_limited::line::{Line, PIECE_SQUARES, piece_square};
use crate::move_history::seed_entries;
use crate::scored_move::ScoredMove;
use board::{Color, Move, Piece, Position, Square};

/// The greatest main history.
const MAIN_LIMIT: i32 = 7_183;
/// The greatest capture history.
const CAPTURE_LIMIT: i32 = 10_692;
/// The greatest continuation history.
const CONTINUATION_LIMIT: i32 = 29_952;
/// The plies before a move that continuation histories know it by.
const PLIES_BEFORE: [usize; 4] = [1, 2, 4, 6];

/// The greatest entry that a seed makes: in the order of moves, a factor 1.02 of the probability.
const NOISE: i16 = 100;

/// More than the orders of two moves differ by histories and gains.
pub const APART: i32 = 1 << 20;

/// What is known of moves after no move.
static NO_HISTORY: [i16; PIECE_SQUARES] = [0; PIECE_SQUARES];

/// The histories of one thread.
#[derive(Default)]
pub struct Histories {
    /// `(side, from, to)`
    main: Vec<[[i16; Square::NUM]; Square::NUM]>,
    /// `(piece and square of the earlier move, piece and square)`
    continuation: Vec<[i16; PIECE_SQUARES]>,
    /// `(piece and square, captured piece)`
    captures: Vec<[i16; Piece::NUM]>,
    /// `(piece and square of the move before)`: the quiet move that answered it last.
    countermoves: Vec<Option<Move>>,
}

impl Histories {
    /// Zeros, but for small random entries of the main history: with another seed it is another player of the same strength, and
    /// another thread of a search. Seed 0 has none.
    pub fn seeded(seed: u64) -> Self {
        let mut main = vec![[[0; Square::NUM]; Square::NUM]; 2];
        seed_entries(main.as_flattened_mut().as_flattened_mut(), seed, NOISE);
        Self {
            main,
            continuation: vec![[0; PIECE_SQUARES]; PIECE_SQUARES],
            captures: vec![[0; Piece::NUM]; PIECE_SQUARES],
            countermoves: vec![None; PIECE_SQUARES],
        }
    }

    /// The main history of a quiet move.
    #[inline]
    pub fn main(&self, position: &Position, mv: Move) -> i32 {
        i32::from(self.main[position.side_to_move() as usize][mv.from as usize][mv.to as usize])
    }

    /// The history of a quiet move after the move so many plies before `ply`; 0 where that was none.
    #[inline]
    pub fn continuation(
        &self,
        position: &Position,
        line: &Line,
        ply: usize,
        before: usize,
        scored: &ScoredMove,
    ) -> i32 {
        let place = piece_square(position, scored.piece, scored.mv);
        line.before(ply, before).moved.map_or(0, |moved| i32::from(self.continuation[moved][place]))
    }

    /// The sum of the histories of a quiet move after the moves one, two and four plies before `ply`.
    #[inline]
    pub fn continuations(&self, position: &Position, line: &Line, ply: usize, scored: &ScoredMove) -> i32 {
        let after = |before| self.continuation(position, line, ply, before, scored);
        after(1) + after(2) + after(4)
    }

    /// What is known of the quiet moves of one node.
    #[inline]
    pub fn of_node(&self, position: &Position, line: &Line, ply: usize) -> NodeHistories<'_> {
        let after = |before| line.before(ply, before).moved.map_or(&NO_HISTORY, |moved| &self.continuation[moved]);
        let countermove = line.before(ply, 1).moved.and_then(|moved| self.countermoves[moved]);
        NodeHistories {
            main: &self.main[position.side_to_move() as usize],
            after: PLIES_BEFORE.map(after),
            countermove,
        }
    }

    /// The history of a capture.
    #[inline]
    pub fn capture(&self, position: &Position, scored: &ScoredMove) -> i32 {
        i32::from(self.captures[piece_square(position, scored.piece, scored.mv)][captured(position, scored.mv)])
    }

    /// Adds to everything that is known of a quiet move at `ply`.
    #[inline]
    pub fn add_quiet(&mut self, position: &Position, line: &Line, ply: usize, scored: &ScoredMove, bonus: i32) {
        self.add_main(position.side_to_move(), scored.mv, bonus);
        self.add_continuation(line, ply, piece_square(position, scored.piece, scored.mv), bonus);
    }

    /// Adds to the main history of a side's quiet move.
    #[inline]
    pub fn add_main(&mut self, side: Color, mv: Move, bonus: i32) {
        add(&mut self.main[side as usize][mv.from as usize][mv.to as usize], bonus, MAIN_LIMIT);
    }

    /// Adds to what is known of a quiet move of this piece to this square at `ply` by the moves before it. In check, where moves are forced,
    /// the last two alone learn.
    #[inline]
    pub fn add_continuation(&mut self, line: &Line, ply: usize, place: usize, bonus: i32) {
        let known = if line.is_in_check(ply) { &PLIES_BEFORE[..2] } else { &PLIES_BEFORE };
        for &before in known {
            if let Some(moved) = line.before(ply, before).moved {
                add(&mut self.continuation[moved][place], bonus, CONTINUATION_LIMIT);
            }
        }
    }

    /// A quiet move answers the move before `ply`.
    #[inline]
    pub fn set_countermove(&mut self, line: &Line, ply: usize, mv: Move) {
        if let Some(moved) = line.before(ply, 1).moved {
            self.countermoves[moved] = Some(mv);
        }
    }

    /// Adds to what is known of a capture.
    #[inline]
    pub fn add_capture(&mut self, position: &Position, scored: &ScoredMove, bonus: i32) {
        let place = piece_square(position, scored.piece, scored.mv);
        add(&mut self.captures[place][captured(position, scored.mv)], bonus, CAPTURE_LIMIT);
    }
}

/// The histories that the quiet moves of one node look into.
pub struct NodeHistories<'a> {
    /// `(from, to)`
    main: &'a [[i16; Square::NUM]; Square::NUM],
    /// `(the move 1, 2, 4 or 6 plies before, piece and square)`
    after: [&'a [i16; PIECE_SQUARES]; 4],
    /// The last good answer to the move before.
    pub countermove: Option<Move>,
}

impl NodeHistories<'_> {
    /// What a quiet move's histories are worth together in the order of trial.
    #[inline]
    pub fn order(&self, position: &Position, scored: &ScoredMove) -> i32 {
        let place = piece_square(position, scored.piece, scored.mv);
        let [last, own_last, fourth, sixth] = self.after.map(|after| i32::from(after[place]));
        let main = i32::from(self.main[scored.mv.from as usize][scored.mv.to as usize]);
        2 * (main + last) + own_last + fourth + sixth
    }
}

/// The captured piece; a pawn for a move en passant and for a promotion without capture.
#[inline]
fn captured(position: &Position, mv: Move) -> usize {
    position.piece_on(mv.to).unwrap_or(Piece::Pawn) as usize
}

/// The bonus of a cutoff at this depth; it grows with the depth up to six plies. One ply tells nothing good.
#[inline]
pub fn bonus(depth: i32) -> i32 {
    const MOST: i32 = 1_594;
    ((12 * depth + 282) * depth - 349).min(MOST)
}

/// The nearer to the limit, the less is added: the entry never leaves its range.
#[inline]
fn add(entry: &mut i16, bonus: i32, limit: i32) {
    let value = i32::from(*entry);
    let bonus = bonus.clamp(-limit, limit);
    *entry = (value + bonus - value * bonus.abs() / limit) as i16;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_stays_within_its_limit_and_learns_both_ways() {
        let mut entry = 0;
        for step in 0..1_000 {
            add(&mut entry, bonus(15), MAIN_LIMIT);
            assert!(step > 0 || entry > 0);
            assert!(i32::from(entry) <= MAIN_LIMIT);
        }
        let highest = entry;
        add(&mut entry, -bonus(3), MAIN_LIMIT);
        assert!(entry < highest);
    }

    #[test]
    fn a_seed_makes_small_entries_and_zero_makes_none() {
        let [none, one, again, two] = [0, 1, 1, 2].map(|seed| Histories::seeded(seed).main);
        let all = |main: &Vec<[[i16; Square::NUM]; Square::NUM]>| main.as_flattened().as_flattened().to_vec();
        assert!(all(&none).iter().all(|entry| *entry == 0));
        assert!(all(&one).iter().all(|entry| entry.abs() <= NOISE));
        assert!(one == again && one != two);
    }

    #[test]
    fn deeper_cutoffs_count_more_up_to_six_plies() {
        assert!((1..6).all(|depth| bonus(depth) < bonus(depth + 1)));
        assert_eq!([1, 2, 3, 4, 5, 6, 40].map(bonus), [-55, 263, 605, 971, 1_361, 1_594, 1_594]);
    }

    #[test]
    fn an_entry_moves_by_its_bonus_less_the_share_of_its_limit() {
        let mut entry = 0;
        // 1000 * 1000 / 10692 = 93; 1907 * 500 / 10692 = 89.
        for (bonus, learned) in [(1_000, 1_000), (1_000, 1_907), (-500, 1_318), (20_000, 10_692), (-20_000, -10_692)] {
            add(&mut entry, bonus, CAPTURE_LIMIT);
            assert_eq!(entry, learned);
        }
    }

    #[test]
    fn a_quiet_move_is_known_by_the_moves_one_two_four_and_six_plies_before() {
        let position = Position::start();
        let mv = position.parse_uci("g1f3").expect("a legal move");
        let scored = ScoredMove::hash_move(Piece::Knight, mv, 0.0);
        let mut histories = Histories::seeded(0);
        // At each ply a move of its own; all that is learned at a place is by the move before.
        let mut line = Line::new();
        (0..6).for_each(|ply| line.at(ply).moved = Some(100 + ply));
        let place = piece_square(&position, Piece::Knight, mv);
        for (ply, learned) in [(5, 10), (4, 100), (2, 1_000), (0, 10_000), (3, 7), (1, 7)] {
            histories.continuation[100 + ply][place] = learned;
        }
        histories.main[0][Square::G1 as usize][Square::F3 as usize] = 1;
        histories.set_countermove(&line, 6, mv);
        let of = |before| histories.continuation(&position, &line, 6, before, &scored);
        assert_eq!([1, 2, 4, 6].map(of), [10, 100, 1_000, 10_000]);
        assert_eq!(histories.continuations(&position, &line, 6, &scored), 1_110);
        assert_eq!(histories.main(&position, mv), 1);
        let of_node = histories.of_node(&position, &line, 6);
        assert_eq!(
            (of_node.order(&position, &scored), of_node.countermove),
            (2 * (1 + 10) + 100 + 1_000 + 10_000, Some(mv))
        );
        assert_eq!(histories.of_node(&position, &line, 5).countermove, None);
        assert_eq!(histories.of_node(&position, &line, 0).order(&position, &scored), 2, "there is no move before");

        line.at(6).evaluation = Some(0.0);
        histories.add_quiet(&position, &line, 6, &scored, 42);
        let of = |before| histories.continuation(&position, &line, 6, before, &scored);
        assert_eq!([1, 2, 3, 4, 5, 6].map(of), [52, 142, 7, 1_041, 7, 10_028]);
        assert_eq!(histories.main(&position, mv), 43);
        // In check the last two moves alone learn.
        line.at(6).evaluation = None;
        histories.add_quiet(&position, &line, 6, &scored, 10);
        let of = |before| histories.continuation(&position, &line, 6, before, &scored);
        assert_eq!([1, 2, 3, 4, 5, 6].map(of), [62, 152, 7, 1_041, 7, 10_028]);
        assert_eq!(histories.main(&position, mv), 53);
    }

    #[test]
    fn a_capture_is_known_by_its_victim_and_en_passant_takes_a_pawn() {
        let position = Position::from_fen("4k3/8/8/3q1pP1/4P3/2N5/8/4K3 w - f6 0 1").expect("a position");
        let mut histories = Histories::seeded(0);
        let of = |mv: &str, piece| ScoredMove::hash_move(piece, position.parse_uci(mv).expect("a legal move"), 0.0);
        let (queen, pawn) = (of("c3d5", Piece::Knight), of("g5f6", Piece::Pawn));
        assert_eq!([queen, pawn].map(|scored| captured(&position, scored.mv)), [4, 0]);
        histories.add_capture(&position, &queen, 42);
        histories.add_capture(&position, &pawn, -7);
        assert_eq!(histories.captures[64 + 35][4], 42);
        assert_eq!([queen, pawn].map(|scored| histories.capture(&position, &scored)), [42, -7]);
    }
}

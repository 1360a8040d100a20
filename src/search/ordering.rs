//! The order in which a node's moves are tried: kinds of move, static exchange, killers and history.

use crate::move_probability::{MoveKind, ScoredMove};
use crate::search::MAX_PLY;
use arrayvec::ArrayVec;
use board::see::Safety;
use board::{Color, Move, Piece, Position};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// A node's moves.
pub type ScoredMoves = ArrayVec<ScoredMove, 256>;

/// What a search remembers of quiet moves: two killers a ply, and a history by side, from and to square.
pub struct MoveHistory {
    killers: [[Option<Move>; 2]; MAX_PLY + 1],
    /// `(side, from, to)`, -[`HISTORY_LIMIT`] to [`HISTORY_LIMIT`].
    history: [[[i16; 64]; 64]; 2],
}

const HISTORY_LIMIT: i32 = 1 << 14;

/// The largest entry that a seed makes: half of the least bonus.
const NOISE: i16 = 16;

impl MoveHistory {
    /// Nothing remembered yet.
    pub fn new() -> Box<Self> {
        Box::new(Self { killers: [[None; 2]; MAX_PLY + 1], history: [[[0; 64]; 64]; 2] })
    }

    /// Nothing remembered, but moves of which nothing is known come in an order that the seed decides: the same engine
    /// with another seed is another player of the same strength. Seed 0 is [`MoveHistory::new`].
    pub fn seeded(seed: u64) -> Box<Self> {
        let mut memory = Self::new();
        if seed != 0 {
            let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
            memory.history.as_flattened_mut().as_flattened_mut().fill_with(|| random.random_range(-NOISE..=NOISE));
        }
        memory
    }

    /// Another search begins: killers belong to plies of the old one.
    pub fn next_search(&mut self) {
        self.killers.fill([None; 2]);
    }

    /// A quiet move cut off at `ply`; those tried before it did not.
    #[inline]
    pub fn cut_off(&mut self, position: &Position, ply: usize, mv: Move, tried: &[ScoredMove], depth: u8) {
        let side = position.side_to_move();
        let killers = &mut self.killers[ply];
        if killers[0] != Some(mv) {
            *killers = [Some(mv), killers[0]];
        }
        let bonus = (i32::from(depth) * 32).min(HISTORY_LIMIT / 8);
        self.learn(side, mv, bonus);
        for other in tried {
            if is_quiet(position, other.mv) {
                self.learn(side, other.mv, -bonus);
            }
        }
    }

    #[inline]
    fn learn(&mut self, side: Color, mv: Move, bonus: i32) {
        let entry = &mut self.history[side as usize][mv.from as usize][mv.to as usize];
        let value = i32::from(*entry);
        // The nearer to the limit, the less is added: the entry never leaves its range.
        *entry = (value + bonus - value * bonus.abs() / HISTORY_LIMIT) as i16;
    }

    #[inline]
    fn history(&self, side: Color, mv: Move) -> i32 {
        i32::from(self.history[side as usize][mv.from as usize][mv.to as usize])
    }

    /// All the legal moves of a node in the order of trial; shares are not set yet.
    #[inline]
    pub fn classify(&self, position: &Position, hash: Option<Move>, ply: usize, candidates: &mut ScoredMoves) {
        let safety = Safety::of(position);
        let side = position.side_to_move();
        candidates.clear();
        position.for_each_legal_move(|piece, mv| {
            let quiet = mv.promotion.is_none() && !safety.is_capture(piece, mv);
            let known = if quiet {
                OrderingHints { history: self.history(side, mv) as i16, killer: self.killers[ply].contains(&Some(mv)) }
            } else {
                OrderingHints::default()
            };
            candidates.push(known.scored_move(position, &safety, piece, mv, hash == Some(mv)));
        });
        sort(candidates);
    }
}

/// What a search remembers of one quiet move; of others nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OrderingHints {
    /// -16384 to 16384.
    pub history: i16,
    /// Is it a killer of this ply?
    pub killer: bool,
}

impl OrderingHints {
    /// Classifies a legal move of a piece of a position of this safety; its share is not set yet.
    #[inline]
    pub fn scored_move(
        self,
        position: &Position,
        safety: &Safety,
        piece: Piece,
        mv: Move,
        is_hash: bool,
    ) -> ScoredMove {
        let Self { history, killer } = self;
        let capture = safety.is_capture(piece, mv);
        let (kind, order) = if capture || mv.promotion.is_some() {
            let kind = match (mv.promotion, capture) {
                (None | Some(Piece::Queen), _) if safety.keeps_material(position, piece, mv) => MoveKind::GoodCapture,
                (Some(promotion), _) if promotion != Piece::Queen => MoveKind::LosingQuiet,
                (_, true) => MoveKind::LosingCapture,
                (_, false) => MoveKind::LosingQuiet,
            };
            (kind, trade(position, mv))
        } else {
            let kind = if !safety.keeps_material(position, piece, mv) {
                MoveKind::LosingQuiet
            } else if killer {
                MoveKind::Killer
            } else {
                MoveKind::Quiet
            };
            (kind, i32::from(history))
        };
        let kind = if is_hash { MoveKind::Hash } else { kind };
        ScoredMove { mv, kind, order, history: f32::from(history) / HISTORY_LIMIT as f32, killer, share: 0.0 }
    }

    /// What a candidate was made of.
    pub fn of(candidate: &ScoredMove) -> Self {
        let history = (candidate.history * HISTORY_LIMIT as f32) as i16;
        Self { history, killer: candidate.killer }
    }
}

/// Puts candidates in the order of trial; equals stay in theirs.
#[inline]
pub fn sort(candidates: &mut [ScoredMove]) {
    // The order has 16 bits and a sign.
    sort_by_key(candidates, |candidate| (((candidate.kind as i32) << 20) + (1 << 19) - candidate.order) as u32);
}

/// Puts the candidates with the least keys first; equals stay in their order.
#[inline]
pub fn sort_by_key(candidates: &mut [ScoredMove], key: impl Fn(&ScoredMove) -> u32) {
    // Numbers sort faster than candidates: the key, then 8 bits of place.
    let mut order = [0_u64; 256];
    let order = &mut order[..candidates.len()];
    for (place, (to, candidate)) in (0..).zip(order.iter_mut().zip(&*candidates)) {
        *to = u64::from(key(candidate)) << 8 | place;
    }
    order.sort_unstable();
    let unsorted = ScoredMoves::try_from(&*candidates).expect("no position has more legal moves");
    for (candidate, key) in candidates.iter_mut().zip(order) {
        *candidate = unsorted[*key as usize & 0xff];
    }
}

/// Neither a capture nor a promotion?
#[inline]
pub fn is_quiet(position: &Position, mv: Move) -> bool {
    mv.promotion.is_none() && !position.is_capture(mv)
}

/// Most valuable victim, least valuable attacker; a promotion counts as taking what it makes.
#[inline]
pub fn trade(position: &Position, mv: Move) -> i32 {
    let worth = |piece: Option<Piece>| piece.map_or(0, |piece| board::see::PIECE_VALUES[piece as usize]);
    let victim = match position.piece_on(mv.to) {
        None if position.is_en_passant(mv) => Some(Piece::Pawn),
        victim => victim,
    };
    16 * (worth(victim) + worth(mv.promotion)) - position.piece_on(mv.from).map_or(0, |piece| piece as i32)
}

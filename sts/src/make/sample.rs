//! Positions to ask about, from games: one every few plies, quiet, each once, in an order that only the seed decides.

use super::quiet::unquiet;
use super::settings::Settings;
use super::tally::{Reason, Tally};
use board::{Game, Move, Position};
use std::collections::HashSet;

/// A position to ask about, as its line of EPD gives it: counters are 0 and 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The four fields of an EPD.
    pub epd: String,
    /// The position of those fields.
    pub position: Position,
}

impl Candidate {
    /// The position without its past; `None` if it has castling rights that standard chess does not know.
    pub fn of(position: &Position) -> Option<Self> {
        let fen = position.to_fen(false);
        let fields: Vec<&str> = fen.split(' ').take(4).collect();
        let epd = fields.join(" ");
        let standard = !position.is_chess960();
        let position = Position::from_fen(&epd).ok()?;
        standard.then_some(Self { epd, position })
    }
}

/// Gathers candidates.
#[derive(Debug)]
pub struct Sampler<'a> {
    settings: &'a Settings,
    seen: HashSet<u64>,
    excluded: HashSet<u64>,
    games: u64,
    found: Vec<Candidate>,
    tally: Tally,
}

impl<'a> Sampler<'a> {
    /// A sampler that takes no position whose key is among those excluded.
    pub fn new(settings: &'a Settings, excluded: HashSet<u64>) -> Self {
        Self { settings, seen: HashSet::new(), excluded, games: 0, found: Vec::new(), tally: Tally::default() }
    }

    /// Samples a game: every `stride`th ply, beginning at one that seed and the game's number decide.
    pub fn game(&mut self, start: &Position, moves: &[Move]) {
        let stride = self.settings.stride.max(1);
        let offset = (mix(self.settings.seed ^ mix(self.games)) % stride as u64) as usize;
        self.games += 1;
        let (first, last) = self.settings.moves;
        let mut game = Game::new(start.clone());
        for (ply, &mv) in moves.iter().enumerate() {
            let loud = mv.promotion.is_some() || game.position().is_capture(mv);
            game.play(mv);
            let number = game.position().fullmove_number();
            if ply % stride == offset && (first..=last).contains(&number) {
                self.look_at(game.position(), loud);
            }
        }
    }

    /// Looks at a position of which nothing else is known.
    pub fn position(&mut self, position: &Position) {
        self.look_at(position, false);
    }

    fn look_at(&mut self, position: &Position, after_capture: bool) {
        self.tally.looked_at += 1;
        match self.judge(position, after_capture) {
            Ok(candidate) => self.found.push(candidate),
            Err(reason) => self.tally.reject(reason, 1),
        }
    }

    fn judge(&mut self, position: &Position, after_capture: bool) -> Result<Candidate, Reason> {
        let candidate = Candidate::of(position).ok_or(Reason::Chess960)?;
        let key = candidate.position.key();
        if self.excluded.contains(&key) {
            return Err(Reason::Excluded);
        }
        if after_capture {
            return Err(Reason::AfterCapture);
        }
        if let Some(reason) = unquiet(&candidate.position) {
            return Err(reason);
        }
        if !self.seen.insert(key) {
            return Err(Reason::Duplicate);
        }
        Ok(candidate)
    }

    /// All candidates in the seed's order, and what became of the other positions.
    pub fn finish(mut self) -> (Vec<Candidate>, Tally) {
        let seed = self.settings.seed;
        self.found.sort_by_key(|candidate| (mix(seed ^ candidate.position.key()), candidate.epd.clone()));
        (self.found, self.tally)
    }
}

/// Spreads the bits of a number.
// CITE: Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014): SplitMix64.
fn mix(number: u64) -> u64 {
    let mut bits = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

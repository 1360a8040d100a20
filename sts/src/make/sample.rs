//! Samples candidates from games: one position every few plies, only quiet ones, each once, in an order that depends only
//! on the seed.

use super::counts::{Rejection, SampleCounts};
use super::quiet::rejection;
use super::settings::MakeSettings;
use board::{Game, Move, Position};
use std::collections::HashSet;

/// A position that may enter the suite. Its counters are 0 and 1, as in EPD.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The four EPD fields.
    pub epd: String,
    /// The position of those fields.
    pub position: Position,
}

impl Candidate {
    /// The position with its counters reset; `None` if it has castling rights of Chess960.
    pub fn of(position: &Position) -> Option<Self> {
        let fen = position.to_fen(false);
        let fields: Vec<&str> = fen.split(' ').take(4).collect();
        let epd = fields.join(" ");
        let standard = !position.is_chess960();
        let position = Position::from_fen(&epd).ok()?;
        standard.then_some(Self { epd, position })
    }
}

/// Collects candidates.
#[derive(Debug)]
pub struct Sampler<'a> {
    settings: &'a MakeSettings,
    seen: HashSet<u64>,
    excluded: HashSet<u64>,
    games: u64,
    found: Vec<Candidate>,
    counts: SampleCounts,
}

impl<'a> Sampler<'a> {
    /// A sampler that rejects positions whose key is in `excluded`.
    pub fn new(settings: &'a MakeSettings, excluded: HashSet<u64>) -> Self {
        Self { settings, seen: HashSet::new(), excluded, games: 0, found: Vec::new(), counts: SampleCounts::default() }
    }

    /// Samples every `stride`th ply of a game. The first ply depends on the seed and the game's number.
    pub fn game(&mut self, start: &Position, moves: &[Move]) {
        let stride = self.settings.stride.max(1);
        let offset = (mix(self.settings.seed ^ mix(self.games)) % stride as u64) as usize;
        self.games += 1;
        let (first, last) = self.settings.moves;
        let mut game = Game::new(start.clone());
        for (ply, &mv) in moves.iter().enumerate() {
            let is_noisy = mv.promotion.is_some() || game.position().is_capture(mv);
            game.play(mv);
            let number = game.position().fullmove_number();
            if ply % stride == offset && (first..=last).contains(&number) {
                self.consider(game.position(), is_noisy);
            }
        }
    }

    /// Considers a single position.
    pub fn position(&mut self, position: &Position) {
        self.consider(position, false);
    }

    fn consider(&mut self, position: &Position, after_capture: bool) {
        self.counts.sampled += 1;
        match self.judge(position, after_capture) {
            Ok(candidate) => self.found.push(candidate),
            Err(reason) => self.counts.reject(reason, 1),
        }
    }

    fn judge(&mut self, position: &Position, after_capture: bool) -> Result<Candidate, Rejection> {
        let candidate = Candidate::of(position).ok_or(Rejection::Chess960)?;
        let key = candidate.position.key();
        if self.excluded.contains(&key) {
            return Err(Rejection::Excluded);
        }
        if after_capture {
            return Err(Rejection::AfterCapture);
        }
        if let Some(reason) = rejection(&candidate.position) {
            return Err(reason);
        }
        if !self.seen.insert(key) {
            return Err(Rejection::Duplicate);
        }
        Ok(candidate)
    }

    /// All candidates in the order given by the seed, and the counts so far.
    pub fn finish(mut self) -> (Vec<Candidate>, SampleCounts) {
        let seed = self.settings.seed;
        self.found.sort_by_key(|candidate| (mix(seed ^ candidate.position.key()), candidate.epd.clone()));
        (self.found, self.counts)
    }
}

/// Mixes the bits of a number.
// CITE: Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014): SplitMix64.
fn mix(number: u64) -> u64 {
    let mut bits = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

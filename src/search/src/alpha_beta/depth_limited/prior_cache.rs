//! The priors that a thread was told last, by position: iterations and re-searches come to the same nodes again, and the policy is what a
//! node costs most.
//!
//! Priors depend a little on the histories of the moment; those of the first visit serve until the entry is overwritten.

use crate::scored_move::ScoredMove;

/// The entries, a power of two: 2 MB.
const ENTRIES: usize = 1 << 14;
/// The most moves of a position whose priors are kept.
const MOST_MOVES: usize = 60;

/// Priors by position, always replaced.
#[derive(Default)]
pub struct PriorCache {
    entries: Vec<Entry>,
}

/// The priors of a position's moves in the order of their generation. An entry is two lines of the processor's cache.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Entry {
    /// The position's key without its last bit, which says whether the network was asked.
    key: u64,
    /// The upper halves of their 32 bits.
    priors: [u16; MOST_MOVES],
}

impl PriorCache {
    /// Empty.
    pub fn new() -> Self {
        Self { entries: vec![Entry { key: 0, priors: [0; MOST_MOVES] }; ENTRIES] }
    }

    /// The priors of a position, those of the network if `by_network`; of the linear policy or of the network else.
    #[inline]
    pub fn get(&self, key: u64, by_network: bool) -> Option<impl Fn(usize) -> f32> {
        let entry = &self.entries[place(key)];
        let is_there = entry.key | 1 == key | 1 && (entry.key & 1 == 1 || !by_network);
        is_there.then_some(move |index: usize| f32::from_bits(u32::from(entry.priors[index]) << 16))
    }

    /// Keeps the priors of all moves of a position, and rounds them as [`get`](Self::get) gives them back.
    #[inline]
    pub fn put(&mut self, key: u64, by_network: bool, moves: &mut [ScoredMove]) {
        let entry = &mut self.entries[place(key)];
        if moves.len() > MOST_MOVES {
            return;
        }
        entry.key = key & !1 | u64::from(by_network);
        for (kept, scored) in entry.priors.iter_mut().zip(moves) {
            let bits = scored.prior.to_bits() >> 16;
            *kept = bits as u16;
            scored.prior = f32::from_bits(bits << 16);
        }
    }
}

#[inline]
fn place(key: u64) -> usize {
    (key >> 1) as usize % ENTRIES
}

#[cfg(test)]
mod tests {
    use super::*;
    use board::{Move, Piece, Square};

    fn moves(priors: &[f32]) -> Vec<ScoredMove> {
        let mv = Move { from: Square::E2, to: Square::E4, promotion: None };
        priors.iter().map(|prior| ScoredMove::hash_move(Piece::Pawn, mv, *prior)).collect()
    }

    #[test]
    fn priors_come_back_as_they_were_rounded_and_only_those_asked_for() {
        let mut cache = PriorCache::new();
        let mut linear = moves(&[0.7, 0.2, 0.0999]);
        cache.put(0x1234_5678, false, &mut linear);
        let found: Vec<f32> = (0..3).map(cache.get(0x1234_5678, false).expect("the entry")).collect();
        for ((scored, prior), found) in linear.iter().zip([0.7, 0.2, 0.0999]).zip(found) {
            assert_eq!(found, scored.prior);
            assert!((scored.prior / prior - 1.0_f32).abs() < 0.01);
        }
        assert!(cache.get(0x1234_5678, true).is_none(), "the network was not asked");
        assert!(cache.get(0x1234_5678 + (ENTRIES as u64) * 2, false).is_none(), "another position at the same place");
        cache.put(0x1234_5678, true, &mut linear);
        assert!(cache.get(0x1234_5679, false).is_some() && cache.get(0x1234_5678, true).is_some());
        cache.put(0x42, true, &mut moves(&[0.01; MOST_MOVES + 1]));
        assert!(cache.get(0x42, false).is_none(), "more moves than there is room for");
    }

    #[test]
    fn positions_of_neighbouring_keys_and_of_many_moves_have_their_own_priors() {
        let mut cache = PriorCache::new();
        let priors: Vec<f32> = (0..MOST_MOVES).map(|number| 1.0 / (1 << (number % 16)) as f32).collect();
        // All of the places, each asked for by a key that differs in its low bits alone.
        for key in 1..=ENTRIES as u64 {
            cache.put(2 * key, key % 2 == 0, &mut moves(&[1.0 / key as f32]));
        }
        cache.put(2, true, &mut moves(&priors));
        for key in 2..=ENTRIES as u64 {
            let prior = cache.get(2 * key, key % 2 == 0).map(|prior| prior(0)).expect("the entry");
            assert!((prior * key as f32 - 1.0).abs() < 0.01, "{key}: {prior}");
            assert_eq!(cache.get(2 * key, true).is_some(), key % 2 == 0, "the network was asked for even keys");
        }
        let kept: Vec<f32> = (0..MOST_MOVES).map(cache.get(3, true).expect("the entry")).collect();
        assert_eq!(kept, priors, "powers of two are not rounded");
    }
}

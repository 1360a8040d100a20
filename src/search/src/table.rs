//! The transposition table: the results of earlier searches of positions.
//!
//! Buckets of four entries share a cache line. An entry is two relaxed atomic words; its key is stored xored with the rest,
//! so that a torn entry of two writers matches no position and counts as absent (Hyatt and Mann, "A lock-less
//! transposition table implementation for parallel search", ICGA Journal 25(1), 2002).

mod buckets;
#[cfg(all(test, loom))]
mod models;

use self::buckets::{BUCKET_BYTES, Buckets, ENTRIES};
use crate::shared_memory::atomic::{AtomicU8, Ordering::Relaxed};
use crate::tunables as tuned;
use crate::value::{Bound, Value};
use crate::window::Window;
use board::{Move, Piece, Square};

const GENERATIONS: u8 = 64;

/// The table. All methods except [`Table::clear`] may run on several threads at once.
pub struct Table {
    buckets: Buckets,
    generation: AtomicU8,
}

/// An entry for a position.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Entry {
    /// The value, mates counted from this node.
    pub value: Value,
    /// How `value` relates to the true value.
    pub bound: Bound,
    /// The quantized logarithm of the budget of its search, or [`Entry::draft`] of its depth.
    pub depth: u8,
    /// The best move, or the one that caused a cutoff.
    pub best: Option<Move>,
    /// The static evaluation before tanh; `None` if the node was in check.
    pub evaluation: Option<f32>,
    /// Was the position searched with an open window, this time or as an earlier entry knew?
    pub was_open: bool,
}

impl Entry {
    /// The `depth` of a search of so many plies, at least 1: two steps a ply, because replacement compares steps.
    #[inline]
    pub fn draft(plies: i32) -> u8 {
        (2 * plies).clamp(1, i32::from(u8::MAX)) as u8
    }

    /// The plies of which [`Entry::draft`] made `depth`.
    #[inline]
    pub fn plies(&self) -> i32 {
        i32::from(self.depth) / 2
    }

    /// The value, if it is no mate and its bound makes it a better estimate of the node's than this static evaluation.
    #[inline]
    pub fn improved(&self, evaluation: Value) -> Option<Value> {
        let is_better = match self.bound {
            Bound::Exact => true,
            Bound::Lower => self.value > evaluation,
            Bound::Upper => self.value < evaluation,
        };
        (is_better && !self.value.is_mate()).then_some(self.value)
    }

    /// The value, if the entry allows a cutoff at this depth and window.
    #[inline]
    pub fn cutoff(&self, depth: u8, window: Window, ply: usize) -> Option<Value> {
        let value = self.value.from_node_to_root(ply);
        let settles = match self.bound {
            Bound::Exact => true,
            Bound::Lower => window.fails_high(value),
            Bound::Upper => window.fails_low(value),
        };
        (self.depth >= depth && settles).then_some(value)
    }
}

/// The system refused the memory.
#[derive(Debug, thiserror::Error)]
#[error("cannot allocate a transposition table of {megabytes} MB")]
pub struct TableError {
    /// The requested size.
    pub megabytes: usize,
}

impl Table {
    /// An empty table of `megabytes` (2^20 bytes), at least one.
    ///
    /// # Errors
    /// If the memory cannot be allocated.
    pub fn new(megabytes: usize) -> Result<Self, TableError> {
        let bytes = megabytes.max(1).checked_mul(1 << 20).ok_or(TableError { megabytes })?;
        Self::with_bytes(bytes).map_err(|_| TableError { megabytes })
    }

    /// An empty table of `kilobytes` (2^10 bytes), at least one: for small searches on many threads.
    ///
    /// # Errors
    /// If the memory cannot be allocated.
    pub fn with_kilobytes(kilobytes: usize) -> Result<Self, TableError> {
        let megabytes = kilobytes.div_ceil(1024);
        let bytes = kilobytes.max(1).checked_mul(1 << 10).ok_or(TableError { megabytes })?;
        Self::with_bytes(bytes).map_err(|_| TableError { megabytes })
    }

    /// An empty table of about `bytes`, at least one bucket.
    pub(crate) fn with_bytes(bytes: usize) -> std::io::Result<Self> {
        Ok(Self { buckets: Buckets::new((bytes / BUCKET_BYTES).max(1))?, generation: AtomicU8::new(0) })
    }

    /// Removes all entries.
    pub fn clear(&mut self) {
        self.buckets.clear();
        self.generation.store(0, Relaxed);
    }

    /// Starts a new search, which makes the entries of earlier searches older.
    pub fn next_search(&self) {
        self.generation.store((self.generation.load(Relaxed) + 1) % GENERATIONS, Relaxed);
    }

    /// Prefetches the entries of a key that is probed soon.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        kernels::prefetch::prefetch(self.buckets.of(key));
    }

    /// The entry of a position, if there is one.
    #[inline]
    pub fn probe(&self, key: u64) -> Option<Entry> {
        self.buckets.of(key).0.iter().find_map(|words| {
            let (tag, data) = (words[0].load(Relaxed), words[1].load(Relaxed));
            (data != 0 && tag as u32 == key as u32 ^ fold(data)).then(|| unpack(tag, data))
        })
    }

    /// Stores the result of searching a node; `value` counts mates from the root, `ply` is the node's distance from it.
    #[inline]
    pub fn store(&self, key: u64, ply: usize, entry: Entry) {
        let generation = self.generation.load(Relaxed);
        let bucket = self.buckets.of(key);
        let (mut best, mut was_open) = (entry.best, entry.was_open);
        let mut target = 0;
        let mut least = i32::MAX;
        for (slot, words) in bucket.0.iter().enumerate() {
            let (tag, data) = (words[0].load(Relaxed), words[1].load(Relaxed));
            if data != 0 && tag as u32 == key as u32 ^ fold(data) {
                let old = unpack(tag, data);
                let same_search = generation_of(data) == generation;
                if same_search
                    && entry.bound != Bound::Exact
                    && old.depth > entry.depth.saturating_add(tuned::table_keep_deeper())
                {
                    return;
                }
                best = best.or(old.best);
                was_open |= old.was_open;
                target = slot;
                break;
            }
            let age = i32::from((generation + GENERATIONS - generation_of(data)) % GENERATIONS);
            let worth = if data == 0 { i32::MIN } else { i32::from(depth_of(data)) - tuned::table_age_weight() * age };
            if worth < least {
                (least, target) = (worth, slot);
            }
        }
        let stored = Entry { value: entry.value.from_root_to_node(ply), best, was_open, ..entry };
        let (tag, data) = pack(key, generation, stored);
        bucket.0[target][0].store(tag, Relaxed);
        bucket.0[target][1].store(data, Relaxed);
    }

    /// The share of the entries that are from the current search, in per mille, estimated from a sample.
    pub fn hashfull(&self) -> u32 {
        let generation = self.generation.load(Relaxed);
        let buckets = self.buckets.count();
        let sample = buckets.min(250);
        let used = (0..sample)
            .flat_map(|index| {
                let key = ((index as u128) << 64).div_ceil(buckets as u128) as u64;
                self.buckets.of(key).0.iter().map(|words| words[1].load(Relaxed))
            })
            .filter(|data| *data != 0 && generation_of(*data) == generation)
            .count();
        (used * 1000 / (sample * ENTRIES)) as u32
    }
}

// Word 1: value (32 bits), move (15), was open (1), depth (8), bound (2) and generation (6). Word 0: key check (32), evaluation (32).

/// The bits of an absent evaluation; no evaluation has them.
const NO_EVALUATION: u32 = u32::MAX;
const BOUNDS: [Bound; 3] = [Bound::Exact, Bound::Lower, Bound::Upper];

fn pack(key: u64, generation: u8, entry: Entry) -> (u64, u64) {
    // Bounds are numbered from 1, so that no stored entry's word is 0.
    let bound = 1 + BOUNDS.iter().position(|bound| *bound == entry.bound).unwrap_or(0) as u64;
    let data = u64::from(entry.value.to_bits())
        | u64::from(pack_move(entry.best)) << 32
        | u64::from(entry.was_open) << 47
        | u64::from(entry.depth) << 48
        | bound << 56
        | u64::from(generation) << 58;
    let evaluation = entry.evaluation.map_or(NO_EVALUATION, f32::to_bits);
    (u64::from(key as u32 ^ fold(data)) | u64::from(evaluation) << 32, data)
}

#[inline]
fn unpack(tag: u64, data: u64) -> Entry {
    let evaluation = (tag >> 32) as u32;
    Entry {
        value: Value::from_bits(data as u32),
        bound: BOUNDS[(data >> 56 & 3).saturating_sub(1) as usize],
        depth: depth_of(data),
        best: unpack_move((data >> 32) as u16 & MOVE_BITS),
        was_open: data >> 47 & 1 == 1,
        evaluation: (evaluation != NO_EVALUATION).then(|| f32::from_bits(evaluation)),
    }
}

#[inline]
fn fold(data: u64) -> u32 {
    data as u32 ^ (data >> 32) as u32
}

#[inline]
fn depth_of(data: u64) -> u8 {
    (data >> 48) as u8
}

#[inline]
fn generation_of(data: u64) -> u8 {
    (data >> 58) as u8
}

/// From, to and promotion.
const MOVE_BITS: u16 = 0x7fff;

fn pack_move(mv: Option<Move>) -> u16 {
    mv.map_or(0, |mv| mv.from as u16 | (mv.to as u16) << 6 | mv.promotion.map_or(0, |piece| piece as u16) << 12)
}

/// From and to are equal in no move, so 0 is none; a promotion is never to a pawn, so piece 0 is none too.
fn unpack_move(bits: u16) -> Option<Move> {
    let promotion = Piece::try_index((bits >> 12 & 7) as usize).filter(|piece| *piece != Piece::Pawn);
    (bits != 0).then(|| Move {
        from: Square::index((bits & 63) as usize),
        to: Square::index((bits >> 6 & 63) as usize),
        promotion,
    })
}

#[cfg(test)]
mod tests;

//! The evaluations that a thread made last: a direct-mapped table by key.
//!
//! The transposition table keeps the evaluations of nodes that were searched. Those of nodes that were pruned by them alone are
//! not stored there, and come again in the next iteration, in verifications and by other orders of moves.

/// The number of entries, a power of two: 128 KB, which leave room for a network's weights in a core's own cache.
const ENTRIES: usize = 1 << 13;

/// The logits of the positions that a thread evaluated last.
pub struct EvaluationCache {
    /// `(place)`: key and logit.
    entries: Box<[(u64, f32); ENTRIES]>,
}

impl EvaluationCache {
    /// Nothing evaluated yet.
    pub fn new() -> Self {
        // A key is found only in its own place, where no entry of another place can be.
        let entries = (0..ENTRIES).map(|place| (!place as u64, 0.0)).collect::<Box<[_]>>();
        Self { entries: entries.try_into().expect("as many entries as there are places") }
    }

    /// The logit of a key: the one that is kept, or else that of `evaluate`, kept in the place of another.
    #[inline]
    pub fn get_or_evaluate(&mut self, key: u64, evaluate: impl FnOnce() -> f32) -> f32 {
        let entry = &mut self.entries[key as usize % ENTRIES];
        if entry.0 != key {
            *entry = (key, evaluate());
        }
        entry.1
    }

    /// The logit of a key, if it is kept.
    #[inline]
    pub fn get(&self, key: u64) -> Option<f32> {
        let entry = self.entries[key as usize % ENTRIES];
        (entry.0 == key).then_some(entry.1)
    }

    /// Keeps the logit of a key in the place of another.
    #[inline]
    pub fn keep(&mut self, key: u64, logit: f32) {
        self.entries[key as usize % ENTRIES] = (key, logit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_evaluated_once_until_another_takes_its_place() {
        let mut cache = EvaluationCache::new();
        let mut evaluated = 0;
        let mut ask = |key: u64| {
            cache.get_or_evaluate(key, || {
                evaluated += 1;
                evaluated as f32
            })
        };
        assert_eq!([0, !0, 0, !0].map(&mut ask), [1.0, 2.0, 1.0, 2.0]);
        let same_place = ENTRIES as u64;
        assert_eq!([same_place, 0, !0].map(&mut ask), [3.0, 4.0, 2.0]);
        assert_eq!([0, same_place, !0].map(|key| cache.get(key)), [Some(4.0), None, Some(2.0)]);
        cache.keep(same_place, 7.0);
        assert_eq!([0, same_place].map(|key| cache.get(key)), [None, Some(7.0)]);
    }
}

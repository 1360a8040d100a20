//! The places of keys in their order, by comparing all keys with all: for a few dozen this is faster than sorting, because it
//! has no branches that depend on the keys.

use crate::words::{SUMS, Words};

/// `(key of a vector, lane)`: 1 for the lanes behind the key.
const BEHIND: [[i32; SUMS]; SUMS] = {
    let mut behind = [[0; SUMS]; SUMS];
    let mut place = 0;
    while place < SUMS * SUMS {
        behind[place / SUMS][place % SUMS] = (place % SUMS > place / SUMS) as i32;
        place += 1;
    }
    behind
};

/// [`Backend::sorted_places`](crate::Backend::sorted_places) over lanes: for eight keys at a time, all others are counted.
#[inline(always)]
pub fn sorted_places<W: Words>(keys: &[i32], places: &mut [i32]) {
    let ((eights, rest), (places, rest_places)) = (keys.as_chunks::<SUMS>(), places.as_chunks_mut::<SUMS>());
    assert!(rest.is_empty() && rest_places.is_empty(), "keys come in whole vectors");
    assert!(eights.len() == places.len(), "every key has a place");
    for (at, (eight, places)) in eights.iter().zip(places).enumerate() {
        let own = W::load_sums(eight);
        // A key before these comes first if it is not greater: less than a key plus 1.
        let next = W::add_sums(own, W::splat_sum(1));
        let mut sums = W::splat_sum(0);
        for eight in &eights[..at] {
            for key in eight {
                sums = W::sub_sums(sums, W::greater_sums(next, W::splat_sum(*key)));
            }
        }
        for (key, behind) in eight.iter().zip(&BEHIND) {
            let against = W::add_sums(own, W::load_sums(behind));
            sums = W::sub_sums(sums, W::greater_sums(against, W::splat_sum(*key)));
        }
        for eight in &eights[at + 1..] {
            for key in eight {
                sums = W::sub_sums(sums, W::greater_sums(own, W::splat_sum(*key)));
            }
        }
        W::store_sums(sums, places);
    }
}

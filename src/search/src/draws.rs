//! What a search draws, by streams that are named: the same search draws the same.

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// The draws of one visit or one simulation.
pub struct Draws(SplitMix64);

impl Draws {
    /// In place of a visit's number: what the move that is played is drawn by.
    pub const PLAYED: u64 = u64::MAX;
    /// In place of a visit's number: the noise of the root.
    pub const NOISE: u64 = u64::MAX - 1;

    /// Those of a visit, or simulation, of this number, of a root with this key.
    pub fn of(seed: u64, root: u64, visit: u64) -> Self {
        // Each is the next state of a generator that the others have not.
        let named = next(next(seed) ^ root) ^ visit;
        Self(SplitMix64::from_seed(named.to_le_bytes()))
    }

    /// A number below `most`.
    #[inline]
    pub fn below(&mut self, most: u32) -> u32 {
        ((u128::from(self.0.next_u64()) * u128::from(most)) >> 64) as u32
    }

    /// A number from 0 to 1, 1 excluded.
    pub fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// The first number of the stream of a seed.
fn next(seed: u64) -> u64 {
    SplitMix64::from_seed(seed.to_le_bytes()).next_u64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_named() {
        let first = |seed, root, visit| Draws::of(seed, root, visit).below(1 << 30);
        assert_eq!(first(1, 2, 3), first(1, 2, 3));
        let others = [first(0, 2, 3), first(1, 3, 3), first(1, 2, 4), first(2, 1, 3), first(3, 2, 1)];
        assert!(others.iter().all(|other| *other != first(1, 2, 3)), "{others:?}");
        let mut draws = Draws::of(0, 0, 0);
        assert!((0..1_000).all(|_| (0.0..1.0).contains(&draws.unit())));
        assert!((0..1_000).any(|_| draws.below(2) == 1) && (0..1_000).all(|_| draws.below(1) == 0));
    }

    #[test]
    fn streams_are_those_of_splitmix() {
        // By a second implementation, of SplitMix64 of the number after (the number after 1, xor 2), xor 3.
        let mut draws = Draws::of(1, 2, 3);
        assert_eq!([(); 4].map(|()| draws.below(100)), [81, 26, 25, 33]);
        let mut draws = Draws::of(1, 2, 3);
        assert_eq!(
            [(); 3].map(|()| draws.unit()),
            [0.814_259_011_529_328, 0.267_960_648_702_284_3, 0.255_022_343_720_879_6]
        );
        let mut played = Draws::of(5, 0xffff, Draws::PLAYED);
        assert_eq!([(); 4].map(|()| played.below(100)), [31, 96, 82, 59]);
        assert_eq!((Draws::PLAYED, Draws::NOISE), (0xffff_ffff_ffff_ffff, 0xffff_ffff_ffff_fffe));
    }
}

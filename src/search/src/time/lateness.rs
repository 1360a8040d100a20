//! How late an engine's moves are in this game: on a busy machine the system lets it look at the clock, or answer, only when others
//! have had their turn. So much more than the `Move Overhead` is kept in hand.
//!
//! ```text
//! late    = the longest time between two looks at the clock, or from the last look to the answer, or that the client's clock lost
//!           besides; each move forgets a twentieth of it
//! in hand = 2 late
//! ```
//!
//! What is in hand is kept once, not for every later move: the time limits are those of a clock that has so much less.

use crate::time::budget::GameClock;
use std::time::Duration;

/// No single delay counts for more: one so long is a program that was stopped or a machine that slept.
const LONGEST: Duration = Duration::from_secs(1);
/// What remains of a delay after each move: 0.36 of it after twenty.
const DECAY: f64 = 0.95;
/// The next delay may be longer than all before it.
const CAUTION: u32 = 2;

/// What one game has shown of lateness.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Lateness {
    late: Duration,
}

impl Lateness {
    /// A move was this late.
    pub fn observe(&mut self, late: Duration) {
        self.late = self.late.mul_f64(DECAY);
        self.raise(late);
    }

    /// The last move was at least this late.
    pub fn raise(&mut self, late: Duration) {
        self.late = self.late.max(late.min(LONGEST));
    }

    /// What must be left on the clock for the next delay.
    pub fn in_hand(self) -> Duration {
        self.late * CAUTION
    }

    /// The clock without what must be left on it.
    pub fn keep(self, clock: GameClock) -> GameClock {
        GameClock { remaining: clock.remaining.saturating_sub(self.in_hand()), ..clock }
    }
}

/// What a client's clock has lost from one move to the next besides the time `used` by the first; nothing if it was refilled.
pub fn lost_by_client(before: GameClock, used: Duration, now: GameClock) -> Duration {
    (before.remaining + before.increment).saturating_sub(used).saturating_sub(now.remaining)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::budget::TimeBudget;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    /// Games of 3 s + 0.05 s that end on time, of 200, whose every move uses its hard limit and then is late by a random time
    /// with a mean of `mean` and no more than eight times that; the engine keeps what is in hand only with `sees`.
    fn lost(mean: Duration, sees: bool) -> usize {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut is_lost = || {
            let (mut left, mut lateness) = (ms(3_000), Lateness::default());
            for _ in 0..150 {
                let clock = GameClock { remaining: left, increment: ms(50), moves_to_go: None };
                let clock = if sees { lateness.keep(clock) } else { clock };
                let hard = TimeBudget::of_clock(clock, ms(10)).hard.unwrap();
                let late = mean.mul_f64((-f64::ln(1.0 - random.random::<f64>())).min(8.0));
                lateness.observe(late);
                match left.checked_sub(hard + late) {
                    Some(rest) => left = rest + ms(50),
                    None => return true,
                }
            }
            false
        };
        (0..200).filter(|_| is_lost()).count()
    }

    #[test]
    fn what_is_in_hand_saves_games_of_late_moves() {
        for mean in [ms(10), ms(20), ms(30)] {
            let (blind, seeing) = (lost(mean, false), lost(mean, true));
            assert!(seeing == 0, "{seeing} games lost at {mean:?}, {blind} by one that does not see");
        }
        assert!(lost(ms(30), false) > 10, "these games are too easy to show anything");
    }

    #[test]
    fn a_delay_is_forgotten_in_time_and_a_stopped_program_is_none() {
        let mut lateness = Lateness::default();
        assert_eq!(lateness.in_hand(), Duration::ZERO);
        lateness.observe(ms(100));
        lateness.observe(ms(1));
        assert_eq!(lateness.in_hand(), ms(190));
        (0..100).for_each(|_| lateness.observe(ms(1)));
        assert_eq!(lateness.in_hand(), ms(2));
        lateness.observe(Duration::from_secs(3_600));
        assert_eq!(lateness.in_hand(), ms(2_000));
        let clock = |remaining| GameClock { remaining: ms(remaining), increment: ms(7), moves_to_go: Some(3) };
        assert_eq!(lateness.keep(clock(2_500)), clock(500));
        assert_eq!(lateness.keep(clock(1_500)), clock(0));
    }

    #[test]
    fn a_client_that_takes_more_than_was_used_was_late() {
        let clock = |remaining| GameClock { remaining: ms(remaining), increment: ms(50), moves_to_go: None };
        assert_eq!(lost_by_client(clock(1_000), ms(100), clock(930)), ms(20));
        assert_eq!(lost_by_client(clock(1_000), ms(100), clock(950)), Duration::ZERO);
        assert_eq!(lost_by_client(clock(1_000), ms(100), clock(60_000)), Duration::ZERO);
    }
}

//! How late an engine's moves are in this game: on a busy machine the system lets it look at the clock, or answer, only when others
//! have had their turn. So much more than the `Move Overhead` is kept in hand.
//!
//! ```text
//! late    = the longest time between two looks at the clock, or from the last look to the answer, or that the client's clock lost
//!           besides; each move forgets a hundredth of it
//! lost    = a running mean of what moves took from the last look to the answer, and of what the client's clock lost besides
//! in hand = 3 late, once; and lost for every later move, which an increment pays for
//! ```
//!
//! The constants are those with which simulated games at 3 s + 0.05 s, late by exponential times of 10 to 30 ms, were hardly ever lost:
//! of 200 games at 20 ms none, 82 with 2 late and a twentieth forgotten, and all without anything in hand.

use crate::time::budget::GameClock;
use std::time::Duration;

/// No single delay counts for more: one so long is a program that was stopped or a machine that slept.
const LONGEST: Duration = Duration::from_secs(1);
/// What remains of a delay after each move: 0.67 of it after forty.
const DECAY: f64 = 0.99;
/// The next delay may be longer than all before it.
const CAUTION: u32 = 3;
/// The part of a new move in the running mean.
const NEW: f64 = 0.1;

/// What one game has shown of lateness.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Lateness {
    late: Duration,
    lost: Duration,
}

impl Lateness {
    /// A search was this late at worst, and its answer so much.
    pub fn observe(&mut self, late: Duration, answer: Duration) {
        self.late = self.late.mul_f64(DECAY);
        self.lost = self.lost.mul_f64(1.0 - NEW);
        self.lost_besides(answer);
        self.late = self.late.max(late.min(LONGEST));
    }

    /// The client's clock lost so much besides at the last move.
    pub fn lost_besides(&mut self, lost: Duration) {
        let lost = lost.min(LONGEST);
        self.late = self.late.max(lost);
        self.lost += lost.mul_f64(NEW);
    }

    /// What must be left on the clock for the next delay.
    pub fn in_hand(self) -> Duration {
        self.late * CAUTION
    }

    /// The clock, and what each move loses, of which `overhead` is known, without what must be left.
    pub fn keep(self, clock: GameClock, overhead: Duration) -> (GameClock, Duration) {
        let paid = self.lost.min(clock.increment);
        let remaining = clock.remaining.saturating_sub(self.in_hand() + paid);
        (GameClock { remaining, increment: clock.increment - paid, ..clock }, overhead + (self.lost - paid))
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

    fn clock(remaining: u64, increment: u64) -> GameClock {
        GameClock { remaining: ms(remaining), increment: ms(increment), moves_to_go: None }
    }

    /// Games of 3 s + 0.05 s that end on time, of 200, whose every move uses its soft limit and then is late by a random time
    /// with a mean of `mean` and no more than eight times that; the engine keeps what is in hand only with `sees`.
    fn lost(mean: Duration, sees: bool) -> usize {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut is_lost = || {
            let (mut left, mut lateness) = (ms(3_000), Lateness::default());
            for _ in 0..150 {
                let given = GameClock { remaining: left, increment: ms(50), moves_to_go: None };
                let (given, overhead) = if sees { lateness.keep(given, ms(10)) } else { (given, ms(10)) };
                let soft = TimeBudget::of_clock(given, overhead).soft.unwrap();
                let late = mean.mul_f64((-f64::ln(1.0 - random.random::<f64>())).min(8.0));
                lateness.observe(late, late);
                match left.checked_sub(soft + late) {
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
        for mean in [ms(10), ms(20)] {
            let (blind, seeing) = (lost(mean, false), lost(mean, true));
            assert!(seeing <= 2 && blind > 100, "{seeing} games lost at {mean:?}, {blind} by one that does not see");
        }
    }

    #[test]
    fn a_delay_is_forgotten_in_time_and_a_stopped_program_is_none() {
        let mut lateness = Lateness::default();
        assert_eq!(lateness.in_hand(), Duration::ZERO);
        lateness.observe(ms(100), ms(0));
        lateness.observe(ms(1), ms(0));
        assert_eq!(lateness.in_hand(), ms(297));
        (0..1_000).for_each(|_| lateness.observe(ms(1), ms(0)));
        assert_eq!(lateness.in_hand(), ms(3));
        lateness.observe(Duration::from_secs(3_600), ms(0));
        assert_eq!(lateness.in_hand(), ms(3_000));
        assert_eq!(lateness.keep(clock(3_500, 7), ms(10)), (clock(500, 7), ms(10)));
        assert_eq!(lateness.keep(clock(1_500, 7), ms(10)), (clock(0, 7), ms(10)));
    }

    #[test]
    fn what_moves_lose_on_the_mean_is_paid_by_the_increment_or_by_every_later_move() {
        let mut lateness = Lateness::default();
        (0..1_000).for_each(|_| lateness.observe(ms(20), ms(20)));
        let round = |(clock, overhead): (GameClock, Duration)| {
            [clock.remaining, clock.increment, overhead].map(|time| (time.as_secs_f64() * 1e3).round() as u64)
        };
        // 60 ms are in hand, and 20 ms are lost at each move.
        assert_eq!(round(lateness.keep(clock(1_000, 50), ms(10))), [920, 30, 10]);
        assert_eq!(round(lateness.keep(clock(1_000, 5), ms(10))), [935, 0, 25]);
        assert_eq!(round(lateness.keep(clock(1_000, 0), ms(10))), [940, 0, 30]);
    }

    #[test]
    fn a_client_that_takes_more_than_was_used_was_late() {
        assert_eq!(lost_by_client(clock(1_000, 50), ms(100), clock(930, 50)), ms(20));
        assert_eq!(lost_by_client(clock(1_000, 50), ms(100), clock(950, 50)), Duration::ZERO);
        assert_eq!(lost_by_client(clock(1_000, 50), ms(100), clock(60_000, 50)), Duration::ZERO);
    }
}

//! How long a search may take, from the game's clocks.
//!
//! With r the remaining time less the overhead o, i the increment and m the moves that r must last for:
//!
//! ```text
//! soft = max(r / m - max(o - i, 0), r / 2m) + i
//! hard = min(4 soft, 3/5 r)        (9/10 r when the clock is refilled after this move)
//! ```
//!
//! Every later move loses its overhead too; an increment pays for it. What a search makes of its soft limit is in
//! [`timekeeper`](crate::time::timekeeper); none exceeds `hard`. A fixed time for one move, which no later move
//! needs, is used up except for a small part.

use crate::tunables as tuned;
use std::time::Duration;

/// The largest fraction of a fixed time per move that is left unused.
const LARGEST_LOSS: f64 = 1.0 / 32.0;
/// The least time for a search: it must find a move.
const LEAST: Duration = Duration::from_millis(1);
/// The longest clock, a month, so that sums of times never overflow.
const LONGEST: Duration = Duration::from_secs(31 * 24 * 3600);

/// The default of what is lost between the engine and the client's clock.
pub const DEFAULT_MOVE_OVERHEAD: Duration = Duration::from_millis(10);

/// One side's game clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GameClock {
    /// What is left; zero when the flag has fallen.
    pub remaining: Duration,
    /// What every move adds.
    pub increment: Duration,
    /// Moves until the clock is refilled; `None` for the rest of the game.
    pub moves_to_go: Option<u32>,
}

/// How long a search may take, counted from its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TimeBudget {
    /// The time for a move of average difficulty.
    pub soft: Option<Duration>,
    /// What it must never exceed.
    pub hard: Option<Duration>,
}

impl TimeBudget {
    /// No limit.
    pub const UNLIMITED: Self = Self { soft: None, hard: None };

    /// A fixed time for the move, of which `overhead`, but at most `LARGEST_LOSS`, is lost between engine and client.
    pub fn of_move_time(time: Duration, overhead: Duration) -> Self {
        let time = time.min(LONGEST);
        Self { soft: None, hard: Some((time - overhead.min(time.mul_f64(LARGEST_LOSS))).max(LEAST)) }
    }

    /// A part of a game's clock, of which `overhead` is lost between engine and client.
    pub fn of_clock(clock: GameClock, overhead: Duration) -> Self {
        let usable = clock.remaining.min(LONGEST).saturating_sub(overhead);
        let moves =
            clock.moves_to_go.map_or(tuned::time_moves_left(), |moves| moves.clamp(1, tuned::time_moves_left()));
        let largest = if moves == 1 { tuned::time_largest_fraction_of_last() } else { tuned::time_largest_fraction() };
        let largest = usable.mul_f64(largest);
        let share = usable / moves;
        let lost = overhead.saturating_sub(clock.increment);
        let soft = share.saturating_sub(lost).max(share / 2) + clock.increment.min(LONGEST);
        let hard = soft.mul_f64(tuned::time_hard_factor()).min(largest).max(LEAST);
        Self { soft: Some(soft.min(hard)), hard: Some(hard) }
    }

    /// The stricter of a part of a game's clock and a fixed time for the move, where given.
    pub fn of(clock: Option<GameClock>, move_time: Option<Duration>, overhead: Duration) -> Self {
        let of_clock = clock.map_or(Self::UNLIMITED, |clock| Self::of_clock(clock, overhead));
        let of_move = move_time.map_or(Self::UNLIMITED, |time| Self::of_move_time(time, overhead));
        of_clock.and(of_move)
    }

    /// The stricter of two budgets.
    fn and(self, other: Self) -> Self {
        let least = |a: Option<Duration>, b: Option<Duration>| a.into_iter().chain(b).min();
        Self { soft: least(self.soft, other.soft), hard: least(self.hard, other.hard) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    fn clock(remaining: u64, increment: u64, moves_to_go: Option<u32>) -> GameClock {
        GameClock { remaining: ms(remaining), increment: ms(increment), moves_to_go }
    }

    #[test]
    fn the_limits_never_exceed_the_clock() {
        for remaining in [0, 1, 5, 11, 100, 1_000, 60_000, 7_200_000, u64::MAX] {
            for increment in [0, 1, 100, 60_000, u64::MAX] {
                for moves in [None, Some(0), Some(1), Some(2), Some(40), Some(u32::MAX)] {
                    for overhead in [0, 10, 5_000] {
                        let budget = TimeBudget::of_clock(clock(remaining, increment, moves), ms(overhead));
                        let (soft, hard) = (budget.soft.unwrap(), budget.hard.unwrap());
                        assert!(soft <= hard && hard >= LEAST);
                        assert!(hard <= ms(remaining.saturating_sub(overhead)).max(LEAST), "{remaining} {increment}");
                    }
                }
            }
        }
    }

    #[test]
    fn one_move_never_takes_nearly_all_of_a_clock_that_others_need() {
        for remaining in [100, 1_000, 60_000] {
            for increment in [0, 100, 60_000] {
                for moves in [None, Some(2), Some(3), Some(40)] {
                    let hard = TimeBudget::of_clock(clock(remaining, increment, moves), ms(0)).hard.unwrap();
                    assert!(hard <= ms(remaining).mul_f64(0.65), "{hard:?} of {remaining} ms");
                }
            }
        }
        let last = TimeBudget::of_clock(clock(1_000, 0, Some(1)), ms(0)).hard.unwrap();
        assert!(last <= ms(930) && last >= ms(700), "{last:?}");
    }

    #[test]
    fn thirty_moves_at_the_soft_limit_last_the_game() {
        let mut left = 60_000;
        for _ in 0..200 {
            let soft = TimeBudget::of_clock(clock(left, 100, None), ms(10)).soft.unwrap().as_millis() as u64;
            assert!(soft >= 90, "{soft} ms at {left} ms");
            left = left - soft + 100;
        }
    }

    #[test]
    fn a_large_overhead_is_left_for_every_later_move() {
        let play = |remaining: u64, increment: u64, overhead: u64, moves: usize| {
            (0..moves).try_fold(ms(remaining), |left, _| {
                let given = GameClock { remaining: left, increment: ms(increment), moves_to_go: None };
                let soft = TimeBudget::of_clock(given, ms(overhead)).soft.unwrap();
                Some(left.checked_sub(soft + ms(overhead))? + ms(increment))
            })
        };
        for (remaining, increment, overhead, moves) in
            [(60_000, 0, 1_000, 40), (180_000, 0, 1_000, 70), (60_000, 0, 10, 150), (10_000, 5_000, 4_000, 500)]
        {
            assert!(play(remaining, increment, overhead, moves).is_some(), "{remaining} {increment} {overhead}");
        }
    }

    #[test]
    fn a_fixed_time_is_used_except_for_the_overhead() {
        assert_eq!(TimeBudget::of_move_time(ms(1_000), ms(10)).hard, Some(ms(990)));
        assert_eq!(TimeBudget::of_move_time(ms(320), ms(5_000)).hard, Some(ms(310)));
        assert_eq!(TimeBudget::of_move_time(ms(0), ms(10)).hard, Some(LEAST));
        assert_eq!(TimeBudget::of_move_time(ms(5), ms(10)).soft, None);
    }

    #[test]
    fn the_stricter_limit_counts() {
        let game = clock(60_000, 0, None);
        let both = |time| TimeBudget::of(Some(game), Some(time), ms(0));
        assert_eq!(both(ms(50)), TimeBudget { soft: TimeBudget::of_clock(game, ms(0)).soft, hard: Some(ms(50)) });
        assert_eq!(both(ms(600_000)), TimeBudget::of_clock(game, ms(0)));
        assert_eq!(TimeBudget::of(None, Some(ms(50)), ms(0)), TimeBudget::of_move_time(ms(50), ms(0)));
        assert_eq!(TimeBudget::of(None, None, ms(0)), TimeBudget::UNLIMITED);
    }

    /// Worked out by hand, in milliseconds: remaining time, increment, moves to go and overhead; soft and hard.
    #[test]
    fn a_clock_gives_its_share_and_its_increment_less_what_later_moves_lose() {
        for ((remaining, increment, moves, overhead), limits) in [
            // A thirtieth of 60,000 less an overhead; four times as much.
            ((60_010, 0, None, 10), (1_990, 7_960)),
            // The increment pays for the overhead.
            ((60_010, 100, None, 10), (2_100, 8_400)),
            // 4,000 of each later move are not paid for: at least half of the share is left.
            ((65_000, 1_000, None, 5_000), (2_000, 8_000)),
            ((66_500, 1_000, None, 1_500), (2_666, 10_666)),
            // No more than three fifths, or before the clock is refilled nine tenths.
            ((20_000, 0, Some(2), 0), (10_000, 12_000)),
            ((1_000, 0, Some(1), 0), (900, 900)),
            ((1_000, 0, Some(0), 0), (900, 900)),
            ((60_000, 0, Some(100), 0), (2_000, 8_000)),
            ((5, 0, None, 10), (0, 1)),
        ] {
            let budget = TimeBudget::of_clock(clock(remaining, increment, moves), ms(overhead));
            let found = (budget.soft.unwrap().as_millis(), budget.hard.unwrap().as_millis());
            assert_eq!(found, limits, "{remaining} {increment} {moves:?} {overhead}");
        }
    }

    #[test]
    fn no_time_is_longer_than_a_month() {
        let month = Duration::from_secs(2_678_400);
        assert_eq!(TimeBudget::of_move_time(Duration::MAX, ms(0)).hard, Some(month));
        assert_eq!(TimeBudget::of_clock(clock(u64::MAX, 0, Some(30)), ms(0)).soft, Some(month / 30));
        assert_eq!(TimeBudget::of_clock(clock(0, u64::MAX, None), ms(0)).hard, Some(LEAST));
    }
}

//! The clock: how long a search may take, from what the client says of the game's clocks.
//!
//! With r the remaining time less the overhead o, i the increment and m the moves that r must last for:
//!
//! ```text
//! soft = max(r / m - max(o - i, 0), r / 2m) + 3/5 i
//! hard = min(4 soft, 3/5 r)        (9/10 r when the clock is filled after this move)
//! ```
//!
//! Every later move loses its overhead too; an increment pays for it. What a search makes of its soft limit is said in
//! [`super::timekeeper`]; none outlasts `hard`. A time for the one move, of which no later move can lack anything, is used
//! up but for a small part.

use std::time::Duration;

/// For how many moves the rest of a game is planned.
const MOVES_LEFT: u32 = 30;
/// The rest is saved, so that a long game has a reserve for moves that need more.
const INCREMENT_SHARE: f64 = 0.6;
const HARD_TO_SOFT: f64 = 4.0;
const LARGEST_SHARE: f64 = 0.6;
const LARGEST_SHARE_OF_LAST: f64 = 0.9;
/// The largest part of a time for the one move that is left unused.
const LARGEST_LOSS: f64 = 1.0 / 32.0;
/// No search is shorter: it has to find a move.
const LEAST: Duration = Duration::from_millis(1);
/// No clock is longer, so that sums of times never overflow: a month.
const LONGEST: Duration = Duration::from_secs(31 * 24 * 3600);

/// One side's game clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GameClock {
    /// What is left; zero when the flag has fallen.
    pub remaining: Duration,
    /// What every move adds.
    pub increment: Duration,
    /// Moves until the clock is filled again; `None` for the rest of the game.
    pub moves_to_go: Option<u32>,
}

/// How long a search may take, counted from its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Budget {
    /// What a move is worth if nothing speaks for more or less.
    pub soft: Option<Duration>,
    /// What it must never exceed.
    pub hard: Option<Duration>,
}

impl Budget {
    /// As long as it takes.
    pub const UNLIMITED: Self = Self { soft: None, hard: None };

    /// A fixed time for the move, of which `overhead`, but at most [`LARGEST_LOSS`], is lost on the way to the client.
    pub fn of_move_time(time: Duration, overhead: Duration) -> Self {
        let time = time.min(LONGEST);
        Self { soft: None, hard: Some((time - overhead.min(time.mul_f64(LARGEST_LOSS))).max(LEAST)) }
    }

    /// A share of a game's clock, of which `overhead` is lost on the way to the client.
    pub fn of_clock(clock: GameClock, overhead: Duration) -> Self {
        let usable = clock.remaining.min(LONGEST).saturating_sub(overhead);
        let moves = clock.moves_to_go.map_or(MOVES_LEFT, |moves| moves.clamp(1, MOVES_LEFT));
        let largest = usable.mul_f64(if moves == 1 { LARGEST_SHARE_OF_LAST } else { LARGEST_SHARE });
        let share = usable / moves;
        let lost = overhead.saturating_sub(clock.increment);
        let soft = share.saturating_sub(lost).max(share / 2) + clock.increment.min(LONGEST).mul_f64(INCREMENT_SHARE);
        let hard = soft.mul_f64(HARD_TO_SOFT).min(largest).max(LEAST);
        Self { soft: Some(soft.min(hard)), hard: Some(hard) }
    }

    /// The stricter of a share of a game's clock and a fixed time for the move, of those that there are.
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
    fn a_clock_is_never_overdrawn() {
        for remaining in [0, 1, 5, 11, 100, 1_000, 60_000, 7_200_000, u64::MAX] {
            for increment in [0, 1, 100, 60_000, u64::MAX] {
                for moves in [None, Some(0), Some(1), Some(2), Some(40), Some(u32::MAX)] {
                    for overhead in [0, 10, 5_000] {
                        let budget = Budget::of_clock(clock(remaining, increment, moves), ms(overhead));
                        let (soft, hard) = (budget.soft.unwrap(), budget.hard.unwrap());
                        assert!(soft <= hard && hard >= LEAST);
                        assert!(hard <= ms(remaining.saturating_sub(overhead)).max(LEAST), "{remaining} {increment}");
                    }
                }
            }
        }
    }

    #[test]
    fn thirty_moves_at_the_soft_limit_last_the_game() {
        let mut left = 60_000;
        for _ in 0..200 {
            let soft = Budget::of_clock(clock(left, 100, None), ms(10)).soft.unwrap().as_millis() as u64;
            assert!(soft >= 60, "{soft} ms at {left} ms");
            left = left - soft + 100;
        }
    }

    #[test]
    fn a_large_overhead_is_left_for_every_later_move() {
        let play = |remaining: u64, increment: u64, overhead: u64, moves: usize| {
            (0..moves).try_fold(ms(remaining), |left, _| {
                let given = GameClock { remaining: left, increment: ms(increment), moves_to_go: None };
                let soft = Budget::of_clock(given, ms(overhead)).soft.unwrap();
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
    fn a_time_for_the_move_is_used_but_for_the_overhead() {
        assert_eq!(Budget::of_move_time(ms(1_000), ms(10)).hard, Some(ms(990)));
        assert_eq!(Budget::of_move_time(ms(320), ms(5_000)).hard, Some(ms(310)));
        assert_eq!(Budget::of_move_time(ms(0), ms(10)).hard, Some(LEAST));
        assert_eq!(Budget::of_move_time(ms(5), ms(10)).soft, None);
    }

    #[test]
    fn the_stricter_limit_counts() {
        let game = clock(60_000, 0, None);
        let both = |time| Budget::of(Some(game), Some(time), ms(0));
        assert_eq!(both(ms(50)), Budget { soft: Budget::of_clock(game, ms(0)).soft, hard: Some(ms(50)) });
        assert_eq!(both(ms(600_000)), Budget::of_clock(game, ms(0)));
        assert_eq!(Budget::of(None, Some(ms(50)), ms(0)), Budget::of_move_time(ms(50), ms(0)));
        assert_eq!(Budget::of(None, None, ms(0)), Budget::UNLIMITED);
    }
}

//! The clock: how long a search may take, from what the client says of the game's clocks.
//!
//! With r the remaining time less the overhead, i the increment and m the moves that r must last for:
//!
//! ```text
//! soft = r / m + 3/4 i        hard = min(4 soft, 3/5 r)        (9/10 r when the clock is filled after this move)
//! ```
//!
//! An iteration costs a multiple of all before it, so none is begun once half of `soft` is used; none outlasts `hard`. A
//! time for the one move, of which no later move can lack anything, is used up but for a small part.

use std::time::{Duration, Instant};

/// For how many moves the rest of a game is planned.
const MOVES_LEFT: u32 = 30;
const INCREMENT_SHARE: f64 = 0.75;
const HARD_TO_SOFT: f64 = 4.0;
const LARGEST_SHARE: f64 = 0.6;
const LARGEST_SHARE_OF_LAST: f64 = 0.9;
const BEGIN_UNTIL: f64 = 0.5;
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
    /// What the move is worth: it decides whether to begin another iteration.
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
        let soft = usable / moves + clock.increment.min(LONGEST).mul_f64(INCREMENT_SHARE);
        let hard = soft.mul_f64(HARD_TO_SOFT).min(largest).max(LEAST);
        Self { soft: Some(soft.min(hard)), hard: Some(hard) }
    }

    /// The stricter of two budgets.
    pub fn and(self, other: Self) -> Self {
        let least = |a: Option<Duration>, b: Option<Duration>| a.into_iter().chain(b).min();
        Self { soft: least(self.soft, other.soft), hard: least(self.hard, other.hard) }
    }
}

/// A running budget.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    start: Instant,
    budget: Budget,
}

impl Clock {
    /// A clock that began to run at `start`.
    pub fn new(start: Instant, budget: Budget) -> Self {
        Self { start, budget }
    }

    /// Begins anew, now.
    pub fn restart(&mut self) {
        self.start = Instant::now();
    }

    /// The time used.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Must the search stop at once?
    pub fn is_up(&self) -> bool {
        self.budget.hard.is_some_and(|hard| self.elapsed() >= hard)
    }

    /// Is there time for another iteration?
    pub fn may_begin(&self) -> bool {
        self.budget.soft.is_none_or(|soft| self.elapsed() < soft.mul_f64(BEGIN_UNTIL)) && !self.is_up()
    }

    /// Does a game's clock run, so that time saved now serves later moves?
    pub fn is_of_game(&self) -> bool {
        self.budget.soft.is_some()
    }
}

/// Keeps one search to its time. Without a budget no clock is ever read.
#[derive(Debug, Clone, Copy)]
pub struct Timekeeper {
    clock: Clock,
    /// Is there nothing to choose, and a game's clock to save?
    is_forced: bool,
    has_answer: bool,
}

impl Timekeeper {
    /// For a search among so many moves.
    pub fn new(clock: Clock, candidates: usize) -> Self {
        Self { clock, is_forced: candidates == 1 && clock.is_of_game(), has_answer: false }
    }

    /// The clock begins anew, now.
    pub fn restart(&mut self) {
        self.clock.restart();
    }

    /// An iteration was completed.
    pub fn iteration_ends(&mut self) {
        self.has_answer = true;
    }

    /// May the search go on?
    pub fn has_time(&self) -> bool {
        let is_settled = self.is_forced && self.has_answer;
        !is_settled && !self.clock.is_up()
    }

    /// Is there time for another iteration?
    pub fn may_begin(&self) -> bool {
        self.has_time() && self.clock.may_begin()
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
            assert!(soft >= 75, "{soft} ms at {left} ms");
            left = left - soft + 100;
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
    fn half_of_the_soft_limit_ends_the_iterations() {
        let budget = Budget { soft: Some(ms(2_000)), hard: Some(ms(4_000)) };
        let begun = |ago: u64| Clock::new(Instant::now().checked_sub(ms(ago)).unwrap(), budget);
        assert!(begun(500).may_begin());
        assert!(!begun(1_000).may_begin());
        assert!(!begun(1_000).is_up());
        assert!(begun(4_000).is_up());
        assert!(!Clock::new(Instant::now(), Budget::UNLIMITED).is_up());
    }

    #[test]
    fn a_forced_move_saves_the_games_clock_but_not_a_time_for_the_move() {
        let of_game = Clock::new(Instant::now(), Budget::of_clock(clock(60_000, 0, None), ms(0)));
        let of_move = Clock::new(Instant::now(), Budget::of_move_time(ms(60_000), ms(0)));
        for (clock, candidates, goes_on) in [(of_game, 1, false), (of_game, 2, true), (of_move, 1, true)] {
            let mut time = Timekeeper::new(clock, candidates);
            assert!(time.has_time() && time.may_begin());
            time.iteration_ends();
            assert_eq!((time.has_time(), time.may_begin()), (goes_on, goes_on));
        }
    }

    #[test]
    fn the_stricter_limit_counts() {
        let both = Budget::of_clock(clock(60_000, 0, None), ms(0)).and(Budget::of_move_time(ms(50), ms(0)));
        assert_eq!(both.hard, Some(ms(50)));
        assert_eq!(Budget::UNLIMITED.and(Budget::UNLIMITED), Budget::UNLIMITED);
    }
}

//! The time that a limited strength takes for a move, if the client wants it to take one (the option `Human Pace`): about what the
//! clock allows, less for moves that suggest themselves, and never the same twice.
//!
//! ```text
//! time = soft (0.2 + 1.6 hesitation) (0.6 + 0.8 u), at most the hard limit and 10 s
//! ```
//!
//! `soft` is what the clock allows on average, `hesitation` the probability by the policy network that the most probable move is not
//! the best, and `u` is random, from 0 to 1. A level's search itself takes milliseconds, so that its play does not depend on the pace.

use search::time::TimeBudget;
use std::time::Duration;

/// Nobody wants to wait longer for a program.
const LONGEST: Duration = Duration::from_secs(10);

/// The time for a move, from the start of its clock; `None` without a limit of time. `hesitation` and `random` are from 0 to 1.
pub fn pace(budget: TimeBudget, hesitation: f64, random: f64) -> Option<Duration> {
    let hard = budget.hard?;
    // A fixed time for each move is not all needed.
    let soft = budget.soft.unwrap_or(hard / 2);
    let time = soft.mul_f64((0.2 + 1.6 * hesitation) * (0.6 + 0.8 * random));
    Some(time.min(hard).min(LONGEST))
}

#[cfg(test)]
mod tests {
    use super::*;
    use search::time::GameClock;

    #[test]
    fn a_hard_choice_takes_longer_and_no_clock_runs_out() {
        let clock = |seconds| GameClock {
            remaining: Duration::from_secs(seconds),
            increment: Duration::ZERO,
            moves_to_go: None,
        };
        let overhead = Duration::from_millis(10);
        let budget = TimeBudget::of_clock(clock(60), overhead);
        let time = |hesitation, random| pace(budget, hesitation, random).unwrap();
        assert!(time(0.0, 0.5) < time(0.5, 0.5) && time(0.5, 0.0) < time(0.5, 1.0));
        assert!(time(0.0, 0.0) > Duration::from_millis(100), "{:?}", time(0.0, 0.0));
        assert!(time(1.0, 1.0) <= budget.hard.unwrap());
        let long = TimeBudget::of_clock(clock(7_200), overhead);
        assert_eq!(pace(long, 1.0, 1.0), Some(LONGEST));
        assert_eq!(pace(TimeBudget::UNLIMITED, 1.0, 1.0), None);
        let fixed = TimeBudget::of_move_time(Duration::from_secs(1), overhead);
        assert!(pace(fixed, 1.0, 1.0).unwrap() <= fixed.hard.unwrap());
        // A whole game at this pace.
        let mut left = Duration::from_secs(60);
        for _ in 0..120 {
            let budget = TimeBudget::of(
                Some(GameClock { remaining: left, increment: Duration::ZERO, moves_to_go: None }),
                None,
                overhead,
            );
            left = left.checked_sub(pace(budget, 0.7, 1.0).unwrap()).unwrap();
        }
    }
}

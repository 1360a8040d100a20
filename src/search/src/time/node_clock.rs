//! A side's game clock kept by the engine itself, where nodes pass for time (see [`stopwatch`](crate::time::stopwatch)).
//!
//! The client's clock measures wall time, so games by it would not be reproducible: it is read once, before the first move
//! of a game. What the moves use is subtracted here, and what the time control gives is added.

use crate::time::budget::GameClock;
use std::time::Duration;

/// One side's clock through one game.
#[derive(Debug, Clone, Copy, Default)]
pub struct NodeClock {
    /// As of the last move, its increment included; `None` before the first.
    left: Option<Duration>,
    /// The time at the beginning, added again when the clock is refilled.
    full: Duration,
    increment: Duration,
    moves_to_go: Option<u32>,
}

impl NodeClock {
    /// The clock before a move for which the client announces `announced`.
    pub fn before(&mut self, announced: GameClock) -> GameClock {
        let is_filled = announced.moves_to_go.zip(self.moves_to_go).is_some_and(|(now, before)| now > before);
        let remaining = match self.left {
            None => {
                self.full = announced.remaining;
                announced.remaining
            }
            Some(left) if is_filled => left + self.full,
            Some(left) => left,
        };
        *self =
            Self { left: Some(remaining), increment: announced.increment, moves_to_go: announced.moves_to_go, ..*self };
        GameClock { remaining, ..announced }
    }

    /// The move was made and has used this time.
    pub fn after(&mut self, used: Duration) {
        self.left = self.left.map(|left| left.saturating_sub(used) + self.increment);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    #[test]
    fn the_clients_clock_is_used_only_at_the_start() {
        let announced = |remaining| GameClock { remaining: ms(remaining), increment: ms(10), moves_to_go: None };
        let mut clock = NodeClock::default();
        assert_eq!(clock.before(announced(1_000)), announced(1_000));
        clock.after(ms(100));
        assert_eq!(clock.before(announced(7)), announced(910));
        clock.after(ms(5_000));
        assert_eq!(clock.before(announced(7)), announced(10));
    }

    #[test]
    fn a_time_control_adds_its_time_after_its_moves() {
        let announced = |moves| GameClock { remaining: ms(1_000), increment: ms(0), moves_to_go: Some(moves) };
        let mut clock = NodeClock::default();
        for (moves, remaining) in [(2, 1_000), (1, 700), (2, 1_400), (1, 1_100)] {
            assert_eq!(clock.before(announced(moves)).remaining, ms(remaining), "{moves} to go");
            clock.after(ms(300));
        }
    }

    #[test]
    fn a_clock_is_refilled_where_more_moves_are_to_go_than_before() {
        let announced = |moves_to_go| GameClock { remaining: ms(1_000), increment: ms(0), moves_to_go };
        let mut clock = NodeClock::default();
        for (moves, remaining) in
            [(Some(5), 1_000), (Some(5), 1_000), (None, 1_000), (Some(9), 1_000), (Some(10), 2_000)]
        {
            assert_eq!(clock.before(announced(moves)), GameClock { remaining: ms(remaining), ..announced(moves) });
        }
    }
}

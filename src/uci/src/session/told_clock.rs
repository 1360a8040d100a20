//! What a client tells of its clock, from one move of a game to the next.

use board::{Color, Position};
use search::time::GameClock;
use search::time::lateness::lost_by_client;
use std::time::Duration;

/// The client's clock at a search.
#[derive(Debug, Clone, Copy)]
pub struct ToldClock {
    side: Color,
    fullmove: u16,
    clock: GameClock,
    /// What the move used by the engine's own measure; `None` while it is not known, and for a move pondered on in vain.
    pub used: Option<Duration>,
}

impl ToldClock {
    /// The clock before a move in this position.
    pub fn at(position: &Position, clock: GameClock) -> Self {
        Self { side: position.side_to_move(), fullmove: position.fullmove_number(), clock, used: None }
    }

    /// What the clock has lost since the same side's last move besides what that used; nothing if this is not the next move of
    /// the game.
    pub fn lost_since(&self, last: &Self) -> Option<Duration> {
        let is_next = self.side == last.side && Some(self.fullmove) == last.fullmove.checked_add(1);
        last.used.filter(|_| is_next).map(|used| lost_by_client(last.clock, used, self.clock))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_next_move_of_a_game_tells_what_was_lost() {
        let ms = Duration::from_millis;
        let told = |fen: &str, remaining| {
            let clock = GameClock { remaining: ms(remaining), increment: ms(10), moves_to_go: None };
            ToldClock::at(&Position::from_fen(fen).unwrap(), clock)
        };
        let mut last = told("7k/8/8/8/8/8/8/K7 w - - 0 5", 1_000);
        let next = told("7k/8/8/8/8/8/8/K7 w - - 0 6", 800);
        assert_eq!(next.lost_since(&last), None, "what the last move used is not known");
        last.used = Some(ms(150));
        assert_eq!(next.lost_since(&last), Some(ms(60)));
        assert_eq!(told("7k/8/8/8/8/8/8/K7 b - - 0 6", 800).lost_since(&last), None);
        assert_eq!(told("7k/8/8/8/8/8/8/K7 w - - 0 7", 800).lost_since(&last), None);
    }
}

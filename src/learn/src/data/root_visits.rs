//! What a Monte-Carlo tree search tells of its root, as it is kept with a game.

use crate::data::kept_game::Visits;
use board::Move;
use search::{Handler, MoveStatistics, SearchInfo, Stop, Value};

/// What the last search found.
#[derive(Debug, Default)]
pub struct RootVisits {
    /// The best move with its value, whichever is played.
    pub best: Option<(Move, Value)>,
    /// The moves that were visited; of a proven win or loss the best move alone, because what was visited before the proof teaches less.
    pub visits: Visits,
}

impl Handler for RootVisits {
    fn poll(&mut self, _nodes: u64) -> Result<(), Stop> {
        Ok(())
    }

    fn report(&mut self, info: &SearchInfo) {
        if info.multipv == 1 {
            self.best = info.pv.first().map(|mv| (*mv, info.value));
        }
    }

    fn shows_statistics(&self) -> bool {
        true
    }

    fn statistics(&mut self, moves: &[MoveStatistics]) {
        let best = self.best.map(|(mv, _)| mv);
        let decided = |found: &&MoveStatistics| Some(found.mv) == best && found.is_proven && found.value.abs() == 1.0;
        let visited = || moves.iter().map(|found| (found.mv, found.visits)).filter(|(_, visits)| *visits > 0);
        self.visits = match moves.iter().find(decided) {
            Some(found) => vec![(found.mv, 1)],
            None => in_16_bits(visited().collect()),
        };
    }
}

/// Halves all numbers until each has room; moves that have none left are gone.
fn in_16_bits(mut visits: Vec<(Move, u32)>) -> Visits {
    while visits.iter().any(|(_, count)| *count > u16::MAX.into()) {
        visits.iter_mut().for_each(|(_, count)| *count /= 2);
    }
    visits.into_iter().filter(|(_, count)| *count > 0).map(|(mv, count)| (mv, count as u16)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use board::Position;

    #[test]
    fn large_numbers_keep_their_proportions() {
        let moves = Position::start().legal_moves();
        let visits = vec![(moves[0], 1_000_000), (moves[1], 500_000), (moves[2], 15)];
        assert_eq!(in_16_bits(visits), [(moves[0], 62_500), (moves[1], 31_250)]);
        assert_eq!(in_16_bits(vec![(moves[0], 65_535), (moves[1], 1)]), [(moves[0], 65_535), (moves[1], 1)]);
    }
}

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

    #[test]
    fn visits_and_the_best_move_are_those_of_the_last_report() {
        let moves = Position::start().legal_moves();
        let of = |place: usize, visits, value, is_proven| MoveStatistics {
            mv: moves[place],
            visits,
            prior: 0.1,
            value,
            draw: 0.2,
            bonus: 0.0,
            mate: None,
            is_proven,
        };
        let mut root = RootVisits::default();
        assert!(root.shows_statistics());
        let report = |root: &mut RootVisits, multipv, value, place: usize| {
            root.report(&SearchInfo {
                depth: 1,
                seldepth: 1,
                multipv,
                value: Value::from_evaluation(value),
                bound: search::Bound::Exact,
                nodes: 9,
                hashfull: 0,
                table_hits: 0,
                wdl: None,
                pv: &moves[place..place + 2],
            });
        };
        report(&mut root, 1, 0.25, 3);
        report(&mut root, 2, 0.125, 5);
        assert_eq!(root.best, Some((moves[3], Value::from_evaluation(0.25))));
        // A move without a visit is left out.
        root.statistics(&[of(7, 0, 0.0, false), of(5, 1, 0.1, false), of(3, 80, 0.25, false)]);
        assert_eq!(root.visits, [(moves[5], 1), (moves[3], 80)]);
        // A proven win of the best move counts alone; a proven draw, another's win and a value near a win do not.
        let visited = [(moves[5], 20), (moves[3], 80)];
        for (statistics, expected) in [
            ([of(5, 20, 0.1, false), of(3, 80, 1.0, true)], &[(moves[3], 1)][..]),
            ([of(5, 20, 0.1, false), of(3, 80, -1.0, true)], &[(moves[3], 1)]),
            ([of(5, 20, 1.0, true), of(3, 80, 0.5, false)], &visited),
            ([of(5, 20, 0.1, false), of(3, 80, 0.0, true)], &visited),
            ([of(5, 20, 0.1, false), of(3, 80, 1.0, false)], &visited),
        ] {
            root.statistics(&statistics);
            assert_eq!(root.visits, expected);
        }
    }
}

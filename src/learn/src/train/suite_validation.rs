//! Validation: the score of a net on a suite of positions at fixed nodes, which measures a run's progress (thesis
//! Figure 4). A net never learns from these positions.

use board::Game;
use engine::evaluators::NetworkEvaluator;
use nets::QuantizedValueNet;
use rayon::prelude::*;
use search::{AlphaBeta, Handler, SearchLimits, Searcher, Selectivity, StaticPolicy, Stop, Table, TableError};
use std::sync::Arc;
use sts::suite::{Suite, SuitePosition};
use support::interrupt::Interrupt;

/// The table of one position's search, in KB: enough for some ten thousand nodes.
const TABLE_KILOBYTES: usize = 1024;

/// The points that the best moves of searches of `nodes` nodes earn on the suite, each from an empty table; the same for any
/// number of threads. `None` if the interrupt is raised before the last search ends: it stops them at once.
///
/// # Errors
/// If a table cannot be allocated.
pub fn score(
    net: &Arc<QuantizedValueNet>,
    suite: &Suite,
    nodes: u64,
    interrupt: &Interrupt,
) -> Result<Option<u64>, TableError> {
    let limits = SearchLimits { nodes: Some(nodes), ..SearchLimits::default() };
    let points = |position: &SuitePosition| {
        if interrupt.raised() {
            return Ok(None);
        }
        let table = Table::with_kilobytes(TABLE_KILOBYTES)?;
        let mut searcher = AlphaBeta::new(NetworkEvaluator::new(net.clone()), StaticPolicy, Selectivity::full(), 0);
        let answer = searcher.search(&table, &Game::new(position.position.clone()), &limits, &mut Until(interrupt));
        let points = answer.best().map_or(0, |best| u64::from(position.points.of(best)));
        Ok((!interrupt.raised()).then_some(points))
    };
    let points: Result<Vec<_>, _> = suite.positions.par_iter().with_max_len(1).map(points).collect();
    Ok(points?.into_iter().sum())
}

/// Stops a search when the process is asked to stop.
struct Until<'a>(&'a Interrupt);

impl Handler for Until<'_> {
    fn poll(&mut self, _nodes: u64) -> Result<(), Stop> {
        if self.0.raised() { Err(Stop) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::shipped_value_net;
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
    use std::time::Duration;

    #[test]
    fn points_are_those_of_the_moves_played() {
        let net = shipped_value_net().unwrap();
        // Mate in one, a queen to take, and a move that is to be avoided.
        let text = "7k/8/6K1/8/8/8/8/6Q1 w - - id \"a.1\"; c0 \"Qg7=10\";\n\
                    4k3/8/8/3q4/4P3/8/8/4K3 w - - id \"a.2\"; c0 \"exd5=7, Kd2=1\";\n\
                    4k3/8/8/3q4/4P3/8/8/4K3 w - - id \"a.3\"; am exd5;\n";
        let suite = Suite::read("three", text.as_bytes()).unwrap();
        let points = || score(&net, &suite, 2_000, &Interrupt::from_flag(Arc::default())).unwrap().unwrap();
        // Other mates in one than Qg7 exist: 10 or nothing.
        let first = points();
        assert!(first == 17 || first == 7, "{first}");
        assert_eq!(points(), first);
    }

    #[test]
    fn an_interrupt_ends_the_scoring_in_the_middle_of_a_search() {
        let net = shipped_value_net().unwrap();
        let text = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - id \"a.1\"; c0 \"e4=10, d4=9\";\n";
        let suite = Suite::read("one", text.as_bytes()).unwrap();
        let flag = Arc::new(AtomicBool::new(false));
        let score = std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(50));
                flag.store(true, Relaxed);
            });
            // Far more nodes than are searched in that time: a minute's.
            score(&net, &suite, 50_000_000, &Interrupt::from_flag(flag.clone())).unwrap()
        });
        assert_eq!(score, None);
    }
}

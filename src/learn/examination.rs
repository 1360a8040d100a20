//! Examinations: what a net scores on a suite of positions at fixed nodes, which shows a run's progress (thesis Figure 4).
//! A net never learns from what it is examined on.

use crate::evaluator::Net;
use crate::move_probability::Static;
use crate::search::{Limits, Searcher, Silent, Table, TableError};
use board::Game;
use nets::PackedNet;
use rayon::prelude::*;
use std::sync::Arc;
use sts::suite::{Suite, SuitePosition};

/// The table of one position's search, in KB: enough for some ten thousand nodes.
const TABLE_KILOBYTES: usize = 1024;

/// The points that the best moves of searches of `nodes` nodes earn on the suite, each from an empty table; the same for any
/// number of threads.
///
/// # Errors
/// If a table cannot be allocated.
pub fn score(net: &Arc<PackedNet>, suite: &Suite, nodes: u64) -> Result<u64, TableError> {
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    let points = |position: &SuitePosition| {
        let table = Table::with_kilobytes(TABLE_KILOBYTES)?;
        let mut searcher = Searcher::new(Net::new(net.clone()), Static);
        let answer = searcher.search(&table, &Game::new(position.position.clone()), &limits, &mut Silent);
        Ok(answer.best().map_or(0, |best| u64::from(position.points.of(best))))
    };
    suite.positions.par_iter().with_max_len(1).map(points).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::shipped_net;

    #[test]
    fn points_are_those_of_the_moves_played() {
        let net = shipped_net().unwrap();
        // Mate in one, a queen to take, and a move that is to be avoided.
        let text = "7k/8/6K1/8/8/8/8/6Q1 w - - id \"a.1\"; c0 \"Qg7=10\";\n\
                    4k3/8/8/3q4/4P3/8/8/4K3 w - - id \"a.2\"; c0 \"exd5=7, Kd2=1\";\n\
                    4k3/8/8/3q4/4P3/8/8/4K3 w - - id \"a.3\"; am exd5;\n";
        let suite = Suite::read("three", text.as_bytes()).unwrap();
        let points = score(&net, &suite, 2_000).unwrap();
        // Other mates in one than Qg7 exist: 10 or nothing.
        assert!(points == 17 || points == 7, "{points}");
        assert_eq!(score(&net, &suite, 2_000).unwrap(), points);
    }
}

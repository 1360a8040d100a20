//! Lazy SMP: several threads search the same root independently and share only the transposition table, which gives each
//! thread the results of the others.
//!
//! The first thread is the leader: its result counts, and the others (helpers) stop when it ends. Helpers order quiet moves
//! without history differently (see [`crate::move_history::MoveHistory::seeded`]), so that they search different
//! parts of the tree. The table is read and written without locks; a torn entry counts as absent (see
//! [`crate::table`]). With one thread the search is deterministic.
//!
//! CITE: Østensen, "A Complete Chess Engine Parallelized Using Lazy SMP", 2016.

use crate::handler::{Handler, SearchInfo, Stop};
use crate::limits::SearchLimits;
use crate::result::SearchResult;
use crate::searcher::Searcher;
use crate::table::Table;
use board::{Game, Move};
use std::io;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread;

/// The stack size of a search thread, in bytes: several times what the longest line needs with all its move lists.
pub const STACK_BYTES: usize = 32 << 20;

/// Runs a search where it cannot run out of stack, whatever thread asks; its panic is a result.
///
/// # Errors
/// If the system has no thread to give.
pub fn with_deep_stack<T: Send>(search: impl FnOnce() -> T + Send) -> io::Result<thread::Result<T>> {
    thread::scope(|scope| {
        let thread = thread::Builder::new().name("search".into()).stack_size(STACK_BYTES);
        Ok(thread.spawn_scoped(scope, search)?.join())
    })
}

/// Searches the game's current position with `leader` on this thread and each of `helpers` on its own thread.
///
/// Nodes and evaluations are the sums of all threads. Without helpers a node limit is exact; with helpers it is exceeded by
/// a few hundred nodes per thread.
///
/// # Panics
/// If a thread's search panics, after all have stopped.
pub fn search(
    leader: &mut dyn Searcher,
    helpers: &mut [Box<dyn Searcher>],
    table: &Table,
    game: &Game,
    limits: &SearchLimits,
    handler: &mut dyn Handler,
) -> SearchResult {
    table.next_search();
    if helpers.is_empty() {
        return leader.search(table, game, limits, handler);
    }
    let crew = Crew { over: AtomicBool::new(false), nodes: helpers.iter().map(|_| Count::default()).collect() };
    let theirs = SearchLimits { nodes: None, mate: None, ..limits.clone() };
    let help = |helper: &mut Box<dyn Searcher>, nodes| {
        helper.search(table, game, &theirs, &mut Helper { over: &crew.over, nodes })
    };
    let help = &help;
    thread::scope(|scope| {
        // If the system cannot start a thread, fewer threads search.
        let threads: Vec<_> = helpers
            .iter_mut()
            .zip(&crew.nodes)
            .map_while(|(helper, nodes)| {
                let thread = thread::Builder::new().name("helper".into()).stack_size(STACK_BYTES);
                thread.spawn_scoped(scope, move || help(helper, nodes)).ok()
            })
            .collect();
        let led = {
            // The flag is set even if the leader panics, because the scope waits for all threads.
            let _over = RaisedAtEnd(&crew.over);
            leader.search(table, game, limits, &mut Leader { handler, crew: &crew, limit: limits.nodes })
        };
        threads.into_iter().fold(led, |all, thread| match thread.join() {
            Ok(one) => {
                SearchResult { nodes: all.nodes + one.nodes, evaluations: all.evaluations + one.evaluations, ..all }
            }
            Err(panic) => resume_unwind(panic),
        })
    })
}

/// The shared state of the threads.
struct Crew {
    /// The leader has ended.
    over: AtomicBool,
    /// `(helper)`: its nodes at its last poll.
    nodes: Vec<Count>,
}

/// In its own cache line, because each thread writes its own counter.
#[derive(Default)]
#[repr(align(64))]
struct Count(AtomicU64);

struct RaisedAtEnd<'a>(&'a AtomicBool);

impl Drop for RaisedAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

/// The handler of the leader, which reports the nodes of all threads.
struct Leader<'a> {
    handler: &'a mut dyn Handler,
    crew: &'a Crew,
    limit: Option<u64>,
}

impl Leader<'_> {
    fn total(&self, own: u64) -> u64 {
        self.crew.nodes.iter().fold(own, |sum, Count(nodes)| sum + nodes.load(Relaxed))
    }
}

impl Handler for Leader<'_> {
    fn poll(&mut self, nodes: u64) -> Result<(), Stop> {
        let nodes = self.total(nodes);
        if self.limit.is_some_and(|limit| nodes >= limit) {
            return Err(Stop);
        }
        self.handler.poll(nodes)
    }

    fn next_iteration(&mut self, depth: u32) -> bool {
        self.handler.next_iteration(depth)
    }

    fn spent(&self, nodes: u64) -> Option<f64> {
        self.handler.spent(self.total(nodes))
    }

    fn shows_hashfull(&self) -> bool {
        self.handler.shows_hashfull()
    }

    fn report(&mut self, info: &SearchInfo) {
        self.handler.report(&SearchInfo { nodes: self.total(info.nodes), ..*info });
    }

    fn root_move(&mut self, depth: u32, mv: Move, number: usize, nodes: u64) {
        self.handler.root_move(depth, mv, number, self.total(nodes));
    }
}

/// The handler of a helper, which stops when the leader has ended.
struct Helper<'a> {
    over: &'a AtomicBool,
    nodes: &'a Count,
}

impl Handler for Helper<'_> {
    fn poll(&mut self, nodes: u64) -> Result<(), Stop> {
        self.nodes.0.store(nodes, Relaxed);
        if self.over.load(Relaxed) { Err(Stop) } else { Ok(()) }
    }

    fn next_iteration(&mut self, _depth: u32) -> bool {
        !self.over.load(Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tablebase::Tablebase;
    use crate::value::{Bound, Value};
    use board::Position;
    use std::sync::Arc;

    /// Searches nothing: asks its handler until that stops it, and then tells it all.
    struct Asks(u64);

    impl Searcher for Asks {
        fn search(&mut self, _: &Table, _: &Game, limits: &SearchLimits, handler: &mut dyn Handler) -> SearchResult {
            while handler.poll(self.0) == Ok(()) {
                thread::yield_now();
            }
            assert!(limits.nodes.is_some() == handler.next_iteration(2), "helpers alone have no limit, and end");
            assert_eq!((limits.mate.is_some(), limits.depth), (limits.nodes.is_some(), Some(9)));
            let bound = Bound::Exact;
            let info =
                SearchInfo { depth: 1, seldepth: 1, multipv: 1, value: Value::DRAW, bound, nodes: self.0, ..NOTHING };
            handler.report(&info);
            let mv = Position::start().parse_uci("e2e4").expect("a legal move");
            handler.root_move(3, mv, 4, self.0);
            let evaluations = handler.spent(self.0).map_or(5, |spent| spent as u64);
            SearchResult { pv: vec![], value: Value::DRAW, better: None, nodes: self.0, evaluations, depth: 1 }
        }

        fn evaluate(&self, _: &Position) -> Value {
            Value::DRAW
        }

        fn new_game(&mut self) {}

        fn set_tablebase(&mut self, _: Option<Arc<dyn Tablebase>>) {}
    }

    const NOTHING: SearchInfo = SearchInfo {
        depth: 0,
        seldepth: 0,
        multipv: 0,
        value: Value::DRAW,
        bound: Bound::Exact,
        nodes: 0,
        hashfull: 0,
        table_hits: 0,
        wdl: None,
        pv: &[],
    };

    /// What the leader's handler was told, in words.
    #[derive(Default)]
    struct Told(Vec<String>);

    impl Handler for Told {
        fn poll(&mut self, _: u64) -> Result<(), Stop> {
            Ok(())
        }

        fn next_iteration(&mut self, depth: u32) -> bool {
            self.0.push(format!("iteration {depth}"));
            true
        }

        fn spent(&self, nodes: u64) -> Option<f64> {
            Some(nodes as f64)
        }

        fn shows_hashfull(&self) -> bool {
            true
        }

        fn report(&mut self, info: &SearchInfo) {
            self.0.push(format!("report of {} nodes", info.nodes));
        }

        fn root_move(&mut self, depth: u32, mv: Move, number: usize, nodes: u64) {
            self.0.push(format!("{depth}: {mv}, {number}, {nodes} nodes"));
        }
    }

    #[test]
    fn the_leader_counts_the_nodes_of_all_and_helpers_stop_with_it() {
        let mut helpers: Vec<Box<dyn Searcher>> = vec![Box::new(Asks(300)), Box::new(Asks(4_000))];
        let limits = SearchLimits { nodes: Some(4_320), mate: Some(1), depth: Some(9), ..SearchLimits::default() };
        let mut told = Told::default();
        let table = Table::with_kilobytes(1).unwrap();
        let found = search(&mut Asks(20), &mut helpers, &table, &Game::new(Position::start()), &limits, &mut told);
        // The evaluations are what was spent, of the leader, and five of each helper.
        assert_eq!((found.nodes, found.evaluations), (4_320, 4_330));
        assert_eq!(told.0, ["iteration 2", "report of 4320 nodes", "3: e2e4, 4, 4320 nodes"]);
    }

    #[test]
    fn a_leader_asks_its_handler_whether_to_go_on() {
        struct Stops;
        impl Handler for Stops {
            fn poll(&mut self, nodes: u64) -> Result<(), Stop> {
                if nodes > 305 { Err(Stop) } else { Ok(()) }
            }

            fn next_iteration(&mut self, _: u32) -> bool {
                false
            }
        }
        let crew = Crew { over: AtomicBool::new(false), nodes: vec![Count(300.into())] };
        let (mut stops, mut told) = (Stops, Told::default());
        let mut leader = Leader { handler: &mut stops, crew: &crew, limit: None };
        assert_eq!([5, 6].map(|nodes| leader.poll(nodes)), [Ok(()), Err(Stop)]);
        assert!(!leader.next_iteration(2) && !leader.shows_hashfull() && leader.spent(5).is_none());
        let leader = Leader { handler: &mut told, crew: &crew, limit: None };
        assert!(leader.shows_hashfull() && leader.spent(5) == Some(305.0));
    }

    #[test]
    fn a_helper_goes_on_until_the_leader_has_ended() {
        let (over, nodes) = (AtomicBool::new(false), Count::default());
        let mut helper = Helper { over: &over, nodes: &nodes };
        assert_eq!((helper.poll(7), helper.next_iteration(2), nodes.0.load(Relaxed)), (Ok(()), true, 7));
        drop(RaisedAtEnd(&over));
        assert_eq!((helper.poll(9), helper.next_iteration(3), nodes.0.load(Relaxed)), (Err(Stop), false, 9));
    }

    #[test]
    fn a_deep_stack_holds_a_deep_search_and_survives_its_panic() {
        fn sum(depth: u64) -> u64 {
            let frame = std::hint::black_box([depth; 128]);
            if depth == 0 { 0 } else { sum(depth - 1) + frame[depth as usize % 128] }
        }
        // Ten megabytes.
        assert_eq!(with_deep_stack(|| sum(10_000)).unwrap().unwrap(), 50_005_000);
        assert!(with_deep_stack(|| assert_eq!(sum(1), 2)).unwrap().is_err());
    }
}

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

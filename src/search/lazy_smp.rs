//! Lazy SMP: several threads search the same root independently and share only the transposition table, where each finds
//! what the others have already searched.
//!
//! The first thread leads: its result counts, and the others stop when it ends. The others order quiet moves without history
//! differently (see [`crate::search::move_history::MoveHistory::seeded`]), so that they search different parts of the tree. The table is
//! read and written without locks; a torn entry reads as absent (see [`crate::search::table`]). With one thread nothing is shared
//! and the search is deterministic.
//!
//! CITE: Østensen 2016, A Complete Chess Engine Parallelized Using Lazy SMP.

use crate::search::handler::{Handler, SearchInfo, Stop};
use crate::search::limits::SearchLimits;
use crate::search::result::SearchResult;
use crate::search::searcher::Searcher;
use crate::search::table::Table;
use board::{Game, Move};
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread;

/// The stack of a search thread in bytes: several times what the longest line needs with all its move lists.
pub const STACK_BYTES: usize = 32 << 20;

/// Searches the game's present position, each of `helpers` on a thread of its own beside `leader` on this one.
///
/// Nodes and evaluations are those of all threads. A node limit holds exactly without helpers, and is exceeded by a
/// few hundred nodes per thread with them.
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
        // Where the system has no more threads, fewer search.
        let threads: Vec<_> = helpers
            .iter_mut()
            .zip(&crew.nodes)
            .map_while(|(helper, nodes)| {
                let thread = thread::Builder::new().name("helper".into()).stack_size(STACK_BYTES);
                thread.spawn_scoped(scope, move || help(helper, nodes)).ok()
            })
            .collect();
        let led = {
            // Even if the leader panics: the scope waits for all.
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

/// What the threads tell each other.
struct Crew {
    /// The leader has ended.
    over: AtomicBool,
    /// `(helper)`: its nodes, as of its last question.
    nodes: Vec<Count>,
}

/// Alone in its cache line: every thread writes its own.
#[derive(Default)]
#[repr(align(64))]
struct Count(AtomicU64);

struct RaisedAtEnd<'a>(&'a AtomicBool);

impl Drop for RaisedAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

/// Speaks for all threads.
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

/// Listens for the end.
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

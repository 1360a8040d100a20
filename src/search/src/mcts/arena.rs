//! The memory of a tree: one mapping, cut into units of 32 bytes that hold nodes and lists of edges.
//!
//! Fresh units are handed out in order. When they are used up, those of subtrees that no root leads to any more are
//! handed out again: a dead subtree is kept as one list of edges, which is taken apart when memory is asked for, so that to release
//! it costs nothing at once. When nothing is left the arena is full, and the tree grows no further.

use crate::mcts::edges::{Edges, chunk_units, edge_units};
use crate::mcts::node::Node;
use crate::mcts::units::{UNIT_BYTES, Units};
use crate::shared_memory::atomic::Ordering::Relaxed;
use crate::shared_memory::atomic::{AtomicBool, AtomicU32};
use crate::shared_memory::{Mutex, MutexGuard};
use std::sync::PoisonError;

/// The least size: any root with all its children fits.
const LEAST_BYTES: usize = 1 << 16;
/// The unit of the root. No other node is there, so that elsewhere 0 means none.
pub const ROOT: u32 = 0;
/// The most units of a block that is kept in a list of its own size; larger ones are powers of two.
const SMALL: usize = 64;
/// Sizes of blocks: 1 to 64, 128 and 256 units.
const CLASSES: usize = SMALL + 2;

/// The memory of a tree, shared by its threads.
pub struct Arena {
    units: Units,
    /// The first unit that was never used.
    next: AtomicU32,
    /// Nothing was left when memory was asked for.
    full: AtomicBool,
    recycler: Mutex<Recycler>,
}

/// What can be used again.
struct Recycler {
    /// `(class)`: the first free block of this size, 0 for none; each names the next in its first word.
    free: [u32; CLASSES],
    /// The first dead list of edges, 0 for none; each names the next in its second word.
    dead: u32,
    /// Units in the free blocks.
    free_units: u32,
}

/// The system refused the memory.
#[derive(Debug, thiserror::Error)]
#[error("cannot allocate a search tree of {megabytes} MB")]
pub struct ArenaError {
    /// The requested size.
    pub megabytes: usize,
}

impl Arena {
    /// An empty arena of so many bytes, at least 64 KB and at most 128 GB.
    ///
    /// # Errors
    /// If the memory cannot be allocated.
    pub fn with_bytes(bytes: usize) -> Result<Self, ArenaError> {
        let units = (bytes.max(LEAST_BYTES) / UNIT_BYTES).min(u32::MAX as usize - 1);
        Self::with_units(units as u32).map_err(|_| ArenaError { megabytes: bytes.div_ceil(1 << 20) })
    }

    /// An empty arena of so many units.
    pub(crate) fn with_units(units: u32) -> std::io::Result<Self> {
        let recycler = Mutex::new(Recycler { free: [0; CLASSES], dead: 0, free_units: 0 });
        let (next, full) = (AtomicU32::new(ROOT + 1), AtomicBool::new(false));
        let new = Self { units: Units::new(units)?, next, full, recycler };
        new.clear();
        Ok(new)
    }

    /// Forgets everything. No search may be under way.
    pub fn clear(&self) {
        *self.recycler() = Recycler { free: [0; CLASSES], dead: 0, free_units: 0 };
        self.next.store(ROOT + 1, Relaxed);
        self.full.store(false, Relaxed);
        self.node(ROOT).reset();
    }

    /// A node.
    #[inline]
    pub fn node(&self, index: u32) -> &Node {
        self.units.node(index)
    }

    /// The nodes of a block.
    #[inline]
    pub fn nodes(&self, index: u32, count: usize) -> &[Node] {
        self.units.nodes(index, count)
    }

    /// The words of a block, of which there are at most as many as its units hold.
    #[inline]
    pub fn words(&self, index: u32, count: usize) -> &[AtomicU32] {
        self.units.words(index, count)
    }

    /// A block of so many units, all bits 0; `None` when nothing is left. A block has 1 to 64 units, or 128 or 256.
    pub fn allocate(&self, units: usize) -> Option<u32> {
        let index = self.fresh(units).or_else(|| self.recycled(units))?;
        self.units.reset(index, units);
        Some(index)
    }

    fn fresh(&self, units: usize) -> Option<u32> {
        let grown = |next: u32| next.checked_add(units as u32).filter(|end| *end <= self.units.count());
        self.next.fetch_update(Relaxed, Relaxed, grown).ok()
    }

    /// A block that was used before; locks, which fresh blocks need not.
    #[cold]
    fn recycled(&self, units: usize) -> Option<u32> {
        if self.full.load(Relaxed) {
            return None;
        }
        let mut recycler = self.recycler();
        loop {
            if let Some(index) = recycler.take(self, units) {
                return Some(index);
            }
            if !recycler.take_apart(self) {
                let index = recycler.split(self, units);
                self.full.store(index.is_none(), Relaxed);
                return index;
            }
        }
    }

    /// Takes back a list of edges with all that is below it. No search may be under way.
    pub fn release(&self, edges: u32) {
        if edges != 0 {
            self.recycler().bury(self, edges);
            self.full.store(false, Relaxed);
        }
    }

    /// Has memory been asked for in vain since the last release?
    pub fn is_full(&self) -> bool {
        self.full.load(Relaxed)
    }

    /// The part in use, in per mille; dead subtrees count until they are taken apart. 1000 of a full arena, where what is left is too
    /// small for the next list of moves.
    pub fn in_use(&self) -> u32 {
        if self.is_full() {
            return 1000;
        }
        let used = self.next.load(Relaxed).min(self.units.count()) - self.recycler().free_units;
        (u64::from(used) * 1000 / u64::from(self.units.count())) as u32
    }

    /// The bytes handed out so far.
    pub fn bytes(&self) -> usize {
        (self.next.load(Relaxed).min(self.units.count()) - self.recycler().free_units) as usize * UNIT_BYTES
    }

    fn recycler(&self) -> MutexGuard<'_, Recycler> {
        // Whoever panicked has ended the search, and the engine is built again.
        self.recycler.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The class of a block's size.
fn class(units: usize) -> usize {
    debug_assert!((1..=SMALL).contains(&units) || units == 2 * SMALL || units == 4 * SMALL);
    if units <= SMALL { units - 1 } else { SMALL + units / (4 * SMALL) }
}

/// The size of the blocks of a class.
fn class_units(class: usize) -> usize {
    if class < SMALL { class + 1 } else { (2 * SMALL) << (class - SMALL) }
}

impl Recycler {
    fn take(&mut self, arena: &Arena, units: usize) -> Option<u32> {
        let head = &mut self.free[class(units)];
        let index = *head;
        (index != 0).then(|| {
            *head = arena.words(index, 1)[0].load(Relaxed);
            self.free_units -= units as u32;
            index
        })
    }

    fn give(&mut self, arena: &Arena, index: u32, units: usize) {
        let head = &mut self.free[class(units)];
        arena.words(index, 1)[0].store(*head, Relaxed);
        *head = index;
        self.free_units += units as u32;
    }

    /// Adds a list of edges to the dead ones.
    fn bury(&mut self, arena: &Arena, edges: u32) {
        let list = Edges::at(arena, edges);
        if let Some((frozen, units)) = list.take_frozen(arena) {
            self.give(arena, frozen, units);
        }
        list.link(self.dead);
        self.dead = edges;
    }

    /// Frees one dead list of edges with the nodes of its moves, whose own lists are dead from now on.
    fn take_apart(&mut self, arena: &Arena) -> bool {
        let dead = self.dead;
        if dead == 0 {
            return false;
        }
        let list = Edges::at(arena, dead);
        self.dead = list.linked();
        for (chunk, index) in list.chunks() {
            for node in arena.nodes(index, chunk_units(chunk)) {
                if node.edges() != 0 {
                    self.bury(arena, node.edges());
                }
            }
            self.give(arena, index, chunk_units(chunk));
        }
        self.give(arena, dead, edge_units(list.len()));
        true
    }

    /// A part of a larger block, whose rest is kept.
    fn split(&mut self, arena: &Arena, units: usize) -> Option<u32> {
        let larger = (class(units) + 1..CLASSES).find(|class| self.free[*class] != 0)?;
        let whole = class_units(larger);
        let index = self.take(arena, whole)?;
        let (mut rest, mut left) = (index + units as u32, whole - units);
        while left > 0 {
            let part = left.min(SMALL);
            self.give(arena, rest, part);
            (rest, left) = (rest + part as u32, left - part);
        }
        Some(index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcts::node::Gain;

    #[test]
    fn classes_are_sizes() {
        for units in (1..=SMALL).chain([128, 256]) {
            assert_eq!(class_units(class(units)), units);
        }
        assert_eq!(class(256), CLASSES - 1);
    }

    #[test]
    fn blocks_do_not_overlap_and_an_arena_is_full_some_time() {
        let arena = Arena::with_bytes(0).unwrap();
        let mut blocks = Vec::new();
        for units in [1, 2, 7, 64, 128, 256].into_iter().cycle() {
            let Some(index) = arena.allocate(units) else { break };
            blocks.push((index, units as u32));
        }
        assert!(blocks.is_sorted_by(|a, b| a.0 + a.1 <= b.0), "{blocks:?}");
        let (last, units) = blocks[blocks.len() - 1];
        assert!(last + units <= arena.units.count() && last + units + 256 > arena.units.count());
        assert!(blocks[0].0 > ROOT && arena.bytes() < arena.units.count() as usize * UNIT_BYTES);
        assert!(arena.is_full() && arena.in_use() == 1000);
        arena.clear();
        assert!(!arena.is_full() && arena.allocate(256).is_some());
    }

    #[test]
    fn a_dead_subtree_is_handed_out_again() {
        let arena = Arena::with_bytes(0).unwrap();
        // A chain of lists of ten moves, whose first moves lead to the next.
        let mut above = arena.node(ROOT);
        let mut lists = 0;
        while let Some(index) = arena.allocate(edge_units(10)) {
            Edges::start(&arena, index, 10);
            above.set_edges(index);
            lists += 1;
            let Some(child) = Edges::at(&arena, index).child_or_allocate(&arena, 0) else { break };
            above = child;
        }
        while arena.allocate(1).is_some() {}
        assert!(arena.is_full());
        arena.release(arena.node(ROOT).edges());
        arena.node(ROOT).reset();
        let again = std::iter::from_fn(|| arena.allocate(edge_units(10))).count();
        assert!(again >= lists, "{again} of {lists}");
    }

    #[test]
    fn released_units_are_handed_out_by_size_and_larger_blocks_in_parts() {
        let arena = Arena::with_units(20).unwrap();
        let state = |arena: &Arena| (arena.bytes(), arena.in_use(), arena.is_full());
        assert_eq!(state(&arena), (32, 50, false), "the root");
        // A list of two units, its nodes in blocks of 1, 2, 4 and 8, and two units of nine words.
        let list = arena.allocate(edge_units(10)).unwrap();
        let edges = Edges::start(&arena, list, 10);
        for number in [0, 1, 3, 7] {
            edges.child_or_allocate(&arena, number).unwrap();
        }
        assert!(edges.chunks().eq([(0, 3), (1, 4), (2, 6), (3, 10)]));
        edges.child(&arena, 6).unwrap().add_visit(Gain { value: 1, draw: 1 }, true);
        assert_eq!(edges.freeze(&arena, &[1; 8]).map(<[AtomicU32]>::len), Some(8));
        assert_eq!(state(&arena), (640, 1000, false));
        assert_eq!(arena.allocate(1), None);
        assert_eq!(state(&arena), (640, 1000, true));
        arena.release(list);
        assert_eq!(state(&arena), (576, 900, false), "the frozen counts are free at once");
        assert_eq!(arena.allocate(4), Some(6));
        assert_eq!(state(&arena), (160, 250, false));
        assert!(arena.words(6, 32).iter().all(|word| word.load(Relaxed) == 0));
        // What was released last comes first; then eight units are cut into two and six, and these into five and one.
        assert_eq!([2, 2, 2, 2, 5, 1, 1].map(|units| arena.allocate(units)), [1, 4, 18, 10, 12, 17, 3].map(Some));
        assert_eq!((arena.allocate(1), state(&arena)), (None, (640, 1000, true)));
        arena.release(0);
        assert!(arena.is_full(), "nothing was released");
    }

    #[test]
    fn all_dead_lists_are_taken_apart() {
        let arena = Arena::with_units(7).unwrap();
        for list in [1, 3, 5] {
            assert_eq!(arena.allocate(edge_units(1)), Some(list));
            Edges::start(&arena, list, 1).child_or_allocate(&arena, 0).unwrap();
        }
        [1, 3, 5].into_iter().for_each(|list| arena.release(list));
        let mut again: Vec<u32> = std::iter::from_fn(|| arena.allocate(1)).collect();
        again.sort_unstable();
        assert_eq!(again, [1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn an_arena_has_the_units_of_its_bytes() {
        let units = |bytes| Arena::with_bytes(bytes).unwrap().units.count();
        assert_eq!([0, 1 << 16, (1 << 20) + 31].map(units), [2_048, 2_048, 32_768]);
    }

    #[test]
    fn what_is_released_in_large_blocks_is_handed_out_in_small_ones() {
        let arena = Arena::with_bytes(0).unwrap();
        // A list of the most moves, with a node for each of them: chunks of 1, 2, 4, ... 64 and 128 units.
        let list = arena.allocate(edge_units(218)).unwrap();
        let edges = Edges::start(&arena, list, 218);
        for number in 0..218 {
            edges.child_or_allocate(&arena, number).unwrap();
        }
        let (units, used) = (arena.next.load(Relaxed) - list, arena.bytes());
        while arena.allocate(1).is_some() {}
        arena.release(list);
        assert!(!arena.is_full() && arena.bytes() == arena.units.count() as usize * UNIT_BYTES);
        let again: Vec<u32> = std::iter::from_fn(|| arena.allocate(3)).collect();
        assert!(again.len() as u32 >= units / 3 - 10, "{} of {units} units in use of {used} bytes", again.len());
        let mut places = again.clone();
        places.sort_unstable();
        assert!(places.windows(2).all(|pair| pair[1] - pair[0] >= 3) && places[0] >= list);
        assert!(places[places.len() - 1] + 3 <= list + units);
    }
}

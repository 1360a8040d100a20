//! The units of an arena, 32 bytes each: a unit is a node, or eight words of a list of edges.

use crate::mcts::node::Node;
#[cfg(not(loom))]
use crate::shared_memory::SharedMemory;
use crate::shared_memory::atomic::AtomicU32;

/// The bytes of a unit.
pub const UNIT_BYTES: usize = 32;
/// Words of four bytes in a unit.
pub const UNIT_WORDS: usize = UNIT_BYTES / 4;

#[cfg(not(loom))]
const _: () = assert!(size_of::<Node>() == UNIT_BYTES);

/// So many units, all bits 0 at first.
#[cfg(not(loom))]
pub struct Units {
    memory: SharedMemory,
    count: u32,
}

#[cfg(not(loom))]
impl Units {
    /// # Errors
    /// If the system refuses the memory.
    pub fn new(count: u32) -> std::io::Result<Self> {
        Ok(Self { memory: SharedMemory::new(count as usize * UNIT_BYTES)?, count })
    }

    /// How many.
    #[inline]
    pub fn count(&self) -> u32 {
        self.count
    }

    /// A unit as a node.
    #[inline]
    pub fn node(&self, index: u32) -> &Node {
        assert!(index < self.count);
        // SAFETY: the memory is page-aligned, lives as long as self and holds `count` units; index is below. A node has the
        // size and no more than the alignment of a unit, and consists of atomics, for which any bits are valid. All
        // access is through such shared references. A unit is either a node or words from the time it is handed out until
        // its whole subtree is dead, so that no thread sees it as both.
        unsafe { &*self.memory.start().cast::<Node>().add(index as usize) }
    }

    /// Units as nodes.
    #[inline]
    pub fn nodes(&self, index: u32, count: usize) -> &[Node] {
        assert!(index as usize + count <= self.count as usize);
        // SAFETY: as in `node`, for `count` units of the memory.
        unsafe { std::slice::from_raw_parts(self.memory.start().cast::<Node>().add(index as usize), count) }
    }

    /// So many words from a unit on.
    #[inline]
    pub fn words(&self, index: u32, count: usize) -> &[AtomicU32] {
        assert!(index as usize + count.div_ceil(UNIT_WORDS) <= self.count as usize);
        // SAFETY: as in `node`, for words, of which eight fill a unit.
        unsafe {
            let first = self.memory.start().cast::<AtomicU32>().add(index as usize * UNIT_WORDS);
            std::slice::from_raw_parts(first, count)
        }
    }

    /// Makes units that are handed out words of 0, and nodes that were never visited.
    pub fn reset(&self, index: u32, count: usize) {
        use crate::shared_memory::atomic::Ordering::Relaxed;
        self.words(index, count * UNIT_WORDS).iter().for_each(|word| word.store(0, Relaxed));
    }
}

/// The units of the models: a node and eight words each, because atomics of loom cannot be both.
#[cfg(loom)]
pub struct Units {
    nodes: Vec<Node>,
    words: Vec<AtomicU32>,
}

#[cfg(loom)]
impl Units {
    pub fn new(count: u32) -> std::io::Result<Self> {
        let words = (0..count as usize * UNIT_WORDS).map(|_| AtomicU32::default()).collect();
        Ok(Self { nodes: (0..count).map(|_| Node::default()).collect(), words })
    }

    pub fn count(&self) -> u32 {
        self.nodes.len() as u32
    }

    pub fn node(&self, index: u32) -> &Node {
        &self.nodes[index as usize]
    }

    pub fn nodes(&self, index: u32, count: usize) -> &[Node] {
        &self.nodes[index as usize..][..count]
    }

    pub fn words(&self, index: u32, count: usize) -> &[AtomicU32] {
        &self.words[index as usize * UNIT_WORDS..][..count]
    }

    pub fn reset(&self, index: u32, count: usize) {
        use crate::shared_memory::atomic::Ordering::Relaxed;
        self.words(index, count * UNIT_WORDS).iter().for_each(|word| word.store(0, Relaxed));
        self.nodes(index, count).iter().for_each(Node::reset);
    }
}

//! The moves of an expanded node, each four bytes, in the order of their priors; and the nodes that they lead to.
//!
//! Of moves that were never visited PUCT takes the one with the greatest prior, so that those that were are always the first.
//! Nodes are made when they are visited, in chunks of 1, 2, 4, ... that stay where they are: the node of move `i` is
//! in chunk `log2(i + 1)`.
//!
//! ```text
//! words:  number of moves | frozen counts | chunk 0, chunk 1, ... | move 0, move 1, ...
//! move:   prior (16 bits: 5 of the exponent, 11 of the mantissa) | promotion (3) | to (6) | from (6)
//! ```
// CITE: the 16 bits of a prior are those of Lc0 (src/mcts/node.h, Edge).

use crate::mcts::arena::Arena;
use crate::mcts::node::Node;
use crate::shared_memory::atomic::AtomicU32;
use crate::shared_memory::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use board::{Move, Piece, Square};

/// The words before those of the chunks.
const HEADER: usize = 2;
/// Which of them names the frozen counts, and of a dead list the next.
const FROZEN: usize = 1;

/// The chunks of so many moves.
#[inline]
fn chunks(moves: usize) -> usize {
    (usize::BITS - moves.leading_zeros()) as usize
}

/// The nodes, and units, of a chunk.
#[inline]
pub fn chunk_units(chunk: usize) -> usize {
    1 << chunk
}

/// The units that hold so many words.
fn units(words: usize) -> usize {
    words.div_ceil(8).max(1)
}

/// The units of the list of so many moves.
pub fn edge_units(moves: usize) -> usize {
    units(HEADER + chunks(moves) + moves)
}

/// The moves of a node.
#[derive(Clone, Copy)]
pub struct Edges<'a> {
    words: &'a [AtomicU32],
    moves: usize,
}

impl<'a> Edges<'a> {
    /// Those that are at an index.
    #[inline]
    pub fn at(arena: &'a Arena, index: u32) -> Self {
        let moves = arena.words(index, 1)[0].load(Relaxed) as usize;
        Self { words: arena.words(index, HEADER + chunks(moves) + moves), moves }
    }

    /// Begins a list of so many moves in a new block.
    pub fn start(arena: &'a Arena, index: u32, moves: usize) -> Self {
        arena.words(index, 1)[0].store(moves as u32, Relaxed);
        Self::at(arena, index)
    }

    /// The number of moves.
    #[inline]
    pub fn len(&self) -> usize {
        self.moves
    }

    #[inline]
    fn edge(&self, number: usize) -> &AtomicU32 {
        &self.words[HEADER + chunks(self.moves) + number]
    }

    /// Writes a move of a list that no other thread can see yet.
    pub fn write(&self, number: usize, mv: Move, prior: f32) {
        let promotion = mv.promotion.map_or(0, |piece| piece as u32);
        let bits = mv.from as u32 | (mv.to as u32) << 6 | promotion << 12;
        self.edge(number).store(pack_prior(prior) << 16 | bits, Relaxed);
    }

    /// A move.
    #[inline]
    pub fn mv(&self, number: usize) -> Move {
        let bits = self.edge(number).load(Relaxed) as usize;
        Move {
            from: Square::index(bits & 63),
            to: Square::index(bits >> 6 & 63),
            // A promotion is never to a pawn, so 0 is none.
            promotion: Piece::try_index(bits >> 12 & 7).filter(|piece| *piece != Piece::Pawn),
        }
    }

    /// Its prior, in (0, 1].
    #[inline]
    pub fn prior(&self, number: usize) -> f32 {
        unpack_prior(self.edge(number).load(Relaxed) >> 16)
    }

    /// The number of a move, if it is one of these.
    pub fn find(&self, mv: Move) -> Option<usize> {
        (0..self.moves).find(|number| self.mv(*number) == mv)
    }

    /// The node that a move leads to, if there is one.
    #[inline]
    pub fn child(&self, arena: &'a Arena, number: usize) -> Option<&'a Node> {
        let (chunk, offset) = place(number);
        let index = self.words[HEADER + chunk].load(Acquire);
        (index != 0).then(|| arena.node(index + offset))
    }

    /// The same; one that is missing is made. `None` when the arena is full.
    pub fn child_or_allocate(&self, arena: &'a Arena, number: usize) -> Option<&'a Node> {
        let (chunk, offset) = place(number);
        let word = &self.words[HEADER + chunk];
        let mut index = word.load(Acquire);
        if index == 0 {
            let made = arena.allocate(chunk_units(chunk))?;
            // If another thread was first, this chunk stays unused until the tree is cleared.
            index = word.compare_exchange(0, made, AcqRel, Acquire).err().unwrap_or(made);
        }
        Some(arena.node(index + offset))
    }

    /// The nodes of the moves that were visited, which are the first, with their priors.
    #[inline]
    pub fn visited(self, arena: &'a Arena) -> impl Iterator<Item = (&'a Node, f32)> {
        let mut chunk: &[Node] = &[];
        (0..self.moves).map_while(move |number| {
            let (at, offset) = place(number);
            if offset == 0 {
                let index = self.words[HEADER + at].load(Acquire);
                chunk = if index == 0 { &[] } else { arena.nodes(index, chunk_units(at)) };
            }
            let node = chunk.get(offset as usize).filter(|node| node.started() > 0)?;
            Some((node, self.prior(number)))
        })
    }

    /// Number and index of the chunks that exist.
    pub fn chunks(self) -> impl Iterator<Item = (usize, u32)> {
        let index = move |chunk: usize| self.words[HEADER + chunk].load(Relaxed);
        (0..chunks(self.moves)).map(move |chunk| (chunk, index(chunk))).filter(|(_, index)| *index != 0)
    }

    /// The frozen counts: cumulative, `(move)`; `None` before they are frozen.
    #[inline]
    pub fn frozen(&self, arena: &'a Arena) -> Option<&'a [AtomicU32]> {
        let index = self.words[FROZEN].load(Acquire);
        (index != 0).then(|| {
            let length = arena.words(index, 1)[0].load(Relaxed) as usize;
            &arena.words(index, 1 + length)[1..]
        })
    }

    /// Freezes cumulative counts, at least one; `None` when the arena is full. Another thread's come first.
    pub fn freeze(&self, arena: &'a Arena, counts: &[u32]) -> Option<&'a [AtomicU32]> {
        let index = arena.allocate(units(1 + counts.len()))?;
        let words = arena.words(index, 1 + counts.len());
        let all = std::iter::once(counts.len() as u32).chain(counts.iter().copied());
        words.iter().zip(all).for_each(|(word, count)| word.store(count, Relaxed));
        let _ = self.words[FROZEN].compare_exchange(0, index, AcqRel, Relaxed);
        self.frozen(arena)
    }

    /// Index and units of the frozen counts, which are taken away.
    pub fn take_frozen(&self, arena: &Arena) -> Option<(u32, usize)> {
        let index = self.words[FROZEN].swap(0, Relaxed);
        (index != 0).then(|| (index, units(1 + arena.words(index, 1)[0].load(Relaxed) as usize)))
    }

    /// Names another list, of one that is dead and has no frozen counts any more.
    pub fn link(&self, next: u32) {
        self.words[FROZEN].store(next, Relaxed);
    }

    /// The list that a dead one names.
    pub fn linked(&self) -> u32 {
        self.words[FROZEN].load(Relaxed)
    }
}

/// The chunk of a move's node and its place there.
#[inline]
fn place(number: usize) -> (usize, u32) {
    let place = number as u32 + 1;
    let chunk = place.ilog2();
    (chunk as usize, place - (1 << chunk))
}

/// The exponent below which a prior is not told from the least.
const EXPONENT: u32 = 3 << 28;

/// The 16 bits of a prior, rounded; monotone.
fn pack_prior(prior: f32) -> u32 {
    let bits = prior.clamp(0.0, 1.0).to_bits() + (1 << 11);
    (bits.saturating_sub(EXPONENT) >> 12).clamp(1, 0xffff)
}

/// The prior of 16 bits.
#[inline]
fn unpack_prior(bits: u32) -> f32 {
    f32::from_bits((bits << 12) + EXPONENT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use board::MAX_MOVES;

    #[test]
    fn priors_keep_their_order_and_three_digits() {
        let mut last = 0;
        for step in 0..=100_000 {
            let prior = step as f32 / 100_000.0;
            let bits = pack_prior(prior);
            assert!(bits >= last && bits <= 0xffff);
            last = bits;
            assert!((unpack_prior(bits) - prior).abs() <= prior * 3e-4 + 1e-8, "{prior}");
        }
        assert_eq!(unpack_prior(pack_prior(1.0)), 1.0);
        assert!(unpack_prior(pack_prior(0.0)) > 0.0);
        // 0.3 is 0x3e99_999a, of which the last 12 bits are rounded and 3 is taken from the exponent's first bits.
        assert_eq!([1.0, 0.5, 0.3, 0.0].map(pack_prior), [0xf800, 0xf000, 0xe99a, 1]);
        assert_eq!(unpack_prior(0xe99a), 0.300_048_83);
    }

    #[test]
    fn a_list_has_the_units_of_its_words() {
        // Two words, one for each chunk, one for each move, eight in a unit.
        let wanted = [(1, 4), (2, 6), (3, 7), (4, 9), (10, 16), (11, 17), (35, 43), (218, 228)];
        for (moves, words) in wanted {
            assert_eq!(edge_units(moves), usize::div_ceil(words, 8), "{moves} moves");
        }
        let arena = Arena::with_bytes(0).unwrap();
        let edges = Edges::start(&arena, arena.allocate(edge_units(2)).unwrap(), 2);
        edges.write(1, Move { from: Square::E7, to: Square::E8, promotion: Some(Piece::Queen) }, 0.5);
        // e7 is 52, e8 60 and the queen 4.
        assert_eq!(edges.edge(1).load(Relaxed), 0xf000 << 16 | 4 << 12 | 60 << 6 | 52);
    }

    #[test]
    fn every_move_has_a_place_of_its_own_and_moves_are_kept() {
        let arena = Arena::with_bytes(1 << 20).unwrap();
        for moves in [1, 2, 3, 4, 35, 218, MAX_MOVES] {
            let index = arena.allocate(edge_units(moves)).unwrap();
            let edges = Edges::start(&arena, index, moves);
            let mv = |number: usize| Move {
                from: Square::index(number % 64),
                to: Square::index(number / 64 + 8),
                promotion: [None, Some(Piece::Queen), Some(Piece::Knight)][number % 3],
            };
            for number in 0..moves {
                edges.write(number, mv(number), 1.0 / (1 + number) as f32);
            }
            assert_eq!(edges.visited(&arena).count(), 0);
            let children: Vec<_> = (0..moves).map(|number| edges.child_or_allocate(&arena, number).unwrap()).collect();
            let mut places: Vec<_> = children.iter().map(|node| std::ptr::from_ref(*node)).collect();
            places.sort_unstable();
            places.dedup();
            assert_eq!(places.len(), moves);
            for (number, child) in children.iter().enumerate() {
                assert_eq!(edges.visited(&arena).count(), number);
                child.add_visit(crate::mcts::node::Gain::default(), true);
                assert_eq!(edges.find(mv(number)), Some(number));
                assert!(std::ptr::eq(edges.child(&arena, number).unwrap(), *child));
            }
            assert_eq!(edges.visited(&arena).count(), moves);
            assert!((0..moves).is_sorted_by(|a, b| edges.prior(*a) >= edges.prior(*b)));
        }
    }

    #[test]
    fn counts_are_frozen_once() {
        let arena = Arena::with_bytes(0).unwrap();
        let edges = Edges::start(&arena, arena.allocate(edge_units(20)).unwrap(), 20);
        let read = |counts: Option<&[AtomicU32]>| counts.map(|counts| counts.iter().map(|c| c.load(Relaxed)).collect());
        assert_eq!(read(edges.frozen(&arena)), None::<Vec<u32>>);
        assert_eq!(read(edges.freeze(&arena, &[3, 4, 9])), Some(vec![3, 4, 9]));
        assert_eq!(read(edges.freeze(&arena, &[5])), Some(vec![3, 4, 9]));
        assert_eq!(read(edges.frozen(&arena)), Some(vec![3, 4, 9]));
    }
}

//! A node: what the visits of a position found, in 32 bytes. All numbers are for the node's side to move.
//!
//! Sums are whole numbers, so that the order in which threads add to them does not matter.

use crate::mcts::proof::Proof;
use crate::shared_memory::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use crate::shared_memory::atomic::{AtomicI64, AtomicU32};

/// One in fixed point. With it, the values of 2^32 visits have room in a sum.
pub const ONE: f64 = (1_u64 << 30) as f64;

/// A number from -1 to 1 in fixed point; exactly odd.
#[inline]
pub fn fixed(number: f32) -> i64 {
    (f64::from(number) * ONE) as i64
}

/// The statistics of a position.
#[repr(C, align(32))]
#[derive(Default)]
pub struct Node {
    /// The sum of the values of all visits, in fixed point.
    values: AtomicI64,
    /// The sum of their chances of a draw, in fixed point.
    draws: AtomicI64,
    /// Visits whose values are in the sums.
    visits: AtomicU32,
    /// Visits under way, of several threads.
    in_flight: AtomicU32,
    /// Where its moves are; 0 until it is expanded.
    edges: AtomicU32,
    /// What is proven of it.
    proof: AtomicU32,
}

#[cfg(not(loom))]
const _: () = assert!(size_of::<Node>() == 32);

/// What one visit, or a correction, adds to a node.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Gain {
    /// To the sum of values.
    pub value: i64,
    /// To the sum of chances of a draw.
    pub draw: i64,
}

impl Gain {
    /// The same for the other side.
    #[inline]
    pub fn negated(self) -> Self {
        Self { value: -self.value, ..self }
    }

    /// Both together.
    #[inline]
    pub fn plus(self, other: Self) -> Self {
        Self { value: self.value + other.value, draw: self.draw + other.draw }
    }
}

impl Node {
    /// Makes it one that was never visited.
    pub fn reset(&self) {
        self.values.store(0, Relaxed);
        self.draws.store(0, Relaxed);
        self.visits.store(0, Relaxed);
        self.in_flight.store(0, Relaxed);
        self.edges.store(0, Relaxed);
        self.proof.store(0, Relaxed);
    }

    /// Takes over all of another, whose moves are this one's from now on. No search may be under way.
    pub fn take(&self, other: &Self) {
        self.values.store(other.values.load(Relaxed), Relaxed);
        self.draws.store(other.draws.load(Relaxed), Relaxed);
        self.visits.store(other.visits.load(Relaxed), Relaxed);
        self.in_flight.store(0, Relaxed);
        self.edges.store(other.edges.swap(0, Relaxed), Relaxed);
        self.proof.store(other.proof.load(Relaxed), Relaxed);
    }

    /// Visits whose values are known.
    #[inline]
    pub fn visits(&self) -> u32 {
        self.visits.load(Relaxed)
    }

    /// Visits under way.
    #[inline]
    pub fn in_flight(&self) -> u32 {
        self.in_flight.load(Relaxed)
    }

    /// Visits, those under way included.
    #[inline]
    pub fn started(&self) -> u32 {
        self.visits() + self.in_flight()
    }

    /// The mean value, in [-1, 1]; 0 before the first visit. While another thread adds a visit, sum and count may be one apart: what
    /// that takes out of the range is cut off.
    #[inline]
    pub fn value(&self) -> f64 {
        (self.values.load(Relaxed) as f64 / (ONE * f64::from(self.visits().max(1)))).clamp(-1.0, 1.0)
    }

    /// The mean chance of a draw, in [0, 1]; as `value`.
    pub fn draw(&self) -> f64 {
        (self.draws.load(Relaxed) as f64 / (ONE * f64::from(self.visits().max(1)))).clamp(0.0, 1.0)
    }

    /// Where its moves are; 0 before it is expanded.
    #[inline]
    pub fn edges(&self) -> u32 {
        self.edges.load(Acquire)
    }

    /// Gives it its moves, whose words are written.
    pub fn set_edges(&self, edges: u32) {
        self.edges.store(edges, Release);
    }

    /// The same unless another thread has done it; then `false`.
    pub fn offer_edges(&self, edges: u32) -> bool {
        self.edges.compare_exchange(0, edges, AcqRel, Relaxed).is_ok()
    }

    /// What is proven of it.
    #[inline]
    pub fn proof(&self) -> Option<Proof> {
        Proof::from_bits(self.proof.load(Relaxed))
    }

    /// Sets what is proven of it.
    pub fn set_proof(&self, proof: Option<Proof>) {
        self.proof.store(proof.map_or(0, Proof::to_bits), Relaxed);
    }

    /// A visit begins, of one of several threads.
    #[inline]
    pub fn begin_visit(&self) {
        self.in_flight.fetch_add(1, Relaxed);
    }

    /// A visit that began has ended.
    #[inline]
    pub fn end_visit(&self) {
        self.in_flight.fetch_sub(1, Relaxed);
    }

    /// Adds a visit. `alone`: no other thread writes.
    #[inline]
    pub fn add_visit(&self, gain: Gain, alone: bool) {
        if alone {
            self.values.store(self.values.load(Relaxed) + gain.value, Relaxed);
            self.draws.store(self.draws.load(Relaxed) + gain.draw, Relaxed);
            self.visits.store(self.visits.load(Relaxed) + 1, Relaxed);
        } else {
            self.values.fetch_add(gain.value, Relaxed);
            self.draws.fetch_add(gain.draw, Relaxed);
            self.visits.fetch_add(1, Relaxed);
        }
    }

    /// Makes the means those of a proof, `gain` for each visit; returns what was added for that.
    pub fn correct(&self, gain: Gain) -> Gain {
        let visits = i64::from(self.visits());
        let value = gain.value * visits - self.values.load(Relaxed);
        let draw = gain.draw * visits - self.draws.load(Relaxed);
        self.values.fetch_add(value, Relaxed);
        self.draws.fetch_add(draw, Relaxed);
        Gain { value, draw }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixed_point_is_odd_and_fine() {
        for number in [0.0, 1.0, 0.3, 1e-7, 0.999_999_94] {
            assert_eq!(fixed(-number), -fixed(number));
            assert!((fixed(number) as f64 / ONE - f64::from(number)).abs() < 1e-9);
        }
    }

    #[test]
    fn means_are_those_of_the_visits_and_then_of_the_proof() {
        let node = Node::default();
        for (value, alone) in [(0.5, true), (-0.25, false), (0.125, true)] {
            node.add_visit(Gain { value: fixed(value), draw: fixed(0.5) }, alone);
        }
        assert_eq!((node.visits(), node.value(), node.draw()), (3, 0.125, 0.5));
        let added = node.correct(Gain { value: fixed(1.0), draw: 0 });
        assert_eq!((node.value(), node.draw()), (1.0, 0.0));
        assert_eq!(added, Gain { value: fixed(1.0) * 3 - fixed(0.375), draw: -fixed(0.5) * 3 });
        assert_eq!(added.plus(added.negated()), Gain { value: 0, draw: -fixed(1.0) * 3 });
        assert_eq!(Gain { value: 5, draw: 2 }.plus(Gain { value: 1, draw: 4 }), Gain { value: 6, draw: 6 });
    }

    #[test]
    fn a_node_takes_all_of_another_but_the_visits_under_way() {
        let state =
            |node: &Node| (node.visits(), node.in_flight(), node.value(), node.draw(), node.edges(), node.proof());
        let (one, other) = (Node::default(), Node::default());
        let proof = Some(Proof::Win(3));
        other.add_visit(Gain { value: fixed(0.5), draw: fixed(0.25) }, false);
        other.begin_visit();
        other.begin_visit();
        other.end_visit();
        assert_eq!(other.started(), 2);
        assert!(other.offer_edges(7) && !other.offer_edges(8), "the first offer is taken");
        other.set_proof(proof);
        assert_eq!(state(&other), (1, 1, 0.5, 0.25, 7, proof));
        one.take(&other);
        assert_eq!(state(&one), (1, 0, 0.5, 0.25, 7, proof));
        assert_eq!(other.edges(), 0, "the moves have one owner");
        one.reset();
        assert_eq!(state(&one), (0, 0, 0.0, 0.0, 0, None));
    }
}

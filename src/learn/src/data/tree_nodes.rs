//! The nodes of a search that TreeStrap learns from: a sample of its positions, each with what the search said of it last.
//!
//! A position has a tag, a hash of its key and the seed of the search, and the sample is the positions with the lowest tags. So
//! each of them is in the sample with the same chance, however often the search meets it and in whatever order, and no
//! generator has to be drawn from at a node.
//!
//! CITE: Cohen and Kaplan 2007, Summarizing Data using Bottom-k Sketches, section 1.

use crate::data::game_position::is_quiet;
use crate::streams::mix;
use crate::tasks::values::values_options::Positions;
use board::Position;
use search::evaluator::leaf_value;
use search::{Bound, NodeObserver, SearchedNode};

/// A node of a search with what the search said of it, all for its side to move.
#[derive(Debug, Clone, PartialEq)]
pub struct TreeNode {
    /// The position.
    pub position: Position,
    /// The value, [-1, 1]; a mate is +-1.
    pub target: f32,
    /// What that is to the true value.
    pub bound: Bound,
    /// The static evaluation, [-1, 1]; `None` in check.
    pub evaluation: Option<f32>,
}

/// A bound as one character of ASCII: what the true value is to the one that is known.
pub fn sign_of(bound: Bound) -> char {
    match bound {
        Bound::Exact => '=',
        Bound::Lower => '>',
        Bound::Upper => '<',
    }
}

/// The bound of this sign.
pub fn bound_of(sign: char) -> Option<Bound> {
    [Bound::Exact, Bound::Lower, Bound::Upper].into_iter().find(|bound| sign_of(*bound) == sign)
}

/// Which nodes of a search are kept.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TreeSampling {
    /// How many at most.
    pub nodes: usize,
    /// The least depth, or depth equivalent, of their searches.
    pub level: f32,
    /// Whether all, or those out of check whose best move is quiet.
    pub positions: Positions,
}

/// The sample of a search.
#[derive(Debug)]
pub struct TreeSample {
    sampling: TreeSampling,
    seed: u64,
    /// By their tags, the lowest first; all of its memory is allocated once.
    kept: Vec<Kept>,
}

#[derive(Debug)]
struct Kept {
    tag: u64,
    level: f32,
    /// Whether its best move, if any is known, is quiet.
    quiet: bool,
    node: TreeNode,
}

impl TreeSample {
    /// An empty sample.
    pub fn new(sampling: TreeSampling) -> Self {
        Self { sampling, seed: 0, kept: Vec::with_capacity(sampling.nodes) }
    }

    /// Forgets the nodes before the search of this seed.
    pub fn begin(&mut self, seed: u64) {
        self.seed = seed;
        self.kept.clear();
    }

    /// The nodes, by their tags. There may be fewer than asked for: the last word on a node decides whether it is quiet.
    pub fn take(&mut self) -> Vec<TreeNode> {
        let wanted = |kept: &Kept| kept.quiet || self.sampling.positions == Positions::All;
        self.kept.drain(..).filter(wanted).map(|kept| kept.node).collect()
    }
}

impl NodeObserver for TreeSample {
    fn new_game(&mut self) {
        self.kept.clear();
    }

    fn observe(&mut self, searched: &SearchedNode) {
        let &SearchedNode { position, value, bound, level, best, evaluation, .. } = searched;
        let TreeSampling { nodes, level: least, positions } = self.sampling;
        if level < least || positions == Positions::Quiet && position.in_check() {
            return;
        }
        let tag = mix(position.key() ^ self.seed);
        let place = self.kept.binary_search_by_key(&tag, |kept| kept.tag);
        if place.map_or_else(|place| place == nodes, |place| level < self.kept[place].level) {
            return;
        }
        let evaluation = evaluation.map(|logit| leaf_value(logit).to_f32());
        let node = TreeNode { position: position.clone(), target: value.to_f32(), bound, evaluation };
        let kept = Kept { tag, level, quiet: best.is_none_or(|mv| is_quiet(position, mv)), node };
        match place {
            Ok(place) => self.kept[place] = kept,
            Err(place) => {
                self.kept.truncate(nodes - 1);
                self.kept.insert(place, kept);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::streams::stream;
    use board::random_positions::RandomPositions;
    use search::Value;

    const ALL: TreeSampling = TreeSampling { nodes: 8, level: 1.0, positions: Positions::All };

    fn positions(count: usize) -> Vec<Position> {
        let mut games = RandomPositions::new(stream(5, 5, 5));
        let mut found: Vec<Position> = Vec::new();
        while found.len() < count {
            let next = games.next_position();
            if found.iter().all(|other| other.key() != next.key()) {
                found.push(next.clone());
            }
        }
        found
    }

    fn searched(position: &Position, value: f32) -> SearchedNode<'_> {
        SearchedNode {
            position,
            value: Value::from_evaluation(value),
            bound: Bound::Exact,
            level: 1.0,
            ply: 1,
            best: None,
            evaluation: None,
        }
    }

    fn sample<'a>(seed: u64, positions: impl Iterator<Item = &'a Position>) -> Vec<Position> {
        let mut sample = TreeSample::new(ALL);
        sample.begin(seed);
        positions.for_each(|position| sample.observe(&searched(position, 0.0)));
        sample.take().into_iter().map(|node| node.position).collect()
    }

    #[test]
    fn every_position_has_the_same_chance_however_often_it_is_met() {
        let all = positions(40);
        let mut counts = vec![0; all.len()];
        for seed in 0..5_000 {
            // The tenth position comes ten times, and some come again at the end.
            let met = all.iter().chain(std::iter::repeat_n(&all[9], 9)).chain(&all[20..]);
            for position in sample(mix(seed), met) {
                counts[all.iter().position(|other| *other == position).unwrap()] += 1;
            }
        }
        assert_eq!(counts.iter().sum::<i32>(), 5_000 * 8, "a sample of eight is full");
        let (expected, chance) = (1_000.0, 8.0 / 40.0);
        let square = |count: &i32| (f64::from(*count) - expected).powi(2) / (expected * (1.0 - chance));
        let chi_square: f64 = counts.iter().map(square).sum();
        // 39 degrees of freedom: one in a thousand is above 72, one in a thousand below 16.
        assert!((16.0..72.0).contains(&chi_square), "{chi_square}: {counts:?}");
    }

    #[test]
    fn the_seed_alone_chooses() {
        let all = positions(40);
        let chosen = sample(1, all.iter());
        assert_eq!(sample(1, all.iter().rev()), chosen, "in any order");
        assert_ne!(sample(2, all.iter()), chosen);
        assert_eq!(sample(1, all[..5].iter()).len(), 5);
        // A sample that was used before is as a new one.
        let mut used = TreeSample::new(ALL);
        for seed in [2, 1] {
            used.begin(seed);
            all.iter().for_each(|position| used.observe(&searched(position, 0.0)));
        }
        assert!(used.take().into_iter().map(|node| node.position).eq(chosen));
        assert!(used.take().is_empty());
    }

    #[test]
    fn the_last_of_the_deepest_values_is_kept() {
        let position = Position::start();
        let mut sample = TreeSample::new(ALL);
        sample.begin(3);
        let mut meet = |value, level, bound| {
            sample.observe(&SearchedNode { level, bound, evaluation: Some(0.5), ..searched(&position, value) });
        };
        meet(0.1, 0.9, Bound::Exact);
        meet(0.2, 2.0, Bound::Exact);
        meet(0.3, 2.0, Bound::Lower);
        meet(0.4, 1.0, Bound::Exact);
        let taken = sample.take();
        let [node] = &taken[..] else { panic!("one position") };
        assert_eq!((node.target, node.bound), (0.3, Bound::Lower));
        assert!((node.evaluation.unwrap() - 0.5_f32.tanh()).abs() < 1e-5);
        sample.observe(&SearchedNode { value: -Value::mates_at(3), ..searched(&position, 0.0) });
        assert_eq!(sample.take()[0].target, -1.0);
    }

    #[test]
    fn quiet_nodes_are_out_of_check_and_their_best_move_takes_nothing() {
        let check = Position::from_fen("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1").unwrap();
        let capture = Position::from_fen("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1").unwrap();
        for (positions, expected) in [(Positions::All, 2), (Positions::Quiet, 0)] {
            let mut sample = TreeSample::new(TreeSampling { positions, ..ALL });
            sample.observe(&searched(&check, 0.0));
            // The first word on it is another.
            sample.observe(&searched(&capture, 0.0));
            sample.observe(&SearchedNode {
                best: capture.parse_uci("e4d5").ok(),
                level: 2.0,
                ..searched(&capture, 0.5)
            });
            assert_eq!(sample.take().len(), expected);
            sample.observe(&SearchedNode { best: capture.parse_uci("e4e5").ok(), ..searched(&capture, 0.5) });
            assert_eq!(sample.take().len(), 1);
        }
    }

    #[test]
    fn a_sign_is_a_bound() {
        assert_eq!(
            [Bound::Exact, Bound::Lower, Bound::Upper].map(|bound| bound_of(sign_of(bound))),
            [Some(Bound::Exact), Some(Bound::Lower), Some(Bound::Upper)]
        );
        assert_eq!(bound_of('r'), None);
    }

    #[test]
    fn a_new_game_forgets_and_what_is_too_shallow_is_not_taken() {
        let (first, second) = (Position::start(), positions(2).swap_remove(1));
        let mut sample = TreeSample::new(ALL);
        sample.observe(&searched(&first, 0.0));
        sample.new_game();
        sample.observe(&SearchedNode { level: 0.99, ..searched(&first, 0.0) });
        sample.observe(&SearchedNode { level: 1.0, ..searched(&second, 0.0) });
        assert_eq!(sample.take().into_iter().map(|node| node.position).collect::<Vec<_>>(), [second]);
    }
}

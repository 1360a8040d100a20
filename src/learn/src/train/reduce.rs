//! The gradient of a batch as the sum of a fixed number of shards' gradients, in an order that depends on that number alone: the same bits for
//! any number of threads, or of machines.
//!
//! The order is a tree: the shards of the first half, as many as the greatest power of two below their number, are added as a tree of their own, those of
//! the second half too, and then the two. So threads add at the same time, and a machine that has done a whole half sends one gradient instead of one
//! for each shard.
//
// CITE: pairwise summation: Higham, "The accuracy of floating point summation", SIAM Journal on Scientific Computing 14(4), 1993.

use crate::run::team::Team;
use nets::{Params, Shape};
use rayon::prelude::*;
use std::ops::Range;

/// A part of a batch's work, with a gradient of its own.
pub trait Shard: Send {
    /// A gradient.
    type Sum: Gradient;

    /// Adds the gradient of another shard to its own; the other's becomes zero.
    fn merge(&mut self, other: &mut Self);

    /// Adds its gradient to `sum`; its own becomes zero.
    fn add_gradient(&mut self, sum: &mut Self::Sum);
}

/// What gradients are added to.
pub trait Gradient {
    /// Becomes zero.
    fn clear(&mut self);
}

impl<T: Shape> Gradient for Params<T> {
    fn clear(&mut self) {
        self.values_mut().fill(0.0);
    }
}

impl Gradient for Vec<f64> {
    fn clear(&mut self) {
        self.fill(0.0);
    }
}

/// A gradient that another process can send.
pub trait PortableGradient: Gradient + Clone {
    /// Adds another of the same sizes.
    fn add(&mut self, other: &Self);

    /// How many bytes it is.
    fn bytes(&self) -> usize;

    /// Appends its bytes.
    fn write(&self, to: &mut Vec<u8>);

    /// Adds the gradient of these bytes.
    fn add_bytes(&mut self, bytes: &[u8]);
}

impl<T: Shape> PortableGradient for Params<T>
where
    Self: Clone,
{
    fn add(&mut self, other: &Self) {
        self.values_mut().iter_mut().zip(other.values()).for_each(|(sum, slope)| *sum += slope);
    }

    fn bytes(&self) -> usize {
        size_of_val(self.values())
    }

    fn write(&self, to: &mut Vec<u8>) {
        to.extend_from_slice(bytemuck::cast_slice(self.values()));
    }

    fn add_bytes(&mut self, bytes: &[u8]) {
        let (slopes, _) = bytes.as_chunks::<4>();
        self.values_mut().iter_mut().zip(slopes).for_each(|(sum, slope)| *sum += f32::from_ne_bytes(*slope));
    }
}

/// A shard whose part of a batch another process may do.
pub trait Portable: Shard<Sum: PortableGradient> {
    /// Appends all that is told of the shard but its gradient.
    fn write(&self, to: &mut Vec<u8>);

    /// Takes over what [`write`](Self::write) has written, and leaves the rest of the bytes.
    fn read(&mut self, from: &mut &[u8]);
}

/// The shards of a training, and the sum of their gradients; all large memory is kept between steps.
pub struct Reduction<S: Shard> {
    shards: Vec<S>,
    sum: S::Sum,
}

impl<S: Shard> Reduction<S> {
    /// So many shards, each made by `shard`, whose gradients are added in `sum`.
    pub fn new(sum: S::Sum, shards: usize, shard: impl FnMut() -> S) -> Self {
        Self { shards: std::iter::repeat_with(shard).take(shards).collect(), sum }
    }

    /// The same by all ranks of a team, each of which has the batch and does the part of its own shards; rank 0 gets all shards and the
    /// sum, to the bit as of one process. On the others neither is whole.
    pub fn reduce_among(
        &mut self,
        team: &Team,
        length: usize,
        work: impl Fn(Range<usize>, &mut S) + Send + Sync,
    ) -> (&[S], &mut S::Sum)
    where
        S: Portable,
    {
        if team.is_alone() {
            return self.reduce(length, work);
        }
        let Self { shards, sum } = self;
        let (count, own) = (shards.len(), team.shards(shards.len()));
        let mine = shards[own.clone()].par_iter_mut().enumerate().with_max_len(1);
        mine.for_each(|(number, shard)| work(part(own.start + number, count, length), shard));
        sum.clear();
        let branches = branches(count, &own);
        branches.iter().for_each(|branch| merge_all(&mut shards[branch.clone()]));
        if team.is_first() {
            let said = team.gather(Vec::new());
            let mut sums = Vec::new();
            for (rank, bytes) in said.iter().enumerate().skip(1) {
                let (mut rest, theirs) = (&bytes[..], team.shards_of(rank, count));
                shards[theirs.clone()].iter_mut().for_each(|shard| shard.read(&mut rest));
                for branch in self::branches(count, &theirs) {
                    let (bytes, behind) = rest.split_at(sum.bytes());
                    sums.push((branch, bytes));
                    rest = behind;
                }
            }
            Branches { own: &branches, sums: &sums }.add(&(0..count), shards, sum);
        } else {
            let mut bytes = Vec::new();
            shards[own].iter().for_each(|shard| shard.write(&mut bytes));
            // And a byte that the team adds.
            bytes.reserve_exact(sum.bytes() * branches.len() + 1);
            for branch in branches {
                shards[branch.start].add_gradient(sum);
                sum.write(&mut bytes);
                sum.clear();
            }
            team.gather(bytes);
        }
        (shards, sum)
    }

    /// Lets `work` do every shard's part of a batch of `length` examples, on the threads of the present `rayon` pool, and
    /// returns the shards and the sum of their gradients.
    pub fn reduce(&mut self, length: usize, work: impl Fn(Range<usize>, &mut S) + Send + Sync) -> (&[S], &mut S::Sum) {
        let Self { shards, sum } = self;
        let count = shards.len();
        let work = |(number, shard)| work(part(number, count, length), shard);
        shards.par_iter_mut().enumerate().with_max_len(1).for_each(work);
        merge_all(shards);
        sum.clear();
        if let Some(first) = shards.first_mut() {
            first.add_gradient(sum);
        }
        (shards, sum)
    }
}

/// The halves of a branch of at least two shards.
fn halves(branch: &Range<usize>) -> [Range<usize>; 2] {
    let middle = branch.start + branch.len().next_power_of_two() / 2;
    [branch.start..middle, middle..branch.end]
}

/// Adds the gradients of a branch in the first of its shards.
fn merge_all<S: Shard>(shards: &mut [S]) {
    if shards.len() < 2 {
        return;
    }
    let (left, right) = shards.split_at_mut(halves(&(0..shards.len()))[0].len());
    rayon::join(|| merge_all(left), || merge_all(right));
    left[0].merge(&mut right[0]);
}

/// The greatest branches of the tree of `count` shards that lie in `own`, in their order.
fn branches(count: usize, own: &Range<usize>) -> Vec<Range<usize>> {
    fn add(branch: Range<usize>, own: &Range<usize>, to: &mut Vec<Range<usize>>) {
        if branch.start >= own.start && branch.end <= own.end {
            to.push(branch);
        } else if branch.start < own.end && own.start < branch.end {
            halves(&branch).into_iter().for_each(|half| add(half, own, to));
        }
    }
    let mut found = Vec::new();
    if !own.is_empty() {
        add(0..count, own, &mut found);
    }
    found
}

/// The branches whose sums rank 0 has: its own, each in its first shard, and those of the others, as bytes.
struct Branches<'a> {
    own: &'a [Range<usize>],
    sums: &'a [(Range<usize>, &'a [u8])],
}

impl Branches<'_> {
    /// Adds the gradient of a branch, if it is one of these, to `sum`.
    fn add_known<S>(&self, branch: &Range<usize>, shards: &mut [S], sum: &mut S::Sum) -> bool
    where
        S: Shard<Sum: PortableGradient>,
    {
        if self.own.contains(branch) {
            shards[branch.start].add_gradient(sum);
            return true;
        }
        let theirs = self.sums.iter().find(|(theirs, _)| theirs == branch);
        theirs.inspect(|(_, bytes)| sum.add_bytes(bytes)).is_some()
    }

    /// Adds the gradient of a branch to `sum`, which is zero.
    fn add<S>(&self, branch: &Range<usize>, shards: &mut [S], sum: &mut S::Sum)
    where
        S: Shard<Sum: PortableGradient>,
    {
        if self.add_known(branch, shards, sum) {
            return;
        }
        let [left, right] = halves(branch);
        self.add(&left, shards, sum);
        if !self.add_known(&right, shards, sum) {
            let mut other = sum.clone();
            other.clear();
            self.add(&right, shards, &mut other);
            sum.add(&other);
        }
    }
}

/// The examples of a batch of `length` that belong to a shard: all parts have the same length, but the last ones less.
fn part(number: usize, shards: usize, length: usize) -> Range<usize> {
    let each = length.div_ceil(shards).max(1);
    let from = (number * each).min(length);
    from..(from + each).min(length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::ranks::in_threads::InThreads;
    use nets::{NetworkTopology, Topology};

    struct Constant(f32);

    impl Shard for Constant {
        type Sum = Params<Topology>;

        fn merge(&mut self, other: &mut Self) {
            self.0 += std::mem::take(&mut other.0);
        }

        fn add_gradient(&mut self, sum: &mut Params<Topology>) {
            sum.values_mut().iter_mut().for_each(|value| *value += self.0);
            self.0 = 0.0;
        }
    }

    #[test]
    fn gradients_are_added_in_the_order_of_the_tree() {
        let topology = NetworkTopology::new([1, 1, 1], 1).unwrap();
        let sizes = [1e8, 1.0, -1e8, 1.0_f32];
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut reduction = Reduction::new(Params::zeros(topology), 4, || Constant(0.0));
            let (_, sum) = pool.install(|| reduction.reduce(4, |part, shard| shard.0 = sizes[part.start]));
            // (1e8 + 1) + (-1e8 + 1), where 1e8 + 1 is 1e8; one by one it would be 1.
            assert!(sum.values().iter().all(|value| *value == 0.0), "{threads}");
        }
    }

    impl Portable for Constant {
        fn write(&self, to: &mut Vec<u8>) {
            to.extend(self.0.to_ne_bytes());
        }

        fn read(&mut self, from: &mut &[u8]) {
            let (bytes, rest) = from.split_at(4);
            // Nothing of it is told, but bytes that are out of step would be noticed.
            assert!(f32::from_ne_bytes(bytes.try_into().unwrap()).is_finite());
            *from = rest;
        }
    }

    #[test]
    fn any_number_of_ranks_adds_as_one_process_does() {
        let topology = NetworkTopology::new([1, 1, 1], 1).unwrap();
        for count in [1, 2, 5, 8, 16] {
            // Sums of these in another order have other bits.
            let size = |number: usize| (number as f32 + 0.7).sin() * 10_f32.powi(number as i32 % 5);
            let shards = || Reduction::new(Params::zeros(topology), count, || Constant(0.0));
            let work = |part: Range<usize>, shard: &mut Constant| shard.0 = size(part.start);
            let expected = shards().reduce(count, work).1.values().to_vec();
            for ranks in 1..=5 {
                let sums: Vec<Vec<f32>> = std::thread::scope(|scope| {
                    let ranks = InThreads::all(ranks).into_iter().map(|ranks| {
                        scope.spawn(move || {
                            let team = Team::new(ranks, None);
                            shards().reduce_among(&team, count, work).1.values().to_vec()
                        })
                    });
                    let ranks: Vec<_> = ranks.collect();
                    ranks.into_iter().map(|rank| rank.join().unwrap()).collect()
                });
                assert_eq!(sums[0], expected, "{count} shards, {ranks} ranks");
            }
        }
    }

    #[test]
    fn a_rank_sends_few_branches() {
        let ends = |count, own| branches(count, &own).into_iter().map(|branch| branch.end).collect::<Vec<_>>();
        assert_eq!(ends(16, 8..16), [16]);
        assert_eq!(ends(16, 0..16), [16]);
        assert_eq!(ends(16, 5..10), [6, 8, 10]);
        assert_eq!(ends(5, 3..5), [4, 5]);
        assert!(ends(8, 3..3).is_empty());
    }

    #[test]
    fn each_sum_begins_from_nothing() {
        let topology = NetworkTopology::new([1, 1, 1], 1).unwrap();
        let mut reduction = Reduction::new(Params::zeros(topology), 4, || Constant(0.0));
        for sizes in [[1.0, 2.0, 3.0, 4.0], [5.0, 0.0, 0.0, 0.0_f32]] {
            let (_, sum) = reduction.reduce(4, |part, shard| shard.0 = sizes[part.start]);
            assert!(sum.values().iter().all(|value| *value == sizes.iter().sum::<f32>()), "{sizes:?}");
        }
    }

    #[test]
    fn the_parts_of_a_batch_cover_it_once() {
        for length in [0, 1, 7, 8, 9, 100] {
            let covered: Vec<usize> = (0..8).flat_map(|number| part(number, 8, length)).collect();
            assert_eq!(covered, (0..length).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_gradient_travels_as_bytes() {
        let of = |from: f32| {
            let mut params = Params::<Topology>::zeros(NetworkTopology::new([1, 1, 1], 1).unwrap());
            params.values_mut().iter_mut().zip(1_u16..).for_each(|(value, number)| *value = from * f32::from(number));
            params
        };
        let (one, mut sum) = (of(1.0), of(10.0));
        let mut bytes = vec![7];
        one.write(&mut bytes);
        assert_eq!((bytes[0], bytes.len()), (7, 1 + one.bytes()));
        assert_eq!(one.bytes(), 4 * one.values().len());
        sum.add_bytes(&bytes[1..]);
        assert_eq!(sum.values(), of(11.0).values());
        sum.add(&one);
        assert_eq!(sum.values(), of(12.0).values());
        sum.clear();
        assert_eq!(sum.values(), of(0.0).values());
        let mut doubles = vec![1.5, -2.0];
        Gradient::clear(&mut doubles);
        assert_eq!(doubles, [0.0, 0.0]);
    }

    #[test]
    fn parts_are_equal_but_for_the_last_ones() {
        assert_eq!([0, 1, 2, 3].map(|number| part(number, 4, 9)), [0..3, 3..6, 6..9, 9..9]);
        assert_eq!([0, 1, 2].map(|number| part(number, 3, 2)), [0..1, 1..2, 2..2]);
        assert_eq!(halves(&(0..5)), [0..4, 4..5]);
        assert_eq!(halves(&(3..7)), [3..5, 5..7]);
    }
}

//! The gradient of a batch as the sum of a fixed number of shards' gradients, in the order of the shards: the same bits for
//! any number of threads, or of machines.

use crate::run::team::Team;
use nets::{Params, Shape};
use rayon::prelude::*;
use std::ops::Range;

/// A part of a batch's work, with a gradient of its own.
pub trait Shard: Send {
    /// A gradient.
    type Sum: Gradient;

    /// Adds the gradient since the last call to `sum`.
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

/// A shard whose part of a batch another process may do.
pub trait Portable: Shard {
    /// Appends the gradient since the last call, and all else that is told of the shard; `zeros` is a sum without anything, and is so
    /// again behind it.
    fn write(&mut self, zeros: &mut Self::Sum, to: &mut Vec<u8>);

    /// Adds to `sum` the gradient that [`write`](Self::write) has written, takes over what is told of the shard, and leaves the rest of
    /// the bytes.
    fn read(&mut self, sum: &mut Self::Sum, from: &mut &[u8]);
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
        if team.is_first() {
            let said = team.gather(&[]);
            shards[own].iter_mut().for_each(|shard| shard.add_gradient(sum));
            for (rank, bytes) in said.iter().enumerate().skip(1) {
                let mut bytes = &bytes[..];
                shards[team.shards_of(rank, count)].iter_mut().for_each(|shard| shard.read(sum, &mut bytes));
            }
        } else {
            let mut bytes = Vec::new();
            shards[own].iter_mut().for_each(|shard| shard.write(sum, &mut bytes));
            team.gather(&bytes);
        }
        (shards, sum)
    }

    /// Lets `work` do every shard's part of a batch of `length` examples, on the threads of the present `rayon` pool, and
    /// returns the shards and the sum of their gradients, added in their order.
    pub fn reduce(&mut self, length: usize, work: impl Fn(Range<usize>, &mut S) + Send + Sync) -> (&[S], &mut S::Sum) {
        let Self { shards, sum } = self;
        let count = shards.len();
        let work = |(number, shard)| work(part(number, count, length), shard);
        shards.par_iter_mut().enumerate().with_max_len(1).for_each(work);
        sum.clear();
        shards.iter_mut().for_each(|shard| shard.add_gradient(sum));
        (shards, sum)
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
    use nets::{NetworkTopology, Topology};

    struct Constant(f32);

    impl Shard for Constant {
        type Sum = Params<Topology>;

        fn add_gradient(&mut self, sum: &mut Params<Topology>) {
            sum.values_mut().iter_mut().for_each(|value| *value += self.0);
            self.0 = 0.0;
        }
    }

    #[test]
    fn gradients_are_added_in_the_order_of_the_shards() {
        let topology = NetworkTopology::new([1, 1, 1], 1).unwrap();
        let sizes = [1e8, 1.0, -1e8, 1.0_f32];
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut reduction = Reduction::new(Params::zeros(topology), 4, || Constant(0.0));
            let (_, sum) = pool.install(|| reduction.reduce(4, |part, shard| shard.0 = sizes[part.start]));
            // (1e8 + 1) - 1e8 + 1 in this order, where 1e8 + 1 is 1e8.
            assert!(sum.values().iter().all(|value| *value == 1.0), "{threads}");
        }
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
}

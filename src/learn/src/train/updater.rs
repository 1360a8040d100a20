//! The updater: one step of the optimizer on what an iteration's episodes teach and on what is replayed.

use crate::data::episode::Episode;
use crate::data::example::Example;
use crate::run::team::Team;
use crate::targets::episode_targets::Targets;
use crate::tasks::td_leaf::td_leaf_options::Options;
use crate::train::average;
use crate::train::trainer_state::TrainerState;
use crate::train::value_trainer::{Statistics, ValueTrainer, Weighted};
use kernels::Kernels;
use nets::ValueNet;
use rayon::prelude::*;

/// How many shards a batch is cut into.
pub const SHARDS: usize = 16;

/// Trains a net on episodes.
pub struct Updater {
    options: Options,
    targets: Targets,
    trainer: ValueTrainer,
}

/// What a step did.
#[derive(Debug, Clone, Copy)]
pub struct Update {
    /// Leaves of the episodes.
    pub leaves: usize,
    /// Roots and nodes of the episodes' searches.
    pub nodes: usize,
    /// The batch, replayed examples included, as the net saw it before the step.
    pub batch: Statistics,
    /// Of the batch's roots and nodes, the part whose values were inside their bounds; `None` without any.
    pub inside: Option<f64>,
    /// Whether the net has changed: without an example it does not.
    pub changed: bool,
}

impl Updater {
    /// An updater by these options, for nets of this one's sizes.
    pub fn new(options: &Options, net: &ValueNet, kernels: &'static Kernels) -> Self {
        let trainer = ValueTrainer::new(net, options.loss, SHARDS, kernels).with_material();
        Self { options: options.clone(), targets: Targets::new(options), trainer }
    }

    /// The same updater, whose steps all ranks of this team take together.
    pub fn of_team(self, team: Team) -> Self {
        Self { trainer: self.trainer.of_team(team), ..self }
    }

    /// Takes the step of the state's iteration on the threads of the present `rayon` pool.
    pub fn learn(&mut self, state: &mut TrainerState, episodes: &[Episode]) -> Update {
        let Self { options, targets, trainer } = self;
        let examples: Vec<Vec<Example>> =
            episodes.par_iter().with_max_len(1).map(|episode| targets.examples(episode)).collect();
        let examples: Vec<Example> = examples.into_iter().flatten().collect();
        let nodes = examples.iter().filter(|example| example.bound.is_some()).count();
        let leaves = examples.len() - nodes;
        let (all, of_nodes) = weighted(examples.iter().chain(state.replay.examples()));
        let (number, rate) = (all.len() as f32, options.rate_at(state.iteration));
        let batch = trainer.step((&mut state.net, &mut state.optimizer), rate, &all, |_, sum| {
            sum.values_mut().iter_mut().for_each(|slope| *slope /= number);
        });
        let changed = !all.is_empty();
        if let Some(average) = state.average.as_mut().filter(|_| changed) {
            average::follow(average.params_mut(), state.net.params(), state.iteration, options.average);
        }
        state.replay.keep(examples);
        let inside = (of_nodes > 0).then(|| batch.inside as f64 / of_nodes as f64);
        Update { leaves, nodes, batch, inside, changed }
    }
}

/// The examples with their factors, and the number of roots and nodes among them. Where there are leaves too, each of the two kinds
/// has half of the weight, however many more nodes there are.
fn weighted<'a>(examples: impl Iterator<Item = &'a Example>) -> (Vec<Weighted<'a>>, usize) {
    let mut all: Vec<Weighted<'_>> = examples.map(|example| (example, 1.0)).collect();
    let nodes = all.iter().filter(|(example, _)| example.bound.is_some()).count();
    let leaves = all.len() - nodes;
    if nodes > 0 && leaves > 0 {
        let half = 0.5 * all.len() as f32;
        for (example, factor) in &mut all {
            *factor = half / if example.bound.is_some() { nodes } else { leaves } as f32;
        }
    }
    (all, nodes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::streams::stream;
    use crate::train::loss::Loss;
    use board::Position;
    use board::random_positions::RandomPositions;
    use nets::{NetworkTopology, Topology};
    use search::Bound;
    use support::choice::Choice;

    /// The bits of the gradient of a net at the examples that `of` makes of these positions and the net's values there, and how many of them
    /// are inside their bounds.
    fn gradient(
        net: &ValueNet,
        loss: Loss,
        positions: &[Position],
        of: impl Fn(Position, f32) -> Example,
    ) -> (Vec<u32>, usize) {
        let kernels = kernels::active().unwrap();
        let values = crate::train::value_trainer::values(net, positions, |position| position, kernels);
        let example = |(position, value): (&Position, f32)| of(position.clone(), value);
        let examples: Vec<Example> = positions.iter().zip(values).map(example).collect();
        let (all, _) = weighted(examples.iter());
        let mut trainer = ValueTrainer::new(net, loss, SHARDS, kernels);
        let (sum, statistics) = trainer.gradient(net, &all);
        (sum.values().iter().map(|slope| slope.to_bits()).collect(), statistics.inside)
    }

    #[test]
    fn a_bound_has_no_gradient_inside_and_the_targets_own_outside() {
        let topology: Topology = NetworkTopology::new([3, 5, 4], 6).unwrap().into();
        let net = ValueNet::random(topology, 5);
        let mut games = RandomPositions::new(stream(3, 3, 3));
        let positions: Vec<Position> = (0..50).map(|_| games.next_position().clone()).collect();
        for (loss, ..) in Loss::ALL {
            let of = |bound: Option<Bound>, by: f32| {
                gradient(&net, *loss, &positions, |position, value| Example::new(position, value + by).of_bound(bound))
            };
            for (bound, inside, outside) in [(Bound::Lower, -0.1, 0.1), (Bound::Upper, 0.1, -0.1)] {
                let (slopes, count) = of(Some(bound), inside);
                assert!(slopes.iter().all(|bits| f32::from_bits(*bits) == 0.0), "{loss:?} {bound:?}");
                assert_eq!(count, positions.len());
                assert_eq!(of(Some(bound), outside), of(None, outside), "{loss:?} {bound:?}");
            }
            assert_eq!(of(Some(Bound::Exact), 0.1), of(None, 0.1));
            assert_ne!(of(None, 0.1).0, of(None, -0.1).0);
        }
    }

    #[test]
    fn positions_with_colors_exchanged_have_the_same_gradient() {
        let net = ValueNet::random(NetworkTopology::new([3, 5, 4], 6).unwrap(), 5);
        let mut games = RandomPositions::new(stream(3, 3, 3));
        let positions: Vec<Position> = (0..50).map(|_| games.next_position().clone()).collect();
        let mirrors: Vec<Position> = positions.iter().map(Position::mirror).collect();
        let of = |positions: &[Position]| {
            gradient(&net, Loss::Squared, positions, |position, _| Example::new(position, 0.3).of_bound(Bound::Lower))
        };
        assert_eq!(of(&positions), of(&mirrors));
    }

    #[test]
    fn leaves_and_nodes_have_half_of_the_weight_each() {
        let leaf = Example::new(Position::start(), 0.5);
        let node = leaf.clone().of_bound(Bound::Lower);
        let factors = |examples: &[&Example]| {
            let (all, nodes) = weighted(examples.iter().copied());
            (all.iter().map(|(_, factor)| *factor).collect::<Vec<_>>(), nodes)
        };
        assert_eq!(factors(&[&leaf, &leaf]), (vec![1.0; 2], 0));
        assert_eq!(factors(&[&node, &node, &node]), (vec![1.0; 3], 3));
        assert_eq!(factors(&[&node, &leaf, &node, &node]), (vec![2.0 / 3.0, 2.0, 2.0 / 3.0, 2.0 / 3.0], 3));
        assert_eq!(factors(&[]), (Vec::new(), 0));
    }
}

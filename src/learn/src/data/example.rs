//! A position and what its value, or the game's result, should be: what every trainer of a value network learns from.

use board::Position;
use feature_maps::compact::CompactFeatures;
use feature_maps::layout::INPUTS;
use nets::FeatureSource;
use search::Bound;

/// What is known of a result, for the side to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It won.
    Win,
    /// The game was drawn.
    Draw,
    /// It lost.
    Loss,
    /// It did not win a game that it had to win, its draws counting as losses.
    NotWon,
    /// It did not lose a game in which draws counted as its wins.
    NotLost,
}

impl Outcome {
    /// That of a result for the side to move: -1, 0 or 1.
    pub fn of_result(result: i8) -> Self {
        match result {
            0 => Self::Draw,
            1.. => Self::Win,
            _ => Self::Loss,
        }
    }

    /// That of a game with a contract: a draw was worth `worth`, -1 or 1, to the side to move. Which of the other results a failure
    /// or a success would have been is not used: a contract changes how both sides play.
    pub fn of_contract(result: i8, worth: i8) -> Self {
        match (worth, result) {
            (..0, 1) => Self::Win,
            (..0, _) => Self::NotWon,
            (_, -1) => Self::Loss,
            (_, _) => Self::NotLost,
        }
    }
}

/// A position and what its value should be.
#[derive(Debug, Clone)]
pub struct Example {
    /// The position.
    pub position: Position,
    /// The target for its side to move, [-1, 1].
    pub target: f32,
    /// The value that the target is compared with, for its side to move; `None`: the net's present value.
    pub value: Option<f32>,
    /// What the target is to the value of a root or another node of a search tree; `None` elsewhere: it is the value itself.
    pub bound: Option<Bound>,
    /// What is known of the game's result, of which [`Loss::Results`](crate::train::loss::Loss::Results) learns instead of the target.
    pub outcome: Option<Outcome>,
    features: Option<Box<CompactFeatures>>,
}

impl Example {
    /// About how many bytes an example with features takes.
    pub const BYTES: usize = size_of::<Self>() + size_of::<CompactFeatures>();

    /// An example whose target is compared with the net's present value.
    pub fn new(position: Position, target: f32) -> Self {
        Self { position, target, value: None, bound: None, outcome: None, features: None }
    }

    /// An example whose chances of win, draw and loss are to be learned.
    pub fn of_outcome(position: Position, outcome: Outcome) -> Self {
        Self { outcome: Some(outcome), ..Self::new(position, 0.0) }
    }

    /// The same example, whose target is compared with this value.
    pub fn compared_with(self, value: f32) -> Self {
        Self { value: Some(value), ..self }
    }

    /// The same example of a node of a search tree, to whose value the target is this; with `None`, of another position.
    pub fn of_bound(self, bound: impl Into<Option<Bound>>) -> Self {
        Self { bound: bound.into(), ..self }
    }

    /// The value that the loss is taken at if the net's present value is this. Where the value is inside a bound it is the target,
    /// so that nothing is learned.
    ///
    /// CITE: Veness, Silver, Uther and Blair 2009, Bootstrapping from Game Tree Search: the update of TreeStrap(alpha-beta).
    pub fn compared(&self, present: f32) -> f32 {
        let value = self.value.unwrap_or(present);
        match self.bound {
            Some(Bound::Lower) => value.min(self.target),
            Some(Bound::Upper) => value.max(self.target),
            Some(Bound::Exact) | None => value,
        }
    }

    /// Is that value inside the bound?
    pub fn is_inside(&self, present: f32) -> bool {
        matches!(self.bound, Some(Bound::Lower | Bound::Upper)) && self.compared(present) == self.target
    }

    /// The same example with its features: they are not extracted again whenever it is learned from.
    pub fn with_features(self) -> Self {
        let mut features = [0.0; INPUTS];
        feature_maps::extract(&self.position, &mut features);
        Self { features: Some(Box::new(CompactFeatures::new(&features))), ..self }
    }

    /// The position and where its features are.
    pub fn input(&self) -> (&Position, FeatureSource<'_>) {
        (&self.position, self.features.as_deref().map_or(FeatureSource::Position, FeatureSource::Compact))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_values_outside_a_bound_differ_from_the_target() {
        let example = || Example::new(Position::start(), 0.25);
        let compared = |example: &Example| [-0.5, 0.25, 0.75].map(|value| example.compared(value));
        assert_eq!(compared(&example()), [-0.5, 0.25, 0.75]);
        assert_eq!(compared(&example().of_bound(Bound::Exact)), [-0.5, 0.25, 0.75]);
        assert_eq!(compared(&example().of_bound(Bound::Lower)), [-0.5, 0.25, 0.25]);
        assert_eq!(compared(&example().of_bound(Bound::Upper)), [0.25, 0.25, 0.75]);
        // What the search said counts, not what the net says.
        assert_eq!(compared(&example().of_bound(Bound::Lower).compared_with(-0.1)), [-0.1; 3]);
        assert_eq!(compared(&example().of_bound(Bound::Lower).compared_with(0.6)), [0.25; 3]);
    }

    #[test]
    fn an_outcome_is_that_of_the_result_and_features_are_kept() {
        assert_eq!([1, 0, -1].map(Outcome::of_result), [Outcome::Win, Outcome::Draw, Outcome::Loss]);
        let example = Example::of_outcome(Position::start(), Outcome::Draw);
        assert_eq!((example.outcome, example.target, example.value), (Some(Outcome::Draw), 0.0, None));
        assert!(matches!(example.input(), (_, FeatureSource::Position)));
        assert!(matches!(example.with_features().input(), (_, FeatureSource::Compact(_))));
    }

    #[test]
    fn a_value_is_inside_a_bound_on_its_own_side() {
        let inside = |bound: Option<Bound>| {
            let example = Example::new(Position::start(), 0.25).of_bound(bound);
            [-0.5, 0.25, 0.75].map(|value| example.is_inside(value))
        };
        assert_eq!(inside(Some(Bound::Lower)), [false, true, true]);
        assert_eq!(inside(Some(Bound::Upper)), [true, true, false]);
        assert_eq!([inside(Some(Bound::Exact)), inside(None)], [[false; 3]; 2]);
    }
}

//! A position and what its value should be: what every trainer of a value network learns from.

use board::Position;
use feature_maps::compact::CompactFeatures;
use feature_maps::layout::INPUTS;
use nets::FeatureSource;

/// A position and what its value should be.
#[derive(Debug, Clone)]
pub struct Example {
    /// The position.
    pub position: Position,
    /// The target for its side to move, [-1, 1].
    pub target: f32,
    /// The value that the target is compared with, for its side to move; `None`: the net's present value.
    pub value: Option<f32>,
    features: Option<Box<CompactFeatures>>,
}

impl Example {
    /// About how many bytes an example with features takes.
    pub const BYTES: usize = size_of::<Self>() + size_of::<CompactFeatures>();

    /// An example whose target is compared with the net's present value.
    pub fn new(position: Position, target: f32) -> Self {
        Self { position, target, value: None, features: None }
    }

    /// The same example, whose target is compared with this value.
    pub fn compared_with(self, value: f32) -> Self {
        Self { value: Some(value), ..self }
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

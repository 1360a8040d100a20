//! The features in a quarter of the memory, for a replay buffer of many positions: every feature is a whole number over
//! a denominator of its own (a file over 7, a count of safe squares over 16), and one byte holds the numerator.

use std::sync::LazyLock;

use kernels::{Backend, Task};

use crate::feature_set::POSITION;
use crate::layout::INPUTS;
use crate::schema::Part;

/// The denominators of the layout's units, the smallest first; that of controls, (2250 - value) / 3000 with values that
/// are multiples of 25, is 120.
const UNITS: [u8; 6] = [1, 2, 7, 8, 16, 120];

/// `(363)`: the smallest of the units of which all values of the feature are multiples.
static DENOMINATORS: LazyLock<[f32; INPUTS]> = LazyLock::new(|| {
    let mut units = [0; INPUTS];
    for (feature, value) in values() {
        while units[feature] + 1 < UNITS.len() && !is_multiple(value, UNITS[units[feature]]) {
            units[feature] += 1;
        }
    }
    units.map(|unit| f32::from(UNITS[unit]))
});

/// Every value that a feature may have, but for 0.
fn values() -> impl Iterator<Item = Part> {
    POSITION.groups.iter().flat_map(|group| {
        let schema = group.schema();
        let parts = (0..schema.rows()).flat_map(|row| schema.parts(row));
        parts.chain(&group.constant).copied()
    })
}

fn is_multiple(value: f32, unit: u8) -> bool {
    let unit = f32::from(unit);
    f32::from(nearest(value * unit)) / unit == value
}

/// The nearest whole number of one that is not negative.
fn nearest(number: f32) -> u8 {
    (number + 0.5) as u8
}

/// One position's features as numerators, `(363)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompactFeatures([u8; INPUTS]);

impl CompactFeatures {
    /// Features of a position: those of its layout, to the last bit.
    pub fn new(features: &[f32; INPUTS]) -> Self {
        let mut numerators = [0; INPUTS];
        for ((to, feature), denominator) in numerators.iter_mut().zip(features).zip(&*DENOMINATORS) {
            *to = nearest(feature * denominator);
        }
        Self(numerators)
    }
}

/// The task of writing a position's features.
pub struct Unfold<'a> {
    /// The compact features.
    pub from: &'a CompactFeatures,
    /// The features `(363)`, which are overwritten.
    pub to: &'a mut [f32; INPUTS],
}

impl Task for Unfold<'_> {
    type Output = ();

    #[inline(always)]
    fn run<B: Backend>(self) {
        for ((to, numerator), denominator) in self.to.iter_mut().zip(&self.from.0).zip(&*DENOMINATORS) {
            *to = f32::from(*numerator) / denominator;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_of_every_feature_comes_back_to_the_bit() {
        let mut seen = [false; INPUTS];
        for (feature, value) in values() {
            let mut features = [0.0; INPUTS];
            features[feature] = value;
            let compact = CompactFeatures::new(&features);
            for kernels in [Some(kernels::active().unwrap()), None] {
                let mut again = [7.0; INPUTS];
                let unfold = Unfold { from: &compact, to: &mut again };
                match kernels {
                    Some(kernels) => kernels.run(unfold),
                    None => unfold.run::<kernels::Scalar>(),
                }
                assert_eq!(again.map(f32::to_bits), features.map(f32::to_bits), "{feature}: {value}");
            }
            seen[feature] = true;
        }
        assert!(seen.iter().all(|seen| *seen), "a feature that is always 0");
    }
}

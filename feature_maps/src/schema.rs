//! What the rows of [`rows`](crate::rows) mean: the features and values that each stands for. From it the features
//! themselves are written, and a network's tables are made.

use std::ops::Range;
use std::sync::LazyLock;

use crate::layout::Group;
use crate::{position, slots, square};

/// A feature's index and its value.
pub type Part = (usize, f32);

/// The rows of one group, in order.
#[derive(Debug, Default)]
pub struct Schema {
    /// The parts of all rows, one after the other.
    parts: Vec<Part>,
    /// `(row)`: where its parts end.
    ends: Vec<usize>,
    /// The rows of each family.
    families: Vec<Range<usize>>,
}

impl Schema {
    /// The rows of a group.
    pub fn of(group: Group) -> &'static Schema {
        static ALL: LazyLock<[Schema; 3]> = LazyLock::new(|| {
            [position::describe, slots::describe, square::describe].map(|describe| {
                let mut schema = Schema::default();
                describe(&mut schema);
                schema
            })
        });
        &ALL[group as usize]
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.ends.len()
    }

    /// What a row stands for; features that are 0 may be left out. Rows of one family have the same features.
    #[inline]
    pub fn parts(&self, row: usize) -> &[Part] {
        let start = if row == 0 { 0 } else { self.ends[row - 1] };
        &self.parts[start..self.ends[row]]
    }

    /// The families: ranges of rows of which a position has at most one each, and of the first family always one. They
    /// cover all rows, in order.
    pub fn families(&self) -> &[Range<usize>] {
        &self.families
    }

    /// Adds a family of so many states.
    pub(crate) fn family(&mut self, states: usize, parts: impl Fn(usize) -> Vec<Part>) {
        let start = self.rows();
        for state in 0..states {
            self.parts.extend(parts(state).into_iter().filter(|(_, value)| *value != 0.0));
            self.ends.push(self.parts.len());
        }
        self.families.push(start..self.rows());
    }
}

/// A coordinate or a ray's length, 0 to 7, as a feature.
pub(crate) fn coordinate(value: usize) -> f32 {
    value as f32 / 7.0
}

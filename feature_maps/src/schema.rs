//! The schema of a group: the features and values that each row stands for. The extraction of features and the tables
//! of a quantized network follow it.

use std::ops::Range;

use crate::layout::PIECES;

/// A feature's index and its value.
pub type Part = (usize, f32);

/// The most parts of a row.
pub(crate) const MOST_PARTS: usize = 5;

/// The parts of a row in a record of fixed length, so that no branch depends on how many there are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Record {
    pub(crate) values: [f32; MOST_PARTS],
    /// Where nothing is left to write, [`NOWHERE`].
    pub(crate) features: [u16; MOST_PARTS],
}

/// The index of no feature.
const NOWHERE: u16 = ROOM as u16 - 1;

/// Room for the features of all groups that are written by records, and for [`NOWHERE`], a power of two.
pub(crate) const ROOM: usize = (PIECES.end + 1).next_power_of_two();

/// The rows of one group, in order.
#[derive(Debug, Default)]
pub struct Schema {
    /// The parts of all rows, one after the other.
    parts: Vec<Part>,
    /// `(rows + 1)`: where the parts of each row begin, and where the last ones end; empty without rows.
    starts: Vec<usize>,
    /// The rows of each categorical feature.
    categorical: Vec<Range<usize>>,
    /// `(row)`.
    records: Vec<Record>,
}

impl Schema {
    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// What a row stands for; features that are 0 may be left out. Rows of one categorical feature have the same
    /// features.
    #[inline]
    pub fn parts(&self, row: usize) -> &[Part] {
        &self.parts[self.starts[row]..self.starts[row + 1]]
    }

    /// The categorical features: ranges of rows of which a position has at most one each, and of the first range always
    /// one. They cover all rows, in order.
    pub fn categorical(&self) -> &[Range<usize>] {
        &self.categorical
    }

    /// `(row)`: what to write of each.
    #[inline]
    pub(crate) fn records(&self) -> &[Record] {
        &self.records
    }

    /// Adds a categorical feature with this number of states.
    pub(crate) fn add(&mut self, states: usize, parts: impl Fn(usize) -> Vec<Part>) {
        let start = self.rows();
        if self.starts.is_empty() {
            self.starts.push(0);
        }
        for state in 0..states {
            self.parts.extend(parts(state).into_iter().filter(|(_, value)| *value != 0.0));
            self.starts.push(self.parts.len());
            let parts = &self.parts[self.starts[start + state]..];
            assert!(parts.len() <= MOST_PARTS, "a row has at most {MOST_PARTS} parts");
            let mut record = Record { values: [0.0; MOST_PARTS], features: [NOWHERE; MOST_PARTS] };
            for (place, (feature, value)) in parts.iter().enumerate() {
                (record.features[place], record.values[place]) = (*feature as u16, *value);
            }
            self.records.push(record);
        }
        self.categorical.push(start..self.rows());
    }
}

/// A coordinate or a ray's length, 0 to 7, as a feature.
pub(crate) fn coordinate(value: usize) -> f32 {
    value as f32 / 7.0
}

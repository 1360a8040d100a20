//! A feature set as a value: the number of inputs of a network, the groups that its first layers take, the most rows of
//! each that a position has, and what the rows mean. [`Rows`](crate::rows::Rows) lists the rows of a position.
//!
//! Training, quantization and play take sizes and schemas from here: another group of inputs is another entry of
//! [`POSITION`].

use std::ops::Range;
use std::sync::OnceLock;

use crate::layout::{self, GROUPS, INPUTS, LAYOUT_VERSION};
use crate::position::{self, GLOBAL_ROWS};
use crate::schema::{Part, Schema};
use crate::slots::{self, MAX_PIECE_ROWS};
use crate::square::{self, SQUARE_ROWS};

/// The inputs of one first layer.
#[derive(Debug)]
pub struct InputGroup {
    /// The name of the layer in net files.
    pub name: &'static str,
    /// Where the inputs stand among all features.
    pub inputs: Range<usize>,
    /// The most rows that a position has.
    pub max_rows: usize,
    /// The feature that is the same in every position, and has no row.
    pub constant: Option<Part>,
    describe: fn(&mut Schema),
    schema: OnceLock<Schema>,
}

impl InputGroup {
    /// What the rows of the group mean.
    pub fn schema(&self) -> &Schema {
        self.schema.get_or_init(|| {
            let mut schema = Schema::default();
            (self.describe)(&mut schema);
            schema
        })
    }
}

/// The inputs of a network.
#[derive(Debug)]
pub struct FeatureSet {
    /// Stated by net files: see [`LAYOUT_VERSION`].
    pub version: u32,
    /// The number of inputs.
    pub inputs: usize,
    /// The groups, in the order of the inputs.
    pub groups: [InputGroup; GROUPS],
}

/// The features of a position (thesis 4.1): of the whole position, of its pieces and of its squares.
pub static POSITION: FeatureSet = FeatureSet {
    version: LAYOUT_VERSION,
    inputs: INPUTS,
    groups: [
        InputGroup {
            name: "global",
            inputs: layout::GLOBAL,
            max_rows: GLOBAL_ROWS,
            constant: Some(position::CONSTANT),
            describe: position::describe,
            schema: OnceLock::new(),
        },
        InputGroup {
            name: "piece",
            inputs: layout::PIECES,
            max_rows: MAX_PIECE_ROWS,
            constant: None,
            describe: slots::describe,
            schema: OnceLock::new(),
        },
        InputGroup {
            name: "square",
            inputs: layout::SQUARES,
            max_rows: SQUARE_ROWS,
            constant: None,
            describe: square::describe,
            schema: OnceLock::new(),
        },
    ],
};

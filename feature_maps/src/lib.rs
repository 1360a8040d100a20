//! The 363 features of a position (thesis 4.1), from the point of view of the side to move.
//!
//! Three modalities, one file each: what belongs to the whole position ([`position`]), to a piece ([`piece`]) and to a
//! square ([`square`]). [`layout`] is the table of where each of them stands. All are computed from a
//! [`board::MoverView`], so a position and its color-mirror have the same vector by construction.
//!
//! Play and training share one extraction: a position becomes [`rows`], which the quantized network takes as they are;
//! [`extract`] writes what the rows mean as numbers, for training. [`feature_set`] describes the set as a value.

pub mod compact;
pub mod feature_set;
pub mod layout;
mod lines;
mod list;
pub mod move_schema;
pub mod moves;
pub mod names;
pub mod piece;
pub mod placement;
pub mod position;
pub mod rows;
pub mod schema;
mod slots;
pub mod square;

use board::{MoverView, Position};
use feature_set::POSITION;
use kernels::{Backend, Task};
use layout::{INPUTS, PIECES};
use rows::Rows;
use schema::{MOST_PARTS, ROOM, Record};

/// One position's features, `(363)`; units and ranges are those of [`layout::LAYOUT`].
pub type Features = [f32; INPUTS];

/// Writes the features of `position`, seen by its side to move.
#[inline]
pub fn extract(position: &Position, features: &mut Features) {
    extract_view(&MoverView::of(position), features);
}

/// Writes the features of a view.
pub fn extract_view(view: &MoverView, features: &mut Features) {
    let task = ExtractFeatures { view, features };
    // Without kernels for this machine there is still the plain code, with the same numbers.
    match kernels::active() {
        Ok(kernels) => kernels.run(task),
        Err(_) => task.run::<kernels::Scalar>(),
    }
}

/// Writes the features that the rows stand for.
#[inline(always)]
fn write(rows: &Rows, features: &mut Features) {
    let [global, pieces, squares] = rows.lists();
    let mut written = [0.0; ROOM];
    for (group, list) in POSITION.groups.iter().zip([global, pieces]) {
        let records = group.schema().records();
        for row in list.rows() {
            let Record { features, values } = &records[usize::from(*row)];
            // No branch depends on the row, and no index needs a check.
            for part in 0..MOST_PARTS {
                written[usize::from(features[part]) % ROOM] = values[part];
            }
        }
        if let Some((feature, value)) = group.constant {
            written[feature] = value;
        }
    }
    let (others, of_squares) = features.split_at_mut(PIECES.end);
    others.copy_from_slice(&written[..PIECES.end]);
    square::write(squares.rows(), of_squares);
}

/// The task of writing the features of a view.
struct ExtractFeatures<'a> {
    view: &'a MoverView,
    features: &'a mut Features,
}

impl Task for ExtractFeatures<'_> {
    type Output = ();

    #[inline(always)]
    fn run<B: Backend>(self) {
        let mut rows = Rows::EMPTY;
        rows.set::<B>(self.view);
        write(&rows, self.features);
    }
}

/// The task of extracting the rows of a view.
pub struct ExtractRows<'a>(pub &'a MoverView);

impl Task for ExtractRows<'_> {
    type Output = Rows;

    #[inline(always)]
    fn run<B: Backend>(self) -> Rows {
        let mut rows = Rows::EMPTY;
        rows.set::<B>(self.0);
        rows
    }
}

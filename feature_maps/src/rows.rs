//! The features as rows: the input of quantized inference.
//!
//! Every feature takes one of a few values, and some change together (a piece's file and its two rays along the rank,
//! the controls of its square). Together they are a categorical feature with a numbered *state* for each combination,
//! whose part in the first layer, `sum over its features f of value(f) * W[f]`, is known once the weights are: it is a
//! row of a table. A position is then a list of row numbers, at most one of each categorical feature, and the first
//! layer is the sum of those rows: no products, no zeros, exact in integers.
//!
//! Each group of the layout numbers its own rows; the [`schema`](crate::schema) has the features of each row. The
//! first row of a list is always of the group's first categorical feature, whose rows can therefore hold the bias too.

use board::MoverView;
use board::view::{THEM, US};
use kernels::{Backend, RowList};

use crate::layout::GROUPS;
use crate::list::List;
use crate::piece::{self, DeferredRows, Safe};
use crate::position::GLOBAL_ROWS;
use crate::slots::MAX_PIECE_ROWS;
use crate::square::SQUARE_ROWS;
use crate::{position, square};

/// Numbers in the list of all rows, a whole number of the widest vectors.
const ALL: usize = (SQUARE_ROWS + MAX_PIECE_ROWS + GLOBAL_ROWS).next_multiple_of(32);

/// Where the rows of the pieces begin, and those of the squares, which come last.
const PIECES: usize = GLOBAL_ROWS;
const SQUARES: usize = ALL - SQUARE_ROWS;

/// A position as row numbers.
#[derive(Debug, Clone)]
pub struct Rows {
    /// Of the global features, of the pieces the first `pieces`, and of the squares, a1 to h8; between them
    /// zeros.
    all: [u16; ALL],
    pieces: usize,
}

impl Rows {
    /// No rows.
    pub const EMPTY: Self = Self { all: [0; ALL], pieces: 0 };

    /// Sets rows that are empty to those of a view.
    #[inline(always)]
    pub fn set<B: Backend>(&mut self, view: &MoverView) {
        let (rest, squares) = self.all.split_at_mut(SQUARES);
        let (global, pieces) = rest.split_at_mut(PIECES);
        let mut list = List::new(&mut pieces[..MAX_PIECE_ROWS]);
        list.push([piece::rights_row(view)]);
        let mut deferred = [DeferredRows::NONE; piece::MAX_DEFERRED];
        let mut pieces = List::new(&mut deferred);
        let us = piece::add_pieces::<US>(view, &mut list, &mut pieces);
        let them = piece::add_pieces::<THEM>(view, &mut list, &mut pieces);
        let number = piece::MAX_DEFERRED - pieces.room();
        let controls = square::controls::<B>(&us, &them);
        piece::write_pawns::<US>(view, &controls, &mut list);
        piece::write_pawns::<THEM>(view, &controls, &mut list);
        piece::write_deferred(&deferred[..number], &Safe::of(&us, &them), &controls, &mut list);
        self.pieces = MAX_PIECE_ROWS - list.room();
        squares.copy_from_slice(&square::rows(&controls));
        global.copy_from_slice(&position::rows(view));
    }

    /// `(group)`: the rows of each group of the [`feature_set`](crate::feature_set).
    #[inline(always)]
    pub fn lists(&self) -> [RowList<'_>; GROUPS] {
        let all = RowList::new(&self.all);
        let pieces = self.pieces.min(MAX_PIECE_ROWS);
        [all.part(0..PIECES), all.part(PIECES..PIECES + pieces), all.part(SQUARES..ALL)]
    }
}

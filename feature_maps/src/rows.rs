//! The features as rows: the form that quantized inference eats.
//!
//! Every feature takes one of a few values, and some change together (a piece's file and its two rays along the rank,
//! the controls of its square). Such a family has a numbered *state* for each combination, and a state's part in the
//! first layer, `sum over its features f of value(f) * W[f]`, is known once the weights are: it is a row of a table.
//! A position is then a list of row numbers, at most one of each family, and the first layer is the sum of those
//! rows: no products, no zeros, exact in integers.
//!
//! Each group of the layout numbers its own rows; [`schema`](crate::schema) says which features a row stands for. The
//! first row of a list is always of the group's first family, whose rows can therefore hold the bias too.

use board::MoverView;
use board::attacks::CLASSES;
use board::view::{THEM, US};
use kernels::{Backend, RowList};

use crate::piece::{self, Safe, Waiting};
use crate::{position, square};

/// States of a square under control of both sides: none or one of the classes of attacker each, ours times this many.
pub const CONTROL_STATES: usize = (CLASSES + 1) * (CLASSES + 1);

/// The most rows of pieces that a position has: the castling rights, and those of all slots of both sides.
pub const MOST_PIECE_ROWS: usize = 1 + 2 * (8 * 2 + 6 + 2 * (4 + 4 + 3));

/// The number of rows of the global features: one for each family.
pub const GLOBAL_ROWS: usize = 6;

/// Numbers in the list of all rows, a whole number of the widest vectors.
const ALL: usize = (64 + MOST_PIECE_ROWS + GLOBAL_ROWS).next_multiple_of(32);

/// Where the rows of the pieces begin, and those of the squares, which come last.
const PIECES: usize = GLOBAL_ROWS;
const SQUARES: usize = ALL - 64;

/// A position as row numbers.
#[derive(Debug, Clone)]
pub struct Rows {
    /// Of the global features, of the pieces as many as `pieces` says, and of the squares, a1 to h8; between them
    /// zeros.
    all: [u16; ALL],
    pieces: usize,
}

/// The rows of the three groups.
#[derive(Debug, Clone, Copy)]
pub struct Lists<'a> {
    /// Of the global features.
    pub global: RowList<'a>,
    /// Of the pieces.
    pub piece: RowList<'a>,
    /// Of the squares, a1 to h8.
    pub square: RowList<'a>,
}

impl Rows {
    /// No rows.
    pub const EMPTY: Self = Self { all: [0; ALL], pieces: 0 };

    /// Sets rows that are empty to those of a view.
    #[inline(always)]
    pub fn set<B: Backend>(&mut self, view: &MoverView) {
        let (rest, squares) = self.all.split_at_mut(SQUARES);
        let (global, pieces) = rest.split_at_mut(PIECES);
        let mut list = List { rest: &mut pieces[..MOST_PIECE_ROWS] };
        list.push([piece::rights_row(view)]);
        let mut waiting = [Waiting::NONE; piece::MOST_WAITING];
        let mut waits = List { rest: &mut waiting };
        let us = piece::look::<US>(view, &mut list, &mut waits);
        let them = piece::look::<THEM>(view, &mut list, &mut waits);
        let waits = piece::MOST_WAITING - waits.rest.len();
        let controls = square::controls::<B>(&us, &them);
        piece::write_pawns::<US>(view, &controls, &mut list);
        piece::write_pawns::<THEM>(view, &controls, &mut list);
        piece::write_waiting(&waiting[..waits], &Safe::of(&us, &them), &controls, &mut list);
        self.pieces = MOST_PIECE_ROWS - list.rest.len();
        squares.copy_from_slice(&square::rows(&controls));
        global.copy_from_slice(&position::rows(view));
    }

    /// The rows of each group.
    #[inline(always)]
    pub fn lists(&self) -> Lists<'_> {
        let all = RowList::new(&self.all);
        Lists {
            global: all.part(0..PIECES),
            piece: all.part(PIECES..PIECES + self.pieces.min(MOST_PIECE_ROWS)),
            square: all.part(SQUARES..ALL),
        }
    }
}

/// A list that grows in a place made for the longest that any position needs.
pub(crate) struct List<'a, T> {
    rest: &'a mut [T],
}

impl<T> List<'_, T> {
    /// Adds some.
    #[inline(always)]
    pub(crate) fn add<const N: usize>(&mut self, items: [T; N]) {
        let room = std::mem::take(&mut self.rest).split_first_chunk_mut();
        debug_assert!(room.is_some(), "a position needs no longer list");
        if let Some((place, rest)) = room {
            *place = items;
            self.rest = rest;
        }
    }
}

impl<'a> List<'a, u16> {
    /// The next places, to be written.
    #[inline(always)]
    pub(crate) fn take(&mut self, places: usize) -> &'a mut [u16] {
        let rest = std::mem::take(&mut self.rest);
        debug_assert!(places <= rest.len(), "a position needs no longer list");
        let (places, rest) = rest.split_at_mut(places.min(rest.len()));
        self.rest = rest;
        places
    }

    /// Adds rows.
    #[inline(always)]
    pub(crate) fn push<const N: usize>(&mut self, rows: [usize; N]) {
        let mut numbers = [0; N];
        for (number, row) in numbers.iter_mut().zip(rows) {
            *number = row as u16;
        }
        self.add(numbers);
    }
}

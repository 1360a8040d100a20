//! The sums of the piece placement along a line of play.
//!
//! A move takes a few rows from each view's sums and adds others; where the king changes its bucket or its half of the board
//! the view is summed anew. Sums are made when a position is evaluated, from the nearest position above that has its own.
//! They are exact, so that a value does not depend on the line that led to it.

use board::{Color, Move, Piece, Position, Square};
use feature_maps::placement::{Place, Placement, View};
use kernels::Backend;

use super::placement::{MOST_CHANGES, QuantizedPlacement};

/// Plies of a line for which there is room from its beginning, so that search does not allocate.
const PLIES: usize = 256;

/// What a move puts down and takes away.
#[derive(Clone, Copy, Debug, Default)]
struct Changes {
    added: Places,
    removed: Places,
    /// Whether a king is among them, so that a view may change.
    of_king: bool,
}

/// At most [`MOST_CHANGES`] pieces.
#[derive(Clone, Copy, Debug, Default)]
struct Places {
    places: [Place; MOST_CHANGES],
    number: u8,
}

impl Places {
    #[inline(always)]
    fn push(&mut self, color: Color, piece: Piece, square: Square) {
        self.places[usize::from(self.number)] = Place::of(color, piece, square);
        self.number += 1;
    }

    #[inline(always)]
    fn as_slice(&self) -> &[Place] {
        &self.places[..usize::from(self.number)]
    }
}

/// The sums of the positions of a line of play, each made when it is asked for.
#[derive(Clone, Debug, Default)]
pub struct PlacementLine {
    buckets: usize,
    width: usize,
    /// `(ply)`; the last one is where the line stands.
    nodes: Vec<LineNode>,
    /// `(ply, viewer, width)`.
    sums: Vec<i16>,
}

/// A position of a line.
#[derive(Clone, Debug)]
struct LineNode {
    /// `(viewer)`.
    views: [View; 2],
    /// From the position before.
    changes: Changes,
    /// Whether the sums of both views are there.
    known: bool,
}

impl PlacementLine {
    /// A line that begins at this position, for a network with such a placement; without one, a line that keeps nothing.
    pub fn new(net: Option<&QuantizedPlacement>, position: &Position) -> PlacementLine {
        let Some(net) = net else { return PlacementLine::default() };
        let mut line = PlacementLine {
            buckets: net.buckets,
            width: net.width,
            nodes: Vec::with_capacity(PLIES),
            // Room that grows as plies are reached: a search of 128 nodes would spend an eighth of its time on clearing all of it.
            sums: Vec::with_capacity(PLIES * 2 * net.width),
        };
        line.push(Color::ALL.map(|viewer| View::of(position, viewer, line.buckets)), Changes::default());
        line
    }

    /// A move, legal in `parent`, led to `child`.
    #[inline]
    pub fn make(&mut self, parent: &Position, mv: Move, child: &Position) {
        if self.width > 0 {
            let changes = Changes::of(parent, mv, child);
            let views = match self.nodes.last() {
                Some(node) if !changes.of_king => node.views,
                _ => Color::ALL.map(|viewer| View::of(child, viewer, self.buckets)),
            };
            self.push(views, changes);
        }
    }

    /// A null move was made.
    #[inline]
    pub fn make_null(&mut self) {
        if let Some(node) = self.nodes.last() {
            self.push(node.views, Changes::default());
        }
    }

    /// The last move was unmade.
    #[inline]
    pub fn unmake(&mut self) {
        self.nodes.pop();
    }

    #[inline]
    fn push(&mut self, views: [View; 2], changes: Changes) {
        self.nodes.push(LineNode { views, changes, known: false });
        let room = self.nodes.len() * 2 * self.width;
        if self.sums.len() < room {
            self.sums.resize(room, 0);
        }
    }

    /// What the placement adds to the logit of the last position, which is `position`.
    #[inline(always)]
    pub fn logit<B: Backend>(&mut self, net: &QuantizedPlacement, position: &Position) -> f32 {
        let us = position.side_to_move();
        let sums = self.sums::<B>(net, position);
        let mut logit = 0.0;
        for (viewer, weights) in [us, !us].into_iter().zip(net.weights(position)) {
            logit += net.output::<B>(&sums[viewer as usize * net.width..][..net.width], weights);
        }
        logit
    }

    /// `(viewer, width)`: the sums of the last position, which is `position`.
    #[inline(always)]
    fn sums<B: Backend>(&mut self, net: &QuantizedPlacement, position: &Position) -> &[i16] {
        let last = self.nodes.len() - 1;
        let mut above = last;
        while above > 0 && !self.nodes[above].known {
            above -= 1;
        }
        let views = self.nodes[last].views;
        let LineNode { views: seen, known, .. } = self.nodes[above];
        if known && seen == views {
            for ply in above + 1..=last {
                self.follow::<B, true, true>(net, ply, views);
            }
        } else {
            for ply in above + 1..=last {
                if known && seen[0] == views[0] {
                    self.follow::<B, true, false>(net, ply, views);
                }
                if known && seen[1] == views[1] {
                    self.follow::<B, false, true>(net, ply, views);
                }
            }
            for viewer in Color::ALL {
                if !(known && seen[viewer as usize] == views[viewer as usize]) {
                    let placement = Placement::of(position, self.buckets);
                    let [ours, theirs] = placement.rows();
                    let rows = if viewer == position.side_to_move() { ours } else { theirs };
                    let at = (2 * last + viewer as usize) * self.width;
                    net.sum::<B>(rows, &mut self.sums[at..][..self.width]);
                }
            }
            self.nodes[last].known = true;
        }
        &self.sums[2 * last * self.width..][..2 * self.width]
    }

    /// Makes the sums of some views of a position, seen like this, from those of the position before.
    #[inline(always)]
    fn follow<B: Backend, const WHITE: bool, const BLACK: bool>(
        &mut self,
        net: &QuantizedPlacement,
        ply: usize,
        views: [View; 2],
    ) {
        let node = &mut self.nodes[ply];
        // On the way back from another half of the board the sums are not those of the position's own view.
        node.known |= WHITE && BLACK && node.views == views;
        let (width, changes) = (self.width, node.changes);
        let (before, here) = self.sums.split_at_mut(2 * width * ply);
        let (from, to) = (&before[2 * width * (ply - 1)..], &mut here[..2 * width]);
        // Each with a number of rows that is known, so that the kernel has no loops over them.
        match (changes.added.as_slice(), changes.removed.as_slice()) {
            (&[added], &[removed]) => net.change::<B, WHITE, BLACK>(views, &[added], &[removed], from, to),
            (&[added], &[mover, captured]) => {
                net.change::<B, WHITE, BLACK>(views, &[added], &[mover, captured], from, to);
            }
            (added, removed) => net.change::<B, WHITE, BLACK>(views, added, removed, from, to),
        }
    }
}

impl Changes {
    /// Those of a legal move.
    #[inline]
    fn of(parent: &Position, mv: Move, child: &Position) -> Changes {
        let (us, mut changes) = (parent.side_to_move(), Changes::default());
        let Changes { added, removed, of_king } = &mut changes;
        if parent.colors(us).has(mv.to) {
            // Castling, as the king's move to its rook: either may stay or stand where the other stood.
            *of_king = true;
            for piece in [Piece::King, Piece::Rook] {
                let (before, after) = (parent.colored_pieces(us, piece), child.colored_pieces(us, piece));
                (after - before).into_iter().for_each(|square| added.push(us, piece, square));
                (before - after).into_iter().for_each(|square| removed.push(us, piece, square));
            }
        } else if let Some(piece) = parent.piece_on(mv.from) {
            *of_king = piece == Piece::King;
            removed.push(us, piece, mv.from);
            added.push(us, mv.promotion.unwrap_or(piece), mv.to);
            if parent.colors(!us).has(mv.to) {
                let captured = parent.piece_on(mv.to).unwrap_or(Piece::Pawn);
                removed.push(!us, captured, mv.to);
            } else if piece == Piece::Pawn && parent.is_en_passant(mv) {
                removed.push(!us, Piece::Pawn, Square::new(mv.to.file(), mv.from.rank()));
            }
        }
        changes
    }
}

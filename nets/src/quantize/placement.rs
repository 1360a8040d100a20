//! The piece placement for play: sums of table rows in i16, which follow the line of play, and their part of the output.
//!
//! A move takes a few rows from each view's sums and adds others; where the king changes its bucket or its half of the board
//! the view is summed anew. Sums are made when a position is evaluated, from the nearest position above that has its own.
//! They are exact, so that a value does not depend on the line that led to it.
//!
//! CITE: Nasu 2018 (see [`feature_maps::placement`]).

use arrayvec::ArrayVec;
use board::{Color, Piece, Position, Square};
use feature_maps::placement::{MAX_PIECES, PLACES, Placement, View};
use kernels::words::WORDS;
use kernels::{Backend, RowList};

use super::scale::{largest_scale, round};
use super::trunk::{CacheLine, cache_lines};
use crate::shape::MAX_WIDTH;
use crate::value::forward::ValueNet;
use crate::value::topology::{Layer, output_bucket};

/// The most pieces that a move takes away, and the most that it puts down: those of castling, or a capture.
const MOST_CHANGES: usize = 2;

/// Plies of a line for which there is room from its beginning, so that search does not allocate.
const PLIES: usize = 256;

/// The most pieces of a side.
const SIDE: usize = MAX_PIECES / 2;

/// The first layer of the piece placement, and its part of the output.
#[derive(Clone, Debug)]
pub struct QuantizedPlacement {
    buckets: usize,
    width: usize,
    /// `(row, width)`.
    table: Vec<CacheLine>,
    /// `(width)`.
    bias: Vec<i16>,
    /// `(bucket, [us, them], width)`: the output's weights over the scales of the sums.
    output: Vec<f32>,
}

impl QuantizedPlacement {
    /// Quantizes the placement of a network, if it has one.
    pub fn new(net: &ValueNet) -> Option<QuantizedPlacement> {
        let topology = net.params().topology();
        let (buckets, width) = (topology.buckets(), topology.placement());
        if width == 0 {
            return None;
        }
        let (weights, bias) = net.params().layer(Layer::Placement);
        let (output, _) = net.params().layer(Layer::Output);
        let of_views = output.chunks_exact(topology.output_weights(0).len()).map(|bucket| &bucket[topology.hidden()..]);
        let mut quantized = QuantizedPlacement {
            buckets,
            width,
            table: cache_lines(weights.len()),
            bias: Vec::with_capacity(width),
            output: of_views.flatten().copied().collect(),
        };
        let table: &mut [i16] = bytemuck::cast_slice_mut(&mut quantized.table);
        for (j, bias) in bias.iter().enumerate() {
            let column = || weights.iter().skip(j).step_by(width).map(|weight| f64::from(*weight));
            let scale = scale(f64::from(*bias), column, buckets);
            table[j..].iter_mut().step_by(width).zip(column()).for_each(|(to, weight)| *to = round(scale * weight));
            quantized.bias.push(round(scale * f64::from(*bias)));
            for weight in quantized.output[j..].iter_mut().step_by(width) {
                *weight = (f64::from(*weight) / scale) as f32;
            }
        }
        Some(quantized)
    }

    /// What the placement adds to the logit of a position.
    #[inline(always)]
    pub fn logit<B: Backend>(&self, position: &Position) -> f32 {
        let placement = Placement::of(position, self.buckets);
        let mut sums = [0; MAX_WIDTH];
        let sums = &mut sums[..self.width];
        let mut logit = 0.0;
        for (rows, weights) in placement.rows().into_iter().zip(self.weights(position)) {
            self.sum::<B>(rows, sums);
            logit += B::rectified_dot_of_words(sums, weights);
        }
        logit
    }

    /// The same for the position at which the line stands.
    #[inline(always)]
    pub fn logit_along<B: Backend>(&self, line: &mut PlacementLine, position: &Position) -> f32 {
        let us = position.side_to_move();
        let mut logit = 0.0;
        for (viewer, weights) in [us, !us].into_iter().zip(self.weights(position)) {
            let sums = line.sums::<B>(self, position, viewer);
            logit += B::rectified_dot_of_words(sums, weights);
        }
        logit
    }

    /// The output's weights for a position: for the view of the side to move, then for the other.
    #[inline(always)]
    fn weights(&self, position: &Position) -> impl Iterator<Item = &[f32]> {
        let buckets = self.output.len() / (2 * self.width);
        let bucket = output_bucket(position.occupied().len() as usize, buckets);
        self.output[2 * self.width * bucket..][..2 * self.width].chunks_exact(self.width)
    }

    #[inline(always)]
    fn sum<B: Backend>(&self, rows: &[u16], sums: &mut [i16]) {
        sums.copy_from_slice(&self.bias);
        B::add_rows(self.table(), &RowList::new(rows), sums);
    }

    #[inline(always)]
    fn table(&self) -> &[i16] {
        &bytemuck::cast_slice(&self.table)[..self.buckets * PLACES * self.width]
    }
}

/// The largest scale with which no sum of any position leaves i16: each side has at most sixteen pieces, all of them in one
/// bucket, and every row that is added is rounded.
fn scale<I: Iterator<Item = f64>>(bias: f64, column: impl Fn() -> I, buckets: usize) -> f64 {
    let (mut low, mut high) = (0.0_f64, 0.0_f64);
    for bucket in 0..buckets {
        let (mut least, mut most) = (bias.min(0.0), bias.max(0.0));
        for side in [0, PLACES / 2] {
            let mut weights: Vec<f64> = column().skip(bucket * PLACES + side).take(PLACES / 2).collect();
            weights.select_nth_unstable_by(SIDE, f64::total_cmp);
            least += weights[..SIDE].iter().map(|weight| weight.min(0.0)).sum::<f64>();
            weights.select_nth_unstable_by(PLACES / 2 - SIDE, f64::total_cmp);
            most += weights[PLACES / 2 - SIDE..].iter().map(|weight| weight.max(0.0)).sum::<f64>();
        }
        (low, high) = (low.min(least), high.max(most));
    }
    let room = f64::from(i16::MAX) - (MAX_PIECES + 1) as f64 / 2.0;
    largest_scale(&[(room, high.max(-low))])
}

/// A piece on a square.
type Placed = (Color, Piece, Square);

/// What a move puts down and takes away.
type Changes = [ArrayVec<Placed, MOST_CHANGES>; 2];

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
    /// `(viewer)`: whether its sums are there.
    known: [bool; 2],
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
        line.push(position, Changes::default());
        line
    }

    /// A move led from one position to the other.
    #[inline]
    pub fn make(&mut self, parent: &Position, child: &Position) {
        if self.width > 0 {
            self.push(child, changes(parent, child));
        }
    }

    /// A null move led to this position.
    #[inline]
    pub fn make_null(&mut self, child: &Position) {
        if self.width > 0 {
            self.push(child, Changes::default());
        }
    }

    /// The last move was unmade.
    #[inline]
    pub fn unmake(&mut self) {
        self.nodes.pop();
    }

    #[inline]
    fn push(&mut self, position: &Position, changes: Changes) {
        let views = Color::ALL.map(|viewer| View::of(position, viewer, self.buckets));
        self.nodes.push(LineNode { views, changes, known: [false; 2] });
        let room = self.nodes.len() * 2 * self.width;
        if self.sums.len() < room {
            self.sums.resize(room, 0);
        }
    }

    /// The sums of one view of the last position, which is `position`.
    #[inline(always)]
    fn sums<B: Backend>(&mut self, net: &QuantizedPlacement, position: &Position, viewer: Color) -> &[i16] {
        let last = self.nodes.len() - 1;
        let view = self.nodes[last].views[viewer as usize];
        let seen_alike = |node: &&LineNode| node.views[viewer as usize] == view;
        let above = self.nodes.iter().rev().take_while(seen_alike).position(|node| node.known[viewer as usize]);
        match above {
            Some(distance) => {
                for ply in last - distance + 1..=last {
                    self.follow::<B>(net, ply, viewer);
                }
            }
            None => {
                let rows = Placement::of(position, self.buckets);
                let [ours, theirs] = rows.rows();
                let rows = if viewer == position.side_to_move() { ours } else { theirs };
                let (_, to) = self.split(last, viewer);
                net.sum::<B>(rows, to);
                self.nodes[last].known[viewer as usize] = true;
            }
        }
        self.split(last, viewer).1
    }

    /// Makes the sums of one view of a position from those of the position before.
    #[inline(always)]
    fn follow<B: Backend>(&mut self, net: &QuantizedPlacement, ply: usize, viewer: Color) {
        let node = &mut self.nodes[ply];
        node.known[viewer as usize] = true;
        let view = node.views[viewer as usize];
        let rows = node.changes.each_ref().map(|changes| -> ArrayVec<u16, MOST_CHANGES> {
            changes.iter().map(|(color, piece, square)| view.row(*color, *piece, *square)).collect()
        });
        let [added, removed] = rows.each_ref().map(|rows| RowList::new(rows));
        let (from, to) = self.split(ply, viewer);
        B::change_rows(net.table(), [&added, &removed], from, to);
    }

    /// A view's sums of the position before, empty for the first, and those of the position.
    #[inline(always)]
    fn split(&mut self, ply: usize, viewer: Color) -> (&[i16], &mut [i16]) {
        let (width, place) = (self.width, viewer as usize * self.width);
        let (before, here) = self.sums.split_at_mut(2 * width * ply);
        let from = if ply == 0 { &[][..] } else { &before[2 * width * (ply - 1) + place..][..width] };
        (from, &mut here[place..][..width])
    }
}

/// What a legal move put down and took away.
#[inline]
fn changes(parent: &Position, child: &Position) -> Changes {
    let mut changes = Changes::default();
    for color in Color::ALL {
        for piece in Piece::ALL {
            let (before, after) = (parent.colored_pieces(color, piece), child.colored_pieces(color, piece));
            if before != after {
                let [added, removed] = &mut changes;
                added.extend((after - before).into_iter().map(|square| (color, piece, square)));
                removed.extend((before - after).into_iter().map(|square| (color, piece, square)));
            }
        }
    }
    changes
}

const _: () = assert!(MAX_WIDTH.is_multiple_of(WORDS));

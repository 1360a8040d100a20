//! The piece placement for play: sums of table rows in i16, which follow the line of play, and their part of the output.
//!
//! A move takes a few rows from each view's sums and adds others; where the king changes its bucket or its half of the board
//! the view is summed anew. Sums are made when a position is evaluated, from the nearest position above that has its own.
//! They are exact, so that a value does not depend on the line that led to it.
//!
//! CITE: Nasu 2018 (see [`feature_maps::placement`]).

use arrayvec::ArrayVec;
use board::{Color, Move, Piece, Position, Square};
use feature_maps::placement::{MAX_PIECES, PLACES, Placement, View};
use kernels::vector::tree;
use kernels::words::{SUMS, WORDS};
use kernels::{Backend, RowList};

use super::scale::{largest_scale, round};
use super::trunk::{CacheLine, cache_lines};
use crate::shape::MAX_WIDTH;
use crate::value::forward::ValueNet;
use crate::value::topology::{Layer, NetworkTopology, output_bucket};

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
    /// `(bucket, [us, them], width)`: the output's weights over the scales of the sums, in `unit`s.
    output: Vec<i16>,
    /// What a unit of the output's integer sums adds to the logit.
    unit: f32,
}

impl QuantizedPlacement {
    /// Quantizes the placement of a network of these sizes, if it has one.
    pub fn new(net: &ValueNet, topology: &NetworkTopology) -> Option<QuantizedPlacement> {
        let (buckets, width) = (topology.king_buckets(), topology.placement());
        if width == 0 {
            return None;
        }
        let (weights, bias) = net.params().layer(Layer::Placement);
        let (output, _) = net.params().layer(Layer::Output);
        let of_views = output.chunks_exact(topology.output_weights(0).len()).map(|bucket| &bucket[topology.hidden()..]);
        let mut output: Vec<f64> = of_views.flatten().map(|weight| f64::from(*weight)).collect();
        let mut quantized = QuantizedPlacement {
            buckets,
            width,
            table: cache_lines(weights.len()),
            bias: Vec::with_capacity(width),
            output: Vec::with_capacity(output.len()),
            unit: 1.0,
        };
        let table: &mut [i16] = bytemuck::cast_slice_mut(&mut quantized.table);
        for (j, bias) in bias.iter().enumerate() {
            let column = || weights.iter().skip(j).step_by(width).map(|weight| f64::from(*weight));
            let scale = scale(f64::from(*bias), column, buckets);
            table[j..].iter_mut().step_by(width).zip(column()).for_each(|(to, weight)| *to = round(scale * weight));
            quantized.bias.push(round(scale * f64::from(*bias)));
            output[j..].iter_mut().step_by(width).for_each(|weight| *weight /= scale);
        }
        let scale = output_scale(&output, width);
        quantized.output.extend(output.iter().map(|weight| round(scale * weight)));
        quantized.unit = (1.0 / scale) as f32;
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
            logit += self.output::<B>(sums, weights);
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
            logit += self.output::<B>(sums, weights);
        }
        logit
    }

    /// What one view adds to the logit.
    #[inline(always)]
    fn output<B: Backend>(&self, sums: &[i16], weights: &[i16]) -> f32 {
        let mut lanes = [0.0; SUMS];
        // A loop: a closure that is not inlined loses the instruction set.
        for (lane, sum) in lanes.iter_mut().zip(B::rectified_dot_of_words(sums, weights)) {
            *lane = sum as f32;
        }
        self.unit * tree(lanes)
    }

    /// The output's weights for a position: for the view of the side to move, then for the other.
    #[inline(always)]
    fn weights(&self, position: &Position) -> impl Iterator<Item = &[i16]> {
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

/// The largest scale with which the output's weights are in i16, and the sums of each lane in i32 whatever the inputs.
fn output_scale(output: &[f64], width: usize) -> f64 {
    let most = f64::from(i16::MAX);
    let (mut largest, mut lane_sum) = (0.0_f64, 0.0_f64);
    for view in output.chunks_exact(width) {
        let mut lanes = [0.0; SUMS];
        for (i, weight) in view.iter().enumerate() {
            lanes[i / 2 % SUMS] += most * weight.abs();
            largest = largest.max(weight.abs());
        }
        lane_sum = lanes.into_iter().fold(lane_sum, f64::max);
    }
    let rounding = most * (width / SUMS) as f64 / 2.0;
    largest_scale(&[(f64::from(i32::MAX) - rounding, lane_sum), (most, largest)])
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

    /// A move, legal in `parent`, led to `child`.
    #[inline]
    pub fn make(&mut self, parent: &Position, mv: Move, child: &Position) {
        if self.width > 0 {
            self.push(child, changes(parent, mv, child));
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

/// What a legal move puts down and takes away.
#[inline]
fn changes(parent: &Position, mv: Move, child: &Position) -> Changes {
    let (us, mut changes) = (parent.side_to_move(), Changes::default());
    let [added, removed] = &mut changes;
    if parent.colors(us).has(mv.to) {
        // Castling, as the king's move to its rook: either may stay or stand where the other stood.
        for piece in [Piece::King, Piece::Rook] {
            let (before, after) = (parent.colored_pieces(us, piece), child.colored_pieces(us, piece));
            added.extend((after - before).into_iter().map(|square| (us, piece, square)));
            removed.extend((before - after).into_iter().map(|square| (us, piece, square)));
        }
    } else if let Some(piece) = parent.piece_on(mv.from) {
        removed.push((us, piece, mv.from));
        added.push((us, mv.promotion.unwrap_or(piece), mv.to));
        if let Some(captured) = parent.piece_on(mv.to) {
            removed.push((!us, captured, mv.to));
        } else if parent.is_en_passant(mv) {
            removed.push((!us, Piece::Pawn, Square::new(mv.to.file(), mv.from.rank())));
        }
    }
    changes
}

const _: () = assert!(MAX_WIDTH.is_multiple_of(WORDS));

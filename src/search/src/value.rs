//! The value of a position: an evaluation in [-1, 1] (lost, drawn, won), and beyond it the mates.
//!
//! A value is the evaluation's own f32, never rounded, so that a search's result is bit for bit the evaluation of the leaf
//! of its principal variation: TD-Leaf needs exactly that.

use crate::wdl::{Chances, Wdl};
use board::Color;
use kernels::activations::tanh;
use std::cmp::Ordering;
use std::ops::Neg;

/// The longest line that a search follows, in plies.
pub const MAX_PLY: usize = 128;

/// How a value that a search found relates to the true one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// It is the true value.
    Exact,
    /// A lower bound (fail high).
    Lower,
    /// An upper bound (fail low).
    Upper,
}

/// The value of a mate on the board, seen from the winner; each ply of distance takes one [`MATE_STEP`] off.
const MATE: f32 = 2.0;
const MATE_STEP: f32 = 1.0 / 1024.0;

/// A value for the side to move: -1 is lost, 0 drawn, 1 won; beyond +-1 lie the mates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Value(f32);

impl Eq for Value {}

impl PartialOrd for Value {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }

    #[inline]
    fn lt(&self, other: &Self) -> bool {
        self.0 < other.0
    }

    #[inline]
    fn le(&self, other: &Self) -> bool {
        self.0 <= other.0
    }

    #[inline]
    fn gt(&self, other: &Self) -> bool {
        self.0 > other.0
    }

    #[inline]
    fn ge(&self, other: &Self) -> bool {
        self.0 >= other.0
    }
}

impl Ord for Value {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        // No value is NaN: every way to make one asserts or clamps.
        self.0.partial_cmp(&other.0).unwrap_or(Ordering::Equal)
    }
}

impl Neg for Value {
    type Output = Self;

    #[inline]
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl Value {
    /// A drawn position.
    pub const DRAW: Self = Self(0.0);
    /// Above every value that occurs.
    pub const INFINITE: Self = Self(4.0);

    /// Infinity with a sign, for constants.
    pub(crate) const fn from_infinity(sign: f32) -> Self {
        Self(4.0 * sign)
    }

    /// The value of an evaluation in [-1, 1].
    #[inline]
    pub fn from_evaluation(evaluation: f32) -> Self {
        debug_assert!((-1.0..=1.0).contains(&evaluation), "evaluation {evaluation}");
        Self(evaluation)
    }

    /// The value for a side that is mated `ply` plies from the root.
    #[inline]
    pub fn mated_at(ply: usize) -> Self {
        Self(ply as f32 * MATE_STEP - MATE)
    }

    /// The value for a side that mates `ply` plies from the root.
    #[inline]
    pub fn mates_at(ply: usize) -> Self {
        -Self::mated_at(ply)
    }

    /// The value of a position `ply` plies from the root that tables call won: above every evaluation but those within a few
    /// units of 1.
    #[inline]
    pub fn table_win_at(ply: usize) -> Self {
        Self(1.0 - (ply + 1) as f32 * TABLE_STEP)
    }

    /// Is this the value of a win by tables?
    pub fn is_table_win(self) -> bool {
        !self.is_mate() && self.0.abs() >= Self::table_win_at(MAX_PLY).0
    }

    /// The value in [-1, 1]; a mate counts as -1 or 1.
    #[inline]
    pub fn to_f32(self) -> f32 {
        self.0.clamp(-1.0, 1.0)
    }

    /// Is this a proven mate, for either side?
    #[inline]
    pub fn is_mate(self) -> bool {
        self.0.abs() > 1.0
    }

    /// Plies to mate, positive when the side to move mates, negative when it is mated.
    pub fn mate_plies(self) -> Option<i32> {
        self.is_mate().then(|| {
            let plies = ((MATE - self.0.abs()) / MATE_STEP) as i32;
            if self.0 > 0.0 { plies } else { -plies }
        })
    }

    /// Moves to mate of the mating side, negative when the side to move is mated.
    pub fn mate_moves(self) -> Option<i32> {
        self.mate_plies().map(|plies| if plies > 0 { (plies + 1) / 2 } else { (plies - 1) / 2 })
    }

    /// The next greater value: no value lies between the two, so they bound the narrowest window.
    #[inline]
    pub fn next_up(self) -> Self {
        Self(self.0.next_up())
    }

    /// This value plus `by`, kept between minus and plus infinity.
    #[inline]
    pub fn offset(self, by: f32) -> Self {
        Self((self.0 + by).clamp(-Self::INFINITE.0, Self::INFINITE.0))
    }

    /// The value whose logit is this one's and `by` more: tanh(atanh v + by), without the atanh. A mate stays as it is.
    #[inline]
    pub fn add_logit(self, by: f32) -> Self {
        if self.is_mate() {
            return self;
        }
        let by = tanh(by);
        Self(((self.0 + by) / (1.0 + self.0 * by)).clamp(-1.0, 1.0))
    }

    /// The bits, for the transposition table.
    #[inline]
    pub fn to_bits(self) -> u32 {
        self.0.to_bits()
    }

    /// The value of these bits; anything that is not a value becomes a draw.
    #[inline]
    pub fn from_bits(bits: u32) -> Self {
        let value = f32::from_bits(bits);
        if value.abs() <= Self::INFINITE.0 { Self(value) } else { Self::DRAW }
    }

    /// A mate's distance counted from the root becomes one counted from the node at `ply`, for the table.
    #[inline]
    pub fn from_root_to_node(self, ply: usize) -> Self {
        self.shift_mate(ply as f32)
    }

    /// The inverse of [`Value::from_root_to_node`].
    #[inline]
    pub fn from_node_to_root(self, ply: usize) -> Self {
        self.shift_mate(-(ply as f32))
    }

    #[inline]
    fn shift_mate(self, plies: f32) -> Self {
        if self.0 > 1.0 {
            Self(self.0 + plies * MATE_STEP)
        } else if self.0 < -1.0 {
            Self(self.0 - plies * MATE_STEP)
        } else {
            self
        }
    }
}

/// What a ply takes off a win by tables: the distance of f32 numbers just below 1.
const TABLE_STEP: f32 = f32::EPSILON / 2.0;
/// atanh of the value of one pawn in the bootstrap (thesis 4.4): tanh(0.198) is a pawn ahead.
const PAWN: f64 = 0.198;
/// The largest centipawn score that is not a mate.
pub const MAX_CENTIPAWNS: i32 = 9_999;

impl Value {
    /// The value as the evaluation of a position in which `side` is to move, with its chances, in words.
    pub fn describe(self, side: Color, chances: Wdl) -> String {
        let side = if side == Color::White { "white" } else { "black" };
        // A draw for the other side would be written as -0.
        let value = self.to_f32() + 0.0;
        format!("evaluation for {side}: value {value:+.6} cp {:+} wdl {chances}", self.centipawns())
    }

    /// The value in centipawns: 100 atanh(v) / 0.198, monotone, within +-9999. Mates have no centipawns: they clamp.
    pub fn centipawns(self) -> i32 {
        let pawns = f64::from(self.to_f32()).atanh() / PAWN;
        (100.0 * pawns).clamp(-f64::from(MAX_CENTIPAWNS), f64::from(MAX_CENTIPAWNS)).round() as i32
    }

    /// The value of so many centipawns, the inverse of [`Value::centipawns`]; f32 tells scores beyond some 40 pawns no longer apart.
    pub fn from_centipawns(centipawns: i32) -> Self {
        Self(libm::tanh(f64::from(centipawns) / 100.0 * PAWN) as f32)
    }

    /// The same value as chances, where nothing says how drawn the position is ([`Chances::of_expected`]): wins less losses
    /// are the value. Exactly 0 is a draw by the rules, and certain.
    pub fn wdl(self) -> Wdl {
        if self == Self::DRAW {
            return Wdl { win: 0, draw: 1000, loss: 0 };
        }
        Chances::of_expected(f64::from(self.to_f32())).wdl()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_keep_their_distance_through_the_table() {
        for ply in 0..=MAX_PLY {
            for distance in ply..=MAX_PLY {
                for value in [Value::mated_at(distance), Value::mates_at(distance)] {
                    let stored = Value::from_bits(value.from_root_to_node(ply).to_bits());
                    assert_eq!(stored.from_node_to_root(ply), value);
                    assert!(stored.is_mate());
                    assert_eq!(value.mate_plies().map(i32::abs), Some(distance as i32));
                }
            }
        }
    }

    #[test]
    fn adding_a_logit_moves_the_argument_of_tanh() {
        for (logit, by) in [(0.0, 0.3), (0.5, -0.2), (-1.5, 0.7), (2.0, -4.0), (9.0, 1.0), (-12.0, -1.0)] {
            let value = Value::from_evaluation(tanh(logit)).add_logit(by).to_f32();
            assert!((value - tanh(logit + by)).abs() < 1e-5, "{logit} {by}: {value}");
        }
        assert_eq!(Value::mates_at(3).add_logit(-1.0), Value::mates_at(3));
    }

    #[test]
    fn a_nearer_mate_is_better_and_any_mate_beats_any_evaluation() {
        assert!(Value::mates_at(1) > Value::mates_at(3));
        assert!(Value::mated_at(4) > Value::mated_at(2));
        assert!(Value::mates_at(MAX_PLY) > Value::from_evaluation(1.0));
        assert!(Value::mated_at(MAX_PLY) < Value::from_evaluation(-1.0));
    }

    #[test]
    fn centipawns_and_chances_are_monotone_and_odd() {
        let mut last = (i32::MIN, 0);
        for step in -1000..=1000 {
            let value = Value::from_evaluation(step as f32 / 1000.0);
            let now = (value.centipawns(), value.wdl().win);
            assert!(step == 0 || now.0 >= last.0 && now.1 >= last.1);
            assert_eq!((-value).centipawns(), -now.0);
            let Wdl { win, draw, loss } = value.wdl();
            assert_eq!(win + draw + loss, 1000);
            assert_eq!((-value).wdl(), Wdl { win: loss, draw, loss: win });
            if step != 0 {
                last = now;
            }
        }
        assert_eq!(Value::DRAW.wdl(), Wdl { win: 0, draw: 1000, loss: 0 });
        assert_eq!(Value::from_evaluation(0.198_f32.tanh()).centipawns(), 100);
    }

    #[test]
    fn values_are_the_numbers_that_they_are_said_to_be() {
        let of = Value::from_evaluation;
        for (value, number) in [
            (Value::mated_at(0), -2.0),
            (Value::mated_at(512), -1.5),
            (Value::mates_at(256), 1.75),
            (Value::table_win_at(0), 1.0 - 1.0 / 16_777_216.0),
            (Value::table_win_at(3), 1.0 - 4.0 / 16_777_216.0),
            (Value::INFINITE, 4.0),
            (Value::from_infinity(-0.5), -2.0),
            (of(0.25).offset(0.5), 0.75),
            (of(0.25).offset(9.0), 4.0),
            (of(0.25).offset(-9.0), -4.0),
            (of(0.5).next_up(), 0.5 + 1.0 / 16_777_216.0),
            (Value::mates_at(9).from_root_to_node(5), 2.0 - 4.0 / 1024.0),
            (Value::mated_at(9).from_root_to_node(5), -2.0 + 4.0 / 1024.0),
            (of(1.0).from_root_to_node(5), 1.0),
            (of(-1.0).from_node_to_root(5), -1.0),
            (of(-0.25).from_node_to_root(5), -0.25),
        ] {
            assert_eq!(value.to_bits(), f32::to_bits(number), "{value:?} {number}");
            assert_eq!(Value::from_bits(value.to_bits()), value);
        }
        assert_eq!([f32::NAN, 4.5, -4.5, f32::INFINITY].map(|odd| Value::from_bits(odd.to_bits())), [Value::DRAW; 4]);
        let kept = [0.5, -0.5, 1.25, -1.25].map(|number: f32| Value::from_bits(number.to_bits()).to_f32());
        assert_eq!(kept, [0.5, -0.5, 1.0, -1.0]);
    }

    #[test]
    fn values_are_ordered_as_numbers() {
        let order = |a: f32, b: f32| {
            let (a, b) = (Value::from_evaluation(a), Value::from_evaluation(b));
            ([a < b, a <= b, a > b, a >= b], a.cmp(&b), a.partial_cmp(&b))
        };
        assert_eq!(order(0.25, 0.5), ([true, true, false, false], Ordering::Less, Some(Ordering::Less)));
        assert_eq!(order(0.5, 0.25), ([false, false, true, true], Ordering::Greater, Some(Ordering::Greater)));
        assert_eq!(order(0.5, 0.5), ([false, true, false, true], Ordering::Equal, Some(Ordering::Equal)));
    }

    #[test]
    fn mates_are_told_in_plies_and_in_moves() {
        for (value, plies, moves) in [
            (Value::mates_at(1), 1, 1),
            (Value::mates_at(3), 3, 2),
            (Value::mates_at(127), 127, 64),
            (Value::mated_at(0), 0, 0),
            (Value::mated_at(2), -2, -1),
            (Value::mated_at(6), -6, -3),
        ] {
            assert_eq!((value.mate_plies(), value.mate_moves()), (Some(plies), Some(moves)), "{value:?}");
        }
        for value in [Value::from_evaluation(1.0), Value::from_evaluation(-1.0), Value::DRAW] {
            assert_eq!((value.mate_plies(), value.mate_moves(), value.is_mate()), (None, None, false), "{value:?}");
        }
    }

    #[test]
    fn a_win_by_tables_is_near_one_and_no_mate() {
        let far = Value::table_win_at(MAX_PLY);
        assert!(far.is_table_win() && Value::from_evaluation(1.0).is_table_win());
        assert!(!(-(-far).next_up()).is_table_win());
        assert!(![Value::mates_at(1), Value::mated_at(1), Value::DRAW].map(Value::is_table_win).contains(&true));
    }

    #[test]
    fn a_value_is_described_for_its_side_with_centipawns_and_chances() {
        let wdl = Wdl { win: 600, draw: 300, loss: 100 };
        let described = |value: Value, side| value.describe(side, wdl);
        assert_eq!(
            described(Value::from_evaluation(0.5), Color::White),
            "evaluation for white: value +0.500000 cp +277 wdl 600 300 100"
        );
        assert_eq!(
            described(-Value::DRAW, Color::Black),
            "evaluation for black: value +0.000000 cp +0 wdl 600 300 100"
        );
        assert_eq!(
            described(Value::mated_at(4), Color::Black),
            "evaluation for black: value -1.000000 cp -9999 wdl 600 300 100"
        );
        // tanh(0.198), tanh(-0.495)
        for (centipawns, value) in [(100, 0.195_452_48), (-250, -0.458_175_84), (0, 0.0)] {
            assert!((Value::from_centipawns(centipawns).to_f32() - value).abs() < 1e-6, "{centipawns}");
        }
    }
}

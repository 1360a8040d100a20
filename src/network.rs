//! The move-probability network as the search asks it (thesis 6): what it hears of each candidate, and what its
//! probabilities become.
//!
//! ```text
//! share = a static + (1 - a) softmax(s logit)
//! ```
//! Where a node's budget is small the static shares hold alone: there the network would cost more than the search below.

use crate::evaluator::Evaluator;
use crate::move_probability::{Candidate, Extras, Kind, MoveProbability, Static};
use crate::search::budget::Budget;
use crate::search::ordering::sort_by_key;
use crate::tunables::network::{FROM, SHARPNESS, STATIC_PART};
use arrayvec::ArrayVec;
use board::Position;
use feature_maps::moves::{Heard, MoveMaps, MoveRows, TableMove};
use kernels::activations::{LEAST_EXP, exp};
use nets::{MoveLogits, PackedMoveNet};
use std::sync::Arc;

/// What the network hears of each candidate, in their order. Play and training share it.
#[inline]
pub fn heard<'a>(position: &'a Position, candidates: &'a [Candidate]) -> impl Iterator<Item = Heard> + 'a {
    let has_hash = candidates.iter().any(|candidate| candidate.kind == Kind::Hash);
    candidates.iter().map(move |candidate| {
        // The kinds of the table's move and of promotions do not tell.
        let loses = match candidate.kind {
            _ if candidate.mv.promotion.is_some() => !position.see_at_least(candidate.mv, 0),
            Kind::Hash => !position.see_at_least(candidate.mv, 0),
            Kind::LosingCapture | Kind::LosingQuiet => true,
            Kind::GoodCapture | Kind::Killer | Kind::Quiet => false,
        };
        let table = match (has_hash, candidate.kind) {
            (false, _) => TableMove::Unknown,
            (true, Kind::Hash) => TableMove::This,
            (true, _) => TableMove::Another,
        };
        Heard { loses, history: candidate.history, killer: candidate.killer, table }
    })
}

/// The logits of the candidates, in their order, in the last of so many passes. Allocates nothing.
pub fn logits(net: &PackedMoveNet, position: &Position, candidates: &[Candidate], passes: usize) -> MoveLogits {
    let maps = MoveMaps::of(position);
    let rows =
        candidates.iter().zip(heard(position, candidates)).map(|(candidate, heard)| maps.rows(candidate.mv, &heard));
    let rows: ArrayVec<MoveRows, 256> = rows.collect();
    net.logits(position, &maps.node_rows(candidates.len()), &rows, passes)
}

/// Logits times `sharpness` become probabilities: softmax, the same bits on every machine.
pub fn softmax(logits: &mut [f32], sharpness: f32) {
    let largest = logits.iter().copied().fold(f32::MIN, f32::max);
    let mut sum = 0.0;
    for logit in logits.iter_mut() {
        *logit = exp(f64::from(sharpness * (*logit - largest)).max(LEAST_EXP)) as f32;
        sum += *logit;
    }
    logits.iter_mut().for_each(|p| *p /= sum);
}

/// The network where the budget pays for it, the static shares elsewhere.
#[derive(Clone)]
pub struct Network(Arc<PackedMoveNet>);

impl Network {
    /// An estimate by this net.
    pub fn new(net: Arc<PackedMoveNet>) -> Self {
        Self(net)
    }

    /// Mixes the network's probabilities into static shares, and puts the candidates in the order of trial. Allocates nothing.
    #[inline(never)]
    pub fn estimate(&self, position: &Position, candidates: &mut [Candidate]) {
        let mut probabilities = logits(&self.0, position, candidates, 1);
        softmax(&mut probabilities, SHARPNESS);
        for (candidate, probability) in candidates.iter_mut().zip(probabilities) {
            candidate.share = (STATIC_PART * candidate.share + (1.0 - STATIC_PART) * probability).min(1.0);
        }
        // By share, the greatest first, behind the table's move: the bits of shares, [0, 1], have their order.
        sort_by_key(candidates, |candidate| {
            u32::from(candidate.kind != Kind::Hash) << 30 | (1.0_f32.to_bits() - candidate.share.to_bits())
        });
    }
}

impl<E: Evaluator> MoveProbability<E> for Network {
    #[inline]
    fn allot(
        &self,
        evaluator: &E,
        state: &mut E::State,
        position: &Position,
        budget: Budget,
        candidates: &mut [Candidate],
    ) {
        Static.allot(evaluator, state, position, budget, candidates);
        if budget >= Budget::new(FROM) && candidates.len() > 1 {
            self.estimate(position, candidates);
        }
    }

    fn extras(&self) -> Extras {
        Extras::STEEP
    }
}

//! The move-probability network as the search asks it (thesis 6): what it hears of each candidate, and what its
//! probabilities become.
//!
//! ```text
//! share = a static + (1 - a) p(logit)
//! ```
//! Where a node's budget is small the static shares hold alone: there the network would cost more than the search below.

use crate::evaluator::Evaluator;
use crate::move_probability::{Extras, MoveKind, MoveProbability, ScoredMove, Static};
use crate::search::budget::Budget;
use crate::search::ordering::sort_by_key;
use crate::tunables::network::{FROM, STATIC_PART};
use arrayvec::ArrayVec;
use board::Position;
use feature_maps::moves::{HashMove, MoveMaps, MoveRows, OrderingHints};
use kernels::activations::{LEAST_EXP, exp};
use nets::{PolicyHead, PolicyLogits, PolicyOutput, QuantizedPolicyNet};
use std::sync::Arc;

/// What the network hears of each candidate, in their order. Play and training share it.
#[inline]
pub fn heard<'a>(position: &'a Position, candidates: &'a [ScoredMove]) -> impl Iterator<Item = OrderingHints> + 'a {
    let has_hash = candidates.iter().any(|candidate| candidate.kind == MoveKind::Hash);
    candidates.iter().map(move |candidate| {
        // The kinds of the table's move and of promotions do not tell.
        let loses = match candidate.kind {
            _ if candidate.mv.promotion.is_some() => !position.see_at_least(candidate.mv, 0),
            MoveKind::Hash => !position.see_at_least(candidate.mv, 0),
            MoveKind::LosingCapture | MoveKind::LosingQuiet => true,
            MoveKind::GoodCapture | MoveKind::Killer | MoveKind::Quiet => false,
        };
        let hash_move = match (has_hash, candidate.kind) {
            (false, _) => HashMove::Unknown,
            (true, MoveKind::Hash) => HashMove::This,
            (true, _) => HashMove::Another,
        };
        OrderingHints { loses, history: candidate.history, killer: candidate.killer, hash_move }
    })
}

/// The logits of the candidates, in their order, in the last of so many passes. Allocates nothing.
pub fn logits(net: &QuantizedPolicyNet, position: &Position, candidates: &[ScoredMove], passes: usize) -> PolicyLogits {
    let maps = MoveMaps::of(position);
    let rows =
        candidates.iter().zip(heard(position, candidates)).map(|(candidate, heard)| maps.rows(candidate.mv, &heard));
    let rows: ArrayVec<MoveRows, 256> = rows.collect();
    net.logits(position, &maps.node_rows(candidates.len()), &rows, passes)
}

/// Logits become probabilities, the same bits on every machine.
pub fn probabilities(output: PolicyOutput, logits: &mut [f32]) {
    match output {
        PolicyOutput::Softmax => {
            let largest = logits.iter().copied().fold(f32::MIN, f32::max);
            logits.iter_mut().for_each(|logit| *logit = exp(f64::from(*logit - largest).max(LEAST_EXP)) as f32);
        }
        PolicyOutput::Sigmoid => logits.iter_mut().for_each(|logit| *logit = sigmoid(*logit)),
    }
    let sum: f32 = logits.iter().sum();
    logits.iter_mut().for_each(|p| *p /= sum);
}

/// 1 / (1 + exp(-x)).
pub fn sigmoid(x: f32) -> f32 {
    let e = exp((-f64::from(x).abs()).max(LEAST_EXP));
    let p = if x >= 0.0 { 1.0 / (1.0 + e) } else { e / (1.0 + e) };
    p as f32
}

/// The network where the budget pays for it, the static shares elsewhere.
#[derive(Clone)]
pub struct Network(Arc<QuantizedPolicyNet>);

impl Network {
    /// An estimate by this net.
    pub fn new(net: Arc<QuantizedPolicyNet>) -> Self {
        Self(net)
    }

    /// Mixes the network's probabilities into static shares, and puts the candidates in the order of trial. Allocates nothing.
    #[inline(never)]
    pub fn estimate(&self, position: &Position, candidates: &mut [ScoredMove]) {
        let PolicyHead { output, passes } = self.0.head();
        let mut shares = logits(&self.0, position, candidates, passes);
        probabilities(output, &mut shares);
        for (candidate, share) in candidates.iter_mut().zip(shares) {
            candidate.share = (STATIC_PART * candidate.share + (1.0 - STATIC_PART) * share).min(1.0);
        }
        // By share, the greatest first, behind the table's move: the bits of shares, [0, 1], have their order.
        sort_by_key(candidates, |candidate| {
            u32::from(candidate.kind != MoveKind::Hash) << 30 | (1.0_f32.to_bits() - candidate.share.to_bits())
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
        candidates: &mut [ScoredMove],
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluator::Material;
    use crate::learn::random_games::RandomGames;
    use crate::search::ordering::{MoveHistory, ScoredMoves};
    use nets::{PolicyLayer, PolicyNet, PolicyTopology};
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::SeedableRng;

    /// A network without knowledge and without doubt.
    fn fanatic(seed: u64, form: PolicyHead) -> Network {
        let mut net = PolicyNet::random(PolicyTopology::new([16, 16, 16], 16, 8).unwrap(), form, seed);
        net.params_mut().layer_mut(PolicyLayer::Output).0.iter_mut().for_each(|weight| *weight *= 2_000.0);
        Network::new(Arc::new(QuantizedPolicyNet::new(&net, kernels::active().unwrap())))
    }

    /// A node of a random game, its moves as the search looks at them, the table's among them.
    fn node(games: &mut RandomGames) -> (Position, ScoredMoves) {
        loop {
            let position = games.next_position().clone();
            let moves = position.legal_moves();
            if moves.len() > 1 {
                let mut candidates = ScoredMoves::new();
                MoveHistory::new().classify(&position, moves.last().copied(), 0, &mut candidates);
                return (position, candidates);
            }
        }
    }

    fn allot(network: &Network, position: &Position, budget: f32, candidates: &mut [ScoredMove]) {
        MoveProbability::<Material>::allot(network, &Material, &mut (), position, Budget::new(budget), candidates);
    }

    #[test]
    fn whatever_the_network_says_no_move_is_starved_and_the_tables_is_first() {
        let mut games = RandomGames::new(Xoshiro256PlusPlus::seed_from_u64(1));
        let mut undoubted = 0;
        let forms = [(PolicyOutput::Softmax, 1), (PolicyOutput::Softmax, 2), (PolicyOutput::Sigmoid, 1)];
        for (seed, (output, passes)) in (0..60).zip(forms.into_iter().cycle()) {
            let network = fanatic(seed, PolicyHead { output, passes });
            let (position, mut candidates) = node(&mut games);
            let mut fixed = candidates.clone();
            allot(&network, &position, 0.99 * FROM, &mut fixed);
            allot(&network, &position, FROM, &mut candidates);
            assert_eq!(candidates[0].kind, MoveKind::Hash);
            assert!(candidates[1..].is_sorted_by(|a, b| a.share >= b.share));
            let sum: f32 = candidates.iter().map(|candidate| candidate.share).sum();
            assert!((sum - 1.0).abs() < 1e-4, "{sum}");
            for candidate in &candidates {
                let before = fixed.iter().find(|before| before.mv == candidate.mv).unwrap();
                assert!(candidate.share >= STATIC_PART * before.share, "{candidate:?} {before:?}");
            }
            undoubted += usize::from(candidates.iter().any(|candidate| candidate.share > 0.8));
        }
        assert!(undoubted > 10, "{undoubted}");
    }

    #[test]
    fn below_its_budget_the_static_shares_hold() {
        let (position, mut candidates) = node(&mut RandomGames::new(Xoshiro256PlusPlus::seed_from_u64(2)));
        let mut fixed = candidates.clone();
        allot(&fanatic(1, PolicyHead::default()), &position, 0.99 * FROM, &mut candidates);
        Static.allot(&Material, &mut (), &position, Budget::ONE, &mut fixed);
        let shares = |candidates: &ScoredMoves| candidates.iter().map(|one| (one.mv, one.share)).collect::<Vec<_>>();
        assert_eq!(shares(&candidates), shares(&fixed));
    }

    #[test]
    fn probabilities_sum_to_one() {
        for output in [PolicyOutput::Softmax, PolicyOutput::Sigmoid] {
            let mut p = [3.0, -9.0, 8.0, 0.0, -3.0];
            probabilities(output, &mut p);
            assert!((p.iter().sum::<f32>() - 1.0).abs() < 1e-6 && p[2] >= p[0] && p[0] > p[3], "{p:?}");
        }
        assert_eq!((sigmoid(0.0), sigmoid(-200.0) < 1e-8, sigmoid(200.0)), (0.5, true, 1.0));
    }
}

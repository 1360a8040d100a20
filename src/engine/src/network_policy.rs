//! The policy network as the search asks it (thesis 6): its inputs for each move, and what its logits become.
//!
//! ```text
//! prior    = w linear + (1 - w) p(logit)
//! fraction = w linear + (1 - w) p(logit / T),    T = 1 + g (depth equivalent of the budget - that of the least budget)
//! ```
//! Where a node's budget is small the linear policy decides alone: there the network would cost more than the search below. Where
//! it is smaller still, even that would, and the static policy decides.
//! With g > 0 a greater budget is divided more evenly: each further part of it would help the likely moves less, and an
//! unlikely move may win.

use arrayvec::ArrayVec;
use board::see::OpponentAttacks;
use board::{MAX_MOVES, Move, Position};
use feature_maps::moves::{HashMove, MoveMaps, MoveRows, OrderingHints};
use kernels::activations::{LEAST_EXP, exp, softmax};
use nets::{PolicyHead, PolicyLogits, PolicyOutput, QuantizedPolicyNet};
use search::{
    Budget, LinearPolicy, MoveKind, Policy, QuietHints, ScoredMove, ScoredMoves, StaticPolicy, tunables as tuned,
};
use std::sync::Arc;

/// The ordering hints of each move, in their order, which are inputs of the network. Play and training share them.
#[inline]
pub fn hints<'a>(position: &'a Position, moves: &'a [ScoredMove]) -> impl Iterator<Item = OrderingHints> + 'a {
    let has_hash = moves.iter().any(|scored| scored.kind == MoveKind::Hash);
    moves.iter().map(move |scored| {
        // The kinds of the hash move and of promotions do not tell.
        let loses = match scored.kind {
            _ if scored.mv.promotion.is_some() => !position.see_at_least(scored.mv, 0),
            MoveKind::Hash => !position.see_at_least(scored.mv, 0),
            MoveKind::LosingCapture | MoveKind::LosingQuiet => true,
            MoveKind::GoodCapture | MoveKind::Killer | MoveKind::Quiet => false,
        };
        let hash_move = match (has_hash, scored.kind) {
            (false, _) => HashMove::Unknown,
            (true, MoveKind::Hash) => HashMove::This,
            (true, _) => HashMove::Another,
        };
        OrderingHints { loses, history: scored.history, killer: scored.killer, hash_move }
    })
}

/// The logits of the moves, in their order, after `passes` passes. Allocates nothing.
pub fn logits(net: &QuantizedPolicyNet, position: &Position, moves: &[ScoredMove], passes: usize) -> PolicyLogits {
    let maps = MoveMaps::of(position);
    // Filled where it stays, because to return it from an iterator is to copy all its room.
    let mut rows = ArrayVec::<MoveRows, MAX_MOVES>::new();
    rows.extend(moves.iter().zip(hints(position, moves)).map(|(scored, hints)| maps.rows(scored.mv, &hints)));
    net.logits(position, &maps.node_rows(moves.len()), &rows, passes)
}

/// Turns logits into probabilities, the same bits on every machine.
pub fn probabilities(output: PolicyOutput, logits: &mut [f32]) {
    match output {
        PolicyOutput::Softmax => softmax(logits),
        PolicyOutput::Sigmoid => {
            logits.iter_mut().for_each(|logit| *logit = sigmoid(*logit));
            let sum: f32 = logits.iter().sum();
            logits.iter_mut().for_each(|p| *p /= sum);
        }
    }
}

/// The legal moves among `allowed`, or all if that is empty, with the network's probabilities at a temperature, without anything that a
/// search has found.
pub fn move_probabilities(
    net: &QuantizedPolicyNet,
    position: &Position,
    allowed: &[Move],
    temperature: f32,
) -> (ScoredMoves, PolicyLogits) {
    let safety = OpponentAttacks::of(position);
    let mut moves = ScoredMoves::new();
    position.for_each_legal_move(|piece, mv| {
        if allowed.is_empty() || allowed.contains(&mv) {
            moves.push(QuietHints::default().scored_move(position, &safety, piece, mv, false));
        }
    });
    let head = net.head();
    let mut p = logits(net, position, &moves, head.passes);
    p.iter_mut().for_each(|logit| *logit /= temperature);
    probabilities(head.output, &mut p);
    (moves, p)
}

/// 1 / (1 + exp(-x)).
pub fn sigmoid(x: f32) -> f32 {
    let e = exp((-f64::from(x).abs()).max(LEAST_EXP));
    let p = if x >= 0.0 { 1.0 / (1.0 + e) } else { e / (1.0 + e) };
    p as f32
}

/// The policy network near the root; with smaller budgets the linear policy, with the smallest the static one.
#[derive(Clone)]
pub struct NetworkPolicy {
    net: Arc<QuantizedPolicyNet>,
    linear: LinearPolicy,
}

impl NetworkPolicy {
    /// A policy by this net and, where the budget is small, by this linear policy.
    pub fn new(net: Arc<QuantizedPolicyNet>, linear: LinearPolicy) -> Self {
        Self { net, linear }
    }

    /// The network.
    pub fn net(&self) -> &Arc<QuantizedPolicyNet> {
        &self.net
    }

    /// The linear policy.
    pub fn linear(&self) -> &LinearPolicy {
        &self.linear
    }

    /// Mixes the network's probabilities, at a temperature of at least 1, into priors by the linear policy. Allocates nothing.
    #[inline(never)]
    fn mix(&self, position: &Position, temperature: f32, moves: &mut [ScoredMove]) {
        let PolicyHead { output, passes } = self.net.head();
        let mut p = logits(&self.net, position, moves, passes);
        p.iter_mut().for_each(|logit| *logit /= temperature);
        probabilities(output, &mut p);
        let weight = tuned::network_linear_weight();
        for (scored, p) in moves.iter_mut().zip(p) {
            scored.prior = (weight * scored.prior + (1.0 - weight) * p).min(1.0);
        }
    }
}

/// The temperature with which a budget is divided, 1 or more.
#[inline]
fn temperature(budget: Budget, growth: f32) -> f32 {
    let least = Budget::new(tuned::network_min_budget());
    1.0 + growth * (budget.depth_equivalent() - least.depth_equivalent())
}

impl Policy for NetworkPolicy {
    fn priors(&self, position: &Position, moves: &mut [ScoredMove]) {
        self.linear.priors(position, moves);
        if moves.len() > 1 {
            self.mix(position, 1.0, moves);
        }
    }

    #[inline]
    fn is_by_prior(&self, budget: Budget) -> bool {
        budget >= Budget::new(tuned::linear_min_budget())
    }

    #[inline]
    fn allocate(&self, position: &Position, budget: Budget, moves: &mut [ScoredMove]) {
        if !self.is_by_prior(budget) {
            return StaticPolicy.allocate(position, budget, moves);
        }
        if budget < Budget::new(tuned::network_min_budget()) || moves.len() <= 1 {
            return self.linear.allocate(position, budget, moves);
        }
        self.linear.priors(position, moves);
        self.mix(position, temperature(budget, tuned::network_temperature_growth()), moves);
        moves.iter_mut().for_each(|scored| scored.fraction = scored.prior);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shipped::shipped_linear_policy;
    use board::random_positions::RandomPositions;
    use nets::{PolicyLayer, PolicyNet, PolicyTopology};
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::SeedableRng;
    use search::MoveHistory;
    use search::scored_move::sort_by_prior;

    /// A network without knowledge and without doubt.
    fn fanatic(seed: u64, form: PolicyHead) -> NetworkPolicy {
        let mut net = PolicyNet::random(PolicyTopology::new([16, 16, 16], 16, 8).unwrap(), form, seed);
        net.params_mut().layer_mut(PolicyLayer::Output).0.iter_mut().for_each(|weight| *weight *= 2_000.0);
        let net = Arc::new(QuantizedPolicyNet::new(&net, kernels::active().unwrap()));
        NetworkPolicy::new(net, shipped_linear_policy().unwrap())
    }

    /// A node of a random game, its moves as the search scores them, the hash move among them.
    fn node(games: &mut RandomPositions) -> (Position, ScoredMoves) {
        loop {
            let position = games.next_position().clone();
            let legal = position.legal_moves();
            if legal.len() > 1 {
                let mut moves = ScoredMoves::new();
                MoveHistory::new().score_moves(&position, legal.last().copied(), 0, &mut moves);
                return (position, moves);
            }
        }
    }

    /// The fractions, in the order of trial.
    fn allocate(policy: &impl Policy, position: &Position, budget: f32, moves: &mut [ScoredMove]) {
        policy.allocate(position, Budget::new(budget), moves);
        if policy.is_by_prior(Budget::new(budget)) {
            sort_by_prior(moves);
        }
    }

    #[test]
    fn with_any_network_every_move_has_a_share_and_the_hash_move_is_first() {
        let mut games = RandomPositions::new(Xoshiro256PlusPlus::seed_from_u64(1));
        let mut undoubted = 0;
        let forms = [(PolicyOutput::Softmax, 1), (PolicyOutput::Softmax, 2), (PolicyOutput::Sigmoid, 1)];
        for (seed, (output, passes)) in (0..60).zip(forms.into_iter().cycle()) {
            let network = fanatic(seed, PolicyHead { output, passes });
            let (position, mut moves) = node(&mut games);
            let mut fixed = moves.clone();
            allocate(&network, &position, 0.99 * tuned::network_min_budget(), &mut fixed);
            allocate(&network, &position, tuned::network_min_budget(), &mut moves);
            assert_eq!(moves[0].kind, MoveKind::Hash);
            assert!(moves[1..].is_sorted_by(|a, b| a.fraction >= b.fraction));
            let sum: f32 = moves.iter().map(|scored| scored.fraction).sum();
            assert!((sum - 1.0).abs() < 1e-4, "{sum}");
            for scored in &moves {
                let before = fixed.iter().find(|before| before.mv == scored.mv).unwrap();
                assert!(scored.fraction >= tuned::network_linear_weight() * before.fraction, "{scored:?} {before:?}");
            }
            undoubted += usize::from(moves.iter().any(|scored| scored.fraction > 0.8));
        }
        assert!(undoubted > 10, "{undoubted}");
    }

    #[test]
    fn below_the_budget_limit_the_linear_probabilities_apply() {
        let (position, mut moves) = node(&mut RandomPositions::new(Xoshiro256PlusPlus::seed_from_u64(2)));
        let mut fixed = moves.clone();
        allocate(&fanatic(1, PolicyHead::default()), &position, 0.99 * tuned::network_min_budget(), &mut moves);
        allocate(&shipped_linear_policy().unwrap(), &position, 1.0, &mut fixed);
        let shares = |moves: &ScoredMoves| moves.iter().map(|one| (one.mv, one.fraction)).collect::<Vec<_>>();
        assert_eq!(shares(&moves), shares(&fixed));
    }

    #[test]
    fn at_the_smallest_budgets_the_static_probabilities_apply_in_the_order_of_kinds() {
        let (position, mut moves) = node(&mut RandomPositions::new(Xoshiro256PlusPlus::seed_from_u64(3)));
        let mut fixed = moves.clone();
        let (policy, budget) = (fanatic(1, PolicyHead::default()), 0.99 * tuned::linear_min_budget());
        assert!(!policy.is_by_prior(Budget::new(budget)));
        allocate(&policy, &position, budget, &mut moves);
        allocate(&StaticPolicy, &position, 1.0, &mut fixed);
        let kinds = |moves: &ScoredMoves| moves.iter().map(|one| (one.kind, one.fraction)).collect::<Vec<_>>();
        assert_eq!(kinds(&moves), kinds(&fixed));
    }

    #[test]
    fn the_temperature_grows_with_the_budget_above_the_least() {
        let least = Budget::new(tuned::network_min_budget());
        assert_eq!(temperature(least, 0.1), 1.0);
        let three_plies = Budget::new(tuned::network_min_budget() * 64.0);
        assert!((temperature(three_plies, 0.1) - 1.3).abs() < 1e-6);
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

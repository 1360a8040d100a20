//! The evaluators and policies keep the contracts of their traits.

use board::random_positions::RandomPositions;
use board::{Move, Position};
use engine::evaluators::{MaterialEvaluator, NetworkEvaluator, material};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use search::{Budget, DepthPolicy, Evaluator, MoveHistory, MoveKind, Policy, ScoredMoves, StaticPolicy, UniformPolicy};

fn positions(seed: u64, count: usize) -> Vec<Position> {
    let mut games = RandomPositions::new(Xoshiro256PlusPlus::seed_from_u64(seed));
    (0..count).map(|_| games.next_position().clone()).collect()
}

fn shipped() -> NetworkEvaluator {
    NetworkEvaluator::new(engine::shipped_value_net().unwrap())
}

#[test]
fn a_position_and_its_color_mirror_have_the_same_value() {
    let net = shipped();
    for position in positions(1, 5_000) {
        let mirror = position.mirror();
        let value = net.evaluate(&mut net.root(&position), &position);
        let mirrored = net.evaluate(&mut net.root(&mirror), &mirror);
        assert_eq!(value.to_bits(), mirrored.to_bits(), "{}", position.to_fen(false));
        assert_eq!(material(&position), material(&mirror));
    }
}

#[test]
fn the_shipped_net_stays_in_range_and_knows_material() {
    let net = shipped();
    let (mut agree, mut clear) = (0, 0);
    for position in positions(2, 5_000) {
        let value = net.evaluate(&mut net.root(&position), &position);
        assert!((-1.0..=1.0).contains(&value));
        let target = MaterialEvaluator.evaluate(&mut (), &position);
        if target.abs() > 0.5 && is_settled(&position) {
            clear += 1;
            agree += usize::from(value.signum() == target.signum());
        }
    }
    assert!(clear > 1_000 && agree * 100 >= clear * 98, "{agree} of {clear}");
}

/// Does a count of material hold for more than a move? The net sees what hangs, the count does not.
fn is_settled(position: &Position) -> bool {
    let wins = |mv: &Move| position.is_capture(*mv) && position.see_at_least(*mv, 1);
    !position.in_check() && !position.legal_moves().iter().any(wins)
}

#[test]
fn fractions_are_positive_and_priors_sum_to_one() {
    let memory = MoveHistory::new();
    for position in positions(3, 1_000) {
        let moves = position.legal_moves();
        let fresh = || {
            let mut scored = ScoredMoves::new();
            memory.score_moves(&position, Some(moves[0]), 0, &mut scored);
            scored
        };
        let fractions = |policy: &dyn Policy| {
            let mut scored = fresh();
            policy.allocate(&position, Budget::ONE, &mut scored);
            assert!(scored.iter().all(|scored| scored.fraction > 0.0 && scored.fraction <= 1.0));
            scored.iter().map(|scored| scored.fraction).collect::<Vec<_>>()
        };
        let priors = |policy: &dyn Policy| {
            let mut scored = fresh();
            policy.priors(&position, &mut scored);
            scored.iter().map(|scored| scored.prior).collect::<Vec<_>>()
        };
        for policy in [&UniformPolicy as &dyn Policy, &StaticPolicy, &DepthPolicy] {
            let priors = priors(policy);
            assert!((priors.iter().sum::<f32>() - 1.0).abs() < 1e-4);
            if priors.len() == 1 {
                assert_eq!(priors, [1.0]);
            }
        }
        assert!(
            [&UniformPolicy as &dyn Policy, &StaticPolicy].iter().all(|policy| fractions(*policy) == priors(*policy))
        );
        assert!(fractions(&DepthPolicy).iter().all(|fraction| *fraction == 0.25));
        let of_static = fractions(&StaticPolicy);
        assert!(of_static[0] >= of_static.iter().copied().fold(0.0, f32::max));
        // Without history, the later a quiet move is tried, the smaller its fraction.
        let kinds: Vec<MoveKind> = fresh().iter().map(|scored| scored.kind).collect();
        let both_quiet = |pair: &[(f32, MoveKind)]| pair.iter().all(|(_, kind)| *kind == MoveKind::Quiet);
        let quiets: Vec<(f32, MoveKind)> = of_static.into_iter().zip(kinds).collect();
        assert!(quiets.windows(2).filter(|pair| both_quiet(pair)).all(|pair| pair[0].0 > pair[1].0));
    }
}

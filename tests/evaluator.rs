//! The evaluators and the move probabilities keep what their traits promise.

use board::Position;
use okapi::depth_limited::EqualDepth;
use okapi::evaluator::{Evaluator, Material, Net, material};
use okapi::learn::random_games::RandomGames;
use okapi::move_probability::{MoveKind, MoveProbability, Static, Uniform};
use okapi::search::budget::Budget;
use okapi::search::ordering::{MoveHistory, ScoredMoves};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

fn positions(seed: u64, count: usize) -> Vec<Position> {
    let mut games = RandomGames::new(Xoshiro256PlusPlus::seed_from_u64(seed));
    (0..count).map(|_| games.next_position().clone()).collect()
}

fn shipped() -> Net {
    Net::new(okapi::engine::shipped_net().unwrap())
}

#[test]
fn a_position_and_its_colour_mirror_have_the_same_value() {
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
        let target = Material.evaluate(&mut (), &position);
        if target.abs() > 0.5 {
            clear += 1;
            agree += usize::from(value.signum() == target.signum());
        }
    }
    assert!(clear > 1_000 && agree * 100 >= clear * 99, "{agree} of {clear}");
}

#[test]
fn shares_are_positive_and_those_of_a_probability_sum_to_one() {
    let memory = MoveHistory::new();
    for position in positions(3, 1_000) {
        let moves = position.legal_moves();
        let fresh = || {
            let mut candidates = ScoredMoves::new();
            memory.classify(&position, Some(moves[0]), 0, &mut candidates);
            candidates
        };
        let allot = |probability: &dyn MoveProbability<Material>| {
            let mut candidates = fresh();
            probability.allot(&Material, &mut (), &position, Budget::ONE, &mut candidates);
            assert!(candidates.iter().all(|candidate| candidate.share > 0.0 && candidate.share <= 1.0));
            candidates.iter().map(|candidate| candidate.share).collect::<Vec<_>>()
        };
        for probability in [&Uniform as &dyn MoveProbability<Material>, &Static] {
            let shares = allot(probability);
            assert!((shares.iter().sum::<f32>() - 1.0).abs() < 1e-4);
            if shares.len() == 1 {
                assert_eq!(shares, [1.0]);
            }
        }
        assert!(allot(&EqualDepth).iter().all(|share| *share == 0.25));
        assert!(allot(&Static)[0] >= allot(&Static).into_iter().fold(0.0, f32::max));
        // Without history, a quiet move's share is the smaller the later it is tried.
        let kinds: Vec<MoveKind> = fresh().iter().map(|candidate| candidate.kind).collect();
        let both_quiet = |pair: &[(f32, MoveKind)]| pair.iter().all(|(_, kind)| *kind == MoveKind::Quiet);
        let quiets: Vec<(f32, MoveKind)> = allot(&Static).into_iter().zip(kinds).collect();
        assert!(quiets.windows(2).filter(|pair| both_quiet(pair)).all(|pair| pair[0].0 > pair[1].0));
    }
}

//! The error rates of the sequential test in simulated matches.

use matches::elo::{NORMALIZED_SCALE, Strength, expected_score};
use matches::score::{MatchScore, Pentanomial, Points};
use matches::sprt::{EloModel, Sprt, Verdict};
use rand::{Rng, RngExt};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

/// A pair's points a game by its half points.
pub const PAIR_SCORES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// The pairs of equal players, as in short games from openings with some bias: 45 % of pairs are level.
pub const EVEN: [f64; 5] = [0.06, 0.215, 0.45, 0.215, 0.06];

/// `EVEN` with this mean: some pairs with half a point get one and a half points.
fn shifted(mean: f64) -> [f64; 5] {
    let mut p = EVEN;
    let turned = 2.0 * (mean - 0.5);
    (p[1], p[3]) = (p[1] - turned, p[3] + turned);
    p
}

/// The t-value of a game: the mean above ½ over a game's deviation.
fn t_value(p: &[f64; 5]) -> f64 {
    let mean: f64 = p.iter().zip(PAIR_SCORES).map(|(p, s)| p * s).sum();
    let variance: f64 = p.iter().zip(PAIR_SCORES).map(|(p, s)| p * (s - mean).powi(2)).sum();
    (mean - 0.5) / (2.0 * variance).sqrt()
}

/// `EVEN` shifted to this normalized Elo, by bisection.
fn with_normalized_elo(elo: f64) -> [f64; 5] {
    let (mut low, mut high) = (0.4, 0.6);
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        let reached = NORMALIZED_SCALE * t_value(&shifted(middle));
        (low, high) = if reached < elo { (middle, high) } else { (low, middle) };
    }
    shifted(low)
}

/// A pair's half points, drawn with probabilities `p`.
pub fn random_pair(p: &[f64; 5], rng: &mut impl Rng) -> usize {
    let mut left: f64 = rng.random();
    let result = p.iter().position(|p| {
        left -= p;
        left < 0.0
    });
    result.unwrap_or(4)
}

const MATCHES: usize = 2_000;

/// Plays matches whose pairs come with probabilities `p`, asking the test after every pair; returns the fraction that
/// accepted H1 and the mean number of pairs.
fn simulate(sprt: &Sprt, p: &[f64; 5], seed: u64) -> (f64, f64) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let (mut accepted, mut played) = (0, 0);
    for _ in 0..MATCHES {
        let mut pairs = Pentanomial::default();
        loop {
            pairs.0[random_pair(p, &mut rng)] += 1;
            match sprt.verdict(sprt.llr_of_pairs(&pairs)) {
                Verdict::Continue => continue,
                Verdict::AcceptH1 => accepted += 1,
                Verdict::AcceptH0 => {}
            }
            played += pairs.pairs();
            break;
        }
    }
    (accepted as f64 / MATCHES as f64, played as f64 / MATCHES as f64)
}

/// Asserts that a fraction of errors is within its nominal rate and three standard deviations of a binomial count (for 5
/// % of 2,000 matches: 6.46 %), and that it is no less than a third of it: a test that never errs takes far too many games.
fn assert_rate(errors: f64, nominal: f64, what: &str) {
    let margin = 3.0 * (nominal * (1.0 - nominal) / MATCHES as f64).sqrt();
    assert!(errors <= nominal + margin, "{what}: {errors} of the verdicts are wrong, {nominal} + {margin} is allowed");
    assert!(errors >= nominal / 3.0, "{what}: only {errors} of the verdicts are wrong, {nominal} is allowed");
}

#[test]
fn the_logistic_test_errs_no_more_than_it_may() {
    let sprt = Sprt::new(0.0, 10.0, 0.05, 0.05, EloModel::Logistic).unwrap();
    let (accepted, length) = simulate(&sprt, &shifted(expected_score(0.0)), 1);
    eprintln!("logistic, H0: {accepted} accept H1 after {length} pairs on average");
    assert_rate(accepted, 0.05, "H0");
    let (accepted, length) = simulate(&sprt, &shifted(expected_score(10.0)), 2);
    eprintln!("logistic, H1: {accepted} accept H1 after {length} pairs on average");
    assert_rate(1.0 - accepted, 0.05, "H1");
}

#[test]
fn the_normalized_test_errs_no_more_than_it_may() {
    let sprt = Sprt::new(0.0, 25.0, 0.05, 0.1, EloModel::Normalized).unwrap();
    let (accepted, length) = simulate(&sprt, &with_normalized_elo(0.0), 3);
    eprintln!("normalized, H0: {accepted} accept H1 after {length} pairs on average");
    assert_rate(accepted, 0.05, "H0");
    let (accepted, length) = simulate(&sprt, &with_normalized_elo(25.0), 4);
    eprintln!("normalized, H1: {accepted} accept H1 after {length} pairs on average");
    assert_rate(1.0 - accepted, 0.1, "H1");
}

/// The estimates after tests whose pairs come with probabilities `p`: those of [`Sprt::estimate`], and the naive ones.
fn estimates(sprt: &Sprt, p: &[f64; 5], seed: u64) -> Vec<(matches::elo::Interval, f64)> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let games = [
        (Points::Loss, Points::Loss),
        (Points::Loss, Points::Draw),
        (Points::Draw, Points::Draw),
        (Points::Draw, Points::Win),
        (Points::Win, Points::Win),
    ];
    (0..MATCHES)
        .map(|_| {
            let mut score = MatchScore::default();
            while sprt.verdict(sprt.llr(&score)) == Verdict::Continue {
                let (one, other) = games[random_pair(p, &mut rng)];
                score.add_pair(one, other);
            }
            (sprt.estimate(&score).unwrap(), Strength::of(&score).unwrap().elo.value)
        })
        .collect()
}

#[test]
fn the_estimate_after_a_test_is_too_high_as_often_as_too_low() {
    let sprt = Sprt::new(0.0, 16.0, 0.05, 0.05, EloModel::Logistic).unwrap();
    // Over 2,000 tests half of them has a standard deviation of 1.1 %, 2.5 % one of 0.35 %.
    for (truth, seed) in [(-4.0, 6), (0.0, 7), (4.0, 8), (8.0, 9), (16.0, 10), (24.0, 11)] {
        let found = estimates(&sprt, &shifted(expected_score(truth)), seed);
        let part = |holds: &dyn Fn(&(matches::elo::Interval, f64)) -> bool| {
            found.iter().filter(|estimate| holds(estimate)).count() as f64 / MATCHES as f64
        };
        let above = part(&|(elo, _)| elo.value > truth);
        let misses = [part(&|(elo, _)| elo.lower > truth), part(&|(elo, _)| elo.upper < truth)];
        let naive = part(&|(_, naive)| *naive > truth);
        eprintln!("{truth:+} Elo: {above} too high, {misses:?} of the intervals miss; naive {naive} too high");
        assert!((above - 0.5).abs() < 0.045, "{truth}: {above}");
        // The steps of a real test are no Brownian motion: fast tests shift some of the misses to one side.
        let all = misses[0] + misses[1];
        assert!((0.03..0.065).contains(&all) && misses.iter().all(|&miss| miss < 0.045), "{truth}: {misses:?}");
    }
}

#[test]
fn an_accepted_version_is_not_praised_for_its_luck() {
    let sprt = Sprt::new(0.0, 16.0, 0.05, 0.05, EloModel::Logistic).unwrap();
    let found = estimates(&sprt, &shifted(expected_score(4.0)), 12);
    let mean =
        |of: &dyn Fn(&(matches::elo::Interval, f64)) -> f64| found.iter().map(of).sum::<f64>() / found.len() as f64;
    let (unbiased, naive) = (mean(&|(elo, _)| (elo.value - 4.0).abs()), mean(&|(_, naive)| (naive - 4.0).abs()));
    eprintln!("mean distance from +4 Elo: {unbiased} unbiased, {naive} naive");
    assert!(unbiased < naive);
    // Every estimate lies within its interval, and that of an accepted version below the naive one.
    for (elo, naive) in &found {
        assert!(elo.lower < elo.value && elo.value < elo.upper);
        assert!(if *naive > 8.0 { elo.value < *naive } else { elo.value > *naive }, "{elo} {naive}");
    }
}

/// Plays matches of `games` games, in pairs of two independent games or alone, in which A wins, draws and loses with these
/// probabilities; returns how often the score's interval lies above the truth, and how often below.
fn misses(p: [f64; 3], games: usize, in_pairs: bool, seed: u64) -> (f64, f64) {
    let truth = p[0] + p[1] / 2.0;
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut game = || {
        let x: f64 = rng.random();
        if x < p[0] {
            Points::Win
        } else if x < p[0] + p[1] {
            Points::Draw
        } else {
            Points::Loss
        }
    };
    let (mut above, mut below) = (0, 0);
    for _ in 0..MATCHES {
        let mut score = MatchScore::default();
        for _ in 0..games / 2 {
            let (one, other) = (game(), game());
            if in_pairs {
                score.add_pair(one, other);
            } else {
                score.add_unpaired(one);
                score.add_unpaired(other);
            }
        }
        let interval = Strength::of(&score).unwrap().score;
        above += usize::from(truth < interval.lower);
        below += usize::from(truth > interval.upper);
    }
    (above as f64 / MATCHES as f64, below as f64 / MATCHES as f64)
}

#[test]
fn intervals_of_even_and_lopsided_scores_have_the_truth() {
    // Discrete results cannot miss with exactly 2.5 % on either side; the worst case, ten games with a draw in 25 of them,
    // misses with 7.1 %.
    for (wins, draws) in [(0.3, 0.4), (0.6, 0.3), (0.82, 0.16), (0.92, 0.06), (0.96, 0.04)] {
        for games in [10, 40, 200, 1_000] {
            for in_pairs in [false, true] {
                let (above, below) = misses([wins, draws, 1.0 - wins - draws], games, in_pairs, 5);
                let what = format!("{wins} wins, {draws} draws, {games} games, pairs {in_pairs}: {above} + {below}");
                eprintln!("{what}");
                assert!(above + below <= 0.075, "{what}");
            }
        }
    }
}

//! The statistics of matches: likelihoods against slow searches, invariants over random results, and the error rates of the
//! sequential test in simulated matches.

mod simulation;

use matches::elo::{NORMALIZED_SCALE, Strength, expected_score};
use matches::ratings::{Anchor, Pairing, rate};
use matches::score::{MatchScore, Pentanomial, Points, Trinomial};
use matches::sprt::{EloModel, Sprt};
use rand::{Rng, RngExt};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use simulation::{EVEN, PAIR_SCORES, random_pair};

fn log_likelihood(counts: &[f64], p: &[f64]) -> f64 {
    if p.iter().any(|&p| p <= 0.0) {
        return f64::NEG_INFINITY;
    }
    counts.iter().zip(p).map(|(count, p)| count * p.ln()).sum()
}

/// The greatest value of `f` by steps along 26 directions from `start`, halved when none gains.
fn climb(start: [f64; 3], f: impl Fn([f64; 3]) -> f64) -> f64 {
    let (mut at, mut best, mut step) = (start, f(start), 0.05);
    assert!(best.is_finite(), "the search has no place to start from");
    while step > 1e-10 {
        let mut gained = false;
        for code in 0..27 {
            let direction = [code % 3, code / 3 % 3, code / 9].map(|digit| f64::from(digit) - 1.0);
            let next = std::array::from_fn(|i| at[i] + step * direction[i]);
            let value = f(next);
            if value > best {
                (at, best, gained) = (next, value, true);
            }
        }
        if !gained {
            step /= 2.0;
        }
    }
    best
}

/// The greatest log-likelihood of pairs with this mean score: three probabilities are searched, two follow.
fn best_with_mean(counts: &[f64; 5], mean: f64) -> f64 {
    let whole = |[p1, p2, p3]: [f64; 3]| {
        let p4 = mean - 0.25 * p1 - 0.5 * p2 - 0.75 * p3;
        [1.0 - p1 - p2 - p3 - p4, p1, p2, p3, p4]
    };
    climb([0.2; 3], |searched| log_likelihood(counts, &whole(searched)))
}

/// The greatest log-likelihood of pairs with this t-value: the deviation and two probabilities are searched, three
/// follow.
fn best_with_t_value(counts: &[f64; 5], t: f64) -> f64 {
    let whole = |[sigma, p1, p3]: [f64; 3]| {
        // Σ p b = t σ and Σ p b² = (1 + t²) σ² for b = -1/2, -1/4, 0, 1/4, 1/2.
        let difference = 2.0 * (t * sigma - 0.25 * (p3 - p1));
        let both = 4.0 * ((1.0 + t * t) * sigma * sigma - (p1 + p3) / 16.0);
        let (p0, p4) = ((both - difference) / 2.0, (both + difference) / 2.0);
        [p0, p1, 1.0 - p0 - p1 - p3 - p4, p3, p4]
    };
    climb([0.3, 0.2, 0.2], |searched| log_likelihood(counts, &whole(searched)))
}

#[test]
fn the_ratio_of_pairs_is_that_of_a_slow_search() {
    for counts in [[3, 40, 100, 60, 7], [1, 5, 10, 9, 1], [30, 20, 10, 20, 30], [1, 2, 60, 1, 5]] {
        let (pairs, as_f64) = (Pentanomial(counts), counts.map(|count| count as f64));
        for (elo0, elo1) in [(0.0, 5.0), (-10.0, 30.0), (50.0, 100.0)] {
            let logistic = Sprt::new(elo0, elo1, 0.05, 0.05, EloModel::Logistic).unwrap().llr_of_pairs(&pairs);
            let slow = |elo| best_with_mean(&as_f64, expected_score(elo));
            assert!((logistic - (slow(elo1) - slow(elo0))).abs() < 1e-6, "{counts:?} {elo0} {elo1} {logistic}");

            let normalized = Sprt::new(elo0, elo1, 0.05, 0.05, EloModel::Normalized).unwrap().llr_of_pairs(&pairs);
            let slow = |elo| best_with_t_value(&as_f64, elo / NORMALIZED_SCALE * 2f64.sqrt());
            assert!((normalized - (slow(elo1) - slow(elo0))).abs() < 1e-6, "{counts:?} {elo0} {elo1} {normalized}");
        }
    }
}

/// The logistic ratio by bisection alone, which cannot go astray.
fn ratio_by_bisection(counts: [u64; 5], elo0: f64, elo1: f64) -> f64 {
    let counts = counts.map(|count| if count == 0 { 1e-3 } else { count as f64 });
    let tilts = |mean: f64| {
        let (mut low, mut high) = (-1.0 / (1.0 - mean), 1.0 / mean);
        for _ in 0..200 {
            let theta = (low + high) / 2.0;
            let slope = |(count, s): (&f64, f64)| count * (s - mean) / (1.0 + theta * (s - mean));
            let value: f64 = counts.iter().zip(PAIR_SCORES).map(slope).sum();
            (low, high) = if value > 0.0 { (theta, high) } else { (low, theta) };
        }
        PAIR_SCORES.map(|s| 1.0 + low * (s - mean))
    };
    let (tilts0, tilts1) = (tilts(expected_score(elo0)), tilts(expected_score(elo1)));
    (0..5).map(|i| counts[i] * (tilts0[i] / tilts1[i]).ln()).sum()
}

#[test]
fn the_ratio_is_exact_after_every_pair_of_a_match() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(8);
    for _ in 0..20 {
        let elo1 = rng.random_range(1.0..100.0);
        let sprt = Sprt::new(0.0, elo1, 0.05, 0.05, EloModel::Logistic).unwrap();
        let mut pairs = Pentanomial::default();
        for _ in 0..500 {
            pairs.0[random_pair(&EVEN, &mut rng)] += 1;
            let (llr, exact) = (sprt.llr_of_pairs(&pairs), ratio_by_bisection(pairs.0, 0.0, elo1));
            assert!((llr - exact).abs() < 1e-9, "{pairs} {elo1} {llr} {exact}");
        }
    }
}

#[test]
fn the_ratio_of_lone_games_is_that_of_a_grid() {
    // With three results each hypothesis leaves one unknown, x: the grid's best is within its spacing squared of the
    // top.
    let grid = |counts: &[f64; 3], whole: &dyn Fn(f64) -> [f64; 3]| {
        let steps = 0..=400_000;
        steps.map(|step| log_likelihood(counts, &whole(f64::from(step) / 400_000.0))).fold(f64::NEG_INFINITY, f64::max)
    };
    for (wins, draws, losses) in [(40, 30, 30), (5, 90, 5), (3, 1, 9)] {
        let games = Trinomial { wins, draws, losses };
        let counts = games.counts().map(|count| count as f64);
        // x draws; the wins follow from the mean.
        let with_mean = |mean: f64| grid(&counts, &|x| [1.0 - mean - x / 2.0, x, mean - x / 2.0]);
        let logistic = Sprt::new(0.0, 20.0, 0.05, 0.05, EloModel::Logistic).unwrap().llr_of_games(&games);
        let expected = with_mean(expected_score(20.0)) - with_mean(0.5);
        assert!((logistic - expected).abs() < 1e-6, "{games} {logistic} {expected}");
        // Deviation x: wins - losses = 2 t x, wins + losses = 4 (1 + t²) x².
        let with_t = |t: f64| {
            grid(&counts, &|x| {
                let (both, difference) = (4.0 * (1.0 + t * t) * x * x, 2.0 * t * x);
                [(both - difference) / 2.0, 1.0 - both, (both + difference) / 2.0]
            })
        };
        let normalized = Sprt::new(0.0, 20.0, 0.05, 0.05, EloModel::Normalized).unwrap().llr_of_games(&games);
        let expected = with_t(20.0 / NORMALIZED_SCALE) - with_t(0.0);
        assert!((normalized - expected).abs() < 1e-6, "{games} {normalized} {expected}");
    }
}

fn random_points(rng: &mut impl Rng) -> Points {
    [Points::Loss, Points::Draw, Points::Win][rng.random_range(0..3)]
}

/// Scores of all shapes: few results and many, one-sided and even.
fn random_score(rng: &mut impl Rng) -> MatchScore {
    let mut score = MatchScore::default();
    let most = [2, 10, 200][rng.random_range(0..3)];
    for _ in 0..rng.random_range(0..4) {
        let (one, other) = (random_points(rng), random_points(rng));
        (0..rng.random_range(0..most)).for_each(|_| score.add_pair(one, other));
    }
    if rng.random_range(0..2) == 0 {
        let lone = random_points(rng);
        (0..rng.random_range(0..most)).for_each(|_| score.add_unpaired(lone));
    }
    score
}

#[test]
fn strengths_are_finite_and_rise_with_every_result() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(4);
    for _ in 0..20_000 {
        let score = random_score(&mut rng);
        let Some(strength) = Strength::of(&score) else {
            assert_eq!(score.games(), 0);
            continue;
        };
        for interval in [strength.score, strength.elo, strength.normalized] {
            assert!(interval.lower.is_finite() && interval.upper.is_finite(), "{score:?}");
            assert!(interval.lower <= interval.value && interval.value <= interval.upper, "{score:?}");
        }
        assert!((0.0..=1.0).contains(&strength.los) && (0.0..=1.0).contains(&strength.draw_ratio), "{score:?}");

        // The other side sees the same with the sign turned.
        let reversed = Strength::of(&score.reversed()).unwrap();
        assert!((strength.elo.lower + reversed.elo.upper).abs() < 1e-6, "{score:?}");
        assert!((strength.los + reversed.los - 1.0).abs() < 1e-9, "{score:?}");

        // One more lone game: the better its result, the higher the estimate.
        let after = [Points::Loss, Points::Draw, Points::Win].map(|points| {
            let mut more = score;
            more.add_unpaired(points);
            Strength::of(&more).unwrap().elo.value
        });
        assert!(after[0] < after[1] && after[1] < after[2], "{score:?} {after:?}");
    }
}

#[test]
fn ratios_are_finite_antisymmetric_and_add_up() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
    for _ in 0..5_000 {
        let score = random_score(&mut rng);
        for model in [EloModel::Logistic, EloModel::Normalized] {
            let elo0 = rng.random_range(-150.0..100.0);
            let elo1 = elo0 + rng.random_range(0.5..50.0);
            let ratio = |elo0, elo1, score: &MatchScore| Sprt::new(elo0, elo1, 0.05, 0.05, model).unwrap().llr(score);
            let llr = ratio(elo0, elo1, &score);
            let context = format!("{score:?} {model} {elo0} {elo1} {llr}");
            assert!(llr.is_finite(), "{context}");
            let precision = 1e-7 * (1.0 + llr.abs());
            assert!((llr + ratio(-elo1, -elo0, &score.reversed())).abs() < precision, "{context}");
            let between = (elo0 + elo1) / 2.0;
            let sum = ratio(elo0, between, &score) + ratio(between, elo1, &score);
            assert!((llr - sum).abs() < precision, "{context} {sum}");
        }
    }
}

#[test]
fn a_ratio_takes_the_side_of_the_nearer_hypothesis() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(6);
    for _ in 0..5_000 {
        let pairs = Pentanomial([0; 5].map(|_: u64| rng.random_range(1..300)));
        let elo0 = rng.random_range(-100.0..100.0);
        let elo1 = elo0 + rng.random_range(1.0..50.0);
        let points_and_counts = || pairs.0.iter().zip([0.0, 0.25, 0.5, 0.75, 1.0]);
        let count = pairs.pairs() as f64;
        let mean = points_and_counts().map(|(&count, points)| count as f64 * points).sum::<f64>() / count;
        let squares: f64 = points_and_counts().map(|(&count, points)| count as f64 * (points - mean).powi(2)).sum();
        let t = (mean - 0.5) / (2.0 * squares / count).sqrt();
        let logistic = Sprt::new(elo0, elo1, 0.05, 0.05, EloModel::Logistic).unwrap().llr_of_pairs(&pairs);
        let normalized = Sprt::new(elo0, elo1, 0.05, 0.05, EloModel::Normalized).unwrap().llr_of_pairs(&pairs);
        let scores = (expected_score(elo0), expected_score(elo1));
        let ts = (elo0 / NORMALIZED_SCALE, elo1 / NORMALIZED_SCALE);
        for (seen, (low, high), llr) in [(mean, scores, logistic), (t, ts, normalized)] {
            assert!(seen < high || llr > 0.0, "{pairs} {elo0} {elo1} {llr}");
            assert!(seen > low || llr < 0.0, "{pairs} {elo0} {elo1} {llr}");
        }
    }
}

#[test]
fn ratings_are_finite_and_explain_the_points() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
    for _ in 0..500 {
        let count = rng.random_range(2..8);
        let names: Vec<String> = (0..count).map(|i| format!("player {i}")).collect();
        let mut pairings = Vec::new();
        for first in 0..count {
            for second in (0..count).filter(|&second| second != first) {
                if rng.random_range(0..3) > 0 {
                    pairings.push(Pairing { first, second, score: random_score(&mut rng) });
                }
            }
        }
        let table = rate(&names, &pairings, Anchor::Mean).unwrap();
        assert_eq!(table.players.len(), count);
        assert!(table.players.iter().map(|row| row.rating).sum::<f64>().abs() < 1e-6);
        for row in &table.players {
            assert!(row.rating.is_finite() && row.error.is_finite() && row.error >= 0.0, "{table}");
            assert!(row.los_to_next.is_none_or(|los| (0.5..=1.0).contains(&los)), "{table}");
        }
        assert!(table.players.windows(2).all(|two| two[0].rating >= two[1].rating), "{table}");

        // At the maximum every player's expected points are those scored.
        if table.prior {
            continue;
        }
        let rating = |i: usize| table.players.iter().find(|row| row.player == names[i]).unwrap().rating;
        for (i, name) in names.iter().enumerate() {
            let mut expected = 0.0;
            for pairing in pairings.iter().filter(|pairing| pairing.first == i || pairing.second == i) {
                let opponent = pairing.first + pairing.second - i;
                expected += pairing.score.games() as f64 * expected_score(rating(i) - rating(opponent));
            }
            let row = table.players.iter().find(|row| row.player == *name).unwrap();
            assert!((expected - row.points).abs() < 1e-6, "{table}\n{name} {expected}");
        }
    }
}

//! The value of a search is bit for bit the evaluation of the leaf of its line, with the table on: TD-Leaf needs exactly
//! that. And the limits are kept.

use board::random_positions::RandomPositions;
use board::{Game, Move, Outcome, Position};
use engine::evaluators::MaterialEvaluator;
use engine::{Engine, EngineSpec, PolicyKind, SearchKind};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use search::{
    AlphaBeta, Bound, Evaluator, Handler, MAX_PLY, Policy, ScoredMove, SearchInfo, SearchLimits, SearchResult,
    Searcher, Selectivity, Silent, StaticPolicy, Stop, Table, Value,
};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The value that the leaf of the answer's line has for the side to move at the root, found by playing the line.
fn value_of_leaf(engine: &Engine, game: &Game, answer: &SearchResult) -> Value {
    let mut history = game.history().clone();
    let mut leaf = game.position().clone();
    for mv in &answer.pv {
        assert!(leaf.is_legal(*mv), "{mv} in {}", leaf.to_fen(false));
        history.push(leaf.key());
        leaf = leaf.play(*mv);
    }
    let plies = answer.pv.len();
    let value = match leaf.outcome() {
        Some(Outcome::Mated) => Value::mated_at(plies),
        Some(_) => Value::DRAW,
        None if plies > 0 && history.is_repetition(&leaf) => Value::DRAW,
        None => engine.evaluate(&leaf),
    };
    if plies.is_multiple_of(2) { value } else { -value }
}

/// An engine with a table of 1 MB.
fn small() -> EngineSpec {
    EngineSpec { hash_megabytes: 1, ..EngineSpec::default() }
}

/// Searches random positions as one long session, the table filling up, and checks every answer; returns their number.
fn check(spec: &EngineSpec, positions: u64, nodes: impl Fn(u64) -> u64) -> u64 {
    let mut searches = 0;
    let mut engine = spec.build().unwrap();
    let mut games = RandomPositions::new(Xoshiro256PlusPlus::seed_from_u64(positions));
    for index in 0..positions {
        let mut game = Game::new(games.next_position().clone());
        let limit = nodes(index);
        let limits = SearchLimits { nodes: Some(limit), ..SearchLimits::default() };
        // A second search two plies later meets its own traces in the table and its own past in the game.
        for _ in 0..2 {
            let answer = engine.search(&game, &limits, &mut Silent);
            searches += 1;
            let expected = value_of_leaf(&engine, &game, &answer);
            let fen = game.position().to_fen(false);
            assert_eq!(answer.value.to_bits() << 1, expected.to_bits() << 1, "{answer:?} {expected:?} {fen}");
            assert_eq!(answer.value, expected, "{fen}");
            assert!(answer.nodes <= limit);
            for mv in answer.pv.iter().take(2) {
                game.play(*mv);
            }
            if game.outcome().is_some() {
                break;
            }
        }
    }
    searches
}

// Together over ten thousand searches; apart, so that they run in parallel.

#[test]
fn the_value_is_the_leafs_evaluation_in_small_searches() {
    let searches = check(&small(), 4_000, |_| 256) + check(&small(), 600, |index| 1 + index * 5);
    assert!(searches > 7_000, "{searches}");
}

#[test]
fn the_value_is_the_leafs_evaluation_in_large_searches() {
    let searches = check(&small(), 16, |_| 100_000);
    assert!(searches > 24, "{searches}");
}

#[test]
fn the_value_is_the_leafs_evaluation_by_any_policy_and_selectivity() {
    let uniform = EngineSpec { policy: PolicyKind::Uniform, ..small() };
    let plain = EngineSpec { selective: false, ..uniform.clone() };
    let searches = check(&uniform, 800, |_| 700) + check(&plain, 400, |_| 700);
    assert!(searches > 2_000, "{searches}");
}

#[test]
fn the_value_is_the_leafs_evaluation_in_the_depth_limited_search() {
    let depth = EngineSpec { search: SearchKind::Depth, ..small() };
    let searches = check(&depth, 800, |_| 700) + check(&depth, 6, |_| 100_000);
    assert!(searches > 1_000, "{searches}");
}

#[test]
fn a_node_limit_is_reached_exactly() {
    let mut engine = small().build().unwrap();
    for nodes in [1, 2, 19, 20, 21, 1_000, 12_345, 100_000] {
        let limits = SearchLimits { nodes: Some(nodes), ..SearchLimits::default() };
        let answer = engine.search(&Game::new(Position::start()), &limits, &mut Silent);
        assert_eq!(answer.nodes, nodes);
        assert!(answer.best().is_some());
    }
}

/// Engines are compared at equal nodes: a node is a move or a null move made, in quiescence and in verification too.
#[test]
fn a_node_is_a_move_made() {
    let fen = "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10";
    let game = Game::new(Position::from_fen(fen).unwrap());
    for selectivity in [Selectivity::NONE, Selectivity::full(), Selectivity::depth_limited()] {
        let mut searcher = AlphaBeta::new(Gauge::default(), StaticPolicy, selectivity, 0);
        let limits = SearchLimits { nodes: Some(50_000), ..SearchLimits::default() };
        let answer = searcher.search(&Table::new(1).unwrap(), &game, &limits, &mut Silent);
        assert_eq!(answer.nodes, 50_000);
        assert_eq!(searcher.evaluator().made.load(Ordering::Relaxed), 50_000, "{selectivity:?}");
    }
}

fn search(fen: &str, limits: &SearchLimits) -> SearchResult {
    let mut engine = small().build().unwrap();
    engine.search(&Game::new(Position::from_fen(fen).unwrap()), limits, &mut Silent)
}

#[test]
fn mates_are_found_at_their_true_distance() {
    for (fen, plies) in [
        ("6k1/5ppp/8/8/8/8/8/3R2K1 w - - 0 1", 1),
        ("6k1/5ppp/8/8/8/8/5PPP/3RR1K1 w - - 99 90", 1),
        ("k7/8/1K6/8/8/8/8/7R w - - 0 1", 1),
        ("7k/8/5K2/8/8/8/8/6R1 w - - 0 1", 3),
        ("6k1/R7/1R6/8/8/8/8/7K b - - 0 1", -2),
        ("6k1/R7/1R6/8/8/8/8/K7 b - - 96 80", -2),
    ] {
        let answer = search(fen, &SearchLimits { nodes: Some(50_000), ..SearchLimits::default() });
        assert_eq!(answer.value.mate_plies(), Some(plies), "{fen}: {answer:?}");
        assert_eq!(answer.pv.len(), plies.unsigned_abs() as usize);
    }
}

/// Black has a piece, and passing would be its best move: a passed turn alone proves nothing here.
#[test]
fn null_move_pruning_survives_zugzwang() {
    let answer = search(
        "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1",
        &SearchLimits { mate: Some(2), nodes: Some(5_000_000), ..SearchLimits::default() },
    );
    assert_eq!(answer.value.mate_plies(), Some(3));
}

#[test]
fn a_wanted_mate_ends_the_search() {
    let limits = SearchLimits { mate: Some(2), nodes: Some(10_000_000), ..SearchLimits::default() };
    let answer = search("7k/8/5K2/8/8/8/8/6R1 w - - 0 1", &limits);
    assert_eq!(answer.value.mate_plies(), Some(3));
    assert!(answer.nodes < 100_000);
}

#[test]
fn an_ended_game_has_no_move() {
    for (fen, mated) in [("8/8/8/8/8/5k2/6q1/7K w - - 0 1", true), ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", false)] {
        let answer = search(fen, &SearchLimits { depth: Some(5), ..SearchLimits::default() });
        assert_eq!(answer.best(), None);
        assert_eq!(answer.value.is_mate(), mated);
        assert_eq!(answer.nodes, 0);
    }
}

/// MaterialEvaluator, how far any line has gone, and how many moves and null moves were made.
#[derive(Default)]
struct Gauge {
    farthest: AtomicUsize,
    made: AtomicUsize,
}

impl Evaluator for Gauge {
    type State = usize;

    fn root(&self, _: &Position) -> usize {
        0
    }

    fn make(&self, ply: &mut usize, _: &Position, _: Move, _: &Position) {
        *ply += 1;
        self.farthest.fetch_max(*ply, Ordering::Relaxed);
        self.made.fetch_add(1, Ordering::Relaxed);
    }

    fn make_null(&self, ply: &mut usize, _: &Position) {
        *ply += 1;
        self.made.fetch_add(1, Ordering::Relaxed);
    }

    fn unmake(&self, ply: &mut usize) {
        *ply -= 1;
    }

    fn logit(&self, _: &mut usize, position: &Position) -> f32 {
        MaterialEvaluator.logit(&mut (), position)
    }
}

/// Every child keeps its parent's budget, so that a line ends only by the rules or at the ply cap.
struct Endless;

impl Policy for Endless {
    fn priors(&self, _: &Position, moves: &mut [ScoredMove]) {
        moves.iter_mut().for_each(|scored| scored.prior = 1.0);
    }
}

#[test]
fn a_line_without_end_ends_at_the_ply_cap_even_in_check() {
    for fen in ["rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "1k5q/p5pq/8/8/8/8/QP5P/Q5K1 w - - 0 1"] {
        let game = Game::new(Position::from_fen(fen).unwrap());
        let mut searcher = AlphaBeta::new(Gauge::default(), Endless, Selectivity::basic(), 0);
        let limits = SearchLimits { nodes: Some(200_000), ..SearchLimits::default() };
        let answer = searcher.search(&Table::new(1).unwrap(), &game, &limits, &mut Silent);
        assert!(answer.pv.len() <= MAX_PLY && answer.best().is_some(), "{fen}");
        assert_eq!(searcher.evaluator().farthest.load(Ordering::Relaxed), MAX_PLY, "{fen}");
    }
}

#[test]
fn a_draw_by_repetition_is_seen_in_the_tree_and_in_the_game() {
    // Two rooks' worth behind, White has a perpetual check and nothing else: Qe8+ Kh7 Qh5+ Kg8.
    let answer =
        search("6k1/6p1/8/7Q/8/8/qr6/6K1 w - - 0 1", &SearchLimits { nodes: Some(200_000), ..SearchLimits::default() });
    assert_eq!((answer.value, answer.pv.len()), (Value::DRAW, 4), "{answer:?}");
    // The third occurrence: whoever could repeat for the third time knows that it is a draw.
    let mut game = Game::new(Position::start());
    for text in ["g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1"] {
        let mv = game.position().parse_uci(text).unwrap();
        game.play(mv);
    }
    let mv = game.position().parse_uci("f6g8").unwrap();
    let mut engine = small().build().unwrap();
    let limits = SearchLimits { searchmoves: vec![mv], nodes: Some(500), ..SearchLimits::default() };
    let answer = engine.search(&game, &limits, &mut Silent);
    assert_eq!((answer.best(), answer.value), (Some(mv), Value::DRAW));
}

#[test]
fn several_lines_begin_with_different_moves_and_none_is_better_than_an_earlier_one() {
    struct Collect(Vec<(u32, usize, SearchResult)>);
    impl Handler for Collect {
        fn poll(&mut self, _nodes: u64) -> Result<(), Stop> {
            Ok(())
        }
        fn report(&mut self, report: &SearchInfo) {
            if report.bound == Bound::Exact {
                let (pv, value) = (report.pv.to_vec(), report.value);
                let answer = SearchResult { pv, value, better: None, nodes: 0, evaluations: 0, depth: 0 };
                self.0.push((report.depth, report.multipv, answer));
            }
        }
    }
    let mut engine = small().build().unwrap();
    let mut collect = Collect(Vec::new());
    let limits = SearchLimits { depth: Some(11), multipv: 5, ..SearchLimits::default() };
    let fen = "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10";
    let game = Game::new(Position::from_fen(fen).unwrap());
    engine.search(&game, &limits, &mut collect);
    assert!(collect.0.len() >= 55);
    for (_, _, answer) in &collect.0 {
        assert_eq!(answer.value, value_of_leaf(&engine, &game, answer), "{answer:?}");
    }
    let last: Vec<_> = collect.0.iter().filter(|line| line.0 == 11).collect();
    assert_eq!(last.iter().map(|line| line.1).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
    assert!(last.windows(2).all(|pair| pair[0].2.value >= pair[1].2.value));
    let mut moves: Vec<_> = last.iter().map(|line| line.2.pv[0].to_string()).collect();
    moves.sort();
    moves.dedup();
    assert_eq!(moves.len(), 5);
}

#[test]
fn the_same_search_twice_is_the_same() {
    let limits = SearchLimits { nodes: Some(30_000), ..SearchLimits::default() };
    let fen = "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10";
    let (one, two) = (search(fen, &limits), search(fen, &limits));
    assert_eq!((one.pv, one.value, one.evaluations), (two.pv, two.value, two.evaluations));
}

#[test]
fn what_an_unfinished_iteration_finds_is_reported() {
    #[derive(Default)]
    struct Last(Vec<Move>);
    impl Handler for Last {
        fn poll(&mut self, _nodes: u64) -> Result<(), Stop> {
            Ok(())
        }
        fn report(&mut self, info: &SearchInfo) {
            if info.bound == Bound::Exact {
                self.0 = info.pv.to_vec();
            }
        }
    }
    let mut engine = small().build().unwrap();
    for nodes in (1..300).chain((300..20_000).step_by(397)) {
        engine.new_game();
        let limits = SearchLimits { nodes: Some(nodes), ..SearchLimits::default() };
        let mut last = Last::default();
        let result = engine.search(&Game::new(Position::start()), &limits, &mut last);
        assert!(result.better.is_some() || last.0 == result.pv, "{nodes}");
    }
}

#[test]
fn the_move_to_play_begins_the_line_reported_last() {
    #[derive(Default)]
    struct Last(Option<Move>);
    impl Handler for Last {
        fn poll(&mut self, _nodes: u64) -> Result<(), Stop> {
            Ok(())
        }
        fn report(&mut self, info: &SearchInfo) {
            self.0 = info.pv.first().copied();
        }
    }
    let mut engine = small().build().unwrap();
    let mut games = RandomPositions::new(Xoshiro256PlusPlus::seed_from_u64(1));
    for nodes in 1..3_000 {
        let game = Game::new(games.next_position().clone());
        let limits = SearchLimits { nodes: Some(nodes), ..SearchLimits::default() };
        let mut last = Last::default();
        let result = engine.search(&game, &limits, &mut last);
        assert_eq!(last.0, result.best(), "{nodes} {}", game.position().to_fen(false));
    }
}

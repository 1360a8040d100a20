//! When a search reports and ends, and what it asks of others.

use super::*;
use crate::doubles::{PawnTables, Recorder};
use crate::mcts::tests::by_hand::Even;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

fn by_static() -> MctsSettings {
    MctsSettings { leaf: LeafKind::Static, ..MctsSettings::default() }
}

fn searcher<E: Evaluator>(evaluator: E) -> Mcts<E, StaticPolicy> {
    let arena = Arc::new(Arena::with_bytes(8 << 20).unwrap());
    Mcts::new(evaluator, StaticPolicy, by_static(), arena, 5)
}

fn find<E: Evaluator>(
    searching: &mut Mcts<E, StaticPolicy>,
    game: &Game,
    limits: &SearchLimits,
    recorder: &mut Recorder,
) -> SearchResult {
    searching.search(&Table::with_kilobytes(64).unwrap(), game, limits, recorder)
}

#[test]
fn iterations_are_reported_when_the_visits_have_doubled_and_the_rest_at_the_end() {
    let game = game(KIWIPETE);
    let told = |limits: &SearchLimits, last_iteration| {
        let mut recorder = Recorder { last_iteration, ..Recorder::default() };
        let answer = find(&mut searcher(Material), &game, limits, &mut recorder);
        (answer.nodes, answer.depth, recorder.lines.join("; ").replace(", 0 per mille", "").replace(", line 1", ""))
    };
    let first = "depth 1 at 2; iteration 2; depth 2 at 4; iteration 3; depth 3 at 8";
    assert_eq!(told(&visits(8), None), (8, 3, first.to_owned()));
    assert_eq!(told(&SearchLimits::default(), Some(3)), (8, 3, format!("{first}; iteration 4")));
    let then = "iteration 4; depth 4 at 16; iteration 5; depth 5 at 32; iteration 6; poll at 32";
    let last = "depth 6 at 64; iteration 7; poll at 64; depth 6 at 70";
    assert_eq!(told(&visits(70), None), (70, 6, format!("{first}; {then}; {last}")));
    assert_eq!(told(&visits(0), None), (0, 0, "depth 1 at 0".to_owned()));
    assert_eq!(told(&visits(1), None), (1, 0, "depth 1 at 1".to_owned()));
}

#[test]
fn what_a_handler_shows_is_found_out_for_it() {
    let told = |shows| {
        let mut recorder = Recorder { shows, ..Recorder::default() };
        let table = Table::with_kilobytes(64).unwrap();
        mcts(by_static(), 0).search(&table, &game(KIWIPETE), &visits(2), &mut recorder);
        recorder.lines
    };
    assert_eq!(told(false), ["depth 1, line 1 at 2, 0 per mille"]);
    // Of 2,048 units 9: the root, 7 of 48 moves (2 + 6 + 48 words), and a node.
    assert_eq!(told(true), ["depth 1, line 1 at 2, 4 per mille", "statistics of 48 moves"]);
}

/// After so many evaluations White likes another pawn.
struct Turning {
    after: u64,
    evaluations: AtomicU64,
}

impl Evaluator for Turning {
    type State = ();

    fn root(&self, _: &Position) {}

    fn logit(&self, (): &mut (), position: &Position) -> f32 {
        let is_late = self.evaluations.fetch_add(1, Relaxed) >= self.after;
        let liked = if is_late { board::Square::H3 } else { board::Square::A3 };
        let bonus = if position.pieces(Piece::Pawn).has(liked) { if is_late { 0.8 } else { 0.01 } } else { 0.0 };
        if position.side_to_move() == Color::White { bonus } else { -bonus }
    }
}

#[test]
fn another_best_move_is_reported_before_the_iteration_ends() {
    let game = Game::new(Position::start());
    let searchmoves: Vec<Move> = ["a2a3", "h2h3"].map(|text| game.position().parse_uci(text).unwrap()).to_vec();
    let mut recorder = Recorder::default();
    let evaluations = |after, count, recorder: &mut Recorder| {
        let limits = SearchLimits { searchmoves: searchmoves.clone(), ..visits(count) };
        find(&mut searcher(Turning { after, evaluations: AtomicU64::new(0) }), &game, &limits, recorder).evaluations
    };
    let after = evaluations(u64::MAX, 8_192, &mut Recorder::default());
    evaluations(after, 16_384, &mut recorder);
    let reports: Vec<&str> = recorder.lines.iter().map(String::as_str).filter(|line| line.contains("line")).collect();
    let wanted = ["13, line 1 at 8192", "14, line 1 at 12288", "14, line 1 at 16384"];
    assert_eq!(reports[12..], wanted.map(|text| format!("depth {text}, 0 per mille")));
    let moves: Vec<Move> = recorder.found[12..].iter().map(|found| found.0).collect();
    assert_eq!(moves, [searchmoves[0], searchmoves[1], searchmoves[1]]);
}

#[test]
fn a_search_ends_with_the_mate_and_the_lines_that_are_asked_for() {
    let nodes = |fen, limits: &SearchLimits| search(&mut small(MctsSettings::default()), &game(fen), limits).nodes;
    let mate_in_two = "7k/8/5K2/8/8/8/8/6R1 w - - 0 1";
    let mate = |mate| SearchLimits { mate: Some(mate), ..visits(4_000) };
    assert!(nodes(mate_in_two, &mate(2)) < 4_000);
    assert_eq!(nodes(mate_in_two, &mate(1)), 4_000, "it is no mate in one");
    let mate_in_one = "6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1";
    let lines = |multipv| SearchLimits { multipv, ..visits(300) };
    assert!(nodes(mate_in_one, &lines(1)) < 300);
    assert_eq!(nodes(mate_in_one, &lines(2)), 300, "the second line is open");
    // All of the moves, which is one, are proven.
    assert!(nodes("8/8/8/8/8/8/1r6/K6k w - - 0 1", &lines(2)) < 300);
    assert!(nodes("8/8/8/8/8/8/1r6/K6k w - - 0 1", &mate(1)) < 300);
}

#[test]
fn a_draw_is_worth_what_the_evaluator_says() {
    // The only move takes the last piece.
    let mut searching = searcher(Even);
    let answer = find(&mut searching, &game("8/8/8/8/8/8/1r6/K6k w - - 0 1"), &visits(9), &mut Recorder::default());
    assert_eq!(answer.value, Value::from_evaluation(0.25));
    let statistics = searching.statistics(&[]);
    assert_eq!((statistics.len(), statistics[0].value, statistics[0].draw), (1, 0.25, 1.0));
    assert_eq!(searching.arena().node(ROOT).value(), 0.25);
    let stalemate = game("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1");
    assert_eq!(find(&mut searching, &stalemate, &visits(9), &mut Recorder::default()).value.to_f32(), -0.25);
}

#[test]
fn a_root_that_repeats_is_valued_like_any_other() {
    let mut game = game("7k/8/8/8/8/8/r7/3K3R b - - 0 1");
    for text in ["h8g8", "h1g1", "g8h8", "g1h1"].repeat(2) {
        let mv = game.position().parse_uci(text).unwrap();
        game.play(mv);
    }
    let mut searching = searcher(Material);
    find(&mut searching, &game, &visits(1), &mut Recorder::default());
    let found = searching.arena().node(ROOT).value() as f32;
    assert!((found - searching.evaluate(game.position()).to_f32()).abs() < 1e-6 && found != 0.0, "{found}");
}

#[test]
fn a_move_that_the_tree_does_not_know_begins_another() {
    let (mut game, mut searching) = (game(KIWIPETE), searcher(Material));
    find(&mut searching, &game, &visits(9), &mut Recorder::default());
    let unknown = searching.statistics(&[])[0];
    assert_eq!(unknown.visits, 0);
    game.play(unknown.mv);
    find(&mut searching, &game, &visits(5), &mut Recorder::default());
    assert_eq!(searching.arena().node(ROOT).visits(), 5);
    let legal = game.position().legal_moves();
    assert!(searching.statistics(&[]).iter().all(|statistics| legal.contains(&statistics.mv)));
}

#[test]
fn tables_prove_moves_until_they_are_taken_away() {
    let (game, mut searching) = (game(PawnTables::WON), searcher(Material));
    searching.set_tablebase(Some(Arc::new(PawnTables)));
    let answer = find(&mut searching, &game, &visits(100), &mut Recorder::default());
    assert_eq!((&*uci(&game, answer.best()), answer.value), ("e2e4", Value::table_win_at(1)));
    assert!(answer.nodes < 100, "proven");
    let proven = |statistics: Vec<MoveStatistics>| statistics.iter().filter(|of| of.is_proven).count();
    assert!(proven(searching.statistics(&[])) > 0);
    searching.set_tablebase(None);
    assert_eq!(searching.arena().node(ROOT).visits(), 0, "what they have proven is forgotten");
    find(&mut searching, &game, &visits(100), &mut Recorder::default());
    assert_eq!((searching.arena().node(ROOT).visits(), proven(searching.statistics(&[]))), (100, 0));
}

/// Counts the searches' roots and evaluations.
struct Counting(Arc<[AtomicU64; 2]>);

impl Evaluator for Counting {
    type State = ();

    fn root(&self, _: &Position) {
        self.0[0].fetch_add(1, Relaxed);
    }

    fn logit(&self, (): &mut (), position: &Position) -> f32 {
        self.0[1].fetch_add(1, Relaxed);
        Material.logit(&mut (), position)
    }
}

#[test]
fn every_thread_has_its_own_root_and_all_evaluations_are_counted() {
    for threads in [1, 3] {
        let counts = Arc::new([0, 0].map(AtomicU64::new));
        let mut searching = searcher(Counting(counts.clone()));
        assert!(searching.set_threads(threads));
        let answer = find(&mut searching, &game(KIWIPETE), &visits(2_000), &mut Recorder::default());
        // One more before the threads start.
        assert_eq!(counts[0].load(Relaxed), threads as u64 + 1);
        assert_eq!((answer.nodes, answer.evaluations), (2_000, counts[1].load(Relaxed)));
    }
}

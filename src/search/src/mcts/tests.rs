//! The search as a whole, by material and static priors.

mod by_hand;
mod choices;
mod course;
mod oracle;

use super::arena::{Arena, ROOT};
use super::edges::Edges;
use super::node::Node;
use super::search_contempt::INFINITE;
use super::{LeafKind, Mcts, MctsSettings};
use crate::evaluator::Evaluator;
use crate::handler::{Handler, MoveStatistics, SearchInfo, Silent, Stop};
use crate::limits::SearchLimits;
use crate::policy::{StaticPolicy, UniformPolicy};
use crate::result::SearchResult;
use crate::searcher::Searcher;
use crate::selectivity::Selectivity;
use crate::table::Table;
use crate::value::Value;
use board::{Color, Game, Move, Piece, Position};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Material, and what tells positions apart.
struct Material;

impl Evaluator for Material {
    type State = ();

    fn root(&self, _: &Position) {}

    fn logit(&self, (): &mut (), position: &Position) -> f32 {
        let of = |color: Color| -> f32 {
            let value = [0.2, 0.6, 0.65, 1.0, 1.9, 0.0];
            Piece::ALL
                .iter()
                .map(|piece| value[*piece as usize] * position.colored_pieces(color, *piece).len() as f32)
                .sum()
        };
        let us = position.side_to_move();
        // 24 bits of the key: from -0.1 to 0.1, for White.
        let noise = ((position.key() >> 40) as f32 / (1 << 23) as f32 - 1.0) * 0.1;
        of(us) - of(!us) + if us == Color::White { noise } else { -noise }
    }
}

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
const MANY_MOVES: &str = "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1";

/// A leaf is searched for longer than a test may take.
const DEEP: LeafKind = LeafKind::Search(1 << 20);

type Searching = Mcts<Material, StaticPolicy>;

fn mcts(settings: MctsSettings, bytes: usize) -> Searching {
    Mcts::new(Material, StaticPolicy, settings, Arc::new(Arena::with_bytes(bytes).unwrap()), 5)
}

fn small(settings: MctsSettings) -> Searching {
    mcts(settings, 8 << 20)
}

fn game(fen: &str) -> Game {
    Game::new(Position::from_fen(fen).unwrap())
}

fn visits(count: u64) -> SearchLimits {
    SearchLimits { nodes: Some(count), ..SearchLimits::default() }
}

fn search(searching: &mut Searching, game: &Game, limits: &SearchLimits) -> SearchResult {
    searching.search(&Table::with_kilobytes(64).unwrap(), game, limits, &mut Silent)
}

fn uci(game: &Game, mv: Option<Move>) -> String {
    mv.map_or("none".to_owned(), |mv| game.position().uci(mv, false))
}

/// Calls `each` with every expanded node and its depth.
fn walk(arena: &Arena, node: &Node, depth: usize, each: &mut impl FnMut(&Node, Edges, usize)) {
    if node.edges() != 0 {
        let edges = Edges::at(arena, node.edges());
        each(node, edges, depth);
        for (child, _) in edges.visited(arena) {
            walk(arena, child, depth + 1, each);
        }
    }
}

#[test]
fn every_visit_but_a_nodes_first_goes_to_one_of_its_moves() {
    for leaf in [LeafKind::Static, LeafKind::Quiescence, LeafKind::Search(8)] {
        for contempt_limit in [3, INFINITE] {
            let mut searching = small(MctsSettings { leaf, contempt_limit, ..MctsSettings::default() });
            let answer = search(&mut searching, &game(KIWIPETE), &visits(5_000));
            assert_eq!((answer.nodes, answer.depth), (5_000, 12));
            let arena = searching.arena();
            assert_eq!(arena.node(ROOT).visits(), 5_000);
            let mut nodes = 0;
            walk(arena, arena.node(ROOT), 0, &mut |node, edges, _| {
                nodes += 1;
                let below: u32 = edges.visited(arena).map(|(child, _)| child.visits()).sum();
                assert_eq!(below, node.visits() - 1);
                // Behind the first that was not visited, none was.
                let count = edges.visited(arena).count();
                let visited = |number| edges.child(arena, number).is_some_and(|child| child.visits() > 0);
                assert_eq!((0..edges.len()).filter(|number| visited(*number)).count(), count);
            });
            assert!(nodes > 500, "{nodes}");
        }
    }
}

#[test]
fn with_an_infinite_limit_search_contempt_is_puct() {
    let found = |contempt_limit, seed| {
        let settings = MctsSettings { contempt_limit, ..MctsSettings::default() };
        let arena = Arc::new(Arena::with_bytes(8 << 20).unwrap());
        let mut searching = Mcts::new(Material, StaticPolicy, settings, arena, seed);
        let game = game(KIWIPETE);
        search(&mut searching, &game, &visits(3_000));
        (searching.statistics(&[]), searching.statistics(&[game.position().parse_uci("e2a6").unwrap()]))
    };
    let puct = found(INFINITE, 5);
    // No node of the opponent has as many visits.
    assert_eq!(found(3_000, 5), puct);
    let contempt = found(20, 5);
    assert_ne!(contempt, puct);
    assert_eq!(found(20, 5), contempt, "the same seed draws the same");
    assert_ne!(found(20, 6), contempt);
}

#[test]
fn only_the_opponents_visits_are_frozen_and_in_their_proportions() {
    let mut searching = small(MctsSettings { contempt_limit: 10, ..MctsSettings::default() });
    search(&mut searching, &game(KIWIPETE), &visits(20_000));
    let arena = searching.arena();
    let (mut frozen, mut chi_square, mut freedom) = (0, 0.0, 0.0);
    walk(arena, arena.node(ROOT), 0, &mut |node, edges, depth| {
        let Some(counts) = edges.frozen(arena) else {
            assert!(depth % 2 == 0 || node.visits() <= 11, "{} visits at depth {depth}", node.visits());
            return;
        };
        frozen += 1;
        assert_eq!(depth % 2, 1);
        let mut last = 0;
        let counts: Vec<u32> = counts
            .iter()
            .map(|count| {
                let cumulative = count.load(std::sync::atomic::Ordering::Relaxed);
                let own = cumulative - last;
                last = cumulative;
                own
            })
            .collect();
        assert_eq!(last, 10);
        let drawn = f64::from(node.visits()) - 11.0;
        if drawn >= 100.0 {
            for (count, (child, _)) in counts.iter().zip(edges.visited(arena)) {
                let expected = drawn * f64::from(*count) / 10.0;
                chi_square += (f64::from(child.visits() - count) - expected).powi(2) / expected;
            }
            freedom += counts.len() as f64 - 1.0;
        }
        assert_eq!(edges.visited(arena).count(), counts.len(), "no move is added");
    });
    // The sum is normal for so many degrees of freedom; four standard deviations.
    assert!(frozen > 20 && freedom > 15.0, "{frozen} {freedom}");
    assert!(chi_square < freedom + 4.0 * (2.0_f64 * freedom).sqrt(), "{chi_square} of {freedom}");
}

/// Does the line have as many plies as the value says, and is the last one mate?
fn ends_in_mate(game: &Game, answer: &SearchResult) -> bool {
    let last = answer.pv.iter().fold(game.position().clone(), |position, mv| position.play(*mv));
    let plies = answer.value.mate_plies().map(|plies| plies.unsigned_abs() as usize);
    plies == Some(answer.pv.len()) && last.in_check() && !last.has_legal_move()
}

#[test]
fn mates_are_found_and_proven() {
    for leaf in [LeafKind::Static, LeafKind::Quiescence, LeafKind::Search(64)] {
        for (fen, best, plies) in [
            ("6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1", "a1a8", 1),
            ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", "a1a6", 3),
            ("r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1", "f6a6", 5),
            ("r1bq2rk/pp3pbp/2p1p1pQ/7P/3P4/2PB1N2/PP3PPR/2KR4 w - - 0 1", "h6h7", 3),
        ] {
            let game = game(fen);
            let settings = MctsSettings { leaf, ..MctsSettings::default() };
            let arena = Arc::new(Arena::with_bytes(64 << 20).unwrap());
            let mut searching = Mcts::new(Material, UniformPolicy, settings, arena, 5);
            let table = Table::with_kilobytes(64).unwrap();
            let answer = searching.search(&table, &game, &visits(200_000), &mut Silent);
            let found = (uci(&game, answer.best()), answer.value.mate_plies());
            assert!(found.0 == best && found.1.is_some_and(|found| found >= plies), "{fen}: {found:?} {answer:?}");
            assert!(answer.nodes < 200_000, "a proven root is searched no further");
            assert!(ends_in_mate(&game, &answer), "{leaf:?}, {fen}: {answer:?}");
        }
        let lost = game("6k1/8/8/8/8/7r/r7/5K2 w - - 0 1");
        let answer = search(&mut small(MctsSettings { leaf, ..MctsSettings::default() }), &lost, &visits(1_000));
        assert_eq!(answer.value.mate_plies(), Some(-4), "{answer:?}");
        assert!(ends_in_mate(&lost, &answer), "{leaf:?}: {answer:?}");
    }
}

#[test]
fn the_move_that_mates_is_played_also_where_quiescence_sees_it_at_once() {
    let game = game("r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 0 1");
    for leaf in [LeafKind::Quiescence, LeafKind::Search(64)] {
        let arena = Arc::new(Arena::with_bytes(8 << 20).unwrap());
        let settings = MctsSettings { leaf, ..MctsSettings::default() };
        let mut searching = Mcts::new(Material, UniformPolicy, settings, arena, 5);
        let answer = searching.search(&Table::with_kilobytes(64).unwrap(), &game, &visits(2_000), &mut Silent);
        assert_eq!((&*uci(&game, answer.best()), answer.value.mate_plies()), ("h5f7", Some(1)), "{answer:?}");
        assert!(answer.nodes < 2_000);
    }
}

#[test]
fn stalemates_dead_positions_and_repetitions_are_drawn() {
    // The only move that does not lose takes the last piece.
    let dead = game("8/8/8/8/8/8/1r6/K6k w - - 0 1");
    let answer = search(&mut small(MctsSettings::default()), &dead, &visits(100));
    assert_eq!((answer.value, uci(&dead, answer.best())), (Value::DRAW, "a1b2".to_owned()));
    assert!(answer.nodes < 100, "proven");
    let stalemate = game("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1");
    let answer = search(&mut small(MctsSettings::default()), &stalemate, &visits(10));
    assert_eq!((answer.value, answer.best(), answer.nodes), (Value::DRAW, None, 0));
    let mated = game("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1");
    assert_eq!(search(&mut small(MctsSettings::default()), &mated, &visits(10)).value, Value::mated_at(0));
}

#[test]
fn a_repetition_is_a_draw_whatever_the_material() {
    let mut game = game("7k/8/8/8/8/8/r7/3K3R b - - 0 1");
    for text in ["h8g8", "h1g1", "g8h8", "g1h1", "h8g8", "h1g1", "g8h8"] {
        let mv = game.position().parse_uci(text).unwrap();
        game.play(mv);
    }
    let back = game.position().parse_uci("g1h1").unwrap();
    let mut searching = small(MctsSettings { leaf: LeafKind::Static, ..MctsSettings::default() });
    search(&mut searching, &game, &visits(2_000));
    let statistics = searching.statistics(&[]);
    let repeated = statistics.iter().find(|statistics| statistics.mv == back).unwrap();
    assert_eq!((repeated.value.abs(), repeated.draw, repeated.is_proven), (0.0, 1.0, false));
}

#[test]
fn limits_are_kept_exactly_also_by_two_threads() {
    for threads in [1, 2] {
        for limit in [1, 2, 3, 100, 1_001] {
            let mut searching = small(MctsSettings::default());
            assert!(searching.set_threads(threads));
            let game = game(KIWIPETE);
            let answer = search(&mut searching, &game, &visits(limit));
            assert_eq!(answer.nodes, limit);
            assert_eq!(u64::from(searching.arena().node(ROOT).visits()), limit);
            assert!(answer.best().is_some_and(|mv| game.position().is_legal(mv)), "{answer:?}");
            assert_eq!(searching.arena().node(ROOT).in_flight(), 0);
        }
    }
    let depth = SearchLimits { depth: Some(7), ..SearchLimits::default() };
    let answer = search(&mut small(MctsSettings::default()), &game(KIWIPETE), &depth);
    assert_eq!((answer.nodes, answer.depth), (128, 7));
}

#[test]
fn one_move_and_as_many_as_there_can_be() {
    let one = game("7k/6Q1/8/8/8/8/8/K7 b - - 0 1");
    assert_eq!(
        search(&mut small(MctsSettings::default()), &one, &visits(50)).best(),
        Some(one.position().legal_moves()[0])
    );
    let most = game(MANY_MOVES);
    assert_eq!(most.position().legal_moves().len(), 218);
    for count in [1, 500, 5_000] {
        let mut searching = mcts(MctsSettings { leaf: LeafKind::Static, ..MctsSettings::default() }, 0);
        let answer = search(&mut searching, &most, &visits(count));
        assert!(answer.best().is_some_and(|mv| most.position().is_legal(mv)));
        assert_eq!(searching.statistics(&[]).len(), 218);
    }
}

#[test]
fn a_full_arena_ends_the_growth_and_not_the_search() {
    let mut searching = mcts(MctsSettings::default(), 1 << 16);
    let answer = search(&mut searching, &game(KIWIPETE), &visits(30_000));
    assert_eq!(answer.nodes, 30_000);
    assert!(searching.arena().is_full() && searching.arena().in_use() > 990);
    assert_eq!(searching.arena().node(ROOT).visits(), 30_000);
    // A game goes on in it.
    let mut game = game(KIWIPETE);
    for _ in 0..30 {
        let Some(mv) = search(&mut searching, &game, &visits(500)).best() else { break };
        game.play(mv);
        assert!(searching.arena().bytes() <= 1 << 16);
    }
    assert!(game.moves().len() == 30 || game.outcome().is_some());
}

#[test]
fn what_is_below_the_moves_played_is_kept() {
    let mut game = game(KIWIPETE);
    let mut searching = small(MctsSettings::default());
    let first = search(&mut searching, &game, &visits(4_000));
    let kept = searching.statistics(&first.pv[..2]);
    let known: u32 = 1 + kept.iter().map(|statistics| statistics.visits).sum::<u32>();
    assert!(known > 100, "{known}");
    first.pv[..2].iter().for_each(|mv| game.play(*mv));
    search(&mut searching, &game, &visits(1));
    assert_eq!(searching.arena().node(ROOT).visits(), known + 1);
    // Another game, another tree.
    search(&mut searching, &Game::new(Position::start()), &visits(7));
    assert_eq!(searching.arena().node(ROOT).visits(), 7);
    // Search-contempt knows who is to move at the root.
    let mut contempt = small(MctsSettings { contempt_limit: 5, ..MctsSettings::default() });
    let mut game = Game::new(Position::start());
    let best = search(&mut contempt, &game, &visits(1_000)).best().unwrap();
    game.play(best);
    let reply = search(&mut contempt, &game, &visits(1_000)).pv;
    assert_eq!(contempt.arena().node(ROOT).visits(), 1_000);
    reply[..2].iter().for_each(|mv| game.play(*mv));
    search(&mut contempt, &game, &visits(10));
    assert!(contempt.arena().node(ROOT).visits() > 10);
}

#[test]
fn wanted_moves_and_several_lines() {
    let game = game(KIWIPETE);
    let among: Vec<Move> = ["e1g1", "a2a3", "e5d7"].map(|text| game.position().parse_uci(text).unwrap()).to_vec();
    let limits = SearchLimits { searchmoves: among.clone(), multipv: 5, ..visits(300) };
    let mut seen = Seen::default();
    let mut searching = small(MctsSettings::default());
    let answer = searching.search(&Table::with_kilobytes(64).unwrap(), &game, &limits, &mut seen);
    assert!(among.contains(&answer.best().unwrap()));
    let last = &seen.lines[seen.lines.len() - 3..];
    assert!(last.iter().enumerate().all(|(rank, line)| line.0 == rank + 1 && among.contains(&line.1)), "{last:?}");
    assert_eq!(seen.statistics.len(), 3);
    assert!(seen.statistics.is_sorted_by_key(|statistics| statistics.visits));
    // Nothing of a tree with some of the moves is kept.
    search(&mut searching, &game, &visits(3));
    assert_eq!(searching.arena().node(ROOT).visits(), 3);
}

#[test]
fn the_handler_stops_the_search_at_once() {
    for (threads, leaf) in [(1, LeafKind::Quiescence), (2, LeafKind::Quiescence), (1, DEEP), (2, DEEP)] {
        let mut searching = small(MctsSettings { leaf, ..MctsSettings::default() });
        searching.set_threads(threads);
        let mut seen = Seen { until: Some(Duration::from_millis(60)), ..Seen::default() };
        let answer =
            searching.search(&Table::with_kilobytes(64).unwrap(), &game(KIWIPETE), &SearchLimits::default(), &mut seen);
        let late = seen.stopped.unwrap().elapsed();
        assert!(answer.best().is_some() && late < Duration::from_secs(2), "{late:?}");
    }
}

#[test]
fn two_threads_share_one_tree() {
    let mut searching = small(MctsSettings::default());
    searching.set_threads(2);
    let game = game(KIWIPETE);
    for _ in 0..5 {
        search(&mut searching, &game, &visits(4_000));
    }
    let arena = searching.arena();
    assert_eq!(arena.node(ROOT).visits(), 20_000);
    let mut nodes = 0;
    walk(arena, arena.node(ROOT), 0, &mut |node, edges, _| {
        nodes += 1;
        assert_eq!(node.in_flight(), 0);
        // Both may have been first at a node, or found the same one.
        let below: u32 = edges.visited(arena).map(|(child, _)| child.visits()).sum();
        assert!(below < node.visits(), "{below} of {}", node.visits());
        assert!(node.value().abs() <= 1.0);
    });
    assert!(nodes > 1_000);
}

/// Remembers what it was told.
#[derive(Default)]
struct Seen {
    /// Rank and move.
    lines: Vec<(usize, Move)>,
    statistics: Vec<MoveStatistics>,
    until: Option<Duration>,
    begun: Option<Instant>,
    stopped: Option<Instant>,
}

impl Handler for Seen {
    fn poll(&mut self, _: u64) -> Result<(), Stop> {
        let begun = *self.begun.get_or_insert_with(Instant::now);
        if self.until.is_some_and(|until| begun.elapsed() >= until) {
            self.stopped.get_or_insert_with(Instant::now);
            return Err(Stop);
        }
        Ok(())
    }

    fn shows_statistics(&self) -> bool {
        true
    }

    fn statistics(&mut self, moves: &[MoveStatistics]) {
        self.statistics = moves.to_vec();
    }

    fn report(&mut self, info: &SearchInfo) {
        assert!(info.value == Value::DRAW || info.wdl.is_some());
        self.lines.push((info.multipv, info.pv[0]));
    }
}

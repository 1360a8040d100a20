//! Searches whose values and lessons can be worked by hand, and what holds for all.

mod squares;
mod two_phase;

use super::weights::{Lesson, TdWeights};
use super::{TdBootstrap, TdMoves, TdSearch, TdSettings};
use crate::alpha_beta::worker::{Memory, Worker};
use crate::doubles::{PawnTables, Recorder};
use crate::evaluator::{Evaluator, leaf_value};
use crate::handler::{Handler, SearchInfo, Silent, Stop};
use crate::limits::SearchLimits;
use crate::move_history::MoveHistory;
use crate::policy::{Policy, StaticPolicy};
use crate::result::SearchResult;
use crate::scored_move::ScoredMoves;
use crate::searcher::Searcher;
use crate::selectivity::Selectivity;
use crate::short_term::counts::Counts;
use crate::short_term::last_layer::LastLayer;
use crate::table::Table;
use crate::td_search::tests::squares::Squares;
use crate::value::Value;
use crate::window::Window;
use board::{Color, Game, Move, Position};
use kernels::activations::tanh;
use std::sync::Arc;

/// The values of [`Squares`], and an input for each of these positions alone: a table.
#[derive(Clone)]
struct Lookup(Vec<u64>);

impl Lookup {
    fn number(&self, position: &Position) -> Option<usize> {
        self.0.iter().position(|key| *key == position.key())
    }
}

impl Evaluator for Lookup {
    type State = ();

    fn root(&self, _: &Position) {}

    fn logit(&self, (): &mut (), position: &Position) -> f32 {
        Squares.logit(&mut (), position)
    }

    fn logit_and_product(&self, (): &mut (), position: &Position, read: &[f32]) -> (f32, f32) {
        (self.logit(&mut (), position), self.product(position, read))
    }
}

impl LastLayer for Lookup {
    fn width(&self) -> usize {
        self.0.len()
    }

    fn norm(&self) -> f32 {
        1.0
    }

    fn inputs(&self, position: &Position, inputs: &mut Vec<(u32, f32)>) {
        inputs.clear();
        inputs.extend(self.number(position).map(|number| (number as u32, 1.0)));
    }

    fn weights_as_read(&self, weights: &[f32]) -> Vec<f32> {
        weights.to_vec()
    }

    fn change_read(&self, read: &mut [f32], number: usize, weight: f32) {
        read[number] = weight;
    }

    fn product(&self, position: &Position, read: &[f32]) -> f32 {
        self.number(position).map_or(0.0, |number| read[number])
    }
}

fn position(fen: &str) -> Position {
    Position::from_fen(fen).unwrap()
}

fn squares(settings: TdSettings) -> TdSearch<Squares> {
    squares_by(settings, 1)
}

fn squares_by(settings: TdSettings, seed: u64) -> TdSearch<Squares> {
    TdSearch::new(Squares, Arc::new(StaticPolicy), Arc::new(Squares), settings, seed)
}

fn search<E: Evaluator>(searcher: &mut TdSearch<E>, position: &Position, limits: &SearchLimits) -> SearchResult {
    searcher.search(&Table::new(1).unwrap(), &Game::new(position.clone()), limits, &mut Silent)
}

fn nodes(nodes: u64) -> SearchLimits {
    SearchLimits { nodes: Some(nodes), ..SearchLimits::default() }
}

fn depth(depth: u32) -> SearchLimits {
    SearchLimits { depth: Some(depth), ..SearchLimits::default() }
}

const MIDDLEGAME: &str = "r3k2r/1bp2ppp/p1n5/1p6/4P3/1B3N2/PP3PPP/R3R1K1 w kq - 0 16";

#[test]
fn an_update_is_that_of_the_equation() {
    // Pawns, knights and rooks of the side to move, 2, 1 and 0, and of the other, 1, 0 and 2; later the queen is alone with a pawn.
    let first = position("r3k2r/p7/8/8/8/8/PP6/1N2K3 w - - 0 1");
    let second = position("4k3/p7/8/8/8/8/8/4K3 b - - 0 1");
    let third = position("4k3/8/8/8/8/8/P7/3QK3 w - - 0 1");
    let (mut weights, mut lesson) = (TdWeights::new(Arc::new(Counts { norm: 1.0 })), Lesson::default());
    let settings = TdSettings::default();
    lesson.begin();
    lesson.go_on(&mut weights, &settings, &first, 0.2);
    lesson.go_on(&mut weights, &settings, &second, -0.4);
    assert!(weights.theta().iter().all(|weight| *weight == 0.0), "nothing is compared over one ply");
    lesson.go_on(&mut weights, &settings, &third, 0.6);
    // 0.1 / 4 x (tanh 0.6 - tanh 0.2) / 10 = 0.025 x 0.339675 / 10.
    let unit = 0.000_849_19;
    let near = |found: f32, wanted: f32| assert!((found - wanted).abs() < 1e-7, "{found} {wanted}");
    for (found, inputs) in weights.theta().iter().zip([2.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 2.0, 0.0]) {
        near(*found, inputs * unit);
    }
    // The side to move after the third position has lost: both it and the second position, of which it is the other side, learn from that.
    let before = weights.theta().to_vec();
    lesson.end(&mut weights, &settings, -1.0);
    // The second, its one pawn: 0.025 x (-1 - tanh(-0.4 + 2 unit)) / 1; it lost, because the side to move of the last position is its own.
    let of_second = 0.025 * (-1.0 - tanh(-0.4 + before[0]));
    // The third, a pawn and a queen: 0.025 x (1 - tanh(0.6 + theta)) / 2, one ply on.
    let of_third = 0.025 * (1.0 - tanh(0.6 + before[0] + of_second + before[4])) / 2.0;
    near(weights.theta()[0], before[0] + of_second + of_third);
    near(weights.theta()[4], of_third);
    near(weights.theta()[5], before[5]);
    near(weights.theta()[8], before[8]);
}

#[test]
fn lambda_and_the_span_are_those_of_the_paper() {
    let line =
        [MIDDLEGAME, "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 0 1", "4k3/8/8/8/8/8/P7/3QK3 w - - 0 1"].map(position);
    let lookup = Lookup(line.iter().map(Position::key).collect());
    let learn = |settings: &TdSettings| {
        let (mut weights, mut lesson) = (TdWeights::new(Arc::new(lookup.clone())), Lesson::default());
        lesson.begin();
        line.iter().for_each(|position| lesson.go_on(&mut weights, settings, position, 0.0));
        // Won for the side to move at the root.
        lesson.end(&mut weights, settings, -1.0);
        weights.theta().to_vec()
    };
    let near = |found: Vec<f32>, wanted: [f32; 3]| {
        assert!(found.iter().zip(wanted).all(|(one, two)| (one - two).abs() < 1e-6), "{found:?} {wanted:?}");
    };
    let defaults = TdSettings::default();
    // The end is two plies after the second position, which is the other side's, and one after the third.
    near(learn(&defaults), [0.0, -0.025, 0.025]);
    // Over one ply the third alone is compared with the end.
    near(learn(&TdSettings { span: 1, ..defaults }), [0.0, 0.0, 0.025]);
    // With lambda an update goes on to the positions before, with the sign of their side.
    let half = TdSettings { lambda: 0.5, ..defaults };
    let second = 0.025;
    near(learn(&half), [0.5 * second + 0.25 * 0.025, -second - 0.5 * 0.025, 0.025]);
}

/// What a simulation that is cut after a move of `root` ends with, for the side to move at the root.
fn ending(root: &Position, mv: Move, bootstrap: TdBootstrap) -> f32 {
    let child = root.play(mv);
    let table = Table::new(1).unwrap();
    let (mut memory, mut silent) = (Memory::seeded(0, false), Silent);
    memory.next_search(&Game::new(child.clone()));
    let mut worker = Worker::new(&Squares, &StaticPolicy, Selectivity::NONE, &child, &table, &mut memory, &mut silent);
    let value = match bootstrap {
        TdBootstrap::Static => worker.evaluate(&child, &mut None),
        TdBootstrap::Quiescence => worker.quiescence::<true>(&child, Window::FULL, 1).unwrap(),
    };
    -value.to_f32()
}

#[test]
fn the_value_of_a_policy_is_the_mean_of_its_results() {
    // Cut after one move: the root is worth the mean of what the positions after them are worth, in values.
    let root = position("4k3/8/4p3/3p4/8/8/8/3QK3 w - - 0 1");
    let lookup = Lookup(vec![root.key()]);
    let mut scored = ScoredMoves::new();
    MoveHistory::new().score_moves(&root, None, 0, &mut scored);
    StaticPolicy.priors(&root, &mut scored);
    let of_policy: Vec<(Move, f32)> = scored.iter().map(|scored| (scored.mv, scored.prior)).collect();
    let equal: Vec<(Move, f32)> = scored.iter().map(|one| (one.mv, 1.0 / scored.len() as f32)).collect();
    let mut means = Vec::new();
    // Without a value of their own all moves are equally good, and each is as likely as the others.
    let greedy = (0.0, TdMoves::Greedy, equal.clone());
    for (exploration, moves, chances) in [(1.0, TdMoves::Policy, equal), (0.0, TdMoves::Policy, of_policy), greedy] {
        // Greedy moves are spread wider in value than the policy's, so that the mean needs smaller steps.
        let step = if moves == TdMoves::Greedy { 0.005 } else { 0.02 };
        for bootstrap in [TdBootstrap::Static, TdBootstrap::Quiescence] {
            let settings = TdSettings {
                step,
                exploration,
                cut: Some(1),
                long_term: false,
                moves,
                bootstrap,
                ..TdSettings::default()
            };
            let (policy, layer) = (Arc::new(StaticPolicy), Arc::new(lookup.clone()));
            let mut searcher = TdSearch::new(lookup.clone(), policy, layer, settings, 3);
            search(&mut searcher, &root, &depth(16));
            let mean = chances.iter().map(|(mv, chance)| chance * ending(&root, *mv, bootstrap)).sum::<f32>();
            let found = searcher.evaluate(&root).to_f32();
            assert!((found - mean).abs() < 1e-2, "{found} {mean}");
            means.push(mean);
        }
    }
    // Random moves lose the queen, which quiescence alone sees, and the policy seldom plays them.
    assert!(means[0] - means[1] > 0.05 && means[3] - means[1] > 0.05, "{means:?}");
}

#[test]
fn a_forced_draw_is_learned_whatever_the_evaluator_says() {
    // The only move takes the queen, and bare kings are left.
    let root = position("k7/8/8/8/8/8/1q6/K7 w - - 0 1");
    let lookup = Lookup(vec![root.key()]);
    for long_term in [true, false] {
        let settings = TdSettings { step: 1.0, long_term, cut: None, ..TdSettings::default() };
        let mut searcher = TdSearch::new(lookup.clone(), Arc::new(StaticPolicy), Arc::new(lookup.clone()), settings, 3);
        let found = search(&mut searcher, &root, &depth(8));
        assert_eq!((found.value, found.pv.len()), (Value::DRAW, 1));
        assert!(searcher.evaluate(&root).to_f32().abs() < 1e-3);
        let wanted = if long_term { -Squares.logit(&mut (), &root) } else { 0.0 };
        assert!((searcher.theta()[0] - wanted).abs() < 1e-3, "{} {wanted}", searcher.theta()[0]);
    }
}

#[test]
fn mates_and_the_ends_of_games_are_known() {
    let mate = position("6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1");
    let found = search(&mut squares(TdSettings::default()), &mate, &nodes(500));
    assert_eq!((found.best(), found.value), (Some(mate.parse_uci("a1a8").unwrap()), Value::mates_at(1)));
    assert!(found.nodes < 100, "a mate on the board ends the search: {}", found.nodes);
    for (fen, value) in
        [("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", Value::mated_at(0)), ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", Value::DRAW)]
    {
        let found = search(&mut squares(TdSettings::default()), &position(fen), &nodes(500));
        assert_eq!((found.best(), found.value, found.nodes), (None, value, 0));
    }
}

#[test]
fn a_node_limit_is_reached_exactly_and_the_value_is_that_of_the_line() {
    let (by_policy, quiet) = (TdMoves::Policy, TdBootstrap::Quiescence);
    let ways = [(TdMoves::Greedy, TdBootstrap::Static), (by_policy, TdBootstrap::Static), (by_policy, quiet)];
    for (cut, (moves, bootstrap)) in [Some(6), Some(1), None].into_iter().flat_map(|cut| ways.map(|way| (cut, way))) {
        for limit in [1, 7, 100, 1_000, 5_000] {
            let mut searcher = squares(TdSettings { cut, moves, bootstrap, ..TdSettings::default() });
            let root = position(MIDDLEGAME);
            let found = search(&mut searcher, &root, &nodes(limit));
            assert_eq!(found.nodes, limit);
            assert_eq!(found.value, -searcher.evaluate(&found.leaf(&root)));
            let values = root.legal_moves().into_iter().map(|mv| -searcher.evaluate(&root.play(mv)));
            assert_eq!(Some(found.value), values.max(), "the move is greedy");
        }
    }
}

#[test]
fn the_same_game_is_searched_alike_and_weights_are_kept_as_told() {
    let line = [MIDDLEGAME, "3r2k1/pp3ppp/2p2n2/4r3/8/1BP3P1/PP3P1P/R3R1K1 b - - 2 22"].map(position);
    let play = |searcher: &mut TdSearch<Squares>| {
        searcher.new_game();
        let found = line.iter().map(|position| {
            let found = search(searcher, position, &nodes(3_000));
            (found.pv, found.value, found.depth, searcher.theta().to_vec())
        });
        found.collect::<Vec<_>>()
    };
    let mut searcher = squares(TdSettings::default());
    let first = play(&mut searcher);
    assert_eq!(play(&mut searcher), first);
    assert!(play(&mut squares_by(TdSettings::default(), 2)) != first, "another seed");
    // What the first search learned is there in the second, unless it is not kept.
    let mut forgetful = squares(TdSettings { kept: 0.0, ..TdSettings::default() });
    let forgotten = play(&mut forgetful);
    assert_eq!(forgotten[0], first[0]);
    assert!(forgotten[1] != first[1]);
    forgetful.new_game();
    search(&mut forgetful, &line[1], &nodes(3_000));
    assert_eq!(forgetful.theta(), forgotten[1].3);
}

#[test]
fn colors_are_mirror_images() {
    // Without draws of moves, and without equal moves.
    let settings = TdSettings { exploration: 0.0, step: 1.0, ..TdSettings::default() };
    for cut in [Some(6), None] {
        let settings = TdSettings { cut, most_plies: 40, ..settings };
        let (here, there) = (position(MIDDLEGAME), position(MIDDLEGAME).mirror());
        let (mut one, mut other) = (squares(settings), squares(settings));
        let (a, b) = (search(&mut one, &here, &depth(5)), search(&mut other, &there, &depth(5)));
        assert_eq!((a.value, a.nodes), (b.value, b.nodes));
        assert_eq!(here.play(a.pv[0]).mirror().key(), there.play(b.pv[0]).key());
        assert!(one.theta().iter().zip(other.theta()).all(|(one, two)| (one - two).abs() < 1e-6));
        assert!(one.theta().iter().any(|weight| *weight != 0.0));
    }
}

#[test]
fn simulations_see_what_the_evaluator_does_not() {
    // The pawn that a greedy move takes is guarded.
    let root = position("4k3/8/4p3/3p4/8/8/8/3QK3 w - - 0 1");
    let takes = root.parse_uci("d1d5").unwrap();
    let mut searcher = squares(TdSettings { step: 1.0, ..TdSettings::default() });
    assert_eq!(search(&mut searcher, &root, &nodes(1)).best(), Some(takes));
    assert!(search(&mut searcher, &root, &nodes(30_000)).best() != Some(takes));
}

/// Keeps reports, and ends the search after an iteration or at a node.
#[derive(Default)]
struct Listener {
    /// `(iteration, rank, move, value, nodes)`
    reports: Vec<(u32, usize, Move, Value, u64)>,
    last_iteration: u32,
    last_node: u64,
}

impl Handler for Listener {
    fn poll(&mut self, nodes: u64) -> Result<(), Stop> {
        if self.last_node > 0 && nodes >= self.last_node { Err(Stop) } else { Ok(()) }
    }

    fn next_iteration(&mut self, depth: u32) -> bool {
        depth <= self.last_iteration
    }

    fn report(&mut self, info: &SearchInfo) {
        self.reports.push((info.depth, info.multipv, info.pv[0], info.value, info.nodes));
    }
}

#[test]
fn reports_have_the_best_moves_first_and_handlers_end_a_search() {
    let (root, table) = (position(MIDDLEGAME), Table::new(1).unwrap());
    let game = Game::new(root.clone());
    let mut handler = Listener { last_iteration: 4, ..Listener::default() };
    let limits = SearchLimits { multipv: 3, ..SearchLimits::default() };
    let found = squares(TdSettings::default()).search(&table, &game, &limits, &mut handler);
    assert_eq!(found.depth, 4);
    let last = &handler.reports[handler.reports.len() - 3..];
    assert_eq!((last[0].2, last[0].3), (found.pv[0], found.value));
    assert!(last.iter().map(|report| report.1).eq(1..=3) && last.is_sorted_by(|one, two| one.3 >= two.3));
    let mut handler = Listener { last_iteration: 99, last_node: 2_000, ..Listener::default() };
    let found = squares(TdSettings::default()).search(&table, &game, &SearchLimits::default(), &mut handler);
    assert!((2_000..2_500).contains(&found.nodes), "{}", found.nodes);
    // Only moves that are asked for.
    let among: Vec<Move> = root.legal_moves().into_iter().take(2).collect();
    let limits = SearchLimits { searchmoves: among.clone(), ..nodes(1_000) };
    assert!(among.contains(&search(&mut squares(TdSettings::default()), &root, &limits).best().unwrap()));
}

#[test]
fn values_are_for_the_side_to_move() {
    let searcher = squares(TdSettings::default());
    let up = position("4k3/8/8/8/8/8/P7/3QK3 w - - 0 1");
    assert_eq!(searcher.evaluate(&up), leaf_value(Squares.logit(&mut (), &up)));
    let alone = squares(TdSettings { long_term: false, ..TdSettings::default() });
    assert_eq!(alone.evaluate(&up), leaf_value(0.0));
    assert_eq!(up.side_to_move(), Color::White);
}

#[test]
fn iterations_have_twice_the_simulations_of_all_before_them() {
    // Six moves, which a simulation of one greedy ply compares, and the search once more at its end.
    let root = position("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1");
    let settings = TdSettings { cut: Some(1), exploration: 0.0, ..TdSettings::default() };
    let told = |depth, multipv, last_iteration| {
        let mut recorder = Recorder { last_iteration, ..Recorder::default() };
        let limits = SearchLimits { depth, multipv, ..SearchLimits::default() };
        let table = Table::new(1).unwrap();
        let found = squares(settings).search(&table, &Game::new(root.clone()), &limits, &mut recorder);
        assert_eq!((found.nodes, found.depth), (54, 3));
        // The root once for each of 8 simulations, and each move.
        assert_eq!(found.evaluations, 8 + 54);
        recorder.lines.join("; ").replace(", 0 per mille", "")
    };
    let wanted = "depth 1, line 1 at 12; iteration 2; depth 2, line 1 at 24; iteration 3; depth 3, line 1 at 48; ";
    assert_eq!(told(Some(3), 1, None), format!("{wanted}depth 3, line 1 at 54"));
    assert_eq!(told(None, 1, Some(3)), format!("{wanted}iteration 4; depth 3, line 1 at 54"));
    let first = "depth 1, line 1 at 12; depth 1, line 2 at 12; iteration 2; ";
    let told = told(Some(3), 2, None);
    assert!(told.starts_with(first) && told.ends_with("; depth 3, line 1 at 54; depth 3, line 2 at 54"), "{told}");
}

#[test]
fn lines_that_no_simulation_compared_are_compared_for_the_report() {
    // Simulations of the policy's moves compare nothing: two of one ply, then all six moves.
    let root = position("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1");
    let settings = TdSettings { cut: Some(1), moves: TdMoves::Policy, ..TdSettings::default() };
    let (mut recorder, table) = (Recorder::default(), Table::new(1).unwrap());
    squares(settings).search(&table, &Game::new(root), &depth(1), &mut recorder);
    assert_eq!(recorder.lines, [8, 14].map(|nodes| format!("depth 1, line 1 at {nodes}, 0 per mille")));
}

#[test]
fn tables_end_simulations_and_games() {
    let root = position(PawnTables::WON);
    let mut searcher = squares(TdSettings::default());
    searcher.set_tablebase(Some(Arc::new(PawnTables)));
    let found = search(&mut searcher, &root, &nodes(500));
    assert_eq!((found.best(), found.value), (Some(root.parse_uci("e2e4").unwrap()), Value::table_win_at(1)));
    searcher.set_tablebase(None);
    assert!(!search(&mut searcher, &root, &nodes(500)).value.is_table_win());
    assert!(searcher.set_threads(2), "nobody else need search for it");
}

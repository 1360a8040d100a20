//! Simulations, then alpha-beta or Monte-Carlo tree search.

use super::{MIDDLEGAME, nodes, position};
use crate::alpha_beta::AlphaBeta;
use crate::depth_policy::DepthPolicy;
use crate::doubles::{PawnTables, Recorder};
use crate::evaluator::{Evaluator, leaf_value};
use crate::handler::{Handler, Silent, Stop};
use crate::limits::SearchLimits;
use crate::mcts::{Arena, LeafKind, Mcts, MctsSettings};
use crate::node_observer::Observed;
use crate::policy::{Policy, StaticPolicy};
use crate::result::SearchResult;
use crate::searcher::Searcher;
use crate::selectivity::Selectivity;
use crate::table::Table;
use crate::td_search::tests::squares::Squares;
use crate::td_search::{TdSearch, TdSettings, TwoPhase};
use crate::value::Value;
use board::{Game, Position};
use std::sync::Arc;

type ThenAlphaBeta<P> = TwoPhase<Squares, AlphaBeta<Observed<Squares>, P>>;
type ThenTreeSearch = TwoPhase<Squares, Mcts<Observed<Squares>, StaticPolicy>>;

fn settings() -> TdSettings {
    TdSettings { step: 1.0, ..TdSettings::default() }
}

fn two_phases<P: Policy>(policy: P, selectivity: Selectivity, share: f64) -> ThenAlphaBeta<P> {
    let second = AlphaBeta::new(Observed(Squares), policy, selectivity, 1);
    TwoPhase::new(Squares, Arc::new(StaticPolicy), second, (settings(), share), 1)
}

fn tree_search<E: Evaluator>(evaluator: E) -> Mcts<E, StaticPolicy> {
    let settings = MctsSettings { leaf: LeafKind::Static, ..MctsSettings::default() };
    Mcts::new(evaluator, StaticPolicy, settings, Arc::new(Arena::with_bytes(8 << 20).unwrap()), 1)
}

fn then_tree_search(share: f64) -> ThenTreeSearch {
    TwoPhase::new(Squares, Arc::new(StaticPolicy), tree_search(Observed(Squares)), (settings(), share), 1)
}

fn search(searcher: &mut dyn Searcher, position: &Position, limits: &SearchLimits) -> SearchResult {
    searcher.search(&Table::new(1).unwrap(), &Game::new(position.clone()), limits, &mut Silent)
}

fn positions() -> [Position; 3] {
    [
        MIDDLEGAME,
        "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4",
        "3r2k1/pp3ppp/2p2n2/4r3/8/1BP3P1/PP3P1P/R3R1K1 b - - 2 22",
    ]
    .map(position)
}

#[test]
fn the_value_of_a_line_is_the_evaluation_that_the_simulations_left() {
    let by_budget = two_phases(StaticPolicy, Selectivity::full(), 0.5);
    let by_depth = two_phases(DepthPolicy, Selectivity::depth_limited(), 0.5);
    let searchers: [Box<dyn Searcher>; 2] = [Box::new(by_budget), Box::new(by_depth)];
    for mut searcher in searchers {
        let mut compared = 0;
        for root in positions() {
            searcher.new_game();
            let found = search(&mut *searcher, &root, &nodes(6_000));
            assert_eq!(found.nodes, 6_000);
            let leaf = found.leaf(&root);
            if found.better.is_some() || found.value.is_mate() || found.value == Value::DRAW {
                continue;
            }
            let value = searcher.evaluate(&leaf);
            assert_eq!(found.value, if found.pv.len().is_multiple_of(2) { value } else { -value });
            compared += u32::from(value != leaf_value(Squares.logit(&mut (), &leaf)));
        }
        assert!(compared >= 2, "the simulations taught nothing");
    }
}

#[test]
fn a_share_is_spent_on_simulations_and_the_same_game_is_searched_alike() {
    let play = |searcher: &mut ThenAlphaBeta<DepthPolicy>| {
        searcher.new_game();
        let found = positions().map(|root| {
            let found = search(searcher, &root, &nodes(3_000));
            (found.pv, found.value, found.nodes, searcher.evaluate(&root))
        });
        found.to_vec()
    };
    let plain: Vec<Value> = positions().iter().map(|root| leaf_value(Squares.logit(&mut (), root))).collect();
    let mut none = two_phases(DepthPolicy, Selectivity::depth_limited(), 0.0);
    assert!(play(&mut none).iter().zip(&plain).all(|(found, plain)| found.3 == *plain));
    let mut half = two_phases(DepthPolicy, Selectivity::depth_limited(), 0.5);
    let first = play(&mut half);
    assert!(first.iter().zip(&plain).all(|(found, plain)| found.3 != *plain));
    assert_eq!(play(&mut half), first);
    // A new game has not learned anything yet.
    half.new_game();
    assert_eq!(half.evaluate(&positions()[0]), plain[0]);
}

/// A node is a hundredth of the plan.
#[derive(Default)]
struct Plan {
    polled: Vec<u64>,
}

impl Handler for Plan {
    fn poll(&mut self, nodes: u64) -> Result<(), Stop> {
        self.polled.push(nodes);
        if nodes < 10_000 { Ok(()) } else { Err(Stop) }
    }

    fn spent(&self, nodes: u64) -> Option<f64> {
        Some(nodes as f64 / 10_000.0)
    }
}

#[test]
fn by_time_the_share_is_one_of_the_plan() {
    let evaluations = |share| {
        let mut searcher = two_phases(DepthPolicy, Selectivity::depth_limited(), share);
        let (mut plan, table) = (Plan::default(), Table::new(1).unwrap());
        let game = Game::new(position(MIDDLEGAME));
        let found = searcher.search(&table, &game, &SearchLimits::default(), &mut plan);
        assert!((10_000..11_000).contains(&found.nodes), "{}", found.nodes);
        assert!(plan.polled.is_sorted());
        searcher.evaluate(game.position())
    };
    let [few, many] = [0.1, 0.9].map(evaluations);
    assert!(few != many, "more time teaches more");
}

#[test]
fn without_simulations_a_tree_search_is_that_of_the_evaluator_alone() {
    let (mut two, mut one) = (then_tree_search(0.0), tree_search(Squares));
    for root in positions() {
        let [two, one] =
            [&mut two as &mut dyn Searcher, &mut one].map(|searcher| search(searcher, &root, &nodes(1_000)));
        assert_eq!((two.pv, two.value, two.nodes), (one.pv, one.value, one.nodes));
        assert_eq!(two.evaluations, one.evaluations);
    }
}

#[test]
fn a_tree_search_averages_the_evaluations_that_the_simulations_left() {
    for threads in [1, 2] {
        let mut searcher = then_tree_search(0.999);
        assert!(searcher.set_threads(threads));
        for root in positions() {
            searcher.new_game();
            let plain = leaf_value(Squares.logit(&mut (), &root));
            assert_eq!(searcher.evaluate(&root), plain);
            // The last visit is that of the root.
            let found = search(&mut searcher, &root, &nodes(1_000));
            assert_eq!((found.nodes, found.depth), (1_000, 0));
            let taught = searcher.evaluate(&root);
            assert!((found.value.to_f32() - taught.to_f32()).abs() < 1e-5, "{:?} {taught:?}", found.value);
            assert!(taught != plain, "the simulations taught nothing");
        }
    }
}

#[test]
fn the_same_game_has_the_same_tree() {
    let mut searcher = then_tree_search(0.5);
    let mut play = || {
        searcher.new_game();
        positions().map(|root| {
            let found = search(&mut searcher, &root, &nodes(2_000));
            assert_eq!(found.nodes, 2_000);
            (found.pv, found.value)
        })
    };
    let first = play();
    assert_eq!(play(), first);
}

#[test]
fn the_first_phase_is_the_simulations_of_its_share_or_eight_iterations() {
    for root in positions() {
        let taught = |limits: &SearchLimits| {
            let mut simulations = TdSearch::new(Squares, Arc::new(StaticPolicy), Arc::new(Squares), settings(), 1);
            let found = search(&mut simulations, &root, limits);
            (found.nodes, found.evaluations, simulations.evaluate(&root))
        };
        let depth = |depth| SearchLimits { depth: Some(depth), ..SearchLimits::default() };
        for (limits, first) in [(nodes(4_000), nodes(1_000)), (depth(2), depth(8))] {
            let (before, evaluations, value) = taught(&first);
            let mut two = two_phases(DepthPolicy, Selectivity::depth_limited(), 0.25);
            let found = search(&mut two, &root, &limits);
            assert_eq!(two.evaluate(&root), value);
            if limits.nodes.is_some() {
                assert_eq!((found.nodes, before), (4_000, 1_000));
            }
            assert!(found.nodes > before && (evaluations..evaluations + 4_000).contains(&found.evaluations));
        }
    }
}

#[test]
fn handlers_of_the_second_phase_are_told_the_nodes_of_both() {
    // Simulations that teach nothing, so that the second phase is that of a searcher without a first.
    let untaught = TdSettings { step: 0.0, ..TdSettings::default() };
    fn told(searcher: &mut dyn Searcher, limits: &SearchLimits, shows: bool, before: u64) -> Vec<String> {
        let mut recorder = Recorder { shows, before, last_iteration: Some(8), ..Recorder::default() };
        let game = Game::new(position(MIDDLEGAME));
        searcher.search(&Table::with_kilobytes(64).unwrap(), &game, limits, &mut recorder);
        recorder.lines
    }
    let check = |two: &mut dyn Searcher, one: &mut dyn Searcher, shows, wanted: &[&str]| {
        let (found, second) = (told(two, &nodes(4_000), shows, 0), told(one, &nodes(3_000), shows, 1_000));
        // The simulations are not reported.
        assert_eq!(found[..3], [256, 512, 768].map(|nodes| format!("poll at {nodes}")));
        assert_eq!(found[3..], second);
        for text in wanted {
            assert!(second.iter().any(|line| line.contains(text)), "{text}: {second:?}");
        }
    };
    for shows in [false, true] {
        let second = || AlphaBeta::new(Observed(Squares), DepthPolicy, Selectivity::depth_limited(), 1);
        let mut two = TwoPhase::new(Squares, Arc::new(StaticPolicy), second(), (untaught, 0.25), 1);
        check(&mut two, &mut second(), shows, &["move 1 ", "iteration 2", "depth 1, line 1"]);
        let second = || tree_search(Observed(Squares));
        let mut two = TwoPhase::new(Squares, Arc::new(StaticPolicy), second(), (untaught, 0.25), 1);
        let full = if shows { "statistics" } else { ", 0 per mille" };
        check(&mut two, &mut second(), shows, &[full, "iteration 9"]);
    }
}

#[test]
fn both_phases_ask_tables_and_only_the_second_may_have_threads() {
    let root = position(PawnTables::WON);
    let mut searcher = then_tree_search(0.5);
    searcher.set_tablebase(Some(Arc::new(PawnTables)));
    assert_eq!(search(&mut searcher, &root, &nodes(200)).value, Value::table_win_at(1));
    searcher.set_tablebase(None);
    assert!(!search(&mut searcher, &root, &nodes(200)).value.is_table_win());
    assert!(searcher.set_threads(2));
    assert!(!two_phases(StaticPolicy, Selectivity::full(), 0.5).set_threads(2));
}

//! What a search tells and returns: its lines, one or several, those of a search that was stopped, and those of a game that is over.

use crate::alpha_beta::AlphaBeta;
use crate::alpha_beta::minimax::{APly, Judge, forms, minimax, positions};
use crate::evaluator::{Evaluator, leaf_value};
use crate::handler::{Handler, SearchInfo, Silent, Stop};
use crate::limits::SearchLimits;
use crate::result::SearchResult;
use crate::searcher::Searcher;
use crate::selectivity::Selectivity;
use crate::table::Table;
use crate::tablebase::{TableResult, Tablebase};
use crate::value::{Bound, Value};
use board::{Game, Move, Outcome, Position};
use std::cmp::Reverse;
use std::sync::Arc;

/// A line as it was reported.
#[derive(Debug, Clone, PartialEq)]
struct Line {
    depth: u32,
    rank: usize,
    value: Value,
    bound: Bound,
    pv: Vec<Move>,
}

/// What a search told.
#[derive(Default)]
struct Told {
    lines: Vec<Line>,
    events: Vec<String>,
    /// The last iteration that may begin.
    last: Option<u32>,
    shows_hashfull: bool,
    hashfull: u32,
}

impl Handler for Told {
    fn poll(&mut self, _: u64) -> Result<(), Stop> {
        Ok(())
    }

    fn next_iteration(&mut self, depth: u32) -> bool {
        self.events.push(format!("iteration {depth}"));
        self.last.is_none_or(|last| depth <= last)
    }

    fn shows_hashfull(&self) -> bool {
        self.shows_hashfull
    }

    fn report(&mut self, info: &SearchInfo) {
        self.events.push(format!("line {} of iteration {}", info.multipv, info.depth));
        self.hashfull = info.hashfull;
        let SearchInfo { depth, multipv: rank, value, bound, pv, .. } = *info;
        assert!(info.seldepth as usize >= pv.len() || bound != Bound::Exact || depth == 1);
        self.lines.push(Line { depth, rank, value, bound, pv: pv.to_vec() });
    }

    fn root_move(&mut self, depth: u32, mv: Move, number: usize, nodes: u64) {
        assert!(nodes > 0 || number == 1);
        self.events.push(format!("{number}. {mv} of iteration {depth}"));
    }
}

/// Searches with an empty table and without experience.
fn search(selectivity: Selectivity, game: &Game, limits: &SearchLimits, told: &mut Told) -> SearchResult {
    let mut searcher = AlphaBeta::new(Judge, APly, selectivity, 0);
    searcher.search(&Table::with_kilobytes(256).unwrap(), game, limits, told)
}

fn game(fen: &str) -> Game {
    Game::new(Position::from_fen(fen).unwrap())
}

fn legal(position: &Position, mv: &str) -> Move {
    position.parse_uci(mv).unwrap()
}

/// A game in which neither side is near mate.
const MIDDLE: &str = "r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/3P1N2/PPP2PPP/RNBQK2R w KQkq - 0 5";

#[test]
fn several_lines_are_the_best_moves_of_minimax() {
    let mut compared = 0;
    for position in positions().into_iter().step_by(3) {
        let depth = 2;
        let values: Option<Vec<(Move, Value)>> = position
            .legal_moves()
            .into_iter()
            .map(|mv| Some((mv, -minimax(&position.play(mv), depth - 1, 1)?)))
            .collect();
        let Some(mut values) = values.filter(|_| minimax(&position, 0, 0) != Some(Value::DRAW)) else { continue };
        values.sort_by_key(|(_, value)| Reverse(*value));
        for selectivity in forms() {
            let fen = position.to_fen(false);
            let of = |multipv, searchmoves| {
                let limits = SearchLimits { depth: Some(depth), multipv, searchmoves, ..SearchLimits::default() };
                let mut told = Told::default();
                let answer = search(selectivity, &Game::new(position.clone()), &limits, &mut told);
                let last = told.lines.into_iter().filter(|line| line.depth == depth && line.bound == Bound::Exact);
                (answer, last.collect::<Vec<_>>())
            };
            let (answer, lines) = of(3, vec![]);
            let wanted = values.len().min(3);
            let lines = &lines[lines.len() - wanted..];
            assert_eq!((answer.value, &answer.pv), (values[0].1, &lines[0].pv), "{fen}");
            for (place, line) in lines.iter().enumerate() {
                assert_eq!((line.rank, line.value), (place + 1, values[place].1), "{fen}");
                assert!(values.contains(&(line.pv[0], line.value)), "{fen}");
            }
            let least = values[values.len() - 1];
            let (answer, _) = of(1, vec![least.0]);
            assert_eq!((answer.value, answer.best()), (least.1, Some(least.0)), "{fen}");
            compared += 1;
        }
    }
    assert!(compared > 20, "{compared}");
}

#[test]
fn a_search_for_several_lines_that_is_stopped_has_those_of_its_last_whole_iteration() {
    let game = game(MIDDLE);
    for selectivity in forms() {
        let limits = SearchLimits { multipv: 3, ..SearchLimits::default() };
        let whole = |depth| {
            let mut told = Told::default();
            search(selectivity, &game, &SearchLimits { depth: Some(depth), ..limits.clone() }, &mut told);
            told.lines.split_off(told.lines.len() - 3)
        };
        let whole = [1, 2, 3].map(whole);
        let mut stopped_in = [0; 3];
        for nodes in (0..60).map(|step| 1 + step * step * 4) {
            let mut told = Told::default();
            let answer = search(selectivity, &game, &SearchLimits { nodes: Some(nodes), ..limits.clone() }, &mut told);
            let lines = told.lines.split_off(told.lines.len() - 3);
            assert_eq!((answer.nodes, &answer.pv, answer.value), (nodes, &lines[0].pv, lines[0].value));
            assert_eq!([0, 1, 2].map(|place| lines[place].rank), [1, 2, 3]);
            if let Some(stopped) = stopped_in.get_mut(answer.depth as usize) {
                *stopped += 1;
            }
            if (1..=3).contains(&answer.depth) {
                assert_eq!(lines, whole[answer.depth as usize - 1], "{nodes} nodes");
            }
        }
        assert!(!stopped_in.contains(&0), "{stopped_in:?}");
    }
}

#[test]
fn without_a_whole_iteration_moves_are_valued_by_the_positions_that_they_lead_to() {
    // A queen may mate at once, stalemate, or go on.
    let queen = game("7k/8/6K1/8/8/8/8/1Q6 w - - 0 1");
    let mut third = queen.clone();
    for mv in ["b1a1", "h8g8", "a1b1", "g8h8", "b1a1", "h8g8", "a1b1"] {
        third.play(legal(third.position(), mv));
    }
    for game in [queen, third, game(MIDDLE)] {
        let position = game.position();
        let mut values: Vec<Value> = position
            .legal_moves()
            .into_iter()
            .map(|mv| {
                let mut next = game.clone();
                next.play(mv);
                match next.outcome() {
                    Some(Outcome::Mated) => Value::mates_at(1),
                    Some(_) => Value::DRAW,
                    None => -leaf_value(Judge.logit(&mut (), next.position())),
                }
            })
            .collect();
        values.sort_by_key(|value| Reverse(*value));
        let limits = SearchLimits { nodes: Some(0), multipv: 200, ..SearchLimits::default() };
        let mut told = Told::default();
        let answer = search(Selectivity::NONE, &game, &limits, &mut told);
        let found: Vec<Value> = told.lines.iter().map(|line| line.value).collect();
        assert_eq!((found, answer.value, answer.depth, answer.nodes), (values.clone(), values[0], 0, 0));
        assert!(told.lines.iter().all(|line| (line.depth, line.pv.len()) == (1, 1)));
        let one = search(Selectivity::NONE, &game, &SearchLimits { multipv: 1, ..limits }, &mut Told::default());
        assert_eq!((one.value, one.pv.len()), (values[0], 1));
    }
}

#[test]
fn a_game_that_is_over_has_its_value_and_no_line() {
    for (fen, value) in
        [("1Q5k/8/6K1/8/8/8/8/8 b - - 0 1", Value::mated_at(0)), ("7k/8/6K1/8/8/1Q6/8/8 b - - 0 1", Value::DRAW)]
    {
        for selectivity in forms() {
            let mut told = Told::default();
            let answer = search(selectivity, &game(fen), &SearchLimits::default(), &mut told);
            assert_eq!((answer.value, answer.best(), answer.nodes, answer.depth), (value, None, 0, 0), "{fen}");
            assert!(told.lines.is_empty() && told.events.is_empty());
        }
    }
}

#[test]
fn a_mate_that_is_near_enough_ends_the_search_of_the_side_that_mates() {
    for (fen, moves, value, is_end) in [
        ("7k/8/5K2/8/8/8/8/6R1 w - - 0 1", 2, Value::mates_at(3), true),
        ("7k/8/5K2/8/8/8/8/6R1 w - - 0 1", 1, Value::mates_at(3), false),
        ("k7/8/1K6/8/8/8/8/7R b - - 0 1", 3, Value::mated_at(2), false),
    ] {
        for selectivity in forms() {
            let limits = SearchLimits { depth: Some(5), mate: Some(moves), ..SearchLimits::default() };
            let answer = search(selectivity, &game(fen), &limits, &mut Told::default());
            assert_eq!((answer.value, answer.depth < 5), (value, is_end), "{fen} {moves}");
        }
    }
}

#[test]
fn iterations_lines_and_root_moves_are_told_in_turn() {
    let forced = game("7k/8/5K2/8/8/8/8/6R1 b - - 0 1");
    for (last, depth) in [(None, 2), (Some(1), 1)] {
        let mut told = Told { last, ..Told::default() };
        let limits = SearchLimits { depth: Some(2), ..SearchLimits::default() };
        let answer = search(Selectivity::NONE, &forced, &limits, &mut told);
        let all = [
            "1. h8h7 of iteration 1",
            "line 1 of iteration 1",
            "iteration 2",
            "1. h8h7 of iteration 2",
            "line 1 of iteration 2",
        ];
        assert_eq!(told.events, if last.is_none() { &all[..] } else { &all[..3] });
        assert_eq!((answer.depth, told.hashfull), (depth, 0));
    }
    let mut told = Told { shows_hashfull: true, ..Told::default() };
    let limits = SearchLimits { depth: Some(3), ..SearchLimits::default() };
    search(Selectivity::NONE, &game(MIDDLE), &limits, &mut told);
    assert!(told.hashfull > 0);
    let first = told.events.iter().filter(|event| event.ends_with("of iteration 1"));
    let numbers: Vec<usize> = first.filter_map(|event| event.split_once('.')?.0.parse().ok()).collect();
    assert_eq!(numbers, (1..=game(MIDDLE).position().legal_moves().len()).collect::<Vec<_>>());
}

#[test]
fn a_move_that_is_proven_better_before_the_end_is_played() {
    let (mut better, mut plain) = (0, 0);
    for position in positions().into_iter().step_by(3) {
        let game = Game::new(position);
        for nodes in (500..4_500).step_by(250) {
            let limits = SearchLimits { nodes: Some(nodes), ..SearchLimits::default() };
            let mut told = Told::default();
            let answer = search(Selectivity::full(), &game, &limits, &mut told);
            let exact = told.lines.iter().rfind(|line| line.bound == Bound::Exact).unwrap();
            match answer.better {
                Some(mv) => {
                    let last = told.lines.last().unwrap();
                    assert_eq!((last.bound, &last.pv, answer.best()), (Bound::Lower, &vec![mv], Some(mv)));
                    assert!(last.value > answer.value && answer.pv[0] != mv);
                    better += 1;
                }
                None => {
                    assert_eq!((&exact.pv, exact.value), (&answer.pv, answer.value));
                    plain += 1;
                }
            }
        }
    }
    assert!(better > 0 && plain > 100, "{better} {plain}");
}

#[test]
fn endgame_tables_are_asked_below_the_root() {
    /// Who is to move with few pieces is lost.
    struct Lost;

    impl Tablebase for Lost {
        fn max_pieces(&self) -> u32 {
            3
        }

        fn min_depth(&self) -> f32 {
            0.0
        }

        fn probe(&self, _: &Position) -> Option<TableResult> {
            Some(TableResult::Loss)
        }
    }

    let queens = game("4k3/8/8/3q4/8/8/8/3QK3 w - - 0 1");
    let takes = legal(queens.position(), "d1d5");
    let limits = SearchLimits { depth: Some(3), ..SearchLimits::default() };
    for selectivity in forms() {
        let mut searcher = AlphaBeta::new(Judge, APly, selectivity, 0);
        let mut value = |tablebase: Option<Arc<dyn Tablebase>>| {
            searcher.set_tablebase(tablebase);
            let answer = searcher.search(&Table::new(1).unwrap(), &queens, &limits, &mut Silent);
            (answer.value, answer.best())
        };
        assert_eq!(value(Some(Arc::new(Lost))), (Value::table_win_at(1), Some(takes)));
        assert!(!value(None).0.is_table_win());
    }
}

#[test]
fn a_new_game_is_searched_as_if_it_were_the_first() {
    let limits = SearchLimits { depth: Some(4), ..SearchLimits::default() };
    for selectivity in [Selectivity::full(), Selectivity::depth_limited()] {
        let mut searcher = AlphaBeta::new(Judge, APly, selectivity, 3);
        let mut found = || {
            let answer = searcher.search(&Table::new(1).unwrap(), &game(MIDDLE), &limits, &mut Silent);
            let effort = (answer.nodes, answer.evaluations);
            (effort, answer.pv)
        };
        let (first, second) = (found(), found());
        assert_ne!(first.0, second.0, "what was learned saves nodes or evaluations");
        searcher.new_game();
        let mut found = || {
            let answer = searcher.search(&Table::new(1).unwrap(), &game(MIDDLE), &limits, &mut Silent);
            ((answer.nodes, answer.evaluations), answer.pv)
        };
        assert_eq!(found(), first);
        assert_eq!(
            searcher.evaluate(game(MIDDLE).position()),
            leaf_value(Judge.logit(&mut (), game(MIDDLE).position()))
        );
    }
}

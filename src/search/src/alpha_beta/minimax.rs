//! The search against a minimax without pruning, table or windows: with its selectivity off it must find the same values, exactly
//! inside its window and as bounds outside.
//!
//! With a policy that gives every move a quarter of the budget an iteration is a ply, as in the depth-limited search.

use crate::alpha_beta::AlphaBeta;
use crate::alpha_beta::worker::{Memory, Node, Worker};
use crate::budget::Budget;
use crate::evaluator::{Evaluator, leaf_value};
use crate::handler::{Handler, SearchInfo, Silent, Stop};
use crate::limits::SearchLimits;
use crate::policy::Policy;
use crate::scored_move::ScoredMove;
use crate::searcher::Searcher;
use crate::selectivity::{DepthSelectivity, Selectivity};
use crate::table::Table;
use crate::value::{Bound, Value};
use crate::window::Window;
use board::random_positions::RandomPositions;
use board::{Game, Piece, Position};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

/// Material, and a part that hardly two positions have in common.
pub(super) struct Judge;

impl Evaluator for Judge {
    type State = ();

    fn root(&self, _: &Position) {}

    fn logit(&self, (): &mut (), position: &Position) -> f32 {
        let us = position.side_to_move();
        let count = |color, piece| position.colored_pieces(color, piece).len() as f32;
        let worth =
            [(Piece::Pawn, 1.0), (Piece::Knight, 3.0), (Piece::Bishop, 3.0), (Piece::Rook, 5.0), (Piece::Queen, 9.0)];
        let material: f32 = worth.iter().map(|(piece, worth)| worth * (count(us, *piece) - count(!us, *piece))).sum();
        let scattered = position.key().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        material / 20.0 + scattered as f32 / (1 << 24) as f32 * 0.2
    }
}

/// Every move gets a quarter of the budget.
pub(super) struct APly;

impl Policy for APly {
    fn priors(&self, _: &Position, moves: &mut [ScoredMove]) {
        moves.iter_mut().for_each(|scored| scored.prior = 0.25);
    }
}

/// The value of a position for its side to move, `depth` plies before quiescence; `None` where a line ends in a stalemate that
/// quiescence, which looks for one only on the principal variation, may not see.
pub(super) fn minimax(position: &Position, depth: u32, ply: usize) -> Option<Value> {
    if position.is_insufficient_material()
        || position.halfmove_clock() >= 100 && (!position.in_check() || position.has_legal_move())
    {
        return Some(Value::DRAW);
    }
    let moves = position.legal_moves();
    let in_check = position.in_check();
    let mut best = match (moves.is_empty(), in_check) {
        (true, true) => return Some(Value::mated_at(ply)),
        (true, false) if depth == 0 => return None,
        (true, false) => return Some(Value::DRAW),
        (false, false) if depth == 0 => leaf_value(Judge.logit(&mut (), position)),
        (false, true) if depth == 0 => Value::mated_at(ply),
        _ => -Value::INFINITE,
    };
    // Below the depth, all evasions of a check, or else what captures or becomes a queen without loss.
    let is_forcing = |mv| {
        let is_noisy = position.is_capture(mv) && matches!(mv.promotion, None | Some(Piece::Queen))
            || mv.promotion == Some(Piece::Queen);
        in_check || is_noisy && position.see_at_least(mv, 0)
    };
    for mv in moves.into_iter().filter(|mv| depth > 0 || is_forcing(*mv)) {
        best = best.max(-minimax(&position.play(mv), depth.saturating_sub(1), ply + 1)?);
    }
    Some(best)
}

/// Positions of random games, and some in which the rules end lines: mates, promotions, the fifty-move rule.
pub(super) fn positions() -> Vec<Position> {
    let mut games = RandomPositions::new(Xoshiro256PlusPlus::seed_from_u64(3));
    let random = std::iter::repeat_with(|| games.next_position().clone());
    let mut found: Vec<Position> =
        random.filter(|position| (2..=22).contains(&position.legal_moves().len())).take(60).collect();
    for fen in [
        "7k/8/5K2/8/8/8/8/6R1 w - - 0 1",
        "7k/8/5K2/8/8/8/8/6R1 w - - 97 80",
        "8/1P4k1/8/8/8/8/6p1/1K6 w - - 0 1",
        "4k3/2p5/8/3P4/8/8/8/R3K3 b Q - 0 1",
        "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 98 80",
        "3r2k1/5ppp/8/8/8/8/5PPP/3R2K1 b - - 99 80",
        "k7/8/1K6/8/8/8/7p/7R w - - 98 80",
    ] {
        found.push(Position::from_fen(fen).unwrap());
    }
    found
}

/// The two forms of the search with everything off.
pub(super) fn forms() -> [Selectivity; 2] {
    [Selectivity::NONE, Selectivity { depth_limited: Some(DepthSelectivity::NONE), ..Selectivity::NONE }]
}

/// Keeps the bounds that are reported, `(iteration, value, bound)`.
#[derive(Default)]
struct Reports(Vec<(u32, Value, Bound)>);

impl Handler for Reports {
    fn poll(&mut self, _: u64) -> Result<(), Stop> {
        Ok(())
    }

    fn report(&mut self, info: &SearchInfo) {
        self.0.push((info.depth, info.value, info.bound));
    }
}

#[test]
fn the_search_finds_the_value_of_minimax() {
    let mut compared = 0;
    for position in positions() {
        for depth in 1..=3 {
            let Some(truth) = minimax(&position, depth, 0) else { continue };
            for selectivity in forms() {
                let mut searcher = AlphaBeta::new(Judge, APly, selectivity, 0);
                let limits = SearchLimits { depth: Some(depth), ..SearchLimits::default() };
                let mut reports = Reports::default();
                let game = Game::new(position.clone());
                let table = Table::with_kilobytes(1024).unwrap();
                let answer = searcher.search(&table, &game, &limits, &mut reports);
                let fen = position.to_fen(false);
                assert_eq!(answer.value, truth, "{fen}, depth {depth}, {selectivity:?}");
                for (_, value, bound) in reports.0.iter().filter(|(iteration, ..)| *iteration == depth) {
                    match bound {
                        Bound::Exact => assert_eq!(*value, truth, "{fen}"),
                        Bound::Lower => assert!(*value <= truth, "{fen}: {value:?} is no lower bound of {truth:?}"),
                        Bound::Upper => assert!(*value >= truth, "{fen}: {value:?} is no upper bound of {truth:?}"),
                    }
                }
                compared += 1;
            }
        }
    }
    assert!(compared > 300, "{compared}");
}

/// The search of a node one ply from the root, so many plies before quiescence, finds bounds of the value of minimax by null windows
/// around it.
pub(super) fn finds_bounds(
    selectivity: Selectivity,
    search: impl Fn(&mut Worker<Judge, APly>, &Position, u32, Window) -> Value,
) {
    let mut compared = 0;
    for position in positions() {
        for depth in 0..=2 {
            let Some(truth) = minimax(&position, depth, 1) else { continue };
            let table = Table::with_kilobytes(1024).unwrap();
            let mut memory = Memory::seeded(0, selectivity.depth_limited.is_some());
            let mut handler = Silent;
            let mut worker = Worker::new(&Judge, &APly, selectivity, &position, &table, &mut memory, &mut handler);
            // One table for all windows: what one stores, another reads.
            for by in [-0.5, -0.1, -0.01, 0.0, 0.01, 0.1, 0.5] {
                let beta = truth.offset(by);
                let window = Window::below(beta);
                let found = search(&mut worker, &position, depth, window);
                let fen = position.to_fen(false);
                assert_eq!(window.fails_high(found), truth >= beta, "{fen}, depth {depth}, {by}");
                match window.fails_high(found) {
                    true => assert!(found <= truth, "{fen}: {found:?} is no lower bound of {truth:?}"),
                    false => assert!(found >= truth, "{fen}: {found:?} is no upper bound of {truth:?}"),
                }
                compared += 1;
            }
        }
    }
    assert!(compared > 1_000, "{compared}");
}

#[test]
fn outside_its_window_the_search_finds_bounds_of_the_value_of_minimax() {
    finds_bounds(Selectivity::NONE, |worker, position, depth, window| {
        // 4^(depth - 1): one ply a quarter.
        let budget = if depth == 0 { Budget::new(0.5) } else { Budget::of_iteration(depth) };
        let node = Node { position, budget, ply: 1, check_extensions: 0, after_null_move: false };
        worker.search::<false>(&node, window).unwrap()
    });
}

#[test]
fn the_fifty_move_rule_draws_at_the_hundredth_ply_unless_it_mates() {
    let value = |fen: &str, selectivity| {
        let mut searcher = AlphaBeta::new(Judge, APly, selectivity, 0);
        let limits = SearchLimits { depth: Some(3), ..SearchLimits::default() };
        let game = Game::new(Position::from_fen(fen).unwrap());
        searcher.search(&Table::new(1).unwrap(), &game, &limits, &mut Silent).value
    };
    for selectivity in forms().into_iter().chain([Selectivity::full(), Selectivity::depth_limited()]) {
        // A queen up, but every move is the hundredth without a capture or a pawn's move.
        assert_eq!(value("7k/8/8/3K4/8/8/8/1Q6 w - - 99 90", selectivity), Value::DRAW, "{selectivity:?}");
        assert!(value("7k/8/8/3K4/8/8/8/1Q6 w - - 90 90", selectivity) > Value::DRAW.offset(0.2), "{selectivity:?}");
        // The hundredth mates.
        assert_eq!(value("7k/8/6K1/8/8/8/8/1Q6 w - - 99 90", selectivity), Value::mates_at(1), "{selectivity:?}");
    }
}

//! Mates that the search claims, against brute force: none is claimed that is not there, and with a warm table none sooner than it
//! comes.

use board::{Game, Piece, Position};
use search::{AlphaBeta, Evaluator, SearchLimits, Searcher, Selectivity, Silent, StaticPolicy, Table, Value};

/// Counts material, so that a search has something else to wish for than mate.
struct Material;

impl Evaluator for Material {
    type State = ();

    fn root(&self, _: &Position) {}

    fn logit(&self, (): &mut (), position: &Position) -> f32 {
        let us = position.side_to_move();
        let count = |color, piece| position.colored_pieces(color, piece).len() as f32;
        let worth =
            [(Piece::Pawn, 1.0), (Piece::Knight, 3.0), (Piece::Bishop, 3.0), (Piece::Rook, 5.0), (Piece::Queen, 9.0)];
        worth.iter().map(|(piece, worth)| worth * (count(us, *piece) - count(!us, *piece))).sum::<f32>() / 20.0
    }
}

/// Can the side to move mate within so many plies?
fn mates_within(position: &Position, plies: usize) -> bool {
    plies > 0 && position.legal_moves().iter().any(|mv| is_mated_within(&position.play(*mv), plies - 1))
}

/// Is the side to move mated within so many plies, whatever it plays?
fn is_mated_within(position: &Position, plies: usize) -> bool {
    let moves = position.legal_moves();
    if moves.is_empty() {
        return position.in_check();
    }
    plies >= 2 && moves.iter().all(|mv| mates_within(&position.play(*mv), plies - 1))
}

/// The plies to a mate by the side to move, or against it if negative, up to `most`.
fn truth(position: &Position, most: usize) -> Option<i32> {
    let wins = (1..=most).step_by(2).find(|plies| mates_within(position, *plies)).map(|plies| plies as i32);
    let loses = || (0..=most).step_by(2).find(|plies| is_mated_within(position, *plies)).map(|plies| -(plies as i32));
    wins.or_else(loses)
}

/// The most plies that brute force looks ahead.
const FAR: usize = 5;

const STARTS: [&str; 10] = [
    "7k/8/5K2/8/8/8/8/6R1 w - - 0 1",
    "6k1/R7/1R6/8/8/8/8/7K b - - 0 1",
    "7k/8/4K3/8/8/8/8/1Q6 w - - 0 1",
    "k7/8/2K5/8/8/8/8/1Q6 b - - 0 1",
    "3k4/8/3K4/8/8/8/8/5R2 w - - 0 1",
    "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1",
    "6k1/5ppp/8/8/8/8/r4PPP/3R2K1 w - - 0 1",
    "1k6/ppp5/8/8/8/8/5r2/2R3K1 w - - 0 1",
    "7k/5Q2/8/8/8/2K5/8/8 w - - 0 1",
    "8/8/8/8/8/1k6/2r5/K7 w - - 0 1",
];

#[test]
fn no_mate_is_claimed_that_is_not_there_and_near_ones_are_found() {
    for selectivity in [Selectivity::NONE, Selectivity::full(), Selectivity::depth_limited()] {
        let mut searcher = AlphaBeta::new(Material, StaticPolicy, selectivity, 0);
        // One table for all: every search meets what the others left, from other distances.
        let table = Table::with_kilobytes(4096).unwrap();
        let (mut claims, mut near, mut missed) = (0, 0, Vec::new());
        for start in STARTS {
            let mut game = Game::new(Position::from_fen(start).unwrap());
            for nodes in [20_000, 300, 20_000, 3_000, 20_000, 300, 20_000] {
                if game.outcome().is_some() {
                    break;
                }
                table.next_search();
                let limits = SearchLimits { nodes: Some(nodes), ..SearchLimits::default() };
                let answer = searcher.search(&table, &game, &limits, &mut Silent);
                let (position, fen) = (game.position(), game.position().to_fen(false));
                let true_plies = truth(position, FAR);
                if let Some(plies) = answer.value.mate_plies() {
                    claims += 1;
                    assert_eq!(answer.pv.len(), plies.unsigned_abs() as usize, "{fen}: {answer:?}");
                    match true_plies {
                        // A longer one may be found first.
                        Some(least) => assert!(
                            plies.signum() == least.signum() && plies.abs() >= least.abs(),
                            "{fen}, {selectivity:?}: a mate in {plies} plies, where {least} is the truth"
                        ),
                        None => assert!(
                            plies.unsigned_abs() as usize > FAR,
                            "{fen}, {selectivity:?}: no mate within {plies} plies"
                        ),
                    }
                }
                let is_near = true_plies.is_some_and(|plies| plies.abs() <= 3) && nodes >= 20_000;
                near += usize::from(is_near);
                if is_near && answer.value.mate_plies() != true_plies {
                    missed.push(format!("{fen}: {true_plies:?}, found {:?}", answer.value));
                }
                game.play(answer.pv[0]);
            }
        }
        assert!(claims > 12, "only {claims} claims with {selectivity:?}");
        // A selective search may leave out a quiet move in a zugzwang.
        assert!(missed.len() * 5 <= near, "{selectivity:?}: {near} near mates, without {missed:#?}");
    }
}

#[test]
fn a_mate_that_the_table_knows_is_as_far_as_it_is_from_here() {
    // The same position, first as the root and then two plies below another.
    let near = Position::from_fen("7k/8/5K2/8/8/8/8/6R1 w - - 0 1").unwrap();
    assert_eq!(truth(&near, FAR), Some(3));
    for selectivity in [Selectivity::NONE, Selectivity::full(), Selectivity::depth_limited()] {
        let table = Table::new(1).unwrap();
        let mut searcher = AlphaBeta::new(Material, StaticPolicy, selectivity, 0);
        let mut value = |position: &Position, nodes| {
            let limits = SearchLimits { nodes: Some(nodes), ..SearchLimits::default() };
            searcher.search(&table, &Game::new(position.clone()), &limits, &mut Silent).value
        };
        assert_eq!(value(&near, 50_000), Value::mates_at(3));
        for mv in near.legal_moves() {
            let child = near.play(mv);
            for reply in child.legal_moves() {
                let below = child.play(reply);
                let found = value(&below, 2_000);
                if let (Some(plies), least) = (found.mate_plies(), truth(&below, FAR)) {
                    let least = least.unwrap_or(FAR as i32 + 1);
                    assert!(plies >= least, "{}: {plies}, truly {least}", below.to_fen(false));
                }
            }
        }
    }
}

//! A rollout: from a start position one random move, and then some plies of self-play, each by a small search whose value
//! and leaf are kept (thesis 4.5).

use crate::engine::evaluators::NetworkEvaluator;
use crate::search::{AlphaBeta, SearchLimits, SearchResult, Searcher, Selectivity, Silent, StaticPolicy, Table, Value};
use board::{Color, Game, Move, Outcome, Position};
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

/// How long rollouts are and how much thought goes into them.
#[derive(Debug, Clone, Copy)]
pub struct RolloutOptions {
    /// Random legal moves after the start position.
    pub random_moves: usize,
    /// Searches of a rollout, at most.
    pub plies: usize,
    /// Nodes of a search.
    pub nodes: u64,
}

/// What a search of a rollout taught.
#[derive(Debug, Clone)]
pub struct Moment {
    /// The value in the view of the side that moved first, [-1, 1]; a mate is +-1, a draw 0.
    pub value: f32,
    /// The leaf whose evaluation this is; `None` where the line or the game itself has ended.
    pub leaf: Option<Leaf>,
    /// Was the reply to this move, as far as it was played, the one that the search expected?
    pub predicted: bool,
}

/// The leaf of a principal variation.
#[derive(Debug, Clone)]
pub struct Leaf {
    /// The position.
    pub position: Position,
    /// +1 if the side to move there is the one that moved first in the rollout, else -1: value = sign * V(leaf).
    pub sign: f32,
}

/// A rollout.
#[derive(Debug, Clone)]
pub struct Rollout {
    /// One for each search, and one for the end of the game if it ended.
    pub moments: Vec<Moment>,
    /// Where it stopped; `None` if the game has ended.
    pub end: Option<Position>,
    /// Searches made.
    pub searches: u64,
    /// Nodes searched.
    pub nodes: u64,
}

/// What plays rollouts on one thread, one after another.
pub struct Worker {
    searcher: AlphaBeta<NetworkEvaluator, StaticPolicy>,
    table: Table,
}

impl Worker {
    /// A worker that plays with this net and table.
    pub fn new(net: NetworkEvaluator, table: Table) -> Self {
        Self { searcher: AlphaBeta::new(net, StaticPolicy, Selectivity::full(), 0), table }
    }

    /// Plays with another net from now on.
    pub fn set_net(&mut self, net: NetworkEvaluator) {
        self.searcher = AlphaBeta::new(net, StaticPolicy, Selectivity::full(), 0);
    }

    /// Plays a rollout. It depends on nothing but the net and the arguments.
    pub fn play(&mut self, start: Position, recipe: &RolloutOptions, random: &mut Xoshiro256PlusPlus) -> Rollout {
        self.table.clear();
        self.searcher.new_game();
        let mut game = Game::new(start);
        for _ in 0..recipe.random_moves {
            let moves = game.position().legal_moves();
            if game.outcome().is_some() {
                break;
            }
            game.play(moves[random.random_range(0..moves.len())]);
        }
        let first = game.position().side_to_move();
        let limits = SearchLimits { nodes: Some(recipe.nodes), ..SearchLimits::default() };
        let mut rollout = Rollout { moments: Vec::with_capacity(recipe.plies + 1), end: None, searches: 0, nodes: 0 };
        let mut expected: Option<Move> = None;
        for _ in 0..recipe.plies {
            if game.outcome().is_some() {
                break;
            }
            self.table.next_search();
            let answer = self.searcher.search(&self.table, &game, &limits, &mut Silent);
            // A position that goes on has a legal move, and its search a best one.
            let Some(mv) = answer.best() else { break };
            if let Some(before) = rollout.moments.last_mut() {
                before.predicted = expected == Some(mv);
            }
            expected = answer.pv.get(1).copied().filter(|_| answer.pv.first() == Some(&mv));
            rollout.moments.push(self.moment(game.position(), &answer, first));
            rollout.searches += 1;
            rollout.nodes += answer.nodes;
            game.play(mv);
        }
        match game.outcome() {
            Some(outcome) => {
                let value = result(outcome, game.position().side_to_move(), first);
                rollout.moments.push(Moment { value, leaf: None, predicted: false });
            }
            None => rollout.end = Some(game.position().clone()),
        }
        rollout
    }

    fn moment(&self, root: &Position, answer: &SearchResult, first: Color) -> Moment {
        let position = answer.leaf(root);
        let root_sign = if root.side_to_move() == first { 1.0 } else { -1.0 };
        let leaf_sign = if position.side_to_move() == first { 1.0 } else { -1.0 };
        let value = root_sign * answer.value.to_f32();
        // A line that ends in a mate or a draw has the rules' value, not the net's: nothing to learn there.
        let by_rule =
            answer.value.is_mate() || answer.value == Value::DRAW && self.searcher.evaluate(&position) != Value::DRAW;
        debug_assert!(by_rule || leaf_sign * self.searcher.evaluate(&position).to_f32() == value);
        Moment { value, leaf: (!by_rule).then_some(Leaf { position, sign: leaf_sign }), predicted: false }
    }
}

/// The value of a game's end in the view of `first`.
fn result(outcome: Outcome, to_move: Color, first: Color) -> f32 {
    match outcome {
        Outcome::Mated if to_move == first => -1.0,
        Outcome::Mated => 1.0,
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::shipped_net;
    use crate::learn::streams::stream;

    const RECIPE: RolloutOptions = RolloutOptions { random_moves: 1, plies: 12, nodes: 256 };

    fn worker() -> Worker {
        Worker::new(NetworkEvaluator::new(shipped_net().unwrap()), Table::with_kilobytes(64).unwrap())
    }

    #[test]
    fn every_value_is_the_evaluation_of_its_leaf_signed_by_parity() {
        let mut worker = worker();
        let mut leaves = 0;
        for index in 0..40 {
            let rollout = worker.play(Position::start(), &RECIPE, &mut stream(1, 2, index));
            assert_eq!(rollout.searches, 12);
            for moment in &rollout.moments {
                if let Some(Leaf { position, sign }) = &moment.leaf {
                    assert_eq!(sign * worker.searcher.evaluate(position).to_f32(), moment.value);
                    leaves += 1;
                }
            }
        }
        assert!(leaves > 40 * 10, "{leaves}");
    }

    #[test]
    fn a_rollout_does_not_depend_on_those_before() {
        let mut used = worker();
        for index in 0..3 {
            used.play(Position::start(), &RECIPE, &mut stream(9, 9, index));
        }
        let again = used.play(Position::start(), &RECIPE, &mut stream(1, 1, 1));
        let fresh = worker().play(Position::start(), &RECIPE, &mut stream(1, 1, 1));
        let values = |rollout: &Rollout| rollout.moments.iter().map(|m| m.value.to_bits()).collect::<Vec<_>>();
        assert_eq!(values(&again), values(&fresh));
        assert_eq!(again.end, fresh.end);
        assert_eq!(again.nodes, fresh.nodes);
    }

    #[test]
    fn a_game_that_ends_gives_its_result_a_moment_without_a_leaf() {
        // White mates by Qg7 at once.
        let start = Position::from_fen("7k/8/6K1/8/8/8/8/6Q1 w - - 0 1").unwrap();
        let recipe = RolloutOptions { random_moves: 0, ..RECIPE };
        let rollout = worker().play(start, &recipe, &mut stream(1, 1, 1));
        assert!(rollout.end.is_none());
        let last = rollout.moments.last().unwrap();
        assert_eq!((last.value, last.leaf.is_none()), (1.0, true));
        // The search saw the mate: its value is the rules' too.
        assert!(rollout.moments.iter().all(|moment| moment.value == 1.0 && moment.leaf.is_none()));
        assert_eq!(rollout.moments.len() as u64, rollout.searches + 1);
        // Black to move first sees the same end with the other sign.
        let start = Position::from_fen("7k/8/6K1/8/8/8/8/6Q1 b - - 0 1").unwrap();
        let rollout = worker().play(start, &recipe, &mut stream(1, 1, 1));
        assert_eq!(rollout.moments.last().map(|last| last.value), Some(-1.0));
    }

    #[test]
    fn a_finished_start_is_only_its_result() {
        let mated = Position::from_fen("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1").unwrap();
        let rollout = worker().play(mated, &RECIPE, &mut stream(1, 1, 1));
        assert_eq!((rollout.moments.len(), rollout.searches), (1, 0));
        assert_eq!(rollout.moments[0].value, -1.0);
    }
}

//! A rollout: random moves from a start position, and then plies of self-play, each by a small search whose value, leaf and, for
//! TreeStrap, nodes are kept (thesis 4.5).

use crate::data::episode::{Episode, Leaf, Step};
use crate::data::rollout_player::Player;
use crate::data::tree_nodes::TreeSampling;
use board::{Color, Game, Move, Outcome, Position};
use engine::evaluators::NetworkEvaluator;
use rand::{Rng, RngExt};
use rand_xoshiro::Xoshiro256PlusPlus;
use search::{Policy, SearchLimits, SearchResult, Selectivity, Silent, Table, Value};
use std::sync::Arc;

/// The length of rollouts and of their searches.
#[derive(Debug, Clone, Copy)]
pub struct RolloutOptions {
    /// Random legal moves after the start position.
    pub random_moves: usize,
    /// Searches of a rollout, at most.
    pub plies: usize,
    /// Nodes of a search.
    pub nodes: u64,
}

/// What plays rollouts on one thread, one after another.
pub struct Worker {
    player: Player,
    policy: Arc<dyn Policy>,
    selectivity: Selectivity,
    table: Table,
    sampling: Option<TreeSampling>,
}

impl Worker {
    /// A worker that plays with this net, policy and table, and leaves out what `selectivity` allows; it keeps such a sample of the
    /// nodes of each search, or none.
    pub fn new(
        net: NetworkEvaluator,
        policy: Arc<dyn Policy>,
        selectivity: Selectivity,
        table: Table,
        sampling: Option<TreeSampling>,
    ) -> Self {
        let player = Player::new(net, policy.clone(), selectivity, sampling);
        Self { player, policy, selectivity, table, sampling }
    }

    /// Plays with another net from now on.
    pub fn set_net(&mut self, net: NetworkEvaluator) {
        self.player = Player::new(net, self.policy.clone(), self.selectivity, self.sampling);
    }

    /// Plays a rollout. It depends on nothing but the net and the arguments.
    pub fn play(&mut self, start: Position, options: &RolloutOptions, random: &mut Xoshiro256PlusPlus) -> Episode {
        self.table.clear();
        self.player.searcher().new_game();
        // Samples of nodes have numbers of their own, so that a rollout is the same with them and without.
        let mut seeds = random.clone();
        seeds.jump();
        let mut game = Game::new(start);
        for _ in 0..options.random_moves {
            let moves = game.position().legal_moves();
            if game.outcome().is_some() {
                break;
            }
            game.play(moves[random.random_range(0..moves.len())]);
        }
        let first = game.position().side_to_move();
        let limits = SearchLimits { nodes: Some(options.nodes), ..SearchLimits::default() };
        let mut episode = Episode {
            start: game.position().clone(),
            moves: Vec::with_capacity(options.plies),
            steps: Vec::with_capacity(options.plies + 1),
            trees: Vec::new(),
            end: None,
            nodes: 0,
        };
        let mut expected: Option<Move> = None;
        for _ in 0..options.plies {
            if game.outcome().is_some() {
                break;
            }
            self.table.next_search();
            self.player.begin_tree(seeds.next_u64());
            let answer = self.player.searcher().search(&self.table, &game, &limits, &mut Silent);
            // A position that goes on has a legal move, and its search a line.
            let Some(mv) = answer.valued() else { break };
            if let Some(before) = episode.steps.last_mut() {
                before.predicted = expected == Some(mv);
            }
            expected = answer.pv.get(1).copied();
            episode.steps.push(self.step(game.position(), &answer, first));
            episode.trees.extend(self.player.take_tree());
            episode.moves.push(mv);
            episode.nodes += answer.nodes;
            game.play(mv);
        }
        match game.outcome() {
            Some(outcome) => {
                let value = result(outcome, game.position().side_to_move(), first);
                episode.steps.push(Step { value, leaf: None, predicted: false });
            }
            None => episode.end = Some(game.position().clone()),
        }
        episode
    }

    fn step(&mut self, root: &Position, answer: &SearchResult, first: Color) -> Step {
        let position = answer.leaf(root);
        let root_sign = if root.side_to_move() == first { 1.0 } else { -1.0 };
        let leaf_sign = if position.side_to_move() == first { 1.0 } else { -1.0 };
        let value = root_sign * answer.value.to_f32();
        let searcher = self.player.searcher();
        // A line that ends in a mate or a draw has the rules' value, not the net's: nothing to learn there.
        let by_rule =
            answer.value.is_mate() || answer.value == Value::DRAW && searcher.evaluate(&position) != Value::DRAW;
        debug_assert!(by_rule || leaf_sign * searcher.evaluate(&position).to_f32() == value);
        Step { value, leaf: (!by_rule).then_some(Leaf { position, sign: leaf_sign }), predicted: false }
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
    use crate::streams::stream;
    use crate::tasks::values::values_options::Positions;
    use engine::shipped_value_net;
    use search::{AlphaBeta, Bound, Searcher, StaticPolicy};

    const OPTIONS: RolloutOptions = RolloutOptions { random_moves: 1, plies: 12, nodes: 256 };

    fn worker_with(sampling: Option<TreeSampling>) -> Worker {
        Worker::new(
            NetworkEvaluator::new(shipped_value_net().unwrap()),
            Arc::new(StaticPolicy),
            Selectivity::full(),
            Table::with_kilobytes(64).unwrap(),
            sampling,
        )
    }

    fn worker() -> Worker {
        worker_with(None)
    }

    #[test]
    fn nodes_are_those_of_the_trees_and_change_no_move() {
        for (positions, nodes) in [(Positions::All, 4), (Positions::Quiet, 3)] {
            let mut observed = worker_with(Some(TreeSampling { nodes, level: 0.0, positions }));
            let (mut counts, mut bounds) = ([0; 2], [0; 3]);
            for index in 0..20 {
                let episode = observed.play(Position::start(), &OPTIONS, &mut stream(1, 2, index));
                let plain = worker().play(Position::start(), &OPTIONS, &mut stream(1, 2, index));
                assert_eq!(Episode { trees: Vec::new(), ..episode.clone() }, plain);
                let again = observed.play(Position::start(), &OPTIONS, &mut stream(1, 2, index));
                assert_eq!(again, episode, "whatever was sampled before");
                assert_eq!(episode.trees.len(), episode.moves.len());
                let mut root = episode.start.clone();
                for (tree, mv) in episode.trees.iter().zip(&episode.moves) {
                    assert!(tree.len() <= nodes);
                    for node in tree {
                        let in_check = node.position.in_check();
                        assert!(positions == Positions::All || !in_check);
                        // What the search knows of a node's evaluation is the net's own.
                        let own = observed.player.searcher().evaluate(&node.position).to_f32();
                        assert!(node.evaluation.is_none_or(|known| known == own && !in_check));
                        assert!(in_check || node.position != root || node.evaluation.is_some());
                        bounds[node.bound as usize] += 1;
                    }
                    counts[0] += 1;
                    counts[1] += usize::from(tree.iter().any(|node| node.position == root));
                    root = root.play(*mv);
                }
            }
            // A root is one of the nodes.
            assert!(counts[1] > 0 && counts[1] < counts[0], "{counts:?}");
            let all = [Bound::Exact, Bound::Lower, Bound::Upper];
            assert!(all.iter().all(|bound| bounds[*bound as usize] > 20), "{bounds:?}");
        }
    }

    #[test]
    fn every_value_is_the_evaluation_of_its_leaf_signed_by_parity() {
        let mut worker = worker();
        let mut leaves = 0;
        for index in 0..40 {
            let episode = worker.play(Position::start(), &OPTIONS, &mut stream(1, 2, index));
            assert_eq!(episode.moves.len() as u64, 12);
            for step in &episode.steps {
                if let Some(Leaf { position, sign }) = &step.leaf {
                    assert_eq!(sign * worker.player.searcher().evaluate(position).to_f32(), step.value);
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
            used.play(Position::start(), &OPTIONS, &mut stream(9, 9, index));
        }
        let again = used.play(Position::start(), &OPTIONS, &mut stream(1, 1, 1));
        let fresh = worker().play(Position::start(), &OPTIONS, &mut stream(1, 1, 1));
        let values = |episode: &Episode| episode.steps.iter().map(|m| m.value.to_bits()).collect::<Vec<_>>();
        assert_eq!(values(&again), values(&fresh));
        assert_eq!(again.end, fresh.end);
        assert_eq!(again.nodes, fresh.nodes);
    }

    #[test]
    fn a_game_that_ends_gives_its_result_a_step_without_a_leaf() {
        // White mates by Qg7 at once.
        let start = Position::from_fen("7k/8/6K1/8/8/8/8/6Q1 w - - 0 1").unwrap();
        let options = RolloutOptions { random_moves: 0, ..OPTIONS };
        let episode = worker().play(start, &options, &mut stream(1, 1, 1));
        assert!(episode.end.is_none());
        let last = episode.steps.last().unwrap();
        assert_eq!((last.value, last.leaf.is_none()), (1.0, true));
        // The search saw the mate: its value is the rules' too.
        assert!(episode.steps.iter().all(|step| step.value == 1.0 && step.leaf.is_none()));
        assert_eq!(episode.steps.len() as u64, episode.moves.len() as u64 + 1);
        // Black to move first sees the same end with the other sign.
        let start = Position::from_fen("7k/8/6K1/8/8/8/8/6Q1 b - - 0 1").unwrap();
        let episode = worker().play(start, &options, &mut stream(1, 1, 1));
        assert_eq!(episode.steps.last().map(|last| last.value), Some(-1.0));
    }

    #[test]
    fn every_step_is_that_of_the_search_whose_move_is_played() {
        let (policy, selectivity) = (StaticPolicy, Selectivity::full());
        let options = RolloutOptions { random_moves: 3, plies: 20, nodes: 400 };
        let (mut predicted, mut steps, mut better) = (0, 0, 0);
        let mut worker = worker();
        let net = NetworkEvaluator::new(shipped_value_net().unwrap());
        let mut searcher = AlphaBeta::new(net, policy, selectivity, 0);
        for index in 0..60 {
            let episode = worker.play(Position::start(), &options, &mut stream(3, 5, index));
            let plies = 2 * (episode.start.fullmove_number() - 1) + episode.start.side_to_move() as u16;
            assert_eq!(plies, 3, "so many random moves");
            // The same searches once more.
            searcher.new_game();
            let table = Table::with_kilobytes(64).unwrap();
            let (mut game, first) = (Game::new(episode.start.clone()), episode.start.side_to_move());
            let (mut expected, mut nodes) = (None, 0);
            for (turn, (mv, step)) in episode.moves.iter().zip(&episode.steps).enumerate() {
                table.next_search();
                let limits = SearchLimits { nodes: Some(options.nodes), ..SearchLimits::default() };
                let answer = searcher.search(&table, &game, &limits, &mut Silent);
                assert_eq!(answer.pv.first(), Some(mv), "the move whose value and leaf are kept");
                let sign = if game.position().side_to_move() == first { 1.0 } else { -1.0 };
                assert_eq!(step.value, sign * answer.value.to_f32());
                let leaf = answer.leaf(game.position());
                assert!(step.leaf.as_ref().is_none_or(|kept| kept.position == leaf));
                if turn > 0 {
                    let before = episode.steps[turn - 1].predicted;
                    assert_eq!(before, expected == Some(*mv), "turn {turn} of {index}");
                    predicted += usize::from(before);
                    steps += 1;
                }
                better += usize::from(answer.better.is_some());
                expected = answer.pv.get(1).copied();
                nodes += answer.nodes;
                game.play(*mv);
            }
            assert_eq!(episode.nodes, nodes);
        }
        assert!(predicted > steps / 10 && predicted < steps * 9 / 10, "{predicted} of {steps} were predicted");
        assert!(better > 0, "no search was stopped after it had found a better move without a line");
    }

    #[test]
    fn a_line_that_ends_in_a_draw_by_the_rules_teaches_nothing() {
        // Every move is the hundredth without a capture or a pawn's move, and none mates.
        let start = Position::from_fen("7k/8/8/3K4/8/8/8/1Q6 w - - 99 90").unwrap();
        let options = RolloutOptions { random_moves: 0, plies: 1, nodes: 2_000 };
        let episode = worker().play(start, &options, &mut stream(1, 1, 1));
        assert_eq!((episode.steps[0].value, episode.steps[0].leaf.is_none()), (0.0, true));
    }

    #[test]
    fn a_finished_start_is_only_its_result() {
        let mated = Position::from_fen("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1").unwrap();
        let episode = worker().play(mated, &OPTIONS, &mut stream(1, 1, 1));
        assert_eq!((episode.steps.len(), episode.moves.len() as u64), (1, 0));
        assert_eq!(episode.steps[0].value, -1.0);
    }
}

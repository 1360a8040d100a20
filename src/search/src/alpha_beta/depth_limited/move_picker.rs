//! The moves of a node in stages: the hash move, with little depth or without the policy the good captures, and all others, by
//! probability and history. The policy is asked where its judgement of the order can save nodes: where a cutoff is expected, and
//! where the node was open. Where all moves are expected to fail low their order matters little, and histories alone make it.
//! A stage is generated when one of its moves is asked for, and its moves are sorted no further than they are asked for.

use crate::alpha_beta::depth_limited::DepthNode;
use crate::alpha_beta::depth_limited::histories::{APART, Histories, NodeHistories};
use crate::alpha_beta::worker::Worker;
use crate::budget::Budget;
use crate::evaluator::Evaluator;
use crate::policy::Policy;
use crate::scored_move::{MoveKind, ScoredMove, ScoredMoves, is_quiet};
use crate::tunables as tuned;
use board::checks::CheckSquares;
use board::see::PIECE_VALUES;
use board::{BitBoard, Move, Piece, Position};

/// The moves of a node that have been generated so far.
pub struct MovePicker {
    /// In the order of trial up to the last one asked for.
    moves: ScoredMoves,
    hash: Option<Move>,
    /// The stage to generate next.
    next: Stage,
}

/// What is generated at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Captures that lose nothing, and queen promotions.
    GoodCaptures,
    /// All others.
    Others,
    /// Nothing is left.
    Done,
}

impl MovePicker {
    /// No moves yet. Made where it stays, because to return it is to copy it.
    #[inline]
    pub fn new() -> Self {
        Self { moves: ScoredMoves::new(), hash: None, next: Stage::Others }
    }

    /// Drops the quiet moves from this index of the order of trial on, unless they give check.
    pub fn skip_quiet_moves(&mut self, position: &Position, checks: &CheckSquares, index: usize) {
        let mut left = index;
        for place in index..self.moves.len() {
            let scored = self.moves[place];
            if !is_quiet(position, scored.mv) || checks.gives_check(scored.piece, scored.mv) {
                self.moves[left] = scored;
                left += 1;
            }
        }
        self.moves.truncate(left);
    }

    /// Brings the first of the moves from this index of the order of trial on to this index.
    #[inline]
    fn pick(&mut self, index: usize) -> Option<ScoredMove> {
        let left = self.moves.get_mut(index..)?;
        let (mut best, mut most) = (0, left.first()?.order);
        for (place, scored) in left.iter().enumerate() {
            if scored.order > most {
                (best, most) = (place, scored.order);
            }
        }
        left.swap(0, best);
        Some(left[0])
    }
}

impl<E: Evaluator, P: Policy> Worker<'_, E, P> {
    /// The first stage: the hash move, if there is one.
    #[inline]
    pub(super) fn pick_depth_moves(&self, node: &DepthNode, hash: Option<Move>, picker: &mut MovePicker) {
        if let Some((piece, mv)) = hash.and_then(|mv| Some((node.position.piece_on(mv.from)?, mv))) {
            picker.moves.push(ScoredMove::hash_move(piece, mv, 1.0));
        }
        picker.hash = hash;
        let is_staged =
            (node.depth < tuned::depth_captures_first() || !self.asks_policy(node)) && !node.position.in_check();
        picker.next = if is_staged { Stage::GoodCaptures } else { Stage::Others };
    }

    /// The move at this index of the order of trial, from 0; the indices are asked for in turn. Where quiet moves would be pruned unless
    /// they give check, they are left out, and those that are left need no policy.
    #[inline]
    pub(super) fn next_depth_move(
        &mut self,
        node: &DepthNode,
        index: usize,
        prunes_quiet: bool,
        picker: &mut MovePicker,
    ) -> Option<ScoredMove> {
        while index == picker.moves.len() && picker.next != Stage::Done {
            match picker.next {
                Stage::GoodCaptures => self.generate_good_captures(node, picker),
                _ if prunes_quiet => self.generate_forcing_moves(node, picker),
                _ if self.asks_policy(node) => self.generate_others(node, picker),
                _ => self.generate_by_history(node, picker),
            }
            picker.next = if picker.next == Stage::GoodCaptures { Stage::Others } else { Stage::Done };
        }
        picker.pick(index)
    }

    /// Adds the captures that lose nothing and the queen promotions that are not there yet.
    fn generate_good_captures(&self, node: &DepthNode, picker: &mut MovePicker) {
        let position = node.position;
        position.for_each_noisy_move(|mv| {
            if picker.hash != Some(mv)
                && position.see_at_least(mv, 0)
                && let Some(piece) = position.piece_on(mv.from)
            {
                let scored = ScoredMove { kind: MoveKind::GoodCapture, ..ScoredMove::hash_move(piece, mv, 0.0) };
                let order = self.order_of_capture(position, &scored);
                picker.moves.push(ScoredMove { order, ..scored });
            }
        });
    }

    /// Adds the captures, promotions and checks that are not there yet.
    fn generate_forcing_moves(&self, node: &DepthNode, picker: &mut MovePicker) {
        let position = node.position;
        let (checks, tried) = (CheckSquares::of(position), picker.moves.len());
        position.for_each_legal_move(|piece, mv| {
            let is_quiet = is_quiet(position, mv);
            if is_quiet && !checks.gives_check(piece, mv) || is_among(&picker.moves[..tried], mv) {
                return;
            }
            let kind = if is_quiet { MoveKind::Quiet } else { MoveKind::LosingCapture };
            let scored = ScoredMove { kind, ..ScoredMove::hash_move(piece, mv, 0.0) };
            let order = if is_quiet { 0 } else { self.order_of_capture(position, &scored) };
            picker.moves.push(ScoredMove { order, ..scored });
        });
    }

    /// Is a cutoff expected, or was the node open?
    fn asks_policy(&self, node: &DepthNode) -> bool {
        node.is_cut || self.memory.depth.line.before(node.ply, 0).was_open
    }

    /// Adds all moves that are not there yet, without priors: quiet moves by their histories; captures and promotions behind them, and in
    /// check before them.
    fn generate_by_history(&self, node: &DepthNode, picker: &mut MovePicker) {
        let &DepthNode { position, ply, .. } = node;
        let (of_node, killers) = (self.node_order(node), self.memory.moves.killers(ply));
        let (tried, in_check) = (picker.moves.len(), position.in_check());
        position.for_each_legal_move(|piece, mv| {
            if is_among(&picker.moves[..tried], mv) {
                return;
            }
            let is_quiet = is_quiet(position, mv);
            let killer = is_quiet && killers.contains(&Some(mv));
            let scored = ScoredMove { killer, ..ScoredMove::hash_move(piece, mv, 0.0) };
            let order = if is_quiet {
                of_node.order(&scored)
            } else {
                self.order_of_capture(position, &scored) + if in_check { APART } else { -APART }
            };
            picker.moves.push(ScoredMove { order, ..scored });
        });
    }

    /// Adds all moves that are not there yet, with their priors.
    fn generate_others(&mut self, node: &DepthNode, picker: &mut MovePicker) {
        let &DepthNode { position, depth, ply, .. } = node;
        let by_network = depth >= tuned::depth_network_min_depth();
        let key = self.key(position);
        let tried = picker.moves.len();
        if let Some(prior_of) = self.memory.depth.priors.get(key, by_network) {
            let (of_node, killers) = (self.node_order(node), self.memory.moves.killers(ply));
            let mut index = 0;
            position.for_each_legal_move(|piece, mv| {
                let prior = prior_of(index);
                index += 1;
                if !is_among(&picker.moves[..tried], mv) {
                    let killer = is_quiet(position, mv) && killers.contains(&Some(mv));
                    let scored = ScoredMove { killer, ..ScoredMove::hash_move(piece, mv, prior) };
                    picker.moves.push(ScoredMove { order: of_node.order(&scored), ..scored });
                }
            });
            return;
        }
        self.memory.moves.append_moves(position, picker.hash, ply, &mut picker.moves);
        let listed = &mut picker.moves[tried..];
        self.policy.allocate(position, asking_budget(by_network), listed);
        self.memory.depth.priors.put(key, by_network, listed);
        let of_node = self.node_order(node);
        for scored in &mut picker.moves[tried..] {
            scored.order = of_node.order(scored);
        }
        for place in 0..tried {
            let mv = picker.moves[place].mv;
            if let Some(again) = picker.moves[tried..].iter().position(|scored| scored.mv == mv) {
                picker.moves.remove(tried + again);
            }
        }
    }

    /// What orders the moves of a node whose priors are known.
    #[inline]
    fn node_order<'a>(&'a self, node: &DepthNode<'a>) -> NodeOrder<'a> {
        let histories = &self.memory.depth.histories;
        let of_node = histories.of_node(node.position, &self.memory.depth.line, node.ply);
        NodeOrder {
            position: node.position,
            enemies: node.position.colors(!node.position.side_to_move()),
            histories,
            of_node,
        }
    }

    /// The order of a capture or promotion among others, without the policy.
    pub(super) fn order_of_capture(&self, position: &Position, scored: &ScoredMove) -> i32 {
        8 * gain(position, scored.mv) + self.memory.depth.histories.capture(position, scored)
    }
}

/// Is a move among these?
#[inline]
fn is_among(moves: &[ScoredMove], mv: Move) -> bool {
    moves.iter().any(|scored| scored.mv == mv)
}

/// The order of a node's moves by histories and, where it is known, by prior.
struct NodeOrder<'a> {
    position: &'a Position,
    /// The pieces of the other side.
    enemies: BitBoard,
    histories: &'a Histories,
    of_node: NodeHistories<'a>,
}

impl NodeOrder<'_> {
    #[inline]
    fn order(&self, scored: &ScoredMove) -> i32 {
        let is_quiet =
            !self.enemies.has(scored.mv.to) && (scored.piece != Piece::Pawn || is_quiet(self.position, scored.mv));
        let history = if is_quiet {
            self.of_node.order(self.position, scored)
        } else {
            self.histories.capture(self.position, scored)
        };
        let prior = if scored.prior > 0.0 { tuned::depth_prior_order() * rough_ln(scored.prior) } else { 0.0 };
        let is_killer = scored.killer || self.of_node.countermove == Some(scored.mv);
        let killer = if is_killer { tuned::depth_killer_order() } else { 0 };
        prior as i32 + history + killer
    }
}

/// The least budget that asks the network, or else the linear policy.
#[inline]
fn asking_budget(by_network: bool) -> Budget {
    Budget::new(if by_network { tuned::network_min_budget() } else { tuned::linear_min_budget() })
}

/// What a capture or a promotion wins if nothing is taken back, in centipawns.
fn gain(position: &Position, mv: Move) -> i32 {
    let promotion = if mv.promotion == Some(Piece::Queen) { PIECE_VALUES[Piece::Queen as usize] } else { 0 };
    promotion + position.piece_on(mv.to).map_or(0, |piece| PIECE_VALUES[piece as usize])
}

/// The natural logarithm of a positive number, too small by at most 0.06: that of a power of two exactly, and linear between them.
#[inline]
fn rough_ln(x: f32) -> f32 {
    let log2 = (x.to_bits() as i32 - 1.0_f32.to_bits() as i32) as f32 / (1 << 23) as f32;
    log2 * std::f32::consts::LN_2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alpha_beta::depth_limited::DepthMemory;
    use crate::alpha_beta::depth_limited::tests::{node, position, scored, with_worker};
    use crate::selectivity::DepthSelectivity;

    #[test]
    fn the_rough_logarithm_is_near_and_rises() {
        let numbers = (1..2_000).map(|number| number as f32 / 1_000.0);
        assert!(numbers.clone().all(|x| (-0.061..=1e-6).contains(&(rough_ln(x) - x.ln()))));
        assert!(numbers.map(rough_ln).is_sorted());
    }

    /// Good and losing captures, quiet moves and checks, promotions with and without a capture.
    const FEN: &str = "1n2k3/P5p1/3p3p/3q4/4P3/2N5/8/R3K2Q w - - 0 1";

    /// The moves of a node of this depth, as they are tried, where a cutoff is expected or not.
    fn picked(depth: i32, is_cut: bool, hash: Option<&str>, prunes_quiet: bool) -> Vec<ScoredMove> {
        let position = position(FEN);
        let hash = hash.map(|mv| position.parse_uci(mv).expect("a legal move"));
        with_worker(&position, DepthSelectivity::ALL, |worker| {
            let (node, mut picker) = (DepthNode { is_cut, ..node(&position, depth) }, MovePicker::new());
            worker.pick_depth_moves(&node, hash, &mut picker);
            (0..).map_while(|index| worker.next_depth_move(&node, index, prunes_quiet, &mut picker)).collect()
        })
    }

    #[test]
    fn every_move_is_tried_once_the_hash_move_first_and_good_captures_before_others_with_little_depth() {
        let position = position(FEN);
        let checks = CheckSquares::of(&position);
        for hash in [None, Some("h1g1"), Some("c3d5"), Some("h1h6")] {
            for (depth, is_cut) in [(1, true), (3, true), (4, true), (8, true), (1, false), (8, false)] {
                for prunes_quiet in [false, true] {
                    let moves = picked(depth, is_cut, hash, prunes_quiet);
                    let first = usize::from(hash.is_some());
                    assert!(hash.is_none_or(|hash| moves[0].mv.to_string() == hash));
                    let is_forcing = |mv: &Move| {
                        let piece = position.piece_on(mv.from).expect("a piece");
                        !is_quiet(&position, *mv) || checks.gives_check(piece, *mv)
                    };
                    let mut expected = position.legal_moves();
                    expected.retain(|mv| {
                        !prunes_quiet || is_forcing(mv) || hash.is_some_and(|hash| mv.to_string() == hash)
                    });
                    assert_eq!(moves.len(), expected.len(), "{depth} {hash:?} {prunes_quiet}");
                    assert!(expected.iter().all(|mv| moves.iter().any(|scored| scored.mv == *mv)));
                    let good = moves.iter().filter(|scored| scored.kind == MoveKind::GoodCapture).count();
                    let is_staged = depth < 4 || !is_cut;
                    let staged = if is_staged { good } else { 0 };
                    for stage in [&moves[first..first + staged], &moves[first + staged..]] {
                        assert!(stage.is_sorted_by(|a, b| a.order >= b.order), "{depth} {hash:?} {prunes_quiet}");
                    }
                    if is_staged {
                        let is_good = |scored: &ScoredMove| {
                            (position.is_capture(scored.mv) || scored.mv.promotion.is_some())
                                && matches!(scored.mv.promotion, None | Some(Piece::Queen))
                                && position.see_at_least(scored.mv, 0)
                        };
                        assert!(moves[first..first + staged].iter().all(is_good));
                        assert!(!moves[first + staged..].iter().any(is_good));
                    }
                }
            }
        }
    }

    #[test]
    fn the_policy_is_asked_where_a_cutoff_is_expected_or_the_node_was_open() {
        let position = position(FEN);
        let has_priors = |is_cut, was_open| {
            with_worker(&position, DepthSelectivity::ALL, |worker| {
                worker.memory.depth.line.at(1).was_open = was_open;
                let (node, mut picker) = (DepthNode { is_cut, ..node(&position, 8) }, MovePicker::new());
                worker.pick_depth_moves(&node, None, &mut picker);
                let moves = (0..).map_while(|index| worker.next_depth_move(&node, index, false, &mut picker));
                moves.filter(|scored| scored.prior > 0.0).count()
            })
        };
        let all = position.legal_moves().len();
        assert_eq!([has_priors(true, false), has_priors(false, true), has_priors(false, false)], [all, all, 0]);
    }

    #[test]
    fn without_the_policy_quiet_moves_are_tried_by_their_histories_and_losing_captures_last() {
        let order = |fen: &str, histories: &[(&str, i32)]| {
            let position = position(fen);
            with_worker(&position, DepthSelectivity::ALL, |worker| {
                for (mv, bonus) in histories {
                    let mv = position.parse_uci(mv).expect("a legal move");
                    worker.memory.depth.histories.add_main(position.side_to_move(), mv, *bonus);
                }
                let (node, mut picker) = (node(&position, 8), MovePicker::new());
                worker.pick_depth_moves(&node, None, &mut picker);
                let moves = (0..).map_while(|index| worker.next_depth_move(&node, index, false, &mut picker));
                moves.map(|scored| scored.mv.to_string()).collect::<Vec<_>>()
            })
        };
        // The rook can take a protected pawn.
        let quiet = [("h1g1", 30), ("h1h2", 20), ("h1g2", 10)];
        let fen = "4k3/8/2p5/3p4/8/8/8/3R3K w - - 0 1";
        let all = order(fen, &quiet);
        assert_eq!(
            (&all[..3], all.last().map(String::as_str)),
            (["h1g1", "h1h2", "h1g2"].map(str::to_owned).as_slice(), Some("d1d5"))
        );
        // In check a capture comes first.
        let fen = "4r1k1/8/8/8/8/8/5B2/3bK3 w - - 0 1";
        assert_eq!(order(fen, &[("f2e3", 200), ("e1f1", 100), ("e1d2", -100)]), ["e1d1", "f2e3", "e1f1", "e1d2"]);
    }

    #[test]
    fn late_quiet_moves_are_dropped_and_checks_are_not() {
        let position = position(FEN);
        let checks = CheckSquares::of(&position);
        let mut picker = MovePicker::new();
        for mv in ["a1b1", "e1f1", "h1h6", "h1h5", "e4e5", "c3d5"] {
            picker.moves.push(scored(&position, mv));
        }
        picker.skip_quiet_moves(&position, &checks, 1);
        let left: Vec<String> = picker.moves.iter().map(|scored| scored.mv.to_string()).collect();
        assert_eq!(left, ["a1b1", "h1h6", "h1h5", "c3d5"]);
    }

    #[test]
    fn moves_are_ordered_by_probability_histories_and_what_they_win() {
        let position = position(FEN);
        let gains = ["a7b8q", "a7a8q", "a7b8n", "c3d5", "e1f1"].map(|mv| gain(&position, scored(&position, mv).mv));
        assert_eq!(gains, [975 + 325, 975, 325, 975, 0]);
        with_worker(&position, DepthSelectivity::ALL, |worker| {
            let DepthMemory { histories, line, .. } = &mut worker.memory.depth;
            let [quiet, capture, promotion] = ["e1f1", "c3d5", "a7a8q"].map(|mv| scored(&position, mv));
            histories.add_capture(&position, &capture, 70);
            histories.add_capture(&position, &promotion, 5);
            histories.add_quiet(&position, line, 1, &quiet, 300);
            assert_eq!(worker.order_of_capture(&position, &capture), 8 * 975 + 70);
            let of_node = worker.node_order(&node(&position, 5));
            // A quarter of probability is worth -10,000 times 2 ln 2.
            let likely = |scored: ScoredMove| ScoredMove { prior: 0.25, ..scored };
            let orders = [quiet, capture, promotion].map(|scored| of_node.order(&likely(scored)) + 13_862);
            assert_eq!(orders, [600, 70, 5], "twice the main history");
            assert_eq!(of_node.order(&ScoredMove { killer: true, ..likely(quiet) }), 600 + 10_000 - 13_862);
        });
        let half = [0.25, 0.5, 1.0, 2.0].map(|x| rough_ln(x) / std::f32::consts::LN_2);
        assert_eq!(half, [-2.0, -1.0, 0.0, 1.0]);
    }
}

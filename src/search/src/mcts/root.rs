//! The root: its moves in order, the lines that are reported, and the move that is played.

use crate::draws::Draws;
use crate::evaluator::Evaluator;
use crate::handler::{MoveStatistics, SearchInfo};
use crate::mcts::arena::{Arena, ROOT};
use crate::mcts::edges::Edges;
use crate::mcts::leaf::{self, Leaf};
use crate::mcts::node::Node;
use crate::mcts::proof::Proof;
use crate::mcts::selection::exploration;
use crate::mcts::visit::Visitor;
use crate::policy::Policy;
use crate::tunables as tuned;
use crate::value::{Bound, MAX_PLY, Value};
use board::Move;
use std::cmp::Reverse;

/// A line and its value, for the side to move at the root.
pub struct RootLine {
    /// The moves.
    pub moves: Vec<Move>,
    /// The value of the first.
    pub value: Value,
    /// Its mean chance of a draw.
    draw: f64,
}

/// The numbers of a node's visited moves, best first: proven wins, the shortest first; then by visits, and at equal visits by value;
/// proven losses last, the longest first. Each node is read once, because other threads change it meanwhile, and a sort whose keys
/// change may panic.
fn ranked(arena: &Arena, edges: Edges) -> Vec<usize> {
    let child = |number: usize| edges.child(arena, number);
    let count = edges.visited(arena).count();
    let mut numbers: Vec<usize> = (0..count).filter(|number| child(*number).is_some()).collect();
    numbers.sort_by_cached_key(|number| {
        let Some(child) = child(*number) else { return Reverse((0, 0, 0)) };
        let value = (-child.value() * crate::mcts::node::ONE) as i64;
        Reverse((Proof::rank_of_child(child.proof()), child.visits(), value))
    });
    numbers
}

/// The best visited move of a node, by the same order, and the node that it leads to.
fn best_child<'a>(arena: &'a Arena, node: &Node) -> Option<(Move, &'a Node)> {
    let edges = (node.edges() != 0).then(|| Edges::at(arena, node.edges()))?;
    let number = ranked(arena, edges).first().copied()?;
    Some((edges.mv(number), edges.child(arena, number)?))
}

impl<'a, E: Evaluator, P: Policy> Visitor<'a, E, P> {
    fn root(&self) -> &'a Node {
        self.arena.node(ROOT)
    }

    /// The best lines of the root, at most so many. Moves that were never visited come last, by their priors, and are worth
    /// what the root is.
    pub fn lines(&self, most: usize) -> Vec<RootLine> {
        let root = self.root();
        if root.edges() == 0 {
            return Vec::new();
        }
        let edges = Edges::at(self.arena, root.edges());
        let visited = ranked(self.arena, edges);
        let others = visited.len()..edges.len();
        let mut lines: Vec<RootLine> =
            visited.into_iter().take(most).filter_map(|number| self.line_of(number)).collect();
        let (value, draw) = (Value::from_evaluation(root.value() as f32), root.draw());
        for number in others.take(most - lines.len()) {
            lines.push(RootLine { moves: vec![edges.mv(number)], value, draw });
        }
        lines
    }

    /// The line that begins with the move of this number.
    pub fn line_of(&self, number: usize) -> Option<RootLine> {
        let edges = Edges::at(self.arena, self.root().edges());
        let child = edges.child(self.arena, number)?;
        let drawn = self.worker.draw_value(self.line.position(0));
        let value = match child.proof() {
            Some(proof) => -proof.value(1, -drawn),
            None => Value::from_evaluation(-child.value() as f32),
        };
        let mut moves = vec![edges.mv(number)];
        let mut node = child;
        while moves.len() < MAX_PLY
            && let Some((mv, below)) = best_child(self.arena, node)
        {
            moves.push(mv);
            node = below;
        }
        Some(RootLine { moves, value, draw: child.draw() })
    }

    /// The line with the moves to the mate that its value tells. The tree ends where the value of a leaf was a mate; the search that valued
    /// the leaf has the rest.
    pub fn complete_mate(&mut self, mut line: RootLine) -> RootLine {
        let plies = line.value.mate_plies().map_or(0, |plies| plies.unsigned_abs() as usize);
        let known = line.moves.len();
        let missing = plies.saturating_sub(known);
        if missing == 0 {
            return line;
        }
        self.line.stand_at(&mut self.worker, 0);
        let mut position = self.line.position(0).clone();
        for mv in &line.moves {
            position = self.worker.make(&position, *mv);
        }
        let leaf = leaf::evaluate(&mut self.worker, self.settings.leaf, &position, known);
        line.moves.iter().for_each(|_| self.worker.unmake());
        let rest = &self.worker.memory.pvs[known];
        // Not where another end or a stop came first, which leaves an older line there.
        let is_the_mate =
            matches!(leaf, Ok(Leaf { proof: Some(Proof::Win(n) | Proof::Loss(n)), .. }) if usize::from(n) == missing);
        if is_the_mate && rest.len() == missing {
            line.moves.extend_from_slice(rest);
        }
        line
    }

    /// Tells the handler of the best lines, after so many iterations and visits.
    pub fn report(&mut self, depth: u32, visits: u64, most: usize) {
        let hashfull = if self.worker.handler.shows_hashfull() { self.arena.in_use() } else { 0 };
        for (rank, line) in self.lines(most).into_iter().enumerate() {
            let line = self.complete_mate(line);
            let position = self.line.position(0);
            let evaluator = self.worker.evaluator;
            let value = f64::from(line.value.to_f32());
            let wdl = evaluator.mean_chances(&self.worker.state, position, value, line.draw);
            self.worker.handler.report(&SearchInfo {
                depth,
                seldepth: self.worker.seldepth as u32,
                multipv: rank + 1,
                value: line.value,
                bound: Bound::Exact,
                nodes: visits,
                hashfull,
                table_hits: 0,
                wdl: Some(wdl),
                pv: &line.moves,
            });
        }
    }

    /// The number of the move to play, if any was visited: the best one, or at a temperature one drawn by visits, unless a win
    /// is proven.
    pub fn move_to_play(&self) -> Option<usize> {
        let root = self.root();
        let edges = (root.edges() != 0).then(|| Edges::at(self.arena, root.edges()))?;
        let numbers = ranked(self.arena, edges);
        let best = numbers.first().copied()?;
        let rank =
            |number: usize| edges.child(self.arena, number).map_or(0, |child| Proof::rank_of_child(child.proof()));
        if self.settings.temperature <= 0.0 || rank(best) != 0 {
            return Some(best);
        }
        let weight = |number: usize| {
            let visits = edges.child(self.arena, number).map_or(0, Node::visits);
            // Over the greatest, so that no power is too large for a number.
            let most = edges.child(self.arena, best).map_or(1, |child| child.visits().max(1));
            libm::pow(f64::from(visits) / f64::from(most), 1.0 / self.settings.temperature)
        };
        let candidates: Vec<(usize, f64)> =
            numbers.into_iter().filter(|number| rank(*number) == 0).map(|number| (number, weight(number))).collect();
        let all: f64 = candidates.iter().map(|(_, weight)| weight).sum();
        let mut draws = Draws::of(self.seed, self.line.position(0).key(), Draws::PLAYED);
        let mut left = draws.unit() * all;
        candidates
            .iter()
            .find_map(|(number, weight)| {
                left -= weight;
                (left < 0.0).then_some(*number)
            })
            // Rounding may leave a last part to nobody.
            .or(Some(best))
    }
}

/// What the visits found of every move of a node, the least visited first; nothing before it is expanded.
pub fn statistics(arena: &Arena, node: &Node) -> Vec<MoveStatistics> {
    if node.edges() == 0 {
        return Vec::new();
    }
    let edges = Edges::at(arena, node.edges());
    let exploration = exploration(node.started());
    let visited_prior: f64 = edges.visited(arena).map(|(_, prior)| f64::from(prior)).sum();
    let urgency = node.value() - tuned::mcts_first_play_reduction() * visited_prior.sqrt();
    let of = |number: usize| {
        let child = edges.child(arena, number).filter(|child| child.visits() > 0);
        let visits = child.map_or(0, Node::visits);
        let prior = edges.prior(number);
        let proof = child.and_then(Node::proof);
        MoveStatistics {
            mv: edges.mv(number),
            visits,
            prior,
            value: child.map_or(urgency, |child| -child.value()),
            draw: child.map_or(0.0, Node::draw),
            bonus: exploration * f64::from(prior) / (1.0 + f64::from(visits)),
            mate: proof.and_then(|proof| (-proof.value(1, Value::DRAW)).mate_moves()),
            is_proven: proof.is_some(),
        }
    };
    let mut all: Vec<MoveStatistics> = (0..edges.len()).rev().map(of).collect();
    all.sort_by_key(|statistics| statistics.visits);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcts::edges::edge_units;
    use crate::mcts::node::Gain;

    /// With visits of other threads between its comparisons, a sort that read the nodes again panicked here.
    #[test]
    fn moves_are_ranked_while_another_thread_visits_them() {
        const MOVES: usize = 200;
        let arena = Arena::with_bytes(0).unwrap();
        let edges = Edges::start(&arena, arena.allocate(edge_units(MOVES)).unwrap(), MOVES);
        let nodes: Vec<_> = (0..MOVES).map(|number| edges.child_or_allocate(&arena, number).unwrap()).collect();
        nodes.iter().for_each(|node| node.add_visit(Gain::default(), false));
        std::thread::scope(|scope| {
            let visits = scope.spawn(|| {
                (0..3_000_000).for_each(|step| nodes[step * 7919 % MOVES].add_visit(Gain::default(), false));
            });
            while !visits.is_finished() {
                let mut numbers = ranked(&arena, edges);
                numbers.sort_unstable();
                assert!(numbers.into_iter().eq(0..MOVES));
            }
        });
    }
}

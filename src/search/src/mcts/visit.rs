//! A visit: down the tree by PUCT, one node more, and its value back up to the root.

use crate::alpha_beta::worker::Worker;
use crate::draws::Draws;
use crate::evaluator::Evaluator;
use crate::handler::Stop;
use crate::mcts::arena::{Arena, ROOT};
use crate::mcts::edges::Edges;
use crate::mcts::expansion::expand;
use crate::mcts::leaf::{self, Leaf};
use crate::mcts::line::Line;
use crate::mcts::node::{Gain, Node, fixed};
use crate::mcts::proof::{Proof, solve};
use crate::mcts::search_contempt::{INFINITE, draw};
use crate::mcts::selection::select;
use crate::mcts::settings::MctsSettings;
use crate::policy::Policy;
use crate::value::{MAX_PLY, Value};
use arrayvec::ArrayVec;

/// One thread that visits a tree.
pub struct Visitor<'a, E: Evaluator, P> {
    /// The tree.
    pub arena: &'a Arena,
    /// It makes moves and values leaves.
    pub worker: Worker<'a, E, P>,
    /// Where it stands.
    pub line: Line,
    /// How it searches.
    pub settings: MctsSettings,
    /// The seed of its draws.
    pub seed: u64,
    /// Does no other thread visit the tree?
    pub alone: bool,
}

/// The nodes of a visit, root first.
type Path<'a> = ArrayVec<&'a Node, { MAX_PLY + 2 }>;

impl<'a, E: Evaluator, P: Policy> Visitor<'a, E, P> {
    /// Makes the visit of this number, counted over all searches of the root.
    pub fn visit(&mut self, number: u64) -> Result<(), Stop> {
        let mut path = Path::new();
        let leaf = self.descend(number, &mut path);
        if !self.alone {
            path.iter().for_each(|node| node.end_visit());
        }
        let leaf = leaf?;
        self.back_up(&path, leaf);
        Ok(())
    }

    /// From the root to a leaf, whose value is found.
    fn descend(&mut self, number: u64, path: &mut Path<'a>) -> Result<Leaf, Stop> {
        let arena = self.arena;
        let mut draws = None;
        let mut node = arena.node(ROOT);
        for ply in 0.. {
            path.push(node);
            if !self.alone {
                node.begin_visit();
            }
            if ply > 0
                && let Some(proof) = node.proof()
            {
                return Ok(Leaf::proven(proof, self.drawn(ply)));
            }
            if node.visits() == 0 {
                return self.evaluate(ply);
            }
            if node.edges() == 0 {
                self.line.stand_at(&mut self.worker, ply);
                if ply >= MAX_PLY || self.worker.is_drawn(self.line.position(ply)) {
                    return self.evaluate(ply);
                }
                if !self.expand(node, ply) {
                    return Ok(Self::again(node));
                }
            }
            let edges = Edges::at(arena, node.edges());
            let Some(choice) = self.choose(node, edges, ply, &mut draws, number) else { return Ok(Self::again(node)) };
            let Some(child) = edges.child_or_allocate(arena, choice) else { return Ok(Self::again(node)) };
            self.line.follow(&mut self.worker, ply, choice, edges.mv(choice));
            node = child;
        }
        unreachable!("a line ends at the greatest ply at the latest")
    }

    /// The move to visit.
    #[inline]
    fn choose(
        &self,
        node: &Node,
        edges: Edges<'a>,
        ply: usize,
        draws: &mut Option<Draws>,
        number: u64,
    ) -> Option<usize> {
        let limit = self.settings.contempt_limit;
        if limit < INFINITE && ply % 2 == 1 && node.visits() > limit {
            let root = || self.line.position(0).key();
            let draws = draws.get_or_insert_with(|| Draws::of(self.seed, root(), number));
            if let Some(drawn) = draw(self.arena, edges, draws) {
                return Some(drawn);
            }
        }
        select(self.arena, node, edges)
    }

    /// Gives a node its moves; `false` if there is no room for them.
    fn expand(&mut self, node: &Node, ply: usize) -> bool {
        // Without room the priors need not be asked for.
        if self.arena.is_full() {
            return false;
        }
        let history = &self.worker.memory.moves;
        let (policy, position) = (self.worker.policy, self.line.position(ply));
        let Some(index) = expand(self.arena, policy, history, position, &[], |_| {}) else { return false };
        // If another thread was first, this list stays unused until the tree is cleared.
        node.offer_edges(index);
        true
    }

    /// The value of the leaf at a ply.
    fn evaluate(&mut self, ply: usize) -> Result<Leaf, Stop> {
        self.line.stand_at(&mut self.worker, ply);
        leaf::evaluate(&mut self.worker, self.settings.leaf, self.line.position(ply), ply)
    }

    /// The value of a node that cannot grow, or all of whose moves are proven: that of its visits so far.
    fn again(node: &Node) -> Leaf {
        Leaf { gain: Gain { value: fixed(node.value() as f32), draw: fixed(node.draw() as f32) }, proof: node.proof() }
    }

    /// The value of a draw for the side to move at a ply.
    fn drawn(&self, ply: usize) -> Value {
        let drawn = self.worker.draw_value(self.line.position(0));
        if ply.is_multiple_of(2) { drawn } else { -drawn }
    }

    /// Adds the value of a leaf to all nodes of its line; and what becomes proven by it, so that their means are those of the
    /// proofs.
    fn back_up(&mut self, path: &Path<'a>, leaf: Leaf) {
        let (mut gain, mut correction) = (leaf.gain, Gain::default());
        let mut is_new = leaf.proof.is_some();
        for (ply, node) in path.iter().enumerate().rev() {
            node.add_visit(gain.plus(correction), self.alone);
            if is_new {
                let proof = if ply + 1 == path.len() { leaf.proof } else { children_prove(self.arena, node) };
                is_new = proof.is_some() && proof != node.proof();
                if let (true, Some(proof)) = (is_new, proof) {
                    node.set_proof(Some(proof));
                    let exact = Leaf::proven(proof, self.drawn(ply)).gain;
                    correction = correction.plus(node.correct(exact));
                }
            }
            (gain, correction) = (gain.negated(), correction.negated());
        }
    }
}

/// What the children of an expanded node prove of it.
pub fn children_prove(arena: &Arena, node: &Node) -> Option<Proof> {
    let edges = Edges::at(arena, node.edges());
    let all = edges.visited(arena).count() == edges.len();
    solve(edges.visited(arena).map(|(child, _)| child.proof()), all)
}

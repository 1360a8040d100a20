//! What an episode teaches, by the kind of targets of a run.

use crate::data::episode::Episode;
use crate::data::example::Example;
use crate::targets::leaf_targets::LeafTargets;
use crate::targets::tree_targets::{of_roots, of_tree};
use crate::tasks::td_leaf::td_leaf_kinds::{Leaves, TargetKind};
use crate::tasks::td_leaf::td_leaf_options::Options;
use crate::tasks::values::values_options::Positions;

/// How examples are made of episodes.
#[derive(Debug, Clone, Copy)]
pub struct Targets {
    kind: TargetKind,
    leaf: LeafTargets,
    roots: Positions,
    searches: Leaves,
}

impl Targets {
    /// Those of the options.
    pub fn new(options: &Options) -> Self {
        let (kind, roots, searches) = (options.targets, options.tree_positions, options.leaves);
        Self { kind, leaf: LeafTargets::new(options), roots, searches }
    }

    /// What an episode teaches, each for the side to move of its position.
    pub fn examples(&self, episode: &Episode) -> Vec<Example> {
        let searches = if self.searches == Leaves::First { 1 } else { usize::MAX };
        let mut examples = Vec::new();
        if self.kind.has_leaves() {
            examples.extend(self.leaf.examples(&episode.steps));
        }
        if self.kind == TargetKind::Root {
            examples.extend(of_roots(episode, searches, self.roots));
        }
        if self.kind.has_trees() {
            examples.extend(episode.trees.iter().take(searches).flat_map(|tree| of_tree(tree)));
        }
        examples
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::episode::{Leaf, Step};
    use crate::data::tree_nodes::TreeNode;
    use board::Position;
    use search::Bound;

    #[test]
    fn each_kind_teaches_its_own() {
        let start = Position::start();
        let node = |target| TreeNode { position: start.clone(), target, bound: Bound::Lower, evaluation: None };
        let leaf = Some(Leaf { position: start.clone(), sign: 1.0 });
        let step = Step { value: 0.1, leaf, predicted: false };
        let mv = start.parse_uci("e2e4").unwrap();
        let reply = start.play(mv).parse_uci("e7e5").unwrap();
        let episode = Episode {
            moves: vec![mv, reply],
            steps: vec![step.clone(), step],
            trees: vec![vec![node(0.2), node(0.3)], vec![node(0.4)]],
            end: None,
            nodes: 0,
            start: start.clone(),
        };
        let taught = |targets, leaves| {
            let options = Options { targets, leaves, lambda: 0.0, ..Options::default() };
            let examples = Targets::new(&options).examples(&episode);
            examples.iter().map(|example| (example.target, example.bound)).collect::<Vec<_>>()
        };
        let (leaf, root, of_node) =
            ((0.1, None), |value| (value, Some(Bound::Exact)), |value| (value, Some(Bound::Lower)));
        let tree = [0.2, 0.3, 0.4].map(of_node);
        assert_eq!(taught(TargetKind::Leaf, Leaves::Every), [leaf; 2]);
        assert_eq!(taught(TargetKind::Root, Leaves::Every), [root(0.1), root(-0.1)]);
        assert_eq!(taught(TargetKind::Tree, Leaves::Every), tree);
        assert_eq!(taught(TargetKind::Mixed, Leaves::Every), [&[leaf; 2][..], &tree].concat());
        assert_eq!(taught(TargetKind::Root, Leaves::First), [root(0.1)]);
        assert_eq!(taught(TargetKind::Tree, Leaves::First), tree[..2]);
        assert_eq!(taught(TargetKind::Mixed, Leaves::First), [&[leaf][..], &tree[..2]].concat());
    }
}

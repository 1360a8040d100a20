//! Nodes of a policy's training from kept games: the roots of their tree searches, labeled by the visits of the root's moves, which
//! are that search's nodes below each move.
//!
//! A node has no hash move, killers or history: a tree search knows none at its root. The games are divided into training and
//! validation set as those whose positions are searched ([`is_validation`]).
// CITE: Silver et al., "Mastering the game of Go without human knowledge", Nature 550, 2017: the policy learns the visits' distribution.

use crate::data::game_subset::GameSubset;
use crate::data::kept_game::{GameError, TrainingGame};
use crate::data::node_source::is_validation;
use crate::data::policy_node::{LABELS, LABELS_MARK, Label, NODES, NODES_MARK, Node};
use crate::data::shard::{Shard, ShardError};
use crate::data::window::Shards;
use crate::run::lines::words_header;
use board::Position;
use search::{Budget, QuietHints};
use std::path::Path;
use support::journal::Journal;

/// The four files of a folder, which are written from their beginning: two of nodes, training and validation, and two of labels.
pub struct VisitedNodes {
    nodes: [Journal; 2],
    labels: [Journal; 2],
    seed: u64,
    /// Games so far.
    games: u64,
    /// Searches so far.
    searches: u64,
    /// The shards with damaged games, which are left out.
    pub damaged: Vec<ShardError>,
}

impl VisitedNodes {
    /// Opens or creates the files, which are empty then; `shards` are those of the games that follow.
    ///
    /// # Errors
    /// If the system refuses, or if a file was made of something else.
    pub fn open(
        nodes: [&Path; 2],
        labels: [&Path; 2],
        shards: &Shards,
        seed: u64,
        mixed: bool,
    ) -> anyhow::Result<Self> {
        let words = format!("seed={seed} visits={}", shards.fingerprint());
        let open = |path, header| {
            let mut file = Journal::open(path, &header, mixed, &mut |_| Ok(()))?;
            file.truncate(0)?;
            anyhow::Ok(file)
        };
        let nodes = nodes.map(|path| open(path, words_header(NODES, NODES_MARK, &words)));
        let labels = labels.map(|path| open(path, words_header(LABELS, LABELS_MARK, &words)));
        let ([training, validation], [training_labels, validation_labels]) = (nodes, labels);
        let (nodes, labels) = ([training?, validation?], [training_labels?, validation_labels?]);
        Ok(Self { nodes, labels, seed, games: 0, searches: 0, damaged: Vec::new() })
    }

    /// Training and validation nodes so far.
    pub fn lines(&self) -> [u64; 2] {
        [0, 1].map(|subset| self.nodes[subset].records())
    }

    /// Adds the games of a shard.
    ///
    /// # Errors
    /// If the shard cannot be read or the system refuses.
    pub fn add(&mut self, path: &Path) -> anyhow::Result<()> {
        let mut lines = [const { (Vec::new(), Vec::new()) }; 2];
        let mut games = 0;
        for (_, game) in Shard::load(path)?.games(GameSubset::All) {
            let number = self.games;
            self.games += 1;
            let mut found = Vec::new();
            if game.and_then(|game| nodes_of(&game, number, self.searches, &mut found)).is_err() {
                games += 1;
                continue;
            }
            self.searches += found.len() as u64;
            let (nodes, labels) = &mut lines[usize::from(is_validation(self.seed, number))];
            for (node, label) in found {
                labels.push(label.to_line(&node.position.legal_moves()));
                nodes.push(node.to_line());
            }
        }
        self.damaged.extend((games > 0).then(|| ShardError::Games { path: path.to_owned(), games }));
        for (subset, (nodes, labels)) in lines.iter().enumerate() {
            self.nodes[subset].append(nodes)?;
            self.labels[subset].append(labels)?;
        }
        Ok(())
    }
}

/// The positions of a game that have visits and a choice, and may be learned from.
fn nodes_of(
    game: &TrainingGame,
    number: u64,
    first_search: u64,
    found: &mut Vec<(Node, Label)>,
) -> Result<(), GameError> {
    let mut visits = game.visits.iter();
    game.replay(|played, ply| {
        let visits = visits.next().map_or(&[][..], Vec::as_slice);
        let position = played.position();
        if ply.labeled && !visits.is_empty() && position.legal_moves().len() > 1 {
            let label = label(position, visits, ply.value);
            let search = first_search + found.len() as u64;
            found.push((node(position, number, search, label.nodes.iter().sum()), label));
        }
    })
}

fn node(position: &Position, game: u64, search: u64, visits: u64) -> Node {
    let known = vec![QuietHints::default(); position.legal_moves().len()];
    let draft = Budget::new(visits as f32).depth();
    Node { search, game, draft, position: position.clone(), hash: None, known }
}

/// The visits as nodes of each legal move; the best is the first of those with the most.
fn label(position: &Position, visits: &[(board::Move, u16)], value: f32) -> Label {
    let of_move = |mv| visits.iter().find(|(other, _)| *other == mv).map_or(0, |(_, count)| u64::from(*count));
    let nodes: Vec<u64> = position.legal_moves().into_iter().map(of_move).collect();
    let most = nodes.iter().max().copied();
    let best = nodes.iter().position(|count| Some(*count) == most).unwrap_or(0);
    Label { best, value, nodes, second: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::data_set::shard_path;
    use crate::data::kept_game::TrainingPly;
    use crate::data::shard::ShardHeader;

    #[test]
    fn visits_become_the_nodes_of_each_move() {
        let start = Position::start();
        let mv = |text| start.parse_uci(text).unwrap();
        let reply = |text| start.play(mv("e2e4")).parse_uci(text).unwrap();
        let ply = |mv, labeled| TrainingPly { mv, value: 0.25, quiet: true, labeled, mate: false };
        let mut game = TrainingGame {
            start: start.clone(),
            result: 0,
            plies: vec![ply(mv("e2e4"), true), ply(reply("e7e5"), true), ply(mv("d2d4"), false)],
            visits: vec![vec![(mv("d2d4"), 500), (mv("e2e4"), 299)], vec![], vec![(mv("d2d4"), 7)]],
        };
        let mut found = Vec::new();
        nodes_of(&game, 5, 70, &mut found).unwrap();
        let [(node, label)] = &found[..] else { panic!("{found:?}") };
        assert_eq!((node.game, node.search, node.draft), (5, 70, Budget::new(799.0).depth()));
        assert_eq!((start.legal_moves()[label.best], label.value), (mv("d2d4"), 0.25));
        let nodes: Vec<(String, u64)> =
            start.legal_moves().iter().map(ToString::to_string).zip(label.nodes.iter().copied()).collect();
        let visited: Vec<_> = nodes.iter().filter(|(_, count)| *count > 0).collect();
        assert_eq!(visited.len(), 2);
        assert!(nodes.contains(&("e2e4".to_owned(), 299)) && nodes.contains(&("d2d4".to_owned(), 500)));
        // As a file has them.
        assert_eq!(Node::from_line(&node.to_line()).unwrap(), *node);
        assert_eq!(Label::from_line(&label.to_line(&start.legal_moves()), &start.legal_moves()).unwrap(), *label);
        game.visits.clear();
        let mut none = Vec::new();
        nodes_of(&game, 5, 70, &mut none).unwrap();
        assert!(none.is_empty());
        // A position without a choice has nothing to learn.
        let one_move = Position::from_fen("k7/8/1K6/8/8/8/8/2R5 b - - 0 1").unwrap();
        let mv = one_move.legal_moves()[0];
        let (plies, visits) = (vec![ply(mv, true)], vec![vec![(mv, 9)]]);
        nodes_of(&TrainingGame { start: one_move, result: 0, plies, visits }, 5, 70, &mut none).unwrap();
        assert!(none.is_empty());
    }

    #[test]
    fn games_of_shards_fill_the_four_files_with_numbers_of_their_own() {
        let parent = tempfile::tempdir().unwrap();
        let kept = parent.path().join("kept");
        std::fs::create_dir(&kept).unwrap();
        let start = Position::start();
        let mv = |text| start.parse_uci(text).unwrap();
        let reply = start.play(mv("e2e4")).parse_uci("e7e5").unwrap();
        let ply = |mv| TrainingPly { mv, value: 1.0, quiet: true, labeled: true, mate: true };
        let plies = vec![ply(mv("e2e4")), ply(reply)];
        let visits = vec![vec![(mv("e2e4"), 30), (mv("d2d4"), 40)], vec![(reply, 50)]];
        let game = TrainingGame { start: start.clone(), result: 0, plies, visits };
        let header = ShardHeader { seed: 3, first_game: 0, spec: Vec::new() };
        let write = |number, bytes: &[u8]| std::fs::write(shard_path(&kept, number), bytes).unwrap();
        let mut damaged = Shard::encode(&header, &vec![game.clone(); 10]);
        // The last byte of the last game.
        let last = damaged.len() - 20 - 4 * 10 - 1;
        damaged[last] ^= 1;
        write(0, &damaged);
        write(1, &Shard::encode(&header, &vec![game; 10]));
        let shards = Shards::of(&[kept]).unwrap();
        let [nodes, labels] = ["nodes", "labels"]
            .map(|kind| ["training", "validation"].map(|subset| parent.path().join(format!("{subset}.{kind}"))));
        let open = || {
            let [nodes, labels] = [&nodes, &labels].map(|paths| [&*paths[0], &*paths[1]]);
            VisitedNodes::open(nodes, labels, &shards, 5, false).unwrap()
        };
        let mut visited = open();
        for path in shards.paths() {
            visited.add(path).unwrap();
        }
        let said: Vec<String> = visited.damaged.iter().map(ToString::to_string).collect();
        assert_eq!(said.len(), 1);
        assert!(said[0].contains("games-000000.okapi has 1 damaged game;"), "{said:?}");
        let lines = visited.lines();
        drop(visited);
        let read = |path: &Path| std::fs::read_to_string(path).unwrap();
        let mut found = Vec::new();
        for subset in [0, 1] {
            let [nodes, labels] = [read(&nodes[subset]), read(&labels[subset])];
            assert_eq!(labels.lines().count() as u64, 1 + lines[subset]);
            let of_game = ["d2d4\t1\t", "e7e5\t1\t"].into_iter().cycle();
            assert!(labels.lines().skip(1).zip(of_game).all(|(line, label)| line.starts_with(label)), "{labels}");
            let nodes: Vec<Node> = nodes.lines().skip(1).map(|line| Node::from_line(line).unwrap()).collect();
            assert_eq!(nodes.len() as u64, lines[subset]);
            assert!(nodes.iter().all(|node| is_validation(5, node.game) == (subset == 1)));
            found.extend(nodes.into_iter().map(|node| (node.game, node.search)));
        }
        // Game 9 is damaged: it has a number, but no search.
        found.sort_unstable();
        let numbers = (0..9).chain(10..20).zip(0..);
        let expected: Vec<(u64, u64)> = numbers.flat_map(|(game, n)| [(game, 2 * n), (game, 2 * n + 1)]).collect();
        assert_eq!(found, expected);
        assert!(lines[0] > lines[1] && lines[1] > 0, "{lines:?}");
        // Opened again they are empty.
        assert_eq!(open().lines(), [0, 0]);
    }
}

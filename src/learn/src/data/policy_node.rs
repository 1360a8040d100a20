//! An internal node of a search with its ordering hints, and its label, each as a line of text.
//!
//! A node's line has seven fields with tabs between: number of the search it comes from; number of that search's game;
//! draft of its budget ([`Budget::depth`](search::budget::Budget::depth)); FEN (Chess960's castling letters); the
//! hash move or `-`; killers, with commas between, or `-`; and the history of every legal move in their order, with
//! commas between, 0 for those that are not quiet. Moves are written as by UCI for Chess960.
//!
//! A label's line has three: the best move; its value for the side to move, -1 to 1; and the nodes that the search spent
//! on each legal move, with commas between. Where the other moves were searched again, a fourth has the value of their best.

use anyhow::{Context, ensure};
use board::see::OpponentAttacks;
use board::{Move, MoveList, Position};
use search::ScoredMove;
use search::{QuietHints, ScoredMoves};

/// What a file of nodes is called in messages.
pub const NODES: &str = "a file of nodes";
/// How a file of nodes begins: its format's name and version.
pub const NODES_MARK: &str = "okapi nodes 5 ";
/// What a file of labels is called in messages.
pub const LABELS: &str = "a file of labels";
/// How a file of labels begins.
pub const LABELS_MARK: &str = "okapi labels 2 ";

/// An internal node.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// The number of the search that it comes from, from 0.
    pub search: u64,
    /// The number of the game that the root of that search is from, from 0.
    pub game: u64,
    /// The logarithm of its budget, rounded: a depth equivalent.
    pub draft: u8,
    /// The position; it has at least two legal moves.
    pub position: Position,
    /// The hash move, one of the legal moves.
    pub hash: Option<Move>,
    /// `(legal move)`: what the search knew of it.
    pub known: Vec<QuietHints>,
}

/// The result of a deeper search.
#[derive(Debug, Clone, PartialEq)]
pub struct Label {
    /// The index of the best move among the legal moves.
    pub best: usize,
    /// Its value, -1 to 1.
    pub value: f32,
    /// `(legal move)`: the nodes spent on it.
    pub nodes: Vec<u64>,
    /// The value of the best of the other moves, -1 to 1, by a search without the best move.
    pub second: Option<f32>,
}

impl Node {
    /// The node of a search that asks its policy about these candidates.
    pub fn of(search: u64, game: u64, draft: u8, position: &Position, candidates: &[ScoredMove]) -> Self {
        let find = |mv: Move| candidates.iter().find(|candidate| candidate.mv == mv);
        let hash = candidates.iter().find(|candidate| candidate.kind == search::MoveKind::Hash);
        let known =
            position.legal_moves().iter().map(|mv| find(*mv).map_or(QuietHints::default(), QuietHints::of)).collect();
        Self { search, game, draft, position: position.clone(), hash: hash.map(|hash| hash.mv), known }
    }

    /// The node's legal moves in the order of their generation, as the search had them, with the hash move or as if there
    /// were none.
    pub fn candidates(&self, with_hash: bool) -> ScoredMoves {
        let hash = self.hash.filter(|_| with_hash);
        let safety = OpponentAttacks::of(&self.position);
        let (mut candidates, mut known) = (ScoredMoves::new(), self.known.iter());
        self.position.for_each_legal_move(|piece, mv| {
            let known = known.next().expect("every legal move has an entry");
            candidates.push(known.scored_move(&self.position, &safety, piece, mv, hash == Some(mv)));
        });
        candidates
    }

    /// The line.
    pub fn to_line(&self) -> String {
        let moves = self.position.legal_moves();
        let killers: Vec<_> =
            moves.iter().zip(&self.known).filter(|(_, known)| known.killer).map(|(mv, _)| mv.to_string()).collect();
        let history: Vec<_> = self.known.iter().map(|known| known.history.to_string()).collect();
        format!(
            "{}\t{}\t{}\t{}\t{}\t{}\t{}",
            self.search,
            self.game,
            self.draft,
            self.position.to_fen(true),
            self.hash.map_or("-".to_owned(), |mv| mv.to_string()),
            if killers.is_empty() { "-".to_owned() } else { killers.join(",") },
            history.join(",")
        )
    }

    /// Reads [`Node::to_line`].
    ///
    /// # Errors
    /// If the text is no node's.
    pub fn from_line(line: &str) -> anyhow::Result<Self> {
        let fields: Vec<&str> = line.split('\t').collect();
        let [search, game, draft, fen, hash, killers, history] = fields[..] else {
            anyhow::bail!("a node has seven fields, not {}", fields.len());
        };
        let position = Position::from_fen(fen)?;
        let moves = position.legal_moves();
        let hash = if hash == "-" { None } else { Some(moves[find(&moves, hash)?]) };
        let mut known = Vec::with_capacity(moves.len());
        for history in history.split(',') {
            let history = history.parse().with_context(|| format!("{history:?} is no history"))?;
            known.push(QuietHints { history, killer: false });
        }
        ensure!(known.len() == moves.len(), "{} histories for {} moves", known.len(), moves.len());
        for killer in killers.split(',').filter(|killer| *killer != "-") {
            known[find(&moves, killer)?].killer = true;
        }
        Ok(Self { search: search.parse()?, game: game.parse()?, draft: draft.parse()?, position, hash, known })
    }
}

impl Label {
    /// The line; `moves` are the legal moves of the label's node.
    pub fn to_line(&self, moves: &MoveList) -> String {
        let nodes: Vec<_> = self.nodes.iter().map(u64::to_string).collect();
        let second = self.second.map_or(String::new(), |second| format!("\t{second}"));
        format!("{}\t{}\t{}{second}", moves[self.best], self.value, nodes.join(","))
    }

    /// Reads [`Label::to_line`].
    ///
    /// # Errors
    /// If the text is no label of a node with these legal moves.
    pub fn from_line(line: &str, moves: &MoveList) -> anyhow::Result<Self> {
        let fields: Vec<&str> = line.split('\t').collect();
        let (best, value, nodes, second) = match fields[..] {
            [best, value, nodes] => (best, value, nodes, None),
            [best, value, nodes, second] => (best, value, nodes, Some(second.parse()?)),
            _ => anyhow::bail!("a label has three or four fields, not {}", fields.len()),
        };
        let nodes = nodes.split(',').map(str::parse).collect::<Result<Vec<u64>, _>>()?;
        ensure!(nodes.len() == moves.len(), "{} numbers of nodes for {} moves", nodes.len(), moves.len());
        Ok(Self { best: find(moves, best)?, value: value.parse()?, nodes, second })
    }
}

fn find(moves: &MoveList, text: &str) -> anyhow::Result<usize> {
    moves.iter().position(|mv| mv.to_string() == text).with_context(|| format!("{text:?} is not one of the moves"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::streams::stream;
    use board::random_positions::RandomPositions;

    #[test]
    fn lines_go_there_and_back() {
        let mut games = RandomPositions::new(stream(5, 5, 5));
        for search in 0..300 {
            let position = games.next_position().clone();
            let moves = position.legal_moves();
            let known = |n: usize| QuietHints { history: n as i16 * 7 - 90, killer: n % 5 == 3 };
            let hash = (search % 3 == 0).then(|| moves[moves.len() / 2]);
            let known = (0..moves.len()).map(known).collect();
            let node = Node { search, game: search / 2, draft: 17, position, hash, known };
            assert_eq!(Node::from_line(&node.to_line()).unwrap(), node);
            let nodes = (0..moves.len() as u64).collect();
            let second = (search % 2 == 0).then_some(-0.25);
            let label = Label { best: moves.len() - 1, value: -0.123_456_79, nodes, second };
            assert_eq!(Label::from_line(&label.to_line(&moves), &moves).unwrap(), label);
            assert_eq!(node.candidates(true).len(), moves.len());
        }
        for bad in ["", "1\t2\t3", "1\t1\t1\t8/8/8/8/8/8/8/8 w - - 0 1\t-\t-\t0"] {
            assert!(Node::from_line(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_node_has_what_the_search_knew_of_its_moves() {
        let position = Position::start();
        let moves = position.legal_moves();
        let mut known = vec![QuietHints::default(); moves.len()];
        (known[2].history, known[4].killer) = (77, true);
        let node = Node { search: 3, game: 1, draft: 9, position: position.clone(), hash: Some(moves[5]), known };
        // In another order, and without one of the moves.
        let mut candidates = node.candidates(true).to_vec();
        candidates.remove(0);
        candidates.reverse();
        assert_eq!(Node::of(3, 1, 9, &position, &candidates), node);
        let without = Node { hash: None, ..node.clone() };
        assert_eq!(Node::of(3, 1, 9, &position, &node.candidates(false)), without);
        let hashes = |with_hash| {
            let is_hash = |scored: &&ScoredMove| scored.kind == search::MoveKind::Hash;
            node.candidates(with_hash).iter().filter(is_hash).map(|scored| scored.mv).collect::<Vec<_>>()
        };
        assert_eq!((hashes(true), hashes(false)), (vec![moves[5]], vec![]));
        let history = format!("0,0,77{}", ",0".repeat(17));
        let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1";
        assert_eq!(node.to_line(), format!("3\t1\t9\t{fen}\t{}\t{}\t{history}", moves[5], moves[4]));
        let label = Label { best: 5, value: 0.5, nodes: vec![2; 20], second: Some(-0.25) };
        let line = format!("{}\t0.5\t2{}\t-0.25", moves[5], ",2".repeat(19));
        assert_eq!(label.to_line(&moves), line);
        let wrong = |line: &str| Label::from_line(line, &moves).unwrap_err().to_string();
        assert_eq!(wrong("e2e4\t0.5\t2,2"), "2 numbers of nodes for 20 moves");
        assert_eq!(wrong(&line.replace(&moves[5].to_string(), "e2e5")), "\"e2e5\" is not one of the moves");
        assert_eq!(wrong("e2e4"), "a label has three or four fields, not 1");
        let wrong = Node::from_line(&node.to_line().replace("0,0,77", "0,77")).unwrap_err().to_string();
        assert_eq!(wrong, "19 histories for 20 moves");
    }
}

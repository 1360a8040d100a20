//! Mirroring: where castling is no longer possible, a labeled node with left and right exchanged is another example.
//!
//! CITE: the augmentation by symmetry of Silver et al. 2016, Mastering the game of Go with deep neural networks and tree
//! search; chess without castling has this one symmetry.

use crate::data::labeled_nodes::Example;
use crate::data::policy_node::Node;
use board::Move;

/// The example with left and right exchanged; `None` where castling is still possible.
pub fn mirrored(example: &Example) -> Option<Example> {
    let Example { node, best, fractions, .. } = example;
    let position = node.position.mirror_files()?;
    // Moves are generated in another order there: `(its legal move)`: the move's index here.
    let here = node.position.legal_moves();
    let places: Vec<usize> = position.legal_moves().iter().map(|mv| place(&here, turned(*mv))).collect();
    let best = places.iter().position(|place| place == best).expect("as many moves as before");
    let fractions = places.iter().map(|place| fractions[*place]).collect();
    let known = places.iter().map(|place| node.known[*place]).collect();
    let node = Node { position, hash: node.hash.map(turned), known, ..*node };
    Some(Example { node, best, fractions, ..*example })
}

fn turned(mv: Move) -> Move {
    Move { from: mv.from.flip_file(), to: mv.to.flip_file(), ..mv }
}

fn place(moves: &[Move], mv: Move) -> usize {
    moves.iter().position(|other| *other == mv).expect("the mirror of a legal move is legal")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::streams::stream;
    use board::Position;
    use board::random_positions::RandomPositions;
    use search::QuietHints;

    fn example(position: Position) -> Example {
        let moves = position.legal_moves();
        let known =
            (0..moves.len()).map(|index| QuietHints { history: index as i16, killer: index % 3 == 0 }).collect();
        let fractions = (0..moves.len()).map(|index| index as f32).collect();
        let (hash, best) = (moves.last().copied(), moves.len() / 2);
        Example {
            node: Node { search: 1, game: 2, draft: 17, position, hash, known },
            best,
            fractions,
            regret: Some(0.5),
            weight: 1.0,
        }
    }

    #[test]
    fn each_move_keeps_what_is_known_of_it_and_twice_is_as_before() {
        let mut games = RandomPositions::new(stream(1, 2, 3));
        let mut mirrors = 0;
        for _ in 0..3_000 {
            let position = games.next_position().clone();
            if position.legal_moves().is_empty() {
                continue;
            }
            let before = example(position);
            let Some(after) = mirrored(&before) else { continue };
            mirrors += 1;
            assert_eq!(after.best_move(), turned(before.best_move()));
            let (old, new) = (before.node.candidates(true), after.node.candidates(true));
            for (index, candidate) in new.iter().enumerate() {
                let place = old.iter().position(|other| other.mv == turned(candidate.mv)).unwrap();
                let other = old[place];
                let parts = |it: search::ScoredMove| (it.kind, it.order, it.history, it.killer);
                assert_eq!(parts(*candidate), parts(other), "{}", before.node.position.to_fen(false));
                assert!(after.fractions[index] == before.fractions[place]);
            }
            let again = mirrored(&after).unwrap();
            assert!(again.node == before.node && again.best == before.best && again.fractions == before.fractions);
        }
        assert!(mirrors > 500, "{mirrors}");
    }

    #[test]
    fn castling_has_no_mirror() {
        let castles = "r3k3/8/8/8/8/8/8/4K3 w q - 0 1";
        assert!(mirrored(&example(Position::from_fen(castles).unwrap())).is_none());
        let en_passant = "4k3/8/8/1pP5/8/8/8/4K3 w - b6 0 1";
        let mirror = mirrored(&example(Position::from_fen(en_passant).unwrap())).unwrap();
        assert_eq!(mirror.node.position.to_fen(false), "3k4/8/8/5Pp1/8/8/8/3K4 w - g6 0 1");
    }
}

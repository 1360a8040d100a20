//! An episode as bytes, exact to the bit, for another process: positions as FEN, as in checkpoints, floats by their bits. The byte before an
//! episode is the version of its form.

use crate::data::episode::{Episode, Leaf, Step};
use crate::data::tree_nodes::{TreeNode, bound_of, sign_of};
use board::{Move, Piece, Position, Square};

/// The episodes of a rank with their indices, each of them or why it failed.
pub type Indexed = (usize, Result<Episode, String>);

/// Appends an episode and its index.
pub fn encode((index, episode): &Indexed, to: &mut Vec<u8>) {
    put(to, *index as u64);
    match episode {
        Err(why) => {
            to.push(FAILED);
            put_text(to, why);
        }
        Ok(Episode { start, moves, steps, trees, end, nodes }) => {
            to.push(VERSION);
            put_position(to, Some(start));
            put(to, moves.len() as u64);
            for mv in moves {
                to.extend([mv.from as u8, mv.to as u8, mv.promotion.map_or(NONE, |piece| piece as u8)]);
            }
            put(to, steps.len() as u64);
            for Step { value, leaf, predicted } in steps {
                to.extend(value.to_bits().to_le_bytes());
                to.push((*predicted).into());
                put_position(to, leaf.as_ref().map(|leaf| &leaf.position));
                to.extend(leaf.as_ref().map_or(0.0, |leaf| leaf.sign).to_bits().to_le_bytes());
            }
            put(to, trees.len() as u64);
            for nodes in trees {
                put(to, nodes.len() as u64);
                nodes.iter().for_each(|node| put_tree_node(to, node));
            }
            put_position(to, end.as_ref());
            put(to, *nodes);
        }
    }
}

/// Reads episodes until the bytes end; `None` for anything else.
pub fn decode(mut from: &[u8]) -> Option<Vec<Indexed>> {
    let mut episodes = Vec::new();
    while !from.is_empty() {
        let index = number(&mut from)? as usize;
        let episode = match byte(&mut from)? {
            FAILED => Err(text(&mut from)?.to_owned()),
            VERSION => Ok(episode(&mut from)?),
            _ => return None,
        };
        episodes.push((index, episode));
    }
    Some(episodes)
}

/// The version of an episode's form: 2 has nodes of trees. 0 is no episode.
const VERSION: u8 = 2;
const FAILED: u8 = 0;
const NONE: u8 = u8::MAX;

fn episode(from: &mut &[u8]) -> Option<Episode> {
    let start = position(from)??;
    let moves = (0..number(from)?).map(|_| mv(from)).collect::<Option<_>>()?;
    let steps = (0..number(from)?).map(|_| step(from)).collect::<Option<_>>()?;
    let trees = (0..number(from)?).map(|_| tree(from)).collect::<Option<_>>()?;
    Some(Episode { start, moves, steps, trees, end: position(from)?, nodes: number(from)? })
}

fn mv(from: &mut &[u8]) -> Option<Move> {
    let [start, to, promotion] = [byte(from)?, byte(from)?, byte(from)?];
    let square = |number: u8| Square::ALL.get(usize::from(number)).copied();
    let promotion = if promotion == NONE { None } else { Some(*Piece::ALL.get(usize::from(promotion))?) };
    Some(Move { from: square(start)?, to: square(to)?, promotion })
}

fn step(from: &mut &[u8]) -> Option<Step> {
    let (value, predicted, position, sign) = (float(from)?, byte(from)? != 0, position(from)?, float(from)?);
    Some(Step { value, leaf: position.map(|position| Leaf { position, sign }), predicted })
}

fn tree(from: &mut &[u8]) -> Option<Vec<TreeNode>> {
    (0..number(from)?).map(|_| tree_node(from)).collect()
}

fn tree_node(from: &mut &[u8]) -> Option<TreeNode> {
    let (position, target, bound) = (position(from)??, float(from)?, bound_of(char::from(byte(from)?))?);
    let evaluation = if byte(from)? == 0 { None } else { Some(float(from)?) };
    Some(TreeNode { position, target, bound, evaluation })
}

fn put_tree_node(to: &mut Vec<u8>, TreeNode { position, target, bound, evaluation }: &TreeNode) {
    put_position(to, Some(position));
    to.extend(target.to_bits().to_le_bytes());
    // A sign is one byte of ASCII.
    to.extend([sign_of(*bound) as u8, evaluation.is_some().into()]);
    to.extend(evaluation.iter().flat_map(|value| value.to_bits().to_le_bytes()));
}

fn put(to: &mut Vec<u8>, number: u64) {
    to.extend(number.to_le_bytes());
}

fn put_text(to: &mut Vec<u8>, text: &str) {
    put(to, text.len() as u64);
    to.extend(text.as_bytes());
}

fn put_position(to: &mut Vec<u8>, position: Option<&Position>) {
    put_text(to, &position.map_or(String::new(), |position| position.to_fen(true)));
}

fn take<'a>(from: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (taken, rest) = from.split_at_checked(length)?;
    *from = rest;
    Some(taken)
}

fn byte(from: &mut &[u8]) -> Option<u8> {
    Some(take(from, 1)?[0])
}

fn number(from: &mut &[u8]) -> Option<u64> {
    Some(u64::from_le_bytes(take(from, 8)?.try_into().ok()?))
}

fn float(from: &mut &[u8]) -> Option<f32> {
    Some(f32::from_bits(u32::from_le_bytes(take(from, 4)?.try_into().ok()?)))
}

fn text<'a>(from: &mut &'a [u8]) -> Option<&'a str> {
    let length = number(from)?;
    std::str::from_utf8(take(from, length.try_into().ok()?)?).ok()
}

/// A position, or none.
fn position(from: &mut &[u8]) -> Option<Option<Position>> {
    let fen = text(from)?;
    if fen.is_empty() { Some(None) } else { Some(Some(Position::from_fen(fen).ok()?)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use search::Bound;

    #[test]
    fn episodes_come_back_and_what_is_cut_does_not() {
        let start = Position::start();
        let moves: Vec<Move> = start.legal_moves().iter().copied().take(3).collect();
        let end = start.play(moves[0]);
        let leaf = Some(Leaf { position: end.clone(), sign: -1.0 });
        let steps =
            vec![Step { value: 0.1, leaf, predicted: true }, Step { value: -0.0, leaf: None, predicted: false }];
        let promotion = Move { from: Square::A7, to: Square::A8, promotion: Some(Piece::Knight) };
        let node = |bound, evaluation| TreeNode { position: end.clone(), target: 0.3, bound, evaluation };
        let trees = vec![
            vec![node(Bound::Lower, Some(-0.1)), node(Bound::Exact, None)],
            vec![],
            vec![node(Bound::Upper, None)],
        ];
        let moves = [moves, vec![promotion]].concat();
        let played = Episode { start, moves, steps, trees, end: Some(end), nodes: 1 << 40 };
        let ended = Episode { end: None, ..played.clone() };
        let all = [(7, Ok(played)), (0, Err("it failed".to_owned())), (9, Ok(ended))];
        let mut bytes = Vec::new();
        all.iter().for_each(|episode| encode(episode, &mut bytes));
        assert_eq!(decode(&bytes).unwrap(), all);
        for length in 1..bytes.len() {
            assert!(decode(&bytes[..length]).is_none_or(|found| found.len() < 3), "{length}");
        }
        // The byte behind the first index.
        bytes[8] = VERSION + 1;
        assert!(decode(&bytes).is_none(), "another version");
    }
}

//! One game of self-play as bytes: the start position, then five bytes per ply, and what a tree search visited.
//!
//! | bytes | content, little-endian |
//! |---|---|
//! | 1 | length of the start position's text |
//! | … | the start position as FEN, castling rights by files (Shredder-FEN) |
//! | 1 | result for White: 0 lost, 1 drawn, 2 won |
//! | 2 | number of plies |
//! | 5 per ply | move (2), value (2), flags (1) |
//! | ... | of a Monte-Carlo tree search, for each ply: number of moves (2); for each of these move (2), visits (2) |
//! | 4 | CRC-32 of the bytes before |
//!
//! A move is `from + 64 to + 4096 promotion` (squares a1 = 0 to h8 = 63, king-takes-rook castling; promotion 0 none,
//! 1 knight to 4 queen). Flags: 1 quiet, 2 labeled, 4 mate. A value is for the side to move: the value in [-1, 1] times 32,767, rounded.
//! Visits are halved together until each has room in 16 bits. A ply whose move came from no search has none.

use board::{Game, Move, Piece, Position, Square};

/// The largest stored value: 1.0.
const VALUE_SCALE: f32 = 32_767.0;
/// The flag of a ply whose position is quiet.
const QUIET: u8 = 1;
/// The flag of a ply whose position has a value to learn.
const LABELED: u8 = 2;
/// The flag of a ply whose value is a proven mate.
const MATE: u8 = 4;
/// Bytes of a ply.
const PLY_BYTES: usize = 5;
/// Bytes of result and number of plies.
const COUNT_BYTES: usize = 3;
/// Bytes of the checksum.
const CHECKSUM_BYTES: usize = 4;
/// The pieces of a promotion, from code 1 on.
const PROMOTIONS: [Piece; 4] = [Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen];

/// A ply of a kept game: a position, as it follows from the plies before, and what the search found there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrainingPly {
    /// The move that was played.
    pub mv: Move,
    /// The search's value for the side to move, in [-1, 1]; a mate is -1 or 1.
    pub value: f32,
    /// Not in check, and the best move neither captures nor promotes.
    pub quiet: bool,
    /// The value may be learned: the move came from a search, and the position is not excluded from learning.
    pub labeled: bool,
    /// The value is a proven mate.
    pub mate: bool,
}

/// A kept game.
#[derive(Debug, Clone, PartialEq)]
pub struct TrainingGame {
    /// The first position.
    pub start: Position,
    /// The result for White: -1, 0 or 1.
    pub result: i8,
    /// The plies, in order; every move is legal where it is played.
    pub plies: Vec<TrainingPly>,
    /// `(ply)`: the moves that the search visited, which are legal there, with their visits; empty where there was no tree search.
    pub visits: Vec<Visits>,
}

/// The moves that a tree search visited at its root, with their visits.
pub type Visits = Vec<(Move, u16)>;

/// What is wrong with the bytes of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum GameError {
    /// The bytes end too early, or the checksum does not fit them.
    #[error("the record is damaged (its checksum is wrong)")]
    Checksum,
    /// The start position is no position.
    #[error("the start position cannot be read")]
    Start,
    /// The result is none of the three.
    #[error("the result is unknown")]
    Result,
    /// The move of this ply, from 1, is not legal.
    #[error("the move of ply {0} is not legal")]
    Move(usize),
    /// A move that was visited at this ply, from 1, is not legal.
    #[error("a move that was visited at ply {0} is not legal")]
    Visited(usize),
}

impl TrainingGame {
    /// Appends the record to `bytes`.
    ///
    /// # Panics
    /// If the game has more than 65,535 plies, or visits of some of them alone.
    pub fn encode(&self, bytes: &mut Vec<u8>) {
        let begin = bytes.len();
        let start = self.start.to_fen(true);
        bytes.push(u8::try_from(start.len()).expect("a FEN has at most some 90 characters"));
        bytes.extend(start.as_bytes());
        bytes.push((self.result + 1) as u8);
        bytes.extend(u16::try_from(self.plies.len()).expect("a game is cut off long before").to_le_bytes());
        for ply in &self.plies {
            bytes.extend(encode_move(ply.mv).to_le_bytes());
            bytes.extend(((ply.value * VALUE_SCALE).round() as i16).to_le_bytes());
            bytes.push(u8::from(ply.quiet) * QUIET + u8::from(ply.labeled) * LABELED + u8::from(ply.mate) * MATE);
        }
        assert!(self.visits.is_empty() || self.visits.len() == self.plies.len(), "visits of every ply or of none");
        for visits in &self.visits {
            bytes.extend((visits.len() as u16).to_le_bytes());
            bytes.extend(visits.iter().flat_map(|(mv, count)| [encode_move(*mv), *count]).flat_map(u16::to_le_bytes));
        }
        let checksum = crc32fast::hash(&bytes[begin..]);
        bytes.extend(checksum.to_le_bytes());
    }

    /// Reads the record that is all of `bytes`; legality of the moves is [`replay`](Self::replay)'s to check.
    ///
    /// # Errors
    /// If the bytes are damaged or say something impossible.
    pub fn decode(bytes: &[u8]) -> Result<Self, GameError> {
        let body = bytes.len().checked_sub(CHECKSUM_BYTES).ok_or(GameError::Checksum)?;
        let (body, checksum) = bytes.split_at(body);
        if crc32fast::hash(body).to_le_bytes() != *checksum {
            return Err(GameError::Checksum);
        }
        let (&length, body) = body.split_first().ok_or(GameError::Checksum)?;
        let (start, body) = body.split_at_checked(usize::from(length)).ok_or(GameError::Start)?;
        let start = std::str::from_utf8(start).ok().and_then(|text| Position::from_fen(text).ok());
        let start = start.ok_or(GameError::Start)?;
        let (head, plies) = body.split_at_checked(COUNT_BYTES).ok_or(GameError::Result)?;
        let result = match head[0] {
            result @ 0..=2 => result as i8 - 1,
            _ => return Err(GameError::Result),
        };
        let count = usize::from(u16::from_le_bytes([head[1], head[2]]));
        let (plies, rest) = plies.split_at_checked(count * PLY_BYTES).ok_or(GameError::Checksum)?;
        let visits = if rest.is_empty() { Vec::new() } else { decode_visits(rest, count)? };
        let plies = plies.chunks_exact(PLY_BYTES).enumerate().map(|(index, ply)| {
            let mv = decode_move(u16::from_le_bytes([ply[0], ply[1]])).ok_or(GameError::Move(index + 1))?;
            let value = f32::from(i16::from_le_bytes([ply[2], ply[3]])) / VALUE_SCALE;
            let flag = |flag| ply[4] & flag != 0;
            Ok(TrainingPly { mv, value, quiet: flag(QUIET), labeled: flag(LABELED), mate: flag(MATE) })
        });
        Ok(Self { start, result, plies: plies.collect::<Result<_, _>>()?, visits })
    }

    /// Plays the game again and hands every position with its ply to `visit`.
    ///
    /// # Errors
    /// If a move that was played or visited is not legal where it stands.
    pub fn replay(&self, mut visit: impl FnMut(&Game, &TrainingPly)) -> Result<(), GameError> {
        let mut game = Game::new(self.start.clone());
        for (index, ply) in self.plies.iter().enumerate() {
            if !game.position().is_legal(ply.mv) {
                return Err(GameError::Move(index + 1));
            }
            let mut visited = self.visits.get(index).into_iter().flatten();
            if !visited.all(|(mv, _)| game.position().is_legal(*mv)) {
                return Err(GameError::Visited(index + 1));
            }
            visit(&game, ply);
            game.play(ply.mv);
        }
        Ok(())
    }
}

/// The visits of so many plies, which are all of `bytes`.
fn decode_visits(bytes: &[u8], plies: usize) -> Result<Vec<Visits>, GameError> {
    let mut numbers = bytes.chunks(2).map(|pair| Some(u16::from_le_bytes(pair.try_into().ok()?)));
    let mut next = || numbers.next().flatten().ok_or(GameError::Checksum);
    let mut all = Vec::with_capacity(plies);
    for ply in 1..=plies {
        let mut visits = Visits::new();
        for _ in 0..next()? {
            visits.push((decode_move(next()?).ok_or(GameError::Visited(ply))?, next()?));
        }
        all.push(visits);
    }
    if numbers.next().is_some() { Err(GameError::Checksum) } else { Ok(all) }
}

fn encode_move(mv: Move) -> u16 {
    let promotion = mv.promotion.and_then(|piece| PROMOTIONS.iter().position(|&other| other == piece));
    mv.from as u16 | (mv.to as u16) << 6 | promotion.map_or(0, |code| code as u16 + 1) << 12
}

fn decode_move(code: u16) -> Option<Move> {
    let square = |number: u16| Square::index(usize::from(number & 63));
    let promotion = match code >> 12 {
        0 => None,
        promotion => Some(*PROMOTIONS.get(usize::from(promotion) - 1)?),
    };
    Some(Move { from: square(code), to: square(code >> 6), promotion })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// The game of these moves, which Black wins; every second position is quiet, every third labeled.
    pub(crate) fn game(fen: &str, moves: &str) -> TrainingGame {
        let start = Position::from_fen(fen).unwrap();
        let mut position = start.clone();
        let plies = moves.split_whitespace().enumerate().map(|(index, text)| {
            let mv = position.parse_uci(text).unwrap();
            position = position.play(mv);
            let value = [0.25, -1.0, 1.0, -0.000_1][index % 4];
            TrainingPly { mv, value, quiet: index % 2 == 0, labeled: index % 3 == 0, mate: value == 1.0 }
        });
        let plies = plies.collect();
        TrainingGame { start, result: -1, plies, visits: Vec::new() }
    }

    /// Games with castling, en passant and promotions to every piece, and one from a Chess960 start.
    fn games() -> Vec<TrainingGame> {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        vec![
            game(start, "e2e4 a7a6 e4e5 d7d5 e5d6 e8d7 g1f3 d7c6 f1e2 c6b6 e1h1"),
            game("8/PPPPk3/8/8/8/8/4Kppp/8 w - - 3 40", "a7a8q g2g1n e2f1 h2h1b b7b8r"),
            game("bqrknnrb/pppppppp/8/8/8/8/PPPPPPPP/BQRKNNRB w GCgc - 0 1", "e1d3 e8d6 d1c1"),
            TrainingGame { start: Position::start(), result: 0, plies: Vec::new(), visits: Vec::new() },
            visited(game(start, "g1f3 g8f6 f3g1 f6g8")),
            visited(game("8/PPPPk3/8/8/8/8/4Kppp/8 w - - 3 40", "a7a8q g2g1n e2f1 h2h1b b7b8r")),
        ]
    }

    /// The same with visits of every third legal move, but for the second ply, of which there was no search.
    fn visited(game: TrainingGame) -> TrainingGame {
        let mut position = game.start.clone();
        let visits = game.plies.iter().enumerate().map(|(index, ply)| {
            let legal = position.legal_moves();
            position = position.play(ply.mv);
            let visits = legal.into_iter().step_by(3).zip([65_535, 1, 700, 0].into_iter().cycle());
            if index == 1 { Visits::new() } else { visits.collect() }
        });
        let visits = visits.collect();
        TrainingGame { visits, ..game }
    }

    #[test]
    fn a_decoded_game_is_the_encoded_one() {
        for game in games() {
            let mut bytes = vec![7; 3];
            game.encode(&mut bytes);
            let found = TrainingGame::decode(&bytes[3..]).unwrap();
            assert_eq!((&found.start, found.result), (&game.start, game.result));
            for (found, ply) in found.plies.iter().zip(&game.plies) {
                assert!((found.value - ply.value).abs() <= 0.5 / VALUE_SCALE, "{found:?} {ply:?}");
                assert_eq!(TrainingPly { value: ply.value, ..*found }, *ply);
            }
            assert_eq!(found.visits, game.visits);
            let mut keys = Vec::new();
            found.replay(|game, _| keys.push(game.position().key())).unwrap();
            assert_eq!(keys.len(), game.plies.len());
        }
    }

    #[test]
    fn a_long_game_takes_less_than_six_bytes_per_position() {
        let shuffle = "g1f3 g8f6 f3g1 f6g8 ".repeat(25);
        let game = game("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", &shuffle);
        let mut bytes = Vec::new();
        game.encode(&mut bytes);
        assert!(bytes.len() < 6 * game.plies.len(), "{}", bytes.len());
    }

    #[test]
    fn every_changed_byte_is_noticed() {
        for game in [1, 5].map(|number| games().swap_remove(number)) {
            let mut bytes = Vec::new();
            game.encode(&mut bytes);
            for index in 0..bytes.len() {
                let mut damaged = bytes.clone();
                damaged[index] ^= 0x40;
                assert!(TrainingGame::decode(&damaged).is_err(), "byte {index}");
                assert!(TrainingGame::decode(&bytes[..index]).is_err(), "{index} bytes");
            }
        }
    }

    /// The bytes of docs/kept-games.md.
    #[test]
    fn visits_are_written_as_documented() {
        let mut game = game("8/8/8/8/8/4k3/p7/4K3 b - - 0 1", "a2a1q");
        let plain = |game: &TrainingGame| {
            let mut bytes = Vec::new();
            game.encode(&mut bytes);
            bytes
        };
        let before = plain(&game);
        let mv = |text| game.start.parse_uci(text).unwrap();
        game.visits = vec![vec![(mv("a2a1q"), 800), (mv("e3d3"), 3)]];
        let bytes = plain(&game);
        let body = before.len() - CHECKSUM_BYTES;
        assert_eq!(bytes[..body], before[..body]);
        // a2 8, a1 0, queen 4; e3 20, d3 19.
        let expected = [2, 0, 0x08, 0x40, 0x20, 0x03, 0xd4, 0x04, 3, 0];
        assert_eq!(bytes[body..bytes.len() - CHECKSUM_BYTES], expected);
    }

    #[test]
    fn a_cut_or_illegal_visit_is_named() {
        let visits = |numbers: &[u16], plies| {
            decode_visits(&numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<_>>(), plies)
        };
        assert_eq!(visits(&[0, 0], 2), Ok(vec![Visits::new(); 2]));
        assert_eq!(visits(&[0], 2), Err(GameError::Checksum));
        assert_eq!(visits(&[0, 0, 0], 2), Err(GameError::Checksum));
        assert_eq!(visits(&[1, 0xf000, 2], 1), Err(GameError::Visited(1)));
        let mut game = visited(games().swap_remove(0));
        game.visits[2][0].0 = game.plies[0].mv;
        assert_eq!(game.replay(|_, _| {}), Err(GameError::Visited(3)));
    }

    #[test]
    fn an_illegal_move_is_named() {
        let mut game = games().swap_remove(0);
        game.plies[2].mv = game.plies[0].mv;
        assert_eq!(game.replay(|_, _| {}), Err(GameError::Move(3)));
    }
}

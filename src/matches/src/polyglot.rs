//! Opening books of the format that PolyGlot made (`.bin`): entries of 16 bytes, sorted by the key of their position.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | the position's key |
//! | 2 | the move: to and from as file and rank, three bits each, and the promotion |
//! | 2 | its weight |
//! | 4 | of the program that learns; not used |
//!
//! All numbers are big-endian. Keys are those of the crate shakmaty, whose Zobrist numbers are PolyGlot's.
// CITE: F. Letouzey, PolyGlot 1.4 (2006), book.cpp; M. Van den Bergh, "PolyGlot book format".

use anyhow::{anyhow, ensure};
use board::{File, Move, Piece, Position, Rank, Square};
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use shakmaty::fen::Fen;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position as _, Setup};
use std::collections::{HashSet, VecDeque};
use std::ops::ControlFlow;
use std::path::Path;

/// The points of the move of the greatest weight in a position of [`epd`].
const MOST_POINTS: u32 = 100;

/// The bytes of an entry.
const ENTRY: usize = 16;
/// What a move promotes to, by the three bits that say so.
const PROMOTIONS: [Option<Piece>; 5] =
    [None, Some(Piece::Knight), Some(Piece::Bishop), Some(Piece::Rook), Some(Piece::Queen)];

/// A move of a book.
#[derive(Debug, Clone, Copy)]
struct Entry {
    key: u64,
    mv: u16,
    weight: u16,
}

/// A book.
#[derive(Debug, Clone)]
pub(crate) struct Book(Vec<Entry>);

impl Book {
    /// Reads a book.
    ///
    /// # Errors
    /// If the file cannot be read, or is no book.
    pub(crate) fn read(path: &Path) -> anyhow::Result<Self> {
        let bytes = std::fs::read(path).map_err(|reason| anyhow!("{reason}"))?;
        let (entries, rest) = bytes.as_chunks::<ENTRY>();
        let number = |bytes: &[u8]| bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
        let entry = |bytes: &[u8; ENTRY]| Entry {
            key: number(&bytes[..8]),
            mv: number(&bytes[8..10]) as u16,
            weight: number(&bytes[10..12]) as u16,
        };
        let entries: Vec<Entry> = entries.iter().map(entry).collect();
        let sorted = entries.is_sorted_by_key(|entry| entry.key);
        ensure!(
            rest.is_empty() && sorted && !entries.is_empty(),
            "it is not a PolyGlot book, which has entries of {ENTRY} bytes in the order of their keys"
        );
        Ok(Self(entries))
    }

    /// The legal moves that the book has in this position, with their weights.
    fn moves(&self, position: &Position) -> Vec<(Move, u16)> {
        let Some(key) = key(position) else { return Vec::new() };
        let first = self.0.partition_point(|entry| entry.key < key);
        let here = self.0[first..].iter().take_while(|entry| entry.key == key);
        here.filter_map(|entry| Some((read_move(position, entry.mv)?, entry.weight))).collect()
    }

    /// A line from the standard start, of at most so many plies: each move is drawn by its weight.
    pub(crate) fn line(&self, plies: usize, random: &mut Xoshiro256PlusPlus) -> Vec<Move> {
        let (mut position, mut line) = (Position::start(), Vec::new());
        while line.len() < plies
            && let Some(mv) = drawn(&self.moves(&position), random)
        {
            position = position.play(mv);
            line.push(mv);
        }
        line
    }

    /// Gives `each` all lines from the standard start, of at most so many plies, whose moves have a weight, until it breaks.
    pub(crate) fn for_each_line(
        &self,
        plies: usize,
        each: &mut dyn FnMut(&[Move]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.for_each_line_from(&Position::start(), plies, &mut Vec::new(), each)
    }

    fn for_each_line_from(
        &self,
        position: &Position,
        plies: usize,
        line: &mut Vec<Move>,
        each: &mut dyn FnMut(&[Move]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut moves = if line.len() < plies { self.moves(position) } else { Vec::new() };
        moves.retain(|(_, weight)| *weight > 0);
        if moves.is_empty() {
            return each(line);
        }
        for (mv, _) in moves {
            line.push(mv);
            self.for_each_line_from(&position.play(mv), plies, line, each)?;
            line.pop();
        }
        ControlFlow::Continue(())
    }
}

/// The positions of a book as lines of EPD, those after fewer plies first: all that its moves reach from the standard start, each
/// once. The points (c0) of a move are its weight in percent of the greatest in its position, rounded. A position's id is its move
/// number and its number among the lines, such as `Move 3.17`.
///
/// # Errors
/// If the file cannot be read or is no book, or has no move with a weight for the standard start.
pub fn epd(path: &Path) -> anyhow::Result<String> {
    let book = Book::read(path)?;
    let (mut known, mut queue) = (HashSet::new(), VecDeque::from([Position::start()]));
    let (mut lines, mut number) = (String::new(), 0);
    while let Some(position) = queue.pop_front() {
        if !known.insert(key(&position)) {
            continue;
        }
        let moves = book.moves(&position);
        let most = moves.iter().map(|(_, weight)| u32::from(*weight)).max().unwrap_or(0);
        if most == 0 {
            continue;
        }
        number += 1;
        let points = |weight: u16| (u32::from(weight) * MOST_POINTS + most / 2) / most;
        let scored = moves.iter().map(|(mv, weight)| format!("{}={}", position.san(*mv), points(*weight)));
        let (fen, at, scored) =
            (position.to_fen(false), position.fullmove_number(), scored.collect::<Vec<_>>().join(", "));
        lines += &format!("{fen} id \"Move {at}.{number}\"; c0 \"{scored}\";\n");
        queue.extend(moves.iter().map(|(mv, _)| position.play(*mv)));
    }
    ensure!(number > 0, "it has no move with a weight for the standard start");
    Ok(lines)
}

/// One of these moves, by their weights; `None` if none has any.
fn drawn(moves: &[(Move, u16)], random: &mut Xoshiro256PlusPlus) -> Option<Move> {
    let all: u32 = moves.iter().map(|(_, weight)| u32::from(*weight)).sum();
    let mut rest = (all > 0).then(|| random.random_range(0..all))?;
    let is_drawn = |(_, weight): &&(Move, u16)| {
        let drawn = rest < u32::from(*weight);
        rest = rest.saturating_sub(u32::from(*weight));
        drawn
    };
    moves.iter().find(is_drawn).map(|(mv, _)| *mv)
}

/// PolyGlot's key of a position. The en-passant file is part of it where a pawn stands beside the one that moved two squares,
/// even if it may not capture it.
fn key(position: &Position) -> Option<u64> {
    let fen: Fen = position.to_fen(false).parse().ok()?;
    let mut setup: Setup = fen.into_setup();
    setup.ep_square = position.en_passant_target().next_square().map(|square| shakmaty::Square::new(square as u32));
    let chess: Chess = setup.position(CastlingMode::Chess960).ok()?;
    Some(chess.zobrist_hash::<Zobrist64>(EnPassantMode::PseudoLegal).0)
}

/// The move of an entry, if it is legal; castling is king takes rook.
fn read_move(position: &Position, bits: u16) -> Option<Move> {
    let part = |shift: u16| usize::from(bits >> shift & 7);
    let square = |shift| Square::new(File::index(part(shift)), Rank::index(part(shift + 3)));
    let mv = Move { from: square(6), to: square(0), promotion: *PROMOTIONS.get(part(12))? };
    // Some writers have the square where the king arrives instead.
    position.is_legal(mv).then_some(mv).or_else(|| position.parse_uci(&mv.to_string()).ok())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use rand::SeedableRng;
    use std::collections::HashMap;

    /// Bytes of a book with these moves: those before it, the move and its weight.
    pub(crate) fn bytes(moves: &[(&str, &str, u16)]) -> Vec<u8> {
        let mut entries: Vec<(u64, [u8; ENTRY])> = moves
            .iter()
            .map(|(before, mv, weight)| {
                let play = |at: Position, mv: &str| at.play(at.parse_uci(mv).unwrap());
                let key = key(&before.split_whitespace().fold(Position::start(), play)).unwrap();
                let part = |byte: u8, least: u8| u16::from(byte - least);
                let mv = mv.as_bytes();
                let square = |at: usize| part(mv[at + 1], b'1') << 3 | part(mv[at], b'a');
                let mut entry = [0; ENTRY];
                entry[..8].copy_from_slice(&key.to_be_bytes());
                entry[8..10].copy_from_slice(&(square(0) << 6 | square(2)).to_be_bytes());
                entry[10..12].copy_from_slice(&weight.to_be_bytes());
                (key, entry)
            })
            .collect();
        entries.sort();
        entries.into_iter().flat_map(|(_, entry)| entry).collect()
    }

    fn book(bytes: &[u8]) -> anyhow::Result<Book> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), bytes).unwrap();
        Book::read(file.path())
    }

    // CITE: M. Van den Bergh, "PolyGlot book format", which gives these positions.
    #[test]
    fn keys_are_those_that_the_format_publishes() {
        let play = |moves: &str| {
            let play = |at: Position, mv: &str| at.play(at.parse_uci(mv).unwrap());
            key(&moves.split_whitespace().fold(Position::start(), play)).unwrap()
        };
        for (moves, expected) in [
            ("", 0x463b_9618_1691_fc9c),
            ("e2e4", 0x823c_9b50_fd11_4196),
            ("e2e4 d7d5", 0x0756_b944_61c5_0fb0),
            ("e2e4 d7d5 e4e5", 0x662f_afb9_65db_29d4),
            ("e2e4 d7d5 e4e5 f7f5", 0x22a4_8b5a_8e47_ff78),
            ("e2e4 d7d5 e4e5 f7f5 e1e2", 0x652a_607c_a3f2_42c1),
            ("e2e4 d7d5 e4e5 f7f5 e1e2 e8f7", 0x00fd_d303_c946_bdd9),
            ("a2a4 b7b5 h2h4 b5b4 c2c4", 0x3c81_23ea_7b06_7637),
            ("a2a4 b7b5 h2h4 b5b4 c2c4 b4c3 a1a3", 0x5c3f_9b82_9b27_9560),
        ] {
            assert_eq!(play(moves), expected, "{moves}");
        }
        // The pawn on d4 is pinned and cannot capture on e3; for the format it could.
        let start = Position::from_fen("3k4/8/8/8/3p4/8/3RP3/3K4 w - - 0 1").unwrap();
        let [pushed, slow] = ["e2e4", "e2e3"].map(|mv| start.play(start.parse_uci(mv).unwrap()));
        let without = Position::from_fen("3k4/8/8/8/3pP3/8/3R4/3K4 b - - 0 1").unwrap();
        assert_ne!(key(&pushed), key(&without));
        assert!(key(&slow).is_some());
    }

    #[test]
    fn moves_are_drawn_by_their_weights_to_the_depth() {
        let moves = [("", "e2e4", 3), ("", "d2d4", 1), ("", "a2a3", 0), ("e2e4", "e7e5", 1), ("", "e2e5", 9)];
        let book = book(&bytes(&moves)).unwrap();
        let mut counts = HashMap::new();
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        for _ in 0..4_000 {
            let line: Vec<String> = book.line(2, &mut random).iter().map(ToString::to_string).collect();
            *counts.entry(line.join(" ")).or_insert(0) += 1;
        }
        // A move that is not legal has no weight, and one without weight is not played.
        assert_eq!(counts.len(), 2, "{counts:?}");
        assert!((2_850..3_150).contains(&counts["e2e4 e7e5"]), "{counts:?}");
        assert_eq!(book.line(1, &mut random).len(), 1);
    }

    #[test]
    fn positions_that_the_moves_reach_have_weights_as_points() {
        let moves = [
            ("", "d2d4", 3),
            ("", "g1f3", 2),
            ("", "a2a3", 0),
            ("d2d4", "g8f6", 7),
            ("g1f3", "g8f6", 1),
            ("d2d4 g8f6", "g1f3", 1),
            ("g1f3 g8f6", "d2d4", 1),
            // Reached in two orders of moves; it comes once.
            ("d2d4 g8f6 g1f3", "g7g6", 1),
            // Not reached.
            ("h2h4", "e7e5", 1),
        ];
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), bytes(&moves)).unwrap();
        let lines = epd(file.path()).unwrap();
        let expected = [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 id \"Move 1.1\"; c0 \"Nf3=67, a3=0, d4=100\";",
            "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 1 1 id \"Move 1.2\"; c0 \"Nf6=100\";",
            "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1 id \"Move 1.3\"; c0 \"Nf6=100\";",
            "rnbqkb1r/pppppppp/5n2/8/8/5N2/PPPPPPPP/RNBQKB1R w KQkq - 2 2 id \"Move 2.4\"; c0 \"d4=100\";",
            "rnbqkb1r/pppppppp/5n2/8/3P4/8/PPP1PPPP/RNBQKBNR w KQkq - 1 2 id \"Move 2.5\"; c0 \"Nf3=100\";",
            "rnbqkb1r/pppppppp/5n2/8/3P4/5N2/PPP1PPPP/RNBQKB1R b KQkq - 0 2 id \"Move 2.6\"; c0 \"g6=100\";",
        ];
        assert_eq!(lines.lines().collect::<Vec<_>>(), expected);
        std::fs::write(file.path(), bytes(&[("e2e4", "e7e5", 1), ("", "e2e4", 0)])).unwrap();
        assert!(epd(file.path()).unwrap_err().to_string().starts_with("it has no move with a weight"));
    }

    #[test]
    fn castling_is_read_in_both_notations_and_promotions_too() {
        let position = Position::from_fen("r3k2r/P7/8/8/8/8/8/R3K2R w KQkq - 0 1").unwrap();
        let bits = |text: &str, promotion: u16| {
            let text = text.as_bytes();
            let square = |at: usize| u16::from(text[at + 1] - b'1') << 3 | u16::from(text[at] - b'a');
            promotion << 12 | square(0) << 6 | square(2)
        };
        let castled = position.parse_uci("e1h1").unwrap();
        assert_eq!(read_move(&position, bits("e1h1", 0)), Some(castled));
        assert_eq!(read_move(&position, bits("e1g1", 0)), Some(castled));
        let position = Position::from_fen("4k3/P7/8/8/8/8/8/4K3 w - - 0 1").unwrap();
        for (promotion, letter) in (1..).zip(["n", "b", "r", "q"]) {
            let mv = position.parse_uci(&format!("a7a8{letter}")).unwrap();
            assert_eq!(read_move(&position, bits("a7a8", promotion)), Some(mv));
        }
        assert_eq!((read_move(&position, bits("a7a8", 0)), read_move(&position, bits("a7a8", 7))), (None, None));
    }

    #[test]
    fn what_is_no_book_gets_a_sentence() {
        let whole = bytes(&[("", "e2e4", 1), ("e2e4", "e7e5", 1)]);
        let mut swapped = whole[ENTRY..].to_vec();
        swapped.extend(&whole[..ENTRY]);
        for damaged in [&whole[..ENTRY + 3], &swapped, &[]] {
            let error = book(damaged).unwrap_err().to_string();
            assert!(error.starts_with("it is not a PolyGlot book"), "{error}");
        }
    }
}

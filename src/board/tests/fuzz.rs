//! Bounded fuzzing with mutated FENs, EPD lines and move texts: nothing panics, and what is parsed survives a round trip.

mod common;

use board::attacks::{AttackMaps, BY_KING};
use board::view::US;
use board::{MoverView, Position};
use rand::RngExt;

const INPUTS: usize = 200_000;

/// Characters that mutations insert: pieces, counts, separators, signs and invalid letters.
const LETTERS: &[u8] = b"PNBRQKpnbrqk12345678/ -wbKQkqHAhaabcdefgh0x=+#!?;.,\t\"'O9~";

/// Random edits of a text, one to `most`.
fn mutate(rng: &mut impl RngExt, text: &str, most: usize) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    for _ in 0..rng.random_range(1..=most) {
        let at = rng.random_range(0..letters.len() + 1);
        let letter = match rng.random_range(0..40) {
            0 => ['\0', 'é', '♞', '\u{10FFFF}', '\n'][rng.random_range(0..5)],
            _ => LETTERS[rng.random_range(0..LETTERS.len())] as char,
        };
        match rng.random_range(0..8) {
            0 => letters.insert(at, letter),
            1 => letters.truncate(at.max(letters.len() / 2)),
            2 => letters.extend_from_within(at..),
            3 if at < letters.len() => {
                letters.remove(at);
            }
            4 if at + 1 < letters.len() => letters.swap(at, at + 1),
            _ if at < letters.len() => letters[at] = letter,
            _ => letters.push(letter),
        }
    }
    letters.into_iter().collect()
}

/// A mutation that keeps eight ranks of eight squares: pieces and empty squares are swapped or changed.
fn mutate_board(rng: &mut impl RngExt, fen: &str) -> String {
    let (board, rest) = fen.split_once(' ').expect("a FEN with fields");
    let mut letters: Vec<char> = board
        .chars()
        .flat_map(|c| vec![if c.is_ascii_digit() { '1' } else { c }; c.to_digit(10).unwrap_or(1) as usize])
        .collect();
    for _ in 0..rng.random_range(1..6) {
        let (one, other) = (rng.random_range(0..letters.len()), rng.random_range(0..letters.len()));
        if letters[one] == '/' || letters[other] == '/' {
            continue;
        }
        match rng.random_range(0..3) {
            0 => letters[one] = LETTERS[rng.random_range(0..13)] as char,
            _ => letters.swap(one, other),
        }
    }
    format!("{} {rest}", letters.into_iter().collect::<String>())
}

/// Calls every function that Okapi uses on a position.
fn exercise(rng: &mut impl RngExt, position: &Position) {
    for chess960 in [false, true] {
        let fen = position.to_fen(chess960);
        let read = Position::from_fen(&fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
        assert_eq!(read, *position, "{fen}");
        assert_eq!(read.key(), position.key(), "{fen}");
    }
    assert_eq!(MoverView::of(position), MoverView::of(&position.mirror()));
    let mut position = position.clone();
    for _ in 0..4 {
        let maps = AttackMaps::of(&MoverView::of(&position));
        assert!(maps.by[US][BY_KING] != 0);
        position.outcome();
        position.null_move();
        for mv in position.noisy_moves() {
            let see = position.see(mv);
            assert!(position.see_at_least(mv, see) && !position.see_at_least(mv, see + 1));
        }
        let moves = position.legal_moves();
        if moves.is_empty() {
            return;
        }
        let mv = moves[rng.random_range(0..moves.len())];
        position.see(mv);
        assert_eq!(position.parse_san(&position.san(mv)), Ok(mv));
        assert_eq!(position.parse_uci(&position.uci(mv, false)), Ok(mv));
        position = position.play(mv);
    }
}

/// FENs from random play.
fn seeds(seed: u64) -> Vec<String> {
    let mut fens = Vec::new();
    common::random_positions(seed, 60, 80, |position| fens.push(position.to_fen(fens.len() % 2 == 0)));
    fens
}

#[test]
fn mutated_fens() {
    let mut rng = common::rng(41);
    let seeds = seeds(42);
    let mut read = 0;
    for input in 0..INPUTS {
        let seed = &seeds[rng.random_range(0..seeds.len())];
        let text = if input % 2 == 0 { mutate(&mut rng, seed, 4) } else { mutate_board(&mut rng, seed) };
        match Position::from_fen(&text) {
            Ok(position) => {
                read += 1;
                exercise(&mut rng, &position);
            }
            Err(error) => assert!(error.to_string().len() < 300, "{error}"),
        }
    }
    assert!((INPUTS / 10..INPUTS * 9 / 10).contains(&read), "{read} read");
}

#[test]
fn mutated_epd_lines() {
    let mut rng = common::rng(43);
    let seeds = seeds(44);
    let endings = ["", " ;D1 20 ;D2 400", "; D4 23441", " bm Nf3; id \"a\";", " c0 \"x\"; c7 \"Nf3 e4\";"];
    let mut read = 0;
    for _ in 0..INPUTS {
        let seed = &seeds[rng.random_range(0..seeds.len())];
        let fields = seed.split(' ').take(rng.random_range(4..7)).collect::<Vec<_>>().join(" ");
        let ending = endings[rng.random_range(0..endings.len())];
        let text = mutate(&mut rng, &format!("{fields}{ending}"), 4);
        if let Ok((position, operations)) = Position::from_epd(&text) {
            read += 1;
            assert!(text.ends_with(operations));
            let fen = position.to_fen(true);
            let again = format!("{fen} {operations}");
            assert_eq!(Position::from_epd(&again), Ok((position, operations)), "{text}");
        }
    }
    assert!((INPUTS / 10..INPUTS * 9 / 10).contains(&read), "{read} read");
}

#[test]
fn mutated_move_texts() {
    let mut rng = common::rng(45);
    let positions: Vec<Position> = seeds(46).iter().map(|fen| Position::from_fen(fen).expect("its own FEN")).collect();
    let mut read = 0;
    for input in 0..INPUTS {
        let position = &positions[rng.random_range(0..positions.len())];
        let moves = position.legal_moves();
        if moves.is_empty() {
            continue;
        }
        let mv = moves[rng.random_range(0..moves.len())];
        let text = match input % 3 {
            0 => position.uci(mv, false),
            1 => position.uci(mv, true),
            _ => position.san(mv),
        };
        let text = mutate(&mut rng, &text, 2);
        for mv in [position.parse_uci(&text), position.parse_san(&text)].into_iter().flatten() {
            read += 1;
            assert!(position.is_legal(mv), "{text} in {}", position.to_fen(true));
            assert_eq!(position.parse_uci(&position.uci(mv, true)), Ok(mv));
            assert_eq!(position.parse_san(&position.san(mv)), Ok(mv));
        }
    }
    assert!(read > INPUTS / 20, "{read} read");
}

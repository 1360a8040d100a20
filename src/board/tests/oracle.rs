//! The rules against shakmaty, over random play and random placements: legal moves, notation, checks, outcomes, keys.

mod common;

use board::{Move, Outcome, Position};
use rand::RngExt;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position as _, fen::Fen, san::SanPlus, uci::UciMove};
use std::collections::HashMap;

fn shakmaty_of(position: &Position) -> Option<Chess> {
    let fen: Fen = position.to_fen(true).parse().expect("a FEN that shakmaty reads");
    fen.into_position(CastlingMode::Chess960).ok()
}

fn sorted(mut texts: Vec<String>) -> Vec<String> {
    texts.sort_unstable();
    texts
}

fn check_moves(position: &Position, oracle: &Chess) {
    let fen = position.to_fen(true);
    let moves = position.legal_moves();
    let ours = sorted(moves.iter().map(|&mv| position.uci(mv, true)).collect());
    let legal = oracle.legal_moves();
    let theirs = sorted(legal.iter().map(|m| m.to_uci(CastlingMode::Chess960).to_string()).collect());
    assert_eq!(ours, theirs, "{fen}");
    assert_eq!(position.has_legal_move(), !legal.is_empty(), "{fen}");

    let ours = sorted(position.noisy_moves().iter().map(|&mv| position.uci(mv, true)).collect());
    let noisy = legal.iter().filter(|m| m.promotion().map_or(m.is_capture(), |role| role == shakmaty::Role::Queen));
    assert_eq!(ours, sorted(noisy.map(|m| m.to_uci(CastlingMode::Chess960).to_string()).collect()), "{fen}");
}

fn check_notation(position: &Position, oracle: &Chess) {
    for mv in position.legal_moves() {
        let text = position.uci(mv, true);
        let theirs = text.parse::<UciMove>().unwrap().to_move(oracle).unwrap();
        assert_eq!(position.is_capture(mv), theirs.is_capture());
        assert_eq!(position.is_en_passant(mv), theirs.is_en_passant());
        assert_eq!(position.is_castling(mv), theirs.is_castle());
        let san = position.san(mv);
        assert_eq!(san, SanPlus::from_move(oracle.clone(), theirs).to_string(), "{}", position.to_fen(true));
        for text in [san, text, position.uci(mv, false)] {
            let read = position.parse_san(&text);
            assert_eq!(read, Ok(mv), "{text} in {}", position.to_fen(true));
        }
        assert_eq!(position.parse_uci(&position.uci(mv, true)), Ok(mv));
        assert_eq!(position.parse_uci(&position.uci(mv, false)), Ok(mv));
    }
}

fn check_fen(position: &Position, oracle: &Chess) {
    let fen_of = |oracle: &Chess| Fen::from_position(oracle, EnPassantMode::Legal).to_string();
    assert_eq!(position.to_fen(false), fen_of(oracle));
    assert_eq!(shakmaty_of(position).map(|read| fen_of(&read)), Some(fen_of(oracle)), "{}", position.to_fen(true));
    for chess960 in [false, true] {
        assert_eq!(Position::from_fen(&position.to_fen(chess960)).as_ref(), Ok(position));
    }
    assert_eq!(position.mirror().mirror(), *position);
    assert_eq!(position.mirror().legal_moves().len(), position.legal_moves().len());
}

fn check_outcome(position: &Position, oracle: &Chess) {
    assert_eq!(position.in_check(), oracle.is_check());
    assert_eq!(position.is_insufficient_material(), oracle.is_insufficient_material(), "{}", position.to_fen(true));
    let expected = if oracle.is_checkmate() {
        Some(Outcome::Mated)
    } else if oracle.is_stalemate() {
        Some(Outcome::Stalemate)
    } else if oracle.halfmoves() >= 100 {
        Some(Outcome::FiftyMoves)
    } else {
        oracle.is_insufficient_material().then_some(Outcome::InsufficientMaterial)
    };
    assert_eq!(position.outcome(), expected, "{}", position.to_fen(true));
}

#[test]
fn random_play_agrees() {
    let mut rng = common::rng(1);
    for start in common::starts().iter().cycle().take(232) {
        let mut position = start.clone();
        let mut oracle = shakmaty_of(start).expect("a start that shakmaty accepts");
        for _ in 0..150 {
            check_moves(&position, &oracle);
            check_notation(&position, &oracle);
            check_outcome(&position, &oracle);
            if oracle.halfmoves() > 100 {
                break;
            }
            check_fen(&position, &oracle);
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            let mv: Move = moves[rng.random_range(0..moves.len())];
            let theirs = position.uci(mv, true).parse::<UciMove>().unwrap().to_move(&oracle).unwrap();
            position = position.play(mv);
            oracle = oracle.play(theirs).unwrap();
        }
    }
}

/// Random placements of few or many pieces, with all castling rights and an en-passant square.
fn random_placement(rng: &mut impl RngExt) -> String {
    let mut squares = ["1"; 64];
    let pieces = rng.random_range(0..24);
    for index in 0..pieces + 2 {
        let piece = match index {
            0 => "K",
            1 => "k",
            _ => ["P", "p", "P", "p", "N", "n", "B", "b", "R", "r", "Q", "q"][rng.random_range(0..12)],
        };
        let square = rng.random_range(0..64);
        if !matches!(squares[square], "K" | "k") {
            squares[square] = piece;
        }
    }
    let board: Vec<String> = squares.chunks(8).map(|rank| rank.concat()).collect();
    let side = ["w", "b"][rng.random_range(0..2)];
    let file = ["a", "b", "c", "d", "e", "f", "g", "h"][rng.random_range(0..8)];
    format!("{} {side} KQkq {file}{} 0 1", board.join("/"), if side == "w" { 6 } else { 3 })
}

#[test]
fn random_placements_agree() {
    let mut rng = common::rng(2);
    let (mut compared, mut insufficient) = (0, 0);
    for _ in 0..60_000 {
        let Ok(position) = Position::from_fen(&random_placement(&mut rng)) else {
            continue;
        };
        // Shakmaty also refuses checks that no last move can have given.
        let Some(oracle) = shakmaty_of(&position) else {
            continue;
        };
        compared += 1;
        insufficient += usize::from(position.is_insufficient_material());
        check_moves(&position, &oracle);
        check_outcome(&position, &oracle);
        check_fen(&position, &oracle);
    }
    assert!(compared > 5_000 && insufficient > 100, "{compared} compared, {insufficient} with insufficient material");
}

#[test]
fn keys_are_equal_exactly_for_equal_positions() {
    let (mut text_of, mut key_of) = (HashMap::new(), HashMap::new());
    let mut met_again = 0;
    common::random_positions(3, 2_000, 60, |position| {
        let fen = position.to_fen(true);
        let text = fen.rsplitn(3, ' ').last().expect("the first four fields").to_owned();
        let read = Position::from_fen(&fen).expect("its own FEN");
        assert_eq!(read.key(), position.key(), "{fen}");
        met_again += usize::from(key_of.contains_key(&text));
        assert_eq!(*key_of.entry(text.clone()).or_insert(position.key()), position.key(), "{text}");
        assert_eq!(*text_of.entry(position.key()).or_insert(text.clone()), text);
    });
    assert!(text_of.len() > 50_000 && met_again > 1_000, "{} positions, {met_again} met again", text_of.len());
}

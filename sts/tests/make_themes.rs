//! One position per theme, for both colors, and the rule of quiet positions.

use board::Position;
use std::collections::HashSet;
use sts::make::counts::Rejection;
use sts::make::quiet::{is_noisy, rejection};
use sts::make::theme::Theme;

/// Theme, position, move.
const EXAMPLES: [(Theme, &str, &str); 25] = [
    (Theme::Kings, "r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/2N2N2/PPPP1PPP/R1BQK2R w KQkq - 0 1", "O-O"),
    (Theme::Kings, "3q2k1/5ppp/8/8/8/8/5PPP/3Q2K1 w - - 0 1", "Kf1"),
    (Theme::Kings, "4k3/8/8/8/8/8/5PPP/4K2R w K - 0 1", "O-O"),
    (Theme::Kings, "6k1/5ppp/8/8/8/8/5PPP/6K1 w - - 0 1", "Kf1"),
    (Theme::PassedPawns, "6k1/5ppp/8/1P6/8/8/5PPP/6K1 w - - 0 1", "b6"),
    (Theme::Undermining, "6k1/2p2ppp/3p4/8/2P5/8/5PPP/6K1 w - - 0 1", "c5"),
    (Theme::CenterPawns, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "e4"),
    (Theme::QueensidePawns, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "c4"),
    (Theme::KingsidePawns, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "g3"),
    (Theme::Simplification, "6k1/5ppp/5q2/8/8/4P3/5PPP/3Q2K1 w - - 0 1", "Qd4"),
    (Theme::Simplification, "6k1/5ppp/8/8/4n3/8/1P3PPP/3N2K1 w - - 0 1", "Nc3"),
    (Theme::OpenFiles, "6k1/pp3p1p/8/8/8/8/PP3PPP/3R2K1 w - - 0 1", "Rd7"),
    (Theme::Knights, "6k1/1p3ppp/8/8/4P3/2N5/5PPP/6K1 w - - 0 1", "Nd5"),
    (Theme::OpenFiles, "6k1/pp3ppp/8/8/8/8/PP3PPP/R5K1 w - - 0 1", "Rc1"),
    (Theme::Development, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "Nf3"),
    (Theme::Regrouping, "6k1/5ppp/8/8/8/3B4/5PPP/6K1 w - - 0 1", "Bf1"),
    (Theme::Knights, "6k1/2p2ppp/8/8/8/2N5/5PPP/6K1 w - - 0 1", "Ne4"),
    (Theme::BishopActivity, "6k1/5ppp/8/8/8/3B4/5PPP/6K1 w - - 0 1", "Bc4"),
    (Theme::MajorPieces, "6k1/5ppp/8/8/8/3Q4/5PPP/6K1 w - - 0 1", "Qc4"),
    (Theme::MajorPieces, "6k1/pp3ppp/8/8/8/8/PP3PPP/3R2K1 w - - 0 1", "Rd3"),
    (Theme::MajorPieces, "6k1/pp3ppp/8/8/8/8/PP3PPP/3R2K1 w - - 0 1", "Rb1"),
    // A pawn beside it cannot stop it.
    (Theme::PassedPawns, "6k1/5ppp/8/p7/1P6/8/5PPP/6K1 w - - 0 1", "b5"),
    // The even exchange is another one.
    (Theme::Development, "6k1/2p2ppp/8/3n4/8/2N5/1P3PPP/N5K1 w - - 0 1", "Nb3"),
    (Theme::OpenFiles, "6k1/pp3p1p/8/8/8/8/PP3PPP/3Q2K1 w - - 0 1", "Qd7"),
    // It has been on the seventh rank before.
    (Theme::MajorPieces, "6k1/1p1R1p1p/8/8/8/8/PPP2PPP/6K1 w - - 0 1", "Rc7"),
];

#[test]
fn every_theme_matches_its_example() {
    for (theme, fen, san) in EXAMPLES {
        let position = Position::from_fen(fen).unwrap();
        let mv = position.parse_san(san).unwrap();
        assert!(!is_noisy(&position, mv), "{san} in {fen}");
        assert_eq!(Theme::of(&position, mv), theme, "{san} in {fen}");
        // The same with colors exchanged.
        let mirror = position.mirror();
        let mv = mirror.parse_san(&mirrored(san)).unwrap();
        assert_eq!(Theme::of(&mirror, mv), theme, "{san} mirrored in {fen}");
    }
    let shown: HashSet<Theme> = EXAMPLES.iter().map(|example| example.0).collect();
    assert_eq!(shown.len(), Theme::ALL.len());
}

/// The SAN of the color-mirrored move.
fn mirrored(san: &str) -> String {
    san.chars().map(|c| c.to_digit(10).map_or(c, |rank| char::from(b'0' + (9 - rank) as u8))).collect()
}

#[test]
fn an_outpost_needs_its_pawn_and_no_enemy_pawn() {
    let theme = |fen: &str, san: &str| {
        let position = Position::from_fen(fen).unwrap();
        Theme::of(&position, position.parse_san(san).unwrap())
    };
    // A step back to an outpost is not a regrouping.
    let back = |pawns: &str| theme(&format!("{pawns} w - - 0 1"), "Nd4");
    assert_eq!(back("6k1/5ppp/4N3/8/8/2P5/5PPP/6K1"), Theme::Knights);
    assert_eq!(back("6k1/5ppp/4N3/8/8/8/5PPP/6K1"), Theme::Regrouping, "no pawn defends");
    assert_eq!(back("6k1/2p2ppp/4N3/8/8/2P5/5PPP/6K1"), Theme::Regrouping, "a pawn may attack");
    // A pawn that has passed the square cannot attack it.
    assert_eq!(back("6k1/5ppp/4N3/8/2p5/4P3/5PPP/6K1"), Theme::Knights);
}

#[test]
fn theme_names_are_distinct() {
    let names: HashSet<&str> = Theme::ALL.into_iter().map(|(theme, _)| theme.name()).collect();
    assert_eq!(names.len(), Theme::ALL.len());
    for (theme, name) in Theme::ALL {
        assert_eq!(theme.name(), name);
        let id = format!("Okapi: {}.007", theme.name());
        assert_eq!(sts::theme::name(&id), Some(theme.name()));
    }
}

#[test]
fn the_shipped_suite_has_themes_of_this_program() {
    for theme in sts::suite::Suite::embedded().unwrap().themes {
        assert!(Theme::ALL.into_iter().any(|(_, name)| name == theme), "{theme}");
    }
}

#[test]
fn quiet_positions_have_no_winning_capture_for_either_side() {
    let reason = |fen: &str| rejection(&Position::from_fen(fen).unwrap());
    assert_eq!(reason("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"), None);
    // A defended pawn can be captured, but that does not win material.
    assert_eq!(reason("r1bqkbnr/ppp2ppp/2np4/4p3/4P3/2N2N2/PPPP1PPP/R1BQKB1R w KQkq - 0 4"), None);
    assert_eq!(reason("r1bqkbnr/pppp1ppp/8/4p3/4P3/2N2N2/PPPP1PPP/R1BQKB1R w KQkq - 0 4"), Some(Rejection::Hanging));
    // The side not to move would win the pawn.
    assert_eq!(reason("r1bqkbnr/pppp1ppp/8/4p3/4P3/2N2N2/PPPP1PPP/R1BQKB1R b KQkq - 0 4"), Some(Rejection::Hanging));
    assert_eq!(reason("rnbqkbnr/ppp2ppp/3p4/1B2p3/4P3/8/PPPP1PPP/RNBQK1NR b KQkq - 0 1"), Some(Rejection::FewMoves));
    assert_eq!(reason("r1bqkbnr/pppp1ppp/2n5/4p3/4P3/8/PPPP1PPP/RNBQK1NR w KQkq - 0 1"), None);
    assert_eq!(reason("4k3/8/8/8/8/8/4q3/R3K2R w - - 0 1"), Some(Rejection::FewMoves));
    assert_eq!(reason("q2k4/8/8/8/8/8/8/R1Q1K2R b - - 0 1"), Some(Rejection::Hanging));
    assert_eq!(reason("3rk3/pppp4/8/8/1q6/5P2/PPP1N1PP/R2QKB1R w - - 0 1"), Some(Rejection::FewMoves));
    assert_eq!(reason("7k/P7/8/8/8/8/R6P/6K1 w - - 0 1"), Some(Rejection::Hanging), "a promotion");
}

#[test]
fn noisy_moves_are_captures_promotions_and_checks() {
    let noisy = |fen: &str, uci: &str| {
        let position = Position::from_fen(fen).unwrap();
        is_noisy(&position, position.parse_uci(uci).unwrap())
    };
    let fen = "3r2k1/P7/8/4pP2/8/8/8/R2QK2R w KQ e6 0 1";
    assert!(noisy(fen, "d1d8"));
    assert!(noisy(fen, "f5e6"), "en passant");
    assert!(noisy(fen, "a7a8n"));
    assert!(noisy(fen, "h1g1"));
    assert!(!noisy("3r2k1/P7/8/4pP2/8/8/7P/R3K2R w KQ - 0 1", "e1g1"));
    assert!(!noisy(fen, "f5f6"));
}

//! FEN, EPD, UCI and SAN: repaired input, rejected input with its error, and written text.

mod common;

use board::FenError;
use board::uci::MoveError;
use board::{Piece, Position, Square};

/// The position that `fen` means, as its strict FEN.
fn read(fen: &str) -> String {
    Position::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}")).to_fen(false)
}

#[test]
fn sloppy_fens_are_repaired() {
    let rooks = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    let cases = [
        // Spaces, missing fields, counters.
        (" \tr3k2r/8/8/8/8/8/8/R3K2R   w\tKQkq  - ", rooks),
        ("r3k2r/8/8/8/8/8/8/R3K2R W KQkq - 0", rooks),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - -3 -7", rooks),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - x 0", rooks),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0.5 1;", rooks),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 101 65536", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 100 65535"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 99999999999999999999 99999999999999999999", "4k3/8/8/8/8/8/8/4K3 w - - 100 65535"),
        ("1111k111/44/8/8/8/8/332/4K3 b - -", "4k3/8/8/8/8/8/8/4K3 b - - 0 1"),
        // Castling letters of all kinds.
        ("r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1", rooks),
        ("r3k2r/8/8/8/8/8/8/R3K2R w qkQKKK - 0 1", rooks),
        ("r3k2r/8/8/8/8/8/8/R3K2R w -kQ- - 0 1", "r3k2r/8/8/8/8/8/8/R3K2R w Qk - 0 1"),
        ("7k/8/8/8/8/8/8/1R1KRR2 w KQ - 0 1", "7k/8/8/8/8/8/8/1R1KRR2 w KQ - 0 1"),
        ("7k/8/8/8/8/8/8/1R1KRR2 w FB - 0 1", "7k/8/8/8/8/8/8/1R1KRR2 w KQ - 0 1"),
        ("7k/8/8/8/8/8/8/1R1KRR2 w EB - 0 1", "7k/8/8/8/8/8/8/1R1KRR2 w EQ - 0 1"),
        ("7k/8/8/8/8/8/8/1R1KRR2 w EFB - 0 1", "7k/8/8/8/8/8/8/1R1KRR2 w EQ - 0 1"),
        // Rights without their rook or king.
        ("r3k2r/8/8/8/8/8/8/R3K3 w KQkq - 0 1", "r3k2r/8/8/8/8/8/8/R3K3 w Qkq - 0 1"),
        ("4k2r/8/8/8/8/8/4K3/R6R w KQkq - 0 1", "4k2r/8/8/8/8/8/4K3/R6R w k - 0 1"),
        ("4k3/8/8/8/8/8/8/4K2r w KQkq - 0 1", "4k3/8/8/8/8/8/8/4K2r w - - 0 1"),
        ("4k3/8/8/8/8/8/8/4K3 w HAha - 0 1", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"),
        // En-passant squares: real, of the other side, without a pawn, without a capturing pawn, blocked.
        ("4k3/8/8/3pP3/8/8/8/4K3 w - D6 0 1", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d5 0 1", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1"),
        ("4k3/8/8/8/3pP3/8/8/4K3 b - e4 0 1", "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1"),
        ("4k3/8/8/8/3pP3/8/8/4K3 b - d4 0 1", "4k3/8/8/8/3pP3/8/8/4K3 b - - 0 1"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d3 0 1", "4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1"),
        ("4k3/8/8/4P3/8/8/8/4K3 w - d6 0 1", "4k3/8/8/4P3/8/8/8/4K3 w - - 0 1"),
        ("4k3/8/8/3p4/8/8/8/4K3 w - d6 0 1", "4k3/8/8/3p4/8/8/8/4K3 w - - 0 1"),
        ("4k3/3n4/8/3pP3/8/8/8/4K3 w - d6 0 1", "4k3/3n4/8/3pP3/8/8/8/4K3 w - - 0 1"),
    ];
    for (sloppy, strict) in cases {
        assert_eq!(read(sloppy), strict, "{sloppy}");
    }
    let inner = Position::from_fen("7k/8/8/8/8/8/8/1R1KRR2 w EFB - 0 1").unwrap();
    assert_eq!(inner.to_fen(true), "7k/8/8/8/8/8/8/1R1KRR2 w EB - 0 1");
}

#[test]
fn unclear_positions_are_rejected() {
    use FenError as E;
    let cases = [
        ("", E::MissingField("board")),
        ("4k3/8/8/8/8/8/8/4K3", E::MissingField("side to move")),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1 bm", E::ExtraField("bm".into())),
        ("4k3/8/8/8/8/8/4K3 w - -", E::Ranks(7)),
        ("4k3/8/8/8/8/8/8/8/4K3 w - -", E::Ranks(9)),
        ("4k3/8/7/8/8/8/8/4K3 w - -", E::RankLength { rank: 6, squares: 7 }),
        ("4k3/8/8/8/8/8/8/4K3P w - -", E::RankLength { rank: 1, squares: 9 }),
        ("4k3/8/8/8/8/8/8/4Kü2 w - -", E::PieceLetter { rank: 1, letter: 'ü' }),
        ("4k3/9/8/8/8/8/8/4K3 w - -", E::PieceLetter { rank: 7, letter: '9' }),
        ("4k3/8/8/8/8/8/8/4K3 x - -", E::SideToMove("x".into())),
        ("4k3/8/8/8/8/8/8/4K3 w KX -", E::CastlingLetter('X')),
        ("4k3/8/8/8/8/8/8/4K3 w - e9", E::EnPassant("e9".into())),
        ("8/8/8/8/8/8/8/4K3 w - -", E::Kings { color: "Black", kings: 0 }),
        ("4k3/8/8/8/8/8/8/3KK3 w - -", E::Kings { color: "White", kings: 2 }),
        ("4k2P/8/8/8/8/8/8/4K3 w - -", E::PawnOnLastRank(Square::H8)),
        ("4k3/8/8/8/8/8/8/p3K3 w - -", E::PawnOnLastRank(Square::A1)),
        ("4k3/8/8/8/8/P7/PPPPPPPP/4K3 w - -", E::TooManyPieces { color: "White", pawns: 9, pieces: 10 }),
        ("4k3/8/8/8/8/7N/PPPPPPPP/NNNNKNNN w - -", E::TooManyPieces { color: "White", pawns: 8, pieces: 17 }),
        ("8/8/3kK3/8/8/8/8/8 w - -", E::KingsTouch(Square::E6, Square::D6)),
        ("4k3/8/8/8/8/8/8/4RK2 w - -", E::OpponentInCheck("Black")),
        ("4r3/8/8/b7/8/3n4/8/4K2k w - -", E::TooManyCheckers { color: "White", checkers: 3 }),
    ];
    for (fen, error) in cases {
        assert_eq!(Position::from_fen(fen), Err(error), "{fen}");
    }
    let long = format!("4k3/8/8/8/8/8/8/4K3 {} - -", "ä".repeat(10_000));
    let message = Position::from_fen(&long).unwrap_err().to_string();
    assert!(message.starts_with("the side to move is \"ää") && message.chars().count() < 200, "{message}");
}

#[test]
fn epd_lines_are_split_into_position_and_operations() {
    let kings = "4k3/8/8/8/8/8/8/4K3 w - -";
    let cases = [
        ("4k3/8/8/8/8/8/8/4K3 w - -", (0, 1), ""),
        ("4k3/8/8/8/8/8/8/4K3 w - - bm Kd2; id \"a;b\";", (0, 1), "bm Kd2; id \"a;b\";"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 2 9 ;D1 21 ;D2 528", (2, 9), "D1 21 ;D2 528"),
        ("4k3/8/8/8/8/8/8/4K3 w - -  0 1; D4 23441", (0, 1), "D4 23441"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 3 4;D4 23441", (3, 4), "D4 23441"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 3; bm Kd2;", (3, 1), "bm Kd2;"),
        ("4k3/8/8/8/8/8/8/4K3 w - - -3 999999 c0 \"1\";", (0, 65535), "c0 \"1\";"),
    ];
    for (line, (halfmove, fullmove), operations) in cases {
        let (position, rest) = Position::from_epd(line).unwrap();
        assert_eq!(position.to_fen(false), format!("{kings} {halfmove} {fullmove}"), "{line}");
        assert_eq!(rest, operations, "{line}");
    }
    assert_eq!(Position::from_epd("4k3/8/8/8/8/8/8/4K3 w bm"), Err(FenError::CastlingLetter('m')));
}

#[test]
fn counters_that_are_too_large_are_told() {
    let told = |counters: &str| {
        let fen = format!("4k3/8/8/8/8/8/8/R3K3 w - - {counters}");
        assert!(Position::from_fen(&fen).is_ok(), "{fen}");
        Position::clamped_counters(&fen)
    };
    for kept in ["", "0 1", "0 0", "00 01", "100 65535", "99", "- x"] {
        assert_eq!(told(kept), None, "{kept}");
    }
    let both = "the half-move clock 101 is read as 100, the move number 65536 is read as 65535";
    assert_eq!(told("101 65536").as_deref(), Some(both));
    assert_eq!(told("110 100").as_deref(), Some("the half-move clock 110 is read as 100"));
}

#[test]
fn mirroring_twice_is_the_identity() {
    let cases = [
        (
            "rnbqkbnr/pppp1ppp/8/8/4pP2/8/PPPPP1PP/RNBQKBNR b Kq f3 5 7",
            "rnbqkbnr/ppppp1pp/8/4Pp2/8/8/PPPP1PPP/RNBQKBNR w Qk f6 5 7",
        ),
        ("7k/8/8/8/8/8/8/1R1KRR2 w EB - 3 4", "1r1krr2/8/8/8/8/8/8/7K b eb - 3 4"),
    ];
    for (fen, mirror) in cases {
        assert_eq!(Position::from_fen(fen).unwrap().mirror().to_fen(fen.contains("EB")), mirror);
    }
}

#[test]
fn only_unusual_castling_rights_are_chess960() {
    for (fen, expected) in [
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", false),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", false),
        ("bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1", true),
        // Without rights, the same pieces are standard chess.
        ("bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w - - 0 1", false),
        ("1r2k2r/8/8/8/8/8/8/4K3 b b - 0 1", true),
        ("1r2k2r/8/8/8/8/8/8/4K3 b k - 0 1", false),
        // A king off its start square, its rook in the corner.
        ("3k3r/8/8/8/8/8/8/4K3 b k - 0 1", true),
    ] {
        assert_eq!(Position::from_fen(fen).unwrap().is_chess960(), expected, "{fen}");
    }
}

#[test]
fn castling_in_uci() {
    let standard = Position::from_fen("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1").unwrap();
    for (text, rook) in [("e1g1", Square::H1), ("e1h1", Square::H1), ("e1c1", Square::A1), (" E1A1 ", Square::A1)] {
        let mv = standard.parse_uci(text).unwrap();
        assert!(standard.is_castling(mv) && mv.to == rook, "{text}");
    }
    let short = standard.parse_uci("e1g1").unwrap();
    assert_eq!((standard.uci(short, false), standard.uci(short, true)), ("e1g1".into(), "e1h1".into()));
    assert!(standard.parse_uci("e1b1").is_err());
    assert!(standard.parse_uci("e1g1q").is_err());

    // The king can move to g1 or castle there: the plain text is the king move.
    let fischer = Position::from_fen("5k1r/8/8/8/8/8/8/5K1R w Hh - 0 1").unwrap();
    assert!(!fischer.is_castling(fischer.parse_uci("f1g1").unwrap()));
    let castling = fischer.parse_uci("f1h1").unwrap();
    assert!(fischer.is_castling(castling));
    assert_eq!(fischer.uci(castling, false), "f1h1");
    assert_eq!(fischer.san(castling), "O-O+");
    assert_eq!(fischer.san(fischer.parse_uci("f1g1").unwrap()), "Kg1");
    assert_eq!(fischer.parse_san("O-O"), Ok(castling));
    assert!(!fischer.is_castling(fischer.parse_san("Kg1").unwrap()));

    // No king move is possible, so king-to-square is castling in Chess960 too.
    let far = Position::from_fen("1k5r/8/8/8/8/8/8/1K5R w Hh - 0 1").unwrap();
    assert!(far.is_castling(far.parse_uci("b1g1").unwrap()));
}

#[test]
fn tolerant_san() {
    let start = Position::start();
    let middle = Position::from_fen(common::POSITIONS[1]).unwrap();
    let promotion = Position::from_fen("3r3k/4P3/8/8/8/8/8/K7 w - - 0 1").unwrap();
    let en_passant = Position::from_fen("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1").unwrap();
    let cases: [(&Position, &[&str], &str); 9] = [
        (&start, &["Nf3", "Ng1f3", "Ngf3", "N1f3", "Ng1-f3", "Nf3+", "Nf3!?", " Nf3#?! ", "g1f3"], "Nf3"),
        (&start, &["e4", "e2e4", "e2-e4", "Pe4", "E2E4", "e4 ?!"], "e4"),
        (&middle, &["O-O", "0-0", "o-o", "O-O!", "e1g1", "e1h1"], "O-O"),
        (&middle, &["O-O-O", "0-0-0+", "e1c1", "e1a1"], "O-O-O"),
        (&middle, &["Bxa6", "Ba6", "Be2xa6", "B:a6", "e2a6"], "Bxa6"),
        (&middle, &["dxe6", "de6", "d5xe6", "d5e6", "de6+"], "dxe6"),
        (&promotion, &["e8=Q+", "e8Q", "e8(Q)", "e8/Q", "e8=Q", "e7e8q", "e8q"], "e8=Q+"),
        (&promotion, &["exd8=N", "ed8N", "exd8(N)", "e7xd8=N", "e7d8n"], "exd8=N"),
        (&en_passant, &["exd6", "exd6e.p.", "exd6 e.p.", "ed6ep", "e5d6"], "exd6"),
    ];
    for (position, texts, san) in cases {
        for text in texts {
            let mv = position.parse_san(text).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(position.san(mv), *san, "{text}");
        }
    }
}

#[test]
fn san_is_disambiguated_minimally() {
    let queens = Position::from_fen("6k1/8/8/8/Q6Q/8/8/K6Q w - - 0 1").unwrap();
    let texts: Vec<_> = queens.legal_moves().into_iter().map(|mv| queens.san(mv)).collect();
    for text in ["Qae4", "Qh4e4", "Q1e4", "Q4e1", "Q1e1", "Qad1", "Qhd1", "Qd8+", "Qa2+", "Kb2"] {
        assert!(texts.iter().any(|san| san == text), "{text} of {texts:?}");
    }
    // The other knight is pinned, so no disambiguation is needed.
    let pinned = Position::from_fen("4k3/8/8/8/1b6/2N5/8/4K1N1 w - - 0 1").unwrap();
    assert_eq!(pinned.san(pinned.parse_uci("g1e2").unwrap()), "Ne2");
    let mating = Position::from_fen("7k/8/6K1/8/8/8/8/R7 w - - 99 80").unwrap();
    assert_eq!(mating.san(mating.parse_uci("a1a8").unwrap()), "Ra8#");
}

#[test]
fn wrong_moves_have_different_errors() {
    let start = Position::start();
    let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    for text in ["", "e", "Zf3", "e9", "e2e4x", "0000", "--", "O", "O-O-O-O", "Ngg1f3", "é4", "e8=K", "(e4)"] {
        let expected = MoveError::Unreadable { text: text.into(), fen: fen.into() };
        assert_eq!(start.parse_san(text), Err(expected.clone()), "{text}");
        assert_eq!(start.parse_uci(text), Err(expected), "{text}");
    }
    for text in ["Nd2", "e5", "Nxf3", "exd3", "O-O", "e4=Q", "e2e5"] {
        assert_eq!(start.parse_san(text), Err(MoveError::Illegal { text: text.into(), fen: fen.into() }), "{text}");
    }
    for text in ["e2e5", "e7e5", "e2e4q", "e1g1", "a1a1"] {
        assert_eq!(start.parse_uci(text), Err(MoveError::Illegal { text: text.into(), fen: fen.into() }), "{text}");
    }
    let knights = Position::from_fen("4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1").unwrap();
    let message = knights.parse_san("Nd2").unwrap_err().to_string();
    let expected = "\"Nd2\" is ambiguous between Nbd2, Nfd2 in the position 4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1";
    assert_eq!(message, expected);
    let promotion = Position::from_fen("7k/4P3/8/8/8/8/8/K7 w - - 0 1").unwrap();
    assert!(matches!(promotion.parse_san("e8"), Err(MoveError::Ambiguous { .. })));
    assert!(matches!(promotion.parse_uci("e7e8"), Err(MoveError::Illegal { .. })));
    assert_eq!(promotion.parse_uci("e7e8R").unwrap().promotion, Some(Piece::Rook));
}

#[test]
fn the_maximum_number_of_moves_fits_the_list() {
    let most = Position::from_fen("R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1").unwrap();
    assert_eq!(most.legal_moves().len(), 218);
}

use super::{Comment, GameResult, GameText, PgnError, PgnGame, read, read_from};
use board::Position;
use player::Score;
use std::io::Write;
use std::path::Path;
use std::time::Duration;

fn games(text: &str) -> Vec<Result<PgnGame, PgnError>> {
    read_from(text.as_bytes()).collect()
}

fn broken(game: &Result<PgnGame, PgnError>) -> (u64, &str) {
    match game {
        Err(PgnError::Game { number, why }) => (*number, why),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_main_line_is_read_without_what_stands_beside_it() {
    let text = "\u{feff}[Event \"a \\\"b\\\"\"]\n[Result \"1-0\"]\n\n% ignored\n1. e4! {a (comment) 1. d4} e5 $1 (1... c5 2. Nf3 \
                (2. Nc3 {deep})) 2. Nf3 ; to the end 2... d5\n 2... Nc6 3. Bb5 a6 4. O-O 1/2-1/2\n\n1. d4 d5\n\n2. c4 e6 *\n";
    let games = games(text);
    let first = games[0].as_ref().unwrap();
    let mut position = first.start.clone();
    let mut san = Vec::new();
    for &mv in &first.moves {
        san.push(position.san(mv));
        position = position.play(mv);
    }
    assert_eq!(san.join(" "), "e4 e5 Nf3 Nc6 Bb5 a6 O-O");
    assert_eq!((first.number, first.result), (1, Some(GameResult::WhiteWins)));
    // An empty line does not end a game whose moves go on.
    let second = games[1].as_ref().unwrap();
    assert_eq!((second.moves.len(), second.faults.len()), (4, 0));
    assert_eq!(games.len(), 2);
}

#[test]
fn a_file_without_tags_is_one_of_games_too() {
    let games = games("1. e4 e5 *\n\n1. d4 d5 0-1\n");
    let read: Vec<_> =
        games.iter().map(|game| game.as_ref().unwrap()).map(|game| (game.moves.len(), game.result)).collect();
    assert_eq!(read, [(2, None), (2, Some(GameResult::BlackWins))]);
}

#[test]
fn a_broken_game_is_named_and_the_next_one_read() {
    let text = "[White \"a\"]\n\n1. e4 e5 2. Nf6 Nc6 *\n\n\
                [FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n\n1. e4 *\n\n\
                [Variant \"Atomic\"]\n\n1. e4 *\n\n\
                [White \"b\"]\n\n1. e4 e5 2. -- *\n\n\
                [White \"c\"]\n[Result \"0-1\"]\n\n1. f3 e5 2. g4 Qh4# \n\n\
                [White \"d\"]\n\n1. e4 {never closed e5";
    let games = games(text);
    let cut = |index: usize, moves: usize, words: &str| {
        let game = games[index].as_ref().unwrap();
        let note = game.notes().next().unwrap_or_default();
        assert!(note.contains(words) && game.moves.len() == moves && game.is_cut, "{game:?}");
    };
    cut(0, 2, "game 1 has at ply 3 (move 2 of White) a move that cannot be played: \"Nf6\" is not a legal");
    let begins = |index: usize, words: &str| {
        let (number, why) = broken(&games[index]);
        assert!(number == index as u64 + 1 && why.starts_with(words), "{number} {why}");
    };
    begins(1, "has a FEN tag that is not a position: ");
    begins(2, "is of the variant 'Atomic', not of chess or Chess960");
    cut(
        3,
        2,
        "game 4 has at ply 3 (move 2 of White) the null move \"--\", which is no move of a game; the 2 moves before it are kept, and \
         the rest of the game is left out",
    );
    let mate = games[4].as_ref().unwrap();
    assert_eq!((mate.moves.len(), mate.result), (4, Some(GameResult::BlackWins)));
    let open = games[5].as_ref().unwrap();
    assert_eq!((open.moves.len(), open.result), (1, None));
    assert!(open.faults[0].contains("a comment that is never closed"), "{:?}", open.faults);
    assert_eq!(games.len(), 6);
}

#[test]
fn noise_ends_and_never_panics() {
    let mut state = 1_u64;
    let alphabet = b"[]{}()\"\\\n\r %;.0123456789abcdefghKQRBNOx-+#=*/$! \xc2\xbd\xff";
    for _ in 0..2_000 {
        let noise: Vec<u8> = (0..200)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                alphabet[(state >> 33) as usize % alphabet.len()]
            })
            .collect();
        assert!(read_from(noise.as_slice()).count() <= noise.len());
    }
}

#[test]
fn chess960_is_known_by_its_tag_or_its_castling() {
    let text = "[Variant \"Chess960\"]\n\n1. e4 *\n\n\
                [FEN \"1r3kr1/pppppppp/8/8/8/8/PPPPPPPP/1R3KR1 w GBgb - 0 1\"]\n\n1. O-O O-O *\n";
    let games: Vec<_> = games(text).into_iter().map(Result::unwrap).collect();
    assert!(games.iter().all(|game| game.chess960));
    assert_eq!(games[1].start.uci(games[1].moves[0], true), "f1g1");
}

#[test]
fn compressed_files_of_several_frames_are_read_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.pgn.zst");
    let mut file = std::fs::File::create(&path).unwrap();
    let level = ruzstd::encoding::CompressionLevel::Fastest;
    file.write_all(&ruzstd::encoding::compress_to_vec(&b"[White \"a\"]\n\n1. e4 e5 *\n\n"[..], level)).unwrap();
    // A frame to skip: magic number, length, content.
    file.write_all(b"\x50\x2a\x4d\x18\x03\x00\x00\x00abc").unwrap();
    file.write_all(&ruzstd::encoding::compress_to_vec(&b"[White \"b\"]\n\n1. d4 *\n"[..], level)).unwrap();
    drop(file);
    let moves: Vec<_> = read(&path).unwrap().map(|game| game.unwrap().moves.len()).collect();
    assert_eq!(moves, [2, 1]);

    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&path, &whole[..20]).unwrap();
    let items: Vec<_> = read(&path).unwrap().collect();
    assert!(matches!(items.last(), Some(Err(PgnError::Read(_)))), "{items:?}");
    assert!(read(&folder.path().join("none.pgn")).err().unwrap().to_string().starts_with("cannot open"));
}

#[test]
fn what_is_written_is_read_again() {
    let start = Position::from_fen("1r3kr1/pppppppp/8/8/8/8/PPPPPPPP/1R3KR1 b GBgb - 3 7").unwrap();
    let mut position = start.clone();
    let mut moves = Vec::new();
    for (ply, san) in ["O-O", "e4", "e5", "O-O", "d6", "d4", "exd4", "c3", "dxc3", "bxc3"].into_iter().enumerate() {
        let mv = position.parse_san(san).unwrap();
        position = position.play(mv);
        let score = if ply % 2 == 0 { Score::Centipawns(-35) } else { Score::Mate(-3) };
        let comment = Comment { score: Some(score), depth: Some(12), elapsed: Duration::from_millis(41) };
        moves.push((mv, (ply > 1).then_some(comment)));
    }
    let text = GameText {
        date: "2026.01.31",
        event: "a \"test\" \\",
        round: 7,
        players: ["A", "B"],
        start: &start,
        chess960: true,
        moves: &moves,
        result: Some(GameResult::WhiteWins),
        termination: "abandoned",
        reason: "B ended {by} itself",
        time_controls: ["2+0.02", "nodes 10"],
    }
    .to_string();
    assert!(text.contains("{-0.35/12 0.041s}") && text.contains("{-M3/12"), "{text}");
    assert!(text.contains("[FEN \"1r3kr1/pppppppp/8/8/8/8/PPPPPPPP/1R3KR1 b GBgb - 3 7\"]"), "{text}");
    assert!(text.contains("\n\n7... O-O {book} 8. e4 {book} 8... e5 "), "{text}");
    assert!(text.lines().filter(|line| !line.starts_with('[')).all(|line| line.len() <= 80), "{text}");
    let twice = format!("{text}{text}");
    for game in games(&twice) {
        let game = game.unwrap();
        assert_eq!((&game.start, game.chess960, game.result), (&start, true, Some(GameResult::WhiteWins)));
        assert!(game.moves.iter().eq(moves.iter().map(|(mv, _)| mv)));
    }
}

#[test]
fn comments_say_what_is_known() {
    let comment = |score, depth| Comment { score, depth, elapsed: Duration::from_micros(1_500) }.to_string();
    assert_eq!(comment(Some(Score::Centipawns(35)), Some(12)), "+0.35/12 0.002s");
    assert_eq!(comment(Some(Score::Centipawns(0)), None), "+0.00/0 0.002s");
    assert_eq!(comment(Some(Score::Mate(5)), Some(9)), "+M5/9 0.002s");
    assert_eq!(comment(None, None), "0.002s");
}

#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared/data")]
fn twenty_thousand_real_games_are_followed_to_their_end() {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/games/tcec.pgn.zst"));
    let (mut games, mut plies) = (0, 0);
    for game in read(path).unwrap() {
        let game = game.unwrap_or_else(|error| panic!("{error}"));
        games += 1;
        plies += game.moves.len();
    }
    assert_eq!(games, 22_259);
    assert!(plies > 1_500_000, "{plies} plies");
}

/// Every game's moves and faults.
fn sans(text: &str) -> Vec<(String, Vec<String>)> {
    let of_game = |game: PgnGame| {
        let mut position = game.start.clone();
        let san = |mv: &board::Move| {
            let san = position.san(*mv);
            position = position.play(*mv);
            san
        };
        (game.moves.iter().map(san).collect::<Vec<_>>().join(" "), game.faults)
    };
    read_from(text.as_bytes()).map(|game| of_game(game.unwrap())).collect()
}

#[test]
fn moves_are_read_as_programs_write_them() {
    for (text, moves) in [
        ("1. e2-e4 e7-e5 2. Ng1-f3 Nb8-c6 3. Bf1b5 a7a6", "e4 e5 Nf3 Nc6 Bb5 a6"),
        (
            "1. e2-e4 d7-d5 2. e4xd5 g8-f6 3. f1-b5+ c7-c6 4. d5xc6 a7-a6 5. c6xb7+ a6xb5 6. b7xa8=Q",
            "e4 d5 exd5 Nf6 Bb5+ c6 dxc6 a6 cxb7+ axb5 bxa8=Q",
        ),
        ("1.e4 1...d5 2.e4xd5 c6 3.dxc6 a6 4.cxb7 a5 5.bxa8Q", "e4 d5 exd5 c6 dxc6 a6 cxb7 a5 bxa8=Q"),
        ("1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7 ++ mate", "e4 e5 Bc4 Nc6 Qh5 Nf6 Qxf7#"),
        ("e4 a6 e5 d5 exd6 e.p. exd6 += Nf3 +- g6 Be2 = Bg7 0-0 !", "e4 a6 e5 d5 exd6 exd6 Nf3 g6 Be2 Bg7 O-O"),
    ] {
        assert_eq!(sans(&format!("{text} *\n")), [(moves.to_owned(), Vec::new())]);
    }
}

#[test]
fn junk_between_moves_is_skipped_and_a_missing_move_ends_the_game() {
    let (moves, faults) = &sans("1. e4 zz e5 2. Nf9 Nf3 Nc6 blah 3. Bb5 *\n")[0];
    assert_eq!(moves, "e4 e5 Nf3 Nc6 Bb5");
    let named = ["zz", "Nf9", "blah"];
    assert!(faults.len() == 3 && faults.iter().zip(named).all(|(fault, word)| fault.contains(word)), "{faults:?}");
    for (text, moves, word) in [
        // German: without the knights the pawns' moves are another game.
        ("1. e4 e5 2. Sf3 Sc6 3. d4 d6 4. Le3 Le7 5. h3 1-0\n", "e4 e5", "ply 3 (move 2 of White) the word \"Sf3\""),
        ("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. d9 exd4 6. O-O 1-0\n", "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6", "\"d9\""),
        ("1. e4 xx e5 *\n", "e4", "\"xx\""),
    ] {
        let (found, faults) = &sans(text)[0];
        assert_eq!(found, moves);
        assert!(faults.len() == 1 && faults[0].contains(word), "{faults:?}");
    }
    let words = "x ".repeat(20);
    assert_eq!(sans(&format!("1. e4 {words} e5 2. d4 *\n"))[0].1.len(), 9);
}

#[test]
fn games_end_where_they_end() {
    let games = sans("1. e4 e5 1-0\n1. d4 d5 0-1\n\n1. c4 c5\n\n1. f4 f5\n\n;; A\n\n[White \"a\"]\n1. a4 *\n");
    let moves: Vec<&str> = games.iter().map(|game| game.0.as_str()).collect();
    assert_eq!(moves, ["e4 e5", "d4 d5", "c4 c5", "f4 f5", "a4"]);
    let cut = read_from(&b"[Result \"1/2-1/2\"]\n\n1. e4 e5 2. Nf3 N"[..]).next().unwrap().unwrap();
    assert_eq!((cut.moves.len(), cut.result), (3, None));
    assert!(cut.faults.last().unwrap().contains("the file ends inside it"), "{:?}", cut.faults);
    let whole = read_from(&b"[Result \"1/2-1/2\"]\n\n1. e4 e5\n"[..]).next().unwrap().unwrap();
    assert_eq!((whole.result, whole.faults.len()), (Some(GameResult::Draw), 0));
}

#[test]
fn tags_without_moves_are_a_game_and_the_next_tags_have_their_moves() {
    let anna = "[White \"Anna\"]\n[Black \"X\"]\n[Result \"1-0\"]\n\n";
    let text =
        format!("{anna}[White \"Berta\"]\n[Black \"Y\"]\n[Result \"0-1\"]\n\n1. e4 e5 0-1\n\n{anna}[White \"C\"]");
    let games: Vec<PgnGame> = read_from(text.as_bytes()).with_annotations().map(Result::unwrap).collect();
    let white = |game: &PgnGame| (game.number, game.annotations.tag("White").to_owned(), game.moves.len(), game.result);
    let (won, lost) = (Some(GameResult::WhiteWins), Some(GameResult::BlackWins));
    let expected = [(1, "Anna", 0, won), (2, "Berta", 2, lost), (3, "Anna", 0, won), (4, "C", 0, None)];
    assert_eq!(games.iter().map(white).collect::<Vec<_>>(), expected.map(|(a, b, c, d)| (a, b.to_owned(), c, d)));
    let faults = games.iter().map(|game| game.faults.join("; ")).collect::<Vec<_>>();
    assert!(faults[0] == faults[2] && faults[1].is_empty(), "{faults:?}");
    assert!(faults[0].starts_with("has tags, but neither moves nor a result"), "{faults:?}");
    // An `Event` is new, too; tags with empty lines between them are those of one game.
    let counts = |text: &str| {
        let of_game = |game: PgnGame| (game.annotations.tags.len(), game.moves.len());
        read_from(text.as_bytes()).with_annotations().map(|game| of_game(game.unwrap())).collect::<Vec<_>>()
    };
    assert_eq!(counts("[White \"A\"]\n\n[Event \"E\"]\n[Black \"B\"]\n\n1. e4 *\n"), [(1, 0), (2, 1)]);
    assert_eq!(counts("[Event \"E\"]\n\n[White \"A\"]\n\n{a}\n\n[Black \"B\"]\n\n1. e4 *\n"), [(3, 1)]);
    assert_eq!(counts("[White \"A\"]\n[White \"B\"]\n\n*\n"), [(2, 0)]);
}

#[test]
fn results_and_parentheses_end_a_word() {
    for (text, expected) in [
        ("1. e4 e5*\n1. d4 d5 0-1\n", &[("e4 e5", None), ("d4 d5", Some(GameResult::BlackWins))][..]),
        ("1.e4(1.d4)e5*", &[("e4 e5", None)]),
        ("1.e4 e5 2.Nf3*", &[("e4 e5 Nf3", None)]),
        ("1.e4 e5 2.Nf3!1-0", &[("e4 e5 Nf3", Some(GameResult::WhiteWins))]),
        ("1.e4{a}e5$1 2.Nf3;b\n2...Nc60-1", &[("e4 e5 Nf3 Nc6", Some(GameResult::BlackWins))]),
        (
            "1.e4 e5 2.Nf3 Nc61/2-1/2\n1.c4½-½\n1.d4 1...d5+-1/2",
            &[
                ("e4 e5 Nf3 Nc6", Some(GameResult::Draw)),
                ("c4", Some(GameResult::Draw)),
                ("d4 d5", Some(GameResult::Draw)),
            ],
        ),
        ("1. Nf3 Nf6 2. g3 g6 3. Bg2 Bg7 4. 0-00-1", &[("Nf3 Nf6 g3 g6 Bg2 Bg7 O-O", Some(GameResult::BlackWins))]),
    ] {
        let found = sans(text).into_iter().map(|(moves, faults)| (moves, faults.len()));
        let moves: Vec<_> = expected.iter().map(|(moves, _)| ((*moves).to_owned(), 0)).collect();
        assert_eq!(found.collect::<Vec<_>>(), moves, "{text}");
        let results = games(text).into_iter().map(|game| game.unwrap().result).collect::<Vec<_>>();
        assert_eq!(results, expected.iter().map(|(_, result)| *result).collect::<Vec<_>>(), "{text}");
    }
    // What is no move before it does not make a result of a date or a score.
    assert!(sans("1. e4 e5 2011-10-1 21-0 2. Nf3 *")[0].1.len() == 2);
}

#[test]
fn moves_that_are_written_loosely_are_read() {
    for (text, moves) in [
        ("1. e4 e5 2. Bxb5 a6 *", "e4 e5 Bb5 a6"),
        ("1. Ng1xf3 Nb8:c6 *", "Nf3 Nc6"),
        ("1.e4.e5 2.Nf3.Nc6.3.Bb5!.a6 *", "e4 e5 Nf3 Nc6 Bb5 a6"),
        ("1. Nf3!+= Nf6+/- 2. g3□ g6? 3. Bg2 Bg7 4. 00 00 *", "Nf3 Nf6 g3 g6 Bg2 Bg7 O-O O-O"),
        ("1. d4 d5 2. Nc3 Nc6 3. Bf4 Bf5 4. Qd2 Qd7 5. OOO 000! *", "d4 d5 Nc3 Nc6 Bf4 Bf5 Qd2 Qd7 O-O-O O-O-O"),
    ] {
        assert_eq!(sans(text), [(moves.to_owned(), Vec::new())], "{text}");
    }
    let game = read_from(&b"1. Nf3!+= Nf6 *"[..]).with_annotations().next().unwrap().unwrap();
    assert_eq!(game.annotations.beside(1).glyphs, [1, 14]);
    for (text, moves, words) in [
        ("1. e4 e5 2. Nxd5 *", "e4 e5", &["ply 3", "\"Nxd5\"", "the rest of the game is left out"][..]),
        // Two knights reach the square, of which none captures there.
        ("1. d4 d5 2. Nf3 a6 3. Nxd2 *", "d4 d5 Nf3 a6", &["\"Nxd2\""]),
        ("1. e4 e5 2. 00 Nf3 *", "e4 e5", &["ply 3", "\"00\"", "the rest of the game is left out"]),
        ("1. e4 e5 2. 0000 Nf6 *", "e4 e5", &["ply 3", "\"0000\""]),
    ] {
        let (found, faults) = &sans(text)[0];
        assert_eq!(found, moves);
        assert!(faults.len() == 1 && words.iter().all(|word| faults[0].contains(word)), "{faults:?}");
    }
    // Words of any length take little time.
    let long = format!("1. {} {} *", "Nf3.Nf6.Ng1.Ng8.".repeat(1 << 16), "=".repeat(1 << 20));
    assert_eq!(sans(&long)[0].1.len(), 2);
}

#[test]
fn a_number_that_is_no_move_number_is_named_and_skipped() {
    let read = |text: &str| {
        let game = games(text).remove(0).unwrap();
        (game.moves.len(), game.faults.join("; "))
    };
    for text in ["1. e4 2024 e5 2. Nf3 *", "2024 1. e4 e5 2. Nf3 *", "1 e4 e5 2024 2 Nf3 *"] {
        let (moves, faults) = read(text);
        assert_eq!(moves, 3, "{text}");
        assert!(faults.contains("the number 2024, which is no move number") && !faults.contains(';'), "{faults}");
    }
    let from = "[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 30\"]\n\n";
    for text in [
        "1 e4 1 e5 2 Nf3 *",
        "1 e4 1... e5 2 . Nf3 *",
        &format!("{from}30 e4 Ke7 31 e5 *"),
        &format!("{from}1 e4 Ke7 2 e5 *"),
    ] {
        assert_eq!(read(text), (3, String::new()), "{text}");
    }
}

#[test]
fn a_file_that_ends_inside_a_comment_is_cut_off() {
    for text in ["[Result \"1-0\"]\n\n1. e4 e5 {cut comm", "[Result \"1-0\"]\n\n1. e4 e5 {cut\ncomm\n\n"] {
        let cut = games(text).remove(0).unwrap();
        assert_eq!((cut.moves.len(), cut.result), (2, None));
        let faults = cut.faults.join("; ");
        assert!(faults.contains("the file ends inside it") && faults.contains("never closed"), "{faults}");
    }
    // Behind a result the moves are whole.
    let whole = games("[Result \"1-0\"]\n\n1. e4 e5 1-0 {cut").remove(0).unwrap();
    assert_eq!((whole.result, whole.faults.len()), (Some(GameResult::WhiteWins), 1));
}

#[test]
fn an_open_comment_ends_before_the_next_game() {
    let text = "[Event \"A\"]\n\n1. e4 {open\ne5 1-0\n\n[Event \"B\"]\n\n1. d4 {a\nb} d5 0-1\n\n{open\n[Event \"C\"]\n\n1. c4 *\n";
    let games: Vec<PgnGame> = read_from(text.as_bytes()).with_annotations().map(Result::unwrap).collect();
    let read: Vec<_> =
        games.iter().map(|game| (game.annotations.tag("Event"), game.moves.len(), game.result)).collect();
    assert_eq!(read, [("A", 1, None), ("B", 2, Some(GameResult::BlackWins)), ("C", 1, None)]);
    assert!(
        games[0].faults.len() == 1 && games[0].faults[0].contains("ply 2 (move 1 of Black) a comment"),
        "{games:?}"
    );
    assert_eq!((games[1].faults.len(), games[1].annotations.comment(1)), (0, "a b"));
    assert!(games[2].faults.len() == 1 && games[2].annotations.comment(0) == "open", "{games:?}");
}

#[test]
fn a_tag_without_its_quote_or_bracket_is_named_and_read() {
    for tag in ["[Event \"no close]", "[Event \"no close", "[Event \"no close\""] {
        let text = format!("[Site \"S\"]\n{tag}\n[White \"A\"]\n\n1. e4 *\n\n{tag}\n[White \"B\"]\n\n1. d4 *\n");
        let games: Vec<PgnGame> = read_from(text.as_bytes()).with_annotations().map(Result::unwrap).collect();
        assert_eq!(games.len(), 2, "{tag}");
        for (game, white) in games.iter().zip(["A", "B"]) {
            assert_eq!((game.annotations.tag("Event"), game.annotations.tag("White")), ("no close", white));
            assert!(game.faults.len() == 1 && game.faults[0].starts_with("has the tag Event without"), "{game:?}");
        }
    }
}

/// `(file, moves and words that a fault has, game by game)`.
type Case = (&'static str, &'static [(&'static str, &'static [&'static str])]);

const CASES: [Case; 12] = [
    ("promotion-without-equals", &[("e4 d5 exd5 c6 dxc6 a6 cxb7 a5 bxa8=Q", &[])]),
    ("promotions-only", &[("a8=Q h1=Q Kc3 Kg6", &[])]),
    ("long-algebraic-hyphens", &[("e4 e5 Nf3 Nc6 Bb5 a6", &[])]),
    ("german-letters", &[("e4 e5", &["ply 3", "Sf3"])]),
    ("double-plus-mate", &[("e4 e5 Bc4 Nc6 Qh5 Nf6 Qxf7#", &[])]),
    ("junk-words", &[("e4 e5 Nf3 Nc6 Bb5", &["zz", "Nf9", "blah"])]),
    ("mistyped-move", &[("e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6", &["d9"]), ("d4 d5", &[])]),
    ("cut-in-a-move", &[("e4 e5 Nf3 Nc6 Bb5 a6 Ba4", &["the file ends inside it"])]),
    ("null-move-in-variation", &[("e4 e5 Nf3 Nc6 Bb5", &[])]),
    ("quotes-in-tag", &[("e4 e5", &[]), ("d4 d5", &[])]),
    ("result-ends-a-game", &[("e4 e5", &[]), ("d4 d5", &[])]),
    ("comment-lines-between-games", &[("e4 e5", &[]), ("d4 d5", &[])]),
];

fn case(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/cases").join(name).with_extension("pgn")
}

#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared/data")]
fn files_that_were_once_read_wrongly_are_read_right() {
    for (name, games) in CASES {
        let read = read(&case(name)).unwrap().with_annotations().map(Result::unwrap);
        let found: Vec<PgnGame> = read.collect();
        assert_eq!(found.len(), games.len(), "{name}");
        for ((game, (moves, words)), number) in found.iter().zip(games).zip(1..) {
            let mut position = game.start.clone();
            let san = |mv: &board::Move| {
                let san = position.san(*mv);
                position = position.play(*mv);
                san
            };
            assert_eq!(game.moves.iter().map(san).collect::<Vec<_>>().join(" "), *moves, "{name}");
            let faults = game.faults.join("\n");
            assert!(words.iter().all(|word| faults.contains(word)), "{name}: {faults}");
            assert_eq!((faults.is_empty(), game.number), (words.is_empty(), number), "{name}: {faults}");
        }
    }
    let game = |name: &str| read(&case(name)).unwrap().with_annotations().next().unwrap().unwrap();
    assert_eq!(game("cut-in-a-move").result, None);
    assert_eq!(game("quotes-in-tag").annotations.tag("Event"), "The \"Big\" Open");
    let latin = game("latin1-names");
    assert_eq!((latin.annotations.tag("White"), latin.annotations.comment(1)), ("Müller, Jürgen", "schön"));
    assert_eq!(game("null-move-in-variation").annotations.beside(3).variations, ["2. -- d5 {what Black threatens}"]);
    let work = game("work-of-the-user");
    let comments: Vec<&str> = (0..6).map(|moves| work.annotations.comment(moves)).collect();
    assert_eq!(comments, ["before the first move", "[%clk 0:05:00] first", "", "", "to the end of the line", ""]);
    assert_eq!(work.annotations.comment(6), "after the result");
    assert_eq!((&*work.annotations.beside(1).glyphs, &*work.annotations.beside(6).glyphs), (&[1][..], &[6][..]));
    assert_eq!(work.annotations.beside(3).variations, ["2. f4 exf4 (2... d5 3. exd5) 3. Nf3 {inside}"]);
    assert_eq!((work.moves.len(), work.is_cut, work.result), (6, true, Some(GameResult::WhiteWins)));
}

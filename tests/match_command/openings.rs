//! Every opening is played with both colors, standard and Chess960.

use crate::common::{Files, QUICK, okapi, toy};
use pgn::{self, PgnGame};

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data/openings/");

/// The games that a quick engine and a toy play from these openings, and the names of their players.
fn play(games: &str, toy_is: &str, openings: &[&str]) -> (Vec<PgnGame>, Vec<[String; 2]>) {
    let files = Files::new();
    let toy = toy("toy", toy_is, "depth=1");
    let mut command = okapi(&["--player", QUICK, "--player", &toy, "--games", games, "--concurrency", "2"]);
    command.args(openings).args(files.arguments()).assert().success();
    assert_eq!(files.report()["faults"], serde_json::json!([]));
    let text = std::fs::read_to_string(&files.pgn).unwrap();
    let names = |color: &str| -> Vec<String> {
        let begin = format!("[{color} \"");
        text.lines().filter_map(|line| line.strip_prefix(&begin)?.strip_suffix("\"]")).map(str::to_owned).collect()
    };
    let players = names("White").into_iter().zip(names("Black")).map(|(white, black)| [white, black]).collect();
    (pgn::read(&files.pgn).unwrap().map(Result::unwrap).collect(), players)
}

fn both_colors(games: &[PgnGame], players: &[[String; 2]], book: usize) {
    assert_eq!(games.len(), players.len());
    for (pair, names) in games.chunks(2).zip(players.chunks(2)) {
        assert_eq!(pair[0].start, pair[1].start);
        assert_eq!(pair[0].moves[..book], pair[1].moves[..book]);
        assert_eq!(names[0], ["quick", "toy"]);
        assert_eq!(names[1], ["toy", "quick"]);
    }
}

#[test]
fn without_a_file_random_openings_come_in_pairs() {
    let (games, players) = play("8", "", &["--seed", "3"]);
    both_colors(&games, &players, 8);
    assert_ne!(games[0].moves[..8], games[2].moves[..8]);
    let (others, _) = play("8", "", &["--seed", "4"]);
    assert_ne!(games[0].moves[..8], others[0].moves[..8]);
}

#[test]
fn games_of_a_pgn_file_are_openings() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("book.pgn");
    std::fs::write(&path, "[White \"a\"]\n\n1. e4 e5 2. Nf3 Nc6 *\n\n[White \"b\"]\n\n1. d4 d5 2. c4 e6 *\n\n")
        .unwrap();
    let (games, players) = play("4", "", &["--openings", path.to_str().unwrap(), "--plies", "3"]);
    both_colors(&games, &players, 3);
    let first = games[2].start.san(games[2].moves[0]);
    assert_eq!(first, "d4");
}

#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared/data")]
fn chess960_is_played_by_its_own_castling() {
    for book in ["chess960.epd", "dfrc-5k.epd"] {
        let path = format!("{DATA}{book}");
        let (games, players) = play("40", "--castle", &["--openings", &path, "--order", "random"]);
        both_colors(&games, &players, 0);
        assert!(games.iter().any(|game| game.chess960));
        let castled = games.iter().filter(|game| {
            let mut position = game.start.clone();
            game.moves.iter().any(|&mv| {
                let castles = position.is_castling(mv);
                position = position.play(mv);
                castles
            })
        });
        let castled = castled.count();
        assert!(castled > 5, "{castled} of {} games", games.len());
    }
}

#[test]
fn a_polyglot_book_gives_openings_for_both_colors() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("book.bin");
    // Keys of the standard start, and of it after 1. e4: published with the format.
    let entry = |key: u64, mv: u16, weight: u16| {
        [&key.to_be_bytes()[..], &mv.to_be_bytes(), &weight.to_be_bytes(), &[0; 4]].concat()
    };
    let square = |file: u16, rank: u16| (rank - 1) * 8 + file;
    let mv = |from: u16, to: u16| from << 6 | to;
    let (e4, d4) = (mv(square(4, 2), square(4, 4)), mv(square(3, 2), square(3, 4)));
    let c5 = mv(square(2, 7), square(2, 5));
    let start = 0x463b_9618_1691_fc9c;
    let entries = [entry(start, e4, 3), entry(start, d4, 1), entry(0x823c_9b50_fd11_4196, c5, 1)];
    std::fs::write(&path, entries.concat()).unwrap();
    let (games, players) = play("4", "", &["--openings", path.to_str().unwrap()]);
    let first = |game: &PgnGame| game.start.san(game.moves[0]);
    both_colors(&games, &players, 1);
    let mut firsts = [first(&games[0]), first(&games[2])];
    firsts.sort();
    assert_eq!(firsts, ["d4", "e4"]);
    let sicilian = games.iter().find(|game| first(game) == "e4").unwrap();
    assert_eq!(sicilian.start.play(sicilian.moves[0]).san(sicilian.moves[1]), "c5");
    std::fs::write(&path, "no book").unwrap();
    let said = okapi(&["--player", QUICK, "--player", QUICK, "--openings", path.to_str().unwrap()]).output().unwrap();
    let said = String::from_utf8(said.stderr).unwrap();
    assert!(!said.contains("panicked") && said.contains("it is not a PolyGlot book"), "{said}");
}

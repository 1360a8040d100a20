//! Openings: positions from an EPD file or the first moves of games from a PGN file, in order or shuffled by a seed; lines of a
//! PolyGlot book, drawn by the weights of its moves; without a file, short random games that leave material even.
//!
//! If there are more rounds than openings, the openings are repeated in the same order.

use super::odds::Handicap;
use super::opening::Opening;
use super::polyglot::Book;
use super::random_openings;
use anyhow::{anyhow, ensure};
use board::FenError;
use board::{Color, Move, Position};
use pgn::{self, PgnError};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::HashSet;
use std::io::{BufRead, BufReader};
use std::ops::ControlFlow;
use std::path::Path;

/// Why an opening cannot be played, by either side at these odds if there are any: what follows a place in a file.
fn fault(opening: &Opening, odds: Option<Handicap>) -> Option<String> {
    let at_odds = odds.into_iter().flat_map(|handicap| Color::ALL.map(|giver| handicap.opening(opening, giver)));
    std::iter::once(Ok(opening.clone())).chain(at_odds).find_map(|opening| match opening {
        Ok(opening) => (!opening.is_playable()).then(|| "the game is over".to_owned()),
        Err(error) => Some(error.to_string()),
    })
}

/// How a file of openings is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpeningOptions {
    /// Shuffle them by the seed instead of taking them in order.
    pub shuffle: bool,
    /// The seed by which they are shuffled, or drawn from a book.
    pub seed: u64,
    /// The number of plies taken from a PGN game or a book; `None` for all of a game, and for [`BOOK_PLIES`].
    pub plies: Option<usize>,
    /// Play all of them as Chess960, not only those whose castling rights need it.
    pub chess960: bool,
    /// The number of openings needed.
    pub needed: u64,
    /// Odds at which all of them must be playable for both colors.
    pub odds: Option<Handicap>,
}

/// The plies taken from a book, unless the options say another number.
pub const BOOK_PLIES: usize = 16;

/// After so many lines of a book in a row that are known already, the others are drawn too seldom to wait for them.
const PATIENCE: usize = 1_000;

/// Whether a file is a book, by its name.
pub fn is_book(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("bin"))
}

/// What is wrong with the openings of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Faults {
    /// Those that cannot be played and are left out.
    pub refused: Faulty,
    /// Those of a PGN file that are played up to a move that cannot be read or played.
    pub cut: Faulty,
}

/// The openings of a file with a fault.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Faulty {
    /// How many openings.
    pub count: u64,
    /// Where the first of them is, and what is wrong with it.
    pub first: Option<String>,
}

impl Faulty {
    fn add(&mut self, what: impl FnOnce() -> String) {
        self.count += 1;
        self.first.get_or_insert_with(what);
    }
}

/// The openings of a match.
#[derive(Debug, Clone)]
pub enum Openings {
    /// Those of a file, not empty, in the order of play.
    Listed(Vec<Opening>),
    /// Random ones by this seed.
    Random(u64),
}

impl Openings {
    /// Reads a file: PGN if its name says so (`.pgn`, `.pgn.zst`), a book (`.bin`), else EPD or FEN, one position a line. Without
    /// shuffling, no more is read than is needed. Openings that cannot be played are left out and counted; those that are damaged behind
    /// their first moves have these alone and are counted, too.
    ///
    /// # Errors
    /// If the file cannot be read, or nothing in it can be played.
    pub fn read(path: &Path, options: &OpeningOptions) -> anyhow::Result<(Self, Faults)> {
        let mut faults = Faults::default();
        let is_book = is_book(path);
        let needed = usize::try_from(options.needed).unwrap_or(usize::MAX);
        let enough = if options.shuffle && !is_book { usize::MAX } else { needed };
        let read = match (pgn::is_pgn(path), is_book) {
            (true, _) => from_pgn,
            (_, true) => from_book,
            _ => from_epd,
        };
        let mut listed = read(path, options, enough, &mut faults)
            .map_err(|reason| anyhow!("cannot read the openings {}: {reason:#}", path.display()))?;
        let first = faults.refused.first.as_ref().map_or(String::new(), |first| format!(" ({first})"));
        ensure!(!listed.is_empty(), "{} has no opening that can be played{first}", path.display());
        if options.shuffle && !is_book {
            listed.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(options.seed));
        }
        Ok((Self::Listed(listed), faults))
    }

    /// The opening with this number, from 0.
    pub fn nth(&self, number: u64) -> Opening {
        match self {
            Self::Listed(list) => list[(number % list.len() as u64) as usize].clone(),
            Self::Random(seed) => random(&Position::start(), *seed, number),
        }
    }

    /// The same at odds that this color gives; of a file, those by which it was read.
    pub fn nth_at_odds(&self, number: u64, handicap: Handicap, giver: Color) -> Opening {
        match self {
            Self::Listed(_) => handicap.opening(&self.nth(number), giver).expect("openings without odds are left out"),
            Self::Random(seed) => {
                let start = handicap.start(&Position::start(), giver).expect("the first position has all pieces");
                random(&start, *seed, number)
            }
        }
    }

    /// The number of openings before they are repeated; `None` if they are not.
    pub fn distinct(&self) -> Option<u64> {
        match self {
            Self::Listed(list) => Some(list.len() as u64),
            Self::Random(_) => None,
        }
    }
}

/// The random opening of this number.
fn random(start: &Position, seed: u64, number: u64) -> Opening {
    Opening::new(start.clone(), random_openings::moves(start, seed, number), false)
}

fn from_epd(path: &Path, options: &OpeningOptions, enough: usize, faults: &mut Faults) -> anyhow::Result<Vec<Opening>> {
    let mut listed = Vec::new();
    for (line, number) in BufReader::new(pgn::open(path)?).split(b'\n').zip(1..) {
        let line = line?;
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_start_matches('\u{feff}').trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let read = |text| -> Result<Opening, FenError> {
            let (start, _) = Position::from_epd(text)?;
            let chess960 = options.chess960 || start.is_chess960();
            Ok(Opening::new(start, Vec::new(), chess960))
        };
        match read(text) {
            Ok(opening) => match fault(&opening, options.odds) {
                None => listed.push(opening),
                Some(fault) => faults.refused.add(|| format!("in line {number} {fault}")),
            },
            Err(error) => faults.refused.add(|| format!("in line {number} {error}")),
        }
        if listed.len() >= enough {
            break;
        }
    }
    Ok(listed)
}

fn from_pgn(path: &Path, options: &OpeningOptions, enough: usize, faults: &mut Faults) -> anyhow::Result<Vec<Opening>> {
    let mut listed = Vec::new();
    for game in pgn::read(path)? {
        match game {
            // Nothing of an opening is left.
            Ok(game) if game.is_cut && game.moves.is_empty() => {
                faults.refused.add(|| game.notes().next().unwrap_or_default());
            }
            Ok(mut game) => {
                let is_cut = game.is_cut && options.plies.is_none_or(|plies| game.moves.len() < plies);
                let mut moves = std::mem::take(&mut game.moves);
                moves.truncate(options.plies.unwrap_or(usize::MAX));
                let opening = Opening::new(game.start.clone(), moves, options.chess960 || game.chess960);
                match fault(&opening, options.odds) {
                    None => {
                        listed.push(opening);
                        if is_cut {
                            faults.cut.add(|| game.notes().next().unwrap_or_default());
                        }
                    }
                    Some(fault) => faults.refused.add(|| format!("after game {} {fault}", game.number)),
                }
            }
            Err(error @ PgnError::Game { .. }) => faults.refused.add(|| error.to_string()),
            Err(error) => return Err(error.into()),
        }
        if listed.len() >= enough {
            break;
        }
    }
    Ok(listed)
}

/// Lines of a book, each once, in the order in which they are drawn, so that a longer match begins with those of a shorter one; then those
/// that are hardly ever drawn, in the book's order.
fn from_book(
    path: &Path,
    options: &OpeningOptions,
    enough: usize,
    faults: &mut Faults,
) -> anyhow::Result<Vec<Opening>> {
    ensure!(!options.chess960, "a book has no openings of Chess960");
    let book = Book::read(path)?;
    let mut random = Xoshiro256PlusPlus::seed_from_u64(options.seed);
    let plies = options.plies.unwrap_or(BOOK_PLIES);
    let (mut listed, mut known, mut vain) = (Vec::new(), HashSet::new(), 0);
    let mut add = |moves: &[Move], listed: &mut Vec<Opening>| {
        let text = moves.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        let is_new = known.insert(text.clone());
        if is_new {
            let opening = Opening::new(Position::start(), moves.to_vec(), false);
            match fault(&opening, options.odds) {
                None => listed.push(opening),
                Some(fault) => faults.refused.add(|| format!("after {text} {fault}")),
            }
        }
        is_new
    };
    while listed.len() < enough && vain < PATIENCE {
        let moves = book.line(plies, &mut random);
        ensure!(!moves.is_empty(), "the book has no move for the standard starting position");
        vain = if add(&moves, &mut listed) { 0 } else { vain + 1 };
    }
    let _ = book.for_each_line(plies, &mut |moves| {
        if listed.len() < enough {
            add(moves, &mut listed);
            return ControlFlow::Continue(());
        }
        ControlFlow::Break(())
    });
    Ok(listed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::polyglot::tests::bytes;
    use std::path::PathBuf;

    fn file(name: &str, text: &str) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        (folder, path)
    }

    const IN_ORDER: OpeningOptions =
        OpeningOptions { shuffle: false, seed: 0, plies: None, chess960: false, needed: 100, odds: None };

    #[test]
    fn positions_come_in_order_and_again() {
        let (_folder, path) = file(
            "book.epd",
            "# a book\n4k3/8/8/8/8/8/8/4K2R w K - id \"one\";\n\nrubbish\n8/8/8/8/8/8/8/k1K5 w - -\r\n\
             1r3kr1/pppppppp/8/8/8/8/PPPPPPPP/1R3KR1 w KQkq - 0 1\n",
        );
        let (openings, Faults { refused, .. }) = Openings::read(&path, &IN_ORDER).unwrap();
        assert_eq!((openings.distinct(), refused.count), (Some(2), 2));
        assert!(refused.first.unwrap().starts_with("in line 4 the board has"), "the first is named");
        assert_eq!([0, 1, 2, 3].map(|number| openings.nth(number).chess960), [false, true, false, true]);
        let (openings, _) = Openings::read(&path, &OpeningOptions { needed: 1, chess960: true, ..IN_ORDER }).unwrap();
        assert_eq!((openings.distinct(), openings.nth(0).chess960), (Some(1), true));
    }

    #[test]
    fn a_file_without_openings_gets_a_sentence() {
        let (_folder, path) = file("book.epd", "rubbish\n");
        let error = Openings::read(&path, &IN_ORDER).unwrap_err().to_string();
        assert!(error.ends_with("has no opening that can be played (in line 1 the board has 1 rank instead of 8)"));
        for name in ["none.epd", "none.pgn"] {
            let error = Openings::read(&path.with_file_name(name), &IN_ORDER).unwrap_err().to_string();
            assert!(error.starts_with("cannot read the openings"), "{error}");
        }
    }

    #[test]
    fn games_give_their_first_plies() {
        let (_folder, path) =
            file("book.PGN", "[White \"a\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n[White \"b\"]\n\n1. Ke2 e5 *\n");
        let (openings, faults) = Openings::read(&path, &OpeningOptions { plies: Some(3), ..IN_ORDER }).unwrap();
        assert_eq!((openings.distinct(), openings.nth(0).moves.len()), (Some(1), 3));
        assert_eq!((faults.refused.count, faults.cut.count), (1, 0), "{faults:?}");
        let error = Openings::read(&path, &IN_ORDER).unwrap_err().to_string();
        assert!(error.ends_with("(after game 1 the game is over)"), "{error}");
    }

    #[test]
    fn a_game_with_a_bad_move_is_played_up_to_it() {
        let (_folder, path) =
            file("two.pgn", "[White \"a\"]\n\n1. e4 e5 2. Nf3 Nc6 *\n\n[White \"b\"]\n\n1. d4 d5 2. Kd8 c6 *\n");
        for (plies, moves, cut) in [(None, [4, 2], 1), (Some(3), [3, 2], 1), (Some(2), [2, 2], 0)] {
            let (openings, faults) = Openings::read(&path, &OpeningOptions { plies, ..IN_ORDER }).unwrap();
            assert_eq!((openings.distinct(), faults.refused.count, faults.cut.count), (Some(2), 0, cut), "{faults:?}");
            assert_eq!([0, 1].map(|number| openings.nth(number).moves.len()), moves);
            assert!(faults.cut.first.is_none_or(|first| {
                first.ends_with("; the 2 moves before it are kept, and the rest of the game is left out")
            }));
        }
    }

    #[test]
    fn a_seed_shuffles() {
        let lines: String = (1..60).map(|halfmove| format!("4k3/8/8/8/8/8/8/4K2R w K - {halfmove} 50\n")).collect();
        let (_folder, path) = file("book.epd", &lines);
        let order = |seed: Option<u64>| {
            let options = OpeningOptions { shuffle: seed.is_some(), seed: seed.unwrap_or(0), ..IN_ORDER };
            Openings::read(&path, &options).unwrap().0
        };
        let clocks = |shuffle| -> Vec<u8> {
            let openings = order(shuffle);
            (0..59).map(|number| openings.nth(number).start.halfmove_clock()).collect()
        };
        let [plain, one, again, two] = [None, Some(1), Some(1), Some(2)].map(clocks);
        assert_eq!(plain, Vec::from_iter(1..60));
        assert_eq!(one, again);
        assert!(one != two && one != plain && two != plain);
        assert_eq!(one.iter().collect::<HashSet<_>>().len(), 59);
    }

    #[test]
    fn a_book_gives_different_lines_by_its_seed() {
        let moves = [
            ("", "e2e4", 5),
            ("", "d2d4", 1),
            ("e2e4", "e7e5", 1),
            ("e2e4", "c7c5", 1),
            ("d2d4", "d7d5", 1),
            ("d2d4 d7d5", "c2c4", 1),
        ];
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book.BIN");
        std::fs::write(&path, bytes(&moves)).unwrap();
        let lines = |seed, needed, plies| {
            let options = OpeningOptions { seed, needed, plies, ..IN_ORDER };
            let (openings, faults) = Openings::read(&path, &options).unwrap();
            assert_eq!(faults, Faults::default());
            let line = |number| {
                let moves: Vec<String> = openings.nth(number).moves.iter().map(ToString::to_string).collect();
                moves.join(" ")
            };
            (0..openings.distinct().unwrap()).map(line).collect::<Vec<_>>()
        };
        let all = lines(1, 100, None);
        let mut sorted = all.clone();
        sorted.sort();
        assert_eq!(sorted, ["d2d4 d7d5 c2c4", "e2e4 c7c5", "e2e4 e7e5"]);
        assert_eq!(lines(1, 2, None), all[..2]);
        assert_eq!(lines(1, 100, Some(1)).len(), 2);
        assert!((2..9).any(|seed| lines(seed, 100, None) != all));
        // A line that is hardly ever drawn comes last, and one that is never drawn not at all.
        let skewed = [("", "e2e4", 1), ("", "d2d4", 0), ("e2e4", "e7e5", 65535), ("e2e4", "c7c5", 1)];
        std::fs::write(&path, bytes(&skewed)).unwrap();
        for seed in 1..5 {
            assert_eq!(lines(seed, 100, None), ["e2e4 e7e5", "e2e4 c7c5"]);
            assert_eq!(lines(seed, 1, None), ["e2e4 e7e5"]);
        }
        std::fs::write(&path, bytes(&[("e2e4", "e7e5", 1)])).unwrap();
        let error = Openings::read(&path, &IN_ORDER).unwrap_err().to_string();
        assert!(error.ends_with("the book has no move for the standard starting position"), "{error}");
    }

    #[test]
    fn a_file_says_what_it_is_and_no_more_is_read_than_is_needed() {
        assert_eq!(["a.bin", "a.BIN", "a.epd", "bin"].map(|name| is_book(Path::new(name))), [true, true, false, false]);
        let text = "[White \"a\"]\n\n1. e4 *\n\n[White \"b\"]\n\n1. d4 *\n\n[White \"c\"]\n\n1. c4 d5 *\n";
        let (_folder, path) = file("three.pgn", text);
        for needed in [1, 2, 3, 4] {
            let (openings, _) = Openings::read(&path, &OpeningOptions { needed, ..IN_ORDER }).unwrap();
            assert_eq!((openings.distinct(), openings.nth(0).chess960), (Some(needed.min(3)), false));
        }
        let (openings, _) = Openings::read(&path, &OpeningOptions { needed: 1, chess960: true, ..IN_ORDER }).unwrap();
        assert!(openings.nth(0).chess960);
        // What is shuffled is read to its end.
        let shuffled = OpeningOptions { needed: 1, shuffle: true, ..IN_ORDER };
        assert_eq!(Openings::read(&path, &shuffled).unwrap().0.distinct(), Some(3));
        let (_folder, path) = file(
            "960.pgn",
            "[Variant \"Chess960\"]\n[SetUp \"1\"]\n\
             [FEN \"1r3kr1/pppppppp/8/8/8/8/PPPPPPPP/1R3KR1 w KQkq - 0 1\"]\n\n1. a3 *\n",
        );
        assert!(Openings::read(&path, &IN_ORDER).unwrap().0.nth(0).chess960);
        assert_eq!(Openings::Random(1).distinct(), None);
    }

    #[test]
    fn openings_without_the_piece_of_the_odds_are_left_out() {
        let text = "3qk3/8/8/8/8/8/8/3QK2R w K - 0 1\n4k3/8/8/8/8/8/8/3QK2R w K - 0 1\n";
        let (_folder, path) = file("odds.epd", text);
        let odds = Some(Handicap::Queen);
        let (openings, faults) = Openings::read(&path, &OpeningOptions { odds, ..IN_ORDER }).unwrap();
        assert_eq!((openings.distinct(), faults.refused.count), (Some(1), 1));
        assert_eq!(faults.refused.first.unwrap(), "in line 2 Black has no queen to give");
        let given = openings.nth_at_odds(3, Handicap::Queen, Color::Black);
        assert_eq!(given.start.to_fen(false), "4k3/8/8/8/8/8/8/3QK2R w K - 0 1");
        // A book's line in which the queen moves is left out, and named.
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book.bin");
        std::fs::write(&path, bytes(&[("", "e2e4", 1), ("e2e4", "e7e5", 1), ("e2e4 e7e5", "d1h5", 1)])).unwrap();
        let error = Openings::read(&path, &OpeningOptions { odds, ..IN_ORDER }).unwrap_err().to_string();
        let reason = "(after e2e4 e7e5 d1h5 its moves cannot be played without the queen)";
        assert!(error.ends_with(reason), "{error}");
        let (openings, _) = Openings::read(&path, &OpeningOptions { odds, plies: Some(2), ..IN_ORDER }).unwrap();
        assert_eq!(openings.distinct(), Some(1));
        let error = Openings::read(&path, &OpeningOptions { chess960: true, ..IN_ORDER }).unwrap_err().to_string();
        assert!(error.ends_with("a book has no openings of Chess960"), "{error}");
    }
}

//! Start positions from files: EPD or FEN, a position a line, or PGN, from which only the moves are taken. Files ending in
//! `.zst` are decompressed while they are read.
//!
//! Files are streamed, and a sample of bounded size is kept in which every position read has the same chance.
//!
//! CITE: Vitter, "Random sampling with a reservoir", ACM TOMS 11(1), 1985, Algorithm R (credited to Waterman).

use crate::streams::stream;
use anyhow::{Context, bail};
use board::Position;
use pgn::position_file;
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::HashSet;
use std::path::Path;

/// The most positions kept: some 100 MB.
pub const SAMPLE: usize = 500_000;

/// What was read from a file of start positions.
#[derive(Debug)]
pub struct Started {
    /// The sample, in an order that the seed determines.
    pub positions: Vec<Position>,
    /// Positions read, of which the sample was taken.
    pub read: u64,
    /// One sentence for each fault of a game or line, at most [`SHOWN`] of them; the moves before a fault are used.
    pub refused: Vec<String>,
    /// How many faults there are.
    pub refusals: u64,
}

/// How many refusals are kept as sentences.
pub const SHOWN: usize = 5;

/// Reads start positions in which the game has not ended and whose keys are not in `excluded`.
///
/// # Errors
/// If the file cannot be read or holds no position that can be used.
pub fn read(path: &Path, excluded: &HashSet<u64>, seed: u64) -> anyhow::Result<Started> {
    // The streams of iterations begin at 1.
    let mut reservoir = Reservoir::new(SAMPLE, stream(seed, 0, u64::MAX));
    let mut add = |position: &Position| {
        if position.outcome().is_none() && !excluded.contains(&position.key()) {
            reservoir.offer(position);
        }
    };
    let mut refused = Vec::new();
    let mut refusals = 0;
    let mut refuse = |why: String| {
        refusals += 1;
        if refused.len() < SHOWN {
            refused.push(why);
        }
    };
    if pgn::is_pgn(path) {
        for game in pgn::read(path)? {
            match game {
                Ok(game) => {
                    game.notes().for_each(&mut refuse);
                    let mut position = game.start;
                    add(&position);
                    for mv in game.moves {
                        position = position.play(mv);
                        add(&position);
                    }
                }
                Err(error @ pgn::PgnError::Game { .. }) => refuse(error.to_string()),
                Err(error) => return Err(error).with_context(|| path.display().to_string()),
            }
        }
    } else {
        position_file::for_each(path, |number, position| {
            match position {
                Ok(position) => add(&position),
                Err(error) => refuse(format!("{} line {number}: {error}", path.display())),
            }
            Ok(())
        })?;
    }
    let Reservoir { kept: positions, read, .. } = reservoir;
    if positions.is_empty() {
        match refused.first() {
            Some(first) => bail!("{} has no start position that can be used ({first})", path.display()),
            None => bail!("{} has no start position that can be used", path.display()),
        }
    }
    Ok(Started { positions, read, refused, refusals })
}

struct Reservoir {
    capacity: usize,
    random: Xoshiro256PlusPlus,
    kept: Vec<Position>,
    read: u64,
}

impl Reservoir {
    fn new(capacity: usize, random: Xoshiro256PlusPlus) -> Self {
        Self { capacity, random, kept: Vec::new(), read: 0 }
    }

    fn offer(&mut self, position: &Position) {
        self.read += 1;
        if self.kept.len() < self.capacity {
            self.kept.push(position.clone());
        } else {
            let place = self.random.random_range(0..self.read);
            if place < self.capacity as u64 {
                self.kept[place as usize] = position.clone();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pgn::position_file::keys;
    use std::fs::File;
    use std::io::Write;

    fn file(name: &str, text: &str) -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        File::create(&path).unwrap().write_all(text.as_bytes()).unwrap();
        (folder, path)
    }

    #[test]
    fn lines_are_read_bad_ones_counted_and_excluded_ones_left_out() {
        let start = Position::start().to_fen(false);
        let other = "4k3/8/8/8/8/8/4P3/4K3 w - - bm e4;";
        let mated = "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1";
        let (_folder, path) = file("some.epd", &format!("# a comment\r\n{start}\r\n\n{other}\nnonsense\n{mated}\n"));
        let started = read(&path, &HashSet::new(), 1).unwrap();
        assert_eq!((started.positions.len(), started.read, started.refusals), (2, 2, 1));
        assert!(started.refused[0].contains("line 5"), "{:?}", started.refused);
        let (_exclusions, excluded) = file("tests.epd", other);
        let excluded = keys([excluded.as_path()]).unwrap();
        let started = read(&path, &excluded, 1).unwrap();
        assert_eq!(started.positions, [Position::start()]);
        assert!(keys([path.as_path()]).unwrap_err().to_string().contains("line 5"));
        let (_folder, empty) = file("empty.epd", "\n");
        assert!(read(&empty, &HashSet::new(), 1).unwrap_err().to_string().contains("no start position"));
    }

    #[test]
    fn games_give_every_position_of_their_moves() {
        let (_folder, path) = file("games.pgn", "[White \"a\"]\n\n1. e4 e5 2. Nf3 (2. f4) Nc6 1-0\n\n1. d4 *\n");
        let started = read(&path, &HashSet::new(), 1).unwrap();
        assert_eq!((started.read, started.refusals), (5 + 2, 0));
    }

    #[test]
    fn only_the_first_refusals_are_told() {
        let lines: String = (0..7).map(|number| format!("nonsense {number}\n")).collect();
        let (_folder, path) = file("some.epd", &format!("{lines}{}\n", Position::start().to_fen(false)));
        let started = read(&path, &HashSet::new(), 1).unwrap();
        assert_eq!((started.read, started.refusals, started.refused.len()), (1, 7, 5));
        let told = |line: usize| started.refused[line - 1].starts_with(&format!("{} line {line}:", path.display()));
        assert!((1..=5).all(told), "{:?}", started.refused);
    }

    #[test]
    fn every_position_has_the_same_chance() {
        let at_move = |number| Position::from_fen(&format!("7k/8/8/8/8/8/8/K7 w - - 0 {number}")).unwrap();
        let positions: Vec<Position> = (1..=10).map(at_move).collect();
        let mut counts = [0; 10];
        for index in 0..2_000 {
            let mut reservoir = Reservoir::new(4, stream(1, 1, index));
            positions.iter().for_each(|position| reservoir.offer(position));
            assert_eq!((reservoir.kept.len(), reservoir.read), (4, 10));
            reservoir.kept.iter().for_each(|kept| counts[usize::from(kept.fullmove_number()) - 1] += 1);
        }
        // 800 of each, with a standard deviation of 22.
        assert!(counts.iter().all(|count| (700..900).contains(count)), "{counts:?}");
    }
}

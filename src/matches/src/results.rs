//! The results of a match whose games end in any order: each is recorded at once, and counted when all games before it are
//! there. So the sequential test, the PGN file and the report do not depend on which games happen to be short.

use super::record::{GameRecord, Record};
use super::schedule::Schedule;
use super::sprt::{Sprt, Verdict};
use super::standings::{HeadToHead, Standings};
use anyhow::anyhow;
use std::collections::BTreeMap;
use std::io::Write;
use std::ops::ControlFlow;

/// The results of a match.
pub struct Results<'a> {
    sprt: Option<&'a Sprt>,
    record: Option<Record>,
    /// The PGN file, which grows as games are counted.
    pgn: Option<Box<dyn Write + Send>>,
    /// Games that wait for one before them, by number.
    waiting: BTreeMap<u64, GameRecord>,
    /// The number, from 1, of the first game that is not counted yet.
    next: u64,
    counted: Standings,
    /// Every game, counted or waiting.
    all: Standings,
    decided: bool,
}

impl<'a> Results<'a> {
    /// No results yet, for these players.
    pub fn new(
        names: Vec<String>,
        sprt: Option<&'a Sprt>,
        record: Option<Record>,
        pgn: Option<Box<dyn Write + Send>>,
    ) -> Self {
        let (counted, all) = (Standings::new(names.clone()), Standings::new(names));
        Self { sprt, record, pgn, waiting: BTreeMap::new(), next: 1, counted, all, decided: false }
    }

    /// Adds the games of an earlier run that are in the schedule; returns the numbers of the missing games, from 0.
    ///
    /// # Errors
    /// If the PGN file fails.
    pub fn resume(&mut self, games: Vec<GameRecord>, schedule: &Schedule) -> anyhow::Result<Vec<u64>> {
        for game in games.into_iter().filter(|game| game.game <= schedule.games()) {
            self.all.add(&game, 0);
            self.waiting.insert(game.game, game);
        }
        let missing = (0..schedule.games()).filter(|game| !self.waiting.contains_key(&(game + 1))).collect();
        // `is_decided` tells whether the test has decided already.
        let _ = self.count()?;
        Ok(missing)
    }

    /// Adds a game that has just ended; breaks when the test has decided.
    ///
    /// # Errors
    /// If a file fails.
    pub fn add(&mut self, game: GameRecord) -> anyhow::Result<ControlFlow<()>> {
        if let Some(record) = &mut self.record {
            record.add(&game)?;
        }
        self.all.add(&game, 0);
        self.waiting.insert(game.game, game);
        self.count()
    }

    /// Whether the test has decided.
    pub fn is_decided(&self) -> bool {
        self.decided
    }

    /// Every game so far, counted or not.
    pub fn so_far(&self) -> &Standings {
        &self.all
    }

    /// The games that count when the match is over: all of them, or up to the pair that decided the test.
    ///
    /// # Errors
    /// If the PGN file fails.
    pub fn close(mut self) -> anyhow::Result<Standings> {
        if !self.decided {
            // A match that was stopped has gaps.
            for game in std::mem::take(&mut self.waiting).into_values() {
                self.count_game(&game)?;
            }
        }
        Ok(self.counted)
    }

    /// Counts the games that no longer wait for another.
    fn count(&mut self) -> anyhow::Result<ControlFlow<()>> {
        while !self.decided
            && let Some(game) = self.waiting.remove(&self.next)
        {
            self.next += 1;
            self.count_game(&game)?;
            // The test is asked only after whole pairs.
            if let Some(sprt) = self.sprt
                && game.game.is_multiple_of(2)
            {
                let score = self.counted.head_to_heads.first().map(HeadToHead::score).unwrap_or_default();
                self.decided = sprt.verdict(sprt.llr(&score)) != Verdict::Continue;
            }
        }
        Ok(if self.decided { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }

    fn count_game(&mut self, game: &GameRecord) -> anyhow::Result<()> {
        self.counted.add(game, 0);
        if let Some(pgn) = &mut self.pgn {
            let written = pgn.write_all(game.pgn.as_bytes()).and_then(|()| pgn.flush());
            written.map_err(|error| anyhow!("cannot write the PGN file: {error}"))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::pgn_file::holds_only;
    use super::super::schedule::Format;
    use super::super::sprt::EloModel;
    use super::super::termination::Termination;
    use super::*;
    use pgn::GameResult;
    use support::output::Output;

    /// Game `number` of A against B, won by A.
    fn won(number: u64) -> GameRecord {
        let (white, black, result) = match number % 2 {
            1 => ("A", "B", GameResult::WhiteWins),
            _ => ("B", "A", GameResult::BlackWins),
        };
        let (white, black, reason) = (white.into(), black.into(), String::new());
        GameRecord {
            game: number,
            white,
            black,
            result,
            termination: Termination::Mate,
            reason,
            pgn: format!("{number} "),
            limit_uses: Default::default(),
            runner_lateness: None,
        }
    }

    fn names() -> Vec<String> {
        vec!["A".into(), "B".into()]
    }

    #[test]
    fn games_are_counted_in_order_whatever_order_they_end_in() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.pgn");
        let pgn = Output::check(&path, &[], false).unwrap().stream().unwrap();
        let mut results = Results::new(names(), None, None, Some(pgn));
        for (number, text) in [(2, ""), (1, "1 2 "), (5, "1 2 "), (4, "1 2 "), (3, "1 2 3 4 5 "), (7, "1 2 3 4 5 ")] {
            assert!(results.add(won(number)).unwrap().is_continue());
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(results.so_far().white.games(), 6);
        assert_eq!(results.close().unwrap().white.games(), 6);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "1 2 3 4 5 7 ");
        // A match that goes on may write its own games again, and no others.
        let known = [7, 1, 2, 3, 4, 5, 6].map(won);
        assert!(holds_only(&path, &known) && !holds_only(&path, &known[..5]) && !holds_only(&path, &[]));
        for (text, ours) in [("", true), ("1 2 3", true), ("2 4 ", true), ("1 2 x", false), ("2 1 ", false)] {
            std::fs::write(&path, text).unwrap();
            assert_eq!(holds_only(&path, &known), ours, "{text}");
        }
    }

    #[test]
    fn the_test_stops_at_the_same_pair_in_any_order() {
        let sprt = Sprt::new(0.0, 50.0, 0.05, 0.05, EloModel::Logistic).unwrap();
        let stopped_at = |order: &[u64]| {
            let mut results = Results::new(names(), Some(&sprt), None, None);
            let stop = order.iter().find(|&&number| results.add(won(number)).unwrap().is_break());
            (stop.is_some() && results.is_decided(), results.close().unwrap().white.games())
        };
        let forward: Vec<u64> = (1..=60).collect();
        let (decided, games) = stopped_at(&forward);
        assert!(decided && games.is_multiple_of(2) && games < 60, "{games}");
        let backward: Vec<u64> = forward.iter().rev().copied().collect();
        assert_eq!(stopped_at(&backward), (true, games));
        // The second game of the pair is awaited.
        assert_eq!(stopped_at(&forward[..games as usize - 1]), (false, games - 1));
    }

    #[test]
    fn a_match_continues_with_the_missing_games() {
        let schedule = Schedule::new(2, Format::Gauntlet, 3);
        let mut results = Results::new(names(), None, None, None);
        assert_eq!(results.resume(vec![won(5), won(1), won(99)], &schedule).unwrap(), [1, 2, 3, 5]);
        assert_eq!(results.so_far().white.games(), 2);
    }
}

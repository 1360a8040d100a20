//! The games of a match, added up: each two players' score, colors, terminations and faults.

use super::limit_uses::LimitUses;
use super::ratings::Pairing;
use super::record::GameRecord;
use super::runner_lateness::RunnerLateness;
use super::score::{MatchScore, Points, Trinomial};
use super::tally::Tally;
use super::termination::Termination;
use pgn::GameResult;
use serde::Serialize;
use std::collections::BTreeMap;

/// All games of two players, from the first one's side.
#[derive(Debug, Clone, Default)]
pub struct HeadToHead {
    /// The number of the player whose score it is.
    pub first: usize,
    /// Its opponent's number.
    pub second: usize,
    /// The first player's games with White and with Black.
    pub by_color: [Trinomial; 2],
    tally: Tally,
}

impl HeadToHead {
    /// The first player's score.
    pub fn score(&self) -> MatchScore {
        self.tally.score()
    }
}

/// The games that a player lost by one kind of fault: time, an illegal move, a crash or a stall.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Faults {
    /// The player that lost.
    pub player: String,
    /// The fault.
    pub kind: Termination,
    /// The games' numbers, from 1.
    pub games: Vec<u64>,
}

/// The games of a match, or of several.
#[derive(Debug, Clone, Default)]
pub struct Standings {
    /// The players' names.
    pub names: Vec<String>,
    /// Each two players that met.
    pub head_to_heads: Vec<HeadToHead>,
    /// White's score over all games.
    pub white: Trinomial,
    /// The number of games by termination.
    pub terminations: BTreeMap<Termination, u64>,
    /// The faults by which players lost, in the order of the first game of each.
    pub faults: Vec<Faults>,
    /// `(player)`: how each kept its limits.
    pub limit_uses: Vec<LimitUses>,
    /// How late the runner itself was in the games with time limits; `None` without such games.
    pub runner_lateness: Option<RunnerLateness>,
}

impl Standings {
    /// No games yet, of these players; others are added with their first game.
    pub fn new(names: Vec<String>) -> Self {
        Self { limit_uses: vec![LimitUses::default(); names.len()], names, ..Self::default() }
    }

    /// Counts a game of a match; `run` is the number of the match, so that pairs of different matches do not mix.
    pub fn add(&mut self, game: &GameRecord, run: u32) {
        let [white, black] = [&game.white, &game.black].map(|name| self.number_of(name));
        let points = match game.result {
            GameResult::WhiteWins => Points::Win,
            GameResult::Draw => Points::Draw,
            GameResult::BlackWins => Points::Loss,
        };
        let (first, second) = (white.min(black), white.max(black));
        let (side, of_first) = if white == first { (0, points) } else { (1, points.reversed()) };
        let head_to_head = self.head_to_head_of(first, second);
        head_to_head.tally.add(u64::from(run) << 32 | game.pair(), of_first);
        head_to_head.by_color[side].count(of_first);
        for (player, uses) in [white, black].into_iter().zip(game.limit_uses) {
            self.limit_uses[player] += uses;
        }
        if let Some(lateness) = game.runner_lateness {
            *self.runner_lateness.get_or_insert_default() += lateness;
        }
        self.white.count(points);
        *self.terminations.entry(game.termination).or_insert(0) += 1;
        if game.termination.is_fault() {
            let (kind, player) = (game.termination, if points == Points::Win { &game.black } else { &game.white });
            match self.faults.iter_mut().find(|faults| faults.player == *player && faults.kind == kind) {
                Some(faults) => faults.games.push(game.game),
                None => self.faults.push(Faults { player: player.clone(), kind, games: vec![game.game] }),
            }
        }
    }

    /// The scores between each two players, for ratings.
    pub fn pairings(&self) -> Vec<Pairing> {
        let pairing = |met: &HeadToHead| Pairing { first: met.first, second: met.second, score: met.score() };
        self.head_to_heads.iter().map(pairing).collect()
    }

    fn number_of(&mut self, name: &str) -> usize {
        self.names.iter().position(|known| known == name).unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.limit_uses.push(LimitUses::default());
            self.names.len() - 1
        })
    }

    fn head_to_head_of(&mut self, first: usize, second: usize) -> &mut HeadToHead {
        let at = self.head_to_heads.iter().position(|met| (met.first, met.second) == (first, second));
        let at = at.unwrap_or_else(|| {
            self.head_to_heads.push(HeadToHead { first, second, ..HeadToHead::default() });
            self.head_to_heads.len() - 1
        });
        &mut self.head_to_heads[at]
    }
}

#[cfg(test)]
mod tests {
    use super::super::report::MatchReport;
    use super::*;

    fn game(game: u64, white: &str, black: &str, result: GameResult, termination: Termination) -> GameRecord {
        let (white, black, reason, pgn) = (white.into(), black.into(), String::new(), String::new());
        let (limit_uses, runner_lateness) = Default::default();
        GameRecord { game, white, black, result, termination, reason, pgn, limit_uses, runner_lateness }
    }

    #[test]
    fn games_add_up_from_the_first_players_side() {
        let mut standings = Standings::new(vec!["A".into(), "B".into()]);
        standings.add(&game(1, "A", "B", GameResult::WhiteWins, Termination::Mate), 0);
        standings.add(&game(2, "B", "A", GameResult::BlackWins, Termination::Crash), 0);
        standings.add(&game(3, "A", "B", GameResult::Draw, Termination::Repetition), 0);
        // The same number in another run is another pair.
        standings.add(&game(4, "B", "A", GameResult::WhiteWins, Termination::TimeLoss), 1);
        standings.add(&game(5, "C", "A", GameResult::WhiteWins, Termination::Mate), 0);
        let met = &standings.head_to_heads[0];
        assert_eq!(met.score().pairs().0, [0, 0, 0, 0, 1]);
        assert_eq!(met.score().total(), Trinomial { wins: 2, draws: 1, losses: 1 });
        assert_eq!(met.by_color[0], Trinomial { wins: 1, draws: 1, losses: 0 });
        assert_eq!(met.by_color[1], Trinomial { wins: 1, draws: 0, losses: 1 });
        assert_eq!((standings.head_to_heads[1].first, standings.head_to_heads[1].second), (0, 2));
        assert_eq!(standings.white, Trinomial { wins: 3, draws: 1, losses: 1 });
        let faults: Vec<_> =
            standings.faults.iter().map(|faults| (&faults.player[..], faults.kind, &faults.games[..])).collect();
        assert_eq!(faults, [("B", Termination::Crash, &[2][..]), ("A", Termination::TimeLoss, &[4])]);
        assert_eq!(standings.terminations[&Termination::Mate], 2);
        assert_eq!(standings.names, ["A", "B", "C"]);
    }

    #[test]
    fn the_runners_lateness_adds_up_over_the_games_that_have_one() {
        let mut standings = Standings::new(vec!["A".into(), "B".into()]);
        let drawn = |number| game(number, "A", "B", GameResult::Draw, Termination::Repetition);
        standings.add(&drawn(1), 0);
        assert_eq!(standings.runner_lateness, None);
        for (number, worst_us) in [(2, 9_000), (3, 400)] {
            let lateness = RunnerLateness { waits: 100, late: worst_us / 5_000, total_us: 20_000, worst_us };
            standings.add(&GameRecord { runner_lateness: Some(lateness), ..drawn(number) }, 0);
        }
        let all = RunnerLateness { waits: 200, late: 1, total_us: 40_000, worst_us: 9_000 };
        assert_eq!(standings.runner_lateness, Some(all));
        // The report has it as a line, and as numbers.
        let report = MatchReport::new(&standings, None, None).unwrap();
        let line =
            "runner     at most 9.0 ms late, 0.20 ms on the mean; more than 5 ms late in 1 of 200 waits of 10 ms\n";
        assert!(report.to_string().contains(line), "{report}");
        let json = serde_json::to_value(&report).unwrap();
        let numbers = serde_json::json!({"waits": 200, "late": 1, "total_us": 40_000, "worst_us": 9_000});
        assert_eq!(json["runner_lateness"], numbers);
    }
}

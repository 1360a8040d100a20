//! Plays what is missing of a match and adds each game to the results as it ends.

use super::pgn_file;
use super::record::GameRecord;
use super::results::Results;
use super::runner::Runner;
use std::ops::ControlFlow;

/// Plays the games with the numbers `missing`, from 0, until the sequential test has decided or `stop` says so, and shows
/// each to `finished`. Returns whether the match is complete.
///
/// # Errors
/// If a player cannot play, or a game cannot be recorded.
pub fn play(
    runner: &Runner,
    results: &mut Results,
    missing: &[u64],
    stop: &(dyn Fn() -> bool + Sync),
    finished: &mut dyn FnMut(&GameRecord, &Results),
) -> anyhow::Result<bool> {
    if results.is_decided() || missing.is_empty() {
        return Ok(true);
    }
    let (mut failed, mut ended) = (None, 0);
    let played = runner.run(missing, stop, &mut |fixture, played| {
        let [white, black] = fixture.players.map(|number| runner.players[number].description.name.clone());
        let opening = runner.opening(fixture);
        let game = GameRecord {
            game: fixture.game + 1,
            white,
            black,
            result: played.result,
            termination: played.termination,
            pgn: pgn_file::text(fixture, runner.players, &opening, &played),
            reason: played.reason,
            limit_uses: played.limit_uses,
            runner_lateness: played.runner_lateness,
        };
        let added = results.add(game.clone());
        ended += 1;
        finished(&game, results);
        added.unwrap_or_else(|error| {
            failed = Some(error);
            ControlFlow::Break(())
        })
    });
    if let Some(error) = failed {
        return Err(error);
    }
    played?;
    Ok(results.is_decided() || ended == missing.len())
}

#[cfg(test)]
mod tests {
    use super::super::game::Rules;
    use super::super::header::PlayerDescription;
    use super::super::odds::{Handicap, Odds};
    use super::super::opening::Opening;
    use super::super::openings::Openings;
    use super::super::runner::MatchPlayer;
    use super::super::schedule::{Format, Schedule};
    use super::super::sprt::{EloModel, Sprt};
    use super::super::termination::Termination;
    use super::super::time_control::TimeControl;
    use super::*;
    use board::{Game, Position};
    use player::{Fault, InfoLine, MoveLimits, Player, Reply};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    use std::time::Duration;
    use support::pool::Stop;

    /// Steps aside with its king, or exits.
    struct Fake {
        crashes: bool,
        speaks_uci: bool,
    }

    impl Player for Fake {
        fn name(&self) -> &str {
            "fake"
        }

        fn new_game(&mut self, _chess960: bool) -> Result<(), Fault> {
            if self.speaks_uci { Ok(()) } else { Err(Fault::NotUci("silence".into())) }
        }

        fn go(&mut self, game: &Game, _limits: &MoveLimits, _stop: &Stop) -> Result<Reply, Fault> {
            if self.crashes {
                return Err(Fault::Crash("signal 9".into()));
            }
            let best = game.position().parse_uci(["e1d1", "e8d8"][game.moves().len() % 2]).unwrap();
            Ok(Reply { best, ponder: None, info: InfoLine::default(), elapsed: Duration::ZERO })
        }
    }

    /// A player and how often it has been started.
    fn player(name: &str, limit: (&str, &str), crashes: bool) -> (MatchPlayer, Arc<AtomicUsize>) {
        let mut time_control = TimeControl::default();
        time_control.set(limit.0, limit.1).unwrap();
        let (name, [engine, limits, program]) = (name.to_owned(), Default::default());
        let starts = Arc::new(AtomicUsize::new(0));
        let counted = starts.clone();
        let factory = move || {
            counted.fetch_add(1, Relaxed);
            Ok(Box::new(Fake { crashes, speaks_uci: true }) as Box<dyn Player>)
        };
        let description = PlayerDescription { name, engine, limits, program };
        (MatchPlayer { description, time_control, factory: Box::new(factory), files: Vec::new() }, starts)
    }

    fn openings() -> Openings {
        let start = Position::from_fen("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1").unwrap();
        Openings::Listed(vec![Opening::new(start, Vec::new(), false)])
    }

    fn runner<'a>(players: &'a [MatchPlayer], schedule: &'a Schedule, openings: &'a Openings) -> Runner<'a> {
        let rules = Rules { max_moves: Some(1), ..Rules::default() };
        Runner { players, schedule, openings, odds: None, rules, concurrency: 1 }
    }

    fn results(sprt: Option<&Sprt>) -> Results<'_> {
        Results::new(vec!["A".into(), "B".into()], sprt, None, None)
    }

    #[test]
    fn missing_games_are_played_and_shown_and_written() {
        let (schedule, openings) = (Schedule::new(2, Format::Gauntlet, 2), openings());
        let ((a, starts), (b, _)) = (player("A", ("nodes", "9"), false), player("B", ("depth", "2"), false));
        let players = [a, b];
        let (runner, mut results) = (runner(&players, &schedule, &openings), results(None));
        let mut shown = Vec::new();
        let mut show = |game: &GameRecord, results: &Results| {
            shown.push((game.game, game.white.clone(), results.so_far().white.games(), game.pgn.clone()));
        };
        assert!(!play(&runner, &mut results, &[1, 2], &|| true, &mut show).unwrap(), "it is stopped at once");
        assert!(play(&runner, &mut results, &[1, 2], &|| false, &mut show).unwrap());
        assert!(play(&runner, &mut results, &[], &|| false, &mut show).unwrap());
        assert_eq!(starts.load(Relaxed), 1, "one player for all games");
        let [(2, second, 1, text), (3, third, 2, _)] = &shown[..] else { panic!("{shown:?}") };
        assert_eq!([second, third], ["B", "A"]);
        let expected = "[Event \"okapi match\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"2\"]\n[White \"B\"]\n\
                        [Black \"A\"]\n[Result \"1/2-1/2\"]\n[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\
                        [WhiteTimeControl \"depth 2\"]\n[BlackTimeControl \"9 nodes\"]\n[PlyCount \"2\"]\n\
                        [Termination \"adjudication\"]\n\n\
                        1. Kd1 {0.000s} 1... Kd8 {0.000s} {Draw by the limit of 1 moves} 1/2-1/2\n\n";
        assert_eq!(text, expected);
        assert_eq!(results.close().unwrap().white.draws, 2);
    }

    #[test]
    fn a_game_with_a_clock_has_its_date() {
        let (schedule, openings) = (Schedule::new(2, Format::Gauntlet, 1), openings());
        let players = ["A", "B"].map(|name| player(name, ("tc", "60"), false).0);
        let mut text = String::new();
        let mut show = |game: &GameRecord, _: &Results| text.clone_from(&game.pgn);
        play(&runner(&players, &schedule, &openings), &mut results(None), &[0], &|| false, &mut show).unwrap();
        let date = text.lines().find_map(|line| line.strip_prefix("[Date \"")?.strip_suffix("\"]")).unwrap();
        let parts: Vec<_> = date.split('.').map(|part| (part.len(), part.parse::<u32>().is_ok())).collect();
        assert_eq!(parts, [(4, true), (2, true), (2, true)], "{date}");
    }

    #[test]
    fn a_player_that_breaks_is_replaced_and_a_decided_match_ends() {
        let (schedule, openings) = (Schedule::new(2, Format::Gauntlet, 9), openings());
        let ((a, sound), (b, broken)) = (player("A", ("nodes", "9"), false), player("B", ("nodes", "9"), true));
        let players = [a, b];
        let sprt = Sprt::new(0.0, 200.0, 0.4, 0.4, EloModel::Logistic).unwrap();
        let (runner, mut results) = (runner(&players, &schedule, &openings), results(Some(&sprt)));
        let all: Vec<u64> = (0..schedule.games()).collect();
        let mut shown = Vec::new();
        let mut show = |game: &GameRecord, _: &Results| {
            let reason = if game.black == "B" { "Black exited" } else { "White exited" };
            assert!(game.termination == Termination::Crash && game.reason.starts_with(reason), "{}", game.reason);
            shown.push(game.game);
        };
        assert!(play(&runner, &mut results, &all, &|| false, &mut show).unwrap());
        assert!(results.is_decided());
        // A second call plays nothing.
        assert!(play(&runner, &mut results, &all, &|| false, &mut show).unwrap());
        let games = results.close().unwrap().white.games() as usize;
        assert!(games < 18 && shown.len() == games, "{shown:?}");
        assert!(broken.load(Relaxed) >= games && sound.load(Relaxed) == 1, "{broken:?} {sound:?}");
    }

    #[test]
    fn a_player_that_cannot_play_ends_the_match() {
        let (schedule, openings) = (Schedule::new(2, Format::Gauntlet, 1), openings());
        let told = |factory: player::PlayerFactory| {
            let players =
                [player("A", ("nodes", "9"), false).0, MatchPlayer { factory, ..player("B", ("nodes", "9"), false).0 }];
            let runner = runner(&players, &schedule, &openings);
            play(&runner, &mut results(None), &[0, 1], &|| false, &mut |_, _| ()).unwrap_err().to_string()
        };
        assert_eq!(told(Box::new(|| Err(Fault::Start("no file".into())))), "B cannot be started: no file");
        let silent = || Ok(Box::new(Fake { crashes: false, speaks_uci: false }) as Box<dyn Player>);
        assert_eq!(told(Box::new(silent)), "B does not speak UCI: silence");
    }

    #[test]
    fn odds_are_given_in_the_games_of_who_gives_them() {
        let schedule = Schedule::new(3, Format::RoundRobin, 1);
        let openings = Openings::Listed(vec![Opening::new(Position::start(), Vec::new(), false)]);
        let mut runner = runner(&[], &schedule, &openings);
        runner.odds = Some(Odds { handicap: Handicap::Queen, giver: 1 });
        let starts = (0..schedule.games()).map(|game| runner.opening(&schedule.fixture(game)).start.to_fen(false));
        let with =
            |white: &str, black: &str| format!("rnb{black}kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB{white}KBNR w KQkq - 0 1");
        // Players 0 and 1, 0 and 2, 1 and 2, each with both colors.
        let expected = [with("Q", "1"), with("1", "q"), with("Q", "q"), with("Q", "q"), with("1", "q"), with("Q", "1")];
        assert_eq!(starts.collect::<Vec<_>>(), expected);
    }
}

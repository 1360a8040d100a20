//! Games that stand in several records, because the same match was played with the same seed more than once, or a record was copied.
//! Merged, each would count as often as it stands there, and the error would seem smaller than it is.

use crate::record::{GameRecord, Recorded};
use anyhow::bail;
use board::{Move, Position};
use std::collections::HashMap;
use std::path::Path;

/// Checks that no two of these records have a game of the same number and players, move for move.
///
/// # Errors
/// If two have one; the sentence says how many they share.
pub fn check_distinct(records: &[(&Path, &Recorded)]) -> anyhow::Result<()> {
    let mut known = HashMap::<(u64, &str, &str), Vec<(&Path, &GameRecord)>>::new();
    let mut shared = Vec::new();
    for (path, recorded) in records {
        for game in &recorded.games {
            let others = known.entry((game.game, &game.white, &game.black)).or_default();
            if let Some((other, _)) = others.iter().find(|(_, other)| are_equal(other, game)) {
                shared.push((*path, *other, game.game));
            }
            others.push((path, game));
        }
    }
    let Some(&(path, other, game)) = shared.first() else { return Ok(()) };
    let count = shared.iter().filter(|(one, two, _)| (*one, *two) == (path, other)).count();
    bail!(
        "{} has {count} of the games of {}, move for move, the first is game {game}: they would count twice; leave one of the files \
         out, and play more games with another --seed",
        path.display(),
        other.display()
    )
}

/// Whether two games have the same moves from the same start. Their text also has times, which differ.
fn are_equal(one: &GameRecord, two: &GameRecord) -> bool {
    one.pgn == two.pgn || one.result == two.result && moves(one).is_some_and(|moves| Some(moves) == self::moves(two))
}

fn moves(game: &GameRecord) -> Option<(Position, Vec<Move>)> {
    let game = pgn::read_from(game.pgn.as_bytes()).next()?.ok()?;
    Some((game.start, game.moves))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limit_uses::LimitUses;
    use crate::termination::Termination;
    use pgn::GameResult;

    fn game(number: u64, white: &str, moves: &str) -> GameRecord {
        GameRecord {
            game: number,
            white: white.to_owned(),
            black: "B".to_owned(),
            result: GameResult::Draw,
            termination: Termination::Repetition,
            reason: String::new(),
            pgn: format!("[Event \"?\"]\n\n{moves} 1/2-1/2\n\n"),
            limit_uses: [LimitUses::default(); 2],
            runner_lateness: None,
        }
    }

    fn checked(one: &[GameRecord], two: &[GameRecord]) -> String {
        let [one, two] = [one, two].map(|games| {
            let mut recorded = Recorded::default();
            recorded.games = games.to_vec();
            recorded
        });
        let result = check_distinct(&[(Path::new("one"), &one), (Path::new("two"), &two)]);
        result.map_or_else(|error| error.to_string(), |()| String::new())
    }

    #[test]
    fn the_same_game_is_known_by_its_moves_whatever_its_times() {
        let one = [game(1, "A", "1. e4 {0.001s} e5"), game(2, "A", "1. d4"), game(3, "A", "1. c4")];
        let refused = checked(&one, &[game(1, "A", "1. e4 {0.002s} e5"), game(3, "A", "1. c4")]);
        assert_eq!(
            refused,
            "two has 2 of the games of one, move for move, the first is game 1: they would count twice; leave one of the files out, and \
             play more games with another --seed"
        );
        // Another game: other moves, a longer or a shorter one, other players. With another seed two games are alike by chance.
        for other in
            [game(1, "A", "1. e4 c5"), game(1, "A", "1. e4"), game(1, "C", "1. e4 e5"), game(4, "A", "1. e4 e5")]
        {
            assert_eq!(checked(&one, &[other]), "");
        }
        assert_eq!(checked(&one, &[]), "");
    }
}

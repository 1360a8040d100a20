//! The positions that an engine did not solve: what it played, and what the suite wants.

use super::grid::Grid;
use super::text::{clipped, printable};
use crate::result::{PositionResult, SuiteResult};
use crate::suite::{Suite, SuitePosition};

/// The longest position's name.
const NAME: usize = 40;
/// The most of the best moves that are named.
const BEST: usize = 3;

/// For each engine a table of the answers with less than the most points, in the order of the suite.
pub fn failures(result: &SuiteResult, suite: &Suite) -> String {
    let mut text = String::new();
    for engine in &result.engines {
        let mut failed: Vec<&PositionResult> =
            engine.positions.iter().filter(|answer| answer.points < answer.maximum || answer.fault.is_some()).collect();
        failed.sort_by_key(|answer| (answer.line, answer.repetition));
        let (count, all) = (failed.len(), engine.positions.len());
        text += &format!("\n{}: {count} of {all} answers are not the best\n", printable(&engine.engine));
        let mut grid = Grid::new(["position", "line", "played", "best", "points", "of"]);
        for answer in failed {
            let position = suite.positions.iter().find(|position| position.line == answer.line);
            let played = match (&answer.fault, &answer.played, position) {
                (Some(_), ..) => "fault".to_owned(),
                (None, Some(played), Some(position)) => san(position, played),
                (None, played, _) => played.clone().unwrap_or_default(),
            };
            let best = position.map_or(String::new(), best);
            let name = clipped(&answer.id, NAME);
            let numbers =
                [answer.line.to_string(), played, best, answer.points.to_string(), answer.maximum.to_string()];
            grid.rows.push(std::iter::once(name).chain(numbers).collect());
        }
        if count > 0 {
            text += &grid.aligned();
        }
    }
    text
}

fn san(position: &SuitePosition, uci: &str) -> String {
    position.position.parse_uci(uci).map_or(uci.to_owned(), |mv| position.position.san(mv))
}

/// The moves with the most points: those that the suite lists, else any other.
fn best(position: &SuitePosition) -> String {
    let most = position.points.maximum();
    let listed = position.points.listed();
    let mut best: Vec<String> =
        listed.iter().filter(|(_, points)| *points == most).map(|(mv, _)| position.position.san(*mv)).collect();
    if best.is_empty() {
        let avoided: Vec<String> = listed.iter().map(|(mv, _)| position.position.san(*mv)).collect();
        return format!("not {}", avoided.join(" "));
    }
    if best.len() > BEST {
        best.truncate(BEST);
        best.push("...".to_owned());
    }
    best.join(" ")
}

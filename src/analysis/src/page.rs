//! A game's analysis as one HTML page that needs nothing else: a board to step through, the value and the chances over the
//! game, what both networks say of every move, and the turning points.

use super::index::escaped;
use super::judge::{Judgement, Verdict};
use super::position::PositionAnalysis;
use super::summary::{Summary, summaries};
use board::{Color, File, Game, Move, Piece, Position, Rank, Square};
use pgn::{GameResult, PgnGame, opening};
use search::Value;
use serde::Serialize;

/// The page around the data.
const TEMPLATE: &str = include_str!("page.html");
/// Where the data goes.
const DATA: &str = "/*DATA*/null";
/// The most moves that a position lists.
const OPINIONS: usize = 12;
/// The most turning points that a game lists.
const TURNING_POINTS: usize = 6;

#[derive(Serialize)]
struct Page {
    title: String,
    /// Names and values of the tags that the page shows.
    tags: Vec<(String, String)>,
    result: &'static str,
    annotator: String,
    /// The comment before the first move.
    before: String,
    /// The positions; the last has no move.
    plies: Vec<Ply>,
    /// The plies of the moves that changed most.
    turning: Vec<usize>,
    /// How White and Black played.
    players: [Summary; 2],
    #[serde(flatten)]
    neighbors: Neighbors,
}

/// The pages in the same folder that a page leads to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Neighbors {
    /// That of the game before.
    pub previous: Option<String>,
    /// That of the next game.
    pub next: Option<String>,
    /// The list of all games.
    pub index: Option<String>,
}

/// A position and the move made in it.
#[derive(Serialize)]
struct Ply {
    /// `(square)`: the pieces from a8 to h1, as in a FEN, `.` where there is none.
    board: String,
    white: bool,
    number: u16,
    check: bool,
    /// What the search says, for White; absent where the game is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    search: Option<Search>,
    /// The value network's value, for White.
    evaluation: f32,
    /// What the networks say of the moves.
    moves: Vec<MoveRow>,
    /// The move made.
    #[serde(skip_serializing_if = "Option::is_none")]
    made: Option<Made>,
}

#[derive(Serialize)]
struct Search {
    text: String,
    /// The expected score of White.
    score: f64,
    /// Win, draw and loss of White, in per mille.
    wdl: [u32; 3],
    line: Vec<String>,
    /// From and to of its first move.
    arrow: [u8; 2],
    depth: u32,
    nodes: u64,
}

#[derive(Serialize)]
struct MoveRow {
    san: String,
    arrow: [u8; 2],
    probability: f32,
    /// For White.
    value: f32,
}

#[derive(Serialize)]
struct Made {
    san: String,
    arrow: [u8; 2],
    mark: &'static str,
    /// The expected score that it gave away.
    loss: f64,
    /// The rank of its probability, from 1.
    rank: usize,
    probability: f32,
    /// The game's own comment, without commands such as `[%clk 0:01:00]`.
    comment: String,
    /// The player's clock after the move, as the comment has it; empty if it has none.
    clock: String,
    /// The game's own variations, as text.
    variations: Vec<String>,
}

/// The page of a game whose positions are analysed and whose moves are judged; `annotator` says by what.
pub fn page(
    game: &PgnGame,
    positions: &[PositionAnalysis],
    judgements: &[Judgement],
    annotator: &str,
    neighbors: &Neighbors,
) -> String {
    let tags = &game.annotations;
    let player =
        |name: &str, other: &str| if tags.tag(name).is_empty() { other.to_owned() } else { tags.tag(name).to_owned() };
    let title = format!("{} – {}", player("White", "White"), player("Black", "Black"));
    let shown =
        ["Event", "Site", "Date", "Round", "WhiteElo", "BlackElo", "ECO", "Opening", "TimeControl", "Termination"];
    let shown = shown.iter().filter(|name| !tags.tag(name).trim_matches(['?', '.']).is_empty());
    let mut shown: Vec<_> = shown.map(|name| ((*name).to_owned(), tags.tag(name).to_owned())).collect();
    if tags.tag("ECO").is_empty()
        && tags.tag("Opening").is_empty()
        && let Some(opening) = opening(&game.start, &game.moves)
    {
        shown.extend([("ECO".to_owned(), opening.eco.clone()), ("Opening".to_owned(), opening.name.clone())]);
    }
    let page = Page {
        title: title.clone(),
        tags: shown,
        result: game.result.map_or("*", GameResult::as_str),
        annotator: annotator.to_owned(),
        before: split_comment(tags.comment(0)).0,
        plies: plies(game, positions, judgements),
        turning: turning_points(judgements),
        players: summaries(game, judgements),
        neighbors: neighbors.clone(),
    };
    // Numbers and text can always be written; `<` could end the script.
    let data = serde_json::to_string(&page).unwrap_or_default().replace('<', "\\u003c");
    let title = escaped(&title);
    TEMPLATE.replacen("<!--TITLE-->", &title, 1).replacen(DATA, &data, 1)
}

fn plies(game: &PgnGame, positions: &[PositionAnalysis], judgements: &[Judgement]) -> Vec<Ply> {
    let mut at = Game::new(game.start.clone());
    let mut plies = Vec::with_capacity(game.moves.len() + 1);
    for (index, &mv) in game.moves.iter().enumerate() {
        let mut ply = ply(at.position(), positions.get(index));
        ply.made = judgements.get(index).zip(positions.get(index)).map(|(judgement, analysis)| {
            let uci = at.position().uci(mv, true);
            let beside = game.annotations.beside(index + 1);
            let (comment, clock) = split_comment(&beside.comment);
            Made {
                san: at.position().san(mv),
                arrow: arrow(at.position(), mv),
                mark: judgement.verdict.map_or("", Verdict::mark),
                loss: judgement.loss,
                rank: 1 + analysis.moves.iter().position(|opinion| opinion.uci == uci).unwrap_or(0),
                probability: analysis.probability(at.position(), mv),
                comment,
                clock,
                variations: beside.variations.clone(),
            }
        });
        plies.push(ply);
        at.play(mv);
    }
    plies.push(ply(at.position(), positions.get(game.moves.len())));
    plies
}

/// A comment without its commands, and the value of the command `[%clk ...]`.
fn split_comment(comment: &str) -> (String, String) {
    let (mut text, mut clock) = (String::new(), "");
    let mut rest = comment;
    while let Some((before, command)) = rest.split_once("[%") {
        text += before;
        let (command, after) = command.split_once(']').unwrap_or((command, ""));
        clock = command.strip_prefix("clk ").unwrap_or(clock);
        rest = after;
    }
    text += rest;
    (text.split_whitespace().collect::<Vec<_>>().join(" "), clock.trim().to_owned())
}

fn ply(position: &Position, analysis: Option<&PositionAnalysis>) -> Ply {
    let white = position.side_to_move() == Color::White;
    let sign = if white { 1.0 } else { -1.0 };
    let row = |opinion: &super::position::MoveOpinion| {
        let mv = position.parse_uci(&opinion.uci).ok()?;
        let (san, arrow) = (position.san(mv), arrow(position, mv));
        Some(MoveRow { san, arrow, probability: opinion.probability, value: sign * opinion.value })
    };
    Ply {
        board: squares(position),
        white,
        number: position.fullmove_number(),
        check: position.in_check(),
        search: analysis.and_then(|analysis| search(position, analysis)),
        evaluation: analysis.map_or(0.0, |analysis| sign * analysis.evaluation),
        moves: analysis.map_or(Vec::new(), |analysis| analysis.moves.iter().take(OPINIONS).filter_map(row).collect()),
        made: None,
    }
}

fn search(position: &Position, analysis: &PositionAnalysis) -> Option<Search> {
    let white = position.side_to_move() == Color::White;
    let value = if white { analysis.value() } else { -analysis.value() };
    let moves = analysis.line(position);
    let (mut at, mut line) = (position.clone(), Vec::new());
    for &mv in &moves {
        line.push(at.san(mv));
        at = at.play(mv);
    }
    let [win, draw, loss] = analysis.wdl;
    let expected = analysis.expected_score();
    Some(Search {
        text: text(value),
        score: if white { expected } else { 1.0 - expected },
        wdl: if white { [win, draw, loss] } else { [loss, draw, win] },
        line,
        arrow: arrow(position, *moves.first()?),
        depth: analysis.depth,
        nodes: analysis.nodes,
    })
}

fn text(value: Value) -> String {
    match value.mate_moves() {
        Some(moves) => format!("#{moves}"),
        None => format!("{:+.2}", f64::from(value.centipawns()) / 100.0),
    }
}

/// The moves that gave away most, at least a mistake's worth, in the order of the game.
fn turning_points(judgements: &[Judgement]) -> Vec<usize> {
    let is_mistake = |ply: &usize| matches!(judgements[*ply].verdict, Some(Verdict::Mistake | Verdict::Blunder));
    let mut plies: Vec<usize> = (0..judgements.len()).filter(is_mistake).collect();
    plies.sort_by(|a, b| judgements[*b].loss.total_cmp(&judgements[*a].loss));
    plies.truncate(TURNING_POINTS);
    plies.sort_unstable();
    plies
}

/// From and to, 0 for a8 to 63 for h1; a castling king arrives on the c- or g-file.
fn arrow(position: &Position, mv: Move) -> [u8; 2] {
    let index = |square: Square| (8 * (7 - square.rank() as usize) + square.file() as usize) as u8;
    let castled = || Square::new(if mv.to.file() > mv.from.file() { File::G } else { File::C }, mv.to.rank());
    [index(mv.from), index(if position.is_castling(mv) { castled() } else { mv.to })]
}

fn squares(position: &Position) -> String {
    let squares = Rank::ALL.into_iter().rev().flat_map(|rank| File::ALL.map(|file| Square::new(file, rank)));
    let letter = |square: Square| {
        let letter = |piece: Piece| char::from(piece);
        match (position.piece_on(square), position.color_on(square)) {
            (Some(piece), Some(Color::White)) => letter(piece).to_ascii_uppercase(),
            (Some(piece), _) => letter(piece),
            (None, _) => '.',
        }
    };
    squares.map(letter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Analyst, judge};
    use engine::EngineSpec;
    use pgn::read_from;

    #[test]
    fn a_page_has_every_position_and_closes_no_script() {
        let text = "[White \"A </script> & B\"]\n\n{first} 1. f3 {[%clk 0:01:00] weak [%emt 3]} (1. e4 e5) e5 2. g4 Qh4# 0-1\n";
        let game = read_from(text.as_bytes()).with_annotations().next().unwrap().unwrap();
        let mut analyst =
            Analyst::new(&EngineSpec { hash_megabytes: 1, ..Default::default() }, Some(300), None).unwrap();
        let mut games = vec![Game::new(game.start.clone())];
        for &mv in &game.moves {
            let mut next = games[games.len() - 1].clone();
            next.play(mv);
            games.push(next);
        }
        let positions: Vec<_> = games[..4].iter().map(|game| analyst.analyse(game, &|| false).unwrap()).collect();
        let judgements: Vec<_> = (0..4)
            .map(|ply| judge(&positions[ply], &games[ply], game.moves[ply], &games[ply + 1], positions.get(ply + 1)))
            .collect();
        assert_eq!(judgements[2].verdict, Some(Verdict::Blunder));
        assert_eq!(turning_points(&judgements), [2]);
        let neighbors = Neighbors { next: Some("2.html".to_owned()), ..Neighbors::default() };
        let html = page(&game, &positions, &judgements, "Okapi", &neighbors);
        assert!(!html.contains(DATA) && html.contains("<title>A &lt;/script> &amp; B"), "{html}");
        assert_eq!(html.matches("</script>").count(), 1);
        let data = html.split("const game = ").nth(1).unwrap().split(";\n").next().unwrap();
        let data: serde_json::Value = serde_json::from_str(data).unwrap();
        let plies = data["plies"].as_array().unwrap();
        assert_eq!(plies.len(), 5);
        assert_eq!(
            plies[0]["board"].as_str().unwrap(),
            "rnbqkbnrpppppppp................................PPPPPPPPRNBQKBNR"
        );
        assert_eq!((&data["next"], &data["previous"]), (&"2.html".into(), &serde_json::Value::Null));
        assert_eq!((&data["players"][0]["moves"], &data["players"][0]["blunders"]), (&2.into(), &1.into()));
        assert_eq!(data["tags"][0], serde_json::json!(["ECO", "A00"]));
        assert_eq!(plies[3]["search"]["text"], "#-1");
        assert_eq!(plies[3]["search"]["line"][0], "Qh4#");
        assert_eq!(plies[3]["made"]["arrow"], serde_json::json!([3, 39]));
        let made = &plies[0]["made"];
        assert_eq!((&made["comment"], &made["clock"]), (&"weak".into(), &"0:01:00".into()));
        assert_eq!((&made["variations"][0], &data["before"]), (&"1. e4 e5".into(), &"first".into()));
        assert!(plies[4]["search"].is_null() && plies[4]["check"] == true);
    }
}

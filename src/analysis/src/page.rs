//! A game's analysis as one HTML page that needs nothing else: a board to step through and to try moves on, the best lines, the value
//! and the chances over the game, what both networks say of every move, and the turning points.
//!
//! The page knows no rules: each move comes with the squares that it changes.

use super::index::escaped;
use super::judge::{Judgement, Verdict};
use super::position::{MoveOpinion, PositionAnalysis, read_line, value_of};
use super::summary::{Summary, summaries};
use board::{Color, File, Game, Move, Piece, Position, Rank, Square};
use pgn::{GameResult, PgnGame, opening};
use search::Value;
use serde::Serialize;

/// The page around the data.
const TEMPLATE: &str = include_str!("page.html");
/// Where the data goes.
const DATA: &str = "/*DATA*/null";
/// The most plies of a line that are shown.
const LINE: usize = 16;
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
    #[serde(skip_serializing_if = "Option::is_none")]
    evaluation: Option<f32>,
    /// Every legal move, the most probable first, with what the networks say of it.
    moves: Vec<MoveRow>,
    /// The move made.
    #[serde(skip_serializing_if = "Option::is_none")]
    made: Option<Made>,
}

#[derive(Serialize)]
struct Search {
    /// The expected score of White.
    score: f64,
    /// Win, draw and loss of White, in per mille, if they are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    wdl: Option<[u32; 3]>,
    /// The best line, then the next best ones.
    lines: Vec<Line>,
    depth: u32,
    nodes: u64,
}

#[derive(Serialize)]
struct Line {
    /// The value, for White.
    text: String,
    moves: Vec<Step>,
}

/// A move that the page can make: SAN, from and to, the squares that it changes as `e2.e4P` (an emptied one has `.`).
#[derive(Serialize)]
struct Step(String, [u8; 2], String);

/// A legal move: as [`Step`], then its probability and the value after it, for White; those are absent without networks.
#[derive(Serialize)]
struct MoveRow(String, [u8; 2], String, Option<f32>, Option<f32>);

#[derive(Serialize)]
struct Made {
    san: String,
    arrow: [u8; 2],
    mark: &'static str,
    /// The expected score that it gave away.
    loss: f64,
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
        ply.made = judgements.get(index).map(|judgement| {
            let beside = game.annotations.beside(index + 1);
            let (comment, clock) = split_comment(&beside.comment);
            Made {
                san: at.position().san(mv),
                arrow: arrow(at.position(), mv),
                mark: judgement.verdict.map_or("", Verdict::mark),
                loss: judgement.loss,
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
    let opinion = |opinion: &MoveOpinion| {
        let Step(san, arrow, changes) = step(position, position.parse_uci(&opinion.uci).ok()?);
        let (probability, value) = (rounded(opinion.probability), rounded(sign * opinion.value));
        Some(MoveRow(san, arrow, changes, Some(probability), Some(value)))
    };
    let alone = |mv: &Move| {
        let Step(san, arrow, changes) = step(position, *mv);
        MoveRow(san, arrow, changes, None, None)
    };
    let moves = match analysis {
        Some(analysis) if !analysis.moves.is_empty() => analysis.moves.iter().filter_map(opinion).collect(),
        _ => position.legal_moves().iter().map(alone).collect(),
    };
    Ply {
        board: squares(position),
        white,
        number: position.fullmove_number(),
        check: position.in_check(),
        search: analysis.map(|analysis| search(position, analysis)),
        evaluation: analysis.and_then(|analysis| Some(sign * analysis.evaluation?)),
        moves,
        made: None,
    }
}

/// To four digits, as many as are shown.
fn rounded(number: f32) -> f32 {
    (number * 10_000.0).round() / 10_000.0 + 0.0
}

fn search(position: &Position, analysis: &PositionAnalysis) -> Search {
    let white = position.side_to_move() == Color::White;
    let line = |value: Value, line: &[String]| {
        let (mut at, mut moves) = (position.clone(), Vec::new());
        for mv in read_line(position, line).into_iter().take(LINE) {
            moves.push(step(&at, mv));
            at = at.play(mv);
        }
        Line { text: text(if white { value } else { -value }), moves }
    };
    let others = analysis.others.iter().map(|other| line(value_of(other.value), &other.line));
    let lines = std::iter::once(line(analysis.value(), &analysis.line)).chain(others);
    let expected = analysis.expected_score();
    Search {
        score: if white { expected } else { 1.0 - expected },
        wdl: analysis.wdl.map(|[win, draw, loss]| if white { [win, draw, loss] } else { [loss, draw, win] }),
        lines: lines.filter(|line| !line.moves.is_empty()).collect(),
        depth: analysis.depth,
        nodes: analysis.nodes,
    }
}

fn step(position: &Position, mv: Move) -> Step {
    let (before, after) = (squares(position), squares(&position.play(mv)));
    let changed = before.chars().zip(after.chars()).enumerate().filter(|(_, (before, after))| before != after);
    let changes = changed.map(|(place, (_, piece))| {
        let (file, rank) = ((b'a' + place as u8 % 8) as char, (b'8' - place as u8 / 8) as char);
        format!("{file}{rank}{piece}")
    });
    Step(position.san(mv), arrow(position, mv), changes.collect())
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
    use crate::{Analyst, Okapi, judge};
    use engine::EngineSpec;
    use pgn::read_from;

    #[test]
    fn a_page_has_every_position_and_closes_no_script() {
        let text = "[White \"A </script> & B\"]\n\n{first} 1. f3 {[%clk 0:01:00] weak [%emt 3]} (1. e4 e5) e5 2. g4 Qh4# 0-1\n";
        let game = read_from(text.as_bytes()).with_annotations().next().unwrap().unwrap();
        let spec = EngineSpec { hash_megabytes: 1, ..Default::default() };
        let mut okapi = Okapi::new(&spec, 2, Some(600), None).unwrap();
        let mut analyse = |game: &Game| okapi.analyse(game, false, &|| false).unwrap().unwrap();
        let mut games = vec![Game::new(game.start.clone())];
        for &mv in &game.moves {
            let mut next = games[games.len() - 1].clone();
            next.play(mv);
            games.push(next);
        }
        let positions: Vec<_> = games[..4].iter().map(&mut analyse).collect();
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
        let lines = &plies[3]["search"]["lines"];
        assert_eq!((&lines[0]["text"], &lines[0]["moves"][0][0]), (&"#-1".into(), &"Qh4#".into()));
        assert_eq!(lines[0]["moves"][0][2], "d8.h4q");
        assert_eq!(lines.as_array().unwrap().len(), 2);
        // Every legal move is there to be tried, also where nothing was searched.
        assert_eq!((plies[0]["moves"].as_array().unwrap().len(), plies[4]["moves"].as_array().unwrap().len()), (20, 0));
        assert_eq!(plies[3]["made"]["arrow"], serde_json::json!([3, 39]));
        let made = &plies[0]["made"];
        assert_eq!((&made["comment"], &made["clock"]), (&"weak".into(), &"0:01:00".into()));
        assert_eq!((&made["variations"][0], &data["before"]), (&"1. e4 e5".into(), &"first".into()));
        assert!(plies[4]["search"].is_null() && plies[4]["check"] == true);
    }

    #[test]
    fn a_step_names_the_squares_that_it_changes() {
        for (fen, mv, expected) in [
            ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1h1", "e1.f1Rg1Kh1."),
            ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", "d6Pd5.e5."),
            ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8n", "a8Na7."),
            // King and rook change places.
            ("k7/8/8/8/8/8/8/5KR1 w G - 0 1", "f1g1", "f1Rg1K"),
        ] {
            let position = Position::from_fen(fen).unwrap();
            let Step(_, _, changes) = step(&position, position.parse_uci(mv).unwrap());
            assert_eq!(changes, expected, "{mv}");
        }
    }

    #[test]
    fn what_an_engine_does_not_say_is_left_out() {
        let game = read_from(&b"1. e4 *\n"[..]).with_annotations().next().unwrap().unwrap();
        let analysis = PositionAnalysis {
            value: Value::from_centipawns(50).to_f32(),
            wdl: None,
            line: vec!["e2e4".to_owned()],
            depth: 3,
            nodes: 7,
            evaluation: None,
            moves: Vec::new(),
            others: Vec::new(),
        };
        let first = ply(&game.start, Some(&analysis));
        let data = serde_json::to_value(&first).unwrap();
        assert_eq!((&data["search"]["wdl"], &data["evaluation"]), (&serde_json::Value::Null, &serde_json::Value::Null));
        assert_eq!(data["search"]["lines"][0]["text"], "+0.50");
        assert_eq!((&data["moves"].as_array().unwrap().len(), &data["moves"][0][3]), (&20, &serde_json::Value::Null));
    }
}

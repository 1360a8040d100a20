//! Parses the `info` and `bestmove` lines of an engine. Any bytes are accepted; what cannot be parsed is ignored.

use crate::{Bound, Fault, InfoLine, Score};
use board::{Move, Position};
use std::str::{FromStr, SplitWhitespace};
use std::time::Duration;
use support::text::clip;

/// The texts that mean no move.
const NO_MOVE: [&str; 4] = ["0000", "(none)", "none", "null"];

impl InfoLine {
    /// Parses what follows `info` in a search of `root`. A field that cannot be parsed stays `None`.
    pub(crate) fn read(text: &str, root: &Position) -> Self {
        let mut info = Self::default();
        let mut words = text.split_whitespace().peekable();
        while let Some(word) = words.next() {
            match word {
                "depth" => info.depth = number(words.next()),
                "seldepth" => info.seldepth = number(words.next()),
                "multipv" => info.multipv = number(words.next()),
                "nodes" => info.nodes = number(words.next()),
                "time" => info.time = number(words.next()).map(Duration::from_millis),
                "cp" => info.score = number(words.next()).map(Score::Centipawns),
                "mate" => info.score = number(words.next()).map(Score::Mate),
                "wdl" => {
                    let mut next = || number(words.next());
                    info.wdl = next().zip(next()).zip(next()).map(|((win, draw), loss)| [win, draw, loss]);
                }
                "lowerbound" => info.bound = Bound::Lower,
                "upperbound" => info.bound = Bound::Upper,
                "pv" => {
                    let mut position = root.clone();
                    info.pv.clear();
                    while let Some(mv) = words.peek().and_then(|word| position.parse_uci(word).ok()) {
                        words.next();
                        position = position.play(mv);
                        info.pv.push(mv);
                    }
                }
                // Everything after it is free text.
                "string" => break,
                _ => {}
            }
        }
        info
    }

    /// Takes over the fields of `later` if it is about the best variation; fields that it lacks stay. Depth counts only with
    /// a score: beside `currmove` it is the depth of an unfinished iteration.
    pub fn update(&mut self, later: Self) {
        self.nodes = later.nodes.or(self.nodes);
        self.time = later.time.or(self.time);
        if later.multipv.is_some_and(|rank| rank != 1) || later.score.is_none() && later.pv.is_empty() {
            return;
        }
        self.depth = later.depth.or(self.depth);
        self.seldepth = later.seldepth.or(self.seldepth);
        self.multipv = later.multipv.or(self.multipv);
        if later.score.is_some() {
            self.score = later.score;
            self.bound = later.bound;
        }
        if let Some(score) = later.score.filter(|_| later.bound == Bound::Exact) {
            self.exact = Some((score, later.depth.or(self.depth)));
            self.wdl = later.wdl.or(self.wdl);
        }
        if !later.pv.is_empty() {
            self.pv = later.pv;
        }
    }
}

/// Parses what follows `bestmove`: the move, legal in `root`, and the expected reply if it is legal.
pub(crate) fn read_best(text: &str, root: &Position) -> Result<(Move, Option<Move>), Fault> {
    let mut words = text.split_whitespace();
    let best = words.next().unwrap_or_default();
    if best.is_empty() || NO_MOVE.iter().any(|none| none.eq_ignore_ascii_case(best)) {
        return Err(Fault::NoMove(format!("bestmove {best}").trim_end().to_owned()));
    }
    let best = root.parse_uci(best).map_err(|_| Fault::IllegalMove(clip(best)))?;
    Ok((best, ponder(words, &root.play(best))))
}

fn ponder(mut words: SplitWhitespace<'_>, after: &Position) -> Option<Move> {
    words.find(|&word| word == "ponder").and_then(|_| words.next()).and_then(|word| after.parse_uci(word).ok())
}

fn number<T: FromStr>(word: Option<&str>) -> Option<T> {
    word.and_then(|word| word.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moves(root: &Position, text: &str) -> Vec<Move> {
        let mut position = root.clone();
        let play = |word| {
            let mv = position.parse_uci(word).unwrap();
            position = position.play(mv);
            mv
        };
        text.split(' ').map(play).collect()
    }

    #[test]
    fn fields_are_parsed_in_any_order() {
        let root = Position::start();
        let expected = InfoLine {
            depth: Some(12),
            seldepth: Some(20),
            multipv: Some(2),
            score: Some(Score::Centipawns(-31)),
            bound: Bound::Upper,
            exact: None,
            wdl: Some([1, 2, 997]),
            nodes: Some(5_000_000_000),
            time: Some(Duration::from_millis(1_234)),
            pv: moves(&root, "e2e4 e7e5 g1f3"),
        };
        for text in [
            "depth 12 seldepth 20 multipv 2 score cp -31 upperbound wdl 1 2 997 nodes 5000000000 nps 4 hashfull 3 tbhits 0 \
             time 1234 pv e2e4 e7e5 g1f3",
            "pv e2e4 e7e5 g1f3 wdl 1 2 997 score upperbound cp -31 time 1234 nodes 5000000000 multipv 2 seldepth 20 depth 12 string \
             depth 99 pv a2a3",
        ] {
            assert_eq!(InfoLine::read(text, &root), expected, "{text}");
        }
        assert_eq!(InfoLine::read("score mate -3", &root).score, Some(Score::Mate(-3)));
    }

    #[test]
    fn garbage_is_ignored_and_a_variation_ends_at_its_first_illegal_move() {
        let root = Position::start();
        for text in [
            "",
            "depth",
            "depth -1 nodes x time 99999999999999999999",
            "score cp",
            "score cp 1.5",
            "wdl 1 2",
            "pv",
            "pv \u{fffd}",
        ] {
            assert_eq!(InfoLine::read(text, &root), InfoLine::default(), "{text}");
        }
        assert_eq!(InfoLine::read("pv e2e4 e2e4 d2d4", &root).pv, moves(&root, "e2e4"));
    }

    #[test]
    fn castling_is_parsed_in_both_notations() {
        let root = Position::from_fen("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1").unwrap();
        for text in ["pv e1g1 e8c8", "pv e1h1 e8a8"] {
            assert_eq!(InfoLine::read(text, &root).pv, moves(&root, "e1h1 e8a8"), "{text}");
        }
        for text in ["e1g1 ponder e8c8", "e1h1 ponder e8a8"] {
            let (best, ponder) = read_best(text, &root).unwrap();
            assert_eq!(
                (best, ponder.into_iter().collect()),
                (moves(&root, "e1h1")[0], moves(&root.play(best), "e8a8"))
            );
        }
    }

    #[test]
    fn the_last_value_of_each_field_of_the_best_variation_is_kept() {
        let root = Position::start();
        let mut info = InfoLine::default();
        for text in [
            "depth 5 score cp 10 wdl 300 500 200 nodes 100 pv e2e4 e7e5",
            "depth 5 multipv 2 score cp 5 nodes 120 pv d2d4",
            "depth 6 currmove e2e4 currmovenumber 1",
            "depth 6 score cp 20 lowerbound wdl 400 500 100 nodes 200 time 3",
            "nodes 250",
        ] {
            info.update(InfoLine::read(text, &root));
        }
        let (score, time) = (Some(Score::Centipawns(20)), Some(Duration::from_millis(3)));
        let pv = moves(&root, "e2e4 e7e5");
        // A bound is the last score, but neither an exact one nor one whose chances count.
        let (exact, wdl) = (Some((Score::Centipawns(10), Some(5))), Some([300, 500, 200]));
        let expected = InfoLine {
            depth: Some(6),
            score,
            bound: Bound::Lower,
            exact,
            wdl,
            nodes: Some(250),
            time,
            pv,
            ..InfoLine::default()
        };
        assert_eq!(info, expected);
    }

    #[test]
    fn a_missing_move_and_an_illegal_move_are_different_faults() {
        let root = Position::start();
        for text in ["", "0000", "(none)", "NONE", "(none) ponder e7e5"] {
            assert!(matches!(read_best(text, &root), Err(Fault::NoMove(_))), "{text}");
        }
        for text in ["e2e5", "e7e5", "e2", "\u{fffd}\u{fffd}", "e2e4e2e4", "O-O"] {
            assert!(matches!(read_best(text, &root), Err(Fault::IllegalMove(_))), "{text}");
        }
        assert_eq!(read_best("", &root), Err(Fault::NoMove("bestmove".to_owned())));
        assert_eq!(read_best("e2e4 ponder e2e4", &root), Ok((moves(&root, "e2e4")[0], None)));
    }
}

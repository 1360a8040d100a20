//! The text of a suite, in the format of the Strategic Test Suite.
//!
//! ```text
//! <four fields> bm Nc3; acd 24; acn 10000412; ce 37; id "Okapi: Development.001";
//! c0 "Nc3=10, a4=6"; c7 "Nc3 a4"; c8 "10 6"; c9 "b1c3 a2a4";
//! ```

use super::judge::ScoredPosition;
use std::fmt::Write;

/// The suite as EPD, one position per line, numbered within its theme.
pub fn epd(positions: &[ScoredPosition]) -> String {
    let mut text = String::new();
    let mut number = 0;
    for (index, scored) in positions.iter().enumerate() {
        let new_theme = index == 0 || positions[index - 1].theme != scored.theme;
        number = if new_theme { 1 } else { number + 1 };
        text.push_str(&line(scored, number));
        text.push('\n');
    }
    text
}

fn line(scored: &ScoredPosition, number: usize) -> String {
    let position = &scored.candidate.position;
    let moves = &scored.moves;
    let san: Vec<String> = moves.iter().map(|&(mv, _)| position.san(mv)).collect();
    let uci: Vec<String> = moves.iter().map(|&(mv, _)| position.uci(mv, false)).collect();
    let points: Vec<String> = moves.iter().map(|(_, points)| points.to_string()).collect();
    let both: Vec<String> = san.iter().zip(&points).map(|(san, points)| format!("{san}={points}")).collect();
    let (depth, nodes) = scored.effort;
    let mut text = scored.candidate.epd.clone();
    let best = san.first().map_or("", String::as_str);
    // Writing to a String cannot fail.
    let _ = write!(
        text,
        " bm {best}; acd {depth}; acn {nodes}; ce {}; id \"Okapi: {}.{number:03}\"; c0 \"{}\"; c7 \"{}\"; c8 \"{}\"; \
         c9 \"{}\";",
        scored.centipawns,
        scored.theme.name(),
        both.join(", "),
        san.join(" "),
        points.join(" "),
        uci.join(" ")
    );
    text
}

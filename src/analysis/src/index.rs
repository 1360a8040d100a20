//! A page that lists the games of a file, each with a link to its own.

use super::summary::Summary;
use pgn::{GameResult, Opening, PgnGame};

/// A game in the list.
#[derive(Debug)]
pub struct Entry<'a> {
    /// The game.
    pub game: &'a PgnGame,
    /// Its page, in the same folder.
    pub file: String,
    /// How White and Black played it.
    pub players: [Summary; 2],
    /// Its opening, if it has a name.
    pub opening: Option<&'static Opening>,
}

const HEAD: &str = "<!DOCTYPE html>
<html lang=\"en\">
<head>
<meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">
<title>Games</title>
<style>
:root { color-scheme: light dark; }
body { margin: 0 auto; padding: 1rem; max-width: 1100px; font: 15px/1.45 system-ui, sans-serif; }
h1 { font-size: 1.3rem; }
div { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { padding: .25rem .6rem; text-align: left; border-bottom: 1px solid #8886; vertical-align: top; }
td.number, th.number { text-align: right; white-space: nowrap; }
</style>
</head>
<body>
<h1>Games</h1>
<div><table>
<tr><th class=\"number\">Game</th><th>White</th><th>Black</th><th>Result</th><th>Opening</th><th class=\"number\">Accuracy</th><th class=\"number\">Mean loss</th><th class=\"number\">?!, ?, ??</th></tr>
";

/// The page; `annotator` says what analysed the games.
pub fn index(entries: &[Entry<'_>], annotator: &str) -> String {
    let mut text = HEAD.to_owned();
    for Entry { game, file, players, opening } in entries {
        let player = |name: &str| match game.annotations.tag(name) {
            "" => name.to_owned(),
            name => escaped(name),
        };
        let both = |of: &dyn Fn(&Summary) -> String| format!("{}<br>{}", of(&players[0]), of(&players[1]));
        let accuracy = both(&|player| player.accuracy.map_or(String::new(), |mean| format!("{mean:.1} %")));
        let loss = both(&|player| player.loss.map_or(String::new(), |mean| format!("{mean:.3}")));
        let faults = both(&|player| format!("{}, {}, {}", player.inaccuracies, player.mistakes, player.blunders));
        let opening = opening.map_or(String::new(), |opening| format!("{} {}", opening.eco, escaped(&opening.name)));
        text += &format!(
            "<tr><td class=\"number\"><a href=\"{file}\">{}</a></td><td>{}</td><td>{}</td><td>{}</td><td>{opening}</td>\
             <td class=\"number\">{accuracy}</td><td class=\"number\">{loss}</td><td class=\"number\">{faults}</td></tr>\n",
            game.number,
            player("White"),
            player("Black"),
            game.result.map_or("*", GameResult::as_str),
        );
    }
    text + &format!(
        "</table></div>\n<p>The upper number is White's. Accuracy: the mean over a player's moves of 103.17 e<sup>-0.0435 d</sup> - 3.17, where a \
         move gives away d percent of expected score. Mean loss: points given away by a move. ?! gives away 0.05 points, ? 0.10, ?? \
         0.15.</p>\n<p>{}</p>\n</body>\n</html>\n",
        escaped(annotator)
    )
}

/// A text between tags or in an attribute.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

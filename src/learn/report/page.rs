//! The page around the figures.

use super::chart::color;
use super::figures::Drawn;
use super::milestones::{Milestone, milestones};
use super::run::Run;
use crate::learn::config::Config;
use crate::learn::run::log::Row;

const STYLE: &str = "\
body{font:15px/1.5 sans-serif;color:#222;background:#fff;max-width:1320px;margin:2em auto;padding:0 1em}\
h1{font-size:1.5em}h2{font-size:1.15em;margin-top:2em}\
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,30em),1fr));gap:1em}\
figure{margin:0;border:1px solid #ddd;padding:.5em}figure svg{width:100%;height:auto}\
figcaption,.note{color:#555;font-size:.9em}\
table{border-collapse:collapse;font-variant-numeric:tabular-nums}.wide{overflow-x:auto}\
th,td{padding:.15em .7em;text-align:right;border-bottom:1px solid #ddd;white-space:nowrap}tr.best{font-weight:bold}\
pre{background:#f6f6f6;padding:1em;overflow-x:auto;font-size:.85em}";

/// The whole page.
pub(super) fn page(runs: &[Run], figures: &[Drawn]) -> String {
    let names = runs.iter().map(|run| escape(&run.name)).collect::<Vec<_>>().join(", ");
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\">\n<title>Okapi training: {names}</title>\n<style>{STYLE}</style>\
         \n</head>\n<body>\n<h1>Okapi training: {names}</h1>\n"
    );
    for (place, run) in runs.iter().enumerate() {
        let dash = format!("<b style=\"color:{}\">━</b>", color(place));
        page += &format!("<p>{dash} {}</p>\n", escape(&run.summary()));
        if let Some(mixture) = run.history.as_ref().and_then(|history| history.mixture("run")) {
            page += &format!("<p class=\"note\">Mixed training (--mixed): {}</p>\n", escape(&mixture));
        }
    }
    page += "<div class=\"figures\">\n";
    for figure in figures {
        page += &match &figure.content {
            Ok(svg) => format!("<figure>{svg}<figcaption>{}</figcaption></figure>\n", escape(figure.caption)),
            Err(sentence) => format!("<figure><figcaption>{}</figcaption></figure>\n", escape(sentence)),
        };
    }
    page += "</div>\n";
    for run in runs {
        page += &format!("<h2>Milestones of {}</h2>\n{}", escape(&run.name), table(&milestones(&run.rows)));
        page += &format!("<h2>Configuration of {}</h2>\n{}", escape(&run.name), configuration(&run.config));
    }
    page + "</body>\n</html>\n"
}

impl Run {
    /// The run in a line.
    pub fn summary(&self) -> String {
        let last = self.last();
        let score = self.scores().map(|(first, last)| format!("; STS {} to {}", grouped(first), grouped(last)));
        format!(
            "{}: {} iterations in {}, {} searches, {} leaves{}",
            self.name,
            grouped(last.iteration as f64),
            duration(last.seconds),
            grouped(last.searches as f64),
            grouped(last.leaves as f64),
            score.unwrap_or_default()
        )
    }
}

/// A column of the table: its heading, and its text in a row.
type Column = (&'static str, fn(&Row) -> String);

const COLUMNS: [Column; 11] = [
    ("iteration", |row| grouped(row.iteration as f64)),
    ("time", |row| duration(row.seconds)),
    ("searches", |row| grouped(row.searches as f64)),
    ("leaves", |row| grouped(row.leaves as f64)),
    ("loss", |row| format!("{:.4}", row.loss)),
    ("temporal error", |row| format!("{:.4}", row.temporal_error)),
    ("mean |value|", |row| format!("{:.3}", row.mean_abs_value)),
    ("material correlation", |row| format!("{:.3}", row.material_correlation)),
    ("dead units", |row| row.dead_units.to_string()),
    ("STS", |row| row.sts.map_or("–".to_owned(), grouped)),
    ("built-in suite", |row| row.own_suite.map_or("–".to_owned(), grouped)),
];

fn table(milestones: &[Milestone]) -> String {
    let heads: String = COLUMNS.iter().map(|(head, _)| format!("<th>{head}</th>")).collect();
    let mut table = format!("<div class=\"wide\"><table>\n<tr>{heads}</tr>\n");
    for Milestone { row, best } in milestones {
        let cells: String = COLUMNS.iter().map(|(_, text)| format!("<td>{}</td>", text(row))).collect();
        table += &format!("<tr{}>{cells}</tr>\n", if *best { " class=\"best\"" } else { "" });
    }
    table + "</table></div>\n<p class=\"note\">The best score in the Strategic Test Suite is bold.</p>\n"
}

fn configuration(config: &Config) -> String {
    let own = match config.differences(&Config::default()).join(", ") {
        keys if keys.is_empty() => "All values are the defaults.".to_owned(),
        keys => format!("Changed from the defaults: {keys}."),
    };
    let whole = config.to_toml().unwrap_or_else(|error| error.to_string());
    format!(
        "<p>{}</p>\n<details><summary>Whole configuration</summary><pre>{}</pre></details>\n",
        escape(&own),
        escape(&whole)
    )
}

/// Rounded, with a comma before every three digits.
fn grouped(number: f64) -> String {
    let digits = format!("{:.0}", number.abs());
    let mut text = String::from(if number <= -0.5 { "-" } else { "" });
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Seconds as hours and minutes.
fn duration(seconds: f64) -> String {
    let minutes = (seconds / 60.0) as u64;
    match minutes {
        0 => format!("{seconds:.0} s"),
        1..60 => format!("{minutes} min"),
        _ => format!("{} h {:02} min", minutes / 60, minutes % 60),
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        for (number, text) in
            [(0.0, "0"), (999.6, "1,000"), (1_234_567.0, "1,234,567"), (-1_000.0, "-1,000"), (-0.2, "0")]
        {
            assert_eq!(grouped(number), text);
        }
        assert_eq!([59.4, 60.0, 3_599.0, 3_660.0].map(duration), ["59 s", "1 min", "59 min", "1 h 01 min"]);
    }

    #[test]
    fn foreign_text_stays_text() {
        assert_eq!(escape("<b a=\"&\">"), "&lt;b a=&quot;&amp;&quot;&gt;");
    }
}

//! The page around the figures.

use crate::report::figures::Drawn;
use crate::report::milestones::{Milestone, milestones};
use crate::report::numbers::{duration, grouped};
use crate::report::report_kinds::Kind;
use crate::report::report_run::Run;
use support::chart::color;

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
pub(crate) fn page(runs: &[Run], figures: &[Drawn]) -> String {
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
        page += &format!("<h2>Milestones of {}</h2>\n{}", escape(&run.name), table(run));
        page += &format!("<h2>Configuration of {}</h2>\n{}", escape(&run.name), options(run));
    }
    page + "</body>\n</html>\n"
}

impl Run {
    /// The run in a line.
    pub fn summary(&self) -> String {
        let Kind { step, steps, totals, progress, .. } = self.kind;
        let totals = totals.iter().map(|(column, unit)| format!(", {} {unit}", grouped(self.last(column))));
        let progress = self.kind.columns().find(|series| series.column == *progress).and_then(|series| {
            let (first, last) = self.ends(&series.column)?;
            Some(format!("; {} {} to {}", series.heading, series.shown(first), series.shown(last)))
        });
        format!(
            "{}: {} {steps}{}{}{}",
            self.name,
            grouped(self.last(step)),
            self.ends("seconds").map_or(String::new(), |(_, seconds)| format!(" in {}", duration(seconds))),
            totals.collect::<String>(),
            progress.unwrap_or_default()
        )
    }
}

fn table(run: &Run) -> String {
    let Kind { step, best: (_, _, note), .. } = run.kind;
    let has_time = run.ends("seconds").is_some();
    let time = if has_time { "<th>time</th>" } else { "" };
    let heads: String = run.kind.columns().map(|series| format!("<th>{}</th>", escape(&series.heading))).collect();
    let mut table = format!("<div class=\"wide\"><table>\n<tr><th>{step}</th>{time}{heads}</tr>\n");
    for Milestone { record, best } in milestones(run.kind, &run.records) {
        let cell = |column: &str, shown: &dyn Fn(f64) -> String| {
            format!("<td>{}</td>", record.get(column).map_or("–".to_owned(), |number| shown(*number)))
        };
        let time = if has_time { cell("seconds", &duration) } else { String::new() };
        let cells = run.kind.columns().map(|series| cell(&series.column, &|number| series.shown(number)));
        let cells = cell(step, &grouped) + &time + &cells.collect::<String>();
        table += &format!("<tr{}>{cells}</tr>\n", if best { " class=\"best\"" } else { "" });
    }
    format!("{table}</table></div>\n<p class=\"note\">{note}</p>\n")
}

fn options(run: &Run) -> String {
    let (changed, all) = &run.options;
    format!(
        "<p>{}</p>\n<details><summary>Whole configuration</summary><pre>{}</pre></details>\n",
        escape(changed),
        escape(all)
    )
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::report_kinds::{LEAGUE, TD_LEAF};

    #[test]
    fn foreign_text_stays_text() {
        assert_eq!(escape("<b a=\"&\">"), "&lt;b a=&quot;&amp;&quot;&gt;");
    }

    #[test]
    fn a_page_has_a_line_figures_milestones_and_options_of_each_run() {
        let record =
            |numbers: &[(&str, f64)]| numbers.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
        let run = Run {
            name: "<run>".to_owned(),
            kind: &TD_LEAF,
            records: vec![
                record(&[
                    ("iteration", 1.0),
                    ("seconds", 30.0),
                    ("searches", 1_000.0),
                    ("sts", 6_000.0),
                    ("loss", 0.25),
                ]),
                record(&[
                    ("iteration", 2.0),
                    ("seconds", 3_720.0),
                    ("searches", 2_000.0),
                    ("leaves", 9.0),
                    ("loss", 0.125),
                ]),
            ],
            options: ("Changed: <none>.".to_owned(), "a = 1 & b".to_owned()),
            history: None,
        };
        let figures = [
            Drawn { caption: "of \"it\"", content: Ok("<svg/>".to_owned()) },
            Drawn { caption: "of another", content: Err("not <yet>".to_owned()) },
        ];
        let line = "<run>: 2 iterations in 1 h 02 min, 2,000 searches, 9 leaves; STS 6,000 to 6,000";
        assert_eq!(run.summary(), line);
        let columns = "<th>STS</th><th>built-in suite</th><th>searches</th><th>leaves</th><th>nodes of trees</th>\
                       <th>inside bounds</th><th>loss</th><th>temporal error</th><th>mean |value|</th>\
                       <th>material correlation</th><th>dead units</th>";
        let none = "<td>–</td>".repeat(4);
        let expected = format!(
            "<h1>Okapi training: &lt;run&gt;</h1>\n\
             <p><b style=\"color:#0072b2\">━</b> &lt;run&gt;{}</p>\n\
             <div class=\"figures\">\n\
             <figure><svg/><figcaption>of &quot;it&quot;</figcaption></figure>\n\
             <figure><figcaption>not &lt;yet&gt;</figcaption></figure>\n\
             </div>\n\
             <h2>Milestones of &lt;run&gt;</h2>\n\
             <div class=\"wide\"><table>\n\
             <tr><th>iteration</th><th>time</th>{columns}</tr>\n\
             <tr class=\"best\"><td>1</td><td>30 s</td><td>6,000</td><td>–</td><td>1,000</td><td>–</td><td>–</td><td>–</td>\
             <td>0.2500</td>{none}</tr>\n\
             <tr><td>2</td><td>1 h 02 min</td><td>–</td><td>–</td><td>2,000</td><td>9</td><td>–</td><td>–</td>\
             <td>0.1250</td>{none}</tr>\n\
             </table></div>\n\
             <p class=\"note\">The best score in the Strategic Test Suite is bold.</p>\n\
             <h2>Configuration of &lt;run&gt;</h2>\n\
             <p>Changed: &lt;none&gt;.</p>\n\
             <details><summary>Whole configuration</summary><pre>a = 1 &amp; b</pre></details>\n\
             </body>\n</html>\n",
            &line[5..]
        );
        let page = page(&[run], &figures);
        let (head, body) = page.split_once("<body>\n").unwrap();
        assert_eq!(body, expected);
        assert!(head.contains("<title>Okapi training: &lt;run&gt;</title>"), "{head}");
    }

    #[test]
    fn a_league_has_no_time_and_no_totals() {
        let row = |game: f64| [("game".to_owned(), game), ("rating".to_owned(), 1_650.0 + game)].into();
        let run = Run {
            name: "league".to_owned(),
            kind: &LEAGUE,
            records: vec![row(0.0), row(1.0)],
            options: Default::default(),
            history: None,
        };
        assert_eq!(run.summary(), "league: 1 games; rating 1,650 to 1,651");
        let table = table(&run);
        assert!(table.contains("<tr><th>game</th><th>panel Elo</th><th>rating</th>"), "{table}");
        assert!(table.contains("<tr><td>1</td><td>–</td><td>1,651</td><td>–</td>"), "{table}");
    }
}

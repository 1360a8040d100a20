//! The formats of a report: sums are checked by hand, and machine-readable formats are read back.

mod report_support;

use report_support::{engine, first, position, repeated, run, second};
use sts::{
    report::{self, summary::Summary},
    result::{PositionResult, SuiteResult, ThemeMaximum},
};

/// The cells of the line that begins with `name`, which has no spaces.
fn cells(text: &str, name: &str) -> Vec<String> {
    let line = text.lines().find(|line| line.split_whitespace().next() == Some(name));
    line.unwrap_or_else(|| panic!("no {name} in\n{text}")).split_whitespace().map(String::from).collect()
}

#[test]
fn sums_match_hand_computation() {
    let result = run(vec![first()]);
    let summary = Summary::of(&result, &result.engines[0]);
    assert_eq!((summary.whole.points, summary.whole.maximum, summary.whole.best, summary.whole.faults), (20, 40, 1, 1));
    assert_eq!(summary.whole.percent(), 50.0);
    assert_eq!(summary.whole.average_nodes(), Some(200.0));
    assert!((summary.whole.average_seconds() - 0.05).abs() < 1e-12);
    assert_eq!(summary.whole.longest, 0.08);
    let points: Vec<u64> = summary.themes.iter().map(|(_, tally)| tally.points).collect();
    assert_eq!(points, [13, 7]);
    assert!(summary.is_complete);
}

#[test]
fn one_engine_is_shown_with_nodes_and_times_by_theme() {
    let text = report::table(&run(vec![first()]));
    assert_eq!(cells(&text, "space"), ["space", "13", "20", "65.00", "1", "200", "30.0", "40.0"]);
    assert_eq!(cells(&text, "time"), ["time", "7", "20", "35.00", "0", "200", "70.0", "80.0"]);
    assert_eq!(cells(&text, "total"), ["total", "20", "40", "50.00", "1", "200", "50.0", "80.0"]);
    assert_eq!(cells(&text, "first"), ["first", "20", "40", "50.00", "1", "200", "50.0", "80.0", "0", "1"]);
    assert!(text.contains("Fault of first at line 3, position 3: no bestmove within 1.0 s"), "{text}");
    assert!(text.contains("Rating estimate of first: none: the formula is for all of STS1-STS15"), "{text}");
}

#[test]
fn several_engines_stand_side_by_side() {
    let text = report::table(&run(vec![first(), second()]));
    assert_eq!(cells(&text, "theme"), ["theme", "of", "first", "best", "second", "best"]);
    assert_eq!(cells(&text, "space"), ["space", "20", "13", "1", "20", "2"]);
    assert_eq!(cells(&text, "total"), ["total", "40", "20", "1", "40", "4"]);
    assert_eq!(cells(&text, "second"), ["second", "40", "40", "100.00", "4", "-", "500.0", "500.0", "0", "0"]);
}

#[test]
fn repetitions_give_a_mean_and_its_spread() {
    // 20, 23 and 26: mean 23, deviation 3, error √3.
    let result = SuiteResult { repetitions: 3, ..run(vec![repeated("thrice", &[20, 23, 26])]) };
    let text = report::table(&result);
    let expected = ["thrice", "23", "40", "57.50", "2", "1000", "10.0", "10.0", "0", "0", "3", "3.0", "1.7"];
    assert_eq!(cells(&text, "thrice"), expected);
    // 20, 20 and 20 in space; 0, 3 and 6 in time.
    assert_eq!(cells(&text, "time")[1], "3");
}

#[test]
fn an_incomplete_repetition_does_not_count_if_another_is_complete() {
    let mut result = SuiteResult { repetitions: 2, ..run(vec![repeated("halted", &[20, 40])]) };
    result.engines[0].positions.truncate(6);
    let text = report::table(&result);
    assert_eq!(cells(&text, "halted")[1..3], ["20", "40"]);
    assert!(text.contains("halted: 1 incomplete repetition not counted."), "{text}");
    result.engines[0].positions.truncate(3);
    let text = report::table(&result);
    assert_eq!(cells(&text, "halted")[1..4], ["20", "30", "66.67"]);
    assert!(text.contains("incomplete: the answered positions have 30 of 40 points"), "{text}");
}

#[test]
fn only_the_first_faults_are_listed() {
    let fault = |line| PositionResult { fault: Some("died".into()), played: None, ..position(line, 0, None, 0.0) };
    let text = report::table(&run(vec![engine("frail", (1..=25).map(fault).collect())]));
    assert_eq!(text.matches("Fault of frail").count(), 10);
    assert!(text.contains("frail: 15 faults more."), "{text}");
}

#[test]
fn a_run_without_engines_or_themes_has_every_report() {
    let result = SuiteResult { themes: vec![], ..run(vec![]) };
    assert!(report::table(&result).contains("four.epd"));
    assert!(report::markdown(&result).contains("four.epd"));
    assert_eq!(report::csv(&result).unwrap().lines().count(), 1);
    assert_eq!(report::read_json(&report::json(&result)).unwrap(), result);
    roxmltree::Document::parse(&report::svg(&result).unwrap()).unwrap();
}

#[test]
fn json_has_its_sums_on_top_and_reads_back() {
    let result = run(vec![first(), second()]);
    let text = report::json(&result);
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["schema"], 2);
    assert_eq!(value["total"], 20);
    assert_eq!(value["maximum"], 40);
    assert_eq!(value["themes"][1], serde_json::json!({"theme": "time", "maximum": 20}));
    assert_eq!(value["engines"][1]["total"], 40);
    assert_eq!(value["engines"][0]["themes"][0]["points"], 13.0);
    assert_eq!(value["engines"][0]["faults"], 1);
    assert_eq!(value["engines"][0]["positions"][2]["fault"], "no bestmove within 1.0 s");
    assert_eq!(value["engines"][0]["rating"]["estimate"], serde_json::Value::Null);
    let place = |field: &str| text.find(&format!("\"{field}\"")).unwrap();
    assert!(place("schema") < place("total") && place("total") < place("maximum") && place("maximum") < place("suite"));
    assert_eq!(report::read_json(&text).unwrap(), result);
}

#[test]
fn json_rounds_the_mean_of_repetitions() {
    let result = SuiteResult { repetitions: 3, ..run(vec![repeated("thrice", &[20, 20, 21])]) };
    let value: serde_json::Value = serde_json::from_str(&report::json(&result)).unwrap();
    assert_eq!((value["total"].as_u64(), value["maximum"].as_u64()), (Some(20), Some(40)));
    assert_eq!(value["engines"][0]["totals"], serde_json::json!([20, 20, 21]));
}

#[test]
fn json_that_is_not_a_report_is_refused() {
    let good = report::json(&run(vec![first()]));
    let refusal = |text: &str| report::read_json(text).unwrap_err().to_string();
    let foreign = "the older report was not written by okapi sts --json: ";
    assert!(refusal("not json").starts_with(foreign));
    assert_eq!(refusal("[]"), "the older report has schema none; this program reads schemas 1 to 2");
    assert!(refusal("{\"schema\": 1}").starts_with(foreign));
    let newer = refusal(&good.replacen("\"schema\": 2", "\"schema\": 3", 1));
    assert_eq!(newer, "the older report has schema 3; this program reads schemas 1 to 2");
    let damaged = refusal(&good.replacen(
        "\"points\": 3,\n          \"maximum\": 10",
        "\"points\": 30,\n          \"maximum\": 10",
        1,
    ));
    assert!(damaged.contains("first, line 2, has 30 of at most 10 points"), "{damaged}");
    assert!(refusal(&good[..good.len() / 2]).starts_with(foreign));
}

#[test]
fn csv_reads_back() {
    let mut odd = first();
    odd.engine = "a, \"b\"".into();
    odd.positions[0].id = "two\nlines".into();
    let text = report::csv(&run(vec![odd, second()])).unwrap();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    assert_eq!(reader.headers().unwrap().len(), 11);
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 8);
    assert_eq!(rows[0].iter().take(4).collect::<Vec<_>>(), ["a, \"b\"", "1", "1", "two\nlines"]);
    let expected = ["time", "", "0", "10", "", "0.060000", "no bestmove within 1.0 s"];
    assert_eq!(rows[2].iter().skip(4).collect::<Vec<_>>(), expected);
    assert_eq!(rows[1].iter().skip(5).take(5).collect::<Vec<_>>(), ["e2e4", "3", "10", "300", "0.040000"]);
}

#[test]
fn markdown_tables_are_rectangular_for_any_names() {
    let mut result = run(vec![first(), second()]);
    result.engines[0].engine = "a|b\n\u{1b}[2J".into();
    result.themes[0].theme = "spa|ce".into();
    result
        .engines
        .iter_mut()
        .flat_map(|e| &mut e.positions)
        .filter(|p| p.line < 3)
        .for_each(|p| p.theme = "spa|ce".into());
    let text = report::markdown(&result);
    assert!(!text.contains('\u{1b}'));
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with('|')).collect();
    let bars = |row: &str| row.replace("\\|", "").matches('|').count();
    // Heading, rule, two themes and the total, then heading, rule and two engines.
    assert_eq!(rows.iter().map(|row| bars(row)).collect::<Vec<_>>(), [7, 7, 7, 7, 7, 11, 11, 11, 11]);
    assert!(text.contains("| spa\\|ce | 20 | 13 | 1 | 20 | 2 |"), "{text}");
}

#[test]
fn svg_is_xml_with_a_bar_for_each_engine_and_theme() {
    let mut result = run(vec![first(), second()]);
    result.engines[0].engine = "<a> & \"b\" \u{1}".into();
    let text = report::svg(&result).unwrap();
    let document = roxmltree::Document::parse(&text).unwrap();
    let root = document.root_element();
    assert_eq!(root.tag_name().namespace(), Some("http://www.w3.org/2000/svg"));
    let of = |tag: &'static str| {
        document.descendants().filter(move |node| node.has_tag_name((root.tag_name().namespace().unwrap(), tag)))
    };
    // White ground, two squares of the legend, four bars: 65, 100, 35 and 100 % of 500 pixels.
    let mut widths: Vec<i32> =
        of("rect").skip(3).map(|rect| rect.attribute("width").unwrap().parse().unwrap()).collect();
    widths.sort_unstable();
    assert_eq!(widths, [175, 325, 500, 500]);
    let texts: Vec<&str> = of("text").filter_map(|node| node.text()).map(str::trim).collect();
    for expected in ["space", "time", "65.0", "35.0", "0 %", "100 %", "second: 40 of 40 (100.0 %)"] {
        assert!(texts.contains(&expected), "{expected} is not in {texts:?}");
    }
    assert!(texts.iter().any(|text| text.starts_with("<a> & \"b\" �")), "{texts:?}");
    let (width, height): (f64, f64) =
        (root.attribute("width").unwrap().parse().unwrap(), root.attribute("height").unwrap().parse().unwrap());
    for node in of("text") {
        let at = |name| node.attribute(name).unwrap().parse::<f64>().unwrap();
        assert!((0.0..width).contains(&at("x")) && (0.0..height).contains(&at("y")), "{node:?} lies outside");
    }
    assert!(!text.contains("href") && !text.contains("url("), "it draws on something outside");
}

#[test]
fn the_whole_strategic_test_suite_gets_a_rating_estimate() {
    // Fifteen themes of a hundred positions, six points each: 9,000 of 15,000, 60 %.
    let mut result = run(vec![engine("steady", (1..=1500).map(|line| position(line, 6, None, 0.1)).collect())]);
    result.themes = (0..15).map(|n| ThemeMaximum { theme: format!("theme {n}"), maximum: 1000 }).collect();
    result.limits = report::rating::RATING_LIMITS.into();
    result.suite_sha256 = report::rating::RATING_SUITE_SHA256.into();
    for (index, position) in result.engines[0].positions.iter_mut().enumerate() {
        position.theme = format!("theme {}", index / 100);
    }
    let text = report::table(&result);
    assert!(text.contains("Rating estimate of steady: 2429 by the formula of STS-Rating"), "{text}");
    let value: serde_json::Value = serde_json::from_str(&report::json(&result)).unwrap();
    assert_eq!((value["total"].as_u64(), value["maximum"].as_u64()), (Some(9000), Some(15000)));
    assert_eq!(value["engines"][0]["rating"]["estimate"], 2429.0);
}

#[test]
fn mixed_versions_are_reported_and_read_back() {
    let result = SuiteResult { mixed_from: vec!["old".into(), "new".into()], ..run(vec![first()]) };
    assert!(report::table(&result).contains("Mixed: the answers come from several versions: old; new.\n"));
    assert_eq!(report::read_json(&report::json(&result)).unwrap(), result);
}

#[test]
fn json_of_schema_1_is_read() {
    let result = run(vec![first()]);
    let old = report::json(&result).replacen("\"schema\": 2", "\"schema\": 1", 1);
    assert_eq!(report::read_json(&old).unwrap(), result);
}

#[test]
fn a_whole_table_has_its_title_grids_and_notes() {
    let mut result = SuiteResult { concurrency: 2, ..run(vec![first()]) };
    result.engines[0].positions[1].exceeded = true;
    result.engines[0].positions.iter_mut().skip(1).for_each(|position| position.hardly_used = true);
    let expected = "\
four.epd, 1000 nodes a position, 2 at once (SHA-256 0123456789ab...)

theme  points  of      %  best  nodes    ms  longest
space      13  20  65.00     1    200  30.0     40.0
time        7  20  35.00     0    200  70.0     80.0
total      20  40  50.00     1    200  50.0     80.0

engine  points  of      %  best  nodes    ms  longest  exceeded  faults
first       20  40  50.00     1    200  50.0     80.0         1       1

Nodes and ms are means per position; ms are measured by the scorer's clock.
first exceeded the limits in 1 of 4 positions (it took 200 nodes and 50.0 ms on average; a tenth more and 1,000 \
nodes or 50 ms are tolerated): its points do not compare with those of engines that keep them.
first used less than a fiftieth of the limits in 3 of 4 positions (it took 200 nodes and 50.0 ms on average): its \
points do not compare with those of engines that use them.
Rating estimate of first: none: the formula is for all of STS1-STS15_LAN_v3.epd.
Fault of first at line 3, position 3: no bestmove within 1.0 s
";
    assert_eq!(report::table(&result), expected);
    // Half of the positions may hardly use the limits, and one in fifty exceed them.
    result.engines[0].positions[1].hardly_used = false;
    assert!(!report::table(&result).contains("a fiftieth of the limits"));
    for (count, compares) in [(49, false), (50, true)] {
        let mut positions: Vec<PositionResult> = (1..=count).map(|line| position(line, 1, None, 0.1)).collect();
        positions[7].exceeded = true;
        let text = report::table(&run(vec![engine("x", positions)]));
        assert!(text.contains("(it took 100.0 ms on average;"), "{text}");
        assert_eq!(text.contains("at most one position in fifty, which its points hardly show"), compares, "{text}");
        assert_eq!(text.contains("its points do not compare"), !compares, "{text}");
    }
    let title = |result: &SuiteResult| report::table(result).lines().next().unwrap().to_owned();
    let repeated = SuiteResult { repetitions: 2, ..run(vec![]) };
    let suite = "four.epd, 1000 nodes a position";
    assert_eq!(title(&repeated), format!("{suite}, 2 repetitions (SHA-256 0123456789ab...)"));
    assert_eq!(title(&run(vec![])), format!("{suite} (SHA-256 0123456789ab...)"));
}

#[test]
fn only_faults_beyond_the_tenth_are_counted() {
    let fault = |line| PositionResult { fault: Some("died".into()), played: None, ..position(line, 0, None, 0.0) };
    for (count, more) in [(10, None), (11, Some("frail: 1 fault more."))] {
        let text = report::table(&run(vec![engine("frail", (1..=count).map(fault).collect())]));
        assert_eq!(text.matches("Fault of frail").count(), 10);
        assert_eq!(text.lines().find(|line| line.ends_with("more.")), more, "{text}");
    }
}

/// The drawing's elements of a kind, each as these attributes and its text.
fn drawn(svg: &str, kind: &str, attributes: &[&str]) -> Vec<String> {
    let document = roxmltree::Document::parse(svg).unwrap();
    let of_kind = document.descendants().filter(|node| node.tag_name().name() == kind);
    let words = |node: roxmltree::Node| {
        let values = attributes.iter().map(|name| node.attribute(*name).unwrap_or("-").to_owned());
        values.chain(node.text().map(|text| text.trim().to_owned())).collect::<Vec<_>>().join(" ")
    };
    of_kind.map(words).map(|words| words.trim().to_owned()).collect()
}

#[test]
fn every_part_of_the_svg_is_where_it_belongs() {
    let result = run(vec![first(), second()]);
    let text = report::svg(&result).unwrap();
    // Five letters of 8 pixels between margins of 16 and 8: bars begin at 64, and are 500 long at 100 %. Title and
    // legend take 30 and twice 20, a gap 10: themes begin at 16 + 80 = 96, each of 2 * 14 + 10 = 38, and end at 172.
    // Bars are 13 high.
    let rectangles = [
        "0 0 624 212 #FFFFFF",
        "16 46 12 12 #0072B2",
        "16 66 12 12 #E69F00",
        "64 101 325 13 #0072B2",
        "64 115 500 13 #E69F00",
        "64 139 175 13 #0072B2",
        "64 153 500 13 #E69F00",
    ];
    assert_eq!(drawn(&text, "rect", &["x", "y", "width", "height", "fill"]), rectangles);
    let lines = [64, 164, 264, 364, 464, 564].map(|x| format!("{x},96 {x},172"));
    assert_eq!(drawn(&text, "polyline", &["points"]), lines);
    let texts = [
        "16 24 four.epd, 1000 nodes a position (SHA-256 0123456789ab...)",
        "36 52 first: 20 of 40 (50.0 %)",
        "36 72 second: 40 of 40 (100.0 %)",
        "64 184 0 %",
        "164 184 20 %",
        "264 184 40 %",
        "364 184 60 %",
        "464 184 80 %",
        "564 184 100 %",
        "314 200 points, percent of the theme's maximum",
        "56 115 space",
        "393 108 65.0",
        "568 122 100.0",
        "56 153 time",
        "243 146 35.0",
        "568 160 100.0",
    ];
    assert_eq!(drawn(&text, "text", &["x", "y"]), texts);
    let root = roxmltree::Document::parse(&text).unwrap().root_element().attribute("width").map(str::to_owned);
    assert_eq!(root.as_deref(), Some("624"));
    // A long legend makes it wider, 10 pixels a letter: 60 letters of a name and 20 more. The ninth color is the first
    // again.
    let mut nine = run((0..9).map(|_| second()).collect());
    nine.engines[0].engine = "n".repeat(70);
    let text = report::svg(&nine).unwrap();
    let legends = drawn(&text, "rect", &["width", "fill"]);
    assert_eq!(legends[0], format!("{} #FFFFFF", 32 + 10 * (60 + ": 40 of 40 (100.0 %)".len())));
    assert_eq!(legends[1], legends[9]);
    assert_eq!(legends[1..9].iter().collect::<std::collections::HashSet<_>>().len(), 8);
}

#[test]
fn json_has_all_sums_of_repetitions() {
    let mut result = SuiteResult { repetitions: 2, ..run(vec![repeated("twice", &[20, 25])]) };
    let positions = &mut result.engines[0].positions;
    (positions[0].exceeded, positions[1].hardly_used) = (true, true);
    (positions[7].fault, positions[3].nodes) = (Some("died".into()), None);
    let value: serde_json::Value = serde_json::from_str(&report::json(&result)).unwrap();
    let mut engine = value["engines"][0].clone();
    engine.as_object_mut().unwrap().retain(|key, _| key != "positions");
    // 20 is 10, 10, 0, 0 and 25 is 10, 10, 5, 0; the deviation of the two is 5 / √2, the mean's error half of 5.
    let expected = serde_json::json!({
        "engine": "twice", "command": "/usr/games/twice", "total": 23, "maximum": 40, "percent": 56.25,
        "totals": [20, 25], "standard_deviation": 12.5f64.sqrt(), "standard_error": 12.5f64.sqrt() / 2f64.sqrt(),
        "positions_answered": 8, "best_moves": 4, "faults": 1, "exceeded_limits": 1, "hardly_used_limits": 1,
        "average_nodes": 1000.0, "average_seconds": 0.01, "longest_seconds": 0.01, "is_complete": true,
        "rating": {"estimate": null, "note": "none: the formula is for all of STS1-STS15_LAN_v3.epd"},
        "themes": [
            {"theme": "space", "points": 20.0, "maximum": 20.0, "percent": 100.0, "positions_answered": 4,
             "best_moves": 4, "faults": 0, "exceeded_limits": 1, "hardly_used_limits": 1, "average_nodes": 1000.0,
             "average_seconds": 0.01, "longest_seconds": 0.01},
            {"theme": "time", "points": 2.5, "maximum": 20.0, "percent": 12.5, "positions_answered": 4,
             "best_moves": 0, "faults": 1, "exceeded_limits": 0, "hardly_used_limits": 0, "average_nodes": 1000.0,
             "average_seconds": 0.01, "longest_seconds": 0.01},
        ],
    });
    assert_eq!(engine, expected);
    assert_eq!((&value["total"], &value["percent"]), (&23.into(), &56.25.into()));
}

#[test]
fn failures_name_what_was_played_and_what_is_best() {
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
    let text = format!(
        "{start} bm e4; id \"A.1\";\n{start} am f3 g4; id \"A.2\";\n\
         {start} c0 \"e4=9, d4=9, c4=9, Nf3=9, a3=1\"; id \"A.3\";\n\
         {start} c0 \"e4=9, d4=9, c4=9\"; id \"{}.4\";\n",
        "B".repeat(45)
    );
    let suite = sts::suite::Suite::read("four.epd", text.as_bytes()).unwrap();
    let answer = |line: usize, played: &str, points, maximum| PositionResult {
        played: Some(played.to_owned()),
        id: suite.positions[line - 1].id.clone(),
        maximum,
        ..position(line, points, None, 0.1)
    };
    let crashed = PositionResult { played: None, fault: Some("died".into()), ..answer(1, "", 1, 1) };
    // One answer is to a position that the suite does not have.
    let unknown = PositionResult { line: 9, ..answer(2, "f2f3", 0, 1) };
    let answers = [unknown, answer(4, "a2a3", 8, 9), answer(3, "a2a3", 1, 9), answer(2, "f2f3", 0, 1), crashed];
    let solved = answer(1, "e2e4", 1, 1);
    let first = engine("first", answers.into_iter().chain([solved.clone()]).collect());
    let expected = format!(
        "
first: 5 of 6 answers are not the best
position                                  line  played          best  points  of
A.1                                          1   fault            e4       1   1
A.2                                          2      f3     not f3 g4       0   1
A.3                                          3      a3  e4 d4 c4 ...       1   9
{}…     4      a3      e4 d4 c4       8   9
A.2                                          9    f2f3                     0   1

second: 0 of 1 answers are not the best
",
        "B".repeat(39)
    );
    assert_eq!(report::failures(&run(vec![first, engine("second", vec![solved])]), &suite), expected);
}

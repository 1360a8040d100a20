//! Public suites, unchanged: they are read from ../shared/data, and the tests are ignored where that is absent.

use std::collections::BTreeSet;
use std::path::Path;
use sts::epd::{self, EpdRecord};
use sts::suite::Suite;

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data/");
const STS: &str = "sts/STS1-STS15_LAN_v3.epd";

fn bytes(file: &str) -> Vec<u8> {
    let path = Path::new(DATA).join(file);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared/data")]
fn the_strategic_test_suite_has_1500_positions_in_15_themes_and_7_defects() {
    let bytes = bytes(STS);
    let suite = Suite::read("sts.epd", &bytes).unwrap();
    assert_eq!(suite.positions.len(), 1500);
    assert_eq!(suite.themes.len(), 15, "{:?}", suite.themes);
    assert_eq!(suite.themes[2], "Knight Outposts/Repositioning/Centralization");
    assert_eq!(suite.themes[13], "7th Rank");
    for (index, theme) in suite.theme_maxima().into_iter().enumerate() {
        let (name, maximum) = (theme.theme, theme.maximum);
        assert_eq!(maximum, 1000, "{name}");
        assert_eq!(suite.positions.iter().filter(|position| position.theme == index).count(), 100, "{name}");
    }
    let lines: Vec<_> = suite.defects.iter().map(|defect| defect.line).collect();
    assert_eq!(lines, [86, 149, 292, 638, 791, 954, 1099], "{:?}", suite.defects);
    assert!(suite.defects.iter().all(|defect| defect.to_string().contains(" is listed twice, ")));
    let sentence = suite.defects[0].to_string();
    assert_eq!(sentence, "line 86: Rc8 is listed twice, with 1 and with 3 points; the first counts");
    assert!(suite.positions.iter().all(|position| !position.chess960));
}

#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared/data")]
fn the_first_points_of_a_move_listed_twice_count() {
    let bytes = bytes(STS);
    let suite = Suite::read("sts.epd", &bytes).unwrap();
    // Read by eye from the seven lines.
    let first = [(86, "Rc8", 1), (149, "Re2", 2), (292, "Kg2", 4), (1099, "Kb1", 3)];
    for (line, san, points) in first {
        let position = &suite.positions[line - 1];
        assert_eq!(position.points.of(position.position.parse_san(san).unwrap()), points, "line {line}");
    }
}

/// The suite gives its points in three places; each of them alone must give the same suite.
#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared/data")]
fn every_source_of_points_gives_the_same_suite() {
    let bytes = bytes(STS);
    let whole = Suite::read("sts.epd", &bytes).unwrap();
    let defective: BTreeSet<_> = whole.defects.iter().map(|defect| defect.line).collect();
    let text = String::from_utf8(bytes).unwrap();
    for gone in [["c0", "c9"], ["c0", "c7"], ["c7", "c9"]] {
        let rename = |text: String, opcode: &&str| text.replace(&format!("{opcode} \""), "x \"");
        let renamed = gone.iter().fold(text.clone(), rename);
        let alone = Suite::read("sts.epd", renamed.as_bytes()).unwrap();
        let mut castlings = 0;
        for (one, other) in whole.positions.iter().zip(&alone.positions) {
            castlings += one.points.listed().iter().filter(|&&(mv, _)| one.position.is_castling(mv)).count();
            let sorted = |position: &sts::suite::SuitePosition| {
                let mut listed: Vec<_> =
                    position.points.listed().iter().map(|&(mv, points)| (mv.to_string(), points)).collect();
                listed.sort_unstable();
                listed
            };
            if !defective.contains(&one.line) {
                assert_eq!(sorted(one), sorted(other), "line {} without {gone:?}", one.line);
            }
        }
        assert!(castlings > 0, "the suite castles");
    }
}

#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared/data")]
fn suites_without_points_score_zero_or_one() {
    for (file, lines, themes) in [("suites/bratko-kopec.epd", 24, "BK"), ("suites/wac.epd", 300, "WAC")] {
        let bytes = bytes(file);
        let suite = Suite::read(file, &bytes).unwrap();
        for defect in &suite.defects {
            eprintln!("{file}: {defect}");
        }
        assert_eq!(suite.themes, [themes]);
        assert!(suite.positions.len() <= lines && suite.positions.len() >= lines - 10, "{}", suite.positions.len());
        assert!(suite.positions.iter().all(|position| position.points.maximum() == 1));
    }
}

#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared/data")]
fn defects_of_plain_suites_have_line_numbers() {
    let bytes = bytes("suites/wac.epd");
    let suite = Suite::read("wac.epd", &bytes).unwrap();
    assert!(!suite.defects.is_empty());
    for defect in &suite.defects {
        let (_, text) = epd::lines(&bytes).find(|(line, _)| *line == defect.line).unwrap();
        let wrong = match EpdRecord::read(&text) {
            Err(_) => true,
            Ok(record) => !record.problems().is_empty(),
        };
        assert!(wrong && defect.to_string().starts_with(&format!("line {}: ", defect.line)), "{defect}");
    }
}

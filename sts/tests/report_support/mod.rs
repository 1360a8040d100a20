//! Small runs for the reports' tests.

use sts::result::{EngineResult, PositionResult, SuiteResult, ThemeMaximum};

/// A position of ten points, its theme by the line: 1 and 2 are space, 3 and 4 time.
pub fn position(line: usize, points: u32, nodes: Option<u64>, seconds: f64) -> PositionResult {
    PositionResult {
        line,
        id: format!("position {line}"),
        theme: if line < 3 { "space" } else { "time" }.into(),
        repetition: 1,
        played: Some("e2e4".into()),
        points,
        maximum: 10,
        nodes,
        seconds,
        exceeded: false,
        hardly_used: false,
        fault: None,
    }
}

pub fn engine(name: &str, positions: Vec<PositionResult>) -> EngineResult {
    EngineResult { engine: name.into(), command: format!("/usr/games/{name}"), positions }
}

/// Four positions of ten points in two themes.
pub fn run(engines: Vec<EngineResult>) -> SuiteResult {
    SuiteResult {
        suite: "four.epd".into(),
        suite_sha256: "0123456789abcdef".repeat(4),
        limits: "1000 nodes a position".into(),
        repetitions: 1,
        concurrency: 1,
        themes: ["space", "time"].map(|name| ThemeMaximum { theme: name.into(), maximum: 20 }).into(),
        mixed_from: vec![],
        engines,
    }
}

/// 10, 3, 0 (a fault) and 7 points; 100, 300 and 200 nodes; 20, 40, 60 and 80 ms.
pub fn first() -> EngineResult {
    let mut faulty = position(3, 0, None, 0.06);
    (faulty.played, faulty.fault) = (None, Some("no bestmove within 1.0 s".into()));
    let positions = vec![
        position(1, 10, Some(100), 0.02),
        position(2, 3, Some(300), 0.04),
        faulty,
        position(4, 7, Some(200), 0.08),
    ];
    engine("first", positions)
}

/// 10 points everywhere, without a word on nodes.
pub fn second() -> EngineResult {
    engine("second", (1..=4).map(|line| position(line, 10, None, 0.5)).collect())
}

/// As many repetitions of the four positions as there are totals; each total is spread over the lines, ten at most.
#[allow(dead_code)] // Not every test crate that includes this file repeats.
pub fn repeated(name: &str, totals: &[u32]) -> EngineResult {
    let mut positions = Vec::new();
    for (repetition, &total) in (1..).zip(totals) {
        let mut left = total;
        for line in 1..=4 {
            let points = left.min(10);
            left -= points;
            positions.push(PositionResult { repetition, ..position(line, points, Some(1000), 0.01) });
        }
    }
    engine(name, positions)
}

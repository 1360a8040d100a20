//! What engines solve with growing numbers of nodes: one run of the suite for each number.

use super::grid::Grid;
use super::json::json;
use super::layout::suite_title;
use super::summary::Summary;
use super::text::{clipped, printable};
use crate::result::{EngineResult, SuiteResult};
use anyhow::anyhow;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Width and height, in pixels.
const SIZE: (u32, u32) = (720, 420);
/// The maximum length of names in characters.
const NAME: usize = 60;
/// CITE: Okabe and Ito, "Color Universal Design" (2008): a palette for color-blind readers.
const COLORS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(102, 102, 102),
];

/// Runs of the same engines over the same suite, each with its nodes per position, the fewest first.
#[derive(Debug)]
pub struct Curve(Vec<(u64, SuiteResult)>);

impl Curve {
    /// These runs, in any order.
    pub fn new(mut runs: Vec<(u64, SuiteResult)>) -> Self {
        runs.sort_by_key(|(nodes, _)| *nodes);
        Self(runs)
    }

    /// A table for a terminal: the solved positions of each engine.
    pub fn table(&self) -> String {
        let (title, grids, notes) = self.layout();
        let grids: Vec<String> = grids.iter().map(Grid::aligned).collect();
        format!("{title}\n\n{}\n{}\n", grids.join("\n"), notes.join("\n"))
    }

    /// The same as Markdown.
    pub fn markdown(&self) -> String {
        let (title, grids, notes) = self.layout();
        let grids: Vec<String> = grids.iter().map(Grid::markdown).collect();
        format!("## {title}\n\n{}\n{}\n", grids.join("\n"), notes.join("\n"))
    }

    /// All runs as a JSON list.
    pub fn json(&self) -> String {
        let runs: Vec<String> = self.0.iter().map(|(_, result)| json(result)).collect();
        format!("[\n{}]\n", runs.join(","))
    }

    /// A line for each engine, solved positions over nodes.
    ///
    /// # Errors
    /// If the drawing library fails.
    pub fn svg(&self) -> anyhow::Result<String> {
        let mut text = String::new();
        self.draw(&SVGBackend::with_string(&mut text, SIZE).into_drawing_area())
            .map_err(|error| anyhow!("the SVG could not be drawn: {error}"))?;
        Ok(text)
    }

    /// Title, grids and notes.
    fn layout(&self) -> (String, Vec<Grid>, Vec<String>) {
        let Some((_, first)) = self.0.first() else { return (String::new(), Vec::new(), Vec::new()) };
        let grid = |heading: &str, cell: fn(&Summary) -> u64| {
            let nodes = self.0.iter().map(|(nodes, _)| nodes.to_string());
            let mut grid = Grid::new([heading.to_owned()].into_iter().chain(nodes));
            for (at, engine) in first.engines.iter().enumerate() {
                let cells = self.summaries(at).map(|(_, summary)| cell(&summary).to_string());
                grid.rows.push([engine.engine.clone()].into_iter().chain(cells).collect());
            }
            grid
        };
        let (positions, maximum) = self.sizes();
        let mut grids = vec![grid("solved by nodes", |summary| summary.whole.best)];
        let mut notes = vec![format!("Solved: the best move was played, of {positions} positions.")];
        if maximum != positions {
            grids.push(grid("points by nodes", |summary| summary.whole.points));
            notes.push(format!("Points: of {maximum}."));
        }
        let faults = |engine: &EngineResult| engine.positions.iter().filter(|answer| answer.fault.is_some()).count();
        for (nodes, result) in &self.0 {
            for engine in result.engines.iter().filter(|engine| faults(engine) > 0) {
                notes.push(format!("{}: {} faults at {nodes} nodes.", printable(&engine.engine), faults(engine)));
            }
        }
        (suite_title(first), grids, notes)
    }

    /// An engine's sums by nodes.
    fn summaries(&self, engine: usize) -> impl Iterator<Item = (u64, Summary)> {
        let runs = self.0.iter().filter_map(move |(nodes, result)| Some((nodes, result, result.engines.get(engine)?)));
        runs.map(|(nodes, result, engine)| (*nodes, Summary::of(result, engine)))
    }

    /// Positions, and the most points.
    fn sizes(&self) -> (u64, u64) {
        let whole = self.summaries(0).next().map(|(_, summary)| summary.whole).unwrap_or_default();
        (whole.positions, whole.maximum)
    }

    fn draw(&self, area: &DrawingArea<SVGBackend, plotters::coord::Shift>) -> Result<(), Box<dyn std::error::Error>> {
        area.fill(&WHITE)?;
        let (Some((least, result)), Some((most, _))) = (self.0.first(), self.0.last()) else { return Ok(()) };
        let engines: Vec<Vec<(f64, f64)>> = (0..result.engines.len())
            .map(|at| self.summaries(at).map(|(nodes, sum)| (nodes as f64, sum.whole.best as f64)).collect())
            .collect();
        let lowest = engines.iter().flatten().map(|(_, solved)| *solved).fold(f64::INFINITY, f64::min);
        let mut chart = ChartBuilder::on(area)
            .margin(14)
            .caption(suite_title(result), ("sans-serif", 17))
            .x_label_area_size(42)
            .y_label_area_size(54)
            .build_cartesian_2d(
                (*least as f64 * 0.9..*most as f64 * 1.1).log_scale(),
                0.9 * lowest..self.sizes().0.max(1) as f64,
            )?;
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(BLACK.mix(0.12))
            .x_desc("nodes per position")
            .y_desc("solved")
            .x_label_formatter(&|nodes| format!("{nodes:.0}"))
            .y_label_formatter(&|solved| format!("{solved:.0}"))
            .label_style(("sans-serif", 14))
            .draw()?;
        for ((line, engine), color) in engines.iter().zip(&result.engines).zip(COLORS.into_iter().cycle()) {
            chart.draw_series(LineSeries::new(line.iter().copied(), color.stroke_width(2)))?;
            chart.draw_series(line.iter().map(|point| Circle::new(*point, 3, color.filled())))?;
            let style = ("sans-serif", 13).into_font().color(&color).pos(Pos::new(HPos::Right, VPos::Bottom));
            let name = clipped(&engine.engine, NAME);
            chart.draw_series(line.last().map(|end| Text::new(name, *end, style)))?;
        }
        area.present()?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::{PositionResult, ThemeMaximum};

    fn run(solved: &[[bool; 3]]) -> SuiteResult {
        let answer = |(line, is_solved): (usize, &bool)| PositionResult {
            line: line + 1,
            id: format!("p{line}"),
            theme: "t".to_owned(),
            repetition: 1,
            played: Some("e2e4".to_owned()),
            points: u32::from(*is_solved),
            maximum: 1,
            nodes: Some(9),
            seconds: 0.1,
            exceeded: false,
            hardly_used: false,
            fault: None,
        };
        let engine = |(number, solved): (usize, &[bool; 3])| EngineResult {
            engine: format!("engine {number}"),
            command: String::new(),
            positions: solved.iter().enumerate().map(answer).collect(),
        };
        SuiteResult {
            suite: "a.epd".to_owned(),
            suite_sha256: "0123456789abcdef".repeat(4),
            limits: "9 nodes a position".to_owned(),
            repetitions: 1,
            concurrency: 1,
            themes: vec![ThemeMaximum { theme: "t".to_owned(), maximum: 3 }],
            mixed_from: Vec::new(),
            engines: solved.iter().enumerate().map(engine).collect(),
        }
    }

    #[test]
    fn solved_positions_stand_below_their_nodes() {
        let few = run(&[[true, false, false], [false; 3]]);
        let many = run(&[[true, true, false], [true; 3]]);
        let curve = Curve::new(vec![(30_000, many), (10_000, few)]);
        let table = curve.table();
        let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(rows[2], ["solved", "by", "nodes", "10000", "30000"]);
        assert_eq!((&rows[3][..], &rows[4][..]), (&["engine", "0", "1", "2"][..], &["engine", "1", "0", "3"][..]));
        assert!(table.contains("of 3 positions") && !table.contains("points"), "{table}");
        assert!(curve.markdown().contains("| engine 1 | 0 | 3 |"));
        assert!(curve.svg().unwrap().contains("engine 1"));
        let json: serde_json::Value = serde_json::from_str(&curve.json()).unwrap();
        assert_eq!(json.as_array().map(Vec::len), Some(2));
    }

    #[test]
    fn points_and_faults_are_noted_where_there_are_any() {
        let [mut few, mut many] = [run(&[[true, false, false], [false; 3]]), run(&[[true, true, false], [true; 3]])];
        for result in [&mut few, &mut many] {
            result.themes[0].maximum = 6;
            for answer in result.engines.iter_mut().flat_map(|engine| &mut engine.positions) {
                (answer.points, answer.maximum) = (2 * answer.points, 2);
            }
        }
        few.engines[1].positions[2].fault = Some("died".to_owned());
        let expected = "\
a.epd (SHA-256 0123456789ab...)

solved by nodes  10000  30000
engine 0             1      2
engine 1             0      3

points by nodes  10000  30000
engine 0             2      4
engine 1             0      6

Solved: the best move was played, of 3 positions.
Points: of 6.
engine 1: 1 faults at 10000 nodes.
";
        assert_eq!(Curve::new(vec![(10_000, few), (30_000, many)]).table(), expected);
        assert_eq!(Curve::new(vec![]).table(), "\n\n\n\n");
    }

    #[test]
    fn points_of_the_drawing_stand_at_the_logarithm_of_their_nodes() {
        let [two, three] = [run(&[[true, true, false], [true; 3]]), run(&[[true; 3], [true; 3]])];
        let curve = Curve::new(vec![(1_000, two.clone()), (10_000, two), (100_000, three)]);
        let text = curve.svg().unwrap();
        let document = roxmltree::Document::parse(&text).unwrap();
        let number = |node: roxmltree::Node, name: &str| node.attribute(name).unwrap().parse::<f64>().unwrap();
        let circles = document.descendants().filter(|node| node.tag_name().name() == "circle");
        let places: Vec<_> = circles.map(|node| (number(node, "cx"), number(node, "cy"))).collect();
        assert_eq!(places.len(), 6);
        // From 900 to 110,000 nodes over the 637 pixels behind the first one at 14 + 54: ln(1000 / 900) / ln(110000 /
        // 900) = 0.021923 of them, 0.501036 and 0.980148.
        for (at, x) in [81.96, 387.16, 692.35].into_iter().cycle().take(6).enumerate() {
            assert!((places[at].0 - x).abs() < 1.0, "{places:?}");
        }
        // From 0.9 of the fewest, 1.8, to all 3 positions above the last pixel of 420 - 14 - 42: 2 are a sixth of the
        // height.
        let top = places[5].1;
        assert!((14.0..80.0).contains(&top), "{places:?}");
        for (at, solved) in [2.0, 2.0, 3.0, 3.0, 3.0, 3.0].into_iter().enumerate() {
            let y = 363.0 - (363.0 - top) * (solved - 1.8) / 1.2;
            assert!((places[at].1 - y).abs() < 1.0, "{places:?}");
        }
    }
}

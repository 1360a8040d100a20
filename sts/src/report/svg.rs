//! The themes as a bar chart in one self-contained SVG file: one bar per theme and engine, in percent.
//!
//! Bars are horizontal so that long theme names fit.
// CITE: Okabe and Ito, "Color Universal Design" (2008, jfly.uni-koeln.de/color): a palette for color-blind readers.

use super::{layout::title, summary::Summary, text::clipped};
use crate::result::{EngineResult, SuiteResult, ThemeMaximum};
use anyhow::anyhow;
use plotters::{
    coord::Shift,
    prelude::*,
    style::text_anchor::{HPos, Pos, VPos},
};

const COLORS: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(230, 159, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(213, 94, 0),
    RGBColor(240, 228, 66),
    RGBColor(102, 102, 102),
];

// Lengths are in pixels.
const MARGIN: i32 = 16;
const TITLE: i32 = 30;
const LEGEND: i32 = 20;
const BAR: i32 = 14;
const GAP: i32 = 10;
const AXIS: i32 = 40;
/// The length of 100 %.
const SCALE: i32 = 500;
/// An upper estimate of a character's width in labels.
const CHARACTER: i32 = 8;
/// The maximum length of names in characters.
const NAME: usize = 60;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// The chart as XML.
///
/// # Errors
/// If the drawing library fails.
pub fn svg(result: &SuiteResult) -> anyhow::Result<String> {
    let chart = Chart::of(result);
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, chart.size()).into_drawing_area();
        chart.draw(&area).map_err(|error| anyhow!("the SVG could not be drawn: {error}"))?;
    }
    Ok(text)
}

struct Chart {
    title: String,
    /// The legend's text for each engine.
    engines: Vec<String>,
    /// Name, and percent of each engine.
    themes: Vec<(String, Vec<f64>)>,
}

impl Chart {
    fn of(result: &SuiteResult) -> Self {
        let summaries: Vec<Summary> = result.engines.iter().map(|engine| Summary::of(result, engine)).collect();
        let percent = |summary: &Summary, name: &str| {
            summary.themes.iter().find(|(own, _)| own == name).map_or(0.0, |(_, totals)| totals.percent())
        };
        let theme = |ThemeMaximum { theme: name, .. }: &ThemeMaximum| {
            (clipped(name, NAME), summaries.iter().map(|summary| percent(summary, name)).collect())
        };
        let legend = |(engine, summary): (&EngineResult, &Summary)| {
            let of = [summary.whole.points, summary.whole.maximum].map(|sum| summary.per_repetition(sum).round());
            format!("{}: {} of {} ({:.1} %)", clipped(&engine.engine, NAME), of[0], of[1], summary.whole.percent())
        };
        Self {
            title: title(result),
            engines: result.engines.iter().zip(&summaries).map(legend).collect(),
            themes: result.themes.iter().map(theme).collect(),
        }
    }

    /// The x coordinate of the bars' left end.
    fn left(&self) -> i32 {
        let longest = self.themes.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
        MARGIN + CHARACTER * longest as i32 + 8
    }

    fn top(&self) -> i32 {
        MARGIN + TITLE + LEGEND * self.engines.len() as i32 + GAP
    }

    /// The height of one theme's bars.
    fn row(&self) -> i32 {
        BAR * self.engines.len().max(1) as i32 + GAP
    }

    fn bottom(&self) -> i32 {
        self.top() + self.row() * self.themes.len() as i32
    }

    fn size(&self) -> (u32, u32) {
        let bars = self.left() + SCALE + 60;
        let widest =
            self.engines.iter().chain([&self.title]).map(|text| text.chars().count()).max().unwrap_or(0) as i32;
        (bars.max(2 * MARGIN + 10 * widest) as u32, (self.bottom() + AXIS) as u32)
    }

    fn draw(&self, area: &Area) -> Result<(), Box<dyn std::error::Error>> {
        area.fill(&WHITE)?;
        write(area, &self.title, (MARGIN, MARGIN + 8), 16, HPos::Left)?;
        for (index, engine) in self.engines.iter().enumerate() {
            let y = MARGIN + TITLE + LEGEND * index as i32;
            fill(area, (MARGIN, y), (MARGIN + 12, y + 12), index)?;
            write(area, engine, (MARGIN + 20, y + 6), 13, HPos::Left)?;
        }
        self.draw_scale(area)?;
        for (row, (name, percents)) in self.themes.iter().enumerate() {
            let y = self.top() + self.row() * row as i32;
            write(area, name, (self.left() - 8, y + self.row() / 2), 13, HPos::Right)?;
            for (index, &percent) in percents.iter().enumerate() {
                let (top, end) = (y + GAP / 2 + BAR * index as i32, self.left() + across(percent));
                fill(area, (self.left(), top), (end, top + BAR - 1), index)?;
                write(area, &format!("{percent:.1}"), (end + 4, top + BAR / 2), 11, HPos::Left)?;
            }
        }
        area.present()?;
        Ok(())
    }

    /// A line and a label every 20 %.
    fn draw_scale(&self, area: &Area) -> Result<(), Box<dyn std::error::Error>> {
        for percent in [0, 20, 40, 60, 80, 100] {
            let x = self.left() + across(f64::from(percent));
            area.draw(&PathElement::new([(x, self.top()), (x, self.bottom())], RGBColor(220, 220, 220)))?;
            write(area, &format!("{percent} %"), (x, self.bottom() + 12), 12, HPos::Center)?;
        }
        let middle = self.left() + SCALE / 2;
        Ok(write(area, "points, percent of the theme's maximum", (middle, self.bottom() + 28), 12, HPos::Center)?)
    }
}

fn across(percent: f64) -> i32 {
    (percent / 100.0 * f64::from(SCALE)).round() as i32
}

type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;

fn fill(area: &Area, from: (i32, i32), to: (i32, i32), index: usize) -> Drawn {
    area.draw(&Rectangle::new([from, to], COLORS[index % COLORS.len()].filled()))
}

/// Text of a size in pixels, vertically centered at `at`.
fn write(area: &Area, text: &str, at: (i32, i32), size: i32, side: HPos) -> Drawn {
    // The library draws text at 1 / 1.24 of the requested size.
    let style = ("sans-serif", 1.24 * f64::from(size)).into_font().color(&BLACK).pos(Pos::new(side, VPos::Center));
    area.draw(&Text::new(text, at, style))
}

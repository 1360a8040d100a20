//! A chart of lines as SVG.

use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::ops::Range;

/// Width and height, in pixels.
const SIZE: (u32, u32) = (620, 320);
/// One color for each run; people with any color vision can distinguish them. CITE: Okabe and Ito 2008, Color Universal Design.
const COLORS: [RGBColor; 6] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
];
/// Up to this many points have a mark each and a thicker line.
const MARKED: usize = 120;

/// A chart.
pub struct Chart<'a> {
    /// Stands above it.
    pub title: &'a str,
    /// What the horizontal axis counts.
    pub x: &'a str,
    /// One for each run, whose color is that of its place; it may be empty.
    pub lines: Vec<Line>,
    /// The lines' names, written at their ends, `(line)`; none for lines that need no names.
    pub names: &'a [String],
    /// Heights to compare with, each with its name.
    pub marks: &'a [(f64, &'a str)],
}

/// One run's points, in the order of x.
pub type Line = Vec<(f64, f64)>;

/// The color of the run in this place, as in CSS.
pub fn color(place: usize) -> String {
    let RGBColor(red, green, blue) = COLORS[place % COLORS.len()];
    format!("#{red:02x}{green:02x}{blue:02x}")
}

impl Chart<'_> {
    /// The SVG element; `None` if there is no point.
    pub fn svg(&self) -> anyhow::Result<Option<String>> {
        if self.lines.iter().all(|line| line.is_empty()) {
            return Ok(None);
        }
        let mut svg = String::new();
        self.draw(SVGBackend::with_string(&mut svg, SIZE).into_drawing_area())
            .map_err(|error| anyhow::anyhow!("cannot draw the chart {:?}: {error}", self.title))?;
        Ok(Some(svg))
    }

    fn draw<B: DrawingBackend>(&self, area: DrawingArea<B, plotters::coord::Shift>) -> Result<(), Problem<B>> {
        area.fill(&WHITE)?;
        let points = || self.lines.iter().flatten();
        // Time and iterations count from 0, up to 1 where there is nothing else.
        let end = points().map(|(x, _)| *x).find(|x| *x != 0.0).unwrap_or(1.0);
        let (xs, ys) = (range(points().map(|(x, _)| *x).chain([0.0, end])), range(self.heights()));
        let mut chart = ChartBuilder::on(&area)
            .margin(10)
            .caption(self.title, ("sans-serif", 20))
            .x_label_area_size(38)
            .y_label_area_size(64)
            .build_cartesian_2d(xs.clone(), ys.clone())?;
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(BLACK.mix(0.12))
            .x_desc(self.x)
            .x_labels(8)
            .y_labels(7)
            .label_style(("sans-serif", 15))
            .x_label_formatter(&|x| number(*x, xs.end - xs.start))
            .y_label_formatter(&|y| number(*y, ys.end - ys.start))
            .draw()?;
        for (height, name) in self.marks {
            let grey = BLACK.mix(0.45);
            let ends = [(xs.start, *height), (xs.end, *height)];
            chart.draw_series(DashedLineSeries::new(ends, 5, 4, grey.stroke_width(1)))?;
            // On the side of the line where there is more room.
            let side = if *height > (ys.start + ys.end) / 2.0 { VPos::Top } else { VPos::Bottom };
            let style = ("sans-serif", 15).into_font().color(&grey).pos(Pos::new(HPos::Right, side));
            chart.draw_series([Text::new((*name).to_owned(), (xs.end, *height), style)])?;
        }
        for (line, color) in self.lines.iter().zip(COLORS.into_iter().cycle()) {
            draw_line(&mut chart, line, color)?;
        }
        for ((line, name), color) in self.lines.iter().zip(self.names).zip(COLORS.into_iter().cycle()) {
            let Some(end) = line.last() else { continue };
            let style = ("sans-serif", 13).into_font().color(&color).pos(Pos::new(HPos::Right, VPos::Bottom));
            chart.draw_series([Text::new(name.clone(), *end, style)])?;
        }
        area.present()
    }

    fn heights(&self) -> impl Iterator<Item = f64> {
        let points = self.lines.iter().flatten().map(|(_, y)| *y);
        points.chain(self.marks.iter().map(|(height, _)| *height))
    }
}

type Problem<B> = DrawingAreaErrorKind<<B as DrawingBackend>::ErrorType>;
type Plane<'a, B> = ChartContext<'a, B, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

fn draw_line<B: DrawingBackend>(
    chart: &mut Plane<'_, B>,
    line: &[(f64, f64)],
    color: RGBColor,
) -> Result<(), Problem<B>> {
    let width = if line.len() <= MARKED { 2 } else { 1 };
    chart.draw_series(LineSeries::new(line.iter().copied(), color.stroke_width(width)))?;
    if line.len() <= MARKED {
        chart.draw_series(line.iter().map(|point| Circle::new(*point, 3, color.filled())))?;
    }
    Ok(())
}

/// From the least to the greatest, and a little beyond.
fn range(values: impl Iterator<Item = f64>) -> Range<f64> {
    let (low, high) =
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
    // A single value has its room too.
    let margin = match high.abs() {
        _ if high > low => 0.04 * (high - low),
        0.0 => 1.0,
        size => (0.05 * size).max(1e-9),
    };
    low - margin..high + margin
}

/// As many digits as tell the labels of an axis of this length apart.
fn number(value: f64, span: f64) -> String {
    // A tenth of the distance of two labels, as a power of ten.
    let digit = (span / 100.0).log10().floor();
    let size = value.abs();
    if size < 1e-12 || size < 0.1 * 10f64.powf(digit) {
        "0".to_owned()
    } else if !(1e-3..1e6).contains(&size) {
        let digits = (size.log10().floor() - digit).clamp(1.0, 9.0) as usize;
        let text = format!("{value:.digits$e}");
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let mantissa = mantissa.trim_end_matches('0');
        format!("{mantissa}{}e{exponent}", if mantissa.ends_with('.') { "0" } else { "" })
    } else {
        let decimals = (-digit).clamp(0.0, 9.0) as usize;
        let text = format!("{value:.decimals$}");
        if decimals == 0 { text } else { text.trim_end_matches('0').trim_end_matches('.').to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn an_axis_of_nothing_but_zeros_has_the_labels_of_one() {
        let line = vec![(0.0, 0.5), (0.0, 0.7)];
        let names = ["loss".to_owned()];
        let chart = Chart { title: "loss", x: "hours", lines: vec![line], names: &names, marks: &[] };
        let svg = chart.svg().unwrap().unwrap();
        assert!(svg.contains("hours") && !svg.contains("e-9") && !svg.contains("e-10"), "{svg}");
        assert_eq!(range([0.0, 0.0].into_iter()), -1.0..1.0);
    }

    #[test]
    fn labels_of_an_axis_differ() {
        for (low, step) in
            [(0.4839, 0.0001), (0.0, 0.5), (100.0, 0.25), (1e7, 2e4), (-3e-5, 1e-6), (0.0, 2e6), (250.0, 50.0)]
        {
            let labels: BTreeSet<String> =
                (0..7).map(|index| number(low + step * f64::from(index), 7.0 * step)).collect();
            assert_eq!(labels.len(), 7, "{labels:?}");
        }
        assert_eq!([number(0.4841, 0.0007), number(0.5, 3.0), number(300.0, 400.0)], ["0.4841", "0.5", "300"]);
        assert_eq!([number(0.0, 1.0), number(1.0e-17, 1.0), number(2e6, 1e7)], ["0", "0", "2.0e6"]);
    }
}

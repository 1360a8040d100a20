//! A suite: positions grouped by theme, with the points of their moves.

use crate::defect::{Defect, Problem};
use crate::epd::{self, EpdRecord};
use crate::points::Points;
use crate::result::ThemeMaximum;
use crate::theme;
use anyhow::bail;
use board::Position;
use std::collections::HashMap;
use support::hash::sha256;

/// The suite that ships with Okapi.
pub const EMBEDDED: &[u8] = include_bytes!("../suites/okapi.epd");

/// The name of the suite that ships with Okapi.
pub const EMBEDDED_NAME: &str = "okapi.epd";

/// One position of a suite.
#[derive(Debug, Clone)]
pub struct SuitePosition {
    /// The line of the file, from 1.
    pub line: usize,
    /// Its `id` in the file; `line N` if it has none.
    pub id: String,
    /// Index into [`Suite::themes`].
    pub theme: usize,
    /// The position.
    pub position: Position,
    /// The points of its moves.
    pub points: Points,
    /// Whether its castling rights exist only in Chess960.
    pub chess960: bool,
}

/// A suite.
#[derive(Debug, Clone)]
pub struct Suite {
    /// The name of its file.
    pub name: String,
    /// SHA-256 of its EPD, in hexadecimal.
    pub sha256: String,
    /// The names of the themes, in the order of the file, in their first spelling.
    pub themes: Vec<String>,
    /// The positions that can be scored, in the order of the file.
    pub positions: Vec<SuitePosition>,
    /// All defects of the file, in its order.
    pub defects: Vec<Defect>,
}

impl Suite {
    /// Parses the bytes of an EPD file.
    ///
    /// # Errors
    /// If no line can be scored.
    pub fn read(name: &str, bytes: &[u8]) -> anyhow::Result<Self> {
        let mut suite = Self {
            name: name.to_owned(),
            sha256: sha256(bytes),
            themes: Vec::new(),
            positions: Vec::new(),
            defects: Vec::new(),
        };
        let mut themes = Themes { of_suite: name, by_key: HashMap::new() };
        for (line, text) in epd::lines(bytes) {
            let mut problems = Vec::new();
            if let Some(record) = usable(&text, &mut problems) {
                suite.add(line, record, &mut themes);
            }
            suite.defects.extend(problems.into_iter().map(|problem| Defect { line, problem }));
        }
        match suite.defects.first() {
            _ if !suite.positions.is_empty() => Ok(suite),
            Some(first) => bail!("the suite {name} has no usable position (first defect: {first})"),
            None => bail!("the suite {name} has no positions"),
        }
    }

    /// The suite that ships with Okapi.
    ///
    /// # Errors
    /// Never: a test reads the file.
    pub fn embedded() -> anyhow::Result<Self> {
        Self::read(EMBEDDED_NAME, EMBEDDED)
    }

    /// The themes, each with the maximum points of its positions.
    pub fn theme_maxima(&self) -> Vec<ThemeMaximum> {
        let mut maxima: Vec<_> =
            self.themes.iter().map(|name| ThemeMaximum { theme: name.clone(), maximum: 0 }).collect();
        for position in &self.positions {
            maxima[position.theme].maximum += position.points.maximum();
        }
        maxima
    }

    fn add(&mut self, line: usize, (record, points): (EpdRecord, Points), themes: &mut Themes) {
        let id = record.text("id").filter(|id| !id.is_empty());
        let theme = themes.index(id.as_deref(), &mut self.themes);
        let id = id.unwrap_or_else(|| format!("line {line}"));
        let chess960 = record.position.is_chess960();
        self.positions.push(SuitePosition { line, id, theme, position: record.position, points, chess960 });
    }
}

/// The themes found so far.
struct Themes<'a> {
    /// The theme of positions without one in their `id`.
    of_suite: &'a str,
    by_key: HashMap<String, usize>,
}

impl Themes<'_> {
    fn index(&mut self, id: Option<&str>, names: &mut Vec<String>) -> usize {
        let name = id.and_then(theme::name).unwrap_or(self.of_suite);
        *self.by_key.entry(theme::key(name)).or_insert_with(|| {
            names.push(name.to_owned());
            names.len() - 1
        })
    }
}

/// The record and the points of a line, if it can be scored.
fn usable(text: &str, problems: &mut Vec<Problem>) -> Option<(EpdRecord, Points)> {
    let record = match EpdRecord::read(text) {
        Ok(record) => record,
        Err(problem) => {
            problems.push(problem);
            return None;
        }
    };
    if !record.position.has_legal_move() {
        problems.push(Problem("the position has no legal move".to_owned()));
        return None;
    }
    problems.extend(record.problems());
    let points = Points::read(&record, problems);
    if points.is_none() {
        problems.push(Problem("the line gives no points to any legal move; it is left out".to_owned()));
    }
    Some((record, points?))
}

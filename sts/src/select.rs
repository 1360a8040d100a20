//! Selects positions of a suite by theme and by line of the file.

use crate::suite::Suite;
use crate::theme;
use anyhow::{Context, bail, ensure};
use std::ops::RangeInclusive;
use std::str::FromStr;
use support::part::Part;

/// Lines of a file, from 1, such as `1-100,300`; `5-` means 5 to the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineRanges(Vec<RangeInclusive<usize>>);

impl LineRanges {
    /// Does it contain this line?
    pub fn contains(&self, line: usize) -> bool {
        self.0.iter().any(|range| range.contains(&line))
    }

    /// The least first number of a range that lies beyond the last line.
    pub fn beyond(&self, last: usize) -> Option<usize> {
        self.0.iter().map(|range| *range.start()).filter(|start| *start > last).min()
    }
}

impl FromStr for LineRanges {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Self> {
        let ranges: Option<Vec<_>> = text.split(',').map(|part| range(part.trim())).collect();
        ranges.map(Self).with_context(|| format!("{text:?} is not a list of numbers such as 1-100,300"))
    }
}

impl Suite {
    /// The positions of these themes that are on these lines; an empty slice and `None` select all. A theme is given by its
    /// number from 1, its name, or a part of its name that matches no other theme.
    ///
    /// # Errors
    /// If a theme is unknown or ambiguous, or no position remains.
    pub fn select(mut self, themes: &[String], lines: Option<&LineRanges>) -> anyhow::Result<Self> {
        let wanted: Vec<usize> = themes.iter().map(|wanted| self.find_theme(wanted)).collect::<anyhow::Result<_>>()?;
        self.positions.retain(|position| {
            (wanted.is_empty() || wanted.contains(&position.theme))
                && lines.is_none_or(|lines| lines.contains(position.line))
        });
        ensure!(!self.positions.is_empty(), "the suite has no position on these lines and with these themes");
        Ok(self.without_empty_themes())
    }

    fn without_empty_themes(mut self) -> Self {
        let left: Vec<usize> = (0..self.themes.len())
            .filter(|&theme| self.positions.iter().any(|position| position.theme == theme))
            .collect();
        self.themes = left.iter().map(|&theme| self.themes[theme].clone()).collect();
        for position in &mut self.positions {
            position.theme = left.partition_point(|&theme| theme < position.theme);
        }
        self
    }

    /// The positions of a part, counted from the first one selected.
    ///
    /// # Errors
    /// If none remains.
    pub fn part(mut self, part: Part) -> anyhow::Result<Self> {
        let mut number = 0..;
        self.positions.retain(|_| number.next().is_some_and(|number| part.has(number)));
        ensure!(!self.positions.is_empty(), "the suite has fewer positions than there are parts ({})", part.of());
        Ok(self.without_empty_themes())
    }

    fn find_theme(&self, wanted: &str) -> anyhow::Result<usize> {
        let number = wanted.trim().parse::<usize>().ok().filter(|number| (1..=self.themes.len()).contains(number));
        if let Some(number) = number {
            return Ok(number - 1);
        }
        let key = theme::key(wanted);
        if let Some(same) = self.themes.iter().position(|name| theme::key(name) == key) {
            return Ok(same);
        }
        let part = wanted.trim().to_lowercase();
        let matching: Vec<_> =
            (0..self.themes.len()).filter(|&theme| self.themes[theme].to_lowercase().contains(&part)).collect();
        match matching[..] {
            [one] => Ok(one),
            [] => bail!("the suite has no theme {wanted:?}; it has {}", numbered(&self.themes)),
            _ => {
                let names: Vec<&str> = matching.into_iter().map(|theme| self.themes[theme].as_str()).collect();
                bail!("{wanted:?} matches several themes: {}", names.join(", "))
            }
        }
    }
}

fn range(text: &str) -> Option<RangeInclusive<usize>> {
    let line = |text: &str| text.trim().parse().ok().filter(|&line| line > 0);
    match text.split_once('-') {
        None => line(text).map(|line| line..=line),
        Some((from, to)) if to.trim().is_empty() => line(from).map(|from| from..=usize::MAX),
        Some((from, to)) => Some(line(from)?..=line(to)?).filter(|range| !range.is_empty()),
    }
}

fn numbered(themes: &[String]) -> String {
    themes.iter().zip(1..).map(|(name, number)| format!("{number} {name}")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_ranges_from_one() {
        let lines: LineRanges = "1-3, 7,9-".parse().unwrap();
        let held: Vec<_> = (0..=10).filter(|&line| lines.contains(line)).collect();
        assert_eq!(held, [1, 2, 3, 7, 9, 10]);
        assert_eq!([9, 8, 6, 2].map(|last| lines.beyond(last)), [None, Some(9), Some(7), Some(7)]);
        for wrong in ["", "0", "3-1", "a", "1,,2", "-", "1-2-3", "99999999999999999999999"] {
            let error = wrong.parse::<LineRanges>().unwrap_err().to_string();
            assert_eq!(error, format!("{wrong:?} is not a list of numbers such as 1-100,300"));
        }
    }

    #[test]
    fn themes_are_found_by_number_name_and_part() {
        let fen = "4k3/8/8/8/8/8/8/R3K3 w - - bm Ra8+";
        let text: String =
            ["Open Files", "Rooks/Knights", "Open Lines"].map(|theme| format!("{fen}; id \"{theme}.1\";\n")).concat();
        let suite = Suite::read("x", text.as_bytes()).unwrap();
        let lines_of = |wanted: &str| -> Result<Vec<usize>, String> {
            let part = suite.clone().select(&[wanted.to_owned()], None).map_err(|error| error.to_string())?;
            assert_eq!(part.themes.len(), 1);
            assert!(part.positions.iter().all(|position| position.theme == 0));
            Ok(part.positions.iter().map(|position| position.line).collect())
        };
        assert_eq!(lines_of("2"), Ok(vec![2]));
        assert_eq!(lines_of("knights rooks"), Ok(vec![2]));
        assert_eq!(lines_of("LINES"), Ok(vec![3]));
        assert_eq!(lines_of("open"), Err("\"open\" matches several themes: Open Files, Open Lines".to_owned()));
        let themes = "1 Open Files, 2 Rooks/Knights, 3 Open Lines";
        assert_eq!(lines_of("4"), Err(format!("the suite has no theme \"4\"; it has {themes}")));
        let lines = "4-".parse().unwrap();
        let error = suite.select(&[], Some(&lines)).unwrap_err().to_string();
        assert_eq!(error, "the suite has no position on these lines and with these themes");
    }

    #[test]
    fn parts_share_the_positions_and_keep_their_themes() {
        let fen = "4k3/8/8/8/8/8/8/R3K3 w - - bm Ra8+";
        let text: String = ["A", "B", "A", "C", "B"].map(|theme| format!("{fen}; id \"{theme}.1\";\n")).concat();
        let suite = Suite::read("x", text.as_bytes()).unwrap();
        let part = |part: &str| {
            let part = suite.clone().part(part.parse().unwrap()).map_err(|error| error.to_string())?;
            let of = |position: &crate::suite::SuitePosition| (position.line, part.themes[position.theme].clone());
            Ok::<_, String>((part.positions.iter().map(of).collect::<Vec<_>>(), part.themes.clone()))
        };
        let named =
            |list: &[(usize, &str)]| list.iter().map(|(line, name)| (*line, (*name).to_owned())).collect::<Vec<_>>();
        let themes = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        assert_eq!(part("1/2"), Ok((named(&[(1, "A"), (3, "A"), (5, "B")]), themes(&["A", "B"]))));
        assert_eq!(part("2/2"), Ok((named(&[(2, "B"), (4, "C")]), themes(&["B", "C"]))));
        assert_eq!(part("6/6"), Err("the suite has fewer positions than there are parts (6)".to_owned()));
        // A part of what is selected.
        let lines = "2-".parse().unwrap();
        let selected = suite.clone().select(&["A".to_owned(), "B".to_owned()], Some(&lines)).unwrap();
        let rest = selected.part("2/2".parse().unwrap()).unwrap();
        assert_eq!(rest.positions.iter().map(|position| position.line).collect::<Vec<_>>(), [3]);
    }
}

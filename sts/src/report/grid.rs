//! A grid of texts as aligned columns or as a Markdown table: the first column is left-aligned, the others right-aligned.

use super::text::printable;

/// Column headings, and rows with one cell per column.
#[derive(Debug, Default)]
pub(super) struct Grid {
    pub(super) header: Vec<String>,
    pub(super) rows: Vec<Vec<String>>,
}

impl Grid {
    pub(super) fn new(header: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { header: header.into_iter().map(Into::into).collect(), rows: Vec::new() }
    }

    /// One line per row, two spaces between columns.
    pub(super) fn aligned(&self) -> String {
        let lines = || std::iter::once(&self.header).chain(&self.rows);
        let width = |column: usize| {
            lines().filter_map(|cells| cells.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.header.len()).map(width).collect();
        let mut text = String::new();
        for cells in lines() {
            let mut line = String::new();
            for (column, (cell, &width)) in cells.iter().zip(&widths).enumerate() {
                let cell = printable(cell);
                line += &if column == 0 { format!("{cell:<width$}") } else { format!("  {cell:>width$}") };
            }
            text += line.trim_end();
            text.push('\n');
        }
        text
    }

    /// A Markdown table as in GitHub Flavored Markdown.
    pub(super) fn markdown(&self) -> String {
        let row =
            |cells: &Vec<String>| format!("| {} |\n", cells.iter().map(|c| escaped(c)).collect::<Vec<_>>().join(" | "));
        let rule: Vec<&str> = (0..self.header.len()).map(|column| if column == 0 { "---" } else { "---:" }).collect();
        let rows: String = self.rows.iter().map(row).collect();
        format!("{}| {} |\n{rows}", row(&self.header), rule.join(" | "))
    }
}

/// `text` with a backslash before every special character of Markdown.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in printable(text).chars() {
        if matches!(c, '\\' | '|' | '*' | '_' | '`' | '[' | ']' | '<' | '>' | '&' | '#' | '~') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid() -> Grid {
        Grid {
            rows: vec![vec!["a|b".into(), "1".into()], vec!["é".into(), "1000".into()]], ..Grid::new(["name", "n"])
        }
    }

    #[test]
    fn columns_are_aligned() {
        assert_eq!(grid().aligned(), "name     n\na|b      1\né     1000\n");
    }

    #[test]
    fn markdown_bars_are_escaped() {
        assert_eq!(grid().markdown(), "| name | n |\n| --- | ---: |\n| a\\|b | 1 |\n| é | 1000 |\n");
    }
}

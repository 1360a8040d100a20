//! The table as a Markdown page.

use super::{grid::escaped, layout::Layout};
use crate::result::SuiteResult;

/// Themes and engines as tables, notes as a list.
pub fn markdown(result: &SuiteResult) -> String {
    let Layout { title, themes, engines, notes } = Layout::of(result);
    let notes: String = notes.iter().map(|note| format!("- {}\n", escaped(note))).collect();
    format!("## {}\n\n{}\n{}\n{notes}", escaped(&title), themes.markdown(), engines.markdown())
}

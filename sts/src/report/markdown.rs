//! The table as a Markdown page.

use super::{grid::escaped, layout::Layout};
use crate::outcome::Outcome;

/// Themes and engines as tables, notes as a list.
pub fn markdown(outcome: &Outcome) -> String {
    let Layout { title, themes, engines, notes } = Layout::of(outcome);
    let notes: String = notes.iter().map(|note| format!("- {}\n", escaped(note))).collect();
    format!("## {}\n\n{}\n{}\n{notes}", escaped(&title), themes.markdown(), engines.markdown())
}

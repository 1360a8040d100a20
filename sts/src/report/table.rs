//! The table for a terminal.

use super::layout::Layout;
use crate::outcome::Outcome;

/// Themes, engines and notes as lines of text, the last one ended.
pub fn table(outcome: &Outcome) -> String {
    let Layout { title, themes, engines, notes } = Layout::of(outcome);
    format!("{title}\n\n{}\n{}\n{}\n", themes.aligned(), engines.aligned(), notes.join("\n"))
}

//! The table for a terminal.

use super::layout::Layout;
use crate::result::SuiteResult;

/// Themes, engines and notes as text with a final line end.
pub fn table(result: &SuiteResult) -> String {
    let Layout { title, themes, engines, notes } = Layout::of(result);
    format!("{title}\n\n{}\n{}\n{}\n", themes.aligned(), engines.aligned(), notes.join("\n"))
}

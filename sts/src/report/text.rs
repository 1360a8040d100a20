//! Names that others gave, made fit to be shown.

/// `name` without control characters and without the two code points that XML forbids: each is shown as `�`.
pub(super) fn printable(name: &str) -> String {
    let is_shown = |c: char| !c.is_control() && !matches!(c, '\u{fffe}' | '\u{ffff}');
    name.chars().map(|c| if is_shown(c) { c } else { char::REPLACEMENT_CHARACTER }).collect()
}

/// [`printable`], and cut to `width` characters.
pub(super) fn clipped(name: &str, width: usize) -> String {
    let name = printable(name);
    if name.chars().count() <= width {
        return name;
    }
    name.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

/// The first 12 digits of a hash: enough to tell two suites apart by eye.
pub(super) fn short_hash(sha256: &str) -> String {
    printable(sha256).chars().take(12).collect()
}

/// `count` things: `1 fault`, `2 faults`.
pub(super) fn plural(count: usize, thing: &str) -> String {
    if count == 1 { format!("1 {thing}") } else { format!("{count} {thing}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_moves_a_cursor_is_left() {
        assert_eq!(printable("a\u{1b}[2Jb\r\n\u{ffff}é"), "a�[2Jb���é");
    }

    #[test]
    fn long_names_are_cut_at_characters() {
        assert_eq!(clipped("éééé", 4), "éééé");
        assert_eq!(clipped("ééééé", 4), "ééé…");
    }
}

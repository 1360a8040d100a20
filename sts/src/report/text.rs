//! Makes names from files and engines printable.

/// `name` with control characters and the two code points that XML forbids replaced by `�`.
pub(super) fn printable(name: &str) -> String {
    let is_shown = |c: char| !c.is_control() && !matches!(c, '\u{fffe}' | '\u{ffff}');
    name.chars().map(|c| if is_shown(c) { c } else { char::REPLACEMENT_CHARACTER }).collect()
}

/// [`printable`], cut to `width` characters.
pub(super) fn clipped(name: &str, width: usize) -> String {
    let name = printable(name);
    if name.chars().count() <= width {
        return name;
    }
    name.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

/// The first 12 digits of a hash.
pub(super) fn short_hash(sha256: &str) -> String {
    printable(sha256).chars().take(12).collect()
}

/// A count with its noun: `1 fault`, `2 faults`.
pub(super) fn plural(count: usize, thing: &str) -> String {
    if count == 1 { format!("1 {thing}") } else { format!("{count} {thing}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_replaced() {
        assert_eq!(printable("a\u{1b}[2Jb\r\n\u{ffff}é"), "a�[2Jb���é");
    }

    #[test]
    fn long_names_are_cut_between_characters() {
        assert_eq!(clipped("éééé", 4), "éééé");
        assert_eq!(clipped("ééééé", 4), "ééé…");
    }
}

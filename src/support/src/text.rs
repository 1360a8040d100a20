//! Other people's text, made fit to be quoted in a message.

/// The most characters that a message repeats.
const LONGEST: usize = 80;

/// `text` on one line, without control characters, and cut with `...` if it is longer than a line of a terminal.
pub fn clip(text: &str) -> String {
    let mut clipped: String = visible(text).chars().take(LONGEST).collect();
    if text.chars().nth(LONGEST).is_some() {
        clipped.push_str("...");
    }
    clipped
}

/// `text` with a space in place of every character that a terminal obeys instead of showing it: control characters, and those that turn
/// the direction of writing.
pub fn visible(text: &str) -> String {
    let is_obeyed = |c: char| c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.chars().map(|c| if is_obeyed(c) { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_cut_at_characters_and_control_characters_are_spaces() {
        assert_eq!(clip("a\tb\u{1b}[2J"), "a b [2J");
        assert_eq!(
            visible(&format!("{}\u{1b}]0;é\u{7}\n\u{9b}31m", "x".repeat(90))),
            format!("{} ]0;é   31m", "x".repeat(90))
        );
        assert_eq!(visible("a\u{202e}gnp\u{2066}b"), "a gnp b", "nothing is written backwards");
        assert_eq!(clip(&"é".repeat(80)), "é".repeat(80));
        assert_eq!(clip(&"é".repeat(81)), "é".repeat(80) + "...");
    }
}

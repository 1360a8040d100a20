//! Other people's text, made fit to be quoted in a message.

/// The most characters that a message repeats.
const LONGEST: usize = 80;

/// `text` on one line, without control characters, and cut with `...` if it is longer than a line of a terminal.
pub fn clip(text: &str) -> String {
    let clean = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut clipped: String = clean.take(LONGEST).collect();
    if text.chars().nth(LONGEST).is_some() {
        clipped.push_str("...");
    }
    clipped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_cut_at_characters_and_control_characters_are_spaces() {
        assert_eq!(clip("a\tb\u{1b}[2J"), "a b [2J");
        assert_eq!(clip(&"é".repeat(80)), "é".repeat(80));
        assert_eq!(clip(&"é".repeat(81)), "é".repeat(80) + "...");
    }
}

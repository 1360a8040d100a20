//! The theme of a position: the text of its `id` before the number.

/// The theme's name in an id; `None` if the id has no text before a number.
///
/// `STS(v3.0) Knight Outposts.017`, `STS: Knight Outposts.017` and `Knight Outposts.017` are all "Knight Outposts".
pub fn name(id: &str) -> Option<&str> {
    let id = id.trim();
    let before = id.trim_end_matches(|c: char| c.is_ascii_digit());
    if before.len() == id.len() {
        return None;
    }
    let separator = |c: char| c.is_whitespace() || matches!(c, '.' | '-' | '_' | '#' | ':' | ',' | '/');
    let name = without_series(before).trim_matches(separator);
    (!name.is_empty()).then_some(name)
}

/// A key that is equal for names with the same words in any order. The Strategic Test Suite spells its third theme in
/// two ways, "Repositioning/Centralization" and "Centralization/Repositioning".
pub fn key(name: &str) -> String {
    let lower = name.to_lowercase();
    let mut words: Vec<_> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.sort_unstable();
    words.join(" ")
}

/// The text after a suite's name and version, `STS(v1.0) ` or `STS: `.
fn without_series(text: &str) -> &str {
    let after_version = text.split_once(") ").filter(|(series, _)| {
        series.split_once('(').is_some_and(|(name, version)| is_word(name) && version.starts_with(['v', 'V']))
    });
    let after_colon = || text.split_once(": ").filter(|(series, theme)| is_word(series) && !theme.is_empty());
    after_version.or_else(after_colon).map_or(text, |(_, theme)| theme)
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_stands_between_series_and_number() {
        for id in ["STS(v3.1) Undermine.001", "STS: Undermine.001", "Undermine.001", "Undermine 7", " Undermine #12"] {
            assert_eq!(name(id), Some("Undermine"), "{id}");
        }
        assert_eq!(name("STS(v9.0) Advancement of a/b/c pawns.100"), Some("Advancement of a/b/c pawns"));
        assert_eq!(name("STS(v14.0) 7th Rank.100"), Some("7th Rank"));
        assert_eq!(name("WAC.001"), Some("WAC"));
        for id in ["", "Kasparov - Karpov", "17", "#3", "é"] {
            assert_eq!(name(id), None, "{id}");
        }
    }

    #[test]
    fn the_order_of_words_does_not_matter() {
        assert_eq!(key("Knight Outposts/Repositioning"), key("knight outposts, repositioning"));
        assert_eq!(key("A/B c"), key("C b a"));
        assert_ne!(key("Square Vacancy"), key("Square"));
    }
}

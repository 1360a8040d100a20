//! Choices that have a word: what an option of the command line, a UCI option or a word of a match player can say.

/// An enumeration whose values have words.
pub trait Choice: Copy + PartialEq + Send + Sync + 'static {
    /// Every value with its word and its meaning, which is empty where the word says it.
    const ALL: &'static [(Self, &'static str, &'static str)];

    /// The word of this value.
    fn word(self) -> &'static str {
        Self::ALL.iter().find(|row| row.0 == self).map_or("", |row| row.1)
    }

    /// The value of a word, upper or lower case; an error says what is allowed.
    fn from_word(word: &str) -> Result<Self, String> {
        let row = Self::ALL.iter().find(|row| row.1.eq_ignore_ascii_case(word));
        row.map(|row| row.0).ok_or_else(|| {
            let words: Vec<_> = Self::ALL.iter().map(|row| row.1).collect();
            format!("one of {}", words.join(", "))
        })
    }
}

/// On or off.
impl Choice for bool {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[(true, "on", ""), (false, "off", "")];
}

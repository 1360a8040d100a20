//! What stands beside the moves of a game: tags, comments, glyphs and variations.

/// What a game's text says beside its moves.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Annotations {
    /// Names and values of the tags, in their order.
    pub tags: Vec<(String, String)>,
    /// `(ply)`: what stands before the first move, then behind each move; shorter if nothing stands behind the last ones.
    pub(super) beside: Vec<Beside>,
}

/// What stands behind a move.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Beside {
    /// The comments, joined by spaces.
    pub comment: String,
    /// Numeric annotation glyphs; `!` is 1.
    pub glyphs: Vec<u8>,
    /// The variations, each as its text without the outer parentheses.
    pub variations: Vec<String>,
}

const NOTHING: &Beside = &Beside { comment: String::new(), glyphs: Vec::new(), variations: Vec::new() };

impl Annotations {
    /// The value of a tag; empty if it is absent or unknown (`?`).
    pub fn tag(&self, name: &str) -> &str {
        let value = self.tags.iter().find(|tag| tag.0 == name).map_or("", |tag| &tag.1);
        if value == "?" { "" } else { value }
    }

    /// The comments behind so many moves.
    pub fn comment(&self, moves: usize) -> &str {
        &self.beside(moves).comment
    }

    /// What stands behind so many moves.
    pub fn beside(&self, moves: usize) -> &Beside {
        self.beside.get(moves).unwrap_or(NOTHING)
    }
}

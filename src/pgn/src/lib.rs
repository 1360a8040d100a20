//! Portable Game Notation, read as a stream and written game by game.
// CITE: Edwards, "Portable Game Notation Specification and Implementation Guide" (1994).

mod annotated;
mod annotations;
mod compressed;
mod eco;
mod faults;
mod lexer;
mod main_line;
pub mod position_file;
mod reader;
mod result;
#[cfg(test)]
mod tests;
mod writer;

pub use annotated::{AnnotatedGame, Annotation};
pub use annotations::{Annotations, Beside};
pub use compressed::open;
pub use eco::{Opening, opening};
pub use faults::Faults;
pub use reader::{Games, PgnError, PgnGame, read, read_from};
pub use result::GameResult;
pub use writer::{Comment, GameText};

use std::path::Path;

/// Whether this is a file of games, by its name (`.pgn`, `.pgn.zst`).
pub fn is_pgn(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    name.trim_end_matches(".zst").ends_with(".pgn")
}

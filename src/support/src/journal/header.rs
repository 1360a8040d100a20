//! The first line of a journal.

use super::difference::{Difference, differences_of_maps};
use serde_json::{Map, Value};

/// The first line of a journal, and how it compares with that of a file that exists.
pub trait Header {
    /// What such a file is called in messages, with its article: `the record of a match`.
    fn what(&self) -> &'static str;

    /// How every header of such a file begins, and no record does.
    fn mark(&self) -> &str;

    /// The whole line, without its end.
    fn line(&self) -> &str;

    /// How a file's header, which begins with the mark, differs from this one.
    ///
    /// # Errors
    /// Why `found` is no header: the continuation of a sentence that begins with the file's name.
    fn differences(&self, found: &str) -> Result<Vec<Difference>, String>;
}

/// The header of a journal that is one JSON object.
pub struct JsonHeader {
    /// What such a file is called in messages, with its article.
    pub what: &'static str,
    /// How every header of such a file begins.
    pub mark: &'static str,
    /// The object.
    pub line: String,
    /// The keys that may differ if the user allows it.
    pub mixable: &'static [&'static str],
}

impl Header for JsonHeader {
    fn what(&self) -> &'static str {
        self.what
    }

    fn mark(&self) -> &str {
        self.mark
    }

    fn line(&self) -> &str {
        &self.line
    }

    fn differences(&self, found: &str) -> Result<Vec<Difference>, String> {
        let object = |line: &str| -> Result<Map<String, Value>, String> {
            serde_json::from_str(line).map_err(|error| format!("is not {} ({error})", self.what))
        };
        Ok(differences_of_maps(&object(found)?, &object(&self.line)?, self.mixable))
    }
}

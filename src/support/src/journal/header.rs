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

/// A header of named parts: one JSON object, or words `NAME=VALUE` and a rest.
pub struct LineHeader<'a> {
    /// What such a file is called in messages, with its article.
    pub what: &'static str,
    /// How every header of such a file begins.
    pub mark: &'a str,
    /// The whole line.
    pub line: String,
    /// The names that may differ if the user allows it.
    pub mixable: &'static [&'static str],
}

impl Header for LineHeader<'_> {
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
        let parts = |line: &str| match line.starts_with('{') {
            true => serde_json::from_str(line).map_err(|error| format!("is not {} ({error})", self.what)),
            false => Ok(words(line)),
        };
        Ok(differences_of_maps(&parts(found)?, &parts(&self.line)?, self.mixable))
    }
}

/// The words `NAME=VALUE` of a line, and the rest of it as `form`.
fn words(line: &str) -> Map<String, Value> {
    let (named, rest): (Vec<_>, Vec<_>) = line.split_whitespace().partition(|word| word.contains('='));
    let named = named.into_iter().filter_map(|word| word.split_once('='));
    let rest = rest.join(" ");
    named.chain([("form", &*rest)]).map(|(name, value)| (name.to_owned(), value.into())).collect()
}

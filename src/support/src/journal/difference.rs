//! Where two headers differ.

use crate::text::clip;
use serde_json::{Map, Value};
use std::fmt;

/// One named part of two headers that is not the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The part's name.
    pub name: String,
    /// What the file has; empty if it has no such part.
    pub found: String,
    /// What the caller has.
    pub wanted: String,
    /// Whether the file may be continued all the same if the user asks for it.
    pub may_mix: bool,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let shown = |text: &str| if text.is_empty() { "not recorded".to_owned() } else { clip(text) };
        write!(f, "{} is {} there and {} here", self.name, shown(&self.found), shown(&self.wanted))
    }
}

/// The keys that two JSON objects do not agree in; those in `mixable` may be mixed, except lists of different lengths,
/// because records name their elements by index.
pub fn differences_of_maps(
    found: &Map<String, Value>,
    wanted: &Map<String, Value>,
    mixable: &[&str],
) -> Vec<Difference> {
    let text = |value: Option<&Value>| value.map_or(String::new(), ToString::to_string);
    let length = |value: Option<&Value>| value.and_then(Value::as_array).map(Vec::len);
    let keys = wanted.keys().chain(found.keys().filter(|key| !wanted.contains_key(*key)));
    let pairs = keys.map(|key| (key, found.get(key), wanted.get(key))).filter(|(_, found, wanted)| found != wanted);
    pairs
        .map(|(key, found, wanted)| Difference {
            name: key.clone(),
            found: text(found),
            wanted: text(wanted),
            may_mix: mixable.contains(&key.as_str()) && length(found).zip(length(wanted)).is_none_or(|(f, w)| f == w),
        })
        .collect()
}

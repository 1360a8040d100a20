//! How a file was made: named values, written and compared one by one, so that neither the order of the values nor the
//! names of Rust's types and fields matter to files.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

/// Named values as text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fields(BTreeMap<String, String>);

impl Fields {
    /// The values of `NAME=VALUE` words; the other words together are the value `format`. Each name gets this prefix.
    pub fn of_words(prefix: &str, text: &str) -> Self {
        let (values, others): (Vec<&str>, Vec<&str>) = text.split_whitespace().partition(|word| word.contains('='));
        let pairs = values.into_iter().filter_map(|word| word.split_once('='));
        let fields = Self(pairs.map(|(name, value)| (format!("{prefix}{name}"), value.to_owned())).collect());
        fields.with(&format!("{prefix}format"), others.join(" "))
    }

    /// Adds a value.
    pub fn with(mut self, name: &str, value: impl ToString) -> Self {
        self.0.insert(name.to_owned(), value.to_string());
        self
    }

    /// Adds all values of another set.
    pub fn and(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// The values whose names the other set has too.
    pub fn only(&self, names: &Self) -> Self {
        Self(
            self.0
                .iter()
                .filter(|(name, _)| names.0.contains_key(*name))
                .map(|(n, v)| (n.clone(), v.clone()))
                .collect(),
        )
    }

    /// The value of this name.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// The value of this name, if it can be read as one of this type.
    pub fn parse<T: FromStr>(&self, name: &str) -> Option<T> {
        self.get(name)?.parse().ok()
    }

    /// A clause for each value that differs between a file (`self`) and what it should have; `None` if there is none.
    pub fn differences(&self, wanted: &Self) -> Option<String> {
        let names: BTreeSet<&String> = self.0.keys().chain(wanted.0.keys()).collect();
        let shown = |fields: &Self, name: &str| fields.get(name).unwrap_or("not given").to_owned();
        let clauses: Vec<String> = names
            .into_iter()
            .filter(|name| self.get(name) != wanted.get(name))
            .map(|name| format!("{name} is {} in the file, but {} now", shown(self, name), shown(wanted, name)))
            .collect();
        (!clauses.is_empty()).then(|| clauses.join("; "))
    }
}

impl fmt::Display for Fields {
    /// `NAME=VALUE` with commas between.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values: Vec<String> = self.0.iter().map(|(name, value)| format!("{name}={value}")).collect();
        f.write_str(&values.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_name_the_field_and_both_values() {
        let file = Fields::of_words("nodes.", "okapi nodes 5 seed=1 keep=8").with("rate", 20.0_f32);
        let now = Fields::default().with("rate", 20.0_f32).with("nodes.keep", 8).with("nodes.seed", 2);
        let now = now.with("nodes.format", "okapi nodes 5");
        assert_eq!(file.differences(&now).as_deref(), Some("nodes.seed is 1 in the file, but 2 now"));
        assert_eq!(file.differences(&file), None);
        let more = file.clone().with("mirrors", 3);
        assert_eq!(file.differences(&more).as_deref(), Some("mirrors is not given in the file, but 3 now"));
    }
}

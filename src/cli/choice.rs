//! Command line arguments whose value is one of several words.

use crate::engine::Choice;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// Reads a [`Choice`] by its word; the help lists every word with its meaning.
pub(super) fn choice<T: Choice>() -> impl TypedValueParser<Value = T> {
    let words = T::ALL.iter().map(|(_, word, meaning)| PossibleValue::new(*word).help(*meaning));
    PossibleValuesParser::new(words).map(|word| T::from_word(&word).expect("clap admits only these words"))
}

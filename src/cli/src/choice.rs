//! Command line arguments whose value is one of several words.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use support::choice::Choice;

/// Reads a [`Choice`] by its word; the help lists every word, with its meaning if it has one.
pub(super) fn choice<T: Choice>() -> impl TypedValueParser<Value = T> {
    let words = T::ALL
        .iter()
        .map(|(_, word, meaning)| PossibleValue::new(*word).help((!meaning.is_empty()).then_some(*meaning)));
    PossibleValuesParser::new(words).map(|word| T::from_word(&word).expect("clap admits only these words"))
}

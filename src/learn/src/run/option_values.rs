//! The values of options: which texts the command line takes, and how tables keep them.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use serde::{Serialize, Serializer};
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;
use support::choice::Choice;

/// The largest whole number that TOML has.
const MAX: u64 = i64::MAX as u64;

/// Reads a [`Choice`] by its word; the help lists every word, with its meaning if it has one.
pub fn choice<T: Choice>() -> impl TypedValueParser<Value = T> {
    let words = T::ALL
        .iter()
        .map(|(_, word, meaning)| PossibleValue::new(*word).help((!meaning.is_empty()).then_some(*meaning)));
    PossibleValuesParser::new(words).map(|word| T::from_word(&word).expect("clap admits only these words"))
}

/// Reads a number of a range; NaN is in none.
pub fn within<T: FromStr + PartialOrd + Display>(range: RangeInclusive<T>) -> impl Fn(&str) -> Result<T, String> + Clone
where
    RangeInclusive<T>: Clone,
{
    move |text| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| format!("must be a number from {} to {}", range.start(), range.end()))
    }
}

/// Reads a part of 1.
pub fn part(text: &str) -> Result<f32, String> {
    within(0.0..=1.0)(text)
}

/// Reads a whole number, 0 or more.
pub fn number<T: TryFrom<u64>>(text: &str) -> Result<T, String> {
    let number = text.parse().ok().filter(|number| *number <= MAX).and_then(|number: u64| number.try_into().ok());
    number.ok_or_else(|| "must be a whole number".to_owned())
}

/// Reads a whole number, 1 or more.
pub fn positive<T: TryFrom<u64> + PartialOrd + Default>(text: &str) -> Result<T, String> {
    let number = number(text).ok().filter(|number| *number > T::default());
    number.ok_or_else(|| "must be a whole number above 0".to_owned())
}

/// Reads a number above 0.
pub fn above_zero(text: &str) -> Result<f32, String> {
    let number = text.parse().ok().filter(|number: &f32| number.is_finite() && *number > 0.0);
    number.ok_or_else(|| "must be a number above 0".to_owned())
}

/// Reads a path, which is text on one line of a file.
pub fn path(text: &str) -> Result<PathBuf, String> {
    let is_path = !text.is_empty() && !text.contains(char::is_control);
    is_path.then(|| text.into()).ok_or_else(|| "must be a path of printable Unicode".to_owned())
}

/// Writes a [`Choice`] as its word.
pub fn word<T: Choice, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
    value.word().serialize(to)
}

/// Writes a value as the text that [`FromStr`] reads.
pub fn text<T: Display, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(value)
}

//! Settings as words of a command line: `NAME=VALUE`, in any order.

use anyhow::{Context, ensure};

/// The values of settings, in the order of `names`; `None` for those that are not given. A word may hold several settings
/// with commas or blanks between them. `what` the settings are of, and the `known` ones, are for messages.
///
/// # Errors
/// A word that is not one of the settings, and a setting that is given twice.
pub(super) fn settings<'a, const N: usize, W: AsRef<str>>(
    what: &str,
    words: &'a [W],
    names: [&str; N],
    known: &str,
) -> anyhow::Result<[Option<&'a str>; N]> {
    let mut values = [None; N];
    let between = |c: char| c == ',' || c.is_whitespace();
    for word in words.iter().flat_map(|word| word.as_ref().split(between)).filter(|word| !word.is_empty()) {
        let setting = word.split_once('=');
        let setting = setting.and_then(|(name, value)| Some((names.iter().position(|own| *own == name)?, value)));
        let (at, value) = setting.with_context(|| format!("{what} setting '{word}' is not one of {known}"))?;
        ensure!(values[at].replace(value).is_none(), "{what} setting {} is given twice", names[at]);
    }
    Ok(values)
}

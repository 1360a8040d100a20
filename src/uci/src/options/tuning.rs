//! With the feature `tuning`, every constant of the search is an option of type string that takes a decimal number.

use super::change::Change;
use anyhow::{Context, ensure};
use engine::spec::Effect;
use search::tunables::TUNABLES;
use support::text::clip;

pub fn declarations() -> impl Iterator<Item = String> {
    TUNABLES.iter().map(|row| format!("option name {} type string default {}", row.name, row.default))
}

/// Sets a constant; `None` if no constant has this name.
pub fn set(name: &str, value: Option<&str>) -> Option<anyhow::Result<Change>> {
    let row = TUNABLES.iter().find(|row| row.name.eq_ignore_ascii_case(name))?;
    let set = || {
        let (name, range) = (row.name, &row.range);
        let value = value.with_context(|| format!("option {name} needs a value"))?;
        let is_set = value.parse().is_ok_and(|number| row.set(number));
        let (least, most) = (range.start(), range.end());
        ensure!(is_set, "option {name} takes a number from {least} to {most}, not '{}'", clip(value));
        // Searchers read most constants when they are built, as after a change of the policy.
        Ok(Change::Engine(Effect::Parts))
    };
    Some(set())
}

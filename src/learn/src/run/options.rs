//! The options of a task: one structure, from which its command line, help, TOML file and checkpoint follow.
//!
//! The structure derives [`Args`], for the command line, and [`Serialize`], for tables. The documentation of a field is the
//! help of the option and the comment of the key. Tables are read by the command line's own parser, as words
//! `--key=value`: ranges and messages are the same wherever a value comes from.

use anyhow::{anyhow, ensure};
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command, Error, FromArgMatches};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::Range;
use std::path::Path;
use toml::{Spanned, Table, Value};

/// The heading, in the help, of the options that may change when a training continues: they say when it ends and what it
/// shows and keeps.
pub const FREE: &str = "Options that may change when it continues";

/// The options of a task. Those below a heading of their own in the help do not change what is learned.
pub trait TaskOptions: Args + Serialize {
    /// The command that has them.
    const COMMAND: &'static str;

    /// Checks values that are valid each, but not together.
    ///
    /// # Errors
    /// If there are some.
    fn check(&self) -> anyhow::Result<()> {
        Ok(())
    }

    /// The options by their keys, without those that are not set.
    ///
    /// # Panics
    /// If a value cannot be written, such as a path that is not Unicode, which the command line refuses.
    fn table(&self) -> Table {
        // By way of the text: an f32 then has its own digits, not those of the f64 that is nearest.
        let text = toml::to_string(self).expect("options are numbers, words and text");
        text.parse().expect("what was written can be read")
    }

    /// The options that change what is learned.
    fn learning(&self) -> Table {
        learning::<Self>(self.table())
    }

    /// The options of a table; those that it does not have are the defaults.
    ///
    /// # Errors
    /// If it has an unknown key or a value that the option cannot have.
    fn of_table(table: &Table) -> anyhow::Result<Self> {
        let mut matches = parse::<Self>(table.iter()).map_err(anyhow::Error::msg)?;
        Self::from_arg_matches_mut(&mut matches).map_err(|error| anyhow!(sentence(&error)))
    }

    /// Reads a TOML file.
    ///
    /// # Errors
    /// If it cannot be read or is not TOML, or has unknown keys or values that the options cannot have: all of them in one
    /// sentence with their lines.
    fn read(path: &Path) -> anyhow::Result<Self> {
        let name = path.display();
        let text = fs::read_to_string(path).map_err(|error| anyhow!("cannot read the options {name}: {error}"))?;
        let keys: BTreeMap<String, Spanned<Value>> = toml::from_str(&text).map_err(|error| {
            let message = error.message().split_whitespace().collect::<Vec<_>>().join(" ");
            anyhow!("the options {name}, {}", at_line(&text, error.span(), &message))
        })?;
        let mut problems: Vec<(usize, String)> = keys
            .iter()
            .filter_map(|(key, value)| Some((value.span(), parse::<Self>([(key, value.get_ref())]).err()?)))
            .map(|(span, problem)| (span.start, at_line(&text, Some(span), &problem)))
            .collect();
        problems.sort();
        let problems: Vec<String> = problems.into_iter().map(|(_, problem)| problem).collect();
        ensure!(problems.is_empty(), "the options {name}, {}", problems.join("; "));
        Self::of_table(&keys.into_iter().map(|(key, value)| (key, value.into_inner())).collect())
    }

    /// The TOML text: every key below its help; reading it gives these options.
    fn to_toml(&self) -> String {
        let table = self.table();
        let mut text = format!("# The options of {}.\n", Self::COMMAND);
        for arg in command::<Self>().get_arguments() {
            let (key, help) = (arg.get_id().as_str(), arg.get_help().map(ToString::to_string).unwrap_or_default());
            let line = table.get(key).map_or(format!("# {key} is not set"), |value| format!("{key} = {value}"));
            text += &format!("\n# {help}.\n{line}\n");
        }
        text
    }

    /// Refuses to continue a training whose file at `path` states other options, but for those that may change.
    ///
    /// # Errors
    /// If it does: a clause for every difference.
    fn check_continues(&self, stated: &Table, path: &Path) -> anyhow::Result<()> {
        same(&learning::<Self>(stated.clone()), &self.learning(), path)
    }
}

/// Options of a command line, which override others.
#[derive(Debug, Clone)]
pub struct Given<O> {
    options: O,
    /// The keys that the command line has.
    keys: BTreeSet<String>,
}

impl<O: TaskOptions> Given<O> {
    /// The options of `base` with every given one replaced.
    ///
    /// # Errors
    /// If the values do not fit together.
    pub fn over(&self, base: &O) -> anyhow::Result<O> {
        let mut table = base.table();
        table.extend(self.options.table().into_iter().filter(|(key, _)| self.keys.contains(key)));
        let options = O::of_table(&table)?;
        options.check()?;
        Ok(options)
    }
}

impl<O: TaskOptions> Args for Given<O> {
    fn augment_args(command: Command) -> Command {
        O::augment_args(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        O::augment_args_for_update(command)
    }
}

impl<O: TaskOptions> FromArgMatches for Given<O> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let command = command::<O>();
        let ids = command.get_arguments().map(|arg| arg.get_id().as_str());
        let keys = ids.filter(|id| matches.value_source(id) == Some(ValueSource::CommandLine));
        Ok(Self { options: O::from_arg_matches(matches)?, keys: keys.map(str::to_owned).collect() })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The default options.
///
/// # Panics
/// If a default is not one of the values that the option can have.
pub fn defaults<O: TaskOptions>() -> O {
    O::of_table(&Table::new()).expect("defaults are valid")
}

/// Refuses a file at `path` that states another table than this one.
///
/// # Errors
/// If it does: a clause for every difference.
pub fn same(stated: &Table, wanted: &Table, path: &Path) -> anyhow::Result<()> {
    let shown = |table: &Table, key: &str| table.get(key).map_or("not given".to_owned(), text);
    let clauses: Vec<String> = differences(stated, wanted)
        .into_iter()
        .map(|key| format!("{key} is {} in the file, but {} now", shown(stated, key), shown(wanted, key)))
        .collect();
    ensure!(clauses.is_empty(), "{} was made by other options: {}", path.display(), clauses.join("; "));
    Ok(())
}

/// The keys in which two tables differ.
pub fn differences<'a>(one: &'a Table, other: &'a Table) -> Vec<&'a str> {
    let keys: BTreeSet<&str> = one.keys().chain(other.keys()).map(String::as_str).collect();
    keys.into_iter().filter(|key| one.get(*key) != other.get(*key)).collect()
}

/// A table in one line, `key = value` with semicolons between.
pub fn in_line(table: &Table) -> String {
    table.iter().map(|(key, value)| format!("{key} = {value}")).collect::<Vec<_>>().join("; ")
}

/// The part of a table that changes what is learned.
fn learning<O: TaskOptions>(mut table: Table) -> Table {
    for arg in command::<O>().get_arguments().filter(|arg| arg.get_help_heading().is_some()) {
        table.remove(arg.get_id().as_str());
    }
    table
}

fn command<O: TaskOptions>() -> Command {
    O::augment_args(Command::new("options").no_binary_name(true).disable_help_flag(true))
}

/// What the command line's parser makes of the keys of a table, in which `-` and `_` are the same.
fn parse<'a, O: TaskOptions>(keys: impl IntoIterator<Item = (&'a String, &'a Value)>) -> Result<ArgMatches, String> {
    let (mut command, mut words) = (command::<O>(), Vec::new());
    for (key, value) in keys {
        let id = key.replace('-', "_");
        let arg = command.get_arguments().find(|arg| arg.get_id() == id.as_str());
        let long = arg.and_then(|arg| arg.get_long()).ok_or_else(|| format!("unknown key `{key}`"))?.to_owned();
        match value {
            // No word says that an option with a default has no value.
            Value::Array(values) if values.is_empty() => command = command.mut_arg(id, |arg| arg.default_value(None)),
            Value::Array(values) => words.extend(values.iter().map(|value| format!("--{long}={}", text(value)))),
            value => words.push(format!("--{long}={}", text(value))),
        }
    }
    command.try_get_matches_from(words).map_err(|error| sentence(&error))
}

/// A value as a word of the command line has it.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Float(number) => number.to_string(),
        other => other.to_string(),
    }
}

/// What the command line's parser says, without its hints, in one line.
fn sentence(error: &Error) -> String {
    let said = error.render().to_string();
    let problem = said.trim_start_matches("error: ").split("\n\n").next().unwrap_or_default();
    problem.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A problem with its line, counted from 1.
fn at_line(text: &str, span: Option<Range<usize>>, problem: &str) -> String {
    let start = span.map_or(0, |span| span.start.min(text.len()));
    let line = text.as_bytes()[..start].iter().filter(|byte| **byte == b'\n').count();
    let shown: String = text.lines().nth(line).unwrap_or_default().trim().chars().take(60).collect();
    format!("line {}: {problem} (in {shown:?})", line + 1)
}

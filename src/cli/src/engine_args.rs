//! The options that choose what an engine is made of: the keys of its specification, as the table says them
//! ([`engine::spec`]); the commands that run Okapi share them.

use clap::builder::{OsStringValueParser, PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, ArgMatches, Args, Command, Error};
use engine::spec::{Group, KEYS, Role};
use engine::{EngineSpec, SearchKind};
use std::ffi::OsString;
use support::keys::{Key, Kind};

/// The network alone.
const NET: u8 = 1 << Group::Net as u8;
/// The policy and the search.
const SEARCH: u8 = 1 << Group::Search as u8 | 1 << Group::Tree as u8;
/// Network, evaluator, policy and search.
const PARTS: u8 = NET | SEARCH | 1 << Group::Eval as u8;

/// What only searches that play have.
const PLAY: u8 = 1 << Group::Play as u8;

/// Searches of a few hundred nodes that teach: they are limited by probability, if nothing else is said.
const TEACHING: u8 = 1 << 7;

/// The options of the commands that take everything of the engine.
pub type EngineArgs = KeyArgs<{ PARTS | PLAY | 1 << Group::Table as u8 }>;
/// Those of commands that fix the size of the table.
pub type PartsArgs = KeyArgs<{ PARTS | PLAY }>;
/// Those of commands that search and evaluate with the network.
pub type NetworkArgs = KeyArgs<{ NET | SEARCH }>;
/// Those of commands that have an evaluator of their own, and search to learn.
pub type LearningArgs = KeyArgs<{ SEARCH | TEACHING }>;
/// Those of commands that make what is learned, and fix the size of the table.
pub type TeachingPartsArgs = KeyArgs<{ PARTS | TEACHING }>;
/// Those of commands that make what is learned.
pub type TeachingArgs = KeyArgs<{ PARTS | TEACHING | 1 << Group::Table as u8 }>;

/// The keys of the groups that `GROUPS` has bits for, as options of the command line.
#[derive(Debug, Clone)]
pub struct KeyArgs<const GROUPS: u8> {
    /// What they say; the other keys have their defaults.
    pub spec: EngineSpec,
}

impl<const GROUPS: u8> KeyArgs<GROUPS> {
    fn keys() -> impl Iterator<Item = &'static Key<EngineSpec, Role>> {
        KEYS.iter().filter(|key| GROUPS & 1 << key.more.group as u8 != 0)
    }

    /// The names of the options of the search.
    pub fn names_of_search() -> impl Iterator<Item = &'static str> {
        Self::keys().filter(|key| SEARCH & 1 << key.more.group as u8 != 0).map(|key| key.name)
    }

    /// Where no option is given.
    fn default_spec() -> EngineSpec {
        let default = EngineSpec::default();
        let search = if GROUPS & TEACHING != 0 { SearchKind::Probability } else { default.search };
        EngineSpec { search, ..default }
    }
}

impl<const GROUPS: u8> Args for KeyArgs<GROUPS> {
    fn augment_args(command: Command) -> Command {
        let default = Self::default_spec();
        command.args(Self::keys().map(|key| option(key, &default)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<const GROUPS: u8> clap::FromArgMatches for KeyArgs<GROUPS> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut args = Self { spec: Self::default_spec() };
        args.update_from_arg_matches(matches).map(|()| args)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        let given = Self::keys().filter_map(|key| Some((key, matches.get_one::<OsString>(key.name)?)));
        for (key, text) in given {
            let invalid = |expected| {
                Error::raw(clap::error::ErrorKind::InvalidValue, format!("--{} takes {expected}\n", key.name))
            };
            key.set(&mut self.spec, text).map_err(invalid)?;
        }
        Ok(())
    }
}

/// A key as an option. Its default is the specification's and not clap's, and so stands in the help.
fn option(key: &Key<EngineSpec, Role>, default: &EngineSpec) -> Arg {
    let kind = (key.kind)();
    let default = if kind == Kind::File { String::new() } else { format!(" [default: {}]", (key.text)(default)) };
    let arg = Arg::new(key.name).long(key.name).value_name(key.value_name).help(key.help.trim().to_owned() + &default);
    let words = |words: Vec<(&'static str, &'static str)>| {
        let value = |(word, meaning): (_, &'static str)| {
            PossibleValue::new(word).help((!meaning.is_empty()).then_some(meaning))
        };
        PossibleValuesParser::new(words.into_iter().map(value)).map(OsString::from)
    };
    match kind {
        Kind::Words(all) => arg.value_parser(words(all)),
        Kind::Switch => arg.value_parser(words(vec![("on", ""), ("off", "")])),
        Kind::Number(range) => {
            arg.value_parser(clap::value_parser!(i64).range(range).map(|number| OsString::from(number.to_string())))
        }
        Kind::NumberOrOff(_) | Kind::Text | Kind::File | Kind::Button => arg.value_parser(OsStringValueParser::new()),
    }
}

//! The options of the engine: one table of name, kind and range, from which they are declared, read and checked.

use crate::engine::{EvalKind, PolicyKind, SearchKind};
use crate::uci::maxima::Maxima;
use crate::uci::recipe::{Recipe, spelled};
use clap::ValueEnum;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;
use support::text::clip;

/// What stands for an empty text.
const EMPTY: &str = "<empty>";
/// The largest table that can be asked for on any machine, in MB: 1 TB.
pub const LARGEST_HASH: i64 = 1 << 20;
/// The most search threads that can be asked for on any machine.
pub const MOST_THREADS: i64 = 1_024;
const MOST_LINES: i64 = 256;
const DEFAULT_OVERHEAD_MS: i64 = 10;
const LARGEST_OVERHEAD_MS: i64 = 5_000;
const MOST_NODES_A_MILLISECOND: i64 = 10_000;

/// An option of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Id {
    /// The size of the transposition table.
    Hash,
    /// Forgets everything learnt from earlier searches.
    ClearHash,
    /// The number of search threads.
    Threads,
    /// What is lost between the engine and the client's clock.
    MoveOverhead,
    /// How many nodes pass for a millisecond.
    NodesTime,
    /// How many best lines are shown.
    MultiPv,
    /// The client may let the engine think on the opponent's time; the engine needs to know nothing more.
    Ponder,
    /// Castling is written king takes own rook.
    Chess960,
    /// Scores are shown as chances as well.
    ShowWdl,
    /// The file of the net.
    EvalFile,
    /// The file of the move-probability net.
    PolicyFile,
    /// Which evaluator values positions.
    Evaluator,
    /// Which estimate of the moves' probabilities steers the search.
    Policy,
    /// What bounds the tree.
    Search,
    /// What counts beside the shares.
    Selective,
}

/// The kind of an option's value.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Spin { min: i64, max: i64 },
    Check,
    Combo(&'static [&'static str]),
    Text,
    Button,
}

/// The table, in the order of declaration.
const TABLE: [(Id, &str, Kind); 15] = [
    (Id::Hash, "Hash", Kind::Spin { min: 1, max: LARGEST_HASH }),
    (Id::ClearHash, "Clear Hash", Kind::Button),
    (Id::Threads, "Threads", Kind::Spin { min: 1, max: MOST_THREADS }),
    (Id::MoveOverhead, "Move Overhead", Kind::Spin { min: 0, max: LARGEST_OVERHEAD_MS }),
    (Id::NodesTime, "nodestime", Kind::Spin { min: 0, max: MOST_NODES_A_MILLISECOND }),
    (Id::MultiPv, "MultiPV", Kind::Spin { min: 1, max: MOST_LINES }),
    (Id::Ponder, "Ponder", Kind::Check),
    (Id::Chess960, "UCI_Chess960", Kind::Check),
    (Id::ShowWdl, "UCI_ShowWDL", Kind::Check),
    (Id::EvalFile, "EvalFile", Kind::Text),
    (Id::PolicyFile, "PolicyFile", Kind::Text),
    (Id::Evaluator, "Evaluator", Kind::Combo(&["network", "material"])),
    (Id::Policy, "Policy", Kind::Combo(&["uniform", "static", "network"])),
    (Id::Search, "Search", Kind::Combo(&["probability", "depth"])),
    (Id::Selective, "Selective", Kind::Check),
];

/// An option with a value that it can have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Setting {
    /// The size of the table in MB.
    Hash(usize),
    /// Forgets everything learnt from earlier searches.
    ClearHash,
    /// The number of search threads.
    Threads(usize),
    /// What is lost between the engine and the client's clock.
    MoveOverhead(Duration),
    /// How many nodes pass for a millisecond; `None` where time is time.
    NodesTime(Option<NonZeroU32>),
    /// How many best lines are shown.
    MultiPv(usize),
    /// Castling is written king takes own rook.
    Chess960(bool),
    /// Scores are shown as chances as well.
    ShowWdl(bool),
    /// The file of the net; `None` for the net inside the program.
    EvalFile(Option<PathBuf>),
    /// The file of the move-probability net; `None` for the one inside the program.
    PolicyFile(Option<PathBuf>),
    /// Which evaluator values positions.
    Evaluator(EvalKind),
    /// Which estimate of the moves' probabilities steers the search.
    Policy(PolicyKind),
    /// What bounds the tree.
    Search(SearchKind),
    /// What counts beside the shares.
    Selective(bool),
    /// A value that asks for nothing: pondering is the client's business.
    Nothing,
}

/// The options that belong to the conversation and not to the engine.
#[derive(Debug, Clone)]
pub struct Options {
    /// What is lost between the engine and the client's clock.
    pub move_overhead: Duration,
    /// How many nodes pass for a millisecond; `None` where time is time.
    pub nodes_a_millisecond: Option<NonZeroU32>,
    /// How many best lines are shown, from 1.
    pub multipv: usize,
    /// Castling is written king takes own rook.
    pub chess960: bool,
    /// Scores are shown as chances as well.
    pub show_wdl: bool,
}

impl Default for Options {
    fn default() -> Self {
        let move_overhead = Duration::from_millis(DEFAULT_OVERHEAD_MS as u64);
        Self { move_overhead, nodes_a_millisecond: None, multipv: 1, chess960: false, show_wdl: false }
    }
}

/// Why an option cannot be set; one sentence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OptionError {
    /// No option has this name.
    #[error("there is no option '{0}'")]
    Unknown(String),
    /// No value was given, and the option is no button.
    #[error("option {0} needs a value")]
    NoValue(&'static str),
    /// A number outside the range, or no number.
    #[error("option {name} takes a number from {min} to {max}, not '{value}'")]
    NotInRange {
        /// The option.
        name: &'static str,
        /// The least value.
        min: i64,
        /// The greatest value.
        max: i64,
        /// The value given.
        value: String,
    },
    /// Neither true nor false.
    #[error("option {name} takes true or false, not '{value}'")]
    NotACheck {
        /// The option.
        name: &'static str,
        /// The value given.
        value: String,
    },
    /// None of the choices.
    #[error("option {name} takes one of {}, not '{value}'", choices.join(", "))]
    NotAChoice {
        /// The option.
        name: &'static str,
        /// The values it takes.
        choices: &'static [&'static str],
        /// The value given.
        value: String,
    },
}

/// The lines that declare the options; the defaults are what the engine was started with.
pub fn declarations(start: &Recipe, maxima: Maxima) -> impl Iterator<Item = String> {
    TABLE.iter().map(move |&(id, name, kind)| {
        let default = default_of(id, start);
        match lowered(id, kind, maxima) {
            Kind::Spin { min, max } => {
                format!("option name {name} type spin default {default} min {min} max {max}")
            }
            Kind::Check => format!("option name {name} type check default {default}"),
            Kind::Combo(choices) => {
                let choices: String = choices.iter().map(|choice| format!(" var {choice}")).collect();
                format!("option name {name} type combo default {default}{choices}")
            }
            Kind::Text => format!("option name {name} type string default {default}"),
            Kind::Button => format!("option name {name} type button"),
        }
    })
}

/// A kind whose numbers end where the machine's do.
fn lowered(id: Id, kind: Kind, maxima: Maxima) -> Kind {
    match (id, kind) {
        (Id::Hash, Kind::Spin { min, .. }) => Kind::Spin { min, max: maxima.hash },
        (Id::Threads, Kind::Spin { min, .. }) => Kind::Spin { min, max: maxima.threads },
        _ => kind,
    }
}

fn default_of(id: Id, start: &Recipe) -> String {
    let of_session = Options::default();
    match id {
        Id::Hash => start.hash_megabytes.to_string(),
        Id::ClearHash => String::new(),
        Id::Threads => start.threads.to_string(),
        Id::MoveOverhead => of_session.move_overhead.as_millis().to_string(),
        Id::NodesTime => of_session.nodes_a_millisecond.map_or(0, NonZeroU32::get).to_string(),
        Id::MultiPv => of_session.multipv.to_string(),
        Id::Ponder => "false".to_owned(),
        Id::Chess960 => of_session.chess960.to_string(),
        Id::ShowWdl => of_session.show_wdl.to_string(),
        Id::EvalFile => file_name(start.net.as_ref()),
        Id::PolicyFile => file_name(start.move_net.as_ref()),
        Id::Evaluator => spelled(&start.settings.eval),
        Id::Policy => spelled(&start.settings.policy),
        Id::Search => spelled(&start.settings.search),
        Id::Selective => start.settings.selective.to_string(),
    }
}

fn file_name(path: Option<&PathBuf>) -> String {
    path.map_or(EMPTY.to_owned(), |path| path.display().to_string())
}

/// Reads a name and a value as `setoption` gives them; names, choices and truth values are matched without case.
pub fn read(name: &str, value: Option<&str>, maxima: Maxima) -> Result<Setting, OptionError> {
    let entry = TABLE.iter().find(|(_, known, _)| known.eq_ignore_ascii_case(name));
    let Some(&(id, name, kind)) = entry else {
        return Err(OptionError::Unknown(clip(name)));
    };
    let given = || value.ok_or(OptionError::NoValue(name));
    let number = || match lowered(id, kind, maxima) {
        Kind::Spin { min, max } => spin(name, min, max, given()?),
        _ => Err(OptionError::NoValue(name)),
    };
    Ok(match id {
        Id::Hash => Setting::Hash(number()? as usize),
        Id::ClearHash => Setting::ClearHash,
        Id::Threads => Setting::Threads(number()? as usize),
        Id::MoveOverhead => Setting::MoveOverhead(Duration::from_millis(number()? as u64)),
        Id::NodesTime => Setting::NodesTime(NonZeroU32::new(number()? as u32)),
        Id::MultiPv => Setting::MultiPv(number()? as usize),
        Id::Ponder => check(name, given()?).map(|_| Setting::Nothing)?,
        Id::Chess960 => Setting::Chess960(check(name, given()?)?),
        Id::ShowWdl => Setting::ShowWdl(check(name, given()?)?),
        Id::EvalFile => Setting::EvalFile(file(given()?)),
        Id::PolicyFile => Setting::PolicyFile(file(given()?)),
        Id::Evaluator => Setting::Evaluator(choice(name, kind, given()?)?),
        Id::Policy => Setting::Policy(choice(name, kind, given()?)?),
        Id::Search => Setting::Search(choice(name, kind, given()?)?),
        Id::Selective => Setting::Selective(check(name, given()?)?),
    })
}

fn file(path: &str) -> Option<PathBuf> {
    (!path.is_empty() && path != EMPTY).then(|| PathBuf::from(path))
}

fn spin(name: &'static str, min: i64, max: i64, value: &str) -> Result<i64, OptionError> {
    let number = value.parse().ok().filter(|number| (min..=max).contains(number));
    number.ok_or_else(|| OptionError::NotInRange { name, min, max, value: clip(value) })
}

fn check(name: &'static str, value: &str) -> Result<bool, OptionError> {
    let truth = value.to_ascii_lowercase().parse();
    truth.map_err(|_| OptionError::NotACheck { name, value: clip(value) })
}

fn choice<T: ValueEnum>(name: &'static str, kind: Kind, value: &str) -> Result<T, OptionError> {
    let Kind::Combo(choices) = kind else {
        return Err(OptionError::NoValue(name));
    };
    T::from_str(value, true).map_err(|_| OptionError::NotAChoice { name, choices, value: clip(value) })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAXIMA: Maxima = Maxima { hash: 2_000, threads: 64 };

    fn read(name: &str, value: Option<&str>) -> Result<Setting, OptionError> {
        super::read(name, value, MAXIMA)
    }

    #[test]
    fn every_declared_default_can_be_set() {
        for (line, (_, name, kind)) in declarations(&Recipe::default(), MAXIMA).zip(TABLE) {
            assert!(line.starts_with(&format!("option name {name} type ")), "{line}");
            let default = line.split(" default ").nth(1).map(|rest| rest.split(' ').next().unwrap());
            assert_eq!(default.is_none(), matches!(kind, Kind::Button), "{line}");
            read(&name.to_uppercase(), default).unwrap();
        }
    }

    #[test]
    fn every_choice_is_one_of_the_engine_and_none_is_missing() {
        fn names<T: ValueEnum>() -> Vec<String> {
            T::value_variants().iter().map(spelled).collect()
        }
        for (id, _, kind) in TABLE {
            let known = match id {
                Id::Evaluator => names::<EvalKind>(),
                Id::Policy => names::<PolicyKind>(),
                Id::Search => names::<SearchKind>(),
                _ => continue,
            };
            assert!(matches!(kind, Kind::Combo(choices) if choices == known), "{known:?}");
        }
    }

    #[test]
    fn values_out_of_range_are_told_apart() {
        let error = |name, value| read(name, value).unwrap_err().to_string();
        assert_eq!(error("Hash", Some("0")), "option Hash takes a number from 1 to 2000, not '0'");
        assert_eq!(error("hash", None), "option Hash needs a value");
        assert_eq!(error("Threads", Some("65")), "option Threads takes a number from 1 to 64, not '65'");
        assert_eq!(error("UCI_ShowWDL", Some("yes")), "option UCI_ShowWDL takes true or false, not 'yes'");
        assert_eq!(error("Evaluator", Some("luck")), "option Evaluator takes one of network, material, not 'luck'");
        assert_eq!(error("Contempt", Some("3")), "there is no option 'Contempt'");
    }

    #[test]
    fn an_empty_file_name_means_the_net_inside() {
        assert_eq!(read("EvalFile", Some("<empty>")), Ok(Setting::EvalFile(None)));
        assert_eq!(read("EvalFile", Some("")), Ok(Setting::EvalFile(None)));
        assert_eq!(read("EvalFile", Some("a b.net")), Ok(Setting::EvalFile(Some("a b.net".into()))));
    }
}

//! The options' own types, each with its spelling in TOML and on the command line.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use support::choice::Choice;

/// The plies of a rollout whose leaves are learned from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Leaves {
    /// Every ply.
    #[serde(rename = "every")]
    Every,
    /// The first, as in the original Giraffe.
    #[serde(rename = "first")]
    First,
}

impl Choice for Leaves {
    const ALL: &'static [(Self, &'static str, &'static str)] =
        &[(Self::Every, "every", ""), (Self::First, "first", "")];
}

/// A configuration with a name, which flags then override.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preset {
    /// The settings of the thesis: 256 positions an iteration, the absolute loss, AdaDelta at rate 1, nothing replayed or averaged.
    ///
    /// CITE: Lai 2015, Giraffe, section 4.5; AdaDelta's constants are the original program's.
    Thesis,
}

impl Choice for Preset {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[(
        Self::Thesis,
        "thesis",
        "The settings of the thesis: 256 positions an iteration, L1 loss, AdaDelta at rate 1, no replay, no averaging",
    )];
}

/// The network that a run begins with. A file named as one of the other two is written `./bootstrap`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "PathBuf")]
pub enum Initial {
    /// `bootstrap`: random weights of the run's topology and seed, trained to count material.
    Bootstrap,
    /// `shipped`: the network inside the program.
    Shipped,
    /// A network file.
    File(PathBuf),
}

impl From<String> for Initial {
    fn from(text: String) -> Initial {
        match text.as_str() {
            "bootstrap" => Initial::Bootstrap,
            "shipped" => Initial::Shipped,
            _ => Initial::File(text.into()),
        }
    }
}

impl From<Initial> for PathBuf {
    fn from(initial: Initial) -> PathBuf {
        match initial {
            Initial::Bootstrap => "bootstrap".into(),
            Initial::Shipped => "shipped".into(),
            Initial::File(path) => path,
        }
    }
}

/// Values that serde keeps as the text of their `Display` and `FromStr`.
pub(crate) mod text {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};
    use std::fmt::Display;
    use std::str::FromStr;

    /// Writes the text.
    pub fn serialize<T: Display, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(value)
    }

    /// Reads the text.
    pub fn deserialize<'de, T: FromStr<Err: Display>, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
        String::deserialize(from)?.parse().map_err(D::Error::custom)
    }
}

//! The options' own types, each with its spelling in TOML and on the command line.

use clap::ValueEnum;
use kernels::loss::Loss;
use serde::{Deserialize, Serialize};
use std::convert::Infallible;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// Which plies of a rollout teach by the leaf of their search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Leaves {
    /// Every ply.
    Every,
    /// The first, as the original does.
    First,
}

/// The loss of a leaf's value against its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum LossKind {
    /// Its distance.
    Absolute,
    /// Half the square of its distance.
    Squared,
}

impl From<LossKind> for Loss {
    fn from(kind: LossKind) -> Loss {
        match kind {
            LossKind::Absolute => Loss::Absolute,
            LossKind::Squared => Loss::Squared,
        }
    }
}

/// The net that a run begins with. A file named as one of the other two is written `./bootstrap`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "PathBuf", into = "PathBuf")]
pub enum Initial {
    /// `bootstrap`: a fresh net of the run's topology and seed that has learnt to count material.
    Bootstrap,
    /// `shipped`: the net inside the program.
    Shipped,
    /// A net file.
    File(PathBuf),
}

impl From<PathBuf> for Initial {
    fn from(path: PathBuf) -> Initial {
        match path.to_str() {
            Some("bootstrap") => Initial::Bootstrap,
            Some("shipped") => Initial::Shipped,
            _ => Initial::File(path),
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

impl FromStr for Initial {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Initial, Infallible> {
        Ok(PathBuf::from(text).into())
    }
}

impl fmt::Display for Initial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        PathBuf::from(self.clone()).display().fmt(f)
    }
}

/// Values that serde keeps as the text of their `Display` and `FromStr`.
pub(super) mod text {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};
    use std::fmt::Display;
    use std::str::FromStr;

    pub fn serialize<T: Display, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(value)
    }

    pub fn deserialize<'de, T: FromStr<Err: Display>, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
        String::deserialize(from)?.parse().map_err(D::Error::custom)
    }
}

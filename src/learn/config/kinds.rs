//! The options' own types, each with its spelling in TOML and on the command line.

use kernels::loss::Loss;
use serde::{Deserialize, Serialize};
use std::convert::Infallible;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

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

/// The policy of the searches of self-play.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum RolloutPolicy {
    /// All moves the same.
    #[serde(rename = "uniform")]
    Uniform,
    /// Fixed probabilities by kind of move.
    #[serde(rename = "static")]
    Static,
    /// The policy network inside the program.
    #[serde(rename = "network")]
    Network,
}

impl FromStr for RolloutPolicy {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<RolloutPolicy, Self::Err> {
        match text {
            "uniform" => Ok(RolloutPolicy::Uniform),
            "static" => Ok(RolloutPolicy::Static),
            "network" => Ok(RolloutPolicy::Network),
            _ => Err("must be uniform, static or network"),
        }
    }
}

/// The loss of a leaf's value against its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum LossKind {
    /// The absolute difference.
    #[serde(rename = "l1", alias = "absolute")]
    L1,
    /// Half the squared difference.
    #[serde(rename = "squared")]
    Squared,
}

impl FromStr for Leaves {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Leaves, Self::Err> {
        match text {
            "every" => Ok(Leaves::Every),
            "first" => Ok(Leaves::First),
            _ => Err("must be every or first"),
        }
    }
}

impl FromStr for LossKind {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<LossKind, Self::Err> {
        match text {
            "l1" => Ok(LossKind::L1),
            "squared" => Ok(LossKind::Squared),
            _ => Err("must be l1 or squared"),
        }
    }
}

impl From<LossKind> for Loss {
    fn from(kind: LossKind) -> Loss {
        match kind {
            LossKind::L1 => Loss::L1,
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

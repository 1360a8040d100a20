//! What an engine is made of, as a value with one text form: the same keys and values are words of a match player, flags
//! of the command line, and what UCI options set.

use crate::choice::{EvalKind, PolicyKind, SearchKind};
use crate::draw_worth::DrawWorth;
use crate::shipped::{SHIPPED_LINEAR_POLICY, SHIPPED_POLICY_NET, SHIPPED_VALUE_NET};
use crate::strength::Level;
use anyhow::{Context, anyhow};
use std::path::PathBuf;
use support::choice::Choice;

/// The default size of the transposition table, in MB.
pub const DEFAULT_HASH: usize = 64;
/// The largest transposition table on any machine, in MB: 1 TB.
pub const LARGEST_HASH: usize = 1 << 20;
/// The most search threads on any machine.
pub const MOST_THREADS: usize = 1_024;

/// What an engine is made of.
#[derive(Debug, Clone)]
pub struct EngineSpec {
    /// The evaluator.
    pub eval: EvalKind,
    /// The policy.
    pub policy: PolicyKind,
    /// What limits the search tree.
    pub search: SearchKind,
    /// Whether the search uses the [`Selectivity`](search::Selectivity) that suits its policy, or none.
    pub selective: bool,
    /// The order of quiet moves without history, 0 for the order of generation; and what a limited strength draws.
    pub seed: u64,
    /// The Elo of a limited strength ([`crate::strength`]); `None` for full strength.
    pub elo: Option<u32>,
    /// What a draw is worth; not neutral only with the network as evaluator.
    pub draw_worth: DrawWorth,
    /// The size of the transposition table, in MB.
    pub hash_megabytes: usize,
    /// The number of search threads, at least 1.
    pub threads: usize,
    /// The file of the value network; `None` for the one inside the program.
    pub value_net: Option<PathBuf>,
    /// The file of the policy network; `None` for the one inside the program.
    pub policy_net: Option<PathBuf>,
    /// The file of the linear policy; `None` for the one inside the program.
    pub linear_policy: Option<PathBuf>,
}

impl Default for EngineSpec {
    fn default() -> Self {
        Self {
            eval: EvalKind::default(),
            policy: PolicyKind::default(),
            search: SearchKind::default(),
            selective: true,
            seed: 0,
            elo: None,
            draw_worth: DrawWorth::default(),
            hash_megabytes: DEFAULT_HASH,
            threads: 1,
            value_net: None,
            policy_net: None,
            linear_policy: None,
        }
    }
}

/// The word for a strength without limit.
const FULL_STRENGTH: &str = "off";

/// What a UCI client shows, and sends, in place of an empty text.
pub const EMPTY: &str = "<empty>";

/// Why a key cannot be set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SpecError {
    /// There is no such key.
    UnknownKey,
    /// The key takes something else; what, in words.
    NotA(String),
}

impl EngineSpec {
    /// Sets a key from its text.
    ///
    /// # Errors
    /// If there is no such key or it cannot have this value; nothing is changed then.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), SpecError> {
        match key {
            "eval" => self.eval = choice(value)?,
            "policy" => self.policy = choice(value)?,
            "search" => self.search = choice(value)?,
            "selective" => self.selective = choice(value)?,
            "seed" => {
                self.seed = value.parse().map_err(|_| SpecError::NotA("a whole number of 64 bits".to_owned()))?;
            }
            "elo" if value.eq_ignore_ascii_case(FULL_STRENGTH) => self.elo = None,
            "elo" => {
                let (least, most) = Level::elo_range();
                let elo = value.parse().ok().filter(|elo| (least..=most).contains(elo));
                let expected = || SpecError::NotA(format!("{FULL_STRENGTH} or a number from {least} to {most}"));
                self.elo = Some(elo.ok_or_else(expected)?);
            }
            "draw-score" => self.draw_worth.score = hundredths(value, -100)?,
            "common-sense" => self.draw_worth.common_sense = hundredths(value, 0)?,
            "hash" => self.hash_megabytes = number(value, LARGEST_HASH)?,
            "threads" => self.threads = number(value, MOST_THREADS)?,
            "value-net" => self.value_net = file(value),
            "policy-net" => self.policy_net = file(value),
            "linear-policy" => self.linear_policy = file(value),
            _ => return Err(SpecError::UnknownKey),
        }
        Ok(())
    }

    /// The text of a key; empty for an unknown key.
    pub fn get(&self, key: &str) -> String {
        let file = |path: &Option<PathBuf>| path.as_ref().map_or(EMPTY.to_owned(), |path| path.display().to_string());
        match key {
            "eval" => self.eval.word().to_owned(),
            "policy" => self.policy.word().to_owned(),
            "search" => self.search.word().to_owned(),
            "selective" => self.selective.word().to_owned(),
            "seed" => self.seed.to_string(),
            "elo" => self.elo.map_or(FULL_STRENGTH.to_owned(), |elo| elo.to_string()),
            "draw-score" => format!("{:.0}", 100.0 * self.draw_worth.score + 0.0),
            "common-sense" => format!("{:.0}", 100.0 * self.draw_worth.common_sense),
            "hash" => self.hash_megabytes.to_string(),
            "threads" => self.threads.to_string(),
            "value-net" => file(&self.value_net),
            "policy-net" => file(&self.policy_net),
            "linear-policy" => file(&self.linear_policy),
            _ => String::new(),
        }
    }

    /// Sets a key from a word `KEY=VALUE` of a match player; an error names the word.
    ///
    /// # Errors
    /// See [`EngineSpec::set`].
    pub fn set_word(&mut self, key: &str, value: &str) -> anyhow::Result<()> {
        self.set(key, value).map_err(|error| match error {
            SpecError::UnknownKey => anyhow!("'{key}={value}' is not a setting of a player"),
            SpecError::NotA(expected) => anyhow!("'{key}={value}' is not {expected}"),
        })
    }

    /// What the engine is made of, in words that records keep: two engines of the same words play the same. The net is
    /// named by the start of its file's SHA-256. Records are compared by these words: they do not follow renamed options.
    ///
    /// # Errors
    /// If the engine cannot be built.
    pub fn describe(&self) -> anyhow::Result<String> {
        let name = |file: &Option<PathBuf>, shipped: &'static [u8]| -> anyhow::Result<String> {
            let bytes = match file {
                None => shipped.to_vec(),
                Some(path) => std::fs::read(path).with_context(|| format!("cannot read the net {}", path.display()))?,
            };
            Ok(nets::file::record_name(&bytes))
        };
        let net = match (&self.value_net, self.eval) {
            (None, EvalKind::Linear) => "material".to_owned(),
            _ => name(&self.value_net, SHIPPED_VALUE_NET)?,
        };
        let linear = || name(&self.linear_policy, SHIPPED_LINEAR_POLICY);
        let moves = match self.policy {
            // The words of earlier programs, which had no linear policy.
            PolicyKind::Network if self.linear_policy.is_none() => {
                format!(" moves={}", name(&self.policy_net, SHIPPED_POLICY_NET)?)
            }
            PolicyKind::Network => {
                format!(" moves={} linear={}", name(&self.policy_net, SHIPPED_POLICY_NET)?, linear()?)
            }
            PolicyKind::Linear => format!(" linear={}", linear()?),
            PolicyKind::Uniform | PolicyKind::Static => String::new(),
        };
        drop(self.build()?);
        let extras = if self.selective { "" } else { " extras=off" };
        let seed = if self.seed == 0 { String::new() } else { format!(" seed={}", self.seed) };
        let elo = self.elo.map_or(String::new(), |elo| format!(" elo={elo}"));
        let worth = |key: &str| match &*self.get(key) {
            "0" => String::new(),
            value => format!(" {key}={value}"),
        };
        let worth = worth("draw-score") + &worth("common-sense");
        let threads = if self.threads == 1 { String::new() } else { format!(" threads={}", self.threads) };
        Ok(format!(
            "okapi net={net} eval={} probability={} horizon={} hash={}{moves}{extras}{seed}{elo}{worth}{threads}",
            match self.eval {
                EvalKind::Network => "net",
                EvalKind::Linear => "linear",
                EvalKind::Material => "material",
            },
            self.policy.word(),
            self.search.word(),
            self.hash_megabytes,
        ))
    }
}

fn choice<T: Choice>(value: &str) -> Result<T, SpecError> {
    T::from_word(value).map_err(SpecError::NotA)
}

fn number(value: &str, most: usize) -> Result<usize, SpecError> {
    let number = value.parse().ok().filter(|number| (1..=most).contains(number));
    number.ok_or_else(|| SpecError::NotA(format!("a number from 1 to {most}")))
}

/// A hundredth of a whole number from `least` to 100.
fn hundredths(value: &str, least: i32) -> Result<f64, SpecError> {
    let number = value.parse().ok().filter(|number| (least..=100).contains(number));
    number
        .map(|number| f64::from(number) / 100.0)
        .ok_or_else(|| SpecError::NotA(format!("a number from {least} to 100")))
}

fn file(path: &str) -> Option<PathBuf> {
    (!path.is_empty() && path != EMPTY).then(|| PathBuf::from(path))
}

//! The table of options of a TD-Leaf run.

use crate::tasks::td_leaf::td_leaf_kinds::{self, Initial, Leaves};
use crate::train::loss::Loss;
use engine::PolicyKind;
use nets::Topology;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Makes each row of the table a field of [`Config`] and one of [`Overrides`]. A row is `NAME FIELD: TYPE =
/// DEFAULT, flag FLAG_TYPE, VALUE_NAME`: the name in files, which renaming the Rust field does not change; then the range of
/// its values, and attributes for `serde` or `clap`.
macro_rules! options {
    ($($(#[doc = $doc:literal])+ $name:literal $key:ident: $type:ty = $default:expr,
       flag $flag:ty, $value:literal $(, in $range:expr)? $(, serde $serde:meta)? $(, clap($($clap:tt)+))?;)+) => {
        /// The configuration of a run.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields, default)]
        pub struct Config {
            $($(#[doc = $doc])+ #[serde(rename = $name)] $(#[$serde])? pub $key: $type,)+
        }

        impl Default for Config {
            fn default() -> Config {
                Config { $($key: $default,)+ }
            }
        }

        /// Values that replace those of a configuration.
        #[derive(Debug, Clone, Default, PartialEq)]
        pub struct Overrides {
            $(#[doc = concat!("Replaces `", $name, "`.")] pub $key: Option<$flag>,)+
        }

        impl Overrides {
            /// The configuration with every given value replaced. The result may have values that a run cannot have, which
            /// [`Config::validate`] checks.
            pub fn apply(&self, mut config: Config) -> Config {
                $(if let Some(value) = self.$key.clone() {
                    config.$key = value.into();
                })+
                config
            }
        }

        impl Config {
            /// Every key with its documentation, in the order of the file.
            pub(crate) const KEYS: &[(&str, &str)] = &[$(($name, concat!($($doc),+)),)+];

            /// The keys in which the two differ.
            pub fn differences(&self, other: &Config) -> Vec<&'static str> {
                let mut keys = Vec::new();
                $(if self.$key != other.$key {
                    keys.push($name);
                })+
                keys
            }

            /// A clause for every value outside its range; NaN is in none.
            pub(crate) fn out_of_range(&self) -> Vec<String> {
                let mut clauses = Vec::new();
                $($(
                    let (value, range) = (Option::<$flag>::from(self.$key), $range);
                    if let Some(value) = value.filter(|value| !range.contains(value)) {
                        clauses.push(format!("{} = {value} is not from {} to {}", $name, range.start(), range.end()));
                    }
                )?)+
                clauses
            }
        }
    };
}

/// Hands the table of options to a macro: here for [`Config`], and on the command line for the flags.
#[macro_export]
macro_rules! training_options {
    ($make:ident) => {
        $make! {
            /// Seed of every random choice
            "seed" seed: u64 = 1, flag u64, "N", in 0..=i64::MAX as u64;
            /// Rollouts (pieces of self-play games) per iteration, each from a start position of its own; they make one optimizer step
            "positions" positions: usize = 64, flag usize, "N", in 1..=65_536;
            /// Plies of a rollout, each the move of a search
            "plies" plies: usize = 12, flag usize, "N", in 1..=1_024;
            /// Nodes of each search of a rollout
            "nodes" nodes: u64 = 256, flag u64, "N", in 1..=10_000_000;
            /// Policy of the searches: `uniform`, `static` or `network` (the policy network inside the program)
            "policy" policy: PolicyKind = PolicyKind::Static, flag PolicyKind, "POLICY", clap(value_parser = PolicyKind::from_word);
            /// Random legal moves at the start of a rollout
            "random_moves" random_moves: u32 = 1, flag u32, "N", in 0..=64;
            /// Lambda of TD(lambda): factor by which the weight of a temporal difference falls with each stride, 0 to 1
            "lambda" lambda: f32 = 0.7, flag f32, "X", in 0.0..=1.0;
            /// Plies between the two values of a temporal difference: 1, or 2 to compare values of the same side to move
            "stride" stride: u32 = 1, flag u32, "N", in 1..=2;
            /// KnightCap's rule: ignore a rise of the value after a reply that the search did not predict (needs stride 2)
            "knightcap" knightcap: bool = false, flag bool, "BOOL",
                clap(num_args = 0..=1, require_equals = true, default_missing_value = "true");
            /// Plies of a rollout whose leaves are learned from: `every` or `first`
            "leaves" leaves: Leaves = Leaves::Every, flag Leaves, "PLIES", clap(value_parser = Leaves::from_word);
            /// Loss of a leaf's value against its target
            "loss" loss: Loss = Loss::Squared, flag Loss, "LOSS", clap(value_parser = choice::<Loss>());
            /// Play each rollout to the end of the game, at most 400 plies, and use the result as the last value
            "result" result: bool = false, flag bool, "BOOL",
                clap(num_args = 0..=1, require_equals = true, default_missing_value = "true");
            /// Replay buffer: number of earlier iterations whose examples every optimizer step learns from again
            "replay" replay: usize = 12, flag usize, "N", in 0..=64;
            /// Horizon, in iterations, of the running mean of the weights (Polyak averaging), which is the net that is saved; 0: none
            "average" average: u64 = 2_000, flag u64, "N", in 0..=1_000_000_000;
            /// Layer sizes of the net; an initial net is widened to them where it is smaller, and plays nearly as before
            "topology" topology: Topology = Topology::THESIS, flag Topology, "SIZES", serde serde(with = "td_leaf_kinds::text");
            /// Initial net: `bootstrap` (random weights, then trained on material), `shipped` (the one inside the program) or a file
            "initial" initial: Initial = Initial::Bootstrap, flag Initial, "NET";
            /// Games or positions to start from (PGN, EPD or FEN, also .zst) [default: openings generated during training]
            "starts" starts: Option<PathBuf> = None, flag PathBuf, "FILE";
            /// EPD files whose positions are removed from the start positions
            "exclude" exclude: Vec<PathBuf> = Vec::new(), flag Vec<PathBuf>, "FILE";
            /// AdaDelta: decay of its running means, below 1
            "rho" rho: f32 = 0.99, flag f32, "X", in 0.0..=0.999_999;
            /// AdaDelta: constant that is added under its square roots
            "epsilon" epsilon: f32 = 1e-12, flag f32, "X", in 1e-20..=0.1;
            /// AdaDelta: factor of its steps (learning rate)
            "rate" rate: f32 = 60.0, flag f32, "X", in 1e-6..=1e3;
            /// Iteration from which the learning rate falls with the inverse square root of the iteration, which keeps the size of
            /// AdaDelta's steps constant; 0: never
            "decay_start" decay_start: u64 = 3_000, flag u64, "N", in 0..=1_000_000_000_000;
            /// Iterations after which the run ends [default: no limit]
            "iterations" iterations: Option<u64> = None, flag u64, "N", in 1..=1_000_000_000_000;
            /// Minutes of training after which the run ends [default: no limit]
            "minutes" minutes: Option<f64> = None, flag f64, "X", in 0.0..=1e7;
            /// Minutes between two checkpoints; 0 saves after every iteration
            "checkpoint_minutes" checkpoint_minutes: f64 = 5.0, flag f64, "X", in 0.0..=1e7;
            /// Number of newest checkpoints that are kept
            "keep_checkpoints" keep_checkpoints: usize = 5, flag usize, "N", in 1..=1_000;
            /// EPD file of the Strategic Test Suite, which is then scored during training [default: only the suite inside the program]
            "sts" sts: Option<PathBuf> = None, flag PathBuf, "FILE";
            /// Minutes of training between two runs of the suites; 0 runs none
            "suite_minutes" suite_minutes: f64 = 30.0, flag f64, "X", in 0.0..=1e7;
            /// Nodes per position of the suites
            "suite_nodes" suite_nodes: u64 = 10_000, flag u64, "N", in 1..=1_000_000_000;
            /// Threads; the net does not depend on their number [default: all cores]
            "threads" threads: Option<usize> = None, flag usize, "N", in 1..=1_024;
            /// Size of the transposition table of each thread, in KB
            "hash_kilobytes" hash_kilobytes: usize = 256, flag usize, "KB", in 1..=1_048_576;
        }
    };
}

training_options!(options);

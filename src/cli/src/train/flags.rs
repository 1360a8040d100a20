//! The flags of `okapi train tdleaf`: one for each option of a run's configuration, from the same table.

use crate::choice::choice;
use clap::Args;
use engine::PolicyKind;
use learn::tasks::td_leaf::td_leaf_config::{Config, Initial, Leaves, Overrides};
use learn::train::loss::Loss;
use learn::training_options;
use nets::Topology;
use std::path::PathBuf;
use support::choice::Choice;

/// Makes each row of the table a flag, whose help is the option's documentation and default.
macro_rules! flags {
    ($($(#[doc = $doc:literal])+ $name:literal $key:ident: $type:ty = $default:expr,
       flag $flag:ty, $value:literal $(, in $range:expr)? $(, serde $serde:meta)? $(, clap($($clap:tt)+))?;)+) => {
        /// The flags: each overrides the key of its name.
        #[derive(Debug, Args)]
        pub struct Flags {
            $(#[arg(long, help = Config::help($name), value_name = $value $(, $($clap)+)?)] $key: Option<$flag>,)+
        }

        impl Flags {
            /// The values that are given.
            pub fn overrides(&self) -> Overrides {
                Overrides { $($key: self.$key.clone(),)+ }
            }
        }
    };
}

training_options!(flags);

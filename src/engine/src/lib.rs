//! An engine ready to play: its specification, its parts, and how they are put together; its signature ([`mod@bench`]) and what
//! records say of it ([`provenance`]).

pub mod assembly;
pub mod bench;
pub mod chance_model;
pub mod choice;
pub mod contempt;
pub mod draw_worth;
pub mod endgames;
pub mod evaluators;
pub mod game_log;
pub mod in_process;
pub mod kpk;
pub mod linear_file;
pub mod measured_table;
pub mod network_policy;
pub mod provenance;
mod searchers;
pub mod self_play;
pub mod shipped;
pub mod spec;
pub mod strength;
pub mod syzygy;

pub use assembly::Engine;
pub use choice::{EvalKind, LeafKind, PolicyKind, SearchKind, ShortTermKind};
pub use shipped::{
    SHIPPED_LINEAR_POLICY, SHIPPED_POLICY_NET, SHIPPED_VALUE_NET, shipped_policy, shipped_policy_net, shipped_value_net,
};
pub use spec::EngineSpec;

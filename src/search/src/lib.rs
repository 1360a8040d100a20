//! The search: what it asks of others ([`Evaluator`], [`Policy`], [`Handler`]), what it may leave out ([`Selectivity`]),
//! and how it goes ([`alpha_beta`], on several threads by [`lazy_smp`]; [`mcts`], or [`td_search`]).

pub mod alpha_beta;
pub mod budget;
pub mod depth_policy;
#[cfg(test)]
mod doubles;
mod draws;
mod evaluation_cache;
pub mod evaluator;
pub mod handler;
pub mod lazy_smp;
pub mod limits;
pub mod linear_policy;
pub mod mcts;
pub mod move_history;
pub mod move_states;
pub mod node_observer;
pub mod policy;
pub mod result;
pub mod scored_move;
pub mod searcher;
pub mod selectivity;
mod shared_memory;
pub mod short_term;
pub mod table;
pub mod tablebase;
pub mod td_search;
pub mod time;
pub mod tunables;
pub mod value;
pub mod wdl;
pub mod window;

pub use alpha_beta::AlphaBeta;
pub use budget::Budget;
pub use depth_policy::DepthPolicy;
pub use evaluator::Evaluator;
pub use handler::{Handler, MoveStatistics, SearchInfo, Silent, Stop};
pub use lazy_smp::{STACK_BYTES, with_deep_stack};
pub use limits::SearchLimits;
pub use linear_policy::LinearPolicy;
pub use mcts::{Mcts, MctsSettings};
pub use move_history::MoveHistory;
pub use node_observer::{NodeObserver, Observed, SearchedNode};
pub use policy::{Policy, StaticPolicy, UniformPolicy};
pub use result::SearchResult;
pub use scored_move::{MoveKind, QuietHints, ScoredMove, ScoredMoves};
pub use searcher::Searcher;
pub use selectivity::{DepthSelectivity, Selectivity};
pub use short_term::{HiddenMemory, LastLayer, LayerWeights, TreeMemory};
pub use table::{Table, TableError};
pub use tablebase::{TableResult, Tablebase};
pub use td_search::{TdSearch, TdSettings, TwoPhase};
pub use value::{Bound, MAX_PLY, Value};
pub use wdl::{Chances, Wdl};
pub use window::Window;

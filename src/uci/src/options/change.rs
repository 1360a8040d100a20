//! What has to happen after an option was set.

use engine::spec::Effect;

/// What has to happen after an option was set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Nothing: the next search reads the option.
    None,
    /// The clocks kept in nodes begin anew.
    NodeClocks,
    /// The engine forgets what earlier searches learned.
    ClearHash,
    /// All lines are logged to another file.
    Log,
    /// What searches find is logged to another file.
    GameLog,
    /// A draw is worth something else.
    DrawWorth,
    /// The strength is limited otherwise.
    Strength,
    /// Other endgame tables are used, or in another way.
    Syzygy,
    /// A key of the engine's specification changed, with this effect.
    Engine(Effect),
}

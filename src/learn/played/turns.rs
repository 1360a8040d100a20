//! The learner's turns in a game: what it thinks of them now.

use crate::engine::{Engine, EngineSpec};
use crate::pgn::{GameResult, PgnGame};
use crate::search::{SearchLimits, Silent};
use board::{Color, Game, Position};

/// A game of the learner.
#[derive(Debug, Clone)]
pub struct OwnGame {
    /// The game.
    pub game: PgnGame,
    /// The learner's color.
    pub color: Color,
    /// The opponent's name.
    pub opponent: String,
}

/// A turn of the learner.
#[derive(Debug, Clone)]
pub struct Turn {
    /// The search's value for the learner, [-1, 1].
    pub value: f32,
    /// The leaf of the principal variation, whose evaluation the value is; `None` where it is no evaluation but the end of a game.
    pub leaf: Option<Position>,
    /// Is it the learner's turn at the leaf?
    pub own_leaf: bool,
    /// Whether the learner played the search's move and the opponent the expected reply.
    pub predicted: bool,
}

impl OwnGame {
    /// The result for the learner, [-1, 1]; `None` for an unfinished game.
    pub fn result(&self) -> Option<f32> {
        let white = match self.game.result? {
            GameResult::WhiteWins => 1.0,
            GameResult::Draw => 0.0,
            GameResult::BlackWins => -1.0,
        };
        Some(if self.color == Color::White { white } else { -white })
    }
}

/// Searches turns again, each with an empty table, so that a turn depends on nothing but its game.
pub struct Thinker {
    engine: Engine,
    nodes: u64,
}

impl Thinker {
    /// An engine that searches every turn with so many nodes.
    ///
    /// # Errors
    /// If it cannot be built.
    pub fn new(spec: &EngineSpec, nodes: u64) -> anyhow::Result<Self> {
        Ok(Self { engine: spec.build()?, nodes })
    }

    /// The turns of a game, but those whose search finds a mate; `None` if it was stopped.
    pub fn turns(&mut self, own: &OwnGame, stop: &dyn Fn() -> bool) -> Option<Vec<Turn>> {
        let mut at = Game::new(own.game.start.clone());
        let limits = SearchLimits { nodes: Some(self.nodes), ..SearchLimits::default() };
        let mut turns = Vec::new();
        for (ply, &mv) in own.game.moves.iter().enumerate() {
            if at.position().side_to_move() == own.color {
                if stop() {
                    return None;
                }
                self.engine.new_game();
                let found = self.engine.search(&at, &limits, &mut Silent);
                if !found.value.is_mate() {
                    let leaf = found.leaf(at.position());
                    let reply = own.game.moves.get(ply + 1);
                    turns.push(Turn {
                        value: found.value.to_f32(),
                        own_leaf: found.pv.len().is_multiple_of(2),
                        leaf: (leaf.outcome().is_none() && found.better.is_none()).then_some(leaf),
                        predicted: found.pv.first() == Some(&mv) && found.pv.get(1) == reply && reply.is_some(),
                    });
                }
            }
            at.play(mv);
        }
        Some(turns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pgn::read_from;
    use nets::QuantizedValueNet;

    #[test]
    fn turns_are_the_learners_and_values_those_of_their_leaves() {
        let text = "[White \"A\"]\n[Black \"B\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 1-0\n";
        let game = read_from(text.as_bytes()).with_annotations().next().unwrap().unwrap();
        let own = OwnGame { game, color: Color::Black, opponent: "A".to_owned() };
        assert_eq!(own.result(), Some(-1.0));
        let spec = EngineSpec { hash_megabytes: 1, ..EngineSpec::default() };
        let mut thinker = Thinker::new(&spec, 300).unwrap();
        let turns = thinker.turns(&own, &|| false).unwrap();
        assert_eq!(turns.len(), 3);
        let net: std::sync::Arc<QuantizedValueNet> = crate::engine::shipped_value_net().unwrap();
        for turn in &turns {
            let leaf = turn.leaf.as_ref().unwrap();
            let value = net.evaluate(leaf);
            assert_eq!(if turn.own_leaf { value } else { -value }, turn.value);
        }
        let again = thinker.turns(&own, &|| false).unwrap();
        assert!(turns.iter().zip(&again).all(|(one, other)| one.value == other.value && one.leaf == other.leaf));
        assert!(thinker.turns(&own, &|| true).is_none());
    }
}

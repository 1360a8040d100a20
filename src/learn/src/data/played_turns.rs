//! The learner's turns in a game, searched as it plays now.

use crate::data::episode::{Leaf, Step};
use crate::data::game_position::parse_line;
use board::{Color, Game, Move, Position};
use engine::game_log::SearchRecord;
use engine::{Engine, EngineSpec};
use nets::QuantizedValueNet;
use pgn::{GameResult, PgnGame};
use search::{SearchLimits, Silent};
use support::hash::short_sha256;

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

impl OwnGame {
    /// What tells the learner's turns from those of other games.
    pub fn id(&self) -> String {
        let moves: Vec<String> = self.game.moves.iter().map(Move::to_string).collect();
        short_sha256(format!("{:?} {} {}", self.color, self.game.start.to_fen(true), moves.join(" ")).as_bytes())
    }

    /// The result for the learner, [-1, 1]; `None` for an unfinished game.
    pub fn result(&self) -> Option<f32> {
        // Moves are missing before the end, so the last turn that is known does not lead to the result.
        let white = match self.game.result.filter(|_| !self.game.is_cut)? {
            GameResult::WhiteWins => 1.0,
            GameResult::Draw => 0.0,
            GameResult::BlackWins => -1.0,
        };
        Some(if self.color == Color::White { white } else { -white })
    }
}

/// Searches turns again, each with an empty table, so that a turn depends on nothing but its game.
pub struct TurnSearcher {
    engine: Engine,
    nodes: u64,
    /// What was found at the turns of the last game that were searched.
    pub found: Vec<SearchRecord>,
}

impl TurnSearcher {
    /// An engine that searches every turn with so many nodes.
    ///
    /// # Errors
    /// If it cannot be built.
    pub fn new(spec: &EngineSpec, nodes: u64) -> anyhow::Result<Self> {
        Ok(Self { engine: spec.build()?, nodes, found: Vec::new() })
    }

    /// The turns of a game, but those whose search finds a mate; `None` if it was stopped. Turns of which there is a record are not
    /// searched; before the first of them the engine was not asked, because its moves were those of an opening.
    pub fn turns(
        &mut self,
        own: &OwnGame,
        records: &[Option<&SearchRecord>],
        stop: &dyn Fn() -> bool,
    ) -> Option<Vec<Step>> {
        let mut at = Game::new(own.game.start.clone());
        let limits = SearchLimits { nodes: Some(self.nodes), ..SearchLimits::default() };
        let opening = records.iter().position(Option::is_some).unwrap_or(0);
        let (mut turns, mut records) = (Vec::new(), records.iter().enumerate());
        self.found.clear();
        for (ply, &mv) in own.game.moves.iter().enumerate() {
            if at.position().side_to_move() == own.color {
                if stop() {
                    return None;
                }
                let (turn, known) = records.next().map_or((opening, None), |(turn, known)| (turn, *known));
                if turn < opening {
                    at.play(mv);
                    continue;
                }
                let (value, line, mate) = match known.and_then(|record| remembered(at.position(), record)) {
                    Some(remembered) => remembered,
                    None => {
                        self.engine.new_game();
                        let found = self.engine.search(&at, &limits, &mut Silent);
                        self.found.extend(SearchRecord::of("", &at, &found, ""));
                        (found.value.to_f32(), found.better.is_none().then_some(found.pv), found.value.is_mate())
                    }
                };
                if !mate {
                    let (played, reply) = (mv, own.game.moves.get(ply + 1).copied());
                    turns.push(as_step(at.position(), value, line, (played, reply), self.engine.value_net()));
                }
            }
            at.play(mv);
        }
        Some(turns)
    }
}

/// The value of a search record of this position, the line that led to it if that is known, and whether it is a mate.
fn remembered(position: &Position, record: &SearchRecord) -> Option<(f32, Option<Vec<Move>>, bool)> {
    let (line, at) = parse_line(position, record.line.iter().map(String::as_str))?;
    let is_whole = record.value.abs() <= 1.0 && record.leaf.as_ref().is_none_or(|leaf| *leaf == at.to_fen(true));
    is_whole.then(|| (record.value, record.leaf.is_some().then_some(line), record.mate))
}

/// The step of a turn at a position whose search found this value and line; the move that was played and the reply to it. The leaf is
/// kept if the value is the network's there, and not what is known of endings or tables.
pub fn as_step(
    position: &Position,
    value: f32,
    line: Option<Vec<Move>>,
    (played, reply): (Move, Option<Move>),
    net: &QuantizedValueNet,
) -> Step {
    let is_known = line.is_some();
    let line = line.unwrap_or_default();
    let sign = if line.len().is_multiple_of(2) { 1.0 } else { -1.0 };
    let leaf = line.iter().fold(position.clone(), |at, mv| at.play(*mv));
    let is_evaluation = is_known && leaf.outcome().is_none() && sign * net.evaluate(&leaf) == value;
    Step {
        value,
        predicted: line.first() == Some(&played) && reply.is_some() && line.get(1).copied() == reply,
        leaf: is_evaluation.then_some(Leaf { position: leaf, sign }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pgn::read_from;

    #[test]
    fn turns_are_the_learners_and_values_those_of_their_leaves() {
        let text = "[White \"A\"]\n[Black \"B\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 1-0\n";
        let game = read_from(text.as_bytes()).with_annotations().next().unwrap().unwrap();
        let own = OwnGame { game, color: Color::Black, opponent: "A".to_owned() };
        assert_eq!(own.result(), Some(-1.0));
        let spec = EngineSpec { hash_megabytes: 1, ..EngineSpec::default() };
        let mut searcher = TurnSearcher::new(&spec, 300).unwrap();
        let turns = searcher.turns(&own, &[], &|| false).unwrap();
        assert_eq!(turns.len(), 3);
        let net: std::sync::Arc<QuantizedValueNet> = engine::shipped_value_net().unwrap();
        for turn in &turns {
            let leaf = turn.leaf.as_ref().unwrap();
            assert_eq!(leaf.sign * net.evaluate(&leaf.position), turn.value);
        }
        let again = searcher.turns(&own, &[], &|| false).unwrap();
        assert!(turns.iter().zip(&again).all(|(one, other)| one.value == other.value && one.leaf == other.leaf));
        assert!(searcher.turns(&own, &[], &|| true).is_none());
    }

    #[test]
    fn a_record_takes_the_place_of_a_search_unless_it_is_of_another_position() {
        let text = "[White \"A\"]\n[Black \"B\"]\n\n1. e4 e5 2. Nf3 Nc6 1-0\n";
        let game = read_from(text.as_bytes()).with_annotations().next().unwrap().unwrap();
        let own = OwnGame { game, color: Color::White, opponent: "B".to_owned() };
        let spec = EngineSpec { hash_megabytes: 1, ..EngineSpec::default() };
        let mut searcher = TurnSearcher::new(&spec, 300).unwrap();
        let searched = searcher.turns(&own, &[], &|| false).unwrap();
        let start = Position::start();
        let (e4, e5) = (start.parse_uci("e2e4").unwrap(), "e7e5");
        let leaf = start.play(e4);
        let leaf = leaf.play(leaf.parse_uci(e5).unwrap());
        let record = |value, leaf: &Position| SearchRecord {
            game: "1".to_owned(),
            fen: start.to_fen(true),
            value,
            mate: false,
            leaf: Some(leaf.to_fen(true)),
            line: vec!["e2e4".to_owned(), e5.to_owned()],
            nodes: 9,
            net: String::new(),
        };
        let value = searcher.engine.value_net().evaluate(&leaf);
        let turns = |searcher: &mut TurnSearcher, record: &SearchRecord| {
            searcher.turns(&own, &[Some(record)], &|| false).unwrap()
        };
        let found = turns(&mut searcher, &record(value, &leaf));
        let expected = Step { value, predicted: true, leaf: Some(Leaf { position: leaf.clone(), sign: 1.0 }) };
        assert_eq!(found[0], expected);
        assert_eq!(found[1].value, searched[1].value);
        // A value that is not the network's teaches the turns before it, but not the leaf.
        assert_eq!(turns(&mut searcher, &record(0.5, &leaf))[0].leaf, None);
        assert_eq!(turns(&mut searcher, &record(value, &start))[0].value, searched[0].value);
    }

    fn own(moves: &str, color: Color) -> OwnGame {
        let text = format!("[White \"A\"]\n[Black \"B\"]\n\n{moves}\n");
        let game = read_from(text.as_bytes()).with_annotations().next().unwrap().unwrap();
        OwnGame { game, color, opponent: "B".to_owned() }
    }

    #[test]
    fn results_are_the_learners_and_games_have_names() {
        let results =
            |end: &str| [Color::White, Color::Black].map(|color| own(&format!("1. e4 e5 {end}"), color).result());
        assert_eq!(results("1-0"), [Some(1.0), Some(-1.0)]);
        assert_eq!(results("1/2-1/2"), [Some(0.0), Some(-0.0)]);
        assert_eq!(results("0-1"), [Some(-1.0), Some(1.0)]);
        assert_eq!(results("*"), [None; 2]);
        let mut cut = own("1. e4 e5 1-0", Color::White);
        // By sha256sum of the color, the FEN with castling rights by files, and the moves.
        assert_eq!(cut.id(), "c6a1fecc3b21f114");
        cut.game.is_cut = true;
        assert_eq!(cut.result(), None);
    }

    #[test]
    fn turns_of_an_opening_are_left_out_and_so_are_mates() {
        let own = own("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 1-0", Color::White);
        let spec = EngineSpec { hash_megabytes: 1, ..EngineSpec::default() };
        let mut searcher = TurnSearcher::new(&spec, 200).unwrap();
        let record = |mate| SearchRecord {
            game: "1".to_owned(),
            fen: String::new(),
            value: 0.25,
            mate,
            leaf: None,
            line: vec![],
            nodes: 9,
            net: String::new(),
        };
        let (known, mate) = (record(false), record(true));
        // The engine was asked from the second turn on; what it found then was lost at the third, and a mate at the fourth.
        let turns = searcher.turns(&own, &[None, Some(&known), None, Some(&mate)], &|| false).unwrap();
        assert_eq!((turns.len(), turns[0].value, searcher.found.len()), (2, 0.25, 1));
        assert_eq!(turns[0].leaf, None, "its line is not known");
        let third = parse_line(&own.game.start, ["e2e4", "e7e5", "g1f3", "b8c6"]).unwrap().1;
        assert_eq!((&searcher.found[0].fen, searcher.found[0].value), (&third.to_fen(true), turns[1].value));
        let all = searcher.turns(&own, &[], &|| false).unwrap();
        assert_eq!((all.len(), searcher.found.len()), (4, 4));
        assert_eq!(all[2], turns[1]);
        // A value that cannot be is not believed.
        let wrong = SearchRecord { value: 1.5, ..known };
        assert_eq!(searcher.turns(&own, &[Some(&wrong)], &|| false).unwrap()[0].value, all[0].value);
    }

    #[test]
    fn a_step_has_its_leaf_where_the_value_is_the_nets_and_knows_whether_the_reply_was_foreseen() {
        let net: std::sync::Arc<QuantizedValueNet> = engine::shipped_value_net().unwrap();
        let start = Position::start();
        let (line, leaf) = parse_line(&start, ["e2e4", "e7e5", "g1f3"]).unwrap();
        let [first, reply, third] = line[..] else { unreachable!() };
        let value = -net.evaluate(&leaf);
        let step =
            |value, line: Option<&[Move]>, played| as_step(&start, value, line.map(<[Move]>::to_vec), played, &net);
        let of_leaf = Some(Leaf { position: leaf, sign: -1.0 });
        let expected = Step { value, predicted: true, leaf: of_leaf };
        assert_eq!(step(value, Some(&line), (first, Some(reply))), expected);
        assert_eq!(step(-value, Some(&line), (first, Some(reply))).leaf, None);
        let predicted = |line, played| step(0.5, line, played).predicted;
        assert!(!predicted(Some(&line), (third, Some(reply))), "another move was played");
        assert!(!predicted(Some(&line), (first, Some(third))), "another reply");
        assert!(!predicted(Some(&line), (first, None)), "no reply");
        assert!(!predicted(Some(&line[..1]), (first, None)), "none was foreseen");
        assert!(!predicted(Some(&line[..1]), (first, Some(reply))), "none was foreseen");
        // The root's own value, of which no line is known.
        assert_eq!(step(net.evaluate(&start), None, (first, Some(reply))).leaf, None);
        // Mate ends the line of a value that is not the net's, though it may be equal.
        let (mate, mated) = parse_line(&start, ["f2f3", "e7e5", "g2g4", "d8h4"]).unwrap();
        assert_eq!(step(net.evaluate(&mated), Some(&mate), (mate[0], None)).leaf, None);
    }
}

//! What a checkpoint has beside the net and its optimizer, as text: a line `version 2` (without it, version 1, whose replay has leaves
//! alone); a line `database` with the hash of the
//! start positions, or the games under way, one a line, `-` where a new one begins; a line `initial` with that of
//! the initial net, a line `policy` with that of the policy network; an empty line; the replay.

use crate::data::replay::Replay;
use crate::data::start_positions::StartPositions;
use crate::tasks::td_leaf::provenance::Origin;
use crate::tasks::td_leaf::td_leaf_options::Options;
use board::Position;

/// The version of this text that is written.
const VERSION: &str = "2";

/// What a checkpoint has beside the net.
#[derive(Debug)]
pub struct Extra {
    /// The inputs of the run.
    pub origin: Origin,
    /// The games under way, `None` where a new one begins; empty with a database.
    pub games: Vec<Option<Position>>,
    /// Targets that are learned from again.
    pub replay: Replay,
}

impl Extra {
    /// The text.
    pub fn write(origin: &Origin, starts: &StartPositions, replay: &Replay) -> String {
        let mut text = format!("version {VERSION}\n");
        for (word, hash) in [("database", &origin.starts), ("initial", &origin.initial), ("policy", &origin.policy)] {
            text += &hash.as_ref().map_or(String::new(), |hash| format!("{word} {hash}\n"));
        }
        if let StartPositions::Generated(games) = starts {
            for game in games {
                text += &game.as_ref().map_or("-".to_owned(), |game| game.to_fen(true));
                text.push('\n');
            }
        }
        text.push('\n');
        text + &replay.to_text()
    }

    /// Reads what [`Extra::write`] wrote for a run with these options; `None` for anything else.
    pub fn read(bytes: &[u8], options: &Options) -> Option<Self> {
        let mut rest = std::str::from_utf8(bytes).ok()?;
        let (mut origin, mut games) = (Origin::default(), Vec::new());
        loop {
            let (line, after) = rest.split_once('\n')?;
            rest = after;
            match line.split_once(' ') {
                None if line.is_empty() => break,
                None if line == "-" => games.push(None),
                Some(("version", version)) if version == VERSION => {}
                Some(("database", hash)) => origin.starts = Some(hash.to_owned()),
                Some(("initial", hash)) => origin.initial = Some(hash.to_owned()),
                Some(("policy", hash)) => origin.policy = Some(hash.to_owned()),
                _ => games.push(Some(Position::from_fen(line).ok()?)),
            }
        }
        let fits = if options.starts.is_some() { games.is_empty() } else { games.len() == options.positions };
        let replay = Replay::from_text(options.replay, rest)?;
        fits.then_some(Self { origin, games, replay })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_checkpoint_adds_comes_back() {
        let options = Options { positions: 3, replay: 2, ..Options::default() };
        let played = Position::start().play(Position::start().legal_moves()[0]);
        let starts = StartPositions::Generated(vec![None, Some(played.clone()), None]);
        let text = Extra::write(&Origin::default(), &starts, &Replay::new(2));
        let read = |text: &str, options: &Options| Extra::read(text.as_bytes(), options);
        assert_eq!(read(&text, &options).unwrap().games, [None, Some(played), None]);
        let older = text.strip_prefix("version 2\n").unwrap();
        assert_eq!(read(older, &options).unwrap().games.len(), 3);
        let newer = format!("version 3\n{older}");
        for bad in ["", &newer, "-\n-\n\n", "-\n-\nnonsense\n\n", "-\n-\n-\n\nrest\n"] {
            assert!(read(bad, &options).is_none(), "{bad:?}");
        }
        let with_database = Options { starts: Some("games.pgn".into()), ..options };
        let starts = StartPositions::Database(vec![Position::start()]);
        for hash in [None, Some("f00".to_owned())] {
            let origin = Origin { initial: hash.clone(), starts: starts.hash(), policy: hash };
            let text = Extra::write(&origin, &starts, &Replay::new(2));
            let extra = read(&text, &with_database).unwrap();
            assert!(extra.games.is_empty() && extra.origin == origin && origin.starts.is_some());
        }
        assert_ne!(StartPositions::Database(Vec::new()).hash(), starts.hash());
    }
}

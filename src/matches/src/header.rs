//! The first line of a match's record: the players, the rules and the openings, and which programs play.
//!
//! Rules, openings, limits and names must be the same when a match goes on. The engines themselves may differ if the user
//! allows it (`--mixed`), and the record then says which games are whose.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use support::journal::{Difference, Form, Header, PartOfRecord, differences_of_maps};

/// What such a file is.
pub const FORM: Form =
    Form { what: "the record of a match", mark: "{\"okapi_match\":", numbers: &["/game"], recorded: &["build"] };
/// The format of the file.
const VERSION: u64 = 1;

/// One player, as a match's record describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlayerDescription {
    /// What the match calls it.
    pub name: String,
    /// What it is made of: an engine's specification or command.
    pub engine: String,
    /// What bounds its moves.
    pub limits: String,
    /// Which program it is ([`support::program`]); empty for games that are not recorded.
    pub program: String,
}

/// What a match's games depend on.
#[derive(Debug, Clone)]
pub struct MatchHeader {
    line: String,
    setup: Map<String, Value>,
    players: Vec<PlayerDescription>,
    /// `None` for a whole match.
    part: Option<PartOfRecord>,
}

/// The line's JSON. The number of games is not in it, so that a match can be made longer.
#[derive(Serialize, Deserialize)]
struct FirstLine {
    okapi_match: u64,
    header: Map<String, Value>,
    programs: BTreeMap<String, String>,
    build: String,
}

impl MatchHeader {
    /// The header of a match between these players, with everything else that its games depend on, by name, and the build
    /// of this program, which is recorded and not compared.
    pub fn new(players: Vec<PlayerDescription>, mut setup: Map<String, Value>, build: String) -> Self {
        setup.insert("players".to_owned(), players.iter().map(PlayerDescription::text).collect());
        let program = |player: &PlayerDescription| (player.name.clone(), player.program.clone());
        let programs = players.iter().map(program).collect();
        let first = FirstLine { okapi_match: VERSION, header: setup, programs, build };
        // Text and numbers can always be written.
        let line = serde_json::to_string(&first).unwrap_or_default();
        Self { line, setup: without_players(first.header), players, part: None }
    }

    /// The header of a part of the match.
    pub fn of_part(self, part: PartOfRecord) -> Self {
        let line = part.header(&self.line);
        Self { line, part: Some(part).filter(|part| !part.part.is_whole()), ..self }
    }

    /// Reads a line.
    ///
    /// # Errors
    /// Why it is none: the continuation of a sentence that begins with the file's name.
    pub fn parse(line: &str) -> Result<Self, String> {
        let first: FirstLine = serde_json::from_str(line).map_err(|_| format!("is not {}", FORM.what))?;
        if first.okapi_match != VERSION {
            return Err("was written by another version of this program".to_owned());
        }
        let texts =
            first.header.get("players").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        let players = texts.map(|text| PlayerDescription::parse(text, &first.programs)).collect::<Option<_>>();
        let players = players.ok_or_else(|| format!("is not {}: it has a player without a program", FORM.what))?;
        let part = PartOfRecord::split(line).map(|(_, part)| part);
        Ok(Self { line: line.to_owned(), setup: without_players(first.header), players, part })
    }

    /// The players.
    pub fn players(&self) -> &[PlayerDescription] {
        &self.players
    }
}

impl Header for MatchHeader {
    fn what(&self) -> &'static str {
        FORM.what
    }

    fn mark(&self) -> &str {
        FORM.mark
    }

    fn line(&self) -> &str {
        &self.line
    }

    fn differences(&self, found: &str) -> Result<Vec<Difference>, String> {
        let found = Self::parse(found)?;
        let mut differences = differences_of_maps(&found.setup, &self.setup, &[]);
        let mut compare = |name: String, found: &str, wanted: &str, may_mix| {
            if found != wanted {
                differences.push(Difference { name, found: found.to_owned(), wanted: wanted.to_owned(), may_mix });
            }
        };
        let names =
            |header: &Self| header.players.iter().map(|player| player.name.as_str()).collect::<Vec<_>>().join(", ");
        let part = |header: &Self| {
            let words = |part: PartOfRecord| format!("{}, {} games of {}", part.part, part.records, part.all);
            header.part.map_or("the whole match".to_owned(), words)
        };
        compare("the part".to_owned(), &part(&found), &part(self), false);
        compare("the list of players".to_owned(), &names(&found), &names(self), false);
        for (found, wanted) in
            found.players.iter().zip(&self.players).filter(|(found, wanted)| found.name == wanted.name)
        {
            compare(format!("the limit of {}", wanted.name), &found.limits, &wanted.limits, false);
            compare(format!("the engine of {}", wanted.name), &found.engine, &wanted.engine, true);
            compare(format!("the program of {}", wanted.name), &found.program, &wanted.program, true);
        }
        Ok(differences)
    }
}

impl PlayerDescription {
    fn text(&self) -> String {
        format!("{}: {}; {}", self.name, self.engine, self.limits)
    }

    /// Reads [`PlayerDescription::text`]; `None` if none of the programs' names begins it.
    fn parse(text: &str, programs: &BTreeMap<String, String>) -> Option<Self> {
        let (rest, limits) = text.rsplit_once("; ")?;
        // A name may have a colon of its own: the longest that fits.
        let fits = |(name, program)| Some((name, program, rest.strip_prefix(name)?.strip_prefix(": ")?));
        let named = programs.iter().map(|(name, program)| (name.as_str(), program)).filter_map(fits);
        let (name, program, engine) = named.max_by_key(|(name, ..)| name.len())?;
        Some(Self {
            name: name.to_owned(),
            engine: engine.to_owned(),
            limits: limits.to_owned(),
            program: program.clone(),
        })
    }

    /// All that tells it from another player of the same name.
    pub fn identity(&self) -> String {
        format!("{}; {}; program {}", self.engine, self.limits, self.program)
    }
}

fn without_players(mut header: Map<String, Value>) -> Map<String, Value> {
    header.remove("players");
    header
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn header(engine: &str, limits: &str) -> MatchHeader {
        let player = |name: &str, engine: &str| PlayerDescription {
            name: name.to_owned(),
            engine: engine.to_owned(),
            limits: limits.to_owned(),
            program: format!("program of {name}"),
        };
        let setup = json!({"seed": 1}).as_object().unwrap().clone();
        MatchHeader::new(vec![player("A", engine), player("A: B", "fruit")], setup, "0.1".to_owned())
    }

    #[test]
    fn a_header_is_one_line_that_is_read_again() {
        let whole = header("okapi", "depth 1");
        let line = "{\"okapi_match\":1,\
                    \"header\":{\"seed\":1,\"players\":[\"A: okapi; depth 1\",\"A: B: fruit; depth 1\"]},\
                    \"programs\":{\"A\":\"program of A\",\"A: B\":\"program of A: B\"},\"build\":\"0.1\"}";
        assert_eq!(serde_json::from_str::<Value>(whole.line()).unwrap(), serde_json::from_str::<Value>(line).unwrap());
        assert_eq!((whole.what(), whole.mark()), ("the record of a match", "{\"okapi_match\":"));
        assert_eq!(MatchHeader::parse(line).unwrap().players(), whole.players());
        assert_eq!(whole.players()[1].identity(), "fruit; depth 1; program program of A: B");
        // A part says which one it is, and the whole is no part.
        let part = PartOfRecord { part: "2/3".parse().unwrap(), records: 4, all: 12 };
        let second = whole.clone().of_part(part);
        let end = ",\"shard\":{\"part\":\"2/3\",\"records\":4,\"all\":12}}";
        assert_eq!(second.line(), format!("{}{end}", whole.line().strip_suffix('}').unwrap()));
        let all = PartOfRecord { part: support::part::Part::WHOLE, ..part };
        assert_eq!(whole.clone().of_part(all).line(), whole.line());
        assert_eq!(whole.clone().of_part(all).differences(whole.line()), Ok(vec![]));
        assert_eq!(second.differences(second.line()), Ok(vec![]));
        let differences = whole.differences(second.line()).unwrap();
        assert_eq!(differences.len(), 1);
        assert_eq!(differences[0].to_string(), "the part is 2/3, 4 games of 12 there and the whole match here");
    }

    #[test]
    fn only_engines_and_programs_may_differ() {
        let ours = header("okapi", "depth 1");
        let told = |found: &MatchHeader| {
            let differences = ours.differences(found.line()).unwrap();
            differences.iter().map(|one| (one.to_string(), one.may_mix)).collect::<Vec<_>>()
        };
        let engine = "the engine of A is stockfish there and okapi here".to_owned();
        assert_eq!(told(&header("stockfish", "depth 1")), [(engine, true)]);
        let limit = |name: &str| (format!("the limit of {name} is depth 2 there and depth 1 here"), false);
        assert_eq!(told(&header("okapi", "depth 2")), [limit("A"), limit("A: B")]);
        let mut alone = ours.players()[1].clone();
        alone.name = "C".to_owned();
        let others = MatchHeader::new(vec![alone], ours.setup.clone(), String::new());
        assert_eq!(told(&others), [("the list of players is C there and A, A: B here".to_owned(), false)]);
        assert_eq!(ours.differences("{}"), Err("is not the record of a match".to_owned()));
        let newer = ours.line().replacen(":1,", ":2,", 1);
        assert_eq!(ours.differences(&newer), Err("was written by another version of this program".to_owned()));
    }
}

//! The UCI options: the keys of the engine that have one, and those of the conversation, each a row of its table.

mod change;
mod table;
#[cfg(feature = "tuning")]
mod tuning;
mod values;

use crate::limits::Limits;
use anyhow::{Context, bail};
pub use change::Change;
use engine::spec::{EngineSpec, Group, KEYS};
use support::keys::Kind;
use support::text::clip;
pub use table::{OPTIONS, Options};
pub use values::Values;

/// The lines that declare the options: what players set, then what experts do. The defaults are what the engine was started with.
pub fn declarations(start: &EngineSpec, limits: Limits) -> Vec<String> {
    let of_engine = |is_for_experts: bool| {
        let keys =
            KEYS.iter().filter(move |key| !matches!(key.more.group, Group::Table | Group::Player) == is_for_experts);
        keys.filter_map(move |key| Some(declaration(key.more.uci?, &limits.kind(key), &(key.text)(start))))
    };
    let of_conversation = OPTIONS.iter().map(|key| declaration(key.name, &(key.kind)(), &key.default()));
    let declared = of_engine(false).chain(of_conversation).chain(of_engine(true));
    #[cfg(feature = "tuning")]
    let declared = declared.chain(tuning::declarations());
    declared.collect()
}

/// What the options are for: name, help, and type with default and range as the protocol has them. Players' options come first.
pub fn explanations(start: &EngineSpec, limits: Limits) -> Vec<[String; 3]> {
    let of_engine = KEYS
        .iter()
        .filter_map(|key| Some((key.more.uci?, key.help, declaration("", &limits.kind(key), &(key.text)(start)))));
    let of_conversation =
        OPTIONS.iter().map(|key| (key.name, key.help, declaration("", &(key.kind)(), &key.default())));
    let all = of_engine.chain(of_conversation);
    let kind = |text: String| text.split_once(" type ").map_or(String::new(), |(_, kind)| kind.to_owned());
    all.map(|(name, help, text)| [name.to_owned(), help.trim().to_owned(), kind(text)]).collect()
}

fn declaration(name: &str, kind: &Kind, default: &str) -> String {
    let text = match kind {
        Kind::Number(range) | Kind::NumberOrOff(range) => {
            format!("spin default {default} min {} max {}", range.start(), range.end())
        }
        Kind::Words(words) => {
            words.iter().fold(format!("combo default {default}"), |text, (word, _)| text + " var " + word)
        }
        Kind::Switch => format!("check default {}", default == "on"),
        Kind::Form(_) | Kind::Text | Kind::File => format!("string default {default}"),
        Kind::Button => "button".to_owned(),
    };
    format!("option name {name} type {text}")
}

/// Sets an option by name and value as `setoption` gives them; names, choices and truth values are matched without case.
///
/// # Errors
/// If there is no such option or it cannot have this value; nothing is changed then.
pub fn set(name: &str, value: Option<&str>, limits: Limits, values: &mut Values) -> anyhow::Result<Change> {
    let invalid = |expected: String| anyhow::anyhow!("option {name} takes {expected}");
    let of_engine = KEYS.iter().find_map(|key| Some((key, key.more.uci.filter(|uci| uci.eq_ignore_ascii_case(name))?)));
    if let Some((key, name)) = of_engine {
        let text = checked(name, &limits.kind(key), value)?;
        key.set(&mut values.spec, text).map_err(invalid)?;
        return Ok(Change::Engine(key.more.effect));
    }
    if let Some(key) = OPTIONS.iter().find(|key| key.name.eq_ignore_ascii_case(name)) {
        let text = checked(key.name, &(key.kind)(), value)?;
        key.set(&mut values.options, text).map_err(invalid)?;
        return Ok(key.more);
    }
    #[cfg(feature = "tuning")]
    if let Some(changed) = tuning::set(name, value) {
        return changed;
    }
    bail!("there is no option '{}'", clip(name))
}

/// The text of a value for a key of this kind.
fn checked<'a>(name: &str, kind: &Kind, value: Option<&'a str>) -> anyhow::Result<&'a str> {
    if *kind == Kind::Button {
        return Ok("");
    }
    let value = value.with_context(|| format!("option {name} needs a value"))?;
    let invalid = |expected: String| anyhow::anyhow!("option {name} takes {expected}, not '{}'", clip(value));
    match (kind, value.to_ascii_lowercase().as_str()) {
        (Kind::Switch, "true") => Ok("on"),
        (Kind::Switch, "false") => Ok("off"),
        (Kind::Switch, _) => Err(invalid("true or false".to_owned())),
        _ if kind.admits(value.as_ref()) => Ok(value),
        _ => Err(invalid(kind.expected())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use support::keys::EMPTY;

    const LIMITS: Limits = Limits { hash: 2_000, threads: 64 };

    fn set(name: &str, value: Option<&str>) -> anyhow::Result<Values> {
        let mut values = Values::default();
        super::set(name, value, LIMITS, &mut values).map(|_| values)
    }

    #[test]
    fn every_declared_default_can_be_set() {
        let declared = declarations(&EngineSpec::default(), LIMITS);
        assert!(declared.len() >= KEYS.iter().filter(|key| key.more.uci.is_some()).count() + OPTIONS.len());
        for line in &declared {
            let (name, kind) = line["option name ".len()..].split_once(" type ").unwrap();
            let default = kind.split(" default ").nth(1).map(|rest| rest.split(' ').next().unwrap());
            assert_eq!(default.is_none(), kind == "button", "{line}");
            set(&name.to_uppercase(), default).unwrap();
        }
    }

    #[test]
    fn every_choice_is_one_of_the_engine() {
        for (key, words) in KEYS.iter().filter_map(|key| match (key.kind)() {
            Kind::Words(words) => Some((key, words)),
            _ => None,
        }) {
            for (word, _) in words {
                assert_eq!((key.text)(&set(key.more.uci.unwrap(), Some(word)).unwrap().spec), word);
            }
        }
    }

    #[test]
    fn switches_are_true_or_false() {
        let is_selective = |value| set("Selective", Some(value)).map(|values| values.spec.selective);
        assert_eq!((is_selective("FALSE").unwrap(), is_selective("true").unwrap()), (false, true));
        assert!(is_selective("on").is_err());
    }

    #[test]
    fn values_out_of_range_are_told_apart() {
        let error = |name, value| set(name, value).unwrap_err().to_string();
        assert_eq!(error("Hash", Some("0")), "option Hash takes a number from 1 to 2000, not '0'");
        assert_eq!(error("hash", None), "option Hash needs a value");
        assert_eq!(error("Threads", Some("65")), "option Threads takes a number from 1 to 64, not '65'");
        assert_eq!(error("UCI_ShowWDL", Some("yes")), "option UCI_ShowWDL takes true or false, not 'yes'");
        assert_eq!(
            error("Evaluator", Some("luck")),
            "option Evaluator takes one of network, linear, material, not 'luck'"
        );
        assert_eq!(error("Optimism", Some("3")), "there is no option 'Optimism'");
    }

    #[test]
    fn an_empty_file_name_means_the_net_inside() {
        let file = |value| set("EvalFile", Some(value)).unwrap().spec.value_net;
        assert_eq!((file(EMPTY), file("")), (None, None));
        assert_eq!(file("a b.net"), Some("a b.net".into()));
    }

    #[cfg(feature = "tuning")]
    #[test]
    fn every_constant_of_the_search_is_an_option() {
        use search::tunables::TUNABLES;
        let declared = declarations(&EngineSpec::default(), LIMITS).join("\n");
        for row in TUNABLES {
            assert!(declared.contains(&format!("option name {} type string default {}", row.name, row.default)));
            set(row.name, Some(&row.default.to_string())).unwrap();
            assert!(set(row.name, Some("nonsense")).is_err());
            assert_eq!(row.get(), row.default);
        }
    }
}

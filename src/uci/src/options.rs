//! The UCI options: one row of one table per option, with its name, its kind, its default and how it is applied.

mod table;
#[cfg(feature = "tuning")]
mod tuning;
mod values;

use crate::limits::Limits;
use anyhow::{Context, anyhow, bail};
use engine::spec::{EMPTY, EngineSpec, SpecError};
use engine::strength::Level;
use support::choice::Choice;
use support::text::clip;
use table::Kind::{
    Button, Check, CheckChange, Elo, EngineCheck, EngineCombo, EngineFile, EngineRange, EngineSpin, Spin, Text,
};
use table::{Row, TABLE};
pub use values::{Change, Options, Values};

/// The lines that declare the options; the defaults are what the engine was started with.
pub fn declarations(start: &EngineSpec, limits: Limits) -> Vec<String> {
    let options = Options::default();
    let declare = |Row { name, kind }: &Row| {
        let text = match *kind {
            EngineSpin(key, most) => format!("spin default {} min 1 max {}", start.get(key), most(&limits)),
            EngineRange(key, min, max) => format!("spin default {} min {min} max {max}", start.get(key)),
            EngineCombo(key, words) => format!("combo default {} var {}", start.get(key), words().join(" var ")),
            EngineCheck(key) => format!("check default {}", start.get(key) == "on"),
            EngineFile(key) => format!("string default {}", start.get(key)),
            Spin(min, max, get, _) => format!("spin default {} min {min} max {max}", get(&options)),
            Elo => {
                let (least, most) = Level::elo_range();
                format!("spin default {} min {least} max {most}", options.elo)
            }
            Check(get, _) | CheckChange(get, _) => format!("check default {}", get(&options)),
            Text(_) => format!("string default {EMPTY}"),
            Button(_) => "button".to_owned(),
        };
        format!("option name {name} type {text}")
    };
    let declared = TABLE.iter().map(declare);
    #[cfg(feature = "tuning")]
    let declared = declared.chain(tuning::declarations());
    declared.collect()
}

/// Sets an option by name and value as `setoption` gives them; names, choices and truth values are matched without case.
///
/// # Errors
/// If there is no such option or it cannot have this value; nothing is changed then.
pub fn set(name: &str, value: Option<&str>, limits: Limits, values: &mut Values) -> anyhow::Result<Change> {
    let Some(Row { name, kind }) = TABLE.iter().find(|row| row.name.eq_ignore_ascii_case(name)) else {
        #[cfg(feature = "tuning")]
        if let Some(changed) = tuning::set(name, value) {
            return changed;
        }
        bail!("there is no option '{}'", clip(name));
    };
    if let Button(change) = kind {
        return Ok(*change);
    }
    let value = value.with_context(|| format!("option {name} needs a value"))?;
    let invalid = |expected: String| anyhow!("option {name} takes {expected}, not '{}'", clip(value));
    let number = |min: i64, max: i64| {
        let number = value.parse().ok().filter(|number| (min..=max).contains(number));
        number.ok_or_else(|| invalid(format!("a number from {min} to {max}")))
    };
    let truth = || value.to_ascii_lowercase().parse::<bool>().map_err(|_| invalid("true or false".to_owned()));
    let mut engine = |key: &'static str, value: &str| match values.spec.set(key, value) {
        Ok(()) => Ok(Change::Engine(key)),
        Err(SpecError::NotA(expected)) => Err(invalid(expected)),
        Err(SpecError::UnknownKey) => bail!("there is no option '{key}'"),
    };
    match *kind {
        EngineSpin(key, most) => engine(key, &number(1, most(&limits))?.to_string()),
        EngineRange(key, min, max) => engine(key, &number(min, max)?.to_string()),
        EngineCombo(key, _) => engine(key, value),
        EngineCheck(key) => engine(key, truth()?.word()),
        EngineFile(key) => engine(key, value),
        Spin(min, max, _, set) => Ok(set(&mut values.options, number(min, max)?)),
        Elo => {
            let (least, most) = Level::elo_range();
            values.options.elo = number(least.into(), most.into())? as u32;
            Ok(Change::Strength)
        }
        Check(_, set) => {
            set(&mut values.options, truth()?);
            Ok(Change::None)
        }
        CheckChange(_, set) => Ok(set(&mut values.options, truth()?)),
        Text(set) => Ok(set(&mut values.options, value)),
        Button(change) => Ok(change),
    }
}

#[cfg(test)]
mod tests {
    use super::table::words;
    use super::*;
    use engine::choice::PolicyKind;

    const LIMITS: Limits = Limits { hash: 2_000, threads: 64 };

    fn set(name: &str, value: Option<&str>) -> anyhow::Result<Values> {
        let mut values = Values::default();
        super::set(name, value, LIMITS, &mut values).map(|_| values)
    }

    #[test]
    fn every_declared_default_can_be_set() {
        for (line, Row { name, kind }) in declarations(&EngineSpec::default(), LIMITS).into_iter().zip(TABLE) {
            assert!(line.starts_with(&format!("option name {name} type ")), "{line}");
            let default = line.split(" default ").nth(1).map(|rest| rest.split(' ').next().unwrap());
            assert_eq!(default.is_none(), matches!(kind, Button(_)), "{line}");
            set(&name.to_uppercase(), default).unwrap();
        }
    }

    #[test]
    fn every_choice_is_one_of_the_engine_and_none_is_missing() {
        for Row { name, kind } in TABLE {
            let EngineCombo(key, words) = kind else { continue };
            for word in words() {
                assert_eq!(set(name, Some(word)).unwrap().spec.get(key), word);
            }
        }
        assert_eq!(words::<PolicyKind>(), ["uniform", "static", "linear", "network"]);
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

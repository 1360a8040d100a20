//! The UCI options that an engine declares, and whether a value fits one.

use support::text::clip;

/// An option of an engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineOption {
    /// Its name as declared; names are compared case-insensitively.
    pub name: String,
    /// Its type and its allowed values.
    pub kind: OptionKind,
}

/// The type of a UCI option and its allowed values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OptionKind {
    /// `true` or `false`.
    Check {
        /// The default.
        default: bool,
    },
    /// A whole number.
    Spin {
        /// The default.
        default: i64,
        /// The smallest value.
        min: i64,
        /// The largest value.
        max: i64,
    },
    /// One of several texts.
    Combo {
        /// The default.
        default: String,
        /// The allowed values.
        choices: Vec<String>,
    },
    /// A text.
    Text {
        /// The default.
        default: String,
    },
    /// No value: setting it triggers an action.
    Button,
}

impl EngineOption {
    /// Parses what follows `option`; `None` if it does not declare an option of a known type.
    pub(crate) fn read(declaration: &str) -> Option<Self> {
        let rest = declaration.trim_start().strip_prefix("name")?;
        let (name, rest) = rest.split_once(" type ")?;
        let name = name.trim().to_owned();
        let (kind, rest) = rest.trim_start().split_once(' ').unwrap_or((rest.trim(), ""));
        let number = |key| word_after(rest, key).and_then(|word| word.parse().ok());
        let kind = match kind {
            "check" => OptionKind::Check { default: word_after(rest, "default") == Some("true") },
            "spin" => OptionKind::Spin {
                default: number("default").unwrap_or(0),
                min: number("min").unwrap_or(i64::MIN),
                max: number("max").unwrap_or(i64::MAX),
            },
            "combo" => {
                let mut parts = rest.split(" var ");
                let default = parts.next().unwrap_or_default();
                let default = default.trim().strip_prefix("default").unwrap_or_default().trim().to_owned();
                OptionKind::Combo { default, choices: parts.map(|choice| choice.trim().to_owned()).collect() }
            }
            "string" => {
                let default = rest.trim().strip_prefix("default").unwrap_or_default().trim();
                OptionKind::Text { default: if default == "<empty>" { String::new() } else { default.to_owned() } }
            }
            "button" => OptionKind::Button,
            _ => return None,
        };
        (!name.is_empty()).then_some(Self { name, kind })
    }

    /// The `setoption` command for this value, or why the value does not fit.
    pub(crate) fn set(&self, value: &str) -> Result<String, String> {
        let (name, value) = (&self.name, value.trim());
        let wanted = match &self.kind {
            _ if value.contains(['\n', '\r']) => Some("a value of one line".to_owned()),
            OptionKind::Check { .. } => (!matches!(value, "true" | "false")).then(|| "either true or false".to_owned()),
            OptionKind::Spin { min, max, .. } => {
                let fits = value.parse().is_ok_and(|number: i64| (min..=max).contains(&&number));
                (!fits).then(|| format!("a whole number from {min} to {max}"))
            }
            OptionKind::Combo { choices, .. } => {
                let fits = choices.iter().any(|choice| choice.eq_ignore_ascii_case(value));
                (!fits).then(|| format!("one of {}", choices.join(", ")))
            }
            OptionKind::Text { .. } => None,
            OptionKind::Button => (!value.is_empty()).then(|| "no value because it is a button".to_owned()),
        };
        match wanted {
            Some(wanted) => Err(format!("its option '{name}' takes {wanted}, not '{}'", clip(value))),
            None if matches!(self.kind, OptionKind::Button) => Ok(format!("setoption name {name}")),
            None if value.is_empty() => Ok(format!("setoption name {name} value <empty>")),
            None => Ok(format!("setoption name {name} value {value}")),
        }
    }
}

/// The word after the word `key`.
fn word_after<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let mut words = text.split_whitespace();
    words.find(|&word| word == key).and_then(|_| words.next())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(declaration: &str) -> EngineOption {
        EngineOption::read(declaration).unwrap_or_else(|| panic!("{declaration} is an option"))
    }

    #[test]
    fn declarations_of_real_engines_are_parsed() {
        let hash = read(" name Hash type spin default 16 min 1 max 33554432");
        assert_eq!(
            (hash.name.as_str(), &hash.kind),
            ("Hash", &OptionKind::Spin { default: 16, min: 1, max: 33_554_432 })
        );
        let log = read("name Debug Log File type string default <empty>");
        assert_eq!((log.name.as_str(), log.kind), ("Debug Log File", OptionKind::Text { default: String::new() }));
        assert_eq!(read("name Clear Hash type button").kind, OptionKind::Button);
        assert_eq!(read("name Ponder type check default true").kind, OptionKind::Check { default: true });
        let choices = ["Very Solid", "Normal"].map(str::to_owned).to_vec();
        let style = read("name Style type combo default Normal var Very Solid var Normal");
        assert_eq!(style.kind, OptionKind::Combo { default: "Normal".to_owned(), choices });
        for nothing in ["", "name", "name X", "name type spin", "name X type wheel default 1", "name  type button"] {
            assert_eq!(EngineOption::read(nothing), None, "{nothing}");
        }
    }

    #[test]
    fn only_allowed_values_are_set() {
        let hash = read("name Hash type spin default 16 min 1 max 1024");
        assert_eq!(hash.set("64"), Ok("setoption name Hash value 64".to_owned()));
        for value in ["0", "1025", "x", "", "1e3", "64\nquit"] {
            assert!(hash.set(value).unwrap_err().starts_with("its option 'Hash' takes "), "{value}");
        }
        assert_eq!(hash.set("0").unwrap_err(), "its option 'Hash' takes a whole number from 1 to 1024, not '0'");
        let style = read("name Style type combo default Normal var Very Solid var Normal");
        assert_eq!(style.set("very solid"), Ok("setoption name Style value very solid".to_owned()));
        assert!(style.set("Solid").is_err());
        assert!(read("name Ponder type check default true").set("yes").is_err());
        let clear = read("name Clear Hash type button");
        assert_eq!(clear.set(""), Ok("setoption name Clear Hash".to_owned()));
        assert!(clear.set("now").is_err());
        assert_eq!(read("name File type string").set(""), Ok("setoption name File value <empty>".to_owned()));
    }
}

//! Settings as a table: one row a key, with its name, type, default, limits and help. Whoever reads or shows settings (command
//! line, UCI, words of match players, records) reads the table.

use crate::choice::Choice;
use std::ffi::OsStr;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

/// What a UCI client shows, and sends, in place of an empty text.
pub const EMPTY: &str = "<empty>";

/// The word of a number that may be missing.
const OFF: &str = "off";

/// Which texts a key takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// One of these words, upper or lower case; each has its meaning, which is empty where the word says it.
    Words(Vec<(&'static str, &'static str)>),
    /// `on` or `off`.
    Switch,
    /// A whole number.
    Number(RangeInclusive<i64>),
    /// A whole number, or `off`.
    NumberOrOff(RangeInclusive<i64>),
    /// A text of a form that is said here in words.
    Form(String),
    /// A text that may be empty.
    Text,
    /// The name of a file, or nothing.
    File,
    /// Nothing: to set the key is all that there is.
    Button,
}

impl Kind {
    /// Whether a key of this kind takes the text.
    pub fn admits(&self, text: &OsStr) -> bool {
        let is = |word: &str| text.eq_ignore_ascii_case(word);
        let is_in = |range: &RangeInclusive<i64>| {
            text.to_str().and_then(|text| text.parse().ok()).is_some_and(|number| range.contains(&number))
        };
        match self {
            Self::Words(words) => words.iter().any(|(word, _)| is(word)),
            Self::Switch => is("on") || is(OFF),
            Self::Number(range) => is_in(range),
            Self::NumberOrOff(range) => is(OFF) || is_in(range),
            // Whether it has the form, who reads it says.
            Self::Form(_) | Self::Text | Self::File | Self::Button => true,
        }
    }

    /// What a key of this kind takes, in words.
    pub fn expected(&self) -> String {
        let within = |range: &RangeInclusive<i64>| format!("a number from {} to {}", range.start(), range.end());
        match self {
            Self::Words(words) => {
                let words: Vec<_> = words.iter().map(|(word, _)| *word).collect();
                format!("one of {}", words.join(", "))
            }
            Self::Switch => format!("one of on, {OFF}"),
            Self::Number(range) => within(range),
            Self::NumberOrOff(range) => format!("{OFF} or {}", within(range)),
            Self::Form(form) => form.clone(),
            Self::Text | Self::File => "a text".to_owned(),
            Self::Button => "nothing".to_owned(),
        }
    }
}

/// A type of the values of keys.
pub trait Value: Sized {
    /// The kind of a key of this type; `range` limits numbers.
    fn kind(range: Option<RangeInclusive<i64>>) -> Kind;

    /// The value of a text that the kind admits.
    fn read(text: &OsStr) -> Option<Self>;

    /// The text of the value.
    fn text(&self) -> String;

    /// The file that the value names.
    fn path(&self) -> Option<&Path> {
        None
    }
}

/// A key of the settings `S`. `M` is what else its row says.
pub struct Key<S: 'static, M: 'static> {
    /// Its name.
    pub name: &'static str,
    /// What stands for its value in help: `KIND`, `FILE`, `MB`.
    pub value_name: &'static str,
    /// What it is for.
    pub help: &'static str,
    /// Which texts it takes.
    pub kind: fn() -> Kind,
    /// The text of its value.
    pub text: fn(&S) -> String,
    /// The file that its value names.
    pub path: fn(&S) -> Option<&Path>,
    /// Sets it to the value of a text that its kind admits.
    pub read: fn(&mut S, &OsStr) -> Option<()>,
    /// What else its row says.
    pub more: M,
}

impl<S: Default, M> Key<S, M> {
    /// Sets the key from its text; an error says what it takes instead, and nothing is changed then.
    ///
    /// # Errors
    /// If the key cannot have this value.
    pub fn set(&self, settings: &mut S, text: impl AsRef<OsStr>) -> Result<(), String> {
        let (kind, text) = ((self.kind)(), text.as_ref());
        let set = kind.admits(text).then(|| (self.read)(settings, text)).flatten();
        set.ok_or_else(|| kind.expected())
    }

    /// The text of its default.
    pub fn default(&self) -> String {
        (self.text)(&S::default())
    }
}

/// Makes a structure of settings, with its defaults, and the table of its keys. A row is
/// `"name" = "VALUE", field: type = default, [in range,] more;` below its help.
#[macro_export]
macro_rules! keys {
    ($(#[$meta:meta])* $settings:ident, $table:ident: $more_type:ty;
     $($(#[doc = $help:literal])+ $name:literal = $value:literal, $field:ident: $type:ty = $default:expr
       $(, in $range:expr)?, $more:expr;)+) => {
        $(#[$meta])*
        #[derive(Debug, Clone)]
        pub struct $settings {
            $($(#[doc = $help])+ pub $field: $type,)+
        }

        impl Default for $settings {
            fn default() -> Self {
                Self { $($field: $default,)+ }
            }
        }

        /// Every key, in the order in which they are shown.
        pub static $table: &[$crate::keys::Key<$settings, $more_type>] = &[$($crate::keys::Key {
            name: $name,
            value_name: $value,
            help: concat!($($help),+),
            kind: || <$type as $crate::keys::Value>::kind(None$(.or(Some($range)))?),
            text: |settings| $crate::keys::Value::text(&settings.$field),
            path: |settings| $crate::keys::Value::path(&settings.$field),
            read: |settings, text| $crate::keys::Value::read(text).map(|value| settings.$field = value),
            more: $more,
        }),+];
    };
}

/// Choices are set by their words.
#[macro_export]
macro_rules! choice_values {
    ($($type:ty),+) => {
        $(impl $crate::keys::Value for $type {
            fn kind(_: Option<std::ops::RangeInclusive<i64>>) -> $crate::keys::Kind {
                let words = <Self as $crate::choice::Choice>::ALL.iter().map(|row| (row.1, row.2));
                $crate::keys::Kind::Words(words.collect())
            }

            fn read(text: &std::ffi::OsStr) -> Option<Self> {
                $crate::choice::Choice::from_word(text.to_str()?).ok()
            }

            fn text(&self) -> String {
                $crate::choice::Choice::word(*self).to_owned()
            }
        })+
    };
}

macro_rules! number_values {
    ($($type:ty),+) => {
        $(impl Value for $type {
            fn kind(range: Option<RangeInclusive<i64>>) -> Kind {
                Kind::Number(range.unwrap_or(0..=i64::MAX))
            }

            fn read(text: &OsStr) -> Option<Self> {
                text.to_str()?.parse().ok()
            }

            fn text(&self) -> String {
                self.to_string()
            }
        })+
    };
}

number_values!(u32, i32, u64, usize);

impl Value for bool {
    fn kind(_: Option<RangeInclusive<i64>>) -> Kind {
        Kind::Switch
    }

    fn read(text: &OsStr) -> Option<Self> {
        Self::from_word(text.to_str()?).ok()
    }

    fn text(&self) -> String {
        self.word().to_owned()
    }
}

/// `None` is written `off`.
impl Value for Option<u32> {
    fn kind(range: Option<RangeInclusive<i64>>) -> Kind {
        Kind::NumberOrOff(range.unwrap_or(0..=u32::MAX.into()))
    }

    fn read(text: &OsStr) -> Option<Self> {
        if text.eq_ignore_ascii_case(OFF) { Some(None) } else { Value::read(text).map(Some) }
    }

    fn text(&self) -> String {
        self.map_or(OFF.to_owned(), |number| number.to_string())
    }
}

/// Fractions are written in hundredths.
impl Value for f64 {
    fn kind(range: Option<RangeInclusive<i64>>) -> Kind {
        Kind::Number(range.unwrap_or(0..=100))
    }

    fn read(text: &OsStr) -> Option<Self> {
        Some(Self::from(<i32 as Value>::read(text)?) / 100.0)
    }

    /// A negative zero is written without its sign.
    fn text(&self) -> String {
        format!("{:.0}", 100.0 * self + 0.0)
    }
}

/// `None` is written [`EMPTY`].
impl Value for Option<PathBuf> {
    fn kind(_: Option<RangeInclusive<i64>>) -> Kind {
        Kind::File
    }

    fn read(text: &OsStr) -> Option<Self> {
        Some((!text.is_empty() && text != EMPTY).then(|| PathBuf::from(text)))
    }

    fn text(&self) -> String {
        self.as_ref().map_or(EMPTY.to_owned(), |path| path.display().to_string())
    }

    fn path(&self) -> Option<&Path> {
        self.as_deref()
    }
}

/// An empty text is written [`EMPTY`].
impl Value for String {
    fn kind(_: Option<RangeInclusive<i64>>) -> Kind {
        Kind::Text
    }

    fn read(text: &OsStr) -> Option<Self> {
        text.to_str().map(|text| if text == EMPTY { Self::new() } else { text.to_owned() })
    }

    fn text(&self) -> String {
        if self.is_empty() { EMPTY.to_owned() } else { self.clone() }
    }
}

/// A key without a value.
impl Value for () {
    fn kind(_: Option<RangeInclusive<i64>>) -> Kind {
        Kind::Button
    }

    fn read(_: &OsStr) -> Option<Self> {
        Some(())
    }

    fn text(&self) -> String {
        String::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    keys! {
        /// What the tests set.
        Settings, KEYS: char;
        /// How many
        "many" = "N", many: usize = 2, in 1..=5, 'a';
        /// Whether, and
        /// how
        "whether" = "on|off", whether: bool = true, 'b';
        /// At most
        "most" = "N", most: Option<u32> = None, in 10..=20, 'c';
        /// A part
        "part" = "N", part: f64 = 0.0, in -100..=100, 'd';
        /// Where
        "where" = "FILE", place: Option<PathBuf> = None, 'e';
    }

    /// The text of a key that was set.
    fn set(name: &str, text: &str) -> Result<String, String> {
        let key = KEYS.iter().find(|key| key.name == name).expect("a key");
        let mut settings = Settings::default();
        key.set(&mut settings, text).map(|()| (key.text)(&settings))
    }

    #[test]
    fn defaults_can_be_set_and_stay_what_they_are() {
        for key in KEYS {
            assert_eq!(set(key.name, &key.default()), Ok(key.default()), "{}", key.name);
        }
        let defaults: Vec<_> = KEYS.iter().map(Key::default).collect();
        assert_eq!(defaults, ["2", "on", "off", "0", EMPTY]);
        assert_eq!((KEYS[1].help.trim(), KEYS[1].more), ("Whether, and how", 'b'));
    }

    #[test]
    fn values_that_a_key_does_not_take_are_refused() {
        assert_eq!(set("many", "6"), Err("a number from 1 to 5".to_owned()));
        assert_eq!(set("whether", "true"), Err("one of on, off".to_owned()));
        assert_eq!(set("most", "9"), Err("off or a number from 10 to 20".to_owned()));
        assert_eq!((set("most", "OFF"), set("most", "11")), (Ok("off".to_owned()), Ok("11".to_owned())));
        assert_eq!(set("part", "-50"), Ok("-50".to_owned()));
        assert_eq!((set("part", "-0"), set("part", "101").is_err()), (Ok("0".to_owned()), true));
        assert_eq!((set("where", ""), set("where", "a b")), (Ok(EMPTY.to_owned()), Ok("a b".to_owned())));
    }
}

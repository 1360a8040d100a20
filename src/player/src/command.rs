//! How an engine program is started, and how long to wait for its answers.

use crate::Fault;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// An engine program: how it is started and set up.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EngineCommand {
    /// A path, or a name that is searched in `PATH`.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// The UCI options to set, as name and value, in this order; the value of a button is empty.
    pub options: Vec<(String, String)>,
    /// Its working directory; `None` for ours. A relative `program` always starts at ours.
    pub directory: Option<PathBuf>,
}

impl EngineCommand {
    /// Reads a program and its arguments as a shell would split them: `gnuchess --uci`, `'my engine' -q`.
    ///
    /// # Errors
    /// If a quote is not closed, or the text is empty.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        let words = shlex::split(text).ok_or_else(|| Fault::Start(format!("a quote is not closed in '{text}'")))?;
        let mut words = words.into_iter();
        match words.next() {
            Some(program) if !program.is_empty() => Ok(Self { program, args: words.collect(), ..Self::default() }),
            _ => Err(Fault::Start(format!("'{text}' does not name a program"))),
        }
    }

    /// Splits words that describe an engine into those of its command and its settings: `stockfish -q option.Hash=16`. The command is
    /// what stands before the first setting, or the value of `cmd=`.
    ///
    /// # Errors
    /// If a quote is not closed.
    pub fn split(text: &str, is_setting: impl Fn(&str) -> bool) -> Result<Vec<String>, Fault> {
        let words = shlex::split(text).ok_or_else(|| Fault::Start(format!("a quote is not closed in '{text}'")))?;
        let end = words.iter().position(|word| word.starts_with("cmd=") || word == "okapi" || is_setting(word));
        let (command, settings) = words.split_at(end.unwrap_or(words.len()));
        if command.is_empty() {
            return Ok(words);
        }
        let joined = shlex::try_join(command.iter().map(String::as_str))
            .map_err(|_| Fault::Start(format!("'{text}' has a character that no program takes")))?;
        Ok(std::iter::once(format!("cmd={joined}")).chain(settings.iter().cloned()).collect())
    }

    /// Adds a UCI option to set.
    #[must_use]
    pub fn with_option(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.options.push((name.into(), value.into()));
        self
    }

    /// The program's name without its folder.
    pub(crate) fn short_name(&self) -> &str {
        self.program.rsplit(['/', std::path::MAIN_SEPARATOR]).next().unwrap_or(&self.program)
    }
}

/// The program and its arguments as typed in a shell, then the options in parentheses: `fruit -q (Hash=16)`.
impl fmt::Display for EngineCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Only a NUL cannot be quoted, and an argument cannot contain one.
        let quote = |word: &str| shlex::try_quote(word).map_or_else(|_| word.to_owned(), |quoted| quoted.into_owned());
        write!(f, "{}", quote(&self.program))?;
        self.args.iter().try_for_each(|arg| write!(f, " {}", quote(arg)))?;
        if self.options.is_empty() {
            return Ok(());
        }
        let options: Vec<String> = self.options.iter().map(|(name, value)| format!("{name}={value}")).collect();
        write!(f, " ({})", options.join(", "))
    }
}

/// How long to wait for an engine's answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// From the start of the program to `uciok`; default 5 s.
    pub start: Duration,
    /// From `isready` to `readyok` after setting options or `ucinewgame`, when the engine may load a network or clear its
    /// table; default 30 s.
    pub ready: Duration,
    /// Beyond the time limit of a search, before `stop` is sent; also for `readyok` between moves; default 5 s.
    pub grace: Duration,
    /// Without any output in a search without a time limit, before `stop` is sent; default 300 s.
    pub search: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            start: Duration::from_secs(5),
            ready: Duration::from_secs(30),
            grace: Duration::from_secs(5),
            search: Duration::from_secs(300),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_alone_and_with_settings_is_read_as_cmd() {
        let split = |text: &str| {
            EngineCommand::split(text, |word| word.starts_with("option.") || word.starts_with("nodes=")).unwrap()
        };
        assert_eq!(split("stockfish"), ["cmd=stockfish"]);
        assert_eq!(
            split("'my engine' -q --net=x option.Hash=16 nodes=5"),
            ["cmd='my engine' -q '--net=x'", "option.Hash=16", "nodes=5"]
        );
        assert_eq!(split("cmd='a -b' nodes=5"), ["cmd=a -b", "nodes=5"]);
        assert_eq!(split("nodes=5 cmd=a"), ["nodes=5", "cmd=a"]);
        assert!(EngineCommand::split("'a", |_| false).is_err());
    }

    #[test]
    fn commands_are_split_like_a_shell_and_their_text_parses_again() {
        let command = EngineCommand::parse(r#" "my engine"  --uci 'a b' c\ d "#).unwrap();
        assert_eq!(command.program, "my engine");
        assert_eq!(command.args, ["--uci", "a b", "c d"]);
        assert_eq!(EngineCommand::parse(&command.to_string()).unwrap(), command);
        let command = EngineCommand::parse("/usr/games/fruit").unwrap().with_option("Hash", "16");
        assert_eq!(command.short_name(), "fruit");
        assert_eq!(command.to_string(), "/usr/games/fruit (Hash=16)");
    }

    #[test]
    fn commands_without_a_program_are_errors() {
        let error = |text| EngineCommand::parse(text).unwrap_err().to_string();
        assert_eq!(error("fruit 'x"), "cannot be started: a quote is not closed in 'fruit 'x'");
        assert_eq!(error("  "), "cannot be started: '  ' does not name a program");
        assert_eq!(error("''"), "cannot be started: '''' does not name a program");
    }
}

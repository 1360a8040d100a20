//! How an engine is started: its program, arguments, options and folder, and how long its answers are waited for.

use crate::Fault;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// How an engine is started and set up.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Command {
    /// The program: a path, or a name to be looked for in `PATH`.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// The UCI options to set, name and value, in this order; a button's value is empty.
    pub options: Vec<(String, String)>,
    /// The folder it runs in; `None` for ours. A relative `program` is looked for from ours in any case.
    pub directory: Option<PathBuf>,
}

impl Command {
    /// Reads a program and its arguments as a shell would split them: `gnuchess --uci`, `'my engine' -q`.
    ///
    /// # Errors
    /// If a quote is left open, or no program is named.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        let words = shlex::split(text).ok_or_else(|| Fault::Start(format!("a quote is left open in '{text}'")))?;
        let mut words = words.into_iter();
        match words.next() {
            Some(program) if !program.is_empty() => Ok(Self { program, args: words.collect(), ..Self::default() }),
            _ => Err(Fault::Start(format!("no program is named in '{text}'"))),
        }
    }

    /// The same with one more UCI option to set.
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

/// The program and its arguments as one would type them, then the options in brackets: `fruit -q (Hash=16)`.
impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Only a NUL cannot be quoted, and no argument of a program can have one.
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

/// How long an engine's answers are waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// From its start to `uciok`.
    pub start: Duration,
    /// From `isready` to `readyok` after it was set up or told of a new game: it may be loading a net or clearing a table.
    pub ready: Duration,
    /// Beyond the time that a search was given, before it is told to stop; also for `readyok` between moves.
    pub grace: Duration,
    /// Without a word in a search that has no limit of time, before it is told to stop.
    pub search: Duration,
}

impl Default for Patience {
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
    fn a_command_is_split_as_a_shell_splits_it_and_written_so_that_it_splits_again() {
        let command = Command::parse(r#" "my engine"  --uci 'a b' c\ d "#).unwrap();
        assert_eq!(command.program, "my engine");
        assert_eq!(command.args, ["--uci", "a b", "c d"]);
        assert_eq!(Command::parse(&command.to_string()).unwrap(), command);
        let command = Command::parse("/usr/games/fruit").unwrap().with_option("Hash", "16");
        assert_eq!(command.short_name(), "fruit");
        assert_eq!(command.to_string(), "/usr/games/fruit (Hash=16)");
    }

    #[test]
    fn a_command_without_a_program_gets_a_sentence() {
        let error = |text| Command::parse(text).unwrap_err().to_string();
        assert_eq!(error("fruit 'x"), "cannot be started: a quote is left open in 'fruit 'x'");
        assert_eq!(error("  "), "cannot be started: no program is named in '  '");
        assert_eq!(error("''"), "cannot be started: no program is named in ''''");
    }
}

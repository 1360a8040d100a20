//! Answers saved as they come, in a journal whose header says which run they belong to: the suite, the limits, the
//! engines and what exactly plays.

use crate::result::PositionResult;
use crate::run::{Answer, RunSettings, SuiteEngine};
use crate::suite::Suite;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::path::Path;
use support::journal::{Form, Journal, JournalError, LineHeader, PartOfRecord};

/// The version of the file format.
const SCHEMA: u32 = 1;

/// What such a file is. Answers are ordered by engine, repetition and line, as one process makes them.
pub const FORM: Form = Form {
    what: "a file of saved answers",
    mark: "{\"saved_answers\":",
    numbers: &["/engine", "/answer/repetition", "/answer/line"],
    recorded: &[],
};

/// The header: everything that can change an answer. Themes, lines, repetitions and concurrency may differ when a run is
/// resumed. The names are part of the file format.
#[derive(Serialize)]
struct AnswersHeader<'a> {
    saved_answers: u32,
    suite_sha256: &'a str,
    limits: String,
    engines: Vec<&'a str>,
    /// What plays, for each engine; files written by older versions lack it.
    programs: Vec<&'a str>,
}

/// One saved answer.
#[derive(Serialize, Deserialize)]
struct AnswerRecord<A> {
    /// The index of the engine.
    engine: usize,
    answer: A,
}

/// A file of saved answers that is open for writing.
#[derive(Debug)]
pub struct SavedAnswers(Journal);

impl SavedAnswers {
    /// Opens or creates the file of a part of the run and reads its answers. With `mixed`, answers of other engine versions are
    /// accepted.
    ///
    /// # Errors
    /// If the file cannot be used, another run uses it, a line is damaged, or it belongs to another run. The file is then
    /// left as it is.
    pub fn open(
        path: &Path,
        suite: &Suite,
        engines: &[SuiteEngine],
        settings: &RunSettings,
        part: PartOfRecord,
        mixed: bool,
    ) -> Result<(Self, Vec<Answer>), JournalError> {
        let header = AnswersHeader {
            saved_answers: SCHEMA,
            suite_sha256: &suite.sha256,
            limits: settings.limits_in_words(),
            engines: engines.iter().map(|engine| engine.command.as_str()).collect(),
            programs: engines.iter().map(|engine| engine.program.as_str()).collect(),
        };
        let mut answers = Vec::new();
        let header = LineHeader {
            what: FORM.what,
            mark: FORM.mark,
            line: part.header(&json(&header)),
            mixable: &["engines", "programs"],
        };
        let journal = Journal::open(path, &header, mixed, &mut |line| {
            let record: AnswerRecord<PositionResult> = serde_json::from_str(line).map_err(|error| error.to_string())?;
            answers.push((record.engine, record.answer));
            Ok(())
        })?;
        Ok((Self(journal), answers))
    }

    /// Saves one answer; when this returns, it is on the disk.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn add(&mut self, engine: usize, answer: &PositionResult) -> Result<(), JournalError> {
        self.0.append(&[json(&AnswerRecord { engine, answer })])
    }

    /// What made the answers, if it was not always the same: one text per header of the file, the oldest first.
    pub fn mixed_from(&self) -> Vec<String> {
        match self.0.headers() {
            [_] => Vec::new(),
            headers => headers.iter().map(|header| describe(header)).collect(),
        }
    }
}

/// What a header says of the engines.
fn describe(header: &str) -> String {
    let header: Map<String, Value> = serde_json::from_str(header).unwrap_or_default();
    let texts = |key: &str| -> Vec<&str> {
        header
            .get(key)
            .and_then(Value::as_array)
            .map_or(Vec::new(), |texts| texts.iter().filter_map(Value::as_str).collect())
    };
    let (engines, programs) = (texts("engines"), texts("programs"));
    let described = engines.iter().enumerate().map(|(index, engine)| match programs.get(index) {
        Some(program) => format!("{engine} ({program})"),
        None => format!("{engine} (unknown version)"),
    });
    described.collect::<Vec<_>>().join(", ")
}

fn json(value: &impl Serialize) -> String {
    // Infallible: structs of numbers and texts.
    serde_json::to_string(value).unwrap_or_default()
}

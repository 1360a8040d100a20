//! The finished analyses of a run, kept in a journal: an analysis is never lost, and the rules of points and themes can
//! change without searching again.

use super::analysis::Analysis;
use super::settings::AnalysisSettings;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::path::Path;
use support::journal::{Journal, JournalError, LineHeader};

/// One of the two searches of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pass {
    /// The short search that rejects most positions.
    Quick,
    /// The long search that gives the points.
    Deep,
}

/// A line of the file. The names are part of the file format.
#[derive(Serialize, Deserialize)]
struct AnalysisRecord {
    pass: Pass,
    epd: String,
    analysis: Analysis,
}

/// All finished analyses, in memory and optionally in a file.
#[derive(Debug, Default)]
pub struct SavedAnalyses {
    done: HashMap<(Pass, String), Analysis>,
    journal: Option<Journal>,
}

impl SavedAnalyses {
    /// No analyses, and no file.
    pub fn in_memory() -> Self {
        Self::default()
    }

    /// Opens or creates a file and reads its analyses. With `mixed`, analyses of another engine version are accepted.
    ///
    /// # Errors
    /// If the file cannot be used, another run uses it, a line is damaged, or it has analyses with other settings. The
    /// file is then left as it is.
    pub fn open(path: &Path, settings: &AnalysisSettings, mixed: bool) -> Result<Self, JournalError> {
        let mut done = HashMap::new();
        let header = LineHeader {
            what: "a file of saved analyses",
            mark: "{\"engine\":",
            line: json(settings),
            mixable: &["engine", "program"],
        };
        let journal = Journal::open(path, &header, mixed, &mut |line| {
            let record: AnalysisRecord = serde_json::from_str(line).map_err(|error| error.to_string())?;
            done.insert((record.pass, record.epd), record.analysis);
            Ok(())
        })?;
        Ok(Self { done, journal: Some(journal) })
    }

    /// The number of analyses.
    pub fn len(&self) -> usize {
        self.done.len()
    }

    /// Whether there are no analyses.
    pub fn is_empty(&self) -> bool {
        self.done.is_empty()
    }

    /// The settings of the analyses, if they were not always the same (`--mixed`): one text per version, the oldest first.
    pub fn mixed_from(&self) -> &[String] {
        let headers = self.journal.as_ref().map_or(&[][..], Journal::headers);
        if headers.len() > 1 { headers } else { &[] }
    }

    /// The analysis of a position, if it is done.
    pub fn get(&self, pass: Pass, epd: &str) -> Option<&Analysis> {
        self.done.get(&(pass, epd.to_owned()))
    }

    /// Adds an analysis, to the file first.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn add(&mut self, pass: Pass, epd: &str, analysis: Analysis) -> Result<(), JournalError> {
        if let Some(journal) = &mut self.journal {
            journal.append(&[json(&AnalysisRecord { pass, epd: epd.to_owned(), analysis: analysis.clone() })])?;
        }
        self.done.insert((pass, epd.to_owned()), analysis);
        Ok(())
    }
}

fn json(value: &impl Serialize) -> String {
    // Infallible: structs of numbers and texts.
    serde_json::to_string(value).unwrap_or_default()
}

//! The answers as CSV.

use super::error::ReportError;
use crate::result::SuiteResult;
use std::io;

const HEADER: [&str; 11] =
    ["engine", "repetition", "line", "id", "theme", "played", "points", "maximum", "nodes", "seconds", "fault"];

/// A header, then one row per engine, repetition and position; unknown values are empty (RFC 4180, but with LF line
/// ends).
///
/// # Errors
/// If the writer fails; in memory it does not.
pub fn csv(result: &SuiteResult) -> Result<String, ReportError> {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    writer.write_record(HEADER)?;
    for engine in &result.engines {
        for position in &engine.positions {
            writer.write_record([
                engine.engine.as_str(),
                &position.repetition.to_string(),
                &position.line.to_string(),
                &position.id,
                &position.theme,
                position.played.as_deref().unwrap_or_default(),
                &position.points.to_string(),
                &position.maximum.to_string(),
                &position.nodes.map(|nodes| nodes.to_string()).unwrap_or_default(),
                &format!("{:.6}", position.seconds),
                position.fault.as_deref().unwrap_or_default(),
            ])?;
        }
    }
    let bytes = writer.into_inner().map_err(|error| ::csv::Error::from(error.into_error()))?;
    Ok(String::from_utf8(bytes).map_err(|error| ::csv::Error::from(io::Error::other(error)))?)
}

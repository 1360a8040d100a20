//! Every answer as a line of CSV.

use super::ReportError;
use crate::outcome::Outcome;
use std::io;

const HEADER: [&str; 11] =
    ["engine", "repetition", "line", "id", "theme", "played", "points", "maximum", "nodes", "seconds", "fault"];

/// A heading, then one line for each engine, repetition and position, with what is unknown left empty (RFC 4180, but
/// with line feeds alone).
///
/// # Errors
/// If the writer fails, which for a text in memory is a defect of its own.
pub fn csv(outcome: &Outcome) -> Result<String, ReportError> {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    writer.write_record(HEADER)?;
    for engine in &outcome.engines {
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

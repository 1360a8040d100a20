//! The answers as CSV.

use crate::result::SuiteResult;

const HEADER: [&str; 11] =
    ["engine", "repetition", "line", "id", "theme", "played", "points", "maximum", "nodes", "seconds", "fault"];

/// A header, then one row per engine, repetition and position; unknown values are empty (RFC 4180, but with LF line
/// ends).
///
/// # Errors
/// If the writer fails; in memory it does not.
pub fn csv(result: &SuiteResult) -> anyhow::Result<String> {
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
    Ok(String::from_utf8(writer.into_inner()?)?)
}

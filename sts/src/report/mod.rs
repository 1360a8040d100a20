//! Reports of a run: a [`table`](table()) for a terminal, [`json`](json()), [`csv`](csv()), [`markdown`](markdown()), an
//! [`svg`](svg()) chart, a comparison of two runs ([`compare`](compare())), and a [`Curve`] of several.
//!
//! Every report is made from a [`SuiteResult`](crate::result::SuiteResult) alone. [`summary`] computes the sums for all of
//! them, [`rating`] estimates a rating. Names come from files and engines: control characters are shown as `�`, and
//! each format escapes its special characters.

mod compare;
mod csv;
mod curve;
mod failures;
mod grid;
mod json;
mod layout;
mod markdown;
mod paired;
pub mod rating;
pub mod statistics;
pub mod summary;
mod svg;
mod table;
mod text;

pub use self::{
    compare::compare,
    csv::csv,
    curve::Curve,
    failures::failures,
    json::{SCHEMA, json, read_json},
    markdown::markdown,
    svg::svg,
    table::table,
};

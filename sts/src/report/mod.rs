//! What a run found, told in every form: a [`table`](table()) for a terminal, [`json`](json()), [`csv`](csv()),
//! [`markdown`](markdown()), an [`svg`](svg()) drawing, and a comparison of two runs ([`compare`](compare())).
//!
//! Each form is made from an [`Outcome`](crate::outcome::Outcome) alone; [`summary`] does the sums for all of them, and
//! [`rating`] turns points into an estimate on a rating scale. Names come from files and from engines, so control
//! characters in them are shown as `�`, and each form escapes what means something in it.

mod compare;
mod csv;
mod error;
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
    error::ReportError,
    json::{SCHEMA, json, read_json},
    markdown::markdown,
    svg::svg,
    table::table,
};

//! Contempt: what a draw is worth against weaker and stronger opponents.
//!
//! `contempt.txt` has the worth by the advantage in Elo at which a fit to matches has the most points
//! (tests/tools/contempt_table.py; MEASUREMENTS.md says how surely). Between its rows the worth is interpolated; beyond them it is that of the nearest.

use crate::measured_table::{interpolated, rows};
use std::sync::OnceLock;

/// The measured rows: advantage and worth.
static TABLE: &str = include_str!("../contempt.txt");

/// What a draw is worth, from -1 (as a loss) to 1 (as a win), against an opponent who is weaker by this many Elo (stronger, if negative).
pub fn contempt(advantage: f64) -> f64 {
    static ROWS: OnceLock<Vec<(f64, f64)>> = OnceLock::new();
    interpolated(ROWS.get_or_init(|| rows(TABLE)).iter().copied(), advantage)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measured_table::assert_of_shipped_networks;

    #[test]
    fn the_table_was_measured_with_the_shipped_networks() {
        assert_of_shipped_networks(TABLE, "contempt.txt", "contempt_table.py");
    }

    #[test]
    fn draws_are_worth_less_the_weaker_the_opponent_and_half_a_win_against_an_equal() {
        let rows = rows(TABLE);
        assert!(rows.len() > 4 && rows.is_sorted_by(|a, b| a.0 < b.0 && a.1 >= b.1), "{rows:?}");
        assert!(rows.iter().all(|row| row.1.abs() <= 1.0));
        assert_eq!(contempt(0.0), 0.0);
        assert_eq!(contempt(1e6), rows[rows.len() - 1].1);
        assert_eq!(contempt(-1e6), rows[0].1);
        assert!(contempt(200.0) < 0.0 && contempt(-200.0) > 0.0);
    }
}

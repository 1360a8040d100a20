//! The rows of the table: the first, the last, the best, and some between.

use crate::learn::run::log::Row;

/// About as many rows as a table of a page may have.
const ROWS: usize = 20;

/// A row of the log that is worth a line.
pub(super) struct Milestone {
    pub row: Row,
    /// Whether no other row has a higher score in the Strategic Test Suite.
    pub best: bool,
}

/// The milestones of a log: rows with a score if there are any, else any rows, evenly chosen.
pub(super) fn milestones(rows: &[Row]) -> Vec<Milestone> {
    let last = rows.len().saturating_sub(1);
    let best = (0..rows.len()).filter(|at| rows[*at].sts.is_some()).max_by(|a, b| {
        // Of equals the earlier.
        rows[*a].sts.unwrap_or_default().total_cmp(&rows[*b].sts.unwrap_or_default()).then(b.cmp(a))
    });
    let scored: Vec<usize> = (0..rows.len()).filter(|at| rows[*at].sts.is_some()).collect();
    let candidates = if scored.is_empty() { (0..rows.len()).collect() } else { scored };
    let step = candidates.len().div_ceil(ROWS).max(1);
    let mut chosen: Vec<usize> = candidates.into_iter().step_by(step).chain(best).chain([0, last]).collect();
    chosen.sort_unstable();
    chosen.dedup();
    chosen
        .into_iter()
        .filter_map(|at| rows.get(at).map(|row| Milestone { row: *row, best: best == Some(at) }))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(scores: &[Option<f64>]) -> Vec<Row> {
        scores.iter().zip(1..).map(|(sts, iteration)| Row { iteration, sts: *sts, ..Row::default() }).collect()
    }

    fn iterations(rows: &[Row]) -> Vec<u64> {
        milestones(rows).iter().map(|milestone| milestone.row.iteration).collect()
    }

    #[test]
    fn first_last_and_scored_rows_are_milestones() {
        assert_eq!(iterations(&log(&[None, Some(5.0), None, Some(9.0), None, Some(9.0), None])), [1, 2, 4, 6, 7]);
        let best: Vec<bool> = milestones(&log(&[Some(5.0), Some(9.0), Some(9.0)])).iter().map(|m| m.best).collect();
        assert_eq!(best, [false, true, false]);
        assert_eq!(iterations(&log(&[None])), [1]);
        assert!(iterations(&[]).is_empty());
    }

    #[test]
    fn a_long_log_has_few_milestones_and_the_best_among_them() {
        let mut scores = vec![Some(1.0); 5_000];
        scores[4_321] = Some(2.0);
        let rows = log(&scores);
        let found = iterations(&rows);
        assert!(found.len() <= ROWS + 2 && found.contains(&4_322), "{found:?}");
        assert_eq!((found.first(), found.last()), (Some(&1), Some(&5_000)));
    }
}

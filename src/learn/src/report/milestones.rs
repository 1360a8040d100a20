//! The rows of the table: the first, the last, the best, and some between.

use crate::report::report_kinds::{Kind, Record};

/// About as many rows as a table of a page may have.
const ROWS: usize = 20;

/// A row of the log that is worth a line.
pub(crate) struct Milestone<'a> {
    pub record: &'a Record,
    /// Whether no other row is better by the kind's measure.
    pub best: bool,
}

/// The milestones of a log: rows with the kind's measure if there are any, else any rows, evenly chosen.
pub(crate) fn milestones<'a>(kind: &Kind, records: &'a [Record]) -> Vec<Milestone<'a>> {
    let last = records.len().saturating_sub(1);
    let (column, highest, _) = kind.best;
    let score = |at: usize| records[at].get(column).map(|score| if highest { *score } else { -score });
    let scored: Vec<usize> = (0..records.len()).filter(|at| score(*at).is_some()).collect();
    // Of equals the earlier.
    let best = scored
        .iter()
        .copied()
        .max_by(|a, b| score(*a).unwrap_or_default().total_cmp(&score(*b).unwrap_or_default()).then(b.cmp(a)));
    let candidates = if scored.is_empty() { (0..records.len()).collect() } else { scored };
    let step = candidates.len().div_ceil(ROWS).max(1);
    let mut chosen: Vec<usize> = candidates.into_iter().step_by(step).chain(best).chain([0, last]).collect();
    chosen.sort_unstable();
    chosen.dedup();
    let milestone = |at: usize| records.get(at).map(|record| Milestone { record, best: best == Some(at) });
    chosen.into_iter().filter_map(milestone).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::report_kinds::{TD_LEAF, records};
    use crate::tasks::td_leaf::td_leaf_log::Row;

    fn log(scores: &[Option<f64>]) -> Vec<Record> {
        let row = |(sts, iteration): (&Option<f64>, u64)| Row { iteration, sts: *sts, ..Row::default() };
        records(&scores.iter().zip(1..).map(row).collect::<Vec<_>>())
    }

    fn iterations(records: &[Record]) -> Vec<u64> {
        milestones(&TD_LEAF, records).iter().map(|milestone| milestone.record["iteration"] as u64).collect()
    }

    #[test]
    fn first_last_and_scored_rows_are_milestones() {
        assert_eq!(iterations(&log(&[None, Some(5.0), None, Some(9.0), None, Some(9.0), None])), [1, 2, 4, 6, 7]);
        let best: Vec<bool> =
            milestones(&TD_LEAF, &log(&[Some(5.0), Some(9.0), Some(9.0)])).iter().map(|m| m.best).collect();
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

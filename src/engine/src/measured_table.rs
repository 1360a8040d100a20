//! Tables that programs of tests/tools measure and write: two numbers a line, of which the first rises; lines with `#` are comments.

/// The rows of a table.
pub fn rows(text: &str) -> Vec<(f64, f64)> {
    let row = |line: &str| {
        let (x, value) = line.split_once(' ')?;
        Some((x.trim().parse().ok()?, value.trim().parse().ok()?))
    };
    text.lines().filter(|line| !line.starts_with('#')).filter_map(row).collect()
}

/// The value at `x` of the line through points of rising x; beyond them the value of the nearest.
pub fn interpolated(points: impl Iterator<Item = (f64, f64)>, x: f64) -> f64 {
    let mut last: Option<(f64, f64)> = None;
    for (right, value) in points {
        if x <= right {
            return last.map_or(value, |(left, from)| from + (value - from) * (x - left) / (right - left));
        }
        last = Some((right, value));
    }
    last.map_or(0.0, |(_, value)| value)
}

/// That a table names the networks that ship as those that it was measured with.
#[cfg(test)]
pub fn assert_of_shipped_networks(text: &str, table: &str, tool: &str) {
    use crate::shipped::{SHIPPED_POLICY_NET, SHIPPED_VALUE_NET};
    for bytes in [SHIPPED_VALUE_NET, SHIPPED_POLICY_NET] {
        let name = crate::provenance::net_name(bytes).unwrap();
        assert!(text.contains(&name), "{table} is not of the network {name}: tests/tools/{tool}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_between_rows_lie_on_lines() {
        let rows = rows("# x value\n0 1\n2 5\n4 -1\n");
        assert_eq!(rows, [(0.0, 1.0), (2.0, 5.0), (4.0, -1.0)]);
        let at = |x| interpolated(rows.iter().copied(), x);
        assert_eq!([-1.0, 0.0, 0.5, 2.0, 3.0, 9.0].map(at), [1.0, 1.0, 2.0, 5.0, 2.0, -1.0]);
        assert_eq!(interpolated([].into_iter(), 1.0), 0.0);
    }
}

//! Numbers as a reader of the page wants them.

/// With this number of decimals.
pub(crate) fn decimals(number: f64, decimals: usize) -> String {
    format!("{number:.decimals$}")
}

/// Rounded, with a comma before every three digits.
pub(crate) fn grouped(number: f64) -> String {
    let digits = format!("{:.0}", number.abs());
    let mut text = String::from(if number <= -0.5 { "-" } else { "" });
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Seconds as hours and minutes.
pub(crate) fn duration(seconds: f64) -> String {
    let minutes = (seconds / 60.0) as u64;
    match minutes {
        0 => format!("{seconds:.0} s"),
        1..60 => format!("{minutes} min"),
        _ => format!("{} h {:02} min", minutes / 60, minutes % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        for (number, text) in
            [(0.0, "0"), (999.6, "1,000"), (1_234_567.0, "1,234,567"), (-1_000.0, "-1,000"), (-0.2, "0")]
        {
            assert_eq!(grouped(number), text);
        }
        assert_eq!([59.4, 60.0, 3_599.0, 3_660.0].map(duration), ["59 s", "1 min", "59 min", "1 h 01 min"]);
    }
}

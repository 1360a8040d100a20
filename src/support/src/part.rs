//! A part of a job that is cut by number, `k/K` on the command line: what has number n, from 0, belongs to the part k = n mod K + 1.
//! So any number of processes, on any machines, make disjoint parts of one result, and nothing of a part depends on the others.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The most parts of a job.
const MOST: u64 = 1_000_000;

/// Part k of K.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Part {
    // First, so that parts of the same whole are ordered by number.
    of: u64,
    number: u64,
}

impl Part {
    /// Everything: part 1 of 1.
    pub const WHOLE: Self = Self { of: 1, number: 1 };

    /// Is it everything?
    pub fn is_whole(self) -> bool {
        self.of == 1
    }

    /// How many parts there are.
    pub fn of(self) -> u64 {
        self.of
    }

    /// The lowest number that belongs to it, from 0.
    pub fn first(self) -> u64 {
        self.number - 1
    }

    /// Whether the number `n`, from 0, belongs to it.
    pub fn has(self, n: u64) -> bool {
        n % self.of == self.first()
    }

    /// How many of the numbers below `all` belong to it.
    pub fn count(self, all: u64) -> u64 {
        (all + self.of - self.number) / self.of
    }

    /// All parts of the whole that this is one of, in their order.
    pub fn all(self) -> impl Iterator<Item = Self> {
        (1..=self.of).map(move |number| Self { number, ..self })
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl FromStr for Part {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (number, of) = text.split_once('/').ok_or("expected k/K, such as 1/4")?;
        match (number.parse(), of.parse()) {
            (Ok(number), Ok(of)) if (1..=of).contains(&number) && of <= MOST => Ok(Self { of, number }),
            _ => Err(format!("expected k/K with 1 <= k <= K <= {MOST}, such as 1/4")),
        }
    }
}

impl From<Part> for String {
    fn from(part: Part) -> Self {
        part.to_string()
    }
}

impl TryFrom<String> for Part {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_every_number_once() {
        for of in [1, 2, 7] {
            let parts: Vec<Part> = Part { of, number: 1 }.all().collect();
            for all in 0..30 {
                let counts = parts.iter().map(|part| part.count(all)).sum::<u64>();
                assert_eq!(counts, all, "{of} parts of {all}");
                assert!(parts.iter().all(|part| part.count(all) == (0..all).filter(|n| part.has(*n)).count() as u64));
            }
        }
        assert!(Part::WHOLE.is_whole() && Part::WHOLE.has(5));
    }

    #[test]
    fn words_are_read_and_wrong_ones_named() {
        assert_eq!("2/3".parse::<Part>().unwrap().to_string(), "2/3");
        for wrong in ["", "2", "0/3", "4/3", "-1/3", "1/0", "1/2/3", "1/9999999"] {
            assert!(wrong.parse::<Part>().unwrap_err().contains("such as 1/4"), "{wrong}");
        }
    }
}

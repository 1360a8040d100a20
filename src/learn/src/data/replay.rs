//! Replay: the targets of the last iterations, learned from again against the present net's values.

use crate::data::example::Example;
use crate::data::tree_nodes::{bound_of, sign_of};
use board::Position;
use std::collections::VecDeque;
use std::fmt::Write;

/// The examples of the last iterations.
#[derive(Debug, Clone, Default)]
pub struct Replay {
    // Oldest first.
    batches: VecDeque<Vec<Example>>,
    keep: usize,
}

impl Replay {
    /// An empty replay, which keeps the examples of `keep` iterations.
    pub fn new(keep: usize) -> Self {
        Self { batches: VecDeque::new(), keep }
    }

    /// The kept examples, the oldest first.
    pub fn examples(&self) -> impl Iterator<Item = &Example> {
        self.batches.iter().flatten()
    }

    /// Keeps the examples of an iteration; their targets are compared with the values of the net at the time of replay.
    pub fn keep(&mut self, mut examples: Vec<Example>) {
        if self.keep == 0 {
            return;
        }
        examples.iter_mut().for_each(|example| example.value = None);
        if self.batches.len() == self.keep {
            self.batches.pop_front();
        }
        self.batches.push_back(examples);
    }

    /// One line per example, `bits of the target in hexadecimal, FEN`, and an empty line after each iteration. A node of a search
    /// tree has the sign of its bound before the FEN: `=`, `>` (a lower bound) or `<`.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for batch in &self.batches {
            for Example { position, target, bound, .. } in batch {
                let sign = bound.map_or(String::new(), |bound| format!("{} ", sign_of(bound)));
                // Writing to a String cannot fail.
                let _ = writeln!(text, "{:08x} {sign}{}", target.to_bits(), position.to_fen(true));
            }
            text.push('\n');
        }
        text
    }

    /// Reads what [`Replay::to_text`] wrote; `None` for anything else.
    pub fn from_text(keep: usize, text: &str) -> Option<Self> {
        let mut batches = VecDeque::new();
        let mut batch = Vec::new();
        for line in text.lines() {
            if line.is_empty() {
                batches.push_back(std::mem::take(&mut batch));
                continue;
            }
            let (bits, rest) = line.split_once(' ')?;
            let (bound, fen) = match rest.split_once(' ')? {
                (sign @ ("=" | ">" | "<"), fen) => (bound_of(sign.chars().next()?), fen),
                _ => (None, rest),
            };
            let target = f32::from_bits(u32::from_str_radix(bits, 16).ok()?);
            let position = Position::from_fen(fen).ok()?;
            if !(-1.0..=1.0).contains(&target) {
                return None;
            }
            batch.push(Example::new(position, target).of_bound(bound).with_features());
        }
        (batch.is_empty() && batches.len() <= keep).then_some(Self { batches, keep })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use search::Bound;

    fn batch(target: f32) -> Vec<Example> {
        vec![Example::new(Position::start(), target).compared_with(0.0)]
    }

    #[test]
    fn the_last_iterations_come_back_and_older_ones_go() {
        let mut replay = Replay::new(2);
        for step in 0_u8..4 {
            replay.keep(batch(f32::from(step) / 10.0));
            let targets: Vec<u8> = replay.examples().map(|example| (example.target * 10.0).round() as u8).collect();
            let expected: &[u8] = [&[0][..], &[0, 1], &[1, 2], &[2, 3]][usize::from(step)];
            assert_eq!(targets, expected);
            assert!(replay.examples().all(|example| example.value.is_none()));
        }
        let text = replay.to_text();
        assert_eq!(Replay::from_text(2, &text).map(|again| again.to_text()), Some(text.clone()));
        assert!(Replay::from_text(1, &text).is_none());
        for damaged in [&text[20..], &text[..text.len() - 1], "40000000 8/8/8/8/8/8/8/8 w - - 0 1\n\n"] {
            assert!(Replay::from_text(2, damaged).is_none(), "{damaged:?}");
        }
        let mut bounded = Replay::new(1);
        let bounds = [None, Some(Bound::Lower), Some(Bound::Exact), Some(Bound::Upper)];
        bounded.keep(bounds.map(|bound| Example::new(Position::start(), 0.5).of_bound(bound)).into());
        let again = Replay::from_text(1, &bounded.to_text()).unwrap();
        assert_eq!(again.examples().map(|example| example.bound).collect::<Vec<_>>(), bounds);
        assert!(Replay::from_text(1, &bounded.to_text().replace('>', "!")).is_none());
        let mut nothing = Replay::new(0);
        nothing.keep(batch(0.5));
        assert_eq!(nothing.examples().count(), 0);
    }
}

//! What trained a run: the build, which is recorded, and the training signature, which is compared. Builds with the same
//! training signature learn the same, bit for bit, so that any of them continues a run silently; a build with a
//! different one is refused unless the user allows the mixture.

use serde::{Deserialize, Serialize};
use support::hash::short_sha256;

/// Hashes of nets that tiny fixed trainings give; a test compares them.
const SIGNATURES: &str = include_str!("../../signature.txt");

/// What trained a part of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trainer {
    /// Iterations or epochs that were done before this part.
    #[serde(rename = "after")]
    pub after: u64,
    /// Version and, if it is known, commit.
    #[serde(rename = "build")]
    pub build: String,
    /// The hash of its training signature.
    #[serde(rename = "training_signature")]
    pub signature: String,
}

/// What trained a run, part by part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct History(Vec<Trainer>);

/// The hash of this program's training signature.
pub fn training_signature() -> String {
    short_sha256(SIGNATURES.as_bytes())
}

/// This program and its version and, if the build knows it, commit.
pub fn build() -> String {
    format!("okapi {}", engine::provenance::build())
}

impl History {
    /// The history of a new run.
    pub fn begin() -> Self {
        Self(vec![this(0)])
    }

    /// The history of a run that this program continues after so many iterations or epochs.
    ///
    /// # Errors
    /// If a program that learns differently has trained the run, and `mixed` does not allow that. The text is the
    /// continuation of a sentence that begins with the checkpoint's name.
    pub fn continued(&self, after: u64, mixed: bool) -> Result<Self, String> {
        let mut trainers = self.0.clone();
        let this = this(after);
        let last = trainers.last().ok_or("does not state what trained it")?;
        if last.signature != this.signature && !mixed {
            return Err(format!(
                "was trained with the training signature {} ({}), but this program has {}: --mixed continues all the same",
                last.signature, last.build, this.signature
            ));
        }
        if (&last.signature, &last.build) != (&this.signature, &this.build) {
            trainers.push(this);
        }
        Ok(Self(trainers))
    }

    /// Whether programs that learn differently have trained the run.
    pub fn is_mixed(&self) -> bool {
        self.0.windows(2).any(|pair| pair[0].signature != pair[1].signature)
    }

    /// A sentence that names the programs, if they learn differently; `what` they train.
    pub fn mixture(&self, what: &str) -> Option<String> {
        self.is_mixed().then(|| format!("programs that learn differently train this {what}: {}", self.sentence()))
    }

    /// A clause for each part.
    pub fn sentence(&self) -> String {
        let clause = |trainer: &Trainer| {
            let Trainer { after, build, signature } = trainer;
            let from = if *after == 0 { String::new() } else { format!("after {after}: ") };
            format!("{from}{build}, training signature {signature}")
        };
        self.0.iter().map(clause).collect::<Vec<_>>().join("; ")
    }
}

/// This program's part.
fn this(after: u64) -> Trainer {
    Trainer { after, build: build(), signature: training_signature() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trained_by(signature: &str, build: &str) -> History {
        History(vec![Trainer { after: 0, build: build.to_owned(), signature: signature.to_owned() }])
    }

    #[test]
    fn only_a_different_signature_needs_permission() {
        let begun = History::begin();
        assert_eq!(begun.continued(7, false).unwrap(), begun);
        let other_build = trained_by(&training_signature(), "okapi 0.0.1").continued(7, false).unwrap();
        assert!(!other_build.is_mixed() && other_build.sentence().contains("; after 7: okapi "));
        let other = trained_by("f00", "okapi 0.0.1");
        let refusal = other.continued(7, false).unwrap_err();
        assert!(refusal.contains("--mixed") && refusal.contains(&training_signature()), "{refusal}");
        let mixed = other.continued(7, true).unwrap();
        assert!(mixed.is_mixed());
        assert_eq!(mixed.continued(9, false).unwrap(), mixed, "permission is needed once");
        assert!(History(Vec::new()).continued(7, true).is_err());
    }

    #[test]
    fn parts_are_named_with_where_they_begin() {
        let other = trained_by("f00", "okapi 0.0.1");
        assert_eq!(other.mixture("net"), None);
        let mixed = other.continued(7, true).unwrap();
        let parts = format!(
            "okapi 0.0.1, training signature f00; after 7: {}, training signature {}",
            build(),
            training_signature()
        );
        assert_eq!(mixed.sentence(), parts);
        assert_eq!(mixed.mixture("net"), Some(format!("programs that learn differently train this net: {parts}")));
        assert_eq!(History::begin().sentence(), format!("{}, training signature {}", build(), training_signature()));
        assert!(build().starts_with("okapi ") && training_signature().len() == 16);
    }
}

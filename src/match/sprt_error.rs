//! Why a sequential test cannot be made.

/// The largest hypothesis, in Elo of either kind; it keeps the t-values of pairs below 0.82.
pub const MOST_ELO: f64 = 200.0;

/// Why a test cannot be made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SprtError {
    /// An unknown setting.
    #[error("SPRT setting '{0}' is not one of elo0=, elo1=, alpha=, beta= and model=")]
    Unknown(String),
    /// A setting given more than once.
    #[error("SPRT setting {0} is given twice")]
    Twice(&'static str),
    /// A setting that has no default is absent.
    #[error("SPRT setting {0} is missing")]
    Missing(&'static str),
    /// A value that is not a finite number.
    #[error("SPRT setting {name} is '{value}', which is not a number")]
    NotANumber {
        /// The setting.
        name: &'static str,
        /// What was given.
        value: String,
    },
    /// An unknown model.
    #[error("SPRT model '{0}' is neither logistic nor normalized")]
    UnknownModel(String),
    /// A hypothesis out of range.
    #[error("SPRT setting {name} is {value}, which is not within ±{MOST_ELO} Elo")]
    EloOutOfRange {
        /// The setting.
        name: &'static str,
        /// What was given.
        value: f64,
    },
    /// `elo0` is not less than `elo1`.
    #[error("SPRT's elo0 ({elo0}) is not less than its elo1 ({elo1})")]
    Order {
        /// H0's Elo.
        elo0: f64,
        /// H1's Elo.
        elo1: f64,
    },
    /// An error rate out of range.
    #[error("SPRT setting {name} is {value}, which is not between 0 and 1")]
    RateOutOfRange {
        /// The setting.
        name: &'static str,
        /// What was given.
        value: f64,
    },
    /// The error rates are so large that the bounds would cross.
    #[error("SPRT's alpha ({alpha}) and beta ({beta}) do not add up to less than 1")]
    Rates {
        /// The first error rate.
        alpha: f64,
        /// The second error rate.
        beta: f64,
    },
}

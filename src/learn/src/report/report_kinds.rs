//! The kinds of training that have a log, each with its figures and the columns of its table.

use crate::report::numbers::{decimals, grouped};

/// A kind of training.
#[derive(Debug)]
pub(crate) struct Kind {
    /// What a row of the log stands for: also the name of its first column.
    pub step: &'static str,
    /// The same in the plural.
    pub steps: &'static str,
    /// The figures, in the order of the page.
    pub figures: &'static [Figure],
    /// The columns of the table but for the step and the time.
    pub columns: &'static [Column],
    /// The column by which a row is the best, whether the highest is, and what the page says of it.
    pub best: (&'static str, bool, &'static str),
    /// What the line on a run counts, from the last row: columns and units.
    pub totals: &'static [(&'static str, &'static str)],
    /// The column of which the line has the first and the last number, its name there, and how it is shown.
    pub progress: (&'static str, &'static str, fn(f64) -> String),
}

/// One chart of the page.
#[derive(Debug)]
pub(crate) struct Figure {
    pub title: &'static str,
    /// What to make of it.
    pub caption: &'static str,
    pub over: Over,
    /// The column of the log.
    pub column: &'static str,
    /// Heights to compare with, and their names.
    pub marks: &'static [(f64, &'static str)],
}

/// The horizontal axis.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Over {
    Time,
    /// Iterations or epochs.
    Steps,
}

/// A column of the table: heading, the log's column, and how a number is shown.
pub(crate) type Column = (&'static str, &'static str, fn(f64) -> String);

/// Self-play with TD-Leaf.
pub(crate) static TD_LEAF: Kind = Kind {
    step: "iteration",
    steps: "iterations",
    figures: &[
        Figure {
            title: "STS score over training time (thesis, Figure 4)",
            caption: "Higher is better, 15,000 is the most. The thesis' network went from about 6,000 to about 9,500 points in \
                      72 hours on 20 cores, searching each position for 0.1 s.",
            over: Over::Time,
            column: "sts",
            marks: &[(6_000.0, "thesis: before"), (9_500.0, "thesis: after")],
        },
        Figure {
            title: "STS score over iterations",
            caption: "The same scores by optimizer step, which does not depend on the speed of the machine.",
            over: Over::Steps,
            column: "sts",
            marks: &[],
        },
        plain(
            "Score in the built-in suite",
            "Points in the suite inside the program, whose positions are in no other suite. Higher is better.",
            "own_suite",
        ),
        plain(
            "Training loss",
            "Mean loss of the values against their TD(lambda) targets, replayed ones included.",
            "loss",
        ),
        plain("Temporal error", "Mean absolute difference of the values of two successive searches.", "temporal_error"),
        plain(
            "Mean |value|",
            "Values are from -1 to 1. Near 0 the scale has collapsed: 0 everywhere has no temporal error.",
            "mean_abs_value",
        ),
        plain(
            "Correlation with material",
            "Correlation coefficient of the values and tanh(0.001 * material in centipawns).",
            "material_correlation",
        ),
        plain("Parameter norm", "Euclidean norm of all parameters.", "weight_norm"),
        plain("Gradient norm", "Euclidean norm of the mean gradient of the batch.", "gradient_norm"),
        plain("Dead units", "Hidden units whose output was 0 for the whole batch.", "dead_units"),
        plain("Learning rate", "Of the last step.", "learning_rate"),
        plain("Searches per second", "Of all threads together.", "searches_per_second"),
    ],
    columns: &[
        ("searches", "searches", grouped),
        ("leaves", "leaves", grouped),
        ("loss", "loss", decimals::<4>),
        ("temporal error", "temporal_error", decimals::<4>),
        ("mean |value|", "mean_abs_value", decimals::<3>),
        ("material correlation", "material_correlation", decimals::<3>),
        ("dead units", "dead_units", grouped),
        ("STS", "sts", grouped),
        ("built-in suite", "own_suite", grouped),
    ],
    best: ("sts", true, "The best score in the Strategic Test Suite is bold."),
    totals: &[("searches", "searches"), ("leaves", "leaves")],
    progress: ("sts", "STS", grouped),
};

/// Kept games.
pub(crate) static KEPT_GAMES: Kind = Kind {
    step: "epoch",
    steps: "epochs",
    figures: &[
        plain(
            "Validation loss",
            "Mean loss of the values against their targets, on games that are not learned from. Lower is better.",
            "loss",
        ),
        plain(
            "Training loss",
            "The same on the games that are learned from, each batch before its step.",
            "training_loss",
        ),
        plain(
            "Distance from the search",
            "Mean |value - value of the search that played|, on games that are not learned from.",
            "value_error",
        ),
        plain(
            "Distance from the result",
            "Mean (value - result)^2 with results -1, 0 and 1, on games that are not learned from.",
            "result_error",
        ),
        plain("Learning rate", "Of the last step.", "learning_rate"),
        plain("Positions per second", "Of all threads together, with reading and shuffling.", "positions_per_second"),
    ],
    columns: &[
        ("positions", "positions", grouped),
        ("training loss", "training_loss", decimals::<5>),
        ("validation loss", "loss", decimals::<5>),
        ("|value - search|", "value_error", decimals::<4>),
        ("(value - result)^2", "result_error", decimals::<4>),
        ("positions/s", "positions_per_second", grouped),
    ],
    best: ("loss", false, "The lowest validation loss is bold."),
    totals: &[("positions", "positions each")],
    progress: ("loss", "validation loss", decimals::<5>),
};

/// Labeled nodes.
pub(crate) static POLICY: Kind = Kind {
    step: "epoch",
    steps: "epochs",
    figures: &[
        plain(
            "Validation loss",
            "Mean -ln p of the best move, without the hash move, on nodes that are not learned from. Lower is better.",
            "loss",
        ),
        plain(
            "Training loss",
            "Mean cross-entropy on the nodes that are learned from, each batch before its step.",
            "training_loss",
        ),
        plain("Best move first", "Per cent of the validation nodes, without the hash move.", "first"),
        plain("Best move among the first three", "Per cent of the validation nodes, without the hash move.", "third"),
        plain("Validation loss with the hash move", "The same where the hash move is known.", "hash_loss"),
        plain("Learning rate", "Of the last step.", "learning_rate"),
    ],
    columns: &[
        ("training loss", "training_loss", decimals::<5>),
        ("validation loss", "loss", decimals::<5>),
        ("first", "first", decimals::<2>),
        ("first three", "third", decimals::<2>),
        ("quiet first", "quiet_first", decimals::<2>),
        ("loss, hash move known", "hash_loss", decimals::<5>),
    ],
    best: ("loss", false, "The lowest validation loss is bold."),
    totals: &[],
    progress: ("loss", "validation loss", decimals::<5>),
};

/// A league.
pub(crate) static LEAGUE: Kind = Kind {
    step: "game",
    steps: "games",
    figures: &[
        by_game(
            "Elo on the panel",
            "Of the checkpoints, each against every opponent (tests/tools/panel_rating.py). The first is called what the learner's rating begins with.",
            "panel",
        ),
        by_game(
            "Rating in the league",
            "As the games go, with K = 32. Opponents without a rating of their own move too.",
            "rating",
        ),
        by_game(
            "Score of the last 50 games",
            "From 0 to 1. Opponents are chosen so that it stays near one half.",
            "score",
        ),
        by_game("Mean value", "Of all turns so far, for the learner. The rule for rises pulls it down.", "value"),
        by_game("Rises that do not count", "Their share of all differences so far.", "clipped"),
    ],
    columns: &[
        ("rating", "rating", grouped),
        ("panel Elo", "panel", grouped),
        ("score of the last 50", "score", decimals::<3>),
        ("mean value", "value", decimals::<4>),
        ("rises that do not count", "clipped", decimals::<4>),
    ],
    best: ("panel", true, "The best checkpoint on the panel is bold."),
    totals: &[],
    progress: ("rating", "rating", grouped),
};

const fn by_game(title: &'static str, caption: &'static str, column: &'static str) -> Figure {
    Figure { title, caption, over: Over::Steps, column, marks: &[] }
}

const fn plain(title: &'static str, caption: &'static str, column: &'static str) -> Figure {
    Figure { title, caption, over: Over::Time, column, marks: &[] }
}

//! Who is told how a run gets on.

/// Shows a run to a person.
pub trait Observer {
    /// Something that a person should read, one sentence or a table.
    fn say(&mut self, sentence: &str);

    /// `done` of `total` units of the present stage are done; `message` is asked for only if it is shown.
    fn progress(&mut self, unit: &'static str, done: u64, total: u64, message: &dyn Fn() -> String);
}

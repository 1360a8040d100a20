//! What a run of TD-Leaf begins with, by its options: the initial net, the start positions, the suites.

use crate::data::start_files;
use crate::data::start_positions::StartPositions;
use crate::run::observer::Observer;
use crate::tasks::bootstrap::Bootstrap;
use crate::tasks::td_leaf::td_leaf_kinds::Initial;
use crate::tasks::td_leaf::td_leaf_options::Options;
use crate::train::initial_net::grown;
use anyhow::Context;
use engine::SHIPPED_VALUE_NET;
use engine::evaluators::material_net;
use kernels::Kernels;
use nets::{Topology, ValueNet};
use pgn::position_file;
use std::path::PathBuf;
use sts::suite::Suite;
use support::interrupt::{Interrupt, Interrupted};

/// The suites that measure the progress.
pub(crate) struct Suites {
    /// The Strategic Test Suite.
    pub sts: Option<Suite>,
    /// The suite inside the program.
    pub own: Option<Suite>,
}

impl Suites {
    /// Reads the suites that the options name; none if they are never run.
    pub fn read(options: &Options) -> anyhow::Result<Self> {
        if options.suite_minutes == 0.0 {
            return Ok(Self { sts: None, own: None });
        }
        let read = |path: &PathBuf| {
            let bytes = std::fs::read(path).with_context(|| format!("cannot read the suite {}", path.display()))?;
            anyhow::Ok(Suite::read(&path.display().to_string(), &bytes)?)
        };
        Ok(Self { sts: options.sts.as_ref().map(read).transpose()?, own: Some(Suite::embedded()?) })
    }
}

/// The initial net, at least as wide in every layer as the options' topology, and the hash of its file.
pub(crate) fn initial_net(
    options: &Options,
    kernels: &'static Kernels,
    interrupt: &Interrupt,
    observer: &mut dyn Observer,
) -> anyhow::Result<(ValueNet, Option<String>)> {
    let (net, metadata) = match &options.initial {
        Initial::Bootstrap => {
            if let Topology::Linear(linear) = options.topology {
                observer.say("a linear evaluator begins with material");
                return Ok((material_net(linear), None));
            }
            observer.say("a net with random weights is trained on material");
            let bootstrap = Bootstrap { seed: options.seed, steps: Bootstrap::STEPS, topology: options.topology };
            let pool = rayon::ThreadPoolBuilder::new().num_threads(options.threads.unwrap_or_default()).build()?;
            let total = u64::from(bootstrap.steps);
            let net = bootstrap.run(&pool, kernels, |step, loss| {
                observer.progress("bootstrap steps", step.into(), total, &|| format!("loss {loss:.4}"));
                !interrupt.raised()
            });
            return Ok((net.ok_or_else(|| Interrupted::new("interrupted before the first iteration"))?, None));
        }
        Initial::Shipped => nets::file::from_bytes("that ships with Okapi", SHIPPED_VALUE_NET)?,
        Initial::File(path) => nets::file::load(path)?,
    };
    let before = net.params().topology().without_draw();
    let (net, remarks) = grown(net, options.topology, options.seed)?;
    remarks.iter().for_each(|remark| observer.say(remark));
    let topology = *net.params().topology();
    if topology != before {
        observer.say(&format!("the initial net, of {before}, is widened to {topology}"));
    }
    Ok((net, Some(metadata.sha256)))
}

/// The start positions of the options' files; `None` if they name none.
pub(crate) fn database(options: &Options, say: &mut dyn FnMut(&str)) -> anyhow::Result<Option<StartPositions>> {
    let Some(path) = &options.starts else { return Ok(None) };
    let excluded = position_file::keys(options.exclude.iter().map(PathBuf::as_path))?;
    let started = start_files::read(path, &excluded, options.seed)?;
    for sentence in &started.refused {
        say(sentence);
    }
    say(&format!(
        "{}: {} positions read, {} kept, {} games or lines refused",
        path.display(),
        started.read,
        started.positions.len(),
        started.refusals
    ));
    Ok(Some(StartPositions::Database(started.positions)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::time::Duration;

    /// Remembers sentences.
    #[derive(Default)]
    struct Heard(Vec<String>);

    impl Observer for Heard {
        fn say(&mut self, text: &str) {
            self.0.push(text.to_owned());
        }

        fn progress_until(
            &mut self,
            _: &'static str,
            _: u64,
            _: Option<u64>,
            _: Option<Duration>,
            _: &dyn Fn() -> String,
        ) {
        }
    }

    #[test]
    fn an_initial_net_grows_to_the_topology_and_keeps_what_it_has_more() {
        let (mut heard, interrupt) = (Heard::default(), Interrupt::from_flag(Arc::default()));
        let mut first = |text: &str| {
            let topology = text.parse().unwrap();
            let options = Options { topology, initial: Initial::Shipped, ..Options::default() };
            initial_net(&options, kernels::active().unwrap(), &interrupt, &mut heard)
        };
        let shipped = *first("19x1+216x1+128x1-1-1").unwrap().0.params().topology();
        let grown = *first("19x1+216x60+128x1-70-1").unwrap().0.params().topology();
        assert_eq!(grown, shipped.at_least("19x1+216x60+128x1-70-1".parse().unwrap()).unwrap());
        assert_ne!(grown, shipped);
        assert!(first("19x19+216x480+128x1-1-1").is_err_and(|error| format!("{error:#}").contains("cannot grow")));
        let said = |words: &str| heard.0.iter().filter(|text| text.contains(words)).count();
        assert_eq!((said("is widened to"), said("no layer becomes smaller"), said("second output")), (1, 2, 2));
    }
}

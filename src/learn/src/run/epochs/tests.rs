use super::*;
use crate::run::epoch_row::EpochRow;
use nets::{NetworkTopology, Topology, ValueNet};
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

/// What a training calls, and what it shows.
#[derive(Default)]
struct Seen {
    /// Of each step: epoch, window, step, examples, and the part of the training that is done.
    steps: Vec<(u64, u64, u64, usize, f64)>,
    /// The names of the nets that were saved, with their provenance behind the build.
    nets: Vec<String>,
}

/// A training without numbers.
struct Empty<'a> {
    seen: &'a RefCell<Seen>,
    windows: u64,
    examples: u32,
    losses: Vec<f64>,
    diverges: bool,
}

impl EpochTrainer for Empty<'_> {
    const TASK: &'static str = "nothing";
    type Row = EpochRow;

    fn windows(&self) -> u64 {
        self.windows
    }

    fn batch(&self) -> usize {
        4
    }

    fn window(&mut self, _: &Progress, _: &mut dyn Observer) -> anyhow::Result<Vec<u32>> {
        Ok((0..self.examples).collect())
    }

    fn step(&mut self, numbers: &[u32], at: &Progress, done: f64) -> f64 {
        self.seen.borrow_mut().steps.push((at.epoch, at.window, at.step, numbers.len(), done));
        0.5 * numbers.len() as f64
    }

    fn row(&mut self, at: &Progress, done: f64) -> anyhow::Result<(EpochRow, String)> {
        let loss = self.losses[at.epoch as usize - 1];
        Ok((EpochRow::new(at, 1.0, 1.0, Some(loss)), format!("{done} of all")))
    }

    fn tensors(&self) -> Tensors {
        Tensors::default()
    }

    fn save_net(&self, path: &Path, provenance: &str) -> anyhow::Result<()> {
        let name = path.file_stem().unwrap().to_string_lossy();
        let (_, how) = provenance.split_once(" train ").unwrap();
        self.seen.borrow_mut().nets.push(format!("{name}: {how}"));
        let mut net = ValueNet::random(Topology::from(NetworkTopology::new([1, 1, 1], 1).unwrap()), 1);
        if self.diverges {
            net.params_mut().values_mut()[0] = f32::NAN;
        }
        Ok(nets::file::save(path, &net, provenance).map(drop)?)
    }
}

/// Keeps what it is told, and raises the interrupt when it was told so often of progress.
struct Keeps {
    said: Vec<String>,
    shown: Vec<(&'static str, u64, Option<u64>, String)>,
    left: usize,
    flag: Arc<AtomicBool>,
}

impl Observer for Keeps {
    fn say(&mut self, sentence: &str) {
        self.said.push(without_clock(sentence));
    }

    fn progress_until(
        &mut self,
        unit: &'static str,
        done: u64,
        total: Option<u64>,
        _: Option<Duration>,
        message: &dyn Fn() -> String,
    ) {
        self.shown.push((unit, done, total, without_clock(&message())));
        self.left -= 1;
        self.flag.store(self.left == 0, Relaxed);
    }
}

/// A sentence without the number of examples a second, which must be one.
fn without_clock(sentence: &str) -> String {
    let Some((before, after)) = sentence.split_once(" examples/s") else { return sentence.to_owned() };
    let (before, rate) = before.rsplit_once(' ').unwrap();
    assert!(rate.parse::<f64>().unwrap() > 0.0, "{sentence}");
    format!("{before} N examples/s{after}")
}

/// A training of a folder: its windows, its losses, and when it is stopped.
struct Case<'a> {
    windows: u64,
    examples: u32,
    losses: &'a [f64],
    patience: Option<u64>,
    checkpoint_minutes: f64,
    shows: usize,
    diverges: bool,
}

const CASE: Case<'_> = Case {
    windows: 1,
    examples: 10,
    losses: &[0.25, 0.75],
    patience: None,
    checkpoint_minutes: 1e6,
    shows: usize::MAX,
    diverges: false,
};

fn train(folder: &Path, case: &Case<'_>) -> (anyhow::Result<()>, Seen, Keeps) {
    let (seen, flag) = (RefCell::new(Seen::default()), Arc::new(AtomicBool::new(false)));
    let mut keeps = Keeps { said: Vec::new(), shown: Vec::new(), left: case.shows, flag: flag.clone() };
    let Case { patience, checkpoint_minutes, .. } = *case;
    let options = SessionOptions { patience, checkpoint_minutes, threads: Some(1), mixed: false };
    let interrupt = Interrupt::from_flag(flag);
    let session = Session { epochs: case.losses.len() as u64, options, interrupt: &interrupt, observer: &mut keeps };
    let table: Table = "a = 1\nb = \"c\"".parse().unwrap();
    let Case { windows, examples, losses, diverges, .. } = *case;
    let begin = |at: &mut Progress, _: Option<&Tensors>, _: &mut dyn Observer| {
        at.data = "f00".to_owned();
        Ok(Empty { seen: &seen, windows, examples, losses: losses.to_vec(), diverges })
    };
    let done = EpochRun::open(folder, table, session, begin).and_then(EpochRun::run).map(drop);
    (done, seen.into_inner(), keeps)
}

#[test]
fn a_training_takes_all_steps_and_says_what_it_does() {
    let folder = tempfile::tempdir().unwrap();
    let (done, seen, keeps) = train(folder.path(), &CASE);
    done.unwrap();
    let third = 1.0 / 3.0;
    let expected = [
        (0, 0, 0, 4, 0.0),
        (0, 0, 1, 4, third / 2.0),
        (0, 0, 2, 2, 2.0 * third / 2.0),
        (1, 0, 0, 4, 0.5),
        (1, 0, 1, 4, (1.0 + third) / 2.0),
        (1, 0, 2, 2, (1.0 + 2.0 * third) / 2.0),
    ];
    assert_eq!(seen.steps, expected);
    let shown = |number: u64| {
        let epoch = number.div_ceil(3);
        ("steps", number, Some(6), format!("epoch {epoch}: loss 0.50000, N examples/s"))
    };
    assert_eq!(keeps.shown, [1, 2, 3, 4, 5, 6].map(shown));
    assert_eq!(
        keeps.said,
        [
            "epoch 1 of 2, 0 s: loss 0.50000 on 10 examples, N examples/s; 0.5 of all".to_owned(),
            "epoch 2 of 2, 0 s: loss 0.50000 on 10 examples, N examples/s; 1 of all".to_owned(),
            format!("2 epochs done in 0 s; net in {}", folder.path().join("net.safetensors").display()),
        ]
    );
    let how = |epochs: u64| format!("nothing, {epochs} epochs and 0 steps; data f00; a = 1; b = \"c\"");
    let expected = [("best", 1), ("net", 1), ("net", 2), ("net", 2)];
    let expected = expected.map(|(name, epochs)| format!("{name}: {}", how(epochs)));
    assert_eq!(seen.nets, expected);
    let stored = Stored::load(&newest_path(folder.path()), "nothing").unwrap();
    let Progress { seconds, epoch_seconds, .. } = stored.progress;
    assert!(seconds > 0.0 && seconds < 60.0 && epoch_seconds == seconds, "{seconds} {epoch_seconds}");
    assert_eq!(stored.progress, Progress::of_epoch(2, seconds, "f00".to_owned()));
    // Nothing is left to do, and nothing is done again.
    let (done, seen, keeps) = train(folder.path(), &CASE);
    assert!(done.is_ok() && seen.steps.is_empty() && keeps.shown.is_empty());
}

#[test]
fn windows_are_parts_of_an_epoch_and_a_stop_is_between_two_steps() {
    let folder = tempfile::tempdir().unwrap();
    let case = Case { windows: 2, examples: 8, shows: 3, ..CASE };
    let (stopped, seen, keeps) = train(folder.path(), &case);
    let stopped = stopped.unwrap_err();
    assert!(stopped.is::<Interrupted>());
    assert_eq!(stopped.to_string(), "stopped after 0 epochs, 1 windows and 1 steps: the same command continues");
    let done = seen.steps.iter().map(|step| step.4).collect::<Vec<_>>();
    assert_eq!(done, [0.0, 0.125, 0.25]);
    let shown: Vec<_> = keeps.shown.iter().map(|shown| (shown.0, shown.1, shown.2)).collect();
    assert_eq!(shown, [("windows", 0, Some(4)), ("windows", 0, Some(4)), ("windows", 1, Some(4))]);
    let stored = Stored::load(&newest_path(folder.path()), "nothing").unwrap().progress;
    assert_eq!((stored.window, stored.step, stored.examples, stored.loss_sum), (1, 1, 12, 6.0));
    let (done, seen, keeps) = train(folder.path(), &Case { shows: usize::MAX, ..case });
    done.unwrap();
    let done = seen.steps.iter().map(|step| (step.0, step.1, step.2, step.4)).collect::<Vec<_>>();
    assert_eq!(done, [(0, 1, 1, 0.375), (1, 0, 0, 0.5), (1, 0, 1, 0.625), (1, 1, 0, 0.75), (1, 1, 1, 0.875)]);
    assert_eq!(keeps.said[0], "epoch 1 of 2, 0 s: loss 0.50000 on 16 examples, N examples/s; 0.5 of all");
    let folder = tempfile::tempdir().unwrap();
    let stopped = train(folder.path(), &Case { shows: 1, ..CASE }).0.unwrap_err().to_string();
    assert_eq!(stopped, "stopped after 0 epochs and 1 steps: the same command continues");
}

#[test]
fn nets_are_saved_as_often_as_is_asked_and_a_training_may_end_early() {
    let saved = |checkpoint_minutes| {
        let folder = tempfile::tempdir().unwrap();
        let case = Case { checkpoint_minutes, losses: &[0.5, 0.4, 0.4, 0.6, 0.3], patience: Some(2), ..CASE };
        let (done, seen, keeps) = train(folder.path(), &case);
        done.unwrap();
        assert!(keeps.said.last().unwrap().starts_with("4 epochs done in "), "{:?}", keeps.said);
        let of = |name: &str| seen.nets.iter().filter(|net| net.starts_with(name)).count();
        [of("best: "), of("net: ")]
    };
    // At the end of each epoch and of all; and after each of three steps an epoch.
    assert_eq!(saved(1e6), [2, 5]);
    assert_eq!(saved(0.0), [2, 17]);
}

#[test]
fn what_cannot_be_learned_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let told = |name: &str, case: &Case<'_>| {
        let path = folder.path().join(name);
        std::fs::create_dir(&path).unwrap();
        format!("{:#}", train(&path, case).0.unwrap_err())
    };
    assert_eq!(told("none", &Case { examples: 0, ..CASE }), "the data have no position to learn from");
    let diverged = told("diverged", &Case { diverges: true, ..CASE });
    assert!(diverged.starts_with("training has diverged, and its net is not saved: begin again"), "{diverged}");
}

#[test]
fn folders_of_other_trainings_are_refused_before_long_work() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let table = |text: &str| text.parse::<Table>().unwrap();
    let check = |options: &str| check(path, "nothing", &table(options)).map_err(|error| error.to_string());
    assert!(check("a = 1").is_ok() && check_task(path, "nothing").is_ok());
    let (done, ..) = train(path, &CASE);
    done.unwrap();
    // The checkpoint may have more options, such as those of its data.
    assert!(check("a = 1").is_ok() && check("a = 1\nb = \"c\"").is_ok());
    assert!(check("a = 2").unwrap_err().ends_with("a is 1 in the file, but 2 now"));
    assert!(check_task(path, "nothing").is_ok());
    let other = check_task(path, "other").unwrap_err().to_string();
    assert!(other.ends_with("it is of the task nothing, not of other"), "{other}");
    assert_eq!(read_head(path, "nothing").unwrap().0, table("a = 1\nb = \"c\""));
    std::fs::write(newest_path(path), "damaged").unwrap();
    assert!(check_task(path, "other").is_ok());
    for file in ["checkpoint.okapi", "checkpoint-older.okapi"] {
        std::fs::remove_file(path.join(file)).unwrap();
    }
    assert!(check("a = 1").unwrap_err().contains("has a log but no checkpoint to continue from"));
}

#[test]
fn progress_has_means_of_what_was_done() {
    let at = Progress { examples: 30, loss_sum: 15.0, seconds: 5.0, epoch_seconds: 2.0, ..Progress::default() };
    assert_eq!((at.examples_per_second(), at.loss()), (10.0, 0.5));
    let begun = Progress::of_epoch(3, 7.0, "f00".to_owned());
    assert_eq!((begun.examples_per_second(), begun.loss()), (0.0, 0.0));
    assert_eq!((begun.epoch, begun.seconds, begun.epoch_seconds, &*begun.data), (3, 7.0, 7.0, "f00"));
}

//! The stages of a policy's training up to the labels. Every stage continues where its files end.

use crate::data::label_nodes::{LABELED, Labeling, Labels};
use crate::data::merge_nodes::TASK;
use crate::data::node_searcher::SearchSetup;
use crate::data::node_source::{Source, is_validation};
use crate::data::part_file::PartFile;
use crate::data::sample_nodes::{Samples, Share, words};
use crate::data::visited_nodes::VisitedNodes;
use crate::data::window::Shards;
use crate::run::observer::Observer;
use crate::tasks::policy::policy_folder::{PolicyFolder, Subset};
use crate::tasks::policy::policy_options::Options;
use anyhow::ensure;
use std::path::PathBuf;
use support::interrupt::{Interrupt, Interrupted};

/// About how many nodes are searched between two checks for a signal.
const CHUNK: u64 = 4_000_000;
/// Sampling fails after this many chunks of searches in a row without a node.
const MOST_EMPTY_CHUNKS: u32 = 100;

/// What every stage uses.
pub struct Stages<'a> {
    /// Where the files are.
    pub folder: &'a PolicyFolder,
    /// The options of the training.
    pub options: &'a Options,
    /// The searches that are sampled.
    pub share: Share,
    /// What ends a stage early.
    pub interrupt: &'a Interrupt,
    /// Shows the progress.
    pub observer: &'a mut (dyn Observer + Send),
}

impl Stages<'_> {
    /// Nodes that are wanted of each subset.
    pub(crate) fn wanted(&self) -> [u64; 2] {
        [self.options.training_nodes, self.options.validation_nodes]
    }

    /// Samples nodes until there are as many as are wanted.
    ///
    /// # Errors
    /// If the files cannot be continued, or the games do not give the nodes, or [`Interrupted`].
    pub fn sample(&mut self, source: &Source, setup: &SearchSetup) -> anyhow::Result<()> {
        let (options, wanted) = (self.options, self.wanted());
        let total = wanted.iter().sum();
        let validation = (0..source.games()).filter(|game| is_validation(options.seed, *game)).count() as u64;
        ensure!(
            (wanted[1] == 0 || validation > 0) && (wanted[0] == 0 || validation < source.games()),
            "{} has too few games ({}) for a training and a validation set",
            source.name,
            source.games()
        );
        let paths = Subset::ALL.map(|subset| self.folder.nodes(subset));
        let words = words(options, source, setup);
        let mut part = self.part(&words);
        if let Some(part) = &part {
            part.write(self.folder.path())?;
        }
        let mut samples = Samples::open([&paths[0], &paths[1]], &words, self.options.session.mixed, self.share)?;
        let by_number = self.share.searches.is_some();
        let done = |samples: &Samples| match samples.lines() {
            _ if by_number => samples.all_searched(),
            lines => lines[0] >= wanted[0] && lines[1] >= wanted[1],
        };
        let said = |lines: [u64; 2]| format!("{} training nodes and {} validation nodes sampled", lines[0], lines[1]);
        let mut empty_chunks = 0;
        while !done(&samples) && !self.interrupt.raised() {
            let before = samples.lines();
            samples.extend(source, options, setup)?;
            let lines = samples.lines();
            empty_chunks = if lines == before { empty_chunks + 1 } else { 0 };
            ensure!(
                empty_chunks < MOST_EMPTY_CHUNKS,
                "searches from {} give no more nodes: all its positions are excluded, or --min-depth is too high",
                source.name
            );
            let useful = lines[0].min(wanted[0]) + lines[1].min(wanted[1]);
            self.observer.progress("nodes sampled", useful, total, &|| said(lines));
        }
        let said = said(samples.lines());
        ensure!(done(&samples), Interrupted::new(format!("stopped: {said}; the same command continues")));
        if let Some(part) = &mut part {
            part.complete = true;
            part.write(self.folder.path())?;
        }
        self.observer.say(&said);
        Ok(())
    }

    /// Takes the roots of the tree searches of kept games as nodes, with their visits as labels, in place of sampling and labeling.
    ///
    /// # Errors
    /// If a file cannot be read or written, the games have no visits, or [`Interrupted`].
    pub fn take_visits(&mut self, folders: &[PathBuf]) -> anyhow::Result<()> {
        let (shards, Options { seed, session, .. }) = (Shards::of(folders)?, self.options);
        let nodes = Subset::ALL.map(|subset| self.folder.nodes(subset));
        let labels = Subset::ALL.map(|subset| self.folder.labels(subset));
        let (nodes, labels) = ([&*nodes[0], &*nodes[1]], [&*labels[0], &*labels[1]]);
        let mut visited = VisitedNodes::open(nodes, labels, &shards, *seed, session.mixed)?;
        for (path, number) in shards.paths().iter().zip(1..) {
            visited.add(path)?;
            let said = || path.display().to_string();
            self.observer.progress("shards", number, shards.len() as u64, &said);
            ensure!(
                !self.interrupt.raised() || number == shards.len() as u64,
                Interrupted::new("stopped before all games were read; the same command begins again".to_owned())
            );
        }
        let [training, validation] = visited.lines();
        ensure!(training + validation > 0, "these games have no visits: `train play --search mcts` keeps them");
        for damaged in &visited.damaged {
            self.observer.say(&format!("what is damaged is left out: {damaged}"));
        }
        self.observer.say(&format!("{training} training nodes and {validation} validation nodes with their visits"));
        Ok(())
    }

    /// What the folder of a part says, whose nodes are sampled by these words; `None` for the whole.
    fn part(&self, words: &str) -> Option<PartFile> {
        let searches = self.share.searches.unwrap_or_default().to_string();
        let named = [("sampling".to_owned(), words.to_owned()), ("searches".to_owned(), searches)];
        let wanted = LABELED.into_iter().zip(self.wanted()).map(|(name, number)| (name.to_owned(), number.to_string()));
        let part = self.share.part;
        (!part.is_whole()).then(|| PartFile::begin(TASK, part, named.into_iter().chain(wanted).collect()))
    }

    /// Labels a subset.
    ///
    /// # Errors
    /// If the files cannot be continued, or [`Interrupted`].
    pub fn label(&mut self, subset: Subset, setup: &SearchSetup) -> anyhow::Result<()> {
        let searches = [self.options.label_search_nodes, self.options.validation_search_nodes];
        let labeling = Labeling { nodes: searches[subset as usize], second_nodes: self.options.second_search_nodes };
        let (from, to) = (self.folder.nodes(subset), self.folder.labels(subset));
        let (words, mixed, most) = (labeling.words(setup), self.options.session.mixed, self.wanted()[subset as usize]);
        let mut labels = Labels::open([&from, &to], &words, mixed, most)?;
        // Two units, so that each subset has a rate of its own.
        let unit = match subset {
            Subset::Training => "training labels",
            Subset::Validation => "validation labels",
        };
        let chunk = (CHUNK / (labeling.nodes + labeling.second_nodes)).clamp(2, 4_096) as usize;
        loop {
            let more = labels.extend(setup, &labeling, chunk)?;
            let (lines, total) = labels.progress();
            self.observer.progress(unit, lines, total, &|| to.display().to_string());
            let said = format!("{}: {lines} labels of {total}", to.display());
            if !more {
                self.observer.say(&said);
                return Ok(());
            }
            ensure!(!self.interrupt.raised(), Interrupted::new(format!("stopped: {said}; the same command continues")));
        }
    }
}

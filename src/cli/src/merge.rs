//! `okapi merge`: joins the parts of a job that was cut by `--shard`.

use anyhow::{Context, bail, ensure};
use clap::Args;
use learn::data::part_file::PartFile;
use learn::data::{contracts, merge_games, merge_nodes};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use support::journal::{self, Form};
use support::output::Output;

/// What may be merged as files.
const FORMS: [&Form; 3] = [&matches::header::FORM, &sts::saved_answers::FORM, &contracts::FORM];
/// More than any first line has.
const LONGEST_LINE: u64 = 1 << 24;

#[derive(Debug, Args)]
pub(super) struct Merge {
    /// What each process has made with --shard: folders of `train play` or `train policy`, --state files of `match` or `sts`, or files of
    /// `train contracts`
    #[arg(value_name = "PART", required = true)]
    parts: Vec<PathBuf>,
    /// The folder or the file of the whole, which is the same as if one process had made it
    #[arg(long, value_name = "PATH")]
    out: PathBuf,
    /// Replace a file that exists (not a folder)
    #[arg(long)]
    force: bool,
}

impl Merge {
    pub(super) fn run(&self) -> anyhow::Result<()> {
        for part in &self.parts {
            ensure!(part.exists(), "there is no {}: its command with --shard makes it", part.display());
        }
        let folders = self.parts.iter().filter(|path| path.is_dir()).count();
        ensure!(folders == 0 || folders == self.parts.len(), "folders and files cannot be merged together");
        if folders > 0 { self.folders() } else { self.files() }
    }

    fn folders(&self) -> anyhow::Result<()> {
        let out = self.out.display();
        let parts = PartFile::all_in(&self.parts[0])?;
        let no_part = || format!("{} has no part of a job: it was made without --shard", self.parts[0].display());
        match parts.first().with_context(no_part)?.task.as_str() {
            merge_games::TASK => {
                let merge_games::Merged { parts, files, games } = merge_games::merge(&self.parts, &self.out)?;
                support::say!("{out}: {games} games in {files} files, of {parts} parts");
            }
            merge_nodes::TASK => {
                let merge_nodes::Merged { parts, nodes, labels } = merge_nodes::merge(&self.parts, &self.out)?;
                support::say!(
                    "{out}: {} training nodes ({} labeled) and {} validation nodes ({} labeled), of {parts} parts",
                    nodes[0],
                    labels[0],
                    nodes[1],
                    labels[1]
                );
            }
            task => bail!("{} has a part of `okapi {task}`, which this program cannot merge", self.parts[0].display()),
        }
        Ok(())
    }

    fn files(&self) -> anyhow::Result<()> {
        let first = first_line(&self.parts[0])?;
        let form = FORMS.into_iter().find(|form| first.starts_with(form.mark));
        let form = form.with_context(|| format!("{} is no record that can be merged", self.parts[0].display()))?;
        let inputs: Vec<&Path> = self.parts.iter().map(PathBuf::as_path).collect();
        let output = Output::check(&self.out, &inputs, self.force)?;
        let merged = journal::merge(&self.parts, form)?;
        output.write(merged.text.as_bytes())?;
        support::say!("{}: {} records, of {} parts", self.out.display(), merged.records, self.parts.len());
        Ok(())
    }
}

fn first_line(path: &Path) -> anyhow::Result<String> {
    let mut line = Vec::new();
    let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    let read = BufReader::new(file).take(LONGEST_LINE).read_until(b'\n', &mut line);
    read.with_context(|| format!("cannot read {}", path.display()))?;
    Ok(String::from_utf8_lossy(&line).into_owned())
}

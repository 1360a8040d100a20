//! `okapi completions` and `okapi man`: what a package installs beside the program, made from the command line itself.

use anyhow::{Context, ensure};
use clap::{Args, Command};
use clap_complete::Shell;
use engine::EngineSpec;
use std::fs;
use std::path::PathBuf;
use support::atomic_file::without_name;
use support::machine::Machine;
use support::output::Output;
use uci::limits::Limits;
use uci::options::explanations;

#[derive(Debug, Args)]
pub(super) struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    pub(super) fn run(&self, mut command: Command) -> anyhow::Result<()> {
        let name = command.get_name().to_owned();
        clap_complete::generate(self.shell, &mut command, name, &mut std::io::stdout());
        Ok(())
    }
}

#[derive(Debug, Args)]
pub(super) struct Man {
    /// The folder, which must exist; pages that are there are replaced with --force only
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// Replace pages that exist
    #[arg(long)]
    force: bool,
}

impl Man {
    pub(super) fn run(&self, command: Command) -> anyhow::Result<()> {
        let folder = self.folder.display();
        ensure!(self.folder.is_dir(), "there is no folder {folder}");
        let unwritable = || format!("cannot write pages into {folder}");
        let made = tempfile::tempdir_in(&self.folder).map_err(without_name).with_context(unwritable)?;
        let name = command.get_name().to_owned();
        clap_mangen::generate_to(command, made.path()).with_context(unwritable)?;
        let main = made.path().join(format!("{name}.1"));
        let page = fs::read_to_string(&main).with_context(unwritable)? + &uci_options();
        fs::write(&main, page).with_context(unwritable)?;
        let mut pages = Vec::new();
        for entry in fs::read_dir(made.path()).with_context(unwritable)? {
            let entry = entry.with_context(unwritable)?;
            let output = Output::check(&self.folder.join(entry.file_name()), &[], self.force)?;
            pages.push((output, fs::read(entry.path()).with_context(unwritable)?));
        }
        pages.iter().try_for_each(|(output, page)| output.write(page))
    }
}

/// The section on UCI options of the program's own page.
fn uci_options() -> String {
    let spec = EngineSpec::default();
    let mut section =
        ".SH \"UCI OPTIONS\"\nA chess program sets these by setoption; docs/uci\\-options.md says more.\n".to_owned();
    for [name, help, kind] in explanations(&spec, Limits::of(&Machine::here(), &spec)) {
        section += &format!(".TP\n\\fB{}\\fR\n{} ({})\n", escaped(&name), escaped(&help), escaped(&kind));
    }
    section
}

/// A text in a page, where a hyphen is a minus sign unless it is escaped, and a dot at the beginning of a line a command.
fn escaped(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ").replace('\\', "\\e").replace('-', "\\-");
    if text.starts_with(['.', '\'']) { format!("\\&{text}") } else { text }
}

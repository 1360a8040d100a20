//! `okapi net`: the metadata of a network file.

use clap::Subcommand;
use engine::linear_file;
use nets::file::{Metadata, short_name};
use nets::{NetFileError, Problem};
use search::move_states::VERSION;
use std::fmt::Display;
use std::io::Write;
use std::path::{Path, PathBuf};
use support::text::visible;

#[derive(Debug, Subcommand)]
pub(super) enum Net {
    /// Check a network file and print its metadata: format, topology, hash, provenance
    Info {
        /// The file of a value network, a policy network or a linear policy
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
}

impl Net {
    pub(super) fn run(&self) -> anyhow::Result<()> {
        match self {
            Self::Info { file } => info(file),
        }
    }
}

fn info(path: &Path) -> anyhow::Result<()> {
    match nets::file::load(path) {
        Ok((net, metadata)) => print(path, &metadata, net.params().values().len()),
        Err(NetFileError { problem: Problem::Kind { .. }, .. }) => {
            let (net, metadata) = nets::file::load_policy(path)?;
            print(path, &metadata, net.params().values().len())
        }
        Err(NetFileError { problem: Problem::Foreign, .. }) if linear_file::is_linear_policy(path) => linear(path),
        Err(error) => Err(error.into()),
    }
}

/// The name, and the hash that it begins.
fn hash(out: &mut impl Write, sha256: &str) -> std::io::Result<()> {
    writeln!(out, "name        {}", short_name(sha256))?;
    writeln!(out, "sha256      {sha256}")
}

fn linear(path: &Path) -> anyhow::Result<()> {
    let (policy, provenance) = linear_file::load_with_provenance(path)?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "file        {}", path.display())?;
    writeln!(out, "head        linear policy")?;
    writeln!(out, "parameters  {}", policy.weights().len())?;
    writeln!(out, "features    version {VERSION}")?;
    hash(&mut out, &linear_file::sha256(&policy))?;
    writeln!(out, "provenance  {}", visible(&provenance))?;
    Ok(())
}

fn print<T: Display>(path: &Path, metadata: &Metadata<T>, parameters: usize) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "file        {}", path.display())?;
    writeln!(out, "format      {}", metadata.format)?;
    writeln!(out, "head        {}", metadata.kind)?;
    writeln!(out, "topology    {}", metadata.topology)?;
    writeln!(out, "parameters  {parameters}")?;
    writeln!(out, "layout      {}", metadata.layout)?;
    hash(&mut out, &metadata.sha256)?;
    if let Some(kappa) = metadata.kappa {
        writeln!(out, "kappa       {kappa}")?;
    }
    if let Some(form) = metadata.head {
        writeln!(out, "form        {form}")?;
    }
    writeln!(out, "provenance  {}", visible(&metadata.provenance))?;
    Ok(())
}

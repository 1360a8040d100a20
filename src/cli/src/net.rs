//! `okapi net`: the metadata of a network file.

use clap::Subcommand;
use engine::linear_file;
use nets::file::Metadata;
use nets::{NetFileError, Problem};
use search::move_states::VERSION;
use std::fmt::Display;
use std::io::Write;
use std::path::{Path, PathBuf};

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
        Err(NetFileError { problem: Problem::Foreign, .. }) if linear_file::load(path).is_ok() => linear(path),
        Err(error) => Err(error.into()),
    }
}

fn linear(path: &Path) -> anyhow::Result<()> {
    let (policy, provenance) = linear_file::load_with_provenance(path)?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "file        {}", path.display())?;
    writeln!(out, "head        linear policy")?;
    writeln!(out, "parameters  {}", policy.weights().len())?;
    writeln!(out, "features    version {VERSION}")?;
    writeln!(out, "sha256      {}", linear_file::sha256(&policy))?;
    writeln!(out, "provenance  {provenance}")?;
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
    writeln!(out, "sha256      {}", metadata.sha256)?;
    if let Some(kappa) = metadata.kappa {
        writeln!(out, "kappa       {kappa}")?;
    }
    if let Some(form) = metadata.head {
        writeln!(out, "form        {form}")?;
    }
    writeln!(out, "provenance  {}", metadata.provenance)?;
    Ok(())
}

//! Joins the parts of a policy's sampling and labeling in one folder. Its files are those of a single process, byte for byte.
//!
//! A part has the nodes of every K-th chunk of searches, so that their search numbers order the nodes of all parts; a label goes with its
//! node.

use crate::data::label_nodes::LABELED;
use crate::data::part_file::{Placed, create_whole, whole, write_new};
use crate::data::policy_node::{LABELS, LABELS_MARK, NODES, NODES_MARK, Node};
use crate::tasks::policy::policy_folder::{Subset, labels_path, nodes_path};
use anyhow::{Context, bail, ensure};
use std::path::{Path, PathBuf};
use support::journal;

/// The task, as parts name it.
pub const TASK: &str = "train policy";

/// What is joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Merged {
    /// Parts.
    pub parts: usize,
    /// Nodes, `[training, validation]`.
    pub nodes: [usize; 2],
    /// Labels of them.
    pub labels: [usize; 2],
}

/// A part's lines of a subset.
struct Lines {
    nodes: Vec<(u64, String)>,
    nodes_header: String,
    /// The header and the labels of the first nodes, if there is such a file.
    labels: Option<(String, Vec<String>)>,
}

/// Joins the parts in these folders in `out`.
///
/// # Errors
/// If the parts are not those of one whole, one is incomplete or damaged, or a file cannot be written.
pub fn merge(folders: &[PathBuf], out: &Path) -> anyhow::Result<Merged> {
    let parts = whole(folders, TASK)?;
    for (folder, file) in &parts {
        ensure!(
            file.complete,
            "part {} in {} is not complete: the same command continues it",
            file.part,
            folder.display()
        );
    }
    create_whole(out, folders)?;
    let mut merged = Merged { parts: parts.len(), ..Merged::default() };
    for subset in Subset::ALL {
        let index = subset as usize;
        (merged.nodes[index], merged.labels[index]) = merge_subset(&parts, subset, out)?;
    }
    Ok(merged)
}

/// Joins a subset; returns the number of nodes and of labels.
fn merge_subset(parts: &[Placed], subset: Subset, out: &Path) -> anyhow::Result<(usize, usize)> {
    let wanted = |file: &Placed| file.1.value(LABELED[subset as usize]).and_then(|value| value.parse().ok());
    let most: usize =
        wanted(&parts[0]).with_context(|| format!("{} states no number of nodes", parts[0].0.display()))?;
    let lines = parts.iter().map(|(folder, _)| Lines::read(folder, subset)).collect::<anyhow::Result<Vec<_>>>()?;
    let header = same_header(parts, lines.iter().map(|lines| Some(&lines.nodes_header)))?.cloned().unwrap_or_default();
    // `(search, part, line)`: the searches of a chunk are all of one part, in their order.
    let mut order: Vec<(u64, usize, usize)> = Vec::new();
    for (part, lines) in lines.iter().enumerate() {
        order.extend(lines.nodes.iter().enumerate().map(|(line, (search, _))| (*search, part, line)));
    }
    order.sort_unstable();
    for pair in order.windows(2) {
        let ((search, one, _), (next, other, _)) = (pair[0], pair[1]);
        if search == next && one != other {
            bail!("{} and {} both have nodes of search {search}", parts[one].0.display(), parts[other].0.display());
        }
    }
    let nodes = order.iter().map(|(_, part, line)| lines[*part].nodes[*line].1.as_str());
    write_new(&nodes_path(out, subset), text(&header, nodes).as_bytes())?;
    let labels_header = same_header(parts, lines.iter().map(|lines| lines.labels.as_ref().map(|(header, _)| header)))?;
    let Some(labels_header) = labels_header else { return Ok((order.len(), 0)) };
    let mut labels = Vec::with_capacity(order.len());
    for (_, part, line) in order.iter().take(most) {
        let label = lines[*part].labels.as_ref().and_then(|(_, labels)| labels.get(*line));
        let (folder, file) = &parts[*part];
        labels.push(label.with_context(|| {
            format!("part {} in {} has not all its labels: --stage label continues it", file.part, folder.display())
        })?);
    }
    write_new(&labels_path(out, subset), text(labels_header, labels.iter().map(|label| label.as_str())).as_bytes())?;
    Ok((order.len(), labels.len()))
}

fn text<'a>(header: &'a str, lines: impl Iterator<Item = &'a str>) -> String {
    std::iter::once(header).chain(lines).flat_map(|line| [line, "\n"]).collect()
}

/// The header of all parts; `None` if none has such a file.
fn same_header<'a>(
    parts: &[Placed],
    headers: impl Iterator<Item = Option<&'a String>>,
) -> anyhow::Result<Option<&'a String>> {
    let mut first: Option<(&Placed, Option<&String>)> = None;
    for (part, header) in parts.iter().zip(headers) {
        match first {
            None => first = Some((part, header)),
            Some((one, found)) if found != header => {
                let none = "no such file".to_owned();
                let (found, header) = (found.unwrap_or(&none), header.unwrap_or(&none));
                bail!(
                    "{} and {} were made differently: {found} in the one, {header} in the other",
                    one.0.display(),
                    part.0.display()
                );
            }
            Some(_) => {}
        }
    }
    Ok(first.and_then(|(_, header)| header))
}

impl Lines {
    fn read(folder: &Path, subset: Subset) -> anyhow::Result<Self> {
        let mut nodes = Vec::new();
        let path = nodes_path(folder, subset);
        let headers = journal::read(&path, NODES_MARK, NODES, &mut |line| {
            let node = Node::from_line(line).map_err(|error| format!("{error:#}"))?;
            nodes.push((node.search, line.to_owned()));
            Ok(())
        })?;
        let nodes_header = only(&path, headers)?;
        let path = labels_path(folder, subset);
        if !path.exists() {
            return Ok(Self { nodes, nodes_header, labels: None });
        }
        let mut labels = Vec::new();
        let headers = journal::read(&path, LABELS_MARK, LABELS, &mut |line| {
            labels.push(line.to_owned());
            Ok(())
        })?;
        let labels = Some((only(&path, headers)?, labels));
        Ok(Self { nodes, nodes_header, labels })
    }
}

/// The header of a file that has one.
fn only(path: &Path, headers: Vec<String>) -> anyhow::Result<String> {
    let [header] = <[String; 1]>::try_from(headers).map_err(|_| {
        anyhow::anyhow!("{} was continued by another program (--mixed) and cannot be merged", path.display())
    })?;
    Ok(header)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::part_file::PartFile;
    use crate::data::policy_node::Label;
    use board::Position;
    use search::QuietHints;
    use std::fs;

    /// The line of a node of this search.
    fn node(search: u64) -> String {
        let position = Position::start();
        let known = vec![QuietHints::default(); position.legal_moves().len()];
        Node { search, game: 0, draft: 9, position, hash: None, known }.to_line()
    }

    fn label(value: f32) -> String {
        Label { best: 3, value, nodes: vec![1; 20], second: None }.to_line(&Position::start().legal_moves())
    }

    fn lines(header: &str, lines: &[String]) -> String {
        [&[header.to_owned()], lines].concat().join("\n") + "\n"
    }

    const OF_NODES: &str = "okapi nodes 5 seed=1";
    const OF_LABELS: &str = "okapi labels 2 nodes=8";

    /// A part with training nodes of these searches, and labels of the first of them with these values, and a validation node.
    fn part(folder: &Path, part: &str, searches: &[u64], values: &[f32]) -> PathBuf {
        let place = folder.join(part.replace('/', " of "));
        fs::create_dir(&place).unwrap();
        let made = LABELED.into_iter().zip(["3", "1"]).map(|(name, number)| (name.to_owned(), number.to_owned()));
        let mut file = PartFile::begin(TASK, part.parse().unwrap(), made.collect());
        file.complete = true;
        file.write(&place).unwrap();
        let nodes: Vec<String> = searches.iter().map(|search| node(*search)).collect();
        let labels: Vec<String> = values.iter().map(|value| label(*value)).collect();
        fs::write(nodes_path(&place, Subset::Training), lines(OF_NODES, &nodes)).unwrap();
        fs::write(labels_path(&place, Subset::Training), lines(OF_LABELS, &labels)).unwrap();
        fs::write(nodes_path(&place, Subset::Validation), lines(OF_NODES, &[node(searches[0] + 1)])).unwrap();
        place
    }

    #[test]
    fn nodes_of_all_parts_are_in_the_order_of_their_searches_and_labels_with_them() {
        let parent = tempfile::tempdir().unwrap();
        // Three labels are wanted, of the searches 0, 0 and 64.
        let parts =
            [part(parent.path(), "2/2", &[64], &[0.5]), part(parent.path(), "1/2", &[0, 0, 128], &[0.125, 0.25])];
        let out = parent.path().join("out");
        let read = |path: PathBuf| fs::read_to_string(path).unwrap();
        for time in ["new", "again"] {
            assert_eq!(merge(&parts, &out).unwrap(), Merged { parts: 2, nodes: [4, 2], labels: [3, 0] }, "{time}");
        }
        assert_eq!(read(nodes_path(&out, Subset::Training)), lines(OF_NODES, &[0, 0, 64, 128].map(node)));
        assert_eq!(read(labels_path(&out, Subset::Training)), lines(OF_LABELS, &[0.125, 0.25, 0.5].map(label)));
        assert_eq!(read(nodes_path(&out, Subset::Validation)), lines(OF_NODES, &[1, 65].map(node)));
        assert!(!labels_path(&out, Subset::Validation).exists());
        // A label is missing.
        fs::write(labels_path(&parts[1], Subset::Training), lines(OF_LABELS, &[label(0.125)])).unwrap();
        let refused = |parts: &[PathBuf]| merge(parts, &parent.path().join("refused")).unwrap_err().to_string();
        let expected = format!("part 1/2 in {} has not all its labels: --stage label continues it", parts[1].display());
        assert_eq!(refused(&parts), expected);
    }

    #[test]
    fn parts_that_do_not_fit_together_are_refused() {
        let parent = tempfile::tempdir().unwrap();
        let parts = [part(parent.path(), "1/2", &[0, 64], &[]), part(parent.path(), "2/2", &[64], &[])];
        let refused = || merge(&parts, &parent.path().join("out")).unwrap_err().to_string();
        let (one, two) = (parts[0].display(), parts[1].display());
        assert_eq!(refused(), format!("{one} and {two} both have nodes of search 64"));
        let path = nodes_path(&parts[1], Subset::Training);
        fs::write(&path, lines("okapi nodes 5 seed=2", &[node(128)])).unwrap();
        let differs = format!("{one} and {two} were made differently:");
        assert_eq!(refused(), format!("{differs} {OF_NODES} in the one, okapi nodes 5 seed=2 in the other"));
        fs::write(&path, lines(OF_NODES, &[OF_NODES.to_owned(), node(128)])).unwrap();
        let expected = format!("{} was continued by another program (--mixed) and cannot be merged", path.display());
        assert_eq!(refused(), expected);
        fs::write(&path, lines(OF_NODES, &[node(128)])).unwrap();
        fs::remove_file(labels_path(&parts[1], Subset::Training)).unwrap();
        assert_eq!(refused(), format!("{differs} {OF_LABELS} in the one, no such file in the other"));
        let mut file = PartFile::all_in(&parts[1]).unwrap().remove(0);
        file.complete = false;
        file.write(&parts[1]).unwrap();
        let expected = format!("part 2/2 in {two} is not complete: the same command continues it");
        assert_eq!(refused(), expected);
    }
}

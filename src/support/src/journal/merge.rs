//! Joins the parts of a record to the whole: the header without the part, and every record once, in the order of their numbers.
//! Whatever would make the result another one than that of a single process is refused: a part that is missing, given twice or
//! incomplete, and parts that were made differently.

use super::difference::differences_of_maps;
use super::lines::read;
use super::part_of_record::PartOfRecord;
use anyhow::{Context, bail, ensure};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What kind of record it is.
#[derive(Debug, Clone, Copy)]
pub struct Form {
    /// What such a file is called in messages, with its article.
    pub what: &'static str,
    /// How its header begins.
    pub mark: &'static str,
    /// JSON pointers to the numbers that tell a record from all others, the first one first in the order of the whole.
    pub numbers: &'static [&'static str],
    /// Keys of the header that are recorded and not compared.
    pub recorded: &'static [&'static str],
}

/// The text of a whole record.
#[derive(Debug, PartialEq, Eq)]
pub struct Merged {
    /// The text.
    pub text: String,
    /// How many records it has.
    pub records: u64,
}

/// A file of a part.
struct PartFile<'a> {
    path: &'a Path,
    whole: String,
    part: PartOfRecord,
    /// By their numbers; of records with the same ones the first, as every reader takes it.
    records: BTreeMap<Vec<u64>, String>,
}

/// Joins the parts in these files.
///
/// # Errors
/// If a file cannot be read or is no part, or the parts are not those of one whole, each complete and there once.
pub fn merge(paths: &[PathBuf], form: &Form) -> anyhow::Result<Merged> {
    let mut parts = paths.iter().map(|path| PartFile::read(path, form)).collect::<anyhow::Result<Vec<_>>>()?;
    parts.sort_by_key(|file| file.part.part);
    let Some(first) = parts.first() else { bail!("there is no file to merge") };
    parts[1..].iter().try_for_each(|other| other.check_same(first, form))?;
    for (file, next) in parts.iter().zip(&parts[1..]) {
        ensure!(
            file.part.part != next.part.part,
            "{} and {} are both part {}",
            file.path.display(),
            next.path.display(),
            file.part.part
        );
    }
    for part in first.part.part.all() {
        let found = parts.iter().any(|file| file.part.part == part);
        ensure!(found, "part {part} is missing: the command with --shard {part} makes it");
    }
    let mut all = BTreeMap::new();
    for file in &parts {
        file.check_complete()?;
        for (numbers, record) in &file.records {
            if let Some((other, _)) = all.insert(numbers, (file.path, record)) {
                bail!("{} and {} have the same record {numbers:?}", other.display(), file.path.display());
            }
        }
    }
    let records = all.len() as u64;
    ensure!(records == first.part.all, "the parts have {records} of {} records", first.part.all);
    let lines = std::iter::once(&first.whole).chain(all.values().map(|(_, record)| *record));
    Ok(Merged { text: lines.flat_map(|line| [line.as_str(), "\n"]).collect(), records })
}

impl<'a> PartFile<'a> {
    fn read(path: &'a Path, form: &Form) -> anyhow::Result<Self> {
        let mut records = BTreeMap::new();
        let headers = read(path, form.mark, form.what, &mut |line| {
            let record: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
            let number = |pointer: &&str| record.pointer(pointer).and_then(Value::as_u64);
            let numbers: Option<Vec<u64>> = form.numbers.iter().map(number).collect();
            records.entry(numbers.ok_or("it has no number")?).or_insert_with(|| line.to_owned());
            Ok(())
        })?;
        let [header] = &headers[..] else {
            bail!("{} was continued by another program (--mixed) and cannot be merged", path.display())
        };
        let no_part = || format!("{} is no part of a record: it was made without --shard", path.display());
        let (whole, part) = PartOfRecord::split(header).with_context(no_part)?;
        Ok(Self { path, whole, part, records })
    }

    /// Refuses a part of another whole than `first` is.
    fn check_same(&self, first: &Self, form: &Form) -> anyhow::Result<()> {
        let compared = |file: &Self| -> anyhow::Result<Map<String, Value>> {
            let mut map = flat(&serde_json::from_str(&file.whole)?);
            let (part, all) = (file.part.part, file.part.all);
            map.insert("the number of parts".to_owned(), part.of().into());
            map.insert("the number of all records".to_owned(), all.into());
            map.retain(|key, _| !form.recorded.contains(&key.as_str()));
            Ok(map)
        };
        let difference = differences_of_maps(&compared(self)?, &compared(first)?, &[]).into_iter().next();
        if let Some(difference) = difference {
            let (here, there) = (self.path.display(), first.path.display());
            let (name, found, wanted) = (&difference.name, &difference.found, &difference.wanted);
            bail!(
                "{here} and {there} are not parts of one whole: {name} is {found} in the one and {wanted} in the other"
            );
        }
        Ok(())
    }

    fn check_complete(&self) -> anyhow::Result<()> {
        let (found, wanted) = (self.records.len() as u64, self.part.records);
        let (path, part) = (self.path.display(), self.part.part);
        ensure!(
            found >= wanted,
            "{path}, part {part}, has {found} of its {wanted} records: the same command continues it"
        );
        ensure!(found == wanted, "{path}, part {part}, has {found} records instead of {wanted}");
        Ok(())
    }
}

/// A map in which objects are replaced by their entries, so that a difference names the entry.
fn flat(map: &Map<String, Value>) -> Map<String, Value> {
    let entries = map.iter().flat_map(|(key, value)| match value {
        Value::Object(inner) => inner.iter().map(|(inner, value)| (inner.clone(), value.clone())).collect(),
        value => vec![(key.clone(), value.clone())],
    });
    entries.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const FORM: Form = Form { what: "a test", mark: "{\"test\":", numbers: &["/n"], recorded: &["build"] };

    /// Writes a part with these records of 5.
    fn write(folder: &Path, name: &str, part: &str, header: &str, records: &[u64]) -> PathBuf {
        let part: crate::part::Part = part.parse().unwrap();
        let header = PartOfRecord { part, records: part.count(5), all: 5 }.header(header);
        let lines: String = records.iter().map(|n| format!("{{\"n\":{n}}}\n")).collect();
        let path = folder.join(name);
        fs::write(&path, format!("{header}\n{lines}")).unwrap();
        path
    }

    #[test]
    fn parts_become_the_whole_and_what_does_not_fit_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let header = "{\"test\":1,\"setup\":{\"net\":\"a\"},\"build\":\"x\"}";
        let part = |name: &str, part: &str, records: &[u64]| write(folder.path(), name, part, header, records);
        let (one, two) = (part("one", "1/2", &[4, 0, 2, 0]), part("two", "2/2", &[3, 1]));
        let merged = merge(&[two.clone(), one.clone()], &FORM).unwrap();
        assert_eq!(
            merged.text,
            format!("{header}\n{}", (0..5).map(|n| format!("{{\"n\":{n}}}\n")).collect::<String>())
        );
        assert_eq!(merged.records, 5);
        let refused = |other: &Path| merge(&[one.clone(), other.to_owned()], &FORM).unwrap_err().to_string();
        assert!(refused(&one).contains("are both part 1/2"));
        assert!(refused(&part("less", "2/2", &[1])).contains("has 1 of its 2 records"));
        assert!(refused(&part("more", "2/2", &[1, 3, 5])).contains("has 3 records instead of 2"));
        assert!(refused(&part("other", "2/2", &[1, 2])).contains("have the same record [2]"));
        assert!(
            refused(&part("third", "2/3", &[1, 4])).contains("the number of parts is 3 in the one and 2 in the other")
        );
        let missing = merge(std::slice::from_ref(&one), &FORM).unwrap_err().to_string();
        assert!(missing.contains("part 2/2 is missing"), "{missing}");
        let net = write(folder.path(), "net", "2/2", &header.replace("\"a\"", "\"b\""), &[1, 3]);
        assert!(refused(&net).contains("net is \"b\" in the one and \"a\" in the other"));
        let build = write(folder.path(), "build", "2/2", &header.replace("\"x\"", "\"y\""), &[1, 3]);
        assert_eq!(merge(&[one.clone(), build], &FORM).unwrap().text, merged.text);
        fs::write(folder.path().join("whole"), format!("{header}\n")).unwrap();
        assert!(refused(&folder.path().join("whole")).contains("made without --shard"));
    }
}

use super::*;
use serde_json::{Map, Value, json};
use std::fs;

/// `#made by=BUILD size=N`, of which the build may be mixed.
fn header(by: u32, size: u32) -> LineHeader<'static> {
    let line = format!("#made by={by} size={size}");
    LineHeader { what: "a test's journal", mark: "#made ", line, mixable: &["by"] }
}

fn open(path: &Path, header: &LineHeader, mixed: bool) -> Result<(Journal, Vec<String>), JournalError> {
    let mut records = Vec::new();
    let journal = Journal::open(path, header, mixed, &mut |record| {
        if record == "bad" {
            return Err("it is bad".to_owned());
        }
        records.push(record.to_owned());
        Ok(())
    })?;
    Ok((journal, records))
}

#[test]
fn a_journal_cut_anywhere_keeps_its_whole_records() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    let (mut journal, records) = open(&path, &header(1, 1), false).unwrap();
    assert!(records.is_empty());
    journal.append(&["one", "two"]).unwrap();
    journal.append(&["three"]).unwrap();
    assert!(matches!(open(&path, &header(1, 1), false), Err(JournalError::Busy(_))));
    drop(journal);
    let whole = fs::read(&path).unwrap();
    for length in 0..=whole.len() {
        fs::write(&path, &whole[..length]).unwrap();
        let lines = whole[..length].iter().filter(|&&byte| byte == b'\n').count();
        let (mut journal, records) = open(&path, &header(1, 1), false).unwrap();
        assert_eq!(records, ["one", "two", "three"][..lines.saturating_sub(1)], "{length}");
        assert_eq!(journal.records(), records.len() as u64);
        journal.append(&["last"]).unwrap();
        drop(journal);
        assert_eq!(open(&path, &header(1, 1), false).unwrap().1.last().unwrap(), "last");
    }
}

#[test]
fn a_mixable_difference_continues_only_with_mixed_and_adds_a_header() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    open(&path, &header(1, 1), false).unwrap().0.append(&["one"]).unwrap();
    let before = fs::read(&path).unwrap();
    let refused = open(&path, &header(2, 1), false).unwrap_err().to_string();
    assert!(refused.ends_with("by is \"1\" there and \"2\" here (--mixed continues it all the same)"), "{refused}");
    let refused = open(&path, &header(1, 2), true).unwrap_err().to_string();
    assert!(refused.ends_with("made by something else: size is \"1\" there and \"2\" here"), "{refused}");
    assert_eq!(fs::read(&path).unwrap(), before);
    open(&path, &header(2, 1), true).unwrap().0.append(&["two"]).unwrap();
    // From then on it goes on silently.
    let (mut journal, records) = open(&path, &header(2, 1), false).unwrap();
    assert_eq!((records.len(), journal.headers().len(), journal.foreign_records()), (2, 2, 1));
    journal.append(&["three"]).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "#made by=1 size=1\none\n#made by=2 size=1\ntwo\nthree\n");
    for (records, kept) in
        [(2, "one\n#made by=2 size=1\ntwo\n"), (1, "one\n#made by=2 size=1\n"), (0, "#made by=2 size=1\n")]
    {
        journal.truncate(records).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), format!("#made by=1 size=1\n{kept}"));
    }
}

#[test]
fn other_files_and_damaged_lines_get_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    for text in ["hello", "hello\n", "\n", "#made\n"] {
        fs::write(&path, text).unwrap();
        let error = open(&path, &header(1, 1), false).unwrap_err().to_string();
        assert!(error.ends_with("is not a test's journal"), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        assert!(read(&path, "#made ", "a test's journal", &mut |_| Ok(())).is_err());
    }
    fs::write(&path, "#made by=1 size=1\none\nbad\ntwo\n").unwrap();
    let error = open(&path, &header(1, 1), false).unwrap_err().to_string();
    assert!(error.starts_with("line 3 of ") && error.ends_with("is damaged: it is bad"), "{error}");
    assert!(matches!(open(folder.path(), &header(1, 1), false), Err(JournalError::Io { .. })));
    assert!(open(&folder.path().join("none/x"), &header(1, 1), false).unwrap_err().to_string().contains("cannot use"));
}

#[test]
fn a_journal_is_read_without_being_opened_for_writing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    fs::write(&path, "#made by=1\none\ntorn").unwrap();
    let mut records = Vec::new();
    let headers = read(&path, "#made ", "a test's journal", &mut |record| {
        records.push(record.to_owned());
        Ok(())
    });
    assert_eq!((headers.unwrap(), records), (vec!["#made by=1".to_owned()], vec!["one".to_owned()]));
    fs::write(&path, "").unwrap();
    assert!(read(&path, "#made ", "a test's journal", &mut |_| Ok(())).is_err());
}

#[test]
fn objects_differ_by_key() {
    let map = |value: Value| -> Map<String, Value> { value.as_object().unwrap().clone() };
    let (found, wanted) = (map(json!({"a": 1, "b": 2, "d": 4})), map(json!({"a": 1, "b": 3, "c": 1})));
    let names: Vec<_> = differences_of_maps(&found, &wanted, &["c"]).into_iter().map(|d| (d.name, d.may_mix)).collect();
    let expected = [("b", false), ("c", true), ("d", false)].map(|(name, may_mix)| (name.to_owned(), may_mix));
    assert_eq!(names, expected);
}

#[cfg(unix)]
#[test]
fn a_record_never_goes_to_a_file_that_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    for replaced in [false, true] {
        let (mut journal, _) = open(&path, &header(1, 1), false).unwrap();
        journal.append(&["one"]).unwrap();
        fs::remove_file(&path).unwrap();
        if replaced {
            fs::write(&path, "another").unwrap();
        }
        for told in [journal.append(&["two"]), journal.append_unsynced(&["two"]), journal.sync()] {
            let told = told.unwrap_err().to_string();
            assert!(told.contains(path.to_str().unwrap()) && told.contains("was removed or replaced"), "{told}");
        }
        assert_eq!(journal.records(), 1);
        assert_eq!(fs::read(&path).ok(), replaced.then(|| b"another".to_vec()));
        let _ = fs::remove_file(&path);
    }
}

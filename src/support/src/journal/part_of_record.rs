//! What the header of a part of a record has more than that of the whole: a last key `shard`, behind which nothing follows. Without it
//! the header is that of the whole record, byte for byte.

use crate::part::Part;
use serde::{Deserialize, Serialize};

/// How the key begins.
const KEY: &str = ",\"shard\":";

/// Which part of a record a file has, and how many records that are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartOfRecord {
    /// Which part.
    pub part: Part,
    /// Records of the part when it is complete.
    pub records: u64,
    /// Records of all parts together.
    pub all: u64,
}

impl PartOfRecord {
    /// The header of this part by the header of the whole, one JSON object; the whole is no part.
    pub fn header(self, whole: &str) -> String {
        match whole.strip_suffix('}') {
            // Numbers and texts can always be written.
            Some(open) if !self.part.is_whole() => {
                format!("{open}{KEY}{}}}", serde_json::to_string(&self).unwrap_or_default())
            }
            _ => whole.to_owned(),
        }
    }

    /// The header of the whole and the part that a header states; `None` if it states none.
    pub fn split(header: &str) -> Option<(String, Self)> {
        let (open, part) = header.strip_suffix('}')?.rsplit_once(KEY)?;
        Some((format!("{open}}}"), serde_json::from_str(part).ok()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_that_of_the_whole_and_its_part() {
        let part = PartOfRecord { part: "2/7".parse().unwrap(), records: 3, all: 20 };
        let whole = "{\"a\":1,\"b\":{\"c\":2}}";
        let header = part.header(whole);
        assert_eq!(header, "{\"a\":1,\"b\":{\"c\":2},\"shard\":{\"part\":\"2/7\",\"records\":3,\"all\":20}}");
        assert_eq!(PartOfRecord::split(&header), Some((whole.to_owned(), part)));
        assert_eq!(PartOfRecord::split(whole), None);
        assert_eq!(PartOfRecord { part: Part::WHOLE, ..part }.header(whole), whole);
    }
}

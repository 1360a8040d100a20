//! Which players of a match, or of several that are merged, were more than one engine or program.

use super::header::MatchHeader;
use anyhow::ensure;
use std::collections::BTreeMap;

/// What each player was, by name, for players that were more than one thing.
pub fn mixed(headers: &[MatchHeader]) -> BTreeMap<String, Vec<String>> {
    let mut all = identities(headers);
    all.retain(|_, identities| identities.len() > 1);
    all
}

/// Checks that each player is the same by all headers.
///
/// # Errors
/// If one is not.
pub fn check_same(headers: &[MatchHeader]) -> anyhow::Result<()> {
    for (player, identities) in identities(headers) {
        ensure!(
            identities.len() == 1,
            "{player} is not the same in all these games: {}; --mixed merges them all the same",
            identities.join(" | ")
        );
    }
    Ok(())
}

fn identities(headers: &[MatchHeader]) -> BTreeMap<String, Vec<String>> {
    let mut all = BTreeMap::<String, Vec<String>>::new();
    for player in headers.iter().flat_map(MatchHeader::players) {
        let identities = all.entry(player.name.clone()).or_default();
        let identity = player.identity();
        if !identities.contains(&identity) {
            identities.push(identity);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::super::header::PlayerDescription;
    use super::*;
    use serde_json::Map;

    fn header(program: &str) -> MatchHeader {
        let player = PlayerDescription {
            name: "A".into(),
            engine: "okapi net=1".into(),
            limits: "depth 1".into(),
            program: program.to_owned(),
        };
        MatchHeader::new(vec![player], Map::new(), String::new())
    }

    #[test]
    fn players_are_mixed_if_their_programs_differ() {
        let (one, two) = (header("1"), header("2"));
        let check = |headers: &[&MatchHeader]| {
            let headers: Vec<MatchHeader> = headers.iter().map(|&header| header.clone()).collect();
            (check_same(&headers).is_ok(), mixed(&headers).get("A").map_or(1, Vec::len))
        };
        assert_eq!(check(&[&one, &one]), (true, 1));
        assert_eq!(check(&[&one, &two, &one]), (false, 2));
        let error = check_same(&[one, two]).unwrap_err().to_string();
        assert!(error.contains("okapi net=1; depth 1; program 1 | okapi net=1; depth 1; program 2"), "{error}");
    }
}

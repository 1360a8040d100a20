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
/// If one is not, or its program is not recorded.
pub fn check_same(headers: &[MatchHeader]) -> anyhow::Result<()> {
    let unknown = |player: &str| {
        let of_that_name = headers.iter().flat_map(MatchHeader::players).filter(|other| other.name == player);
        of_that_name.clone().count() > 1 && of_that_name.into_iter().any(|other| other.program.is_none())
    };
    for (player, identities) in identities(headers) {
        let known = identities.len() == 1 && !unknown(&player);
        let identities = identities.join(" | ");
        ensure!(
            known,
            "{player} is not known to be the same in all these games: {identities}; --mixed merges them all the same"
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

    fn header(program: Option<&str>) -> MatchHeader {
        let player = PlayerDescription {
            name: "A".into(),
            engine: "okapi net=1".into(),
            limits: "depth 1".into(),
            program: program.map(str::to_owned),
        };
        MatchHeader::new(vec![player], Map::new(), String::new())
    }

    #[test]
    fn players_are_mixed_if_their_programs_differ_or_are_unknown() {
        let (one, two, unknown) = (header(Some("1")), header(Some("2")), header(None));
        let check = |headers: &[&MatchHeader]| {
            let headers: Vec<MatchHeader> = headers.iter().map(|&header| header.clone()).collect();
            (check_same(&headers).is_ok(), mixed(&headers).get("A").map_or(1, Vec::len))
        };
        assert_eq!(check(&[&one, &one]), (true, 1));
        assert_eq!(check(&[&one, &two, &one]), (false, 2));
        assert_eq!(check(&[&unknown]), (true, 1));
        assert_eq!(check(&[&unknown, &unknown]), (false, 1));
        assert_eq!(check(&[&unknown, &one]), (false, 2));
        let error = check_same(&[one, two]).unwrap_err().to_string();
        assert!(error.contains("okapi net=1; depth 1; program 1 | okapi net=1; depth 1; program 2"), "{error}");
    }
}

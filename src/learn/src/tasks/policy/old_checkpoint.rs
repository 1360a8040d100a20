//! The text of old checkpoints of the policy's training, which had no named fields. It begins with
//! `Training { seed: 5, topology: MoveTopology { groups: [(19, 16), ...], width: 16, hidden: 8 }, batch: 16, ... }`.

use crate::run::fields::Fields;
use crate::tasks::policy::policy_progress::Progress;
use nets::PolicyTopology;

/// Today's name of each field and what stood before its value.
const OLD_NAMES: [(&str, &str); 10] = [
    ("seed", "{ seed: "),
    ("batch", " batch: "),
    ("rate", " rate: "),
    ("epsilon", " epsilon: "),
    ("output", " output: "),
    ("passes", " passes: "),
    ("hash_move_dropout", " withheld: "),
    ("target", " target: "),
    ("nodes", "} nodes="),
    ("mirrors", " mirrors="),
];

/// The options and the progress that an old text states; `None` for any other text.
pub(crate) fn read(text: &str) -> Option<(Fields, Progress)> {
    let (options, progress) = text.split_once("\ndone ")?;
    let mut parts = options.strip_prefix("Training ")?.splitn(3, "; ");
    let (training, nodes, labels) = (parts.next()?, parts.next()?, parts.next()?);
    let mut fields = Fields::of_words("nodes.", nodes).and(Fields::of_words("labels.", labels));
    for (name, before) in OLD_NAMES {
        let value = training.split_once(before)?.1.split([',', ' ', ';']).next()?;
        // Numbers were written as Rust's debug format has them, 20.0 and 1e-12.
        let value = value
            .parse::<f32>()
            .ok()
            .filter(|_| ["rate", "epsilon"].contains(&name))
            .map_or_else(|| value.to_lowercase(), |number| number.to_string());
        fields = fields.with(name, value);
    }
    Some((fields.with("topology", topology(training)?), done(progress)?))
}

/// From `groups: [(19, 16), (216, 16), (128, 16)], width: 16, hidden: 8`.
fn topology(training: &str) -> Option<PolicyTopology> {
    let text = training.split_once("groups: ")?.1.split_once(" }")?.0;
    let numbers = text.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse().ok());
    let numbers: Vec<usize> = numbers.collect();
    let [_, first, _, second, _, third, width, hidden] = numbers[..] else { return None };
    PolicyTopology::new([first, second, third], width, hidden).ok()
}

/// From `EPOCH STEP LOSS`, a line's end and `seconds SECONDS`.
fn done(text: &str) -> Option<Progress> {
    let (done, seconds) = text.split_once("\nseconds ")?;
    let mut numbers = done.split(' ');
    let (epoch, step, loss) = (numbers.next()?, numbers.next()?, numbers.next()?);
    Some(Progress {
        epoch: epoch.parse().ok()?,
        step: step.parse().ok()?,
        loss: loss.parse().ok()?,
        seconds: seconds.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_text_gives_the_fields_of_today() {
        let text = "Training { seed: 5, topology: MoveTopology { groups: [(19, 16), (216, 16), (128, 16)], width: 16, \
                    hidden: 8 }, batch: 16, rate: 20.0, epsilon: 1e-12, form: MoveForm { output: Softmax, passes: 1 }, \
                    withheld: 30, target: Mixed } nodes=59 mirrors=4; okapi nodes 5 seed=5 net=d0cc keep=4; okapi \
                    labels 2 net=d0cc nodes=200\ndone 2 0 0.5\nseconds 1.25";
        let (fields, progress) = read(text).unwrap();
        let expected = [
            ("seed", "5"),
            ("topology", "19x16+216x16+128x16-16-8-1"),
            ("batch", "16"),
            ("rate", "20"),
            ("epsilon", "0.000000000001"),
            ("output", "softmax"),
            ("passes", "1"),
            ("hash_move_dropout", "30"),
            ("target", "mixed"),
            ("nodes", "59"),
            ("mirrors", "4"),
            ("nodes.format", "okapi nodes 5"),
            ("nodes.seed", "5"),
            ("nodes.net", "d0cc"),
            ("nodes.keep", "4"),
            ("labels.format", "okapi labels 2"),
            ("labels.net", "d0cc"),
            ("labels.nodes", "200"),
        ];
        let expected = expected.iter().fold(Fields::default(), |fields, (name, value)| fields.with(name, value));
        assert_eq!(fields.differences(&expected), None);
        assert_eq!(progress, Progress { epoch: 2, step: 0, loss: 0.5, seconds: 1.25 });
        assert!(read("Training { seed: 5 }\ndone 1 2 3\nseconds 4").is_none());
    }
}

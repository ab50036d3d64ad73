//! What an analyst chose for single metrics, read from a file. Checks the file alone; whether a choice fits its metric,
//! learning checks.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::learning::{ChosenBins, MetricChoice, Sign};

/// The file as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenChoices {
    metric: BTreeMap<String, WrittenChoice>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenChoice {
    bins: Option<Vec<WrittenBin>>,
    #[serde(default)]
    special: Vec<f64>,
    sign: Option<WrittenSign>,
    #[serde(default)]
    force: bool,
    why: Option<String>,
}

/// A cut, a text, or texts that share a bin.
#[derive(Deserialize)]
#[serde(untagged)]
enum WrittenBin {
    Cut(f64),
    Text(String),
    Texts(Vec<String>),
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum WrittenSign {
    Rising,
    Falling,
    Any,
}

/// Reads a file of choices: a table `[metric.NAME]` for each metric.
///
/// # Errors
/// If it cannot be read, or a choice says nothing or mixes numbers with texts.
pub fn read_learning_choices(text: &str) -> Result<BTreeMap<String, MetricChoice>, String> {
    let written: WrittenChoices = toml::from_str(text).map_err(|error| error.to_string().trim_end().to_owned())?;
    let one = |(name, choice): (String, WrittenChoice)| match read_choice(choice) {
        Ok(choice) => Ok((name, choice)),
        Err(what) => Err(format!("[metric.{name}]: {what}")),
    };
    written.metric.into_iter().map(one).collect()
}

fn read_choice(written: WrittenChoice) -> Result<MetricChoice, String> {
    let sign = written.sign.map(|sign| match sign {
        WrittenSign::Rising => Sign::Rising,
        WrittenSign::Falling => Sign::Falling,
        WrittenSign::Any => Sign::Any,
    });
    let bins = written.bins.map(read_bins).transpose()?;
    let choice = MetricChoice { bins, special: written.special, sign, force: written.force, why: None };
    if choice == MetricChoice::default() {
        return Err("it chooses nothing; give `bins`, `special`, `sign` or `force = true`".to_owned());
    }
    Ok(MetricChoice { why: written.why, ..choice })
}

fn read_bins(written: Vec<WrittenBin>) -> Result<ChosenBins, String> {
    let are_cuts = matches!(written.first(), None | Some(WrittenBin::Cut(_)));
    let (mut cuts, mut groups) = (Vec::new(), Vec::new());
    for bin in written {
        match bin {
            WrittenBin::Cut(cut) if are_cuts => cuts.push(cut),
            WrittenBin::Text(text) if !are_cuts => groups.push(vec![text]),
            WrittenBin::Texts(texts) if !are_cuts => groups.push(texts),
            _ => return Err("`bins` has numbers and texts; a metric has one or the other".to_owned()),
        }
    }
    Ok(if are_cuts { ChosenBins::Cuts(cuts) } else { ChosenBins::Groups(groups) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_read() {
        let text = r#"
[metric.age]
bins = [25, 40, 60.5]
special = [-1, 999]
sign = "rising"
why = "policy of 2024"

[metric.grade]
bins = ["A", ["B", "C"], ["D, E"]]
force = true
"#;
        let found = read_learning_choices(text).expect("choices");
        let age = MetricChoice {
            bins: Some(ChosenBins::Cuts(vec![25.0, 40.0, 60.5])),
            special: vec![-1.0, 999.0],
            sign: Some(Sign::Rising),
            force: false,
            why: Some("policy of 2024".to_owned()),
        };
        assert_eq!(found["age"], age);
        let groups =
            [vec!["A"], vec!["B", "C"], vec!["D, E"]].map(|group| group.iter().map(ToString::to_string).collect());
        assert_eq!(found["grade"].bins, Some(ChosenBins::Groups(groups.to_vec())));
        assert!(found["grade"].force);
    }

    #[test]
    fn what_cannot_be_meant_is_refused() {
        for (text, why) in [
            ("[metric.age]\nbin = [25]\n", "unknown field `bin`"),
            ("[age]\nbins = [25]\n", "unknown field `age`"),
            ("[metric.age]\nbins = [25, \"A\"]\n", "[metric.age]: `bins` has numbers and texts"),
            ("[metric.age]\nsign = \"up\"\n", "unknown variant `up`"),
            ("[metric.age]\n", "[metric.age]: it chooses nothing"),
            ("[metric.age]\nwhy = \"so\"\n", "[metric.age]: it chooses nothing"),
            ("[metric.age]\nforce = \"yes\"\n", "expected a boolean"),
            ("", "missing field `metric`"),
        ] {
            let error = read_learning_choices(text).expect_err(text);
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}

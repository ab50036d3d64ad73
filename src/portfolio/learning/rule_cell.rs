//! What a bin holds, as the cell of a rule file.

use super::binning::Holds;
use crate::base::rational::write_shortest_decimal;

/// What a bin holds, as the cell of a rule file.
pub fn bin_as_rule_cell(holds: &Holds) -> String {
    let number = |end: &f64| write_shortest_decimal(*end);
    match holds {
        Holds::Range { low: None, high: None } => "not(unknown)".into(),
        Holds::Range { low: None, high: Some(high) } => format!("< {}", number(high)),
        Holds::Range { low: Some(low), high: None } => format!(">= {}", number(low)),
        Holds::Range { low: Some(low), high: Some(high) } => format!("{}..{}", number(low), number(high)),
        Holds::Truth(truth) => truth.to_string(),
        Holds::Words(words) => {
            let word = |word: &String| format!("'{}'", word.replace('\'', "''"));
            words.iter().map(word).collect::<Vec<String>>().join(", ")
        }
        Holds::Special(value) => format!("= {}", number(value)),
        Holds::Other => "-".into(),
        Holds::Unknown => "unknown".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::toml_text::quote_toml_text;

    #[test]
    fn cells_are_those_of_rule_files() {
        let words = ["it's".to_string(), "a, b".to_string()].to_vec();
        let cells = [
            (Holds::Range { low: None, high: Some(0.1) }, "< 0.1"),
            (Holds::Range { low: Some(0.1), high: Some(15_000.0) }, "0.1..15000"),
            (Holds::Range { low: Some(-2.0), high: None }, ">= -2"),
            (Holds::Truth(true), "true"),
            (Holds::Words(words), "'it''s', 'a, b'"),
            (Holds::Other, "-"),
            (Holds::Unknown, "unknown"),
        ];
        for (holds, wanted) in cells {
            assert_eq!(bin_as_rule_cell(&holds), wanted);
        }
        assert_eq!(quote_toml_text("a\"\\\n"), "\"a\\\"\\\\\\n\"");
    }
}

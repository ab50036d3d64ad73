//! Adds a correction to the text of a file of corrections. What is there stays as it is.

use crate::base::csv_line::CsvLine;
use crate::base::date::Day;
use crate::base::diagnostic::Diagnostic;
use crate::base::toml_text::quote_toml_text;
use crate::rules::{CORRECTION_KEYS, csv_lines, read_file};

/// A correction that a person makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewCorrection {
    /// Which records: the key `id`, `payer` or `narration`, and its text.
    pub about: (String, String),
    /// The customer that it is limited to.
    pub customer: Option<String>,
    /// What the records are.
    pub kind: Option<String>,
    /// Whom they are of.
    pub counterparty: Option<String>,
    /// Who says so.
    pub by: String,
    /// When.
    pub on: Day,
    /// Why.
    pub why: String,
}

impl NewCorrection {
    fn value(&self, key: &str) -> Option<String> {
        match key {
            "customer" => self.customer.clone(),
            "kind" => self.kind.clone(),
            "counterparty" => self.counterparty.clone(),
            "by" => Some(self.by.clone()),
            "on" => Some(self.on.to_string()),
            "why" => Some(self.why.clone()),
            key => (self.about.0 == key).then(|| self.about.1.clone()),
        }
    }
}

/// The path of the file of corrections that a rule file names, from its folder, whatever else is wrong in it.
pub fn corrections_file(text: &str) -> Option<String> {
    let read = read_file(0, text, &mut Vec::new());
    read.header?.corrections.map(|named| named.value().to_owned())
}

/// The text of the file `name` with one more correction; a name that ends in `.csv` is that of a CSV file.
///
/// # Errors
/// If the file is CSV and its first line cannot be read, or lacks a column that the correction needs.
pub fn add_correction(name: &str, text: &str, correction: &NewCorrection) -> Result<String, String> {
    let mut whole = text.to_owned();
    if !whole.is_empty() && !whole.ends_with('\n') {
        whole.push('\n');
    }
    if name.to_ascii_lowercase().ends_with(".csv") {
        whole += &csv_text(text, correction)?;
        return Ok(whole);
    }
    if !whole.trim().is_empty() {
        whole.push('\n');
    }
    whole += "[[correction]]\n";
    for key in CORRECTION_KEYS {
        if let Some(value) = correction.value(key) {
            let value = if key == "on" { value } else { quote_toml_text(&value) };
            whole += &format!("{key} = {value}\n");
        }
    }
    Ok(whole)
}

/// The line of a correction, after a line of titles if the file has none.
fn csv_text(text: &str, correction: &NewCorrection) -> Result<String, String> {
    let lines = csv_lines(0, text).map_err(|wrong: Box<Diagnostic>| wrong.message)?;
    let titles =
        lines.into_iter().map(|(titles, _)| titles).find(|titles| titles.iter().any(|t| !t.value().is_empty()));
    let titles: Option<Vec<String>> =
        titles.map(|titles| titles.iter().map(|title| title.value().trim().to_owned()).collect());
    let (mut line, mut written) = (CsvLine::default(), String::new());
    let titles = titles.unwrap_or_else(|| {
        CORRECTION_KEYS.iter().for_each(|key| line.push_plain(key));
        written += &line.take_line();
        CORRECTION_KEYS.map(str::to_owned).into()
    });
    let lacks = |key: &&&str| correction.value(key).is_some() && !titles.iter().any(|title| title == **key);
    if let Some(key) = CORRECTION_KEYS.iter().find(lacks) {
        return Err(format!("the file has no column `{key}`; add it to its first line"));
    }
    let values: Vec<String> = titles.iter().map(|title| correction.value(title).unwrap_or_default()).collect();
    line.push_given(values.iter().map(String::as_str));
    written += &line.take_line();
    Ok(written)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn correction() -> NewCorrection {
        NewCorrection {
            about: ("payer".to_owned(), "ada \"mama\" obi".to_owned()),
            customer: None,
            kind: Some("gift".to_owned()),
            counterparty: None,
            by: "amina".to_owned(),
            on: Day::from_ymd(2026, 11, 2).unwrap(),
            why: "her sister, she says".to_owned(),
        }
    }

    #[test]
    fn a_correction_follows_what_is_there() {
        let whole = add_correction("c.toml", "# ours", &correction()).unwrap();
        let entry = "[[correction]]\npayer = \"ada \\\"mama\\\" obi\"\nkind = \"gift\"\nby = \"amina\"\n\
                     on = 2026-11-02\nwhy = \"her sister, she says\"\n";
        assert_eq!(whole, format!("# ours\n\n{entry}"));
        assert_eq!(add_correction("c.toml", "", &correction()).unwrap(), entry);
        assert_eq!(add_correction("c.toml", &whole, &correction()).unwrap(), format!("{whole}\n{entry}"));
    }

    #[test]
    fn a_line_of_csv_has_the_columns_of_the_file() {
        let whole = add_correction("c.CSV", "why,by,on,payer,kind", &correction()).unwrap();
        let line = "\"her sister, she says\",amina,2026-11-02,\"ada \"\"mama\"\" obi\",gift\n";
        assert_eq!(whole, format!("why,by,on,payer,kind\n{line}"));
        let fresh = add_correction("c.csv", "", &correction()).unwrap();
        assert!(fresh.starts_with("id,payer,narration,customer,kind,counterparty,by,on,why\n,"), "{fresh}");
        let wrong = add_correction("c.csv", "id,kind,by,on,why\n", &correction()).unwrap_err();
        assert!(wrong.contains("`payer`"), "{wrong}");
    }
}

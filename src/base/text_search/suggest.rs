//! The name that was probably meant by a misspelt one.

/// The name nearest to what was written, if it is near enough to be a typing error. This is stricter than a suggestion
/// in a rule file, because here a near name refuses a record. A name of two letters may differ in case only.
pub(crate) fn suggest_near_name<'n>(written: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    // A text longer than any name is near none of them, so only its beginning is compared.
    let written: String = written.chars().take(64).collect::<String>().to_ascii_lowercase();
    names
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(&written, name), name))
        .filter(|(steps, name)| *steps <= (name.len() / 3).min(2))
        .min()
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_near_and_another_word_is_not() {
        let names = ["id", "trans_date", "credit", "debit"];
        assert_eq!(suggest_near_name("crediit", names), Some("credit"));
        assert_eq!(suggest_near_name("Credit", names), Some("credit"));
        assert_eq!(suggest_near_name("tras_dtae", names), Some("trans_date"));
        assert_eq!(suggest_near_name("deibt", names), Some("debit"));
        assert_eq!(suggest_near_name("manual", names), None);
        assert_eq!(suggest_near_name("ID", names), Some("id"));
        assert_eq!(suggest_near_name("ix", names), None);
    }
}

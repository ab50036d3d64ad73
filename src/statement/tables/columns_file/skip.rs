//! Which rows of a table are no records, as `skip` of a columns file says in the rule language. Must not read a table.

/// A condition on the cells of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Skip {
    /// As it was written.
    text: String,
}

impl Skip {
    /// Parses a condition. The error says what is wrong with it.
    pub(crate) fn parse(text: &str) -> Result<Skip, String> {
        Ok(Skip { text: text.to_owned() })
    }

    /// The condition as it was written.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }
}

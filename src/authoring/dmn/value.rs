//! The result of a FEEL expression during translation: text of the rule language with its type, or a structure of such
//! texts. Translates nothing.

/// Types that rule files have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ty {
    Number,
    Text,
    Boolean,
    Date,
    Time,
    Timestamp,
    /// Days and time.
    Duration,
    /// Years and months.
    Months,
}

impl Ty {
    pub fn word(self) -> &'static str {
        match self {
            Ty::Number => "number",
            Ty::Text => "text",
            Ty::Boolean => "boolean",
            Ty::Date => "date",
            Ty::Time => "time",
            Ty::Timestamp => "timestamp",
            Ty::Duration => "duration",
            Ty::Months => "months",
        }
    }

    /// The type of this name in DMN, in any of its versions.
    pub fn of_model(name: &str) -> Option<Ty> {
        // A prefix names the namespace, as in `feel:string`.
        Some(match name.rsplit(':').next().unwrap_or(name) {
            // The last three are names in Camunda's modeler.
            "number" | "integer" | "long" | "double" => Ty::Number,
            "string" => Ty::Text,
            "boolean" => Ty::Boolean,
            "date" => Ty::Date,
            "time" => Ty::Time,
            "dateTime" | "date and time" => Ty::Timestamp,
            "dayTimeDuration" | "days and time duration" => Ty::Duration,
            "yearMonthDuration" | "years and months duration" => Ty::Months,
            _ => return None,
        })
    }
}

/// One value as a rule file writes it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Scalar {
    /// In parentheses if it is more than one word.
    pub text: String,
    pub ty: Ty,
    /// The value as a cell writes it, if it is a literal.
    pub constant: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Val {
    Scalar(Scalar),
    Context(Vec<(String, Val)>),
    /// Separate values.
    List(Vec<Val>),
    /// A list of the rule language.
    ListOf(String, Ty),
    /// A list of structures, as one list per part.
    Rows(Vec<(String, String)>),
    Null,
    /// A value that a rule file cannot hold, and why.
    Untranslatable(String),
}

impl Scalar {
    pub fn number(digits: &str) -> Self {
        let text = if digits.starts_with('-') { format!("({digits})") } else { digits.to_owned() };
        Self { text, ty: Ty::Number, constant: Some(digits.to_owned()) }
    }

    pub fn text(value: &str) -> Self {
        let plain = !value.contains('\'') && !value.contains('\n');
        Self {
            text: format!("'{}'", value.replace('\'', "''")),
            ty: Ty::Text,
            constant: plain.then(|| format!("'{value}'")),
        }
    }

    pub fn boolean(value: bool) -> Self {
        let word = if value { "TRUE" } else { "FALSE" };
        Self { text: word.to_owned(), ty: Ty::Boolean, constant: Some(word.to_lowercase()) }
    }

    pub fn date(day: &str) -> Self {
        Self { text: format!("DATE '{day}'"), ty: Ty::Date, constant: Some(day.to_owned()) }
    }

    /// A name, or a call.
    pub fn named(text: impl Into<String>, ty: Ty) -> Self {
        Self { text: text.into(), ty, constant: None }
    }

    /// An expression of several words.
    pub fn made(text: impl AsRef<str>, ty: Ty) -> Self {
        Self { text: format!("({})", text.as_ref()), ty, constant: None }
    }

    /// The text without parentheses around all of it.
    pub fn bare(&self) -> &str {
        let inner = self.text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
        let Some(inner) = inner else { return &self.text };
        let mut depth = 0i32;
        let mut quoted = false;
        for c in inner.chars() {
            quoted ^= c == '\'';
            depth += match c {
                '(' if !quoted => 1,
                ')' if !quoted => -1,
                _ => 0,
            };
            if depth < 0 {
                return &self.text;
            }
        }
        inner
    }
}

/// Makes a name of the rule language from a name of the model.
pub(super) fn to_snake_case(name: &str) -> String {
    let mut out = String::new();
    let mut before = ' ';
    for c in name.chars() {
        if c.is_ascii_alphanumeric() {
            if c.is_ascii_uppercase() && (before.is_ascii_lowercase() || before.is_ascii_digit()) {
                out.push('_');
            }
            out.push(c.to_ascii_lowercase());
        } else if !out.ends_with('_') && !out.is_empty() {
            out.push('_');
        }
        before = c;
    }
    let out = out.trim_end_matches('_');
    match out.chars().next() {
        Some(first) if first.is_ascii_lowercase() => out.to_owned(),
        _ => format!("x_{out}").trim_end_matches('_').to_owned(),
    }
}

//! One field of a call: its name, its type and bounds, and whether it may be shown. Knows nothing of the calls.

/// One field of a request or of an answer.
#[derive(Debug, Clone)]
pub(crate) struct ContractField {
    pub name: String,
    pub kind: FieldKind,
    pub required: bool,
    /// Never shown, not even to those who run the sandbox: tokens, card data, identity, telephone and account numbers.
    pub secret: bool,
    pub about: &'static str,
}

/// What a field may hold.
#[derive(Debug, Clone)]
pub(crate) enum FieldKind {
    /// A text of `least` to `most` characters.
    Text { least: usize, most: usize, form: Form },
    /// A whole number.
    Whole { least: i64, most: i64 },
    /// A number above zero, with decimals where the settings say major units.
    Amount,
    /// Any number.
    Number,
    /// True or false.
    Flag,
    /// One of these texts.
    OneOf(Vec<String>),
    /// These fields and no others.
    Object(Vec<ContractField>),
    /// These fields, and any others.
    OpenObject(Vec<ContractField>),
    /// Any number of these.
    List(Box<FieldKind>),
    /// A text or a whole number.
    TextOrWhole,
}

/// The form of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Any.
    Free,
    /// `YYYY-MM-DD`.
    Date,
    /// Digits only.
    Digits,
    /// Visible ASCII characters.
    Visible,
    /// An address that a browser can be sent to.
    Address,
}

impl Form {
    /// The form as a regular expression, for the OpenAPI document.
    pub(crate) fn pattern(self) -> Option<&'static str> {
        match self {
            Form::Free => None,
            // A format of its own in JSON Schema.
            Form::Date => None,
            Form::Digits => Some("^[0-9]+$"),
            Form::Visible => Some("^[!-~]+$"),
            Form::Address => Some(r"^https?://[0-9A-Za-z\[][!-~]*$"),
        }
    }

    /// The form in words, for a refusal: "not …".
    pub(crate) fn words(self) -> &'static str {
        match self {
            Form::Free => "a text",
            Form::Date => "a date of the form YYYY-MM-DD",
            Form::Digits => "made of digits",
            Form::Visible => "made of visible ASCII characters without spaces",
            Form::Address => "an http or https address",
        }
    }

    /// Whether a text has the form. Accepts exactly what the pattern accepts.
    pub(crate) fn fits(self, text: &str) -> bool {
        match self {
            Form::Free => true,
            Form::Date => {
                text.len() == 10
                    && chrono::NaiveDate::parse_from_str(text, "%Y-%m-%d").is_ok_and(|day| day.to_string() == text)
            }
            Form::Digits => text.bytes().all(|byte| byte.is_ascii_digit()),
            Form::Visible => text.bytes().all(|byte| byte.is_ascii_graphic()),
            Form::Address => {
                let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
                let first = rest.and_then(|rest| rest.bytes().next());
                first.is_some_and(|first| first.is_ascii_alphanumeric() || first == b'[')
                    && text.bytes().all(|byte| byte.is_ascii_graphic())
            }
        }
    }
}

impl ContractField {
    pub(super) fn new(name: &str, kind: FieldKind, about: &'static str) -> Self {
        ContractField { name: name.to_owned(), kind, required: true, secret: false, about }
    }

    /// A text of 1 to 128 characters.
    pub(super) fn text(name: &str, about: &'static str) -> Self {
        ContractField::new(name, FieldKind::Text { least: 1, most: 128, form: Form::Free }, about)
    }

    /// A text of a form and a length.
    pub(super) fn formed(name: &str, form: Form, least: usize, most: usize, about: &'static str) -> Self {
        ContractField::new(name, FieldKind::Text { least, most, form }, about)
    }

    /// A text that may be long, or empty.
    pub(crate) fn words(name: &str, about: &'static str) -> Self {
        ContractField::new(name, FieldKind::Text { least: 0, most: 4_000, form: Form::Free }, about)
    }

    /// A whole number above zero, small enough that sums of many still fit.
    pub(super) fn whole(name: &str, about: &'static str) -> Self {
        ContractField::new(name, FieldKind::Whole { least: 1, most: 1_000_000_000_000_000 }, about)
    }

    pub(super) fn flag(name: &str, about: &'static str) -> Self {
        ContractField::new(name, FieldKind::Flag, about)
    }

    pub(super) fn object(name: &str, fields: Vec<ContractField>, about: &'static str) -> Self {
        ContractField::new(name, FieldKind::Object(fields), about)
    }

    /// Turns fields of an answer whose names have dots into nested objects.
    pub(crate) fn inwards(fields: Vec<ContractField>) -> Vec<ContractField> {
        let mut all: Vec<ContractField> = Vec::new();
        for field in fields {
            let Some((outer, inner)) = field.name.split_once('.') else {
                all.push(field);
                continue;
            };
            let (outer, inner) = (outer.to_owned(), ContractField { name: inner.to_owned(), ..field.clone() });
            match all.iter_mut().find(|known| known.name == outer) {
                Some(ContractField { kind: FieldKind::Object(fields), .. }) => fields.push(inner),
                _ => all.push(ContractField::object(&outer, vec![inner], "what the settings place in it")),
            }
        }
        for field in &mut all {
            if let FieldKind::Object(fields) = &mut field.kind {
                *fields = ContractField::inwards(std::mem::take(fields));
                field.required = fields.iter().any(|inner| inner.required);
            }
        }
        all
    }

    /// Whether it is secret, or an object that contains a secret.
    pub(crate) fn holds_secret(&self) -> bool {
        let inside = match &self.kind {
            FieldKind::Object(fields) | FieldKind::OpenObject(fields) => fields.iter().any(ContractField::holds_secret),
            _ => false,
        };
        self.secret || inside
    }

    pub(super) fn optional(self) -> Self {
        ContractField { required: false, ..self }
    }

    pub(super) fn secret(self) -> Self {
        ContractField { secret: true, ..self }
    }
}

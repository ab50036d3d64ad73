//! Parses FEEL, the expression language of DMN, as far as decisions on scalars use it. Names may contain spaces and
//! signs, so the parser needs the names in scope. Translates nothing.

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Feel {
    Number(String),
    Text(String),
    Boolean(bool),
    Null,
    Name(String),
    Part(Box<Feel>, String),
    /// Callee, arguments, each with its name where one is given.
    Call(String, Vec<(Option<String>, Feel)>),
    Binary(&'static str, Box<Feel>, Box<Feel>),
    Negate(Box<Feel>),
    If(Box<Feel>, Box<Feel>, Box<Feel>),
    List(Vec<Feel>),
    Context(Vec<(String, Feel)>),
    /// Value, tests.
    In(Box<Feel>, Vec<Test>),
}

impl Feel {
    /// Whether the value that an entry tests occurs in it as `?`.
    pub(super) fn mentions_tested(&self) -> bool {
        match self {
            Feel::Name(name) => name == "?",
            Feel::Number(_) | Feel::Text(_) | Feel::Boolean(_) | Feel::Null => false,
            Feel::Part(inner, _) | Feel::Negate(inner) => inner.mentions_tested(),
            Feel::Call(_, arguments) => arguments.iter().any(|(_, argument)| argument.mentions_tested()),
            Feel::Binary(_, left, right) => left.mentions_tested() || right.mentions_tested(),
            Feel::If(condition, then, otherwise) => {
                [condition, then, otherwise].iter().any(|part| part.mentions_tested())
            }
            Feel::List(items) => items.iter().any(Feel::mentions_tested),
            Feel::Context(entries) => entries.iter().any(|(_, entry)| entry.mentions_tested()),
            Feel::In(inner, tests) => inner.mentions_tested() || tests.iter().any(Test::mentions_tested),
        }
    }
}

impl Test {
    fn mentions_tested(&self) -> bool {
        match self {
            Test::Compare(_, feel) | Test::Value(feel) => feel.mentions_tested(),
            Test::Interval(low, _, high, _) => low.mentions_tested() || high.mentions_tested(),
        }
    }
}

/// A unary test.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Test {
    Compare(&'static str, Feel),
    /// Low, high; true where an end belongs.
    Interval(Feel, bool, Feel, bool),
    Value(Feel),
}

/// The tests of an input entry.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum InputEntry {
    Anything,
    OneOf(Vec<Test>),
    NoneOf(Vec<Test>),
}

const DEPTH_MAX: usize = 60;

pub(super) struct Parser<'t> {
    text: &'t str,
    at: usize,
    /// Names in scope, the longest first.
    names: &'t [String],
    depth: usize,
    /// Whether the high end of an interval is read.
    ends_interval: bool,
}

type Parsed<T> = Result<T, String>;

/// Parses a whole expression.
pub(super) fn parse_feel_expression(text: &str, names: &[String]) -> Parsed<Feel> {
    let mut parser = Parser { text, at: 0, names, depth: 0, ends_interval: false };
    let parsed = parser.expression()?;
    parser.end()?;
    Ok(parsed)
}

/// Parses an input entry.
pub(super) fn parse_input_entry(text: &str, names: &[String]) -> Parsed<InputEntry> {
    let text = text.trim();
    if text == "-" || text.is_empty() {
        return Ok(InputEntry::Anything);
    }
    let mut parser = Parser { text, at: 0, names, depth: 0, ends_interval: false };
    if parser.word("not") && parser.sign("(") {
        let tests = parser.tests()?;
        if parser.sign(")") && parser.rest().trim().is_empty() {
            return Ok(InputEntry::NoneOf(tests));
        }
    }
    parser.at = 0;
    let tests = parser.tests()?;
    parser.end()?;
    Ok(InputEntry::OneOf(tests))
}

/// Parses a list of values, such as those of an output.
pub(super) fn parse_value_list(text: &str) -> Parsed<Vec<Feel>> {
    let mut parser = Parser { text, at: 0, names: &[], depth: 0, ends_interval: false };
    let mut values = vec![parser.expression()?];
    while parser.sign(",") {
        values.push(parser.expression()?);
    }
    parser.end()?;
    Ok(values)
}

/// The character of `\u20AC` or `\U01F600`.
fn character_of_code(mark: char, code: &str, digits: usize) -> Parsed<char> {
    let is_whole = code.len() == digits && code.bytes().all(|digit| digit.is_ascii_hexdigit());
    let found = u32::from_str_radix(code, 16).ok().filter(|_| is_whole).and_then(char::from_u32);
    found.ok_or_else(|| format!("`\\{mark}{code}` names no character; it takes {digits} hexadecimal digits"))
}

impl<'t> Parser<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    fn end(&mut self) -> Parsed<()> {
        self.space();
        if self.rest().is_empty() { Ok(()) } else { Err(format!("`{}` is not understood", self.rest())) }
    }

    fn sign(&mut self, sign: &str) -> bool {
        self.space();
        let found = self.rest().starts_with(sign);
        if found {
            self.at += sign.len();
        }
        found
    }

    /// A keyword, whole.
    fn word(&mut self, word: &str) -> bool {
        self.space();
        let Some(after) = self.rest().strip_prefix(word) else { return false };
        if after.starts_with(|c: char| c.is_alphanumeric() || c == '_')
            || self.name_here().is_some_and(|(_, length)| length > word.len())
        {
            return false;
        }
        self.at += word.len();
        true
    }

    /// The longest name in scope at this point, and its length in the text.
    fn name_here(&self) -> Option<(&'t str, usize)> {
        let rest = self.rest();
        let matches = |name: &'t String| {
            let mut at = 0;
            for (index, word) in name.split(' ').enumerate() {
                if index > 0 {
                    let spaces = rest[at..].len() - rest[at..].trim_start().len();
                    if spaces == 0 {
                        return None;
                    }
                    at += spaces;
                }
                at += rest[at..].strip_prefix(word).map(|_| word.len())?;
            }
            let goes_on = rest[at..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
            (!goes_on).then_some((name.as_str(), at))
        };
        self.names.iter().filter_map(matches).max_by_key(|(_, length)| *length)
    }

    fn tests(&mut self) -> Parsed<Vec<Test>> {
        let mut tests = vec![self.test()?];
        while self.sign(",") {
            tests.push(self.test()?);
        }
        Ok(tests)
    }

    fn test(&mut self) -> Parsed<Test> {
        for sign in ["<=", ">=", "!=", "<", ">", "="] {
            if self.sign(sign) {
                return Ok(Test::Compare(sign, self.sum()?));
            }
        }
        let start = self.at;
        if let Some(interval) = self.interval() {
            return Ok(interval);
        }
        self.at = start;
        Ok(Test::Value(self.expression()?))
    }

    fn interval(&mut self) -> Option<Test> {
        let low_belongs = if self.sign("[") {
            true
        } else if self.sign("(") || self.sign("]") {
            false
        } else {
            return None;
        };
        let low = self.sum().ok()?;
        if !self.sign("..") {
            return None;
        }
        // After the high end, `[` closes the interval and begins no filter.
        let ends_interval = std::mem::replace(&mut self.ends_interval, true);
        let high = self.sum();
        self.ends_interval = ends_interval;
        let high = high.ok()?;
        let high_belongs = if self.sign("]") {
            true
        } else if self.sign(")") || self.sign("[") {
            false
        } else {
            return None;
        };
        Some(Test::Interval(low, low_belongs, high, high_belongs))
    }

    fn expression(&mut self) -> Parsed<Feel> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(format!("an expression is nested more than {DEPTH_MAX} deep"));
        }
        let parsed = self.choice();
        self.depth -= 1;
        parsed
    }

    fn choice(&mut self) -> Parsed<Feel> {
        for word in ["for", "some", "every", "function"] {
            if self.word(word) {
                return Err(format!("`{word}` cannot be expressed in a rule file"));
            }
        }
        if self.word("if") {
            let condition = self.expression()?;
            self.must("then")?;
            let then = self.expression()?;
            self.must("else")?;
            let otherwise = self.expression()?;
            return Ok(Feel::If(Box::new(condition), Box::new(then), Box::new(otherwise)));
        }
        self.either()
    }

    fn must(&mut self, word: &str) -> Parsed<()> {
        if self.word(word) { Ok(()) } else { Err(format!("`{word}` is missing before `{}`", self.rest())) }
    }

    fn either(&mut self) -> Parsed<Feel> {
        let mut left = self.both()?;
        while self.word("or") {
            left = Feel::Binary("OR", Box::new(left), Box::new(self.both()?));
        }
        Ok(left)
    }

    fn both(&mut self) -> Parsed<Feel> {
        let mut left = self.comparison()?;
        while self.word("and") {
            left = Feel::Binary("AND", Box::new(left), Box::new(self.comparison()?));
        }
        Ok(left)
    }

    fn comparison(&mut self) -> Parsed<Feel> {
        let left = self.sum()?;
        if self.word("between") {
            let low = self.sum()?;
            self.must("and")?;
            return Ok(Feel::In(Box::new(left), vec![Test::Interval(low, true, self.sum()?, true)]));
        }
        if self.word("in") {
            let start = self.at;
            if let Some(interval) = self.interval() {
                return Ok(Feel::In(Box::new(left), vec![interval]));
            }
            self.at = start;
            if self.sign("(") {
                let tests = self.tests()?;
                if self.sign(")") {
                    return Ok(Feel::In(Box::new(left), tests));
                }
            }
            self.at = start;
            return Ok(Feel::In(Box::new(left), vec![self.test()?]));
        }
        for (sign, ours) in [("<=", "<="), (">=", ">="), ("!=", "<>"), ("<", "<"), (">", ">"), ("=", "=")] {
            if self.sign(sign) {
                return Ok(Feel::Binary(ours, Box::new(left), Box::new(self.sum()?)));
            }
        }
        Ok(left)
    }

    fn sum(&mut self) -> Parsed<Feel> {
        let mut left = self.product()?;
        loop {
            let op = if self.sign("+") {
                "+"
            } else if self.sign("-") {
                "-"
            } else {
                return Ok(left);
            };
            left = Feel::Binary(op, Box::new(left), Box::new(self.product()?));
        }
    }

    fn product(&mut self) -> Parsed<Feel> {
        let mut left = self.power()?;
        loop {
            self.space();
            if self.rest().starts_with("**") {
                return Ok(left);
            }
            let op = if self.sign("*") {
                "*"
            } else if self.sign("/") {
                "/"
            } else {
                return Ok(left);
            };
            left = Feel::Binary(op, Box::new(left), Box::new(self.power()?));
        }
    }

    fn power(&mut self) -> Parsed<Feel> {
        let mut left = self.unary()?;
        while self.sign("**") {
            left = Feel::Binary("**", Box::new(left), Box::new(self.unary()?));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parsed<Feel> {
        if !self.sign("-") {
            return self.postfix();
        }
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(format!("an expression is nested more than {DEPTH_MAX} deep"));
        }
        let inner = self.unary()?;
        self.depth -= 1;
        Ok(match inner {
            Feel::Number(digits) => Feel::Number(format!("-{digits}")),
            other => Feel::Negate(Box::new(other)),
        })
    }

    fn postfix(&mut self) -> Parsed<Feel> {
        let mut value = self.primary()?;
        loop {
            self.space();
            if self.rest().starts_with('.') && !self.rest().starts_with("..") {
                self.at += 1;
                value = Feel::Part(Box::new(value), self.name()?);
            } else if self.rest().starts_with('[') && !self.ends_interval {
                return Err(format!("a filter `{}` cannot be expressed in a rule file", self.rest()));
            } else {
                return Ok(value);
            }
        }
    }

    fn name(&mut self) -> Parsed<String> {
        self.space();
        if let Some((name, length)) = self.name_here() {
            self.at += length;
            return Ok(name.to_owned());
        }
        let rest = self.rest();
        let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '?').unwrap_or(rest.len());
        if length == 0 {
            return Err(format!("a name is missing before `{rest}`"));
        }
        self.at += length;
        Ok(rest[..length].to_owned())
    }

    fn primary(&mut self) -> Parsed<Feel> {
        self.space();
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return Err("the expression ends too early".to_owned()) };
        if first == '"' {
            return self.text_literal();
        }
        if first.is_ascii_digit() || (first == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit())) {
            let mut length = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            if rest[length..].starts_with('.') && rest[length + 1..].starts_with(|c: char| c.is_ascii_digit()) {
                length += 1 + rest[length + 1..].find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len() - length - 1);
            }
            self.at += length;
            let digits = &rest[..length];
            return Ok(Feel::Number(if first == '.' { format!("0{digits}") } else { digits.to_owned() }));
        }
        if self.sign("(") {
            let ends_interval = std::mem::take(&mut self.ends_interval);
            let inner = self.expression()?;
            self.ends_interval = ends_interval;
            return if self.sign(")") { Ok(inner) } else { Err(format!("`)` is missing before `{}`", self.rest())) };
        }
        if self.sign("[") {
            return Ok(Feel::List(self.until("]", Self::expression)?));
        }
        if self.sign("{") {
            return Ok(Feel::Context(self.until("}", Self::context_entry)?));
        }
        for (word, value) in [("true", Feel::Boolean(true)), ("false", Feel::Boolean(false)), ("null", Feel::Null)] {
            if self.word(word) {
                return Ok(value);
            }
        }
        if rest.starts_with("@\"") {
            self.at += 1;
            return Ok(Feel::Call("@".to_owned(), vec![(None, self.text_literal()?)]));
        }
        // Function names with spaces and keywords in them.
        for name in ["date and time", "years and months duration"] {
            if self.rest().strip_prefix(name).is_some_and(|after| after.trim_start().starts_with('(')) {
                self.at += name.len();
                self.sign("(");
                return Ok(Feel::Call(name.to_owned(), self.until(")", Self::argument)?));
            }
        }
        let mut name = self.name()?;
        // Function names of several words: `list contains(`.
        let plain = (self.at, name.len());
        for more in ["contains", "with", "length", "case", "before", "after"] {
            if self.word(more) {
                name = format!("{name} {more}");
            }
        }
        if self.sign("(") {
            return Ok(Feel::Call(name, self.until(")", Self::argument)?));
        }
        self.at = plain.0;
        name.truncate(plain.1);
        Ok(Feel::Name(name))
    }

    /// Items with commas between them, up to a closing sign.
    fn until<T>(&mut self, close: &str, item: fn(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut items = Vec::new();
        if self.sign(close) {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if self.sign(close) {
                return Ok(items);
            }
            if !self.sign(",") {
                return Err(format!("`{close}` is missing before `{}`", self.rest()));
            }
        }
    }

    fn context_entry(&mut self) -> Parsed<(String, Feel)> {
        self.space();
        let key = match self.rest().starts_with('"') {
            true => match self.text_literal()? {
                Feel::Text(key) => key,
                _ => String::new(),
            },
            false => self.name()?,
        };
        if !self.sign(":") {
            return Err(format!("`:` is missing after `{key}`"));
        }
        Ok((key, self.expression()?))
    }

    fn argument(&mut self) -> Parsed<(Option<String>, Feel)> {
        let start = self.at;
        if let Ok(name) = self.name()
            && self.sign(":")
        {
            return Ok((Some(name), self.expression()?));
        }
        self.at = start;
        Ok((None, self.expression()?))
    }

    fn text_literal(&mut self) -> Parsed<Feel> {
        let mut value = String::new();
        let mut chars = self.rest().char_indices().skip(1);
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.at += at + 1;
                    return Ok(Feel::Text(value));
                }
                '\\' => match chars.next() {
                    Some((_, 'n')) => value.push('\n'),
                    Some((_, 'r')) => value.push('\r'),
                    Some((_, 't')) => value.push('\t'),
                    Some((_, mark @ ('"' | '\'' | '\\'))) => value.push(mark),
                    Some((_, mark @ ('u' | 'U'))) => {
                        let digits = if mark == 'u' { 4 } else { 6 };
                        let code: String = chars.by_ref().take(digits).map(|(_, digit)| digit).collect();
                        value.push(character_of_code(mark, &code, digits)?);
                    }
                    Some((_, other)) => return Err(format!("FEEL has no escape `\\{other}`; write `\\\\{other}`")),
                    None => break,
                },
                c => value.push(c),
            }
        }
        Err("a text is never closed".to_owned())
    }
}

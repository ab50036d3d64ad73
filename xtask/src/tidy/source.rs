//! Rust source as `tidy` sees it: text with comments, literals and test code blanked out, found by plain scanning. It
//! knows as much of the language as the checks need and nothing of the checks. A real parser would cost more compile
//! time than it would gain.

use std::ops::Range;

/// One source file. Every view has the same length and the same lines as the file.
pub struct Source {
    /// Without comments and the contents of literals.
    pub code: String,
    /// Without those and without items under `#[cfg(test)]`.
    pub shipped: String,
}

/// What the declaration of a function says.
pub struct Function {
    pub name: String,
    /// Not inside an `impl`, a `trait` or another function.
    pub is_free: bool,
    /// `pub`, in any form.
    pub is_visible: bool,
    pub parameters: String,
}

impl Source {
    pub fn new(text: &str) -> Source {
        let code = blank(text, &comments_and_literals(text));
        let shipped = blank(&code, &test_items(&code));
        Source { code, shipped }
    }

    /// A file that holds nothing but tests.
    pub fn of_tests(text: &str) -> Source {
        let code = Source::new(text).code;
        let everything = 0..code.len();
        Source { shipped: blank(&code, std::slice::from_ref(&everything)), code }
    }

    /// Lines with something other than test code: the length of a file for the limits.
    pub fn shipped_lines(&self, text: &str) -> usize {
        let tests: usize = test_items(&self.code).into_iter().map(|range| self.code[range].lines().count()).sum();
        text.lines().count() - tests
    }

    /// Every function with a body: name and number of lines.
    pub fn functions(&self) -> Vec<(String, usize)> {
        words(&self.shipped, "fn")
            .filter_map(|at| {
                let name = identifier(self.shipped[at + 2..].trim_start());
                let body = self.shipped[at..].find(['{', ';']).map(|offset| at + offset)?;
                if name.is_empty() || !self.shipped[body..].starts_with('{') {
                    return None;
                }
                Some((name.to_string(), self.shipped[at..closing(&self.shipped, body)].lines().count()))
            })
            .collect()
    }

    /// Every function outside of test code, with what its declaration says.
    pub fn declared_functions(&self) -> Vec<Function> {
        words(&self.shipped, "fn")
            .filter_map(|at| {
                let name = identifier(self.shipped[at + 2..].trim_start());
                let open = at + self.shipped[at..].find('(')?;
                let line = &self.shipped[self.shipped[..at].rfind('\n').map_or(0, |end| end + 1)..at];
                (!name.is_empty()).then(|| Function {
                    name: name.to_string(),
                    is_free: !line.starts_with(' '),
                    is_visible: line.trim_start().starts_with("pub"),
                    parameters: self.shipped[open + 1..closing(&self.shipped, open) - 1].to_string(),
                })
            })
            .collect()
    }

    /// The names of structs, enums, traits and aliases that are items of the file's module.
    pub fn declared_types(&self) -> Vec<String> {
        let kinds = ["struct ", "enum ", "trait ", "type ", "union "];
        let declared = |line: &str| {
            let line = line.strip_prefix("pub").map_or(line, |rest| match rest.strip_prefix('(') {
                Some(scope) => scope.split_once(") ").map_or(rest, |(_, rest)| rest),
                None => rest.trim_start(),
            });
            let rest = kinds.iter().find_map(|kind| line.strip_prefix(kind))?;
            Some(identifier(rest).to_string())
        };
        self.shipped.lines().filter_map(declared).collect()
    }

    /// How often one of `wanted` occurs in comments and literals of `text`, which is this file's.
    pub fn words_of_comments_and_literals(&self, text: &str, wanted: &[&str]) -> usize {
        let lower = text.to_ascii_lowercase();
        let is_prose = |at: usize| self.code.as_bytes()[at] == b' ' && text.as_bytes()[at] != b' ';
        wanted.iter().map(|word| words(&lower, word).filter(|at| is_prose(*at)).count()).sum()
    }

    /// Modules declared in this file that live in a file of their own.
    pub fn modules(&self) -> Vec<String> {
        words(&self.code, "mod")
            .filter_map(|at| {
                let rest = self.code[at + 3..].trim_start();
                let name = identifier(rest);
                (!name.is_empty() && rest[name.len()..].trim_start().starts_with(';')).then(|| name.to_string())
            })
            .collect()
    }

    /// The first names of paths from the crate's root, for a file `depth` modules below it: `crate::a`, `crate::{a,
    /// b::c}`, and `super::super::a` if that leads to the root.
    pub fn root_names(&self, depth: usize) -> Vec<String> {
        let mut names = Vec::new();
        for at in words(&self.shipped, "crate") {
            push_first_names(&self.shipped[at + 5..], &mut names);
        }
        for at in words(&self.shipped, "super") {
            if self.shipped[..at].ends_with("super::") {
                continue;
            }
            let (mut rest, mut ups) = (&self.shipped[at + 5..], 1);
            while let Some(next) = rest.strip_prefix("::super") {
                (rest, ups) = (next, ups + 1);
            }
            if ups >= depth && depth > 0 {
                push_first_names(rest, &mut names);
            }
        }
        names
    }

    /// How often `pattern` occurs in shipped code, not as the end of a longer name.
    pub fn count(&self, pattern: &str) -> usize {
        let starts_within = |at: usize| pattern.starts_with(is_word) && self.shipped[..at].ends_with(is_word);
        self.shipped.match_indices(pattern).filter(|(at, _)| !starts_within(*at)).count()
    }

    /// Whether code outside of tests depends on a feature: `cfg(feature = ..)`, also inside `all(..)` or
    /// `cfg_attr(..)`.
    pub fn asks_for_features(&self) -> bool {
        ["cfg", "cfg_attr"].iter().any(|name| {
            words(&self.shipped, name).any(|at| {
                let rest = self.shipped[at + name.len()..].trim_start_matches('!');
                rest.starts_with('(') && words(&rest[..closing(rest, 0)], "feature").next().is_some()
            })
        })
    }
}

fn push_first_names(rest: &str, names: &mut Vec<String>) {
    let Some(rest) = rest.strip_prefix("::") else { return };
    if !rest.starts_with('{') {
        names.push(identifier(rest).to_string());
        return;
    }
    let group = &rest[1..closing(rest, 0) - 1];
    let mut depth = 0;
    let parts = group.split(|letter| {
        depth += i32::from(letter == '{') - i32::from(letter == '}');
        letter == ',' && depth == 0
    });
    names.extend(parts.map(|part| identifier(part.trim_start()).to_string()).filter(|name| !name.is_empty()));
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

fn identifier(text: &str) -> &str {
    &text[..text.find(|letter| !is_word(letter)).unwrap_or(text.len())]
}

/// Where `word` stands alone.
fn words<'text>(text: &'text str, word: &'text str) -> impl Iterator<Item = usize> + 'text {
    text.match_indices(word)
        .map(|(at, _)| at)
        .filter(move |at| !text[..*at].ends_with(is_word) && !text[at + word.len()..].starts_with(is_word))
}

/// Just past the bracket that closes the one at `open`.
fn closing(text: &str, open: usize) -> usize {
    let mut depth = 0;
    for (at, byte) in text.bytes().enumerate().skip(open) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            _ => continue,
        }
        if depth == 0 {
            return at + 1;
        }
    }
    text.len()
}

fn blank(text: &str, ranges: &[Range<usize>]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for range in ranges {
        for byte in &mut bytes[range.clone()] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
    }
    String::from_utf8(bytes).expect("ranges begin and end between characters")
}

/// Items after `#[cfg(test)]`, to the end of their braces or their semicolon.
fn test_items(code: &str) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for (at, attribute) in code.match_indices("#[cfg(test)]") {
        if ranges.last().is_some_and(|last| last.contains(&at)) {
            continue;
        }
        let from = at + attribute.len();
        let end = code[from..].find(['{', ';']).map_or(code.len(), |offset| from + offset);
        ranges.push(at..if code[end..].starts_with('{') { closing(code, end) } else { (end + 1).min(code.len()) });
    }
    ranges
}

fn comments_and_literals(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut ranges = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &text[at..];
        let end = if rest.starts_with("//") {
            at + rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            at + block_comment(rest)
        } else if let Some(length) = raw_string(text, at) {
            at + length
        } else if bytes[at] == b'"' {
            at + quoted(rest)
        } else if bytes[at] == b'\'' {
            at + character(rest)
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
            continue;
        };
        if end > at + 1 {
            ranges.push(at..end);
        }
        at = end;
    }
    ranges
}

fn block_comment(rest: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        if rest.as_bytes()[at..].starts_with(b"/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if rest.as_bytes()[at..].starts_with(b"*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    rest.len()
}

/// The length of `r"..."` or `r#"..."#` at `at`, also with a leading `b` or `c`.
fn raw_string(text: &str, at: usize) -> Option<usize> {
    if text[..at].ends_with(is_word) {
        return None;
    }
    let rest = &text[at..];
    let after_r = rest.strip_prefix('r').or_else(|| rest.strip_prefix("br")).or_else(|| rest.strip_prefix("cr"))?;
    let hashes = after_r.len() - after_r.trim_start_matches('#').len();
    let body = after_r[hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let length = body.find(&end).map_or(body.len(), |offset| offset + end.len());
    Some(rest.len() - body.len() + length)
}

fn quoted(rest: &str) -> usize {
    let mut escaped = false;
    for (at, letter) in rest.char_indices().skip(1) {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// A character literal, or one byte where the quote begins a lifetime.
fn character(rest: &str) -> usize {
    let mut letters = rest.char_indices().skip(1);
    match letters.next() {
        Some((_, '\\')) => {
            letters.next();
            letters.find(|(_, letter)| *letter == '\'').map_or(rest.len(), |(at, _)| at + 1)
        }
        Some(_) => letters.next().filter(|(_, letter)| *letter == '\'').map_or(1, |(at, _)| at + 1),
        None => 1,
    }
}

#[test]
fn comments_and_literals_are_blanked() {
    let text = "let a = \"x // {\"; // unwrap()\nlet b = r#\"\"panic!\"#; /* a /* b */ c */ let c = '{'; let d: \
        &'static str = '\\'' ;\n/// docs\nlet é = b\"\\\"\";";
    let code = Source::new(text).code;
    assert_eq!(code.len(), text.len());
    for gone in ["x //", "unwrap", "panic", "b */", "{", "docs", "\\"] {
        assert!(!code.contains(gone), "{gone} in {code}");
    }
    for kept in ["let a", "let b", "let c", "&'static str", "let é"] {
        assert!(code.contains(kept), "{kept} not in {code}");
    }
}

#[test]
fn test_code_is_not_shipped() {
    let text = "fn a() {}\n#[cfg(test)]\nmod tests {\n    fn b() { x.unwrap() }\n}\n#[cfg(test)]\nuse y;\n\
        fn c() {\n    z.unwrap()\n}\n";
    let source = Source::new(text);
    assert_eq!(source.count(".unwrap()"), 1);
    assert_eq!(source.functions(), [("a".to_string(), 1), ("c".to_string(), 3)]);
    assert_eq!(source.shipped_lines(text), 4);
}

#[test]
fn names_below_the_root_are_found() {
    let source = Source::new(
        "use crate::{a::{b, c}, d};\nuse super::e; use super::super::f::g;\nfn h() { crate::i::j(); mycrate::k() }\n\
         // crate::l\n",
    );
    assert_eq!(source.root_names(2), ["a", "d", "i", "f"]);
    assert_eq!(source.root_names(1), ["a", "d", "i", "e", "f"]);
    assert_eq!(source.root_names(3), ["a", "d", "i"]);
}

#[test]
fn modules_features_and_whole_names_are_found() {
    let source = Source::new(
        "mod a;\npub(crate) mod b;\nmod c { }\n#[cfg(all(unix, feature = \"x\"))] fn d() { reprintln!(); \
         println!() }\n",
    );
    assert_eq!(source.modules(), ["a", "b"]);
    assert!(source.asks_for_features());
    assert!(!Source::new("#[cfg(unix)] fn feature() {}\n#[cfg(test)] mod t {}").asks_for_features());
    assert_eq!(source.count("println!"), 1);
}
